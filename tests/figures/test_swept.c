// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of sweeps whose results are made up: the values along each axis, the values that are
// left out, and the notes about it.
#include "sim/figures/swept.h"
#include "tests/support/made_sweep.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>
#include <string.h>

// The document, or NULL and the message of the error, which the caller frees.
static json_t *chosen_of(const struct made_sweep *sweep, const struct choice_words *words,
                         bool together, char **message)
{
    GError *error = NULL;
    char *directory = temporary_directory(), *path = made_sweep(sweep, directory);
    struct choice *choice = choice_new(words, &error);
    json_t *document = choice ? swept_document(path, choice, together, &error) : NULL;
    if (document && (!choice_check(choice, &error) || !choice_finish(choice, document, &error)))
        g_clear_pointer(&document, json_decref);
    CU_ASSERT_EQUAL(!document, error != NULL);
    *message = error ? g_strdup(error->message) : NULL;
    g_clear_error(&error);
    choice_free(choice);
    g_free(path);
    temporary_remove(directory);
    return document;
}

static json_t *document_of(const struct made_sweep *sweep)
{
    char *message;
    json_t *document = chosen_of(sweep, &(struct choice_words){0}, false, &message);
    SUITE_SAME_TEXT(message, NULL);
    return document;
}

// A line for each panel, then one for each of its series, then the notes.
static void append_axis(GString *out, json_t *panel, const char *name)
{
    json_t *axis = json_object_get(panel, name);
    if (!axis)
        return;
    char *text = json_dumps(axis, 0);
    g_string_append_printf(out, " %s %s", name, text);
    free(text);
}

static void append_series(GString *out, json_t *series)
{
    static const char *const shown[] = {"points", "intervals", "failure", "failed_at"};
    g_string_append_printf(out, "  %s", json_string_value(json_object_get(series, "name")));
    if (json_object_get(series, "stack"))
        g_string_append_printf(out, " (%s)", json_string_value(json_object_get(series, "stack")));
    g_string_append_c(out, ':');
    for (size_t i = 0; i < G_N_ELEMENTS(shown); i++) {
        json_t *value = json_object_get(series, shown[i]);
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        if (value && strcmp(text, "null") != 0 && strcmp(text, "[]") != 0)
            g_string_append_printf(out, " %s", text);
        free(text);
    }
    g_string_append_c(out, '\n');
}

static char *text_of(json_t *document)
{
    GString *out = g_string_new(NULL);
    json_t *panel, *one;
    size_t i, k;
    g_string_append_printf(out, "%s, %s, lost %d\n",
                           json_string_value(json_object_get(document, "id")),
                           json_string_value(json_object_get(document, "title")),
                           (int)json_integer_value(json_object_get(document, "lost")));
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        g_string_append(out, json_string_value(json_object_get(panel, "kind")));
        if (json_object_get(panel, "title"))
            g_string_append_printf(out, " \"%s\"",
                                   json_string_value(json_object_get(panel, "title")));
        append_axis(out, panel, "x");
        append_axis(out, panel, "y");
        append_axis(out, panel, "value");
        g_string_append_c(out, '\n');
        json_array_foreach(json_object_get(panel, "series"), k, one)
        {
            append_series(out, one);
        }
    }
    json_array_foreach(json_object_get(document, "notes"), i, one)
    {
        g_string_append_printf(out, "note: %s\n", json_string_value(one));
    }
    json_decref(document);
    return g_strdelimit(g_string_free(out, FALSE), "\"", '\'');
}

