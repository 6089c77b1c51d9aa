// SPDX-License-Identifier: GPL-3.0-or-later
// How the search sees a parameter: bounds, the mapping, rounding, units.
#include "sim/calibrate/parameter.h"

#include "sim/workload/stack.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

static const char scenario_text[] = "schema: 1\nname: s\nstack: lam_via\nnic: eepro100\n"
                                    "hosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
                                    "links: [{from: node, to: switch, rate: 100 Mb/s}]\n"
                                    "host: {processor: {clock: 1.4 GHz}}\n"
                                    "lam: {request: 13700 cycles}\n"
                                    "workload: {benchmark: pmb.pingpong}\n";

static struct scenario_schema *schema;
static struct scenario *scenario;

static struct fit_parameter *parameter_of(const char *text)
{
    GError *error = NULL;
    struct fit_parameter *parameter = fit_parameter_read(text, scenario, &error);
    if (error)
        fprintf(stderr, "%s\n", error->message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(parameter);
    return parameter;
}

static void expect_error(const char *text, const char *part)
{
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(fit_parameter_read(text, scenario, &error));
    CU_ASSERT_PTR_NOT_NULL_FATAL(error);
    SUITE_CONTAINS(error->message, part);
    g_error_free(error);
}

static void test_bounds(void)
{
    struct fit_parameter *parameter = parameter_of("lam.request=1000 cycles .. 0.1e6 cycles");
    fit_parameter_free(parameter);
    parameter = parameter_of("lam.request=1000 cycles..100000 cycles");
    CU_ASSERT_EQUAL(parameter->kind, QUANTITY_CYCLES);
    CU_ASSERT_DOUBLE_EQUAL(parameter->lo, 1000, 0);
    CU_ASSERT_DOUBLE_EQUAL(parameter->hi, 100000, 0);
    CU_ASSERT_DOUBLE_EQUAL(parameter->start, 10000, 1e-6); // the middle of the orders of magnitude
    CU_ASSERT_DOUBLE_EQUAL(parameter->current, 13700, 0);
    fit_parameter_free(parameter);
    // A cost in time, although the scenario has it in cycles; from 0 on.
    parameter = parameter_of("lam.request=0..20 us");
    CU_ASSERT_EQUAL(parameter->kind, QUANTITY_DURATION);
    CU_ASSERT_DOUBLE_EQUAL(parameter->start, 10e6, 1e-6);
    fit_parameter_free(parameter);
    // Without bounds: around the table's default, wherever the scenario is.
    parameter = parameter_of("switch.latency");
    CU_ASSERT_DOUBLE_EQUAL(parameter->hi, 10 * parameter->start, 1);
    CU_ASSERT_DOUBLE_EQUAL(parameter->lo, parameter->start / 10, 1);
    fit_parameter_free(parameter);
}

static void test_mapping(void)
{
    static const char *const texts[] = {"lam.request=1000 cycles..100000 cycles",
                                        "lam.request=0..20 us",
                                        "host.memory.copy_cached=200 MB/s..3 GB/s"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        struct fit_parameter *parameter = parameter_of(texts[i]);
        double before = -INFINITY;
        for (double u = -50; u <= 50; u += 0.25) {
            double value = fit_parameter_value(parameter, u);
            CU_ASSERT(value >= parameter->lo && value <= parameter->hi);
            CU_ASSERT(value >= before);
            before = value;
            if (fabs(u) < 7)
                CU_ASSERT_DOUBLE_EQUAL(fit_parameter_u(parameter, value), u, 1e-6);
        }
        CU_ASSERT(fit_parameter_u(parameter, parameter->lo) < -7);
        CU_ASSERT(fit_parameter_u(parameter, parameter->hi) > 7);
        fit_parameter_free(parameter);
    }
}

static void expect_round(const struct fit_parameter *parameter, double value, const char *expected)
{
    char *text = fit_parameter_text(parameter, fit_parameter_round(parameter, value));
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

static void test_rounding(void)
{
    struct fit_parameter *parameter = parameter_of("lam.request=10 cycles..100000 cycles");
    expect_round(parameter, 13703.4, "13700 cycles");
    expect_round(parameter, 99999.9, "100000 cycles");
    expect_round(parameter, 12.34, "12 cycles"); // whole cycles
    expect_round(parameter, 3, "10 cycles");     // not below the bound
    fit_parameter_free(parameter);
    parameter = parameter_of("switch.latency=1 us..100 us");
    expect_round(parameter, 8.12345e6, "8123 ns");
    fit_parameter_free(parameter);
}

static void test_bad_input(void)
{
    expect_error("lam.reqest", "did you mean lam.request?");
    expect_error("", "no such parameter");
    expect_error("lam", "no such parameter");
    expect_error("lam.request=", "lo..hi");
    expect_error("lam.request=5 cycles", "lo..hi");
    expect_error("lam.request=5 cycles..5 cycles", "not below");
    expect_error("lam.request=..5 cycles", "--fit");
    expect_error("lam.request=1 cycles..2 us", "--fit");
    expect_error("lam.request=-5 cycles..5 cycles", "--fit");
    expect_error("switch.discipline", "no quantity");
    expect_error("switch.latency=1 MB..2 MB", "1 MB");
}

static const struct suite_case cases[] = {
    {"bounds and where the search starts", test_bounds},
    {"the mapping stays in the bounds, rises, and can be undone", test_mapping},
    {"values are rounded to four digits and whole units", test_rounding},
    {"bad input", test_bad_input},
    {0},
};

int main(void)
{
    schema = registry_schema(&model_registry);
    struct diag_list *diags = diag_list_new();
    struct scenario_options options = {0};
    scenario = scenario_parse(scenario_text, strlen(scenario_text), "s.yaml", NULL, schema,
                              &options, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    int code = scenario ? suite_run("calibrate: parameter", cases) : 1;
    scenario_free(scenario);
    registry_schema_free(schema);
    return code;
}
