// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter tables: every kind is read, refused, shown and described; values know where they came
// from.
#include "sim/config/param.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

// A table with one parameter of each kind.
struct all_kinds {
    int64_t count;
    double real, probability;
    sim_time duration;
    struct cost cost;
    int64_t size, bit_rate, byte_rate, frequency;
    bool flag;
    int choice;
    const char *text;
    struct param_counts counts;
    struct param_windows windows;
    const char *const *names;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct param kinds_params[] = {
    PARAM(struct all_kinds, count, PARAM_COUNT, .fallback = "3", .least = "-5", .most = "10",
          .doc = "a count", .source = "a data sheet"),
    PARAM(struct all_kinds, real, PARAM_REAL, .fallback = "0.5", .most = "2", .doc = "a real"),
    PARAM(struct all_kinds, probability, PARAM_PROBABILITY, .fallback = "0", .doc = "a chance"),
    PARAM(struct all_kinds, duration, PARAM_DURATION, .fallback = "2.5 us", .most = "1 s",
          .doc = "a time"),
    PARAM(struct all_kinds, cost, PARAM_COST, .fallback = "100 cycles", .doc = "a cost"),
    PARAM(struct all_kinds, size, PARAM_SIZE, .fallback = "64 KiB", .least = "1 B",
          .doc = "a size"),
    PARAM(struct all_kinds, bit_rate, PARAM_BIT_RATE, .fallback = "100 Mb/s", .doc = "bits"),
    PARAM(struct all_kinds, byte_rate, PARAM_BYTE_RATE, .fallback = "132 MB/s", .doc = "bytes"),
    PARAM(struct all_kinds, frequency, PARAM_FREQUENCY, .fallback = "33 MHz", .doc = "a clock"),
    PARAM(struct all_kinds, flag, PARAM_BOOL, .fallback = "true", .doc = "a flag"),
    PARAM(struct all_kinds, choice, PARAM_CHOICE, .fallback = "green", .choices = colours,
          .doc = "a choice"),
    PARAM(struct all_kinds, text, PARAM_STRING, .fallback = "hello", .doc = "a text"),
    PARAM(struct all_kinds, counts, PARAM_COUNTS, .fallback = "[1, 2]", .most = "100",
          .doc = "counts"),
    PARAM(struct all_kinds, windows, PARAM_WINDOWS, .fallback = "[]", .doc = "spans"),
    PARAM(struct all_kinds, names, PARAM_NAMES, .fallback = "[]", .doc = "names"),
    {0}};

static const struct param_table kinds =
    PARAM_TABLE(struct all_kinds, kinds_params, .name = "kinds", .doc = "one of each");

// Reads a table from YAML text (NULL: no map); *complaints is the text of its diagnostics.
static struct param_values *read_text(const struct param_table *table, const char *text,
                                      char **complaints)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = text ? node_parse(text, strlen(text), "t.yaml", NULL, diags) : NULL;
    struct param_values *values = param_read(table, map, "p", diags);
    *complaints = fake_complaints(diags);
    node_free(map);
    diag_list_free(diags);
    return values;
}

static struct param_values *read_good(const struct param_table *table, const char *text)
{
    char *complaints;
    struct param_values *values = read_text(table, text, &complaints);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    return values;
}

static void expect_complaint(const struct param_table *table, const char *text, const char *part)
{
    char *complaints;
    struct param_values *values = read_text(table, text, &complaints);
    SUITE_CONTAINS(complaints, part);
    CU_ASSERT_PTR_NOT_NULL(values);
    param_values_free(values);
    g_free(complaints);
}

static void test_defaults(void)
{
    struct param_values *values = read_good(&kinds, NULL);
    const struct all_kinds *all = values->values;
    SUITE_SAME_INTEGER(all->count, 3);
    CU_ASSERT_EQUAL(all->real, 0.5);
    CU_ASSERT_EQUAL(all->probability, 0);
    SUITE_SAME_INTEGER(all->duration, 2500000);
    SUITE_SAME_INTEGER(all->cost.cycles, 100);
    SUITE_SAME_INTEGER(all->cost.time, 0);
    SUITE_SAME_INTEGER(all->size, 65536);
    SUITE_SAME_INTEGER(all->bit_rate, 100000000);
    SUITE_SAME_INTEGER(all->byte_rate, 132000000);
    SUITE_SAME_INTEGER(all->frequency, 33000000);
    CU_ASSERT(all->flag);
    SUITE_SAME_INTEGER(all->choice, 1);
    SUITE_SAME_TEXT(all->text, "hello");
    SUITE_SAME_INTEGER(all->counts.count, 2);
    SUITE_SAME_INTEGER(all->windows.count, 0);
    CU_ASSERT(all->names && !all->names[0]);
    SUITE_SAME_TEXT(values->origins[0].file, "default");
    SUITE_SAME_TEXT(values->sources[0], "a data sheet");
    SUITE_SAME_TEXT(values->path, "p");
    param_values_free(values);
}

