// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a case file with the transitions that really happened.
#ifndef NETSIM_TESTS_CASES_CASE_PRINT_H
#define NETSIM_TESTS_CASES_CASE_PRINT_H

#include <stdbool.h>

// Runs the first variant and prints the file to stdout; `times`: with the time of each transition
// in a remark. Returns false, with the reason on stderr, if the case can't be read or is refused.
bool case_print(const char *path, bool times);

#endif
