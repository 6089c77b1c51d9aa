// SPDX-License-Identifier: GPL-3.0-or-later
// Results of checks as JUnit XML, which build servers read: suites of cases, each passed, failed or
// skipped.
#ifndef NETSIM_OUTPUT_JUNIT_H
#define NETSIM_OUTPUT_JUNIT_H

enum junit_outcome { JUNIT_PASSED, JUNIT_FAILED, JUNIT_SKIPPED };

struct junit;

struct junit *junit_new(void);
void junit_free(struct junit *junit);

// Adds a case to the suite of this name, which is created with its first case; suites and their
// cases keep the order in which they were added. `type` is the kind of a failure, `message` the
// reason of a case that has not passed; both may be NULL. All texts are copied.
void junit_add(struct junit *junit, const char *suite, const char *class_name, const char *name,
               enum junit_outcome outcome, const char *type, const char *message);

// Returns the document. The caller frees it (g_free).
char *junit_text(const struct junit *junit);

#endif
