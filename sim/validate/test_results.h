// SPDX-License-Identifier: GPL-3.0-or-later
// How the tests of a build ended: what `netsim test` (tests/run_suite.py) leaves beside the
// program, ctest's JUnit XML with one property more, netsim.build: the identity of the sources that
// the program was made of (sim/campaign/source_id.h). Results of another build are none of this.
#ifndef NETSIM_VALIDATE_TEST_RESULTS_H
#define NETSIM_VALIDATE_TEST_RESULTS_H

#include <glib.h>
#include <stdbool.h>

struct test_results;

enum test_outcome { TEST_NOT_RUN, TEST_SKIPPED, TEST_PASSED, TEST_FAILED };

// Reads a file; never NULL. Without the file, if it is of another build than `build` or can't be
// read, no test has been run, and test_results_lack says why. Free with test_results_free.
struct test_results *test_results_load(const char *file, const char *build);
void test_results_free(struct test_results *results);

// NULL if there are results of this build. Borrowed.
const char *test_results_lack(const struct test_results *results);

// How the test of a source file ended: "tests/ROOM/test_NAME.c" is the test test_ROOM_NAME,
// "tests/ROOM/test_NAME.py" is test_ROOM_NAME.py, "tests/cases/STACK/NAME.case" is a part of
// test_cases_STACK (CMakeLists.txt).
enum test_outcome test_results_of(const struct test_results *results, const char *source);

#endif
