// SPDX-License-Identifier: GPL-3.0-or-later
// Priors: each form is read, refused and drawn; the quantiles are those of the closed forms; every
// default of the models has a prior that holds it.
#include "sim/config/prior.h"
#include "sim/config/quantity.h"
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "tests/support/suite.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

struct uncertain {
    struct cost work;
    sim_time delay;
    int64_t rate, count;
    double share, ratio;
    int choice;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct param rows[] = {
    PARAM(struct uncertain, work, PARAM_COST, .fallback = "1000 cycles", .source = "prior: guess"),
    PARAM(struct uncertain, delay, PARAM_DURATION, .fallback = "2 us", .source = "data sheet"),
    PARAM(struct uncertain, rate, PARAM_BYTE_RATE, .fallback = "100 MB/s",
          .source = "assumed: alike", .prior = "80 MB/s .. 200 MB/s"),
    PARAM(struct uncertain, count, PARAM_COUNT, .fallback = "8", .least = "4", .most = "16",
          .source = "prior: code"),
    PARAM(struct uncertain, share, PARAM_PROBABILITY, .fallback = "0.5",
          .source = "prior: a guess"),
    PARAM(struct uncertain, ratio, PARAM_REAL, .fallback = "1", .source = "prior: points",
          .prior = "within 1.1", .with = "p.work"),
    PARAM(struct uncertain, choice, PARAM_CHOICE, .fallback = "red", .choices = colours,
          .source = "prior: first release", .prior = "or green: 0.2, blue"),
    {0}};

static const struct param_table table = PARAM_TABLE(struct uncertain, rows, .name = "uncertain");

static struct param_values *read_map(const char *yaml, char **complaints)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = node_parse(yaml, strlen(yaml), "t.yaml", NULL, diags);
    struct param_values *values = param_read(&table, map, "p", diags);
    *complaints =
        diag_any(diags) ? g_strdup(((const struct diag *)diags->items->pdata[0])->message) : NULL;
    node_free(map);
    diag_list_free(diags);
    return values;
}

static void expect_quantile(const struct prior *prior, double u, const char *text)
{
    char *value = prior_quantile(prior, u);
    SUITE_SAME_TEXT(value ? value : "(the value)", text);
    g_free(value);
}

static struct prior prior_named(const struct param_values *values, const char *name)
{
    struct prior prior = {0};
    CU_ASSERT(prior_of(values, param_index(&table, name), &prior));
    return prior;
}

// The value is the median, and the ends of the range are the quantiles of 2.5 and 97.5 %.
static void test_quantiles(void)
{
    char *complaint;
    struct param_values *values = read_map("{}", &complaint);
    CU_ASSERT_PTR_NULL(complaint);
    struct prior prior = prior_named(values, "work");
    expect_quantile(&prior, 0.5, "1000 cycles");
    expect_quantile(&prior, 0.025, "500 cycles");
    expect_quantile(&prior, 0.975, "2000 cycles");
    prior = prior_named(values, "rate"); // either side has its own width
    expect_quantile(&prior, 0.5, "100 MB/s");
    expect_quantile(&prior, 0.025, "80 MB/s");
    expect_quantile(&prior, 0.975, "200 MB/s");
    prior = prior_named(values, "share"); // odds within 1.3 of 1
    expect_quantile(&prior, 0.5, "0.5");
    char *high = prior_quantile(&prior, 0.975);
    CU_ASSERT_DOUBLE_EQUAL(g_ascii_strtod(high, NULL), 1.3 / 2.3, 1e-9);
    g_free(high);
    param_values_free(values);
}