static void test_percentages(void)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1%", 0.01}, {"0.5 %", 0.005}, {"100 %", 1}, {"'25 %'", 0.25}, {"0%", 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strdup_printf("{probability: %s}", cases[i].text);
        struct param_values *values = read_good(&kinds, text);
        CU_ASSERT_EQUAL(((const struct all_kinds *)values->values)->probability, cases[i].value);
        param_values_free(values);
        g_free(text);
    }
}

static void test_given(void)
{
    struct param_values *values = read_good(
        &kinds, "{count: -5, real: 1.25, probability: 1, duration: 3 ms, cost: 2 us, size: 1 B,\n"
                "bit_rate: 0, byte_rate: 1 GB/s, frequency: 1.2 GHz, flag: false, choice: blue,\n"
                "text: '12', counts: [17, 3, 5], windows: [{from: 5 ms, to: never}, {from: 0, to: "
                "1 ms}],\nnames: [a, b]}");
    const struct all_kinds *all = values->values;
    SUITE_SAME_INTEGER(all->count, -5);
    CU_ASSERT_EQUAL(all->real, 1.25);
    CU_ASSERT_EQUAL(all->probability, 1);
    SUITE_SAME_INTEGER(all->duration, 3000000000);
    SUITE_SAME_INTEGER(all->cost.time, 2000000);
    SUITE_SAME_INTEGER(all->cost.cycles, 0);
    SUITE_SAME_INTEGER(all->size, 1);
    SUITE_SAME_INTEGER(all->bit_rate, 0);
    CU_ASSERT_FALSE(all->flag);
    SUITE_SAME_INTEGER(all->choice, 2);
    SUITE_SAME_TEXT(all->text, "12");
    SUITE_SAME_INTEGER(all->counts.count, 3);
    SUITE_SAME_INTEGER(all->counts.values[0], 3);
    SUITE_SAME_INTEGER(all->counts.values[2], 17);
    SUITE_SAME_INTEGER(all->windows.count, 2);
    SUITE_SAME_INTEGER(all->windows.values[0].to, 1000000000);
    SUITE_SAME_INTEGER(all->windows.values[1].from, 5000000000);
    CU_ASSERT_EQUAL(all->windows.values[1].to, TIME_NEVER);
    char *spans = param_value_text(values, &kinds.params[param_index(&kinds, "windows")]);
    SUITE_SAME_TEXT(spans, "[{from: 0 s, to: 1 ms}, {from: 5 ms, to: never}]");
    g_free(spans);
    SUITE_SAME_TEXT(all->names[1], "b");
    int flag = param_index(&kinds, "flag");
    SUITE_SAME_INTEGER(values->origins[flag].line, 2);
    SUITE_SAME_INTEGER(values->origins[flag].column, 59);
    SUITE_SAME_TEXT(values->sources[flag], NULL);
    param_values_free(values);
    values = read_good(&kinds, "{counts: 7, windows: {from: 1 s, to: 2 s}, names: x, cost: 0}");
    all = values->values;
    SUITE_SAME_INTEGER(all->counts.values[0], 7);
    SUITE_SAME_INTEGER(all->windows.count, 1);
    SUITE_SAME_TEXT(all->names[0], "x");
    param_values_free(values);
}

