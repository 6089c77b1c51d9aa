// SPDX-License-Identifier: GPL-3.0-or-later
// Time by stage: none is lost when the table grows, stages of one name are one, and they are
// listed in the order of first use.
#include "sim/host/stage_times.h"

#include "tests/support/suite.h"

#include <glib.h>
#include <stdio.h>

#define STAGES 1000

struct found {
    GHashTable *times; // name -> sim_time *
    GString *order;
};

static void add_time(void *owner, const char *name, sim_time time)
{
    struct found *found = owner;
    CU_ASSERT_PTR_NULL(g_hash_table_lookup(found->times, name)); // each name once
    sim_time *kept = g_new(sim_time, 1);
    *kept = time;
    g_hash_table_insert(found->times, (gpointer)name, kept);
    g_string_append_printf(found->order, "%s ", name);
}

static struct found collect(struct stage_times *times)
{
    struct found found = {g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free),
                          g_string_new(NULL)};
    stage_times_each(times, add_time, &found);
    stage_times_clear(times);
    return found;
}

static void found_free(struct found *found)
{
    g_hash_table_unref(found->times);
    g_string_free(found->order, TRUE);
}

static void test_many(void)
{
    static struct stage stages[STAGES];
    static char names[STAGES][8];
    GString *order = g_string_new(NULL);
    struct stage_times times;
    stage_times_init(&times);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < STAGES; i++) {
            int at = (7 * i) % STAGES; // not in the order of their addresses
            snprintf(names[at], sizeof names[at], "s%d", at);
            stages[at] = (struct stage){names[at], STAGE_LIBRARY};
            stage_times_add(&times, &stages[at], at + 1);
            if (round == 0)
                g_string_append_printf(order, "%s ", names[at]);
        }
    }
    struct found found = collect(&times);
    SUITE_SAME_INTEGER(g_hash_table_size(found.times), STAGES);
    SUITE_SAME_TEXT(found.order->str, order->str);
    for (int i = 0; i < STAGES; i++) {
        const sim_time *time = g_hash_table_lookup(found.times, names[i]);
        CU_ASSERT_PTR_NOT_NULL_FATAL(time);
        SUITE_SAME_INTEGER(*time, 3 * (i + 1));
    }
    g_string_free(order, TRUE);
    found_free(&found);
}

static void test_same_name(void)
{
    static const struct stage one = {"copy", STAGE_COPY}, between = {"trap", STAGE_TRAP},
                              another = {"copy", STAGE_COPY};
    struct stage_times times;
    stage_times_init(&times);
    stage_times_add(&times, &one, 3);
    stage_times_add(&times, &between, 1);
    stage_times_add(&times, &another, 4);
    stage_times_add(&times, &one, 5);
    struct found found = collect(&times);
    const sim_time *time = g_hash_table_lookup(found.times, "copy");
    CU_ASSERT_PTR_NOT_NULL_FATAL(time);
    SUITE_SAME_INTEGER(*time, 12);
    SUITE_SAME_TEXT(found.order->str, "copy trap ");
    found_free(&found);
}

static const struct suite_case cases[] = {
    {"more stages than slots at first", test_many},
    {"stages of one name", test_same_name},
    {0},
};

int main(void)
{
    return suite_run("host: time by stage", cases);
}
