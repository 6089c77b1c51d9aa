// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of a fit that is made up: how far its targets are off, what they determine, the tables,
// the JSON and the overlay, to the letter.
#include "sim/calibrate/overlay.h"
#include "sim/calibrate/report.h"

#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char target_text_of_all[] =
    "schema: 1\nname: t\ntargets:\n"
    "- {series: A, size: 1 B, value: 10 us, tolerance: 2 us, claim: x.one}\n"
    "- {series: B, metric: b_MB_per_s, size: 4 B, value: 3, weight: 2, claim: x.one}\n"
    "- {order: [A, B, C], over: 1 B .. 4 B, tolerance: 50 %}\n"
    "- {crossover: [A, B], at: 2 B, weight: 3}\n"
    "- {crossover: [B, A], at: 1 B .. 4 B}\n"
    "- {gain: [A, B], sizes: [1 B, 4 B], value: 5 %, tolerance: 1 %}\n";

static const char document_text[] =
    "{'series': [{'name': 'A', 'points': [{'size_bytes': 1, 'latency_us': 11}, "
    "{'size_bytes': 2, 'latency_us': 12}, {'size_bytes': 4, 'latency_us': 20}]}, "
    "{'name': 'B', 'reason': {'text': 'it broke'}, 'points': [{'size_bytes': 1, 'latency_us': 10},"
    " {'size_bytes': 2, 'latency_us': 16}, {'size_bytes': 4, 'latency_us': 16, "
    "'b_MB_per_s': 3.06}]}, {'name': 'C', 'points': [{'size_bytes': 1, 'latency_us': 20}, "
    "{'size_bytes': 2, 'latency_us': 8}, {'size_bytes': 4, 'latency_us': 16}]}]}";

static char *directory, *file;
static struct target_list *targets;

static const struct target *target_at(guint index)
{
    return g_ptr_array_index(targets->targets, index);
}

static json_t *document_of(const char *text)
{
    char *quoted = g_strdelimit(g_strdup(text), "'", '"');
    json_t *document = json_loads(quoted, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    g_free(quoted);
    return document;
}

static void load_targets(void)
{
    struct diag_list *diags = diag_list_new();
    directory = temporary_directory();
    file = temporary_file(directory, "t.yaml", target_text_of_all);
    targets = target_list_load(file, NULL, diags);
    char *complaints = fake_complaints(diags);
    SUITE_SAME_TEXT(complaints, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(targets);
    g_free(complaints);
    diag_list_free(diags);
}

static void free_targets(void)
{
    target_list_free(targets);
    g_free(file);
    temporary_remove(directory);
}

// ---- Targets ----

static void test_targets(void)
{
    load_targets();
    json_t *document = document_of(document_text);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < targets->targets->len; i++) {
        const struct target *target = target_at(i);
        double residuals[20] = {0};
        char *text = target_text(target), *why = NULL;
        CU_ASSERT_TRUE(target_judge(target, document, residuals, &why));
        g_string_append_printf(out, "%s (%g +- %g, weight %g):", text, target->value,
                               target->tolerance, target->weight);
        for (int k = 0; k < target_residuals(target); k++)
            g_string_append_printf(out, " %.6g", residuals[k]);
        g_string_append_printf(out, "; %.6g\n", target_simulated(target, document));
        g_free(text);
    }
    SUITE_SAME_TEXT(
        out->str,
        "A, latency_us at 1 B (10 +- 2, weight 1): 0.5; 11\n"
        "B, b_MB_per_s at 4 B (3 +- 0.03, weight 2): 4; 3.06\n"
        "A below B below C, latency_us at 1..4 B (0 +- 0.5, weight 1): 0.2 0 0 2 0.5 0; 2.07123\n"
        "A crosses B, latency_us at 2 B (0 +- 0.01, weight 3): 30 -75 0; 26.9258\n"
        "B crosses A, latency_us at 1..4 B (0 +- 0.01, weight 1): 0 -20; 20\n"
        "A above B, latency_us at 1..4 B (0.05 +- 0.01, weight 1): 12.5; 0.175\n");
    SUITE_SAME_INTEGER(target_list_residuals(targets), 14);
    CU_ASSERT_FALSE(targets->smooth);
    GPtrArray *names = target_list_series(targets);
    char *joined = g_strjoinv(" ", (char **)names->pdata);
    SUITE_SAME_TEXT(joined, "A B C");
    static const char *const sizes[] = {"1 2 4 ", "1 2 4 ", "1 2 4 ", ""};
    static const char *const series[] = {"A", "B", "C", "D"};
    for (size_t i = 0; i < G_N_ELEMENTS(series); i++) {
        GArray *all = target_list_sizes(targets, series[i]);
        g_string_truncate(out, 0);
        for (guint k = 0; k < all->len; k++)
            g_string_append_printf(out, "%d ", (int)g_array_index(all, int64_t, k));
        SUITE_SAME_TEXT(out->str, sizes[i]);
        CU_ASSERT_FALSE(target_list_counts(targets, series[i]));
        g_array_unref(all);
    }
    g_free(joined);
    g_ptr_array_unref(names);
    g_string_free(out, TRUE);
    json_decref(document);
    free_targets();
}

// The first value that a document lacks is reported.
static void test_lacking(void)
{
    static const char *const samples[][2] = {
        {"{'series': []}", "the scenario has no series \"A\""},
        {"{'series': [{'name': 'A', 'points': [{'size_bytes': 2, 'latency_us': 1}]}]}",
         "A has no latency_us at 1 B"},
        {"{'series': [{'name': 'A', 'reason': {'text': 'it broke'}, 'points': [{'size_bytes': 1, "
         "'latency_us': null}]}]}",
         "A has no latency_us at 1 B: it broke"},
    };
    static const guint asked[] = {0, 2, 3, 5};
    load_targets();
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        json_t *document = document_of(samples[i][0]);
        for (size_t k = 0; k < G_N_ELEMENTS(asked); k++) {
            double residuals[20];
            char *why = NULL;
            CU_ASSERT_FALSE(target_judge(target_at(asked[k]), document, residuals, &why));
            SUITE_SAME_TEXT(why, samples[i][1]);
            CU_ASSERT(isnan(target_simulated(target_at(asked[k]), document)));
            g_free(why);
        }
        json_decref(document);
    }
    free_targets();
}

