// SPDX-License-Identifier: GPL-3.0-or-later
// Readers report the same of a mistake whether it is the first or follows so many that it is only
// counted.
#include "sim/config/param.h"
#include "sim/config/reader.h"
#include "sim/program/program.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

// A list that keeps nothing more.
static struct diag_list *full_list(void)
{
    struct diag_list *diags = diag_list_new();
    for (int i = 0; i < DIAG_LIMIT + 1; i++)
        diag_add(diags, (struct source_mark){"before", i + 1, 1}, NULL, NULL, "wrong");
    return diags;
}

static struct node *parsed(const char *text, struct diag_list *diags)
{
    struct node *node = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(node);
    return node;
}

static void test_keys(void)
{
    static const char *const known[] = {"a", "b", NULL};
    struct diag_list *diags = full_list();
    struct node *good = parsed("{a: 1, b: 2}", diags), *bad = parsed("{a: 1, c: 2}", diags);
    guint before = diags->found;
    CU_ASSERT(reader_keys(good, "", known, diags));
    SUITE_SAME_INTEGER(diags->found, before);
    CU_ASSERT_FALSE(reader_keys(bad, "", known, diags));
    SUITE_SAME_INTEGER(diags->found, before + 1);
    SUITE_SAME_INTEGER(diags->items->len, DIAG_LIMIT);
    node_free(good);
    node_free(bad);
    diag_list_free(diags);
}

struct listed {
    struct param_counts counts;
};

static int checked; // how often the table's own check was called

static void check_listed(const void *values, const struct param_values *of)
{
    (void)of;
    checked++;
    SUITE_SAME_INTEGER(((const struct listed *)values)->counts.count, 3);
}

static const struct param listed_params[] = {
    PARAM(struct listed, counts, PARAM_COUNTS, .fallback = "[1, 2, 3]", .doc = "counts"), {0}};
static const struct param_table listed_table = PARAM_TABLE(
    struct listed, listed_params, .name = "listed", .doc = "a list", .check = check_listed);

// A table's own check never sees a half-read list.
static void test_lists(void)
{
    static const struct {
        const char *text;
        bool good;
    } maps[] = {{"{counts: [7, 8, 9]}", true}, {"{}", true}, {"{counts: [7, x, 9]}", false}};
    for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
        struct diag_list *diags = full_list();
        struct node *map = parsed(maps[i].text, diags);
        bool good;
        checked = 0;
        param_values_free(param_read_part(&listed_table, map, "listed", true, &good, diags));
        CU_ASSERT_EQUAL(good, maps[i].good);
        SUITE_SAME_INTEGER(checked, maps[i].good);
        node_free(map);
        diag_list_free(diags);
    }
}

static void test_programs(void)
{
    static const struct {
        const char *text;
        bool good;
    } lists[] = {{"[{ranks: all, do: [barrier]}]", true},
                 {"[{ranks: all, do: [bariere]}]", false},
                 {"[{ranks: all, do: [{wait: [x]}]}]", false}};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        struct diag_list *diags = full_list();
        struct node *list = parsed(lists[i].text, diags);
        struct program *program = program_read(list, NULL, 2, NULL, "program", diags);
        CU_ASSERT_EQUAL(program != NULL, lists[i].good);
        program_free(program);
        node_free(list);
        diag_list_free(diags);
    }
}

// A whole scenario with many mistakes before one that its reader would trip over.
static void test_scenario(void)
{
    GString *text = g_string_new("schema: 1\nstack: lam_fake\nnic: tulip\nhosts: [{name: a}]\n"
                                 "workload: {benchmark: pmb.pingpong, sizes: 1 B}\n");
    for (int i = 0; i < DIAG_LIMIT + 5; i++)
        g_string_append_printf(text, "unknown%d: 1\n", i);
    g_string_append(text, "links: [{from: a, to: nowhere, rte: 1}]\nswitch: {lateny: 1 us}\n");
    struct scenario *scenario;
    char *complaints = fake_compile(text->str, NULL, &scenario);
    CU_ASSERT_PTR_NULL(scenario);
    SUITE_CONTAINS(complaints, "(more errors follow; the first 20 are shown)");
    scenario_free(scenario);
    g_free(complaints);
    g_string_free(text, TRUE);
}

int main(void)
{
    static const struct suite_case cases[] = {{"keys of a map", test_keys},
                                              {"lists of parameters", test_lists},
                                              {"programs", test_programs},
                                              {"a scenario", test_scenario},
                                              {0}};
    return suite_run("config: reader, after too many mistakes", cases);
}
