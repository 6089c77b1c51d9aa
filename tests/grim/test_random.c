// SPDX-License-Identifier: GPL-3.0-or-later
// Random mixed programs: active messages with and without replies, writes and reads of all kinds,
// sends and receives, between two to four endpoints, on random cards, queues and caches. Each must
// end, with every byte delivered once and in the order of its interface, all that was refused sent
// again, and alike when it is run again.
//
// NETSIM_RANDOM_PROGRAMS sets how many are tried, NETSIM_RANDOM_FIRST the first seed (1).
#include "tests/support/grim_run.h"
#include "tests/support/one_sided_reference.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SETS 16

struct mix {
    GRand *random;
    int ranks;
    GString *ops[TEST_MOST_RANKS];
    int handled[TEST_MOST_RANKS];  // active messages that arrive, replies among them
    int notified[TEST_MOST_RANKS]; // words that arrive
    int receives[TEST_MOST_RANKS];
    int tag;
    bool reads;
    char *sets[MOST_SETS + 1];
    int set_count;
};

static int pick(struct mix *mix, int below)
{
    return g_rand_int_range(mix->random, 0, below);
}

static void set(struct mix *mix, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void set(struct mix *mix, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    mix->sets[mix->set_count++] = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

static void pick_machine(struct mix *mix)
{
    static const char *const cards[] = {"lanai4", "lanai9"};
    static const char *const styles[] = {"append", "slotted", "hybrid"};
    static const char *const truth[] = {"false", "true"};
    set(mix, "nic=%s", cards[pick(mix, 2)]);
    // Endpoints that read from each other need room for the replies: memory_remote.h.
    mix->reads = pick(mix, 2) == 0;
    set(mix, "grim_ni.queue_style=%s", mix->reads ? "append" : styles[pick(mix, 3)]);
    set(mix, "grim_ni.slot=8 KiB");
    set(mix, "grim_ni.queue=%d KiB", mix->reads ? 512 : 16 + pick(mix, 3) * 24);
    set(mix, "grim_ni.sequencing=%s", pick(mix, 3) == 0 ? "ni" : "channel");
    bool both = pick(mix, 4) == 0;
    set(mix, "grim_ni.buffering=%s", both ? "both" : "sender");
    set(mix, "grim_ni.nack_pause=%d us", pick(mix, 2) ? 20 : 0);
    set(mix, "grim_ni.endpoint_messages=%d", 1 + pick(mix, 8));
    set(mix, "grim_memory.static_entries=%d", pick(mix, 3));
    set(mix, "grim_memory.dynamic_entries=%d", 1 + pick(mix, 4));
    set(mix, "grim_memory.entry_ranges=%d", 1 + pick(mix, 17));
    set(mix, "grim_memory.order=%s", pick(mix, 4) == 0 ? "strict" : "relaxed");
    set(mix, "grim.polling_thread=%s", truth[pick(mix, 5) == 0]);
    set(mix, "grim.part=%d B", (mix->reads ? 4000 : 4) + pick(mix, 3000));
    set(mix, "grim.handlers=[work]");
    if (pick(mix, 3) > 0)
        return;
    set(mix, "grim_ni.timeouts=true");
    set(mix, "link.drop_probability=%d.%de-3", pick(mix, 10), pick(mix, 10));
}

static int pick_size(struct mix *mix, int most)
{
    static const int few[] = {0, 1, 4, 5, 4096, 4097};
    return pick(mix, 3) == 0 ? few[pick(mix, 6)] : pick(mix, most);
}

static void active_message(struct mix *mix, int from, int to)
{
    static const char *const names[] = {"nop", "reply", "work"};
    int which = pick(mix, 3);
    g_string_append_printf(mix->ops[from], "{active_message: {to: %d, size: %d B, handler: %s}}, ",
                           to, pick_size(mix, 5000), names[which]);
    mix->handled[to]++;
    mix->handled[from] += which == 1;
}

static void write(struct mix *mix, int from, int to)
{
    bool notify = pick(mix, 2) == 0;
    g_string_append_printf(mix->ops[from],
                           "{put: {to: %d, size: %d B, notify: %s, physical: %s, paged: %s}}, ", to,
                           pick_size(mix, 30000), notify ? "true" : "false",
                           pick(mix, 3) == 0 ? "true" : "false", pick(mix, 2) ? "true" : "false");
    mix->notified[to] += notify;
}

static void read(struct mix *mix, int from, int to)
{
    g_string_append_printf(mix->ops[from], "{get: {from: %d, size: %d B, notify: %s, paged: %s}}, ",
                           to, pick_size(mix, 20000), pick(mix, 2) ? "true" : "false",
                           pick(mix, 2) ? "true" : "false");
}

// The receive is started at once, wherever the receiver is.
static void send(struct mix *mix, int from, int to)
{
    int size = pick_size(mix, 40000), tag = mix->tag++;
    g_string_append_printf(mix->ops[from], "{%s: {to: %d, size: %d B, tag: %d, request: s%d}}, ",
                           pick(mix, 3) == 0 ? "issend" : "isend", to, size, tag, tag);
    g_string_append_printf(mix->ops[to], "{irecv: {from: %s, size: %d B, tag: %d, request: r%d}}, ",
                           "any", size, tag, tag);
}

static void one(struct mix *mix)
{
    int from = pick(mix, mix->ranks), to = (from + 1 + pick(mix, mix->ranks - 1)) % mix->ranks;
    switch (pick(mix, 9)) {
    case 0:
    case 1:
    case 2:
        active_message(mix, from, to);
        break;
    case 3:
    case 4:
        write(mix, from, to);
        break;
    case 5:
        if (mix->reads)
            read(mix, from, to);
        break;
    case 6:
        send(mix, from, to);
        break;
    case 7:
        g_string_append_printf(mix->ops[from], "{compute: %d us}, ", 1 + pick(mix, 300));
        break;
    case 8:
        g_string_append(mix->ops[from], "{poll: 0}, ");
        break;
    }
}

static struct mix mix_new(guint32 seed)
{
    struct mix mix = {.random = g_rand_new_with_seed(seed)};
    mix.ranks = 2 + pick(&mix, 3);
    for (int rank = 0; rank < mix.ranks; rank++)
        mix.ops[rank] = g_string_new(NULL);
    pick_machine(&mix);
    int count = 5 + pick(&mix, 120);
    for (int i = 0; i < count; i++)
        one(&mix);
    for (int rank = 0; rank < mix.ranks; rank++)
        g_string_append_printf(mix.ops[rank],
                               "{waitall: all}, {poll: %d}, {call: {name: notified, count: %d}}, "
                               "barrier",
                               mix.handled[rank], mix.notified[rank]);
    return mix;
}

static void mix_clear(struct mix *mix)
{
    for (int rank = 0; rank < mix->ranks; rank++)
        g_string_free(mix->ops[rank], TRUE);
    for (int i = 0; i < mix->set_count; i++)
        g_free(mix->sets[i]);
    g_rand_free(mix->random);
}

static void explain(const struct mix *mix, guint32 seed)
{
    fprintf(stderr, "\nseed %u\n", seed);
    for (int i = 0; i < mix->set_count; i++)
        fprintf(stderr, "  %s\n", mix->sets[i]);
    for (int rank = 0; rank < mix->ranks; rank++)
        fprintf(stderr, "  rank %d: %s\n", rank, mix->ops[rank]->str);
}

static bool good(const struct program_run *run)
{
    char *text = program_reason(run, "text"), *ledger = program_ledger_text(run);
    bool good = run->result->status == SIM_COMPLETED && run->result->ledger_balanced;
    if (!good)
        fprintf(stderr, "%s\n%s", text, ledger);
    g_free(text);
    g_free(ledger);
    return good;
}

static bool is_as_told(const struct call_log *log)
{
    struct one_sided check = {.log = log, .whole = true, .complaints = g_string_new(NULL)};
    one_sided_check(&check);
    bool right = check.complaints->len == 0;
    if (!right)
        fprintf(stderr, "\n%s", check.complaints->str);
    g_string_free(check.complaints, TRUE);
    return right;
}

// Counters that the programs together must have raised.
static const char *const reached[] = {"GRIM: messages refused",       "GRIM: messages sent again",
                                      "GRIM: overflow messages",      "GRIM: translation misses",
                                      "GRIM: translations displaced", NULL};

static int64_t total[G_N_ELEMENTS(reached)];

static bool try_seed(guint32 seed)
{
    struct mix mix = mix_new(seed);
    struct test_program program = {.ranks = mix.ranks};
    for (int rank = 0; rank < mix.ranks; rank++)
        program.ops[rank] = mix.ops[rank]->str;
    memcpy(program.sets, mix.sets, sizeof mix.sets);
    struct call_log *log = call_log_new();
    struct program_run *first = grim_run_observed(&program, &log->observer),
                       *second = grim_run(&program);
    bool fine =
        good(first) && is_as_told(log) && first->result->fingerprint == second->result->fingerprint;
    for (int i = 0; reached[i]; i++)
        total[i] += program_counter(first, reached[i]);
    if (!fine)
        explain(&mix, seed);
    program_run_free(first);
    program_run_free(second);
    call_log_free(log);
    mix_clear(&mix);
    return fine;
}

static int number_of(const char *name, int otherwise)
{
    const char *text = g_getenv(name);
    return text ? (int)strtol(text, NULL, 10) : otherwise;
}

static void random_programs(void)
{
    int first = number_of("NETSIM_RANDOM_FIRST", 1),
        count = number_of("NETSIM_RANDOM_PROGRAMS", 60);
    for (int i = 0; i < count; i++)
        CU_ASSERT_FATAL(try_seed((guint32)(first + i)));
    for (int i = 0; reached[i] && count >= 60; i++) {
        if (total[i] == 0)
            fprintf(stderr, "never: %s\n", reached[i]);
        CU_ASSERT(total[i] > 0);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {{"mixed programs", random_programs}, {0}};
    return suite_run("grim: random programs", cases);
}