// ---- A fit ----

#define MOST 3

struct made_fit {
    struct fit fit;
    struct evaluation evaluation;
    struct fit_parameter parameters[MOST];
    struct analysis *analysis;
};

// A fit of some parameters; the rows of the derivatives are those of the residuals, of which all
// but the first few are 0.
static void make_fit(struct made_fit *made, guint parameters, const double (*rows)[MOST],
                     size_t count)
{
    static const char *const paths[] = {"lam.request", "host.memory.copy", "lam.call"};
    static const double values[] = {13700, 99.99, 2e6}, los[] = {10, 1, 1e6},
                        his[] = {100000, 100, 3e6};
    static const enum quantity_kind kinds[] = {QUANTITY_CYCLES, QUANTITY_REAL, QUANTITY_DURATION};
    load_targets();
    size_t residuals = (size_t)target_list_residuals(targets);
    *made = (struct made_fit){0};
    made->evaluation.targets = targets;
    made->evaluation.parameters = g_ptr_array_new();
    made->evaluation.runs = 17;
    for (guint i = 0; i < parameters; i++) {
        made->parameters[i] = (struct fit_parameter){(char *)paths[i], kinds[i],   los[i], his[i],
                                                     los[i] * 5,       los[i] * 7, "doc"};
        g_ptr_array_add(made->evaluation.parameters, &made->parameters[i]);
    }
    struct fit *fit = &made->fit;
    fit->method = FIT_NELDER_MEAD;
    fit->values = g_memdup2(values, sizeof values);
    fit->residuals = g_new0(double, residuals);
    for (size_t i = 0; i < residuals; i++)
        fit->residuals[i] = (double)i + 1;
    fit->cost = 2.5;
    fit->start_cost = 77.125;
    fit->document = document_of(document_text);
    fit->jacobian = gsl_matrix_calloc(residuals, parameters);
    fit->sensitivity = gsl_matrix_calloc(targets->targets->len, parameters);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parameters; k++) {
            gsl_matrix_set(fit->jacobian, i, k, rows[i][k]);
            gsl_matrix_set(fit->sensitivity, i, k, 100 * rows[i][k] + (double)k);
        }
    made->analysis = analysis_new(fit, &made->evaluation);
}

static void clear_fit(struct made_fit *made)
{
    analysis_free(made->analysis);
    g_free(made->fit.values);
    g_free(made->fit.residuals);
    json_decref(made->fit.document);
    gsl_matrix_free(made->fit.jacobian);
    gsl_matrix_free(made->fit.sensitivity);
    g_ptr_array_unref(made->evaluation.parameters);
    free_targets();
}