// The text of a value reads back to the same value.
static void test_text(void)
{
    struct param_values *values = read_good(
        &kinds, "{count: 4, real: 0.1, probability: 0.001, duration: 1500 ns, cost: 33 cycles, "
                "size: 4096 B, bit_rate: 1.28 Gb/s, byte_rate: 500 MB/s, frequency: 133 MHz, flag: "
                "false, choice: red, text: some words, counts: [1, 9], windows: [{from: 1 ms, to: "
                "2 ms}, {from: 3 ms, to: 1 s}], names: [a, b0..3]}");
    static const char *const texts[] = {
        "4",         "0.1",
        "0.001",     "1.5 us",
        "33 cycles", "4 KiB",
        "1280 Mb/s", "500 MB/s",
        "133 MHz",   "false",
        "red",       "some words",
        "[1, 9]",    "[{from: 1 ms, to: 2 ms}, {from: 3 ms, to: 1 s}]",
        "[a, b0..3]"};
    GString *again = g_string_new(NULL);
    for (size_t i = 0; kinds.params[i].name; i++) {
        char *text = param_value_text(values, &kinds.params[i]);
        SUITE_SAME_TEXT(text, texts[i]);
        g_string_append_printf(again, "%s: %s\n", kinds.params[i].name, text);
        g_free(text);
    }
    struct param_values *reread = read_good(&kinds, again->str);
    json_t *a = param_values_json(values), *b = param_values_json(reread);
    const char *name;
    json_t *entry;
    json_object_foreach(a, name, entry)
    {
        CU_ASSERT(json_equal(json_object_get(entry, "value"),
                             json_object_get(json_object_get(b, name), "value")));
    }
    json_decref(a);
    json_decref(b);
    g_string_free(again, TRUE);
    param_values_free(values);
    param_values_free(reread);
}