// Of a log-normal, ln of the quantile is linear in that of the normal.
static void test_log_normal(void)
{
    struct prior prior;
    char *fault;
    int64_t value = INT64_C(1000000000);
    struct param rate = {.name = "rate", .kind = PARAM_BYTE_RATE};
    CU_ASSERT_FATAL(prior_parse("within 1.5", &rate, &value, &prior, &fault));
    for (int i = 1; i < 40; i++) {
        double u = i / 40.0;
        double expected =
            1e9 * exp(log(1.5) * gsl_cdf_ugaussian_Pinv(u) / gsl_cdf_ugaussian_Qinv(0.025));
        char *text = prior_quantile(&prior, u);
        struct quantity drawn;
        char *error, *hint;
        CU_ASSERT_FATAL(quantity_parse(text, QUANTITY_BYTE_RATE, &drawn, &error, &hint));
        CU_ASSERT_DOUBLE_EQUAL((double)drawn.integer, expected, 0.5 + 1e-6);
        g_free(text);
    }
}

// A value that may be anywhere is uniform between the ends, wherever it lies itself.
static void test_anywhere(void)
{
    char *complaint;
    struct param_values *values =
        read_map("{delay: {value: 0 s, anywhere: 0 s .. 125 us, source: phase},"
                 " work: {value: 0 cycles, anywhere: 0 cycles .. 400 cycles, source: phase},"
                 " share: {value: 1, anywhere: 0 .. 1, source: phase}}",
                 &complaint);
    CU_ASSERT_PTR_NULL(complaint);
    struct prior prior = prior_named(values, "delay");
    CU_ASSERT(prior.uniform);
    SUITE_SAME_TEXT(prior.text, "anywhere 0 s .. 125 us");
    expect_quantile(&prior, 0.2, "25 us");
    expect_quantile(&prior, 0.996, "124.5 us");
    int64_t field;
    prior_put(&prior, 0.5, &field);
    SUITE_SAME_INTEGER(field, 62500000);
    prior = prior_named(values, "work");
    expect_quantile(&prior, 0.25, "100 cycles");
    prior = prior_named(values, "share");
    expect_quantile(&prior, 0.625, "0.625");
    param_values_free(values);
}

// Counts are drawn as whole numbers; a value with a unit has its probability in quotes.
static void test_counts_and_units(void)
{
    char *complaint;
    struct param_values *values = read_map(
        "{count: {value: 8, range: 5 .. 14, source: \"prior: guess\"}, delay: {value: 2 us, "
        "or: [\"4 us: 0.25\"], source: \"prior: guess\"}}",
        &complaint);
    CU_ASSERT_PTR_NULL(complaint);
    struct prior prior = prior_named(values, "count");
    expect_quantile(&prior, 0.025, "5");
    expect_quantile(&prior, 0.25, "7");
    expect_quantile(&prior, 0.975, "14");
    prior = prior_named(values, "delay");
    expect_quantile(&prior, 0.74, "(the value)");
    expect_quantile(&prior, 0.76, "4 us");
    prior_clear(&prior);
    param_values_free(values);
}

// A draw is within what the parameter takes.
static void test_clamped(void)
{
    char *complaint;
    struct param_values *values =
        read_map("{count: {value: 15, within: 2, source: \"prior: guess\"}}", &complaint);
    CU_ASSERT_PTR_NULL(complaint);
    struct prior prior = prior_named(values, "count");
    expect_quantile(&prior, 0.9, "16");
    expect_quantile(&prior, 0.000001, "4");
    param_values_free(values);
}