static void same_print(const struct made_fit *made, const char *expected)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    calibrate_print(&made->fit, made->analysis, &made->evaluation, out);
    fclose(out);
    SUITE_SAME_TEXT(text, expected);
    free(text);
}

static const double independent[][MOST] = {{2, 1, 0.5}, {0, 3, -1}, {1, 0, 4}};

static void test_print(void)
{
    struct made_fit made;
    make_fit(&made, 3, independent, 3);
    same_print(
        &made,
        "parameter                         value           +/-   bounds\n"
        "lam.request                13700 cycles        (60 %)   10 cycles .. 100000 cycles\n"
        "host.memory.copy                  99.99        (36 %)   1 .. 1e+02\n"
        "lam.call                           2 us        (32 %)   1 us .. 3 us\n"
        "\n"
        "target                                    expected  simulated             off by\n"
        "A, latency_us at 1 B                            10         11   1.000 tolerances\n"
        "B, b_MB_per_s at 4 B                             3       3.06   1.000 tolerances\n"
        "A below B below C, latency_us at 1..4 B          -          -  14.107 tolerances\n"
        "A crosses B, latency_us at 2 B                   -          -   5.793 tolerances\n"
        "B crosses A, latency_us at 1..4 B                -          -  17.692 tolerances\n"
        "A above B, latency_us at 1..4 B               0.05      0.175  14.000 tolerances\n"
        "\n"
        "What 1 % more of a parameter changes in what is simulated (orders and crossovers: in "
        "tolerances)\n"
        "\n"
        "target                                   lam.request  host.memory.copy  lam.call\n"
        "A, latency_us at 1 B                               2              1.01      0.52\n"
        "B, b_MB_per_s at 4 B                               0              3.01     -0.98\n"
        "A below B below C, latency_us at 1..4 B            1              0.01      4.02\n"
        "A crosses B, latency_us at 2 B                     0                 0         0\n"
        "B crosses A, latency_us at 1..4 B                  0                 0         0\n"
        "A above B, latency_us at 1..4 B                    0                 0         0\n"
        "\n"
        "Condition of the problem: 2.27 (1: every parameter shows on its own)\n"
        "lam.request               1.000 -0.466 -0.629   correlation of the estimates\n"
        "host.memory.copy         -0.466  1.000  0.424\n"
        "lam.call                 -0.629  0.424  1.000\n"
        "\n"
        "Nelder-Mead, 17 runs; squared tolerances in all: 77.12 at the start, 2.5 at the end\n"
        "3 fitted constants, 6 targets\n"
        "note: host.memory.copy ends at its upper bound\n"
        "note: these parameters do not describe these data: there is a constant for each\n"
        "      of them, and one is still off by 14 tolerances\n"
        "note: the search ended before it had settled; the values are the best it had\n"
        "      seen\n");
    clear_fit(&made);
    make_fit(&made, 1, independent, 1);
    made.fit.method = FIT_LEVENBERG_MARQUARDT;
    same_print(
        &made,
        "parameter                         value           +/-   bounds\n"
        "lam.request                13700 cycles        (50 %)   10 cycles .. 100000 cycles\n"
        "\n"
        "target                                    expected  simulated             off by\n"
        "A, latency_us at 1 B                            10         11   1.000 tolerances\n"
        "B, b_MB_per_s at 4 B                             3       3.06   1.000 tolerances\n"
        "A below B below C, latency_us at 1..4 B          -          -  14.107 tolerances\n"
        "A crosses B, latency_us at 2 B                   -          -   5.793 tolerances\n"
        "B crosses A, latency_us at 1..4 B                -          -  17.692 tolerances\n"
        "A above B, latency_us at 1..4 B               0.05      0.175  14.000 tolerances\n"
        "\n"
        "What 1 % more of a parameter changes in what is simulated (orders and crossovers: in "
        "tolerances)\n"
        "\n"
        "target                                   lam.request\n"
        "A, latency_us at 1 B                               2\n"
        "B, b_MB_per_s at 4 B                               0\n"
        "A below B below C, latency_us at 1..4 B            0\n"
        "A crosses B, latency_us at 2 B                     0\n"
        "B crosses A, latency_us at 1..4 B                  0\n"
        "A above B, latency_us at 1..4 B                    0\n"
        "\n"
        "Levenberg-Marquardt, 17 runs; squared tolerances in all: 77.12 at the start, 2.5 at the "
        "end\n"
        "1 fitted constant, 6 targets\n"
        "chi square 198 for 2 degrees of freedom: 99 each\n"
        "note: these parameters do not describe these data: if a tolerance is a standard\n"
        "      deviation, a chi square of 198 or more has a probability below 1e-09; the\n"
        "      +/- in parentheses would hold if they did\n"
        "note: the search ended before it had settled; the values are the best it had\n"
        "      seen\n");
    clear_fit(&made);
}

