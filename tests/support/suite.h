// SPDX-License-Identifier: GPL-3.0-or-later
// A test program: main() runs one or more suites of cases with CUnit and returns whether all held.
//
//   static const struct suite_case cases[] = {{"what holds", test_it}, {0}};
//   int main(void) { return suite_run("room: noun", cases); }
#ifndef NETSIM_TESTS_SUPPORT_SUITE_H
#define NETSIM_TESTS_SUPPORT_SUITE_H

#include <CUnit/CUnit.h>
#include <stdbool.h>

struct suite_case {
    const char *name;
    void (*run)(void);
};

// Runs the cases (ended by a NULL name) as one suite. Returns 0 if all assertions held, else 1:
// what main returns.
int suite_run(const char *name, const struct suite_case *cases);

// Fails the running case with a message that shows the expected and the actual value, and goes on;
// true if both are equal.
bool suite_same_text(const char *file, int line, const char *actual, const char *expected);
bool suite_same_integer(const char *file, int line, long long actual, long long expected);
bool suite_contains(const char *file, int line, const char *text, const char *part);

#define SUITE_SAME_TEXT(actual, expected) suite_same_text(__FILE__, __LINE__, actual, expected)
#define SUITE_SAME_INTEGER(actual, expected)                                                       \
    suite_same_integer(__FILE__, __LINE__, actual, expected)
#define SUITE_CONTAINS(text, part) suite_contains(__FILE__, __LINE__, text, part)

#endif