static void test_refused(void)
{
    static const struct {
        const char *text, *part;
    } bads[] = {
        {"{cuont: 1}", "t.yaml:1:2: error: p.cuont: unknown key (did you mean count?)"},
        {"[1]", "t.yaml:1:1: error: p: a map of parameters is expected here, not a list"},
        {"just text", "a map of parameters is expected here, not text"},
        {"{count: 11}", "t.yaml:1:9: error: p.count: 11 is too large (the range is -5 .. 10)"},
        {"{count: -6}", "-6 is too small (the range is -5 .. 10)"},
        {"{count: 1.5}", "\"1.5\": not a whole number"},
        {"{count: 1 KiB}", "KiB is the unit of a size (a whole number without a unit is expected)"},
        {"{count: '1'}",
         "a whole number is expected here, not text in quotes (write it without quotes)"},
        {"{count: [1]}", "a whole number is expected here, not a list"},
        {"{count: }", "t.yaml:1:9: error: p.count: a whole number is expected here, not nothing"},
        {"{real: -0.5}", "-0.5 is too small (the range is 0 .. 2)"},
        {"{real: x}", "a number is expected"},
        {"{probability: 1.01}", "1.01 is too large (the range is 0 .. 1)"},
        {"{probability: 101 %}", "1.01 is too large (the range is 0 .. 1)"},
        {"{probability: -1%}", "-0.01 is too small"},
        {"{probability: '%'}", "a number is expected"},
        {"{probability: 1 %%}", "\"%%\" behind the number is not understood"},
        {"{real: 1 %}", "\"%\" behind the number is not understood"},
        {"{duration: 2 s}", "2 s is too large (the range is 0 .. 1 s)"},
        {"{duration: -2 ns}", "-2 ns is too small"},
        {"{duration: 5}", "missing unit (write for example 5 us"},
        {"{cost: 5}", "missing unit"},
        {"{cost: -5 cycles}", "-5 cycles is too small (the range is 0 .. 36000000000000 cycles)"},
        {"{cost: 36000000000001 cycles}",
         "t.yaml:1:8: error: p.cost: 36000000000001 cycles is too large (the range is 0 .. "},
        {"{cost: 601 min}", "601 min is too large (the range is 0 .. 600 min)"},
        {"{cost: 0.5 cycles}", "not a whole number of cycles"},
        {"{size: 0}", "0 B is too small (the range is 1 B .. 1024 GiB)"},
        {"{size: -1 KiB}", "-1 KiB is too small"},
        {"{size: 1025 GiB}", "1025 GiB is too large (the range is 1 B .. 1024 GiB)"},
        {"{size: {a: 1}}", "a size is expected here, not a map"},
        {"{bit_rate: 12.5 MB/s}", "MB/s is the unit of a byte rate"},
        {"{flag: yes}", "true or false is expected here, not \"yes\" (write true)"},
        {"{flag: Off}", "(write false)"},
        {"{flag: 'true'}", "not \"true\""},
        {"{flag: flase}", "(write false)"},
        {"{choice: gren}",
         "t.yaml:1:10: error: p.choice: unknown choice \"gren\" (did you mean green?)"},
        {"{choice: purple}", "known: red, green, blue"},
        {"{text: [a]}", "a text is expected here, not a list"},
        {"{counts: [1, x]}", "t.yaml:1:14: error: p.counts[1]: \"x\": a whole number is expected"},
        {"{counts: [1, 2, 1]}", "1 stands twice in the list"},
        {"{counts: [101]}", "p.counts[0]: 101 is too large"},
        {"{windows: [{from: 1 ms}]}", "p.windows[0]: the key to is missing"},
        {"{windows: [{from: never, to: 1 ms}]}", "p.windows[0].from: "},
        {"{windows: [{from: 1 ms, to: never}, {from: 2 ms, to: 4 ms}]}",
         "two of the time spans overlap"},
        {"{windows: [{from: 2 ms, to: 1 ms}]}", "it ends before it starts"},
        {"{windows: [{from: 1 ms, to: 3 ms}, {from: 2 ms, to: 4 ms}]}",
         "two of the time spans overlap"},
        {"{windows: [{from: 1 ms, til: 3 ms}]}", "p.windows[0].til: unknown key"},
        {"{windows: [{from: -1 ms, to: 3 ms}]}", "p.windows[0].from: a time is not negative"},
        {"{windows: [{from: 1, to: 3 ms}]}",
         "t.yaml:1:19: error: p.windows[0].from: \"1\": missing unit"},
        {"{windows: 5}", "{from: TIME, to: TIME} is expected here, not text"},
        {"{names: [a, [b]]}", "p.names[1]: a name is expected here, not a list"},
        {"{size: {value: 5 KiB}}", "p.size: the key source is missing"},
        {"{size: {value: 5 KiB, sourc: x}}", "p.size.sourc: unknown key (did you mean source?)"},
        {"{size: {value: 5, source: x}}", "p.size: \"5\": missing unit"},
        {"{size: {value: 5 KiB, source: [x]}}", "the source as text is expected here, not a list"},
        {"{counts: {value: [1, 1], source: x}}", "1 stands twice"},
        {"{size: {value: 5 KiB, chosen_for: a.b}}", "p.size: the key source is missing"},
        {"{size: {value: 5 KiB, source: x, chosen_for: [{a: b}]}}",
         "the id of a claim is expected here, not a map"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++)
        expect_complaint(&kinds, bads[i].text, bads[i].part);
}

// Where reading fails the default stands.
static void test_default_after_failure(void)
{
    char *complaints;
    struct param_values *values =
        read_text(&kinds, "{size: x, text: [], names: [[]], counts: [1, 1]}", &complaints);
    const struct all_kinds *all = values->values;
    SUITE_SAME_INTEGER(all->size, 65536);
    SUITE_SAME_TEXT(all->text, "hello");
    SUITE_SAME_INTEGER(all->counts.count, 2);
    CU_ASSERT_PTR_NOT_NULL(all->names);
    param_values_free(values);
    g_free(complaints);
}

static void test_required(void)
{
    expect_complaint(&fake_gm_table, "{}",
                     "t.yaml:1:1: error: p.tokens: must be given (send tokens)");
    expect_complaint(&fake_gm_table, "{tokens: 0}", "0 is too small (the range is 1 .. 1000)");
    struct diag_list *diags = diag_list_new();
    bool good = false;
    struct param_values *values = param_read_part(&fake_gm_table, NULL, "p", false, &good, diags);
    CU_ASSERT(good && !diag_any(diags));
    json_t *json = param_values_json(values);
    CU_ASSERT(json_is_null(json_object_get(json_object_get(json, "tokens"), "value")));
    json_decref(json);
    param_values_free(values);
    diag_list_free(diags);
}

struct needy {
    int64_t first, second;
};

static int checks_of_needy;

static void check_needy(const void *values, const struct param_values *report)
{
    (void)values;
    (void)report;
    checks_of_needy++;
}

// A table's own check sees no values of which one is missing, wherever in the table that stands.
static void test_check_needs_all(void)
{
    static const struct param params[] = {
        PARAM(struct needy, first, PARAM_COUNT, .most = "9", .doc = "one"),
        PARAM(struct needy, second, PARAM_COUNT, .most = "9", .doc = "two"),
        {0}};
    static const struct param_table table = PARAM_TABLE(struct needy, params, .name = "needy",
                                                        .doc = "all of it", .check = check_needy);
    static const char *const parts[] = {"first: 2\n", "second: 2\n"};
    checks_of_needy = 0;
    expect_complaint(&table, parts[1], "p.first: must be given");
    expect_complaint(&table, parts[0], "p.second: must be given");
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) { // a part may lack some
        struct diag_list *diags = diag_list_new();
        struct node *map = node_parse(parts[i], strlen(parts[i]), "t.yaml", NULL, diags);
        param_values_free(param_read_part(&table, map, "p", false, NULL, diags));
        SUITE_SAME_INTEGER(diags->found, 0);
        node_free(map);
        diag_list_free(diags);
    }
    SUITE_SAME_INTEGER(checks_of_needy, 0);
    param_values_free(read_good(&table, "first: 1\nsecond: 2\n"));
    SUITE_SAME_INTEGER(checks_of_needy, 1);
}