// That the targets with a value are 1, 1 and 14 tolerances off.
#define REFUTED                                                                                    \
    "these parameters do not describe these data: if a tolerance is a standard deviation, a chi "  \
    "square of 198 or more has a probability below 1e-09; the +/- in parentheses would hold if "   \
    "they did"

static const char *note_at(const struct analysis *analysis, guint index)
{
    return g_ptr_array_index(analysis->notes, index);
}

static void test_json(void)
{
    struct made_fit made;
    make_fit(&made, 2, independent, 2);
    made.fit.converged = true;
    json_t *json = calibrate_json(&made.fit, made.analysis, &made.evaluation);
    char *text = json_dumps(json, JSON_REAL_PRECISION(5)), *told = g_strdup(text);
    SUITE_SAME_TEXT(
        g_strdelimit(told, "\"", '\''),
        "{'method': 'Nelder-Mead', 'method_changed': false, 'converged': true, 'chi_square': "
        "198.0, 'degrees_of_freedom': 1, 'probability': 5.7054e-45, 'described': false, 'runs': "
        "17, 'cost': 2.5, 'start_cost': "
        "77.125, 'condition': 1.3874, 'parameters': [{'path': 'lam.request', 'value': '13700 "
        "cycles', 'start': '50 cycles', 'current': '70 cycles', 'lo': '10 cycles', 'hi': '100000 "
        "cycles', 'error_percent': 52.705}, {'path': 'host.memory.copy', 'value': '99.99', "
        "'start': '5', 'current': '7', 'lo': '1', 'hi': '1e+02', 'error_percent': 33.333}], "
        "'targets': [{'target': 'A, latency_us at 1 B', 'claim': 'x.one', 'expected': 10.0, "
        "'simulated': 11.0, 'off': 1.0, 'sensitivity': {'lam.request': 2.0, 'host.memory.copy': "
        "1.01}}, {'target': 'B, b_MB_per_s at 4 B', 'claim': 'x.one', 'expected': 3.0, "
        "'simulated': 3.06, 'off': 1.0, 'sensitivity': {'lam.request': 0.0, 'host.memory.copy': "
        "3.01}}, {'target': 'A below B below C, latency_us at 1..4 B', 'claim': null, 'expected': "
        "null, 'simulated': null, 'off': 14.107, 'sensitivity': {'lam.request': 0.0, "
        "'host.memory.copy': 0.0}}, {'target': 'A crosses B, latency_us at 2 B', 'claim': null, "
        "'expected': null, 'simulated': null, 'off': 5.7927, 'sensitivity': {'lam.request': 0.0, "
        "'host.memory.copy': 0.0}}, {'target': 'B crosses A, latency_us at 1..4 B', 'claim': null, "
        "'expected': null, 'simulated': null, 'off': 17.692, 'sensitivity': {'lam.request': 0.0, "
        "'host.memory.copy': 0.0}}, {'target': 'A above B, latency_us at 1..4 B', 'claim': null, "
        "'expected': 0.05, 'simulated': 0.175, 'off': 14.0, 'sensitivity': {'lam.request': 0.0, "
        "'host.memory.copy': 0.0}}], 'correlation': [[1.0, -0.31623], [-0.31623, 1.0]], 'notes': "
        "['host.memory.copy ends at its upper bound', '" REFUTED
        "', 'the search ended before it had settled; the "
        "values are the best it had seen']}");
    g_free(told);
    free(text);
    json_decref(json);
    clear_fit(&made);
}

