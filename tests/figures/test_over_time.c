// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of values over time: a panel per connection and unit, steps that go on to the end of
// their series, and the choice of values.
#include "sim/figures/over_time.h"
#include "sim/output/values.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#define ROWS                                                                                       \
    "whole,n0,tcp 1,cwnd,B,0.000000,10\nwhole,n0,tcp 1,cwnd,B,2000000.000000,20\n"                 \
    "whole,n0,tcp 1,flight,B,1000000.000000,5\nwhole,n0,tcp 1,load,%,250000.000000,7\n"            \
    "whole,n1,tcp 1,cwnd,B,3000000.000000,9\n\"a, b\",n0,tcp 1,cwnd,B,500000.000000,1\n"

static json_t *document_of(const char *rows, const struct choice_words *words)
{
    GError *error = NULL;
    char *text = g_strconcat(VALUES_COLUMNS "\n", rows, NULL);
    struct choice *choice = choice_new(words, NULL);
    json_t *document = over_time_document("v.csv", text, strlen(text), "v", choice, &error);
    CU_ASSERT_PTR_NULL(error);
    choice_free(choice);
    g_free(text);
    return document;
}

// A line for each panel and each of its lines.
static void expect(json_t *document, const char *expected)
{
    GString *out = g_string_new(NULL);
    size_t i, k;
    json_t *panel, *series;
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        json_t *y = json_object_get(panel, "y");
        g_string_append_printf(out, "%s | %s (%s)\n",
                               json_string_value(json_object_get(panel, "title")),
                               json_string_value(json_object_get(y, "label")),
                               json_string_value(json_object_get(y, "unit")));
        json_array_foreach(json_object_get(panel, "series"), k, series)
        {
            char *points = json_dumps(json_object_get(series, "points"),
                                      JSON_COMPACT | JSON_REAL_PRECISION(6));
            CU_ASSERT(json_is_true(json_object_get(series, "steps")));
            g_string_append_printf(out, "  %s %s\n",
                                   json_string_value(json_object_get(series, "name")), points);
            free(points);
        }
    }
    json_array_foreach(json_object_get(document, "notes"), i, panel)
    {
        g_string_append_printf(out, "%s\n", json_string_value(panel));
    }
    SUITE_SAME_TEXT(out->str, expected);
    g_string_free(out, TRUE);
    json_decref(document);
}

static void test_panels(void)
{
    expect(document_of(ROWS, &(struct choice_words){0}),
           "whole: n0, tcp 1 | value (B)\n"
           "  cwnd [[0.0,10.0],[2.0,20.0],[3.0,20.0]]\n  flight [[1.0,5.0],[3.0,5.0]]\n"
           "whole: n0, tcp 1 | load (%)\n  load [[0.25,7.0],[3.0,7.0]]\n"
           "whole: n1, tcp 1 | cwnd (B)\n  cwnd [[3.0,9.0]]\n"
           "a, b: n0, tcp 1 | cwnd (B)\n  cwnd [[0.5,1.0]]\n");
}

static void test_choice(void)
{
    static char *series[] = {"whole", NULL}, *metrics[] = {"flight", NULL};
    // The end is that of the series, whatever of it is drawn.
    expect(document_of(ROWS, &(struct choice_words){.series = series, .metrics = metrics}),
           "whole: n0, tcp 1 | flight (B)\n  flight [[1.0,5.0],[3.0,5.0]]\n");
}

// Of many those with the most changes are drawn, in their own order.
static void test_many(void)
{
    GString *rows = g_string_new(NULL), *expected = g_string_new(NULL);
    for (int i = 0; i < 10; i++)
        for (int change = 0; change < (i == 3 || i == 7 ? 1 : 2); change++)
            g_string_append_printf(rows, "s,n%d,x,q,B,%d.0,%d\n", i, change * 1000000, change);
    for (int i = 0; i < 10; i++)
        if (i != 3 && i != 7)
            g_string_append_printf(expected, "s: n%d, x | q (B)\n  q [[0.0,0.0],[1.0,1.0]]\n", i);
    g_string_append(expected, "8 of 10 are drawn, those with the most changes; --series chooses\n");
    expect(document_of(rows->str, &(struct choice_words){0}), expected->str);
    g_string_free(rows, TRUE);
    g_string_free(expected, TRUE);
}

// A line of many points is thinned, its peak stays.
static void test_long(void)
{
    GString *rows = g_string_new(NULL);
    for (int i = 0; i < 10000; i++)
        g_string_append_printf(rows, "s,n,x,q,B,%d.0,%d\n", i, i == 4321 ? 99 : i % 2);
    json_t *document = document_of(rows->str, &(struct choice_words){0});
    json_t *panel = json_array_get(json_object_get(document, "panels"), 0);
    json_t *points = json_object_get(json_array_get(json_object_get(panel, "series"), 0), "points");
    CU_ASSERT(json_array_size(points) > 500 && json_array_size(points) <= 2000);
    char *text = json_dumps(points, JSON_COMPACT | JSON_REAL_PRECISION(6));
    SUITE_CONTAINS(text, "[0.004321,99.0]");
    free(text);
    json_decref(document);
    g_string_free(rows, TRUE);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"panels", test_panels},
        {"choice", test_choice},
        {"many", test_many},
        {"long", test_long},
        {0},
    };
    return suite_run("figures: values over time", cases);
}
