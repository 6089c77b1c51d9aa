// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/suite.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <string.h>

int suite_run(const char *name, const struct suite_case *cases)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    CU_pSuite suite = CU_add_suite(name, NULL, NULL);
    bool good = suite != NULL;
    for (; good && cases->name; cases++)
        good = CU_add_test(suite, cases->name, cases->run) != NULL;
    if (good) {
        CU_basic_set_mode(CU_BRM_VERBOSE);
        good = CU_basic_run_tests() == CUE_SUCCESS && CU_get_number_of_failures() == 0 &&
               CU_get_number_of_tests_run() > 0;
    } else {
        fprintf(stderr, "%s: %s\n", name, CU_get_error_msg());
    }
    CU_cleanup_registry();
    return good ? 0 : 1;
}

// Enters the failure under the place of the caller. CUnit keeps a copy of the message.
static bool report(bool good, const char *file, int line, const char *message)
{
    CU_assertImplementation(good, (unsigned)line, message, file, "", CU_FALSE);
    return good;
}

bool suite_same_text(const char *file, int line, const char *actual, const char *expected)
{
    bool same = actual && expected ? strcmp(actual, expected) == 0 : actual == expected;
    char message[2048];
    snprintf(message, sizeof message, "got \"%s\", expected \"%s\"", actual ? actual : "NULL",
             expected ? expected : "NULL");
    return report(same, file, line, message);
}

bool suite_same_integer(const char *file, int line, long long actual, long long expected)
{
    char message[100];
    snprintf(message, sizeof message, "got %lld, expected %lld", actual, expected);
    return report(actual == expected, file, line, message);
}

bool suite_contains(const char *file, int line, const char *text, const char *part)
{
    char message[4096];
    snprintf(message, sizeof message, "\"%s\" is not in \"%s\"", part, text ? text : "NULL");
    return report(text && strstr(text, part), file, line, message);
}
