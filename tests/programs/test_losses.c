// SPDX-License-Identifier: GPL-3.0-or-later
// Random MPI programs while links lose, damage and interrupt: stacks that make losses good deliver
// as MPI says. The others end as they say themselves; until then nobody gets what he should not,
// and the books know of every byte. tests/support/trial.h tells how to try more of them.
#include "tests/support/trial_stacks.h"

int main(void)
{
    return trial_suite("programs: losses", true);
}
