// SPDX-License-Identifier: GPL-3.0-or-later
// Draws: quantiles are stratified, the same everywhere and independent of one another; a drawn case
// has every uncertain constant elsewhere, and every certain one where it was.
#include "sim/config/prior.h"
#include "sim/scenario/draw.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define DRAWS 200

static const char *const paths[] = {"host.kernel.system_call", "host.kernel.interrupt_entry",
                                    "host.memory.copy_cached", "switch.latency"};

// Each block of 20 has one draw in each twentieth.
static void test_stratified(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
        for (int block = 0; block < DRAWS / DRAW_BLOCK; block++) {
            uint32_t seen = 0;
            for (int k = 1; k <= DRAW_BLOCK; k++) {
                double u = draw_quantile(block * DRAW_BLOCK + k, paths[i]);
                CU_ASSERT(u > 0.0 && u < 1.0);
                seen |= UINT32_C(1) << (int)(u * DRAW_BLOCK);
            }
            CU_ASSERT_EQUAL(seen, (UINT32_C(1) << DRAW_BLOCK) - 1);
        }
}

static double correlation(const char *one, const char *other, int lag)
{
    double sum = 0.0, squares[2] = {0.0, 0.0};
    for (int k = 1; k <= DRAWS; k++) {
        double a = draw_quantile(k, one) - 0.5, b = draw_quantile(k + lag, other) - 0.5;
        sum += a * b;
        squares[0] += a * a;
        squares[1] += b * b;
    }
    return sum / sqrt(squares[0] * squares[1]);
}

// Of independent draws a correlation of 200 has a standard deviation of 0.07.
static void test_independent(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(paths); k++)
            for (int lag = 0; lag < 3; lag++)
                if (i != k || lag > 0)
                    CU_ASSERT(fabs(correlation(paths[i], paths[k], lag)) < 0.28);
}

// A mean of a draw's normal deviates is far nearer to 0 than the 0.07 of independent ones.
static void test_mean(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        double sum = 0.0;
        for (int k = 1; k <= DRAWS; k++)
            sum += draw_quantile(k, paths[i]) - 0.5;
        CU_ASSERT(fabs(sum / DRAWS) < 0.005);
    }
}

// Two values of a table are correlated by the half that they share, in the scale of the normal
// distribution; two of different tables are not.
static void test_shared(void)
{
    double within = 0.0, between = 0.0;
    for (int k = 1; k <= DRAWS; k++) {
        double a = gsl_cdf_ugaussian_Pinv(draw_shared_quantile(k, "k.a", "k"));
        double b = gsl_cdf_ugaussian_Pinv(draw_shared_quantile(k, "k.b", "k"));
        double c = gsl_cdf_ugaussian_Pinv(draw_shared_quantile(k, "m.c", "m"));
        within += a * b / DRAWS;
        between += a * c / DRAWS;
    }
    CU_ASSERT_DOUBLE_EQUAL(within, DRAW_SHARED, 0.2);
    CU_ASSERT_DOUBLE_EQUAL(between, 0.0, 0.2);
}

// ---- Cases ----

#define PINGPONG                                                                                   \
    "schema: 1\n"                                                                                  \
    "hosts: [{name: node, count: 2}]\n"                                                            \
    "switches: [{name: switch}]\n"                                                                 \
    "links: [{from: node, to: switch, rate: 100 Mb/s}]\n"                                          \
    "nic: eepro100\n"                                                                              \
    "stack: lam_via\n"                                                                             \
    "workload: {benchmark: pmb.pingpong, sizes: 1 B}\n"

static double kernel_cost(const struct compiled *compiled, const char *name)
{
    const struct param_values *kernel = scenario_section(compiled->test_case, "host.kernel");
    const struct param *param = &kernel->table->params[param_index(kernel->table, name)];
    const struct cost *cost = (const void *)((const char *)kernel->values + param->offset);
    return (double)(cost->cycles ? cost->cycles : cost->time);
}

static struct compiled drawn(const char *more, int draw)
{
    char *text = draw ? g_strdup_printf("%sdraw: %d\n%s", PINGPONG, draw, more)
                      : g_strconcat(PINGPONG, more, NULL);
    struct compiled compiled = compiled_new(text, NULL);
    g_free(text);
    return compiled;
}

// The value of each draw is the prior's quantile at the draw's.
static void test_values(void)
{
    for (int k = 1; k <= 40; k++) {
        struct compiled compiled = drawn("", k);
        double u = draw_quantile(k, "host.kernel.interrupt_entry");
        struct prior prior;
        char *fault;
        struct cost median = {.cycles = 1000};
        struct param param = {.name = "interrupt_entry", .kind = PARAM_COST};
        CU_ASSERT_FATAL(prior_parse("500 cycles .. 2000 cycles", &param, &median, &prior, &fault));
        char *expected = prior_quantile(&prior, u);
        CU_ASSERT_EQUAL(kernel_cost(&compiled, "interrupt_entry"), g_ascii_strtod(expected, NULL));
        g_free(expected);
        compiled_free(&compiled);
    }
}

