// SPDX-License-Identifier: GPL-3.0-or-later
// Random MPI programs while links lose, damage and interrupt: stacks that make losses good deliver
// as MPI says. The others end as they say themselves; until then nobody gets what he should not,
// and the books know of every byte. tests/support/trial.h tells how to try more of them.
#include "tests/support/suite.h"
#include "tests/support/trial_stacks.h"

#define CASE(stack)                                                                                \
    static void test_##stack(void)                                                                 \
    {                                                                                              \
        trial_run(&trial_##stack, true);                                                           \
    }

CASE(lam_tcp)
CASE(mpich_p4)
CASE(lam_via)
CASE(mvich)
CASE(armci)
CASE(grim)
CASE(gm)

int main(void)
{
    static const struct suite_case cases[] = {
        {"LAM over TCP", test_lam_tcp},
        {"MPICH over ch_p4", test_mpich_p4},
        {"LAM over VIA", test_lam_via},
        {"MVICH", test_mvich},
        {"MPICH beside ARMCI", test_armci},
        {"GRIM", test_grim},
        {"bare GM", test_gm},
        {0},
    };
    return suite_run("programs: losses", cases);
}