// The notes of an analysis, a line each, after its condition, errors and correlations.
static void same_analysis(const double (*rows)[MOST], size_t count, guint parameters,
                          const char *expected)
{
    struct made_fit made;
    make_fit(&made, parameters, rows, count);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "condition %.4g, errors", made.analysis->condition);
    for (guint i = 0; i < parameters; i++)
        g_string_append_printf(out, " %.4g", made.analysis->error[i]);
    g_string_append(out, ", correlations");
    for (guint a = 0; made.analysis->correlation && a < parameters; a++)
        for (guint b = 0; b < parameters; b++)
            g_string_append_printf(out, " %.4g", gsl_matrix_get(made.analysis->correlation, a, b));
    g_string_append_c(out, '\n');
    for (guint i = 0; i < made.analysis->notes->len; i++)
        if (!g_str_has_prefix(note_at(made.analysis, i), "these parameters do not describe"))
            g_string_append_printf(out, "%s\n", note_at(made.analysis, i));
    SUITE_SAME_TEXT(out->str, expected);
    g_string_free(out, TRUE);
    clear_fit(&made);
}

static void test_analysis(void)
{
    static const double parallel[][MOST] = {{1, -2, 0}, {2, -4, 0}, {0, 0, 5}};
    static const double near[][MOST] = {{1, 1, 0}, {0, 0.09, 0}, {0, 0, 5}};
    static const double no_effect[][MOST] = {{1, 0, 0}, {1, 0, 3}};
    static const double combination[][MOST] = {{1, 0, 1}, {0, 1, 1}, {0, 0, 1e-5}};
    static const double none[][MOST] = {{0, 0, 0}};
    same_analysis(independent, 3, 3,
                  "condition 2.269, errors 0.5997 0.364 0.3155, correlations 1 -0.4658 -0.6289 "
                  "-0.4658 1 0.4239 -0.6289 0.4239 1\n"
                  "host.memory.copy ends at its upper bound\n"
                  "the search ended before it had settled; the values are the best it had seen\n");
    same_analysis(parallel, 3, 3,
                  "condition inf, errors inf inf inf, correlations\n"
                  "host.memory.copy ends at its upper bound\n"
                  "lam.request and host.memory.copy can't be told apart: 1 % more of the one and "
                  "0.5 % more of the other leave every target where it is\n"
                  "the search ended before it had settled; the values are the best it had seen\n");
    same_analysis(
        near, 3, 3,
        "condition 22.27, errors 11.16 11.11 0.2, correlations 1 -0.996 0 -0.996 1 0 0 0 1\n"
        "host.memory.copy ends at its upper bound\n"
        "lam.request and host.memory.copy can't be told apart: 1 % more of the one and 1 % less of "
        "the other leave every target where it is\n"
        "the search ended before it had settled; the values are the best it had seen\n");
    same_analysis(
        no_effect, 2, 3,
        "condition 2.414, errors 1 inf 0.4714, correlations 1 0 -0.7071 0 1 0 -0.7071 0 1\n"
        "host.memory.copy changes none of the targets near its value\n"
        "host.memory.copy ends at its upper bound\n"
        "the search ended before it had settled; the values are the best it had seen\n");
    same_analysis(
        combination, 3, 3,
        "condition 2.828e+05, errors 1e+05 1e+05 1e+05, correlations 1 1 -1 1 1 -1 -1 -1 1\n"
        "host.memory.copy ends at its upper bound\n"
        "only a combination of these is determined, not each: lam.request (-0.50), "
        "host.memory.copy (-0.50), lam.call (+0.71)\n"
        "the search ended before it had settled; the values are the best it had seen\n");
    same_analysis(none, 1, 2,
                  "condition inf, errors inf inf, correlations\n"
                  "lam.request changes none of the targets near its value\n"
                  "host.memory.copy changes none of the targets near its value\n"
                  "host.memory.copy ends at its upper bound\n"
                  "the search ended before it had settled; the values are the best it had seen\n");
}

static void test_bounds(void)
{
    struct made_fit made;
    make_fit(&made, 2, independent, 2);
    static const struct {
        double value, start;
        const char *note;
    } samples[] = {
        {10, 50, NULL}, // it started there,    {109, 50, NULL},
        {109, 5000, "lam.request ends at its lower bound"},
        {110, 5000, NULL},
        {99901, 50, "lam.request ends at its upper bound"},
        {99900, 50, NULL},
    };
    made.parameters[1].hi = 1000;
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        made.fit.values[0] = samples[i].value;
        made.parameters[0].start = samples[i].start;
        made.fit.converged = true;
        struct analysis *analysis = analysis_new(&made.fit, &made.evaluation);
        const char *first = note_at(analysis, 0);
        SUITE_SAME_TEXT(strcmp(first, REFUTED) == 0 ? NULL : first, samples[i].note);
        analysis_free(analysis);
    }
    clear_fit(&made);
}