static void expect(const struct made_sweep *sweep, const char *expected)
{
    char *text = text_of(document_of(sweep));
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// ---- One axis ----

static char *each_way(int point, int series)
{
    static const char *const first[] = {"completed; t_us:8=1.5 t_us:16=2 b_MB_per_s:8=3",
                                        "failed|overrun|it broke after 3 s; t_us:8=7",
                                        "failed|overrun|it broke after 4 s",
                                        "unbalanced|message 7; t_us:8=9",
                                        "missing",
                                        "impossible|no"};
    static const char *const second[] = {"completed; t_us:8=1", "completed; t_us:8=2",
                                         "deadlock|deadlock",   "completed; t_us:8=4",
                                         "completed; t_us:8=5", NULL};
    return g_strdup((series ? second : first)[point]);
}

// A line for each series and size, a panel for each metric; what failed is marked where it is, and
// each reason is noted once.
static void test_lines(void)
{
    static const struct made_sweep sweep = {
        .axes = {"link.rate=1 Mb/s|2 Mb/s|4 Mb/s|8 Mb/s|16 Mb/s|32 Mb/s", NULL},
        .series = {"A", "B", NULL},
        .result = each_way};
    expect(&sweep,
           "made, made, lost 1\n"
           "lines x {'label': 'link.rate', 'unit': 'Mb/s', 'scale': 'log', 'swept': true} y "
           "{'label': 't', 'unit': 'us', 'scale': 'linear'}\n"
           "  A, 8 B (A): [[1.0,1.5],[2.0,7.0],[4.0,null],[8.0,null],[16.0,null],[32.0,null]] "
           "[[2.0,'link.rate=2 Mb/s: failed: it broke after 3 s','failed'],[4.0,'link.rate=4 Mb/s: "
           "failed: it broke after 4 s','failed'],[8.0,'link.rate=8 Mb/s: lost: message "
           "7','lost'],[16.0,'link.rate=16 Mb/s: not run so far','missing'],[32.0,'link.rate=32 "
           "Mb/s: not possible: no','impossible']]\n"
           "  A, 16 B (A): [[1.0,2.0],[2.0,null],[4.0,null],[8.0,null],[16.0,null],[32.0,null]] "
           "[[2.0,'link.rate=2 Mb/s: failed: it broke after 3 s','failed'],[4.0,'link.rate=4 Mb/s: "
           "failed: it broke after 4 s','failed'],[8.0,'link.rate=8 Mb/s: lost: message "
           "7','lost'],[16.0,'link.rate=16 Mb/s: not run so far','missing'],[32.0,'link.rate=32 "
           "Mb/s: not possible: no','impossible']]\n"
           "  B, 8 B (B): [[1.0,1.0],[2.0,2.0],[4.0,null],[8.0,4.0],[16.0,5.0],[32.0,null]] "
           "[[4.0,'link.rate=4 Mb/s: deadlock: no reason was "
           "given','deadlock'],[32.0,'link.rate=32 Mb/s: not possible: no','impossible']]\n"
           "lines x {'label': 'link.rate', 'unit': 'Mb/s', 'scale': 'log', 'swept': true} y "
           "{'label': 'b', 'unit': 'MB/s', 'scale': 'linear'}\n"
           "  A (A): [[1.0,3.0],[2.0,null],[4.0,null],[8.0,null],[16.0,null],[32.0,null]] "
           "[[2.0,'link.rate=2 Mb/s: failed: it broke after 3 s','failed'],[4.0,'link.rate=4 Mb/s: "
           "failed: it broke after 4 s','failed'],[8.0,'link.rate=8 Mb/s: lost: message "
           "7','lost'],[16.0,'link.rate=16 Mb/s: not run so far','missing'],[32.0,'link.rate=32 "
           "Mb/s: not possible: no','impossible']]\n"
           "note: × A, link.rate=2 Mb/s: failed: it broke after 3 s (and 1 more for this reason)\n"
           "note: × B, link.rate=4 Mb/s: deadlock: no reason was given\n"
           "note: × A, link.rate=8 Mb/s: lost: message 7\n"
           "note: × A, link.rate=16 Mb/s: not run so far\n"
           "note: – A, link.rate=32 Mb/s: not possible: no\n"
           "note: – B, link.rate=32 Mb/s: not possible: no\n");
}

static char *by_seed(int point, int series)
{
    (void)series;
    return g_strdup_printf("completed; t_us@0=%d t_us@1=%d", point, 10 * point);
}

static char *seed_fails(int point, int series)
{
    static const char *const results[] = {"completed; t_us:1=0", "failed|overrun|why",
                                          "completed; t_us:1=2", "completed; t_us:1=1",
                                          "completed; t_us:1=1", "completed; t_us:1=7"};
    (void)series;
    return g_strdup(results[point]);
}

// Names are bars; a value is the mean of the seeds, with its interval, and notes name failed seeds;
// without values of all ranks each rank has a line. The last word of a long path is enough, unless
// another axis has the same.
static void test_seeds(void)
{
    static const struct made_sweep named = {
        .axes = {"a_rather_long_path.with_its.policy=lru|fifo", NULL},
        .seeds = 3,
        .series = {"A", NULL},
        .result = by_seed};
    static const struct made_sweep seeds = {
        .axes = {"m.one=x", NULL}, .seeds = 2, .series = {"A", NULL}, .result = by_seed};
    static const struct made_sweep alone = {
        .axes = {NULL}, .seeds = 2, .series = {"A", NULL}, .result = by_seed};
    static const struct made_sweep failing = {
        .axes = {"m.one=1|2", NULL}, .seeds = 3, .series = {"A", NULL}, .result = seed_fails};
    static const struct made_sweep drawn = {
        .axes = {"m.one=1|2", NULL}, .draws = 3, .series = {"A", NULL}, .result = by_seed};
    // 0, 1, 2 and 3, 4, 5, of type 7: 0.05 * 2 from each end.
    expect(&drawn, "made, made, lost 0\n"
                   "lines x {'label': 'm.one', 'unit': '', 'scale': 'linear', 'swept': true} y "
                   "{'label': 't', 'unit': 'us', 'scale': 'linear'}\n"
                   "  A, rank 0 (A): [[1.0,1.0],[2.0,4.0]] [[1.0,0.1,1.9,3],[2.0,3.1,4.9,3]]\n"
                   "  A, rank 1 (A): [[1.0,10.0],[2.0,40.0]] [[1.0,1.0,19.0,3],[2.0,31.0,49.0,3]]\n"
                   "note: median and 90 % of 3 draws\n");
    // 0, 1, 2 and 3, 4, 5: sd 1, and t of 2 degrees of freedom is 4.303; of 1 degree 12.706.
    expect(&named, "made, made, lost 0\n"
                   "bars x {'label': 'policy', 'unit': '', 'scale': 'linear', 'swept': true} y "
                   "{'label': 't', 'unit': 'us', 'scale': 'linear'}\n"
                   "  A, rank 0 (A): [['lru',1.0],['fifo',4.0]] "
                   "[['lru',-1.48414,3.48414,3],['fifo',1.51586,6.48414,3]]\n"
                   "  A, rank 1 (A): [['lru',10.0],['fifo',40.0]] "
                   "[['lru',-14.8414,34.8414,3],['fifo',15.1586,64.8414,3]]\n"
                   "note: policy is a_rather_long_path.with_its.policy\n"
                   "note: mean of 3 seeds with its 95 % confidence interval\n");
    expect(&seeds, "made, made, lost 0\n"
                   "bars x {'label': 'm.one', 'unit': '', 'scale': 'linear', 'swept': true} y "
                   "{'label': 't', 'unit': 'us', 'scale': 'linear'}\n"
                   "  A, rank 0 (A): [['x',0.5]] [['x',-5.8531,6.8531,2]]\n"
                   "  A, rank 1 (A): [['x',5.0]] [['x',-58.531,68.531,2]]\n"
                   "note: mean of 2 seeds with its 95 % confidence interval\n");
    expect(&alone, "made, made, lost 0\n"
                   "bars x {'label': 'seed', 'unit': '', 'scale': 'linear', 'swept': true} y "
                   "{'label': 't', 'unit': 'us', 'scale': 'linear'}\n"
                   "  A, rank 0 (A): [['2 seeds',0.5]] [['2 seeds',-5.8531,6.8531,2]]\n"
                   "  A, rank 1 (A): [['2 seeds',5.0]] [['2 seeds',-58.531,68.531,2]]\n"
                   "note: mean of 2 seeds with its 95 % confidence interval\n");
    expect(&failing, "made, made, lost 0\n"
                     "lines x {'label': 'm.one', 'unit': '', 'scale': 'linear', 'swept': true} y "
                     "{'label': 't', 'unit': 'us', 'scale': 'linear'}\n"
                     "  A (A): [[1.0,1.0],[2.0,3.0]] [[1.0,-11.7062,13.7062,2],"
                     "[2.0,-5.60531,11.6053,3]] "
                     "[[1.0,'m.one=1: 1 of 3 seeds failed: why','failed']]\n"
                     "note: mean of 3 seeds with its 95 % confidence interval\n"
                     "note: \u00d7 A, m.one=1: 1 of 3 seeds failed: why\n");
}

static char *constant(int point, int series)
{
    (void)point;
    (void)series;
    return g_strdup("completed; n=1");
}

// The unit of an axis's values, and whether they span so much that the axis is logarithmic.
static void test_units(void)
{
    static const char *const axes[][2] = {
        {"a.b=1|2", "{'label': 'a.b', 'unit': '', 'scale': 'linear', 'swept': true}"},
        {"a.b=1|8", "{'label': 'a.b', 'unit': '', 'scale': 'linear', 'swept': true}"},
        {"a.b=1|9", "{'label': 'a.b', 'unit': '', 'scale': 'log', 'swept': true}"},
        {"a.b=0|9", "{'label': 'a.b', 'unit': '', 'scale': 'linear', 'swept': true}"},
        {"a.b=0.5|2.5", "{'label': 'a.b', 'unit': '', 'scale': 'linear', 'swept': true}"},
        {"a.b=1 KiB|2 KiB", "{'label': 'a.b', 'unit': 'B', 'scale': 'linear', 'swept': true}"},
        {"a.b=1 us|20 us", "{'label': 'a.b', 'unit': 'us', 'scale': 'log', 'swept': true}"},
        {"a.b=1 Mb/s|2 Gb/s", "{'label': 'a.b', 'unit': 'Mb/s', 'scale': 'log', 'swept': true}"},
        {"a.b=1 MB/s|2 MB/s", "{'label': 'a.b', 'unit': 'MB/s', 'scale': 'linear', 'swept': true}"},
        {"a.b=1 MHz|2 MHz", "{'label': 'a.b', 'unit': 'MHz', 'scale': 'linear', 'swept': true}"},
        {"a.b=1 cycles|2 cycles",
         "{'label': 'a.b', 'unit': 'cycles', 'scale': 'linear', 'swept': true}"},
        {"a.b=1 us|2 KiB", "{'label': 'a.b', 'unit': '', 'scale': 'linear', 'swept': true}"},
    };
    static const char *const points[] = {
        "[[1.0,1.0],[2.0,1.0]]",  "[[1.0,1.0],[8.0,1.0]]",    "[[1.0,1.0],[9.0,1.0]]",
        "[[0.0,1.0],[9.0,1.0]]",  "[[0.5,1.0],[2.5,1.0]]",    "[[1024.0,1.0],[2048.0,1.0]]",
        "[[1.0,1.0],[20.0,1.0]]", "[[1.0,1.0],[2000.0,1.0]]", "[[1.0,1.0],[2.0,1.0]]",
        "[[1.0,1.0],[2.0,1.0]]",  "[[1.0,1.0],[2.0,1.0]]",    "[['1 us',1.0],['2 KiB',1.0]]"};
    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++) {
        struct made_sweep sweep = {
            .axes = {axes[i][0], NULL}, .series = {"A", NULL}, .result = constant};
        char *text = text_of(document_of(&sweep));
        char *whole = g_strdup_printf("%s x %s y ", i + 1 == G_N_ELEMENTS(axes) ? "bars" : "lines",
                                      axes[i][1]);
        SUITE_CONTAINS(text, whole);
        SUITE_CONTAINS(text, points[i]);
        g_free(whole);
        g_free(text);
    }
}

