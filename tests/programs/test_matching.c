// SPDX-License-Identifier: GPL-3.0-or-later
// Random MPI programs on every stack that has MPI's calls, or some of them: messages are matched by
// MPI's rules. tests/support/trial.h has the settings to try more of them.
#include "tests/support/trial_stacks.h"

int main(void)
{
    return trial_suite("programs: matching", false);
}
