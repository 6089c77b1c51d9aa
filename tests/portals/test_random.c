// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs of one target and one initiator, over a made-up network layer and over Intercept:
// messages that a plain reference accepts, truncates or refuses must be recorded so in the ledger.
#include "sim/run/run.h"
#include "tests/support/compiled.h"
#include "tests/support/portals_fake.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <string.h>

#define ENTRIES 6
#define PUTS 15

struct entry {
    guint bits, ignore;
    int length, threshold, offset;
    gboolean truncate, remote;
};

struct put {
    guint bits;
    int size, offset;
};

struct expected {
    uint64_t messages, declined, declined_bytes;
};

static struct entry random_entry(GRand *random, int longest)
{
    return (struct entry){
        .bits = (guint)g_rand_int_range(random, 0, 4),
        .ignore = (guint)g_rand_int_range(random, 0, 4),
        .length = g_rand_int_range(random, 0, 3 * longest),
        .threshold = g_rand_int_range(random, 1, 6),
        .truncate = g_rand_boolean(random),
        .remote = g_rand_boolean(random),
    };
}

// ---- The reference ----

// Bytes of the put that the entry does not take; -1: it is refused.
static int lacking(struct entry *entry, const struct put *put)
{
    int at = entry->remote ? put->offset : entry->offset;
    int room = MAX(entry->length - at, 0);
    int lacks = MAX(put->size - room, 0);
    if (lacks > 0 && !entry->truncate)
        return -1;
    if (!entry->remote)
        entry->offset += put->size - lacks;
    return lacks;
}

static void expect_put(struct entry *entries, int *count, const struct put *put,
                       struct expected *expected)
{
    int at = 0;
    while (at < *count && ((entries[at].bits ^ put->bits) & ~entries[at].ignore) != 0)
        at++;
    int lacks = at < *count ? lacking(&entries[at], put) : -1;
    expected->messages++;
    expected->declined += lacks != 0;
    expected->declined_bytes += (uint64_t)(lacks < 0 ? put->size : lacks);
    if (lacks < 0 || --entries[at].threshold > 0)
        return;
    memmove(&entries[at], &entries[at + 1], sizeof *entries * (size_t)(--*count - at));
}

// ---- Programs ----

static void write_entry(GString *text, const struct entry *entry)
{
    g_string_append_printf(text,
                           "attach: {match_bits: %u, ignore_bits: 0x%x, size: %d B, threshold: %d, "
                           "unlink: true, truncate: %s, manage_remote: %s}, ",
                           entry->bits, entry->ignore, entry->length, entry->threshold,
                           entry->truncate ? "true" : "false", entry->remote ? "true" : "false");
}

// A program, as the only value of `program:`, and its expected result.
static char *random_program(guint32 seed, int longest, struct expected *expected)
{
    GRand *random = g_rand_new_with_seed(seed);
    GString *text = g_string_new("{ranks: [0], do: [");
    struct entry entries[ENTRIES];
    int count = g_rand_int_range(random, 0, ENTRIES + 1);
    for (int i = 0; i < count; i++) {
        entries[i] = random_entry(random, longest);
        write_entry(text, &entries[i]);
    }
    g_string_append(text, "compute: 1 us]}, {ranks: [1], do: [compute: 1 ms");
    *expected = (struct expected){0};
    for (int i = 0; i < PUTS; i++) {
        struct put put = {(guint)g_rand_int_range(random, 0, 4),
                          g_rand_int_range(random, 1, longest),
                          g_rand_int_range(random, 0, longest)};
        g_string_append_printf(text, ", put: {to: 0, match_bits: %u, size: %d B, offset: %d B}",
                               put.bits, put.size, put.offset);
        expect_put(entries, &count, &put, expected);
    }
    g_string_append(text, "]}");
    g_rand_free(random);
    return g_string_free(text, FALSE);
}

static void expect_run(const struct registry *registry, const char *text,
                       const struct expected *expected)
{
    struct compiled compiled = compiled_new_in(registry, text, NULL);
    struct result *result = run_scenario(registry, compiled.scenario, &(struct run_options){0});
    const struct series_result *series = g_ptr_array_index(result->series, 0);
    bool good = series->status == SIM_COMPLETED && series->ledger.messages == expected->messages &&
                series->ledger.declined == expected->declined &&
                series->ledger.declined_bytes == expected->declined_bytes;
    CU_ASSERT(good);
    if (!good)
        fprintf(stderr, "%s\nexpected %d declined, %d B; got %d, %d B\n", text,
                (int)expected->declined, (int)expected->declined_bytes,
                (int)series->ledger.declined, (int)series->ledger.declined_bytes);
    result_free(result);
    compiled_free(&compiled);
}

static void test_made_up(void)
{
    for (guint32 seed = 1; seed <= 100; seed++) {
        struct expected expected;
        char *program = random_program(seed, PORTALS_FAKE_BAD, &expected);
        char *text = portals_fake_scenario(2, program, "");
        expect_run(&portals_fake_registry, text, &expected);
        g_free(text);
        g_free(program);
    }
}

// Short messages of one and of several packets, and long ones.
static void test_intercept(void)
{
    static const int longest[] = {300, 3000, 30000};
    for (guint32 seed = 1; seed <= 60; seed++) {
        struct expected expected;
        char *program = random_program(seed, longest[seed % 3], &expected);
        char *text = g_strdup_printf(
            "schema: 1\nname: t\nstack: portals\nnic: intercept\nhosts: [{name: n, count: 2}]\n"
            "links: [{from: n0, to: n1, count: 3}]\nlink: {rate: 2 Gb/s}\n"
            "host: {processor: {cores: 2}, bus: {width: 8 B, clock: 66 MHz}}\n"
            "p3: {version: %s}\nworkload: {program: [%s]}\n",
            seed % 2 ? "hybrid" : "vdma", program);
        expect_run(&model_registry, text, &expected);
        g_free(text);
        g_free(program);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"over a made-up network layer", test_made_up},
        {"over Intercept", test_intercept},
        {0},
    };
    return suite_run("Portals: random programs", cases);
}