static char *many_lines(int point, int series)
{
    (void)series;
    GString *text = g_string_new("completed;");
    for (int i = 0; i < 4; i++)
        g_string_append_printf(text, " t_us:%d=%d", 1 << i, point + i);
    return g_string_free(text, FALSE);
}

// Of 16 lines those of one size are drawn; 12 are not too many.
static void test_too_many_lines(void)
{
    struct made_sweep sweep = {
        .axes = {"m.a=1|2", NULL}, .series = {"A", "B", "C", NULL}, .result = many_lines};
    static const struct made_sweep counted = {.axes = {"m.a=1|2", NULL},
                                              .series = {"A", NULL},
                                              .counts = "messages",
                                              .result = many_lines};
    expect(&counted, "made, made, lost 0\n"
                     "lines x {'label': 'm.a', 'unit': '', 'scale': 'linear', 'swept': true} y "
                     "{'label': 't', 'unit': 'us', 'scale': 'linear'}\n"
                     "  A, 1 messages (A): [[1.0,0.0],[2.0,1.0]]\n"
                     "  A, 2 messages (A): [[1.0,1.0],[2.0,2.0]]\n"
                     "  A, 4 messages (A): [[1.0,2.0],[2.0,3.0]]\n"
                     "  A, 8 messages (A): [[1.0,3.0],[2.0,4.0]]\n");
    char *text = text_of(document_of(&sweep));
    CU_ASSERT_PTR_NULL(strstr(text, "lines are drawn"));
    g_free(text);
    sweep.series[3] = "D";
    text = text_of(document_of(&sweep));
    static const char names[] = "ABCD";
    for (int line = 0; line < 16; line++) {
        char *start = g_strdup_printf("\n  %c (%c): [[1.0,%d.0],", names[line / 4], names[line / 4],
                                      line % 4);
        CU_ASSERT_EQUAL(strstr(text, start) != NULL, line % 4 == 2);
        g_free(start);
    }
    SUITE_CONTAINS(text, "note: 4 of 16 lines are drawn, those with size=4 B\n");
    g_free(text);
}

