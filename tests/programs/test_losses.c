// SPDX-License-Identifier: GPL-3.0-or-later
// Random MPI programs while links lose, damage and interrupt: stacks that make losses good deliver
// by MPI's rules. The others end with their own reports; until then no rank gets a wrong message,
// and the ledger accounts for every byte. tests/support/trial.h has the settings to try more of
// them.
#include "tests/support/trial_stacks.h"

int main(void)
{
    return trial_suite("programs: losses", true);
}
