// SPDX-License-Identifier: GPL-3.0-or-later
// Tolerances as they are written: a percentage, a difference in the value's unit, and 0, which is
// the same in all of them.
#include "sim/config/tolerance.h"
#include "tests/support/suite.h"

#include <glib.h>

struct written {
    const char *text, *unit;
    enum tolerance_fault fault;
    double amount; // if there is no fault
    bool relative;
};

static void expect(const struct written *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tolerance tolerance;
        CU_ASSERT_EQUAL(tolerance_parse(cases[i].text, cases[i].unit, &tolerance), cases[i].fault);
        if (cases[i].fault != TOLERANCE_GOOD)
            continue;
        CU_ASSERT_DOUBLE_EQUAL(tolerance.amount, cases[i].amount, 1e-12);
        CU_ASSERT_EQUAL(tolerance.relative, cases[i].relative);
    }
}

static void test_zero(void)
{
    static const struct written cases[] = {
        {"0", "us", TOLERANCE_GOOD, 0, false},
        {"0", "MB/s", TOLERANCE_GOOD, 0, false},
        {"0", "", TOLERANCE_GOOD, 0, false},
        {"0", NULL, TOLERANCE_GOOD, 0, false},
        {"0.0", "us", TOLERANCE_GOOD, 0, false},
        {"0 ", "us", TOLERANCE_GOOD, 0, false},
        {"0 %", "us", TOLERANCE_GOOD, 0, true},
        {"0 us", "us", TOLERANCE_GOOD, 0, false},
        {"0 us", NULL, TOLERANCE_OTHER_UNIT, 0, false},
        {"0 B", "us", TOLERANCE_OTHER_UNIT, 0, false},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_bare(void)
{
    static const struct written cases[] = {
        {"2", "us", TOLERANCE_BARE, 0, false},      {"2", NULL, TOLERANCE_BARE, 0, false},
        {"1e-9", "us", TOLERANCE_BARE, 0, false},   {"2", "", TOLERANCE_GOOD, 2, false},
        {"", "us", TOLERANCE_NO_NUMBER, 0, false},  {"us", "us", TOLERANCE_NO_NUMBER, 0, false},
        {"-1", "", TOLERANCE_NO_NUMBER, 0, false},  {"-0.5 %", "us", TOLERANCE_NO_NUMBER, 0, false},
        {"inf", "", TOLERANCE_NO_NUMBER, 0, false},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_units(void)
{
    static const struct written cases[] = {
        {"2 %", "us", TOLERANCE_GOOD, 0.02, true},
        {"2%", NULL, TOLERANCE_GOOD, 0.02, true},
        {"0.5 us", "us", TOLERANCE_GOOD, 0.5, false},
        {"0.5 ms", "us", TOLERANCE_GOOD, 500, false},
        {"2 kB/s", "MB/s", TOLERANCE_GOOD, 0.002, false},
        {"2 MB/s", "us", TOLERANCE_OTHER_UNIT, 0, false},
        {"2 us", "", TOLERANCE_OTHER_UNIT, 0, false},
        {"2 us", NULL, TOLERANCE_OTHER_UNIT, 0, false},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"0 needs no unit", test_zero},
        {"a bare number is refused where a unit is known", test_bare},
        {"percentages and differences", test_units},
        {NULL, NULL},
    };
    return suite_run("config: tolerances", cases);
}