static void test_overlay(void)
{
    struct made_fit made;
    make_fit(&made, 3, independent, 3);
    char *text = overlay_text(&made.fit, &made.evaluation, "netsim calibrate \"x\\y\"");
    SUITE_SAME_TEXT(
        text,
        "# Fitted; made by the command below, which gives the same values again. Do not edit.\n"
        "#\n"
        "#     netsim calibrate \"x\\y\"\n"
        "#\n"
        "# A, latency_us at 1 B: 10, simulated 11\n"
        "# B, b_MB_per_s at 4 B: 3, simulated 3.06\n"
        "# A below B below C, latency_us at 1..4 B: off by 2.07 tolerances\n"
        "# A crosses B, latency_us at 2 B: off by 26.9 tolerances\n"
        "# B crosses A, latency_us at 1..4 B: off by 20 tolerances\n"
        "# A above B, latency_us at 1..4 B: 0.05, simulated 0.175\n"
        "schema: 1\n"
        "lam:\n"
        "  request: {value: 13700 cycles, source: \"fitted: x.one, A below B below C, latency_us "
        "at 1..4 B, A crosses B, latency_us at 2 B, B crosses A, latency_us at 1..4 B, A above B, "
        "latency_us at 1..4 B\"}\n"
        "  call: {value: 2 us, source: \"fitted: x.one, A below B below C, latency_us at 1..4 B, A "
        "crosses B, latency_us at 2 B, B crosses A, latency_us at 1..4 B, A above B, latency_us at "
        "1..4 B\"}\n"
        "host:\n"
        "  memory:\n"
        "    copy: {value: 99.99, source: \"fitted: x.one, A below B below C, latency_us at 1..4 "
        "B, A crosses B, latency_us at 2 B, B crosses A, latency_us at 1..4 B, A above B, "
        "latency_us at 1..4 B\"}\n");
    char *path = temporary_file(directory, "o.yaml", text);
    struct diag_list *diags = diag_list_new();
    GPtrArray *lines = overlay_differences(path, &made.fit, &made.evaluation, diags);
    SUITE_SAME_INTEGER(lines->len, 0);
    g_ptr_array_unref(lines);
    g_free(path);
    path = temporary_file(directory, "p.yaml",
                          "lam: {request: 13700 cycles, call: 3 us}\nhost: {memory: 5}\n");
    lines = overlay_differences(path, &made.fit, &made.evaluation, diags);
    g_ptr_array_add(lines, NULL);
    char *joined = g_strjoinv("; ", (char **)lines->pdata);
    SUITE_SAME_TEXT(
        joined,
        "host.memory.copy: 99.99, and the file has none; lam.call: 2 us, and the file has 3 us");
    CU_ASSERT_PTR_NULL(overlay_differences("/nothing/here", &made.fit, &made.evaluation, diags));
    CU_ASSERT_TRUE(diag_any(diags));
    diag_list_free(diags);
    g_ptr_array_unref(lines);
    g_free(joined);
    g_free(path);
    g_free(text);
    clear_fit(&made);
}

// ---- Wrong targets ----