// An error that spans parameters is reported where the parameter was given.
static void test_check(void)
{
    expect_complaint(&fake_rpi_table, "tiny: 8 KiB\nshort: 4 KiB\n",
                     "t.yaml:1:7: error: p.tiny: tiny is larger than short (4096 B) (make tiny "
                     "smaller or short larger)");
    expect_complaint(&fake_rpi_table, "short: 33 KiB\n",
                     "t.yaml:1:8: error: p.short: short is larger than half the area (a short "
                     "message must fit twice)");
    // The text is not a format.
    expect_complaint(&fake_rpi_table, "label: 5 %s of %d\n",
                     "t.yaml:1:8: error: p.label: a label without a per cent sign is expected: 5 "
                     "%s of %d");
    // If it is a default, where the value that does not go with it was given.
    expect_complaint(&fake_rpi_table, "area: 32 KiB\n",
                     "t.yaml:1:7: error: p.short: short is larger");
    // Not if a value could not be read in the first place.
    char *complaints;
    struct param_values *values = read_text(&fake_rpi_table, "{tiny: 1 MiB, area: x}", &complaints);
    CU_ASSERT_PTR_NULL(strstr(complaints, "larger"));
    param_values_free(values);
    g_free(complaints);
}

static void test_sources(void)
{
    struct param_values *values =
        read_good(&kinds, "{count: {value: 4, source: 'thesis, 6.2'}, size: 8 KiB}");
    json_t *json = param_values_json(values);
    json_t *expected = json_loads(
        "{\"value\": 4, \"origin\": \"t.yaml:1:17\", \"source\": \"thesis, 6.2\"}", 0, NULL);
    CU_ASSERT(json_equal(json_object_get(json, "count"), expected));
    json_decref(expected);
    expected = json_loads("{\"value\": \"8 KiB\", \"origin\": \"t.yaml:1:50\"}", 0, NULL);
    CU_ASSERT(json_equal(json_object_get(json, "size"), expected));
    json_decref(expected);
    json_decref(json);
    param_values_free(values);
}