// ---- Over message sizes ----

static char *sizes(int point, int series)
{
    GString *text =
        g_string_new(point == 1 && series == 0 ? "failed|overrun|it broke;" : "completed;");
    for (int i = 0; i < 5 - (point == 1); i++)
        g_string_append_printf(text, " t_us:%d=%d b_MB_per_s:%d=%d", 1 << i, point + i, 1 << i,
                               100 * series + i);
    return g_string_free(text, FALSE);
}

// From five sizes on they are the axis, and the swept values are lines.
static void test_sizes(void)
{
    static const struct made_sweep two = {
        .axes = {"m.a=1|2", NULL}, .series = {"A", "B", NULL}, .result = sizes};
    static const struct made_sweep many = {.axes = {"m.a=1|2|3|4|5|6|7|8|9|10|11|12|13|14", NULL},
                                           .series = {"A", NULL},
                                           .counts = "messages",
                                           .result = sizes};
    expect(&two, "made, made, lost 0\n"
                 "lines 'A' x {'label': 'message size', 'unit': 'B', 'scale': 'log'} y {'label': "
                 "'t', 'unit': 'us', 'scale': 'log'}\n"
                 "  m.a=1 (m.a=1): [[1,0.0],[2,1.0],[4,2.0],[8,3.0],[16,4.0]]\n"
                 "  m.a=2 (m.a=2): [[1,1.0],[2,2.0],[4,3.0],[8,4.0]] "
                 "{'status':'failed','text':'failed: it broke'}\n"
                 "lines 'B' x {'label': 'message size', 'unit': 'B', 'scale': 'log'} y {'label': "
                 "'t', 'unit': 'us', 'scale': 'log'}\n"
                 "  m.a=1 (m.a=1): [[1,0.0],[2,1.0],[4,2.0],[8,3.0],[16,4.0]]\n"
                 "  m.a=2 (m.a=2): [[1,1.0],[2,2.0],[4,3.0],[8,4.0]]\n"
                 "lines 'A' x {'label': 'message size', 'unit': 'B', 'scale': 'log'} y {'label': "
                 "'b', 'unit': 'MB/s', 'scale': 'linear'}\n"
                 "  m.a=1 (m.a=1): [[1,0.0],[2,1.0],[4,2.0],[8,3.0],[16,4.0]]\n"
                 "  m.a=2 (m.a=2): [[1,0.0],[2,1.0],[4,2.0],[8,3.0]] "
                 "{'status':'failed','text':'failed: it broke'}\n"
                 "lines 'B' x {'label': 'message size', 'unit': 'B', 'scale': 'log'} y {'label': "
                 "'b', 'unit': 'MB/s', 'scale': 'linear'}\n"
                 "  m.a=1 (m.a=1): [[1,100.0],[2,101.0],[4,102.0],[8,103.0],[16,104.0]]\n"
                 "  m.a=2 (m.a=2): [[1,100.0],[2,101.0],[4,102.0],[8,103.0]]\n"
                 "note: × A, m.a=2: failed: it broke\n");
    char *text = text_of(document_of(&many));
    SUITE_CONTAINS(text, "lines 'A' x {'label': 'messages', 'unit': '', 'scale': 'log'}");
    for (int value = 1; value <= 14; value++) {
        char *line = g_strdup_printf("\n  m.a=%d ():", value);
        CU_ASSERT_EQUAL(strstr(text, line) != NULL, value != 4 && value != 11);
        g_free(line);
    }
    SUITE_CONTAINS(text, "note: 12 of 14 lines are drawn, evenly chosen\n");
    g_free(text);
}

