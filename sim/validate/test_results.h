// SPDX-License-Identifier: GPL-3.0-or-later
// How the tests of a build ended: the file that `netsim test` (tests/run_suite.py) writes next to
// the program. It is ctest's JUnit XML with one more property, netsim.build: the identity of the
// sources that the program was built from (sim/campaign/source_id.h). Results of another build are
// ignored.
#ifndef NETSIM_VALIDATE_TEST_RESULTS_H
#define NETSIM_VALIDATE_TEST_RESULTS_H

#include <glib.h>
#include <stdbool.h>

struct test_results;

enum test_outcome { TEST_NOT_RUN, TEST_SKIPPED, TEST_PASSED, TEST_FAILED };

// Reads a file; never returns NULL. If the file is missing, of another build than `build` or
// unreadable, no test counts as run, and test_results_lack returns why. Free with
// test_results_free.
struct test_results *test_results_load(const char *file, const char *build);
void test_results_free(struct test_results *results);

// Why there are no results of this build; NULL if there are. Borrowed.
const char *test_results_lack(const struct test_results *results);

// How the test of a source file ended: "tests/ROOM/test_NAME.c" is the test test_ROOM_NAME,
// "tests/ROOM/test_NAME.py" is test_ROOM_NAME.py, "tests/cases/STACK/NAME.case" is a part of
// test_cases_STACK (CMakeLists.txt).
enum test_outcome test_results_of(const struct test_results *results, const char *source);

#endif