// A value's `chosen_for` goes with it, and its default's with the default.
static void test_chosen_for(void)
{
    static const struct param chosen_params[] = {
        PARAM(struct all_kinds, count, PARAM_COUNT, .fallback = "3", .chosen_for = "a.b c.d"),
        PARAM(struct all_kinds, size, PARAM_SIZE, .fallback = "1 B"),
        {0},
    };
    static const struct param_table chosen = {
        .name = "chosen", .size = sizeof(struct all_kinds), .params = chosen_params};
    static const struct {
        const char *text, *count, *size;
    } cases[] = {
        {"{}", "[\"a.b\", \"c.d\"]", NULL},
        {"{count: 4}", NULL, NULL},
        {"{count: {value: 4, source: x}}", NULL, NULL},
        {"{count: {value: 4, source: x, chosen_for: e.f}}", "[\"e.f\"]", NULL},
        {"{size: {value: 4 B, source: x, chosen_for: [e.f, g.h]}}", "[\"a.b\", \"c.d\"]",
         "[\"e.f\", \"g.h\"]"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct param_values *values = read_good(&chosen, cases[i].text);
        json_t *json = param_values_json(values);
        const char *const names[] = {"count", "size"}, *const expected[] = {cases[i].count,
                                                                            cases[i].size};
        for (int k = 0; k < 2; k++) {
            json_t *found = json_object_get(json_object_get(json, names[k]), "chosen_for");
            json_t *wanted = expected[k] ? json_loads(expected[k], 0, NULL) : NULL;
            CU_ASSERT(wanted ? json_equal(found, wanted) : !found);
            json_decref(wanted);
        }
        json_decref(json);
        param_values_free(values);
    }
}

struct profiled {
    int profile;
    sim_time timeout;
    int64_t tries, buffer;
};
static const char *const profiles[] = {"plain", "patient", "hasty", NULL};
static const struct param profiled_rows[] = {
    PARAM(struct profiled, profile, PARAM_CHOICE, .fallback = "plain", .choices = profiles),
    PARAM(struct profiled, timeout, PARAM_DURATION, PARAM_BY_PROFILE("1 s", "3 s", "1 ms")),
    PARAM(struct profiled, tries, PARAM_COUNT, PARAM_BY_PROFILE("5", "9", "1")),
    PARAM(struct profiled, buffer, PARAM_SIZE, .fallback = "1 KiB"),
    {0}};
static const struct param_table profiled_table =
    PARAM_TABLE(struct profiled, profiled_rows, .name = "profiled", .doc = "of three profiles");

// The first parameter chooses the profile whose defaults the others have; a given value wins over
// every profile.
static void test_profiles(void)
{
    static const struct {
        const char *text;
        sim_time timeout;
        int64_t tries;
    } cases[] = {{NULL, TIME_S, 5},
                 {"{profile: plain}", TIME_S, 5},
                 {"{profile: patient}", 3 * TIME_S, 9},
                 {"{tries: 2, profile: patient}", 3 * TIME_S, 2},
                 {"{profile: hasty, timeout: 4 s}", 4 * TIME_S, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *complaints;
        struct param_values *values = read_text(&profiled_table, cases[i].text, &complaints);
        const struct profiled *read = values->values;
        SUITE_SAME_TEXT(complaints, "");
        SUITE_SAME_INTEGER(read->timeout, cases[i].timeout);
        SUITE_SAME_INTEGER(read->tries, cases[i].tries);
        SUITE_SAME_INTEGER(read->buffer, 1024);
        g_free(complaints);
        param_values_free(values);
    }
}

static void test_shared(void)
{
    struct param_values *values = read_good(&kinds, NULL);
    struct param_values *other = param_values_ref(values);
    param_values_free(values);
    SUITE_SAME_INTEGER(((const struct all_kinds *)other->values)->count, 3);
    param_values_free(other);
    param_values_free(NULL);
}

static void test_schema(void)
{
    json_t *schema = param_table_schema(&kinds);
    json_t *properties = json_object_get(schema, "properties");
    SUITE_SAME_INTEGER((long long)json_object_size(properties), 15);
    json_t *count = json_object_get(properties, "count");
    SUITE_SAME_TEXT(json_string_value(json_object_get(count, "description")),
                    "a count [a whole number; -5 .. 10; default from: a data sheet]");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(count, "default")), 3);
    char *text = json_dumps(json_object_get(properties, "choice"), JSON_COMPACT);
    SUITE_CONTAINS(text, "{\"enum\":[\"red\",\"green\",\"blue\"]}");
    free(text);
    json_decref(schema);
    SUITE_SAME_TEXT(param_kind_units(PARAM_SIZE), "B, kB, MB, GB, KiB, MiB, GiB");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"defaults", test_defaults},
        {"given values", test_given},
        {"percentages", test_percentages},
        {"values as text", test_text},
        {"bad values", test_refused},
        {"the default stands where reading fails", test_default_after_failure},
        {"parameters without a default", test_required},
        {"checks that span parameters", test_check},
        {"checks need all parameters", test_check_needs_all},
        {"sources", test_sources},
        {"what values were chosen for", test_chosen_for},
        {"defaults by profile", test_profiles},
        {"shared values", test_shared},
        {"JSON Schema of a table", test_schema},
        {0},
    };
    return suite_run("config: param", cases);
}