static void test_others(void)
{
    char *complaint;
    struct param_values *values = read_map("{}", &complaint);
    struct prior prior = prior_named(values, "choice"); // red 0.4, green 0.2, blue 0.4
    static const struct {
        double u;
        const char *text;
    } cases[] = {{0.01, "(the value)"}, {0.39, "(the value)"}, {0.41, "green"},
                 {0.59, "green"},       {0.61, "blue"},        {0.99, "blue"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        expect_quantile(&prior, cases[i].u, cases[i].text);
    prior_clear(&prior);
    param_values_free(values);
    values =
        read_map("{choice: {value: blue, or: [red, green], source: \"prior: none\"}}", &complaint);
    CU_ASSERT_PTR_NULL(complaint);
    prior = prior_named(values, "choice");
    expect_quantile(&prior, 0.3, "(the value)");
    expect_quantile(&prior, 0.5, "red");
    expect_quantile(&prior, 0.9, "green");
    prior_clear(&prior);
    param_values_free(values);
}

// In a table of a device the instructions of its driver are instructions, and time is the device's.
static void test_usual_of_a_device(void)
{
    struct param_table card = table;
    card.prior_kind = PRIOR_DEVICE;
    static const struct {
        const char *yaml, *usual;
    } cases[] = {{"{}", "instructions"},
                 {"{work: {value: 3 us, source: \"assumed: a card\"}}", "a device"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct diag_list *diags = diag_list_new();
        struct node *map = node_parse(cases[i].yaml, strlen(cases[i].yaml), "t.yaml", NULL, diags);
        struct param_values *values = param_read(&card, map, "p", diags);
        struct prior prior = prior_named(values, "work");
        SUITE_SAME_TEXT(prior.usual->name, cases[i].usual);
        param_values_free(values);
        node_free(map);
        diag_list_free(diags);
    }
}

// Which values have a prior, and which kind is usual where none is given.
static void test_usual(void)
{
    static const struct {
        const char *yaml, *name, *usual; // NULL: no prior; "": given
    } cases[] = {
        {"{}", "work", "instructions"},
        {"{}", "delay", NULL}, // stated
        {"{}", "rate", ""},
        {"{}", "count", NULL}, // a count of the code
        {"{}", "ratio", ""},
        {"{work: 900 cycles}", "work", NULL}, // set by a user
        {"{work: {value: 3 us, source: \"assumed: a card\"}}", "work", "instructions"},
        {"{work: {value: 3 us, source: \"measured\"}}", "work", NULL},
        {"{work: {value: 3 us, source: \"measured\", within: 1.1}}", "work", ""},
        {"{work: {value: 0, source: \"prior: nothing\"}}", "work", NULL},
        {"{share: {value: 1, source: \"prior: always\"}}", "share", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *complaint;
        struct prior prior = {0};
        struct param_values *values = read_map(cases[i].yaml, &complaint);
        CU_ASSERT_PTR_NULL(complaint);
        bool found = prior_of(values, param_index(&table, cases[i].name), &prior);
        CU_ASSERT_EQUAL(found, cases[i].usual != NULL);
        if (found)
            SUITE_SAME_TEXT(prior.usual ? prior.usual->name : "", cases[i].usual);
        prior_clear(&prior);
        param_values_free(values);
    }
}

static void test_refused(void)
{
    static const char *const cases[][2] = {
        {"{work: {value: 1000 cycles, range: 1100 cycles .. 2000 cycles, source: x}}",
         "the range does not hold the value"},
        {"{work: {value: 1000 cycles, range: 2000 cycles .. 500 cycles, source: x}}",
         "the range is empty: write the smaller value first"},
        {"{work: {value: 1000 cycles, range: 1 us .. 2 us, source: x}}",
         "value and range are in different units, time and cycles"},
        {"{work: {value: 1000 cycles, range: 0 cycles .. 2000 cycles, source: x}}",
         "value and range are in different units, time and cycles"},
        {"{delay: {value: 2 us, range: 0 us .. 3 us, source: x}}",
         "a range is drawn on a logarithmic scale: its ends are above 0"},
        {"{delay: {value: 2 us, range: 3 us, source: x}}", "\"3 us\" is no range LOW .. HIGH"},
        {"{delay: {value: 2 us, range: 1 MB/s .. 3 us, source: x}}",
         "\"1 MB/s\": MB/s is the unit of a byte rate"},
        {"{share: {value: 0.5, range: 0.1 .. 1, source: x}}",
         "a range is drawn on a logarithmic scale: its ends are above 0 and below 1"},
        {"{delay: {value: 2 us, within: 1, source: x}}", "\"1\" is no factor above 1, at most 100"},
        {"{delay: {value: 2 us, within: -2, source: x}}",
         "\"-2\" is no factor above 1, at most 100"},
        {"{delay: {value: 2 us, within: 1.5 us, source: x}}",
         "\"1.5 us\" is no factor above 1, at most 100"},
        {"{delay: {value: 2 us, within: nan, source: x}}",
         "\"nan\" is no factor above 1, at most 100"},
        {"{delay: {value: 0 us, within: 2, source: x}}",
         "a range is drawn on a logarithmic scale: its ends are above 0"},
        {"{delay: {value: 2 us, within: 2, range: 1 us .. 3 us, source: x}}",
         "range, within, anywhere and or exclude each other"},
        {"{delay: {value: 2 us, anywhere: 1 us .. 3 us, within: 2, source: x}}",
         "range, within, anywhere and or exclude each other"},
        {"{delay: {value: 2 us, anywhere: 3 us .. 4 us, source: x}}",
         "the range does not hold the value"},
        {"{delay: {value: 2 us, anywhere: 3 us .. 1 us, source: x}}",
         "the range is empty: write the smaller value first"},
        {"{delay: {value: 2 us, anywhere: 3 us, source: x}}", "\"3 us\" is no range LOW .. HIGH"},
        {"{delay: {value: 2 us, anywhere: -1 us .. 3 us, source: x}}", "-1 us is too small"},
        {"{work: {value: 10 cycles, anywhere: 1 us .. 2 us, source: x}}",
         "value and range are in different units, time and cycles"},
        {"{choice: {value: red, anywhere: 0 .. 1, source: x}}",
         "only a number has a range; write or: [ANOTHER VALUE]"},
        {"{choice: {value: red, within: 2, source: x}}",
         "only a number has a range; write or: [ANOTHER VALUE]"},
        {"{choice: {value: red, or: [yellow], source: x}}", "unknown choice \"yellow\""},
        {"{choice: {value: red, or: [red, green], source: x}}",
         "\"red\" is the value itself: name others"},
        {"{choice: {value: red, or: [green, green], source: x}}", "\"green\" is named twice"},
        {"{delay: {value: 2 us, or: [2000 ns], source: x}}",
         "\"2000 ns\" is the value itself: name others"},
        {"{count: {value: 8, range: -4 .. 16, source: x}}", "-4 is too small"},
        {"{choice: {value: red, or: {green: 1}, source: x}}",
         "\"1\" is no probability between 0 and 1"},
        {"{choice: {value: red, or: {green: 0.6, blue: 0.4}, source: x}}",
         "the probabilities of the others leave nothing for the value"},
        {"{choice: {value: red, or: [], source: x}}", "the list of other values is empty"},
        {"{work: {value: 1000 cycles, wihtin: 2, source: x}}", "unknown key"},
        {"{work: {value: 1000 cycles, within: 2}}", "the key source is missing"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *complaint;
        struct param_values *values = read_map(cases[i][0], &complaint);
        SUITE_SAME_TEXT(complaint ? complaint : "(none)", cases[i][1]);
        g_free(complaint);
        param_values_free(values);
    }
}

// A prior that does not hold its default is found here.
static void test_tables(void)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    int found = 0;
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        struct diag_list *diags = diag_list_new();
        struct param_values *values =
            param_read_part(section->table, NULL, section->path, false, NULL, diags);
        CU_ASSERT_FALSE(diag_any(diags));
        if (diag_any(diags))
            diag_print(diags, stderr);
        for (int i = 0; section->table->params[i].name; i++) {
            struct prior prior;
            if (!prior_of(values, i, &prior))
                continue;
            found++;
            CU_ASSERT(prior.others || ((prior.low > 0 || prior.uniform) &&
                                       prior.low <= prior.value && prior.value <= prior.high));
            prior_clear(&prior);
        }
        param_values_free(values);
        diag_list_free(diags);
    }
    CU_ASSERT(found > 100);
    registry_schema_free(schema);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the value is the median, the range the central 95 %", test_quantiles},
        {"a factor is log-normal", test_log_normal},
        {"anywhere in a range", test_anywhere},
        {"counts, and alternatives with units", test_counts_and_units},
        {"draws stay in the legal range", test_clamped},
        {"other values by their probabilities", test_others},
        {"which values have one, and of which kind", test_usual},
        {"in the table of a device", test_usual_of_a_device},
        {"each fault is refused in words", test_refused},
        {"the priors of all tables hold their defaults", test_tables},
        {NULL, NULL},
    };
    return suite_run("config: priors", cases);
}