static void test_wrong(void)
{
    static const char *const samples[][2] = {
        {"[]",
         "/w.yaml:1:1: error: a file of targets is YAML: schema: 1, and a list of points and "
         "orders; or measured points as FILE.csv (a point: targets: [{series: VIA RPI, size: 1 "
         "B, value: 74 us, tolerance: 1 %}])\n"},
        {"{}", "/w.yaml:1:1: error: schema: must be given (write schema: 1)\n"
               "/w.yaml:1:1: error: targets: must be given (what the simulation shall meet)\n"},
        {"schema: 2\ntargets: []",
         "/w.yaml:1:9: error: schema: 2 is too large (the range is 1 .. 1)\n"
         "/w.yaml:2:10: error: targets: there is no target\n"},
        {"schema: 1\ntargets: 5",
         "/w.yaml:2:10: error: targets: a list of targets is expected here, not text\n"},
        {"schema: 1\ntargets: [5]",
         "/w.yaml:2:11: error: targets[0]: a target is expected here, not text\n"},
        {"schema: 1\ntargets: [{series: A}]",
         "/w.yaml:2:11: error: targets[0].value: must be given (what is expected)\n"
         "/w.yaml:2:11: error: targets[0].size: must be given (the message size)\n"},
        {"schema: 1\ntargets: [{size: 1 B, value: 1}]",
         "/w.yaml:2:11: error: targets[0]: the key series is missing\n"},
        {"schema: 1\ntargets: [{series: A, size: 1 B, value: 1 s}]",
         "/w.yaml:2:41: error: targets[0].value: 1 s: a number in us is expected\n"},
        {"schema: 1\ntargets: [{series: A, size: 2 B .. 1 B, value: 1}]",
         "/w.yaml:2:29: error: targets[0].size: a range goes upwards\n"},
        {"schema: 1\ntargets: [{series: A, size: 1 B, value: 1, weight: 0}]",
         "/w.yaml:2:52: error: targets[0].weight: a weight is above 0\n"},
        {"schema: 1\ntargets: [{series: A, size: 1 B, value: 1, tolerance: 0}]",
         "/w.yaml:2:55: error: targets[0].tolerance: 0: a tolerance above 0 is expected, with its "
         "percent sign or unit (write 2 %, or 2 us)\n"},
        {"schema: 1\ntargets: [{order: [A, B], over: 1 B, tolerance: 2}]",
         "/w.yaml:2:49: error: targets[0].tolerance: 2: a tolerance above 0 is expected, with its "
         "percent sign or unit (write 2 %)\n"},
        {"schema: 1\ntargets: [{order: [A], over: 1 B}]",
         "/w.yaml:2:19: error: targets[0].order: two or more series are expected\n"},
        {"schema: 1\ntargets: [{order: [A, B]}]",
         "/w.yaml:2:11: error: targets[0].over: must be given (the sizes at which it holds)\n"},
        {"schema: 1\ntargets: [{order: [A, B], over: 1 B, value: 3}]",
         "/w.yaml:2:38: error: targets[0]: value does not go with order (a target is a point "
         "(series, size, value), an order (order, over), a crossover (crossover, at) or a gain "
         "(gain, sizes, value))\n"},
        {"schema: 1\ntargets: [{crossover: [A, B, C], at: 1 B}]",
         "/w.yaml:2:23: error: targets[0].crossover: two series are expected\n"},
        {"schema: 1\ntargets: [{crossover: [A, B]}]",
         "/w.yaml:2:11: error: targets[0].at: must be given (where they cross)\n"},
        {"schema: 1\ntargets: [{gain: [A, B], value: 1 %}]",
         "/w.yaml:2:11: error: targets[0].sizes: must be given (the sizes that the mean is of)\n"},
        {"schema: 1\ntargets: [{gain: [A, B], value: 1 %, sizes: []}]",
         "/w.yaml:2:45: error: targets[0].sizes: a gain needs a size\n"},
        {"schema: 1\ntargets: [{gain: [A, B], value: 1 us, sizes: [1 B]}]",
         "/w.yaml:2:33: error: targets[0].value: 1 us: a number is expected\n"},
        {"schema: 1\ntargets: [{gain: [A, B], value: 1 %, sizes: [1 us]}]",
         "/w.yaml:2:46: error: targets[0].sizes: 1 us: us is the unit of a duration (a size is "
         "written with B, kB, MB, GB, KiB, MiB, GiB)\n"},
        {"schema: 1\ntargets: [{series: A, size: 1 B, value: 1}, {series: B, size: 8, value: 1}]",
         ""},
    };
    char *folder = temporary_directory();
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct diag_list *diags = diag_list_new();
        char *path = temporary_file(folder, "w.yaml", samples[i][0]);
        struct target_list *list = target_list_load(path, NULL, diags);
        char *complaints = fake_complaints(diags);
        char **parts = g_strsplit(complaints, folder, -1), *plain = g_strjoinv("", parts);
        SUITE_SAME_TEXT(plain, samples[i][1]);
        CU_ASSERT_EQUAL(list == NULL, *complaints != '\0');
        target_list_free(list);
        g_free(plain);
        g_strfreev(parts);
        g_free(complaints);
        g_free(path);
        diag_list_free(diags);
    }
    temporary_remove(folder);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"targets", test_targets},
        {"what a document lacks", test_lacking},
        {"tables", test_print},
        {"JSON", test_json},
        {"what is determined", test_analysis},
        {"bounds", test_bounds},
        {"the overlay", test_overlay},
        {"wrong targets", test_wrong},
        {0},
    };
    return suite_run("calibrate: report", cases);
}