// ---- Fields ----

static char *field(int point, int series)
{
    if (series == 1)
        return g_strdup("completed; t_us:4=5");
    if (point == 1)
        return g_strdup("impossible|it does not go");
    return point == 3 ? g_strdup("deadlock|deadlock|all wait")
                      : g_strdup_printf("completed; t_us:4=%d.5 t_us:8=7", point);
}

static char *of_ranks(int point, int series)
{
    (void)series;
    return point == 5 ? g_strdup("missing")
                      : g_strdup_printf("completed; t_us@0=%d t_us@1=%d b_MB_per_s@0=1", point,
                                        10 - point);
}

static char *rates(int point, int series)
{
    (void)series;
    return g_strdup_printf("completed; b_MB_per_s=%d", point);
}

// Two axes: a field for each series and size. Fields without differences are left out; the times of
// ranks are that of the slowest.
static void test_fields(void)
{
    static const struct made_sweep two = {
        .axes = {"m.a=1|2", "m.b=x|y|z", NULL}, .series = {"A", "B", NULL}, .result = field};
    static const struct made_sweep ranks = {
        .axes = {"m.a=1|20", "m.b=1|2|3", NULL}, .series = {"A", NULL}, .result = of_ranks};
    static const struct made_sweep three = {.axes = {"m.c=1|2|3", "m.a=1|2|3", "m.b=1|2", NULL},
                                            .series = {"A", NULL},
                                            .result = rates};
    expect(&two, "made, made, lost 0\n"
                 "heat 'A, 4 B' x {'label': 'm.b', 'unit': '', 'scale': 'linear'} y {'label': "
                 "'m.a', 'unit': '', 'scale': 'linear'} value {'label': 't', 'unit': 'us', "
                 "'scale': 'linear', 'best': 'lowest'}\n"
                 "  A, 4 B: "
                 "[['x',1.0,0.5],['y',1.0,null,'impossible'],['z',1.0,2.5],['x',2.0,null,'deadlock'"
                 "],['y',2.0,4.5],['z',2.0,5.5]]\n"
                 "heat 'A, 8 B' x {'label': 'm.b', 'unit': '', 'scale': 'linear'} y {'label': "
                 "'m.a', 'unit': '', 'scale': 'linear'} value {'label': 't', 'unit': 'us', "
                 "'scale': 'linear', 'best': 'lowest'}\n"
                 "  A, 8 B: "
                 "[['x',1.0,7.0],['y',1.0,null,'impossible'],['z',1.0,7.0],['x',2.0,null,'deadlock'"
                 "],['y',2.0,7.0],['z',2.0,7.0]]\n"
                 "note: not drawn, as the axes change nothing there: B, 4 B\n"
                 "note: – A, m.a=1, m.b=y: not possible: it does not go\n"
                 "note: – B, m.a=1, m.b=y: not possible: it does not go\n"
                 "note: × A, m.a=2, m.b=x: deadlock: all wait\n");
    expect(
        &ranks,
        "made, made, lost 0\n"
        "heat 'A' x {'label': 'm.b', 'unit': '', 'scale': 'linear'} y {'label': 'm.a', 'unit': '', "
        "'scale': 'log'} value {'label': 't', 'unit': 'us', 'scale': 'linear', 'best': 'lowest'}\n"
        "  A: "
        "[[1.0,1.0,10.0],[2.0,1.0,9.0],[3.0,1.0,8.0],[1.0,20.0,7.0],[2.0,20.0,6.0],[3.0,20.0,null,'"
        "missing']]\n"
        "note: the time is that of the slowest rank\n"
        "note: × A, m.a=20, m.b=3: not run so far\n");
    expect(&three, "made, made, lost 0\n"
                   "heat 'A, m.b=1' x {'label': 'm.c', 'unit': '', 'scale': 'linear'} y {'label': "
                   "'m.a', 'unit': '', 'scale': 'linear'} value {'label': 'b', 'unit': 'MB/s', "
                   "'scale': 'linear', 'best': 'highest'}\n"
                   "  A, m.b=1: "
                   "[[1.0,1.0,0.0],[2.0,1.0,6.0],[3.0,1.0,12.0],[1.0,2.0,2.0],[2.0,2.0,8.0],[3.0,2."
                   "0,14.0],[1.0,3.0,4.0],[2.0,3.0,10.0],[3.0,3.0,16.0]]\n"
                   "heat 'A, m.b=2' x {'label': 'm.c', 'unit': '', 'scale': 'linear'} y {'label': "
                   "'m.a', 'unit': '', 'scale': 'linear'} value {'label': 'b', 'unit': 'MB/s', "
                   "'scale': 'linear', 'best': 'highest'}\n"
                   "  A, m.b=2: "
                   "[[1.0,1.0,1.0],[2.0,1.0,7.0],[3.0,1.0,13.0],[1.0,2.0,3.0],[2.0,2.0,9.0],[3.0,2."
                   "0,15.0],[1.0,3.0,5.0],[2.0,3.0,11.0],[3.0,3.0,17.0]]\n");
}

