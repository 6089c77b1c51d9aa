// SPDX-License-Identifier: GPL-3.0-or-later
// Compares what became of a case with what it expects.
#ifndef NETSIM_TESTS_CASES_CASE_CHECK_H
#define NETSIM_TESTS_CASES_CASE_CHECK_H

#include "tests/cases/case_file.h"

// Runs the variant that was read. Returns true if it is as expected; else prints the first
// difference, "fail FILE:LINE: expected X, got Y".
bool case_check(const struct case_file *file);

#endif