// A mixed draw has the named sections and parameters of the other one, and all else of its own.
static void test_mixed(void)
{
    static const struct {
        const char *mix;
        bool call, trap; // system_call and fast_trap are of the other draw
    } rows[] = {{"none", false, false},
                {"9 of switch", false, false},
                {"9 of host.kernel", true, true},
                {"9 of switch, host.kernel.system_call", true, false}};
    struct compiled own = drawn("", 7), other = drawn("", 9);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *more = g_strdup_printf("draw_mix: %s\n", rows[i].mix);
        struct compiled mixed = drawn(more, 7);
        CU_ASSERT_EQUAL(kernel_cost(&mixed, "system_call"),
                        kernel_cost(rows[i].call ? &other : &own, "system_call"));
        CU_ASSERT_EQUAL(kernel_cost(&mixed, "fast_trap"),
                        kernel_cost(rows[i].trap ? &other : &own, "fast_trap"));
        compiled_free(&mixed);
        g_free(more);
    }
    compiled_free(&other);
    compiled_free(&own);
}

// A parameter that draw_parameters lists has its quantile in a draw.
static void test_listed(void)
{
    struct compiled medians = drawn("", 0), third = drawn("", 3);
    GPtrArray *parameters = draw_parameters(medians.test_case, medians.schema);
    CU_ASSERT(parameters->len > 20);
    for (guint i = 0; i < parameters->len; i++) {
        const struct drawn_parameter *parameter = g_ptr_array_index(parameters, i);
        const char *section = parameter->values->path;
        if (strcmp(section, "link") == 0 || strcmp(section, "switch") == 0)
            continue; // of the topology
        const struct param_values *values = scenario_section(third.test_case, section);
        char *text = prior_quantile(&parameter->prior, draw_parameter_quantile(parameter, 3));
        if (!text) // the value itself, of alternatives
            text = param_value_text(parameter->values, parameter->prior.param);
        char *laid = param_value_text(values, parameter->prior.param);
        SUITE_SAME_TEXT(laid, text);
        g_free(laid);
        g_free(text);
    }
    g_ptr_array_unref(parameters);
    compiled_free(&third);
    compiled_free(&medians);
}

// Values that a user sets are certain, and drawn ones have a source.
static void test_certain(void)
{
    static const char set[] = "host: {kernel: {interrupt_entry: 700 cycles}}\n";
    struct compiled compiled = drawn(set, 3);
    const struct param_values *kernel = scenario_section(compiled.test_case, "host.kernel");
    CU_ASSERT_EQUAL(kernel_cost(&compiled, "interrupt_entry"), 700.0);
    CU_ASSERT(kernel_cost(&compiled, "system_call") != 500.0);
    SUITE_CONTAINS(kernel->sources[param_index(kernel->table, "system_call")],
                   "draw 3 of prior: null system call");
    compiled_free(&compiled);
    struct compiled medians = drawn("", 0);
    CU_ASSERT_EQUAL(kernel_cost(&medians, "system_call"), 500.0);
    compiled_free(&medians);
}

// Two values with one cause move together; ranges of a file are drawn from.
static void test_together(void)
{
    static const char together[] =
        "host:\n"
        "  kernel:\n"
        "    interrupt_entry: {value: 1000 cycles, within: 2, source: a, with: "
        "host.kernel.system_call}\n"
        "    system_call: {value: 500 cycles, within: 2, source: b}\n";
    for (int k = 1; k <= DRAW_BLOCK; k++) {
        struct compiled compiled = drawn(together, k);
        double call = kernel_cost(&compiled, "system_call");
        CU_ASSERT_DOUBLE_EQUAL(kernel_cost(&compiled, "interrupt_entry"), 2.0 * call, 1.5);
        compiled_free(&compiled);
    }
}

// The text of a value in the tree of a case: "switches" 1 "latency.value".
static const char *item_text(const struct compiled *compiled, const char *list, guint i,
                             const char *path)
{
    const struct node *found =
        g_ptr_array_index(node_get(compiled->test_case->tree, list)->children, i);
    char **keys = g_strsplit(path, ".", -1);
    for (char **key = keys; *key && found; key++)
        found = node_get(found, *key);
    g_strfreev(keys);
    return found ? found->text : NULL;
}

static bool input_is_listed(const struct compiled *compiled, const char *name)
{
    GPtrArray *inputs = draw_inputs(compiled->test_case, compiled->schema);
    bool found = g_ptr_array_find_with_equal_func(inputs, name, g_str_equal, NULL);
    g_ptr_array_unref(inputs);
    return found;
}