// Of ten fields eight are drawn.
static void test_many_fields(void)
{
    static const struct made_sweep sweep = {.axes = {"m.a=1|2|3|4|5|6|7|8|9|10|11",
                                                     "m.b=1|2|3|4|5|6|7|8|9|10|11",
                                                     "m.c=1|2|3|4|5|6|7|8|9|10", NULL},
                                            .series = {"A", NULL},
                                            .result = rates};
    static const char *const drawn[] = {"c=1'", "c=2'", "c=4'", "c=5'",
                                        "c=6'", "c=7'", "c=9'", "c=10'"};
    char *text = text_of(document_of(&sweep)), *at = text;
    for (size_t i = 0; i < G_N_ELEMENTS(drawn); i++) {
        char *title = g_strdup_printf("heat 'A, m.%s", drawn[i]);
        at = at ? strstr(at, title) : NULL;
        CU_ASSERT_PTR_NOT_NULL(at);
        g_free(title);
    }
    SUITE_CONTAINS(text, "note: 8 of 10 fields are drawn, evenly chosen\n");
    g_free(text);
}

// ---- What is chosen ----

// m.long does nothing, m.weak little, m.a and m.b much; the sizes 8 and 16 alike.
static char *of_four_axes(int point, int series)
{
    int b = point % 3, a = point / 3 % 3, weak = point / 9 % 2;
    (void)series;
    return g_strdup_printf("completed; t_us:8=%d t_us:16=%d b_MB_per_s:8=1",
                           100 + weak + 50 * a + 9 * b, 1000 + weak + 50 * a + 9 * b);
}

