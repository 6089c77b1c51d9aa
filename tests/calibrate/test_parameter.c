// SPDX-License-Identifier: GPL-3.0-or-later
// How the search sees a parameter: bounds, the mapping, rounding, units.
#include "sim/calibrate/parameter.h"

#include "sim/model/model.h"
#include "sim/run/schema.h"
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

// The unit of each kind of parameter, and where the search starts: the middle of the orders of
// magnitude between bounds that are given, half of the upper one if the lower is 0.
static void test_kinds(void)
{
    static const struct {
        const char *text;
        enum quantity_kind kind;
        double lo, hi, start, current;
        const char *middle;
    } samples[] = {
        {"link.rate=1 Mb/s..100 Mb/s", QUANTITY_BIT_RATE, 1e6, 1e8, 1e7, 1e8, "10 Mb/s"},
        {"host.processor.clock=1 GHz..4 GHz", QUANTITY_FREQUENCY, 1e9, 4e9, 2e9, 1.4e9, "2 GHz"},
        {"host.processor.cores=1..4", QUANTITY_COUNT, 1, 4, 2, 1, "2"},
        {"link.drop_probability=0..0.5", QUANTITY_REAL, 0, 0.5, 0.25, 0, "0.25"},
        {"host.memory.copy_cached=100 MB/s..400 MB/s", QUANTITY_BYTE_RATE, 1e8, 4e8, 2e8, -1,
         "200 MB/s"},
        {"lam_via.tiny=1 KiB..4 KiB", QUANTITY_SIZE, 1024, 4096, 2048, 16384, "2 KiB"},
        {"switch.latency=0..8 us", QUANTITY_DURATION, 0, 8e6, 4e6, -1, "4 us"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct fit_parameter *parameter = parameter_of(samples[i].text);
        CU_ASSERT_EQUAL(parameter->kind, samples[i].kind);
        CU_ASSERT_EQUAL(parameter->lo, samples[i].lo);
        CU_ASSERT_EQUAL(parameter->hi, samples[i].hi);
        CU_ASSERT_EQUAL(parameter->start, samples[i].start);
        if (samples[i].current >= 0)
            CU_ASSERT_EQUAL(parameter->current, samples[i].current);
        CU_ASSERT_PTR_NOT_NULL(parameter->doc);
        char *text = fit_parameter_text(parameter, parameter->start);
        SUITE_SAME_TEXT(text, samples[i].middle);
        g_free(text);
        fit_parameter_free(parameter);
    }
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
    expect_error("lam.request=0 cycles..0 cycles", "the lower bound is not below the upper");
    expect_error("lam_via.sdescs=1..20", "the bounds leave the parameter's range, 2 .. 65536");
    expect_error("lam_via.sdescs=2..65537", "the bounds leave the parameter's range, 2 .. 65536");
    fit_parameter_free(parameter_of("lam_via.sdescs=2..65536"));
    expect_error("link.drop_probability",
                 "give it bounds (--fit link.drop_probability=lo..hi)"); // ten times 0 is 0
    expect_error("switch.discipline", "no quantity");
    expect_error("switch.latency=1 MB..2 MB", "1 MB");
}

static const struct suite_case cases[] = {
    {"bounds and where the search starts", test_bounds},
    {"kinds of parameters", test_kinds},
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