// An own value of one switch, link or host is drawn by the quantile of the path that all have,
// and stays where it is certain.
static void test_items(void)
{
    static const char items[] =
        "schema: 1\n"
        "hosts:\n"
        "  - {name: one, host: {kernel: {system_call: {value: 500 cycles, within: 2, source: "
        "a}}}}\n"
        "  - {name: two, host: {kernel: {system_call: 700 cycles}}}\n"
        "switches:\n"
        "  - {name: near, latency: {value: 4 us, within: 2, source: b}}\n"
        "  - {name: far, latency: {value: 8 us, within: 2, source: b}}\n"
        "links:\n"
        "  - {from: one, to: near, propagation: {value: 1 us, range: 500 ns .. 2 us, source: c}}\n"
        "  - {from: two, to: far, propagation: 1 us}\n"
        "  - {from: near, to: far}\n"
        "nic: eepro100\n"
        "stack: lam_via\n"
        "draw: 7\n"
        "workload: {benchmark: pmb.pingpong, sizes: 1 B}\n";
    struct compiled compiled = compiled_new(items, NULL);
    struct prior prior;
    char *fault;
    struct param latency = {.name = "latency", .kind = PARAM_DURATION};
    sim_time values[] = {4 * TIME_US, 8 * TIME_US};
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        CU_ASSERT_FATAL(prior_parse("within 2", &latency, &values[i], &prior, &fault));
        char *expected = prior_quantile(&prior, draw_quantile(7, "switch.latency"));
        SUITE_SAME_TEXT(item_text(&compiled, "switches", i, "latency.value"), expected);
        g_free(expected);
    }
    SUITE_CONTAINS(item_text(&compiled, "links", 0, "propagation.source"), "draw 7 of c");
    SUITE_SAME_TEXT(item_text(&compiled, "links", 1, "propagation"), "1 us");
    SUITE_CONTAINS(item_text(&compiled, "hosts", 0, "host.kernel.system_call.source"),
                   "draw 7 of a");
    SUITE_SAME_TEXT(item_text(&compiled, "hosts", 1, "host.kernel.system_call"), "700 cycles");
    compiled_free(&compiled);
    char *medians = g_strndup(items, (gsize)(strstr(items, "draw:") - items));
    char *text = g_strconcat(medians, strstr(items, "workload:"), NULL);
    compiled = compiled_new(text, NULL);
    CU_ASSERT(input_is_listed(&compiled, "link.propagation"));
    compiled_free(&compiled);
    g_free(text);
    g_free(medians);
    compiled = drawn("", 0);
    CU_ASSERT(!input_is_listed(&compiled, "link.propagation"));
    compiled_free(&compiled);
}

static void test_refused(void)
{
    static const char *const cases[][2] = {
        {"draw: 0\n", "draw"},
        {"draw: 1000001\n", "draw"},
        {"draw_mix: none\n", "draw_mix: it is of a draw, and there is none"},
        {"draw: 1\ndraw_mix: 2 of host.kernal\n", "there is no section or parameter host.kernal"},
        {"draw: 1\ndraw_mix: 2 of host.kernel, \n", "there is no section or parameter "},
        {"draw: 1\ndraw_mix: 2 of switch.latencies\n", "no section or parameter switch.latencies"},
        {"draw: 1\ndraw_mix: 0 of switch\n", "it is the number of a draw, from 1 to 1000000"},
        {"draw: 1\ndraw_mix: 1000001 of switch\n", "it is the number of a draw"},
        {"draw: 1\ndraw_mix: 2\n", "it is the number of a draw"},
        {"draw: 1\ndraw_mix: [2]\n", "it is the number of a draw"},
        {"draw: 1\nhost: {kernel: {system_call: {value: 1 us, within: 2, source: a, with: "
         "host.kernel.sytem_call}}}\n",
         "`with`: there is no parameter host.kernel.sytem_call"},
        {"draw: 1\nhost: {kernel: {system_call: {value: 1 us, within: 2, source: a, with: "
         "host.kernel.fast_trap}, fast_trap: {value: 1 us, within: 2, source: a, with: "
         "host.kernel.system_call}}}\n",
         "in a circle"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct diag_list *diags = diag_list_new();
        char *text = g_strconcat(PINGPONG, cases[i][0], NULL);
        struct compiled compiled = compiled_try(text, NULL, diags);
        CU_ASSERT_PTR_NULL(compiled.scenario);
        CU_ASSERT_FATAL(diags->items->len > 0);
        const struct diag *first = diags->items->pdata[0];
        char *all = g_strdup_printf("%s: %s", first->path, first->message);
        SUITE_CONTAINS(all, cases[i][1]);
        g_free(all);
        g_free(text);
        compiled_free(&compiled);
        diag_list_free(diags);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"each block has one draw in each twentieth", test_stratified},
        {"parameters and draws are independent", test_independent},
        {"means are exact to a tenth of chance", test_mean},
        {"the values of a table share half of their variance", test_shared},
        {"a value is its prior's quantile", test_values},
        {"parts of another draw", test_mixed},
        {"parameters that a draw moves are listed", test_listed},
        {"what a user sets stays", test_certain},
        {"one cause, one quantile", test_together},
        {"what one switch, link or host has of its own", test_items},
        {"what can't be drawn is refused", test_refused},
        {NULL, NULL},
    };
    return suite_run("config: draws", cases);
}