static const struct made_sweep four = {
    .axes = {"m.long=1|2|3|4|5", "m.weak=1|2", "m.a=1|2|3", "m.b=1|2|3", NULL},
    .series = {"A", "B", NULL},
    .result = of_four_axes};

// The number of times that the text contains the part.
static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

struct chosen_case {
    struct choice_words words;
    bool together;
    const char *has[4]; // texts; ends with NULL
    int panels, lines;  // lines: of all panels; 0: fields
};

static char *metric_b[] = {"b_MB_per_s", NULL}, *metric_t[] = {"t", NULL},
            *series_b[] = {"B", NULL}, *size_8[] = {"8 B", NULL}, *sizes_from_9[] = {"9..16", NULL};

// Axes are those that do most, or those that the user names.
static void test_chosen(void)
{
    static const struct chosen_case cases[] = {
        // The longest axis is none of the picture, and nor is the one that does little.
        {{0},
         false,
         {"heat 'A, 8 B, m.weak=1' x {'label': 'm.a'", "note: m.long changes nothing"},
         8,
         0},
        {{.x = "weak", .y = "b", .series = series_b, .sizes = size_8},
         false,
         {"heat 'B, m.a=1' x {'label': 'm.weak'", "y {'label': 'm.b'"},
         3,
         0},
        {{.y = "m.weak", .series = series_b, .sizes = sizes_from_9},
         false,
         {"heat 'B, m.b=1' x {'label': 'm.a'", "y {'label': 'm.weak'"},
         3,
         0},
        {{.x = "m.long", .metrics = metric_t, .series = series_b, .sizes = size_8},
         false,
         {"lines x {'label': 'm.long'",
          "  B, m.weak=2, m.a=3, m.b=2 (B):", "note: 6 of 18 lines are drawn, those with m.b=2"},
         1,
         6},
        {{.x = "size", .metrics = metric_t, .series = series_b, .log = "x", .title = "$T"},
         false,
         {"made, $T, lost 0\nlines 'B' x {'label': 'message size', 'unit': 'B', 'scale': 'log'} y "
          "{'label': 't'",
          "  m.weak=1, m.a=1, m.b=2 (m.weak=1, m.a=1, m.b=2): [[8,109.0],[16,1009.0]]"},
         1,
         6},
        {{.x = "m.a", .metrics = metric_b, .sizes = size_8, .linear = "xy"},
         false,
         {"lines x {'label': 'm.a', 'unit': '', 'scale': 'linear', 'swept': true} y {'label': 'b'",
          "  A (A): [[1.0,1.0],[2.0,1.0],[3.0,1.0]]"},
         1,
         2},
        {{.metrics = metric_t},
         true,
         {"lines x {'label': 'message size', 'unit': 'B', 'scale': 'log'} y {'label': 't'",
          "  A, m.weak=1, m.a=1, m.b=2 (): [[8,109.0],[16,1009.0]]"},
         1,
         12}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *message;
        json_t *document = chosen_of(&four, &cases[i].words, cases[i].together, &message);
        SUITE_SAME_TEXT(message, NULL);
        char *text = text_of(document);
        for (int k = 0; cases[i].has[k]; k++)
            SUITE_CONTAINS(text, cases[i].has[k]);
        CU_ASSERT_EQUAL(count_of(text, "\nheat ") + count_of(text, "\nlines "), cases[i].panels);
        CU_ASSERT_EQUAL(count_of(text, "\n  "), cases[i].lines ? cases[i].lines : cases[i].panels);
        g_free(text);
    }
}

static void test_not_chosen(void)
{
    static char *no_metric[] = {"p99", NULL}, *no_size[] = {"1 k", NULL};
    static const struct {
        struct choice_words words;
        const char *message;
    } cases[] = {
        {{.x = "m.c"}, "--x m.c: the sweep has no such axis (m.long, m.weak, m.a, m.b, size)"},
        {{.y = "size"}, "--y size: message sizes are an axis of lines"},
        {{.x = "size", .y = "m.a"}, "--x size --y m.a: over message sizes there are lines"},
        {{.x = "m.a", .y = "m.a"}, "two different axes"},
        {{.metrics = no_metric}, "--metric p99: there is no such metric here (t_us, b_MB_per_s)"},
        {{.series = no_metric}, "--series p99: there is no such series here (A, B)"},
        {{.sizes = no_size}, "--size 1 k: unknown unit"},
        {{.log = "x"}, "--log x: along x there are places side by side"},
        {{.log = "xz"}, "--log xz: it must be x, y or xy"},
        {{.log = "x", .linear = "xy"}, "x can't be both --log and --linear"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *message;
        CU_ASSERT_PTR_NULL(chosen_of(&four, &cases[i].words, false, &message));
        SUITE_CONTAINS(message ? message : "", cases[i].message);
        g_free(message);
    }
}

// ---- Notes ----

static char *seven_reasons(int point, int series)
{
    (void)series;
    static const char *const words[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    return point < 8 ? g_strdup_printf("failed|x|reason %s", words[point]) : g_strdup("missing");
}

static void test_reasons(void)
{
    static const struct made_sweep sweep = {
        .axes = {"m.a=1|2|3|4|5|6|7|8|9", NULL}, .series = {"A", NULL}, .result = seven_reasons};
    expect(&sweep, "made, made, lost 0\n"
                   "note: × A, m.a=1: failed: reason a\n"
                   "note: × A, m.a=2: failed: reason b\n"
                   "note: × A, m.a=3: failed: reason c\n"
                   "note: × A, m.a=4: failed: reason d\n"
                   "note: × A, m.a=5: failed: reason e\n"
                   "note: × A, m.a=6: failed: reason f\n"
                   "note: × and 3 more, for other reasons\n");
}

static void test_none(void)
{
    GError *error = NULL;
    struct choice *choice = choice_new(&(struct choice_words){0}, NULL);
    CU_ASSERT_PTR_NULL(swept_document("/nothing/here.sqlite", choice, false, &error));
    choice_free(choice);
    CU_ASSERT_PTR_NOT_NULL(error);
    g_clear_error(&error);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"lines", test_lines},
        {"seeds, names and ranks", test_seeds},
        {"units", test_units},
        {"lines of many sizes", test_too_many_lines},
        {"over message sizes", test_sizes},
        {"fields", test_fields},
        {"many fields", test_many_fields},
        {"what is chosen", test_chosen},
        {"what is not there", test_not_chosen},
        {"many reasons", test_reasons},
        {"no database", test_none},
        {0},
    };
    return suite_run("figures: sweeps", cases);
}
