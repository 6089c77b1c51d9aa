// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs over the VIA RPI must end, with every byte delivered once and in MPI's order and
// nothing left in use, and equal runs must be equal.
//
// A program is a few rounds. In each, messages go between random ranks (also to the same), of
// random class, tag and mode; every rank starts its sends and receives in random order with random
// pauses, waits for all and goes through a barrier. Thresholds, descriptors, rings and the limit of
// pinnable memory are random too, within what such a program needs: there is no flow control, so
// area and receive descriptors are sized for all that one round can put there unread. After the
// barrier a round's messages are all read; area space twice a round's bytes makes the writer wrap
// without lapping the reader.
//
// NETSIM_RANDOM_PROGRAMS sets how many are tried (400), NETSIM_RANDOM_FIRST the first seed (1).
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#include <string.h>

#define ENVELOPE 36
#define PAGE 4096
#define MOST_MESSAGES 24 // of a round
#define TAGS 3
#define BARRIER_TRANSFERS 2 // of two neighbouring rounds, from one rank to another

struct message {
    int from, to, tag;
    int64_t size;
    bool synchronous;
};

struct round {
    struct message messages[MOST_MESSAGES];
    int count;
};

struct generator {
    GRand *random;
    int ranks;
    int64_t tiny, short_limit;
    // What the rounds so far need at most.
    int64_t transfers, area, pinned;
    GString *ops[RPI_MOST_RANKS];
    GString *sets;
};

static int pick(struct generator *g, int from, int below)
{
    return g_rand_int_range(g->random, from, below);
}

static bool chance(struct generator *g, double probability)
{
    return g_rand_double(g->random) < probability;
}

// All classes, and often their very boundaries.
static int64_t pick_size(struct generator *g)
{
    switch (pick(g, 0, 8)) {
    case 0:
        return 0;
    case 1:
        return g->tiny;
    case 2:
        return pick(g, 0, (int)g->tiny + 1);
    case 3:
        return g->tiny + 1;
    case 4:
        return g->short_limit;
    case 5:
        return pick(g, (int)g->tiny, (int)g->short_limit + 1);
    case 6:
        return g->short_limit + 1;
    default:
        return pick(g, (int)g->short_limit, 40000);
    }
}

static void fill_round(struct generator *g, struct round *round)
{
    round->count = pick(g, 1, MOST_MESSAGES + 1);
    for (int i = 0; i < round->count; i++)
        round->messages[i] = (struct message){
            .from = pick(g, 0, g->ranks),
            .to = pick(g, 0, g->ranks),
            .tag = pick(g, 0, TAGS),
            .size = pick_size(g),
            .synchronous = chance(g, 0.25),
        };
}

// ---- What a round needs ----

static bool is_long(const struct generator *g, const struct message *message)
{
    return message->size > g->short_limit;
}

// Transfers with immediate data from rank a to rank b, and bytes in b's area for a.
static void need_of_pair(struct generator *g, const struct round *round, int a, int b)
{
    int64_t transfers = BARRIER_TRANSFERS, bytes = BARRIER_TRANSFERS * ENVELOPE;
    for (int i = 0; i < round->count; i++) {
        const struct message *message = &round->messages[i];
        if (message->from == a && message->to == b) {
            transfers += message->size > g->tiny ? 2 : 1;
            bytes += ENVELOPE + (is_long(g, message) ? 0 : message->size);
        } else if (message->from == b && message->to == a) {
            transfers++; // its ACK
            bytes += ENVELOPE;
        }
    }
    g->transfers = MAX(g->transfers, transfers);
    g->area = MAX(g->area, 2 * (bytes + g->short_limit));
}

static int64_t pages(int64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

// Memory that a rank may have to pin for one round at once: user buffers, and an envelope buffer
// for each request and those of the barrier.
static void need_of_rank(struct generator *g, const struct round *round, int rank)
{
    int64_t bytes = 0, largest = 0, slot = ENVELOPE + g->tiny, slots = 2 * RPI_MOST_RANKS;
    for (int i = 0; i < round->count; i++)
        if (round->messages[i].to == rank)
            largest = MAX(largest, round->messages[i].size);
    for (int i = 0; i < round->count; i++) {
        const struct message *message = &round->messages[i];
        if (message->from == rank && message->size > g->tiny)
            bytes += pages(message->size);
        if (message->to == rank && largest > g->short_limit)
            bytes += pages(largest);
        slots += (message->from == rank) + (message->to == rank);
    }
    int64_t of_block = pages(slot) / slot;
    g->pinned = MAX(g->pinned, bytes + (slots + of_block - 1) / of_block * pages(slot));
}

// ---- A round as operations ----

static int64_t receive_size(const struct round *round, const struct message *message, bool any)
{
    int64_t size = 0;
    for (int i = 0; i < round->count; i++) {
        const struct message *other = &round->messages[i];
        bool may = other->to == message->to &&
                   (any || (other->from == message->from && other->tag == message->tag));
        size = may ? MAX(size, other->size) : size;
    }
    return size;
}

static void append_pause(struct generator *g, int rank)
{
    if (chance(g, 0.4))
        g_string_append_printf(g->ops[rank], "{compute: %d us}, ", pick(g, 1, 3000));
    if (chance(g, 0.15))
        g_string_append(g->ops[rank], "{iprobe: {from: any, tag: 77}}, ");
}

static void append_message(struct generator *g, const struct round *round, int index, bool sends,
                           bool any)
{
    const struct message *message = &round->messages[index];
    int rank = sends ? message->from : message->to;
    append_pause(g, rank);
    if (sends)
        g_string_append_printf(
            g->ops[rank], "{%s: {to: %d, size: %" G_GINT64_FORMAT " B, tag: %d, request: s%d}}, ",
            message->synchronous ? "issend" : "isend", message->to, message->size, message->tag,
            index);
    else if (any)
        g_string_append_printf(g->ops[rank],
                               "{irecv: {from: any, tag: any, size: %" G_GINT64_FORMAT
                               " B, request: r%d}}, ",
                               receive_size(round, message, true), index);
    else
        g_string_append_printf(
            g->ops[rank],
            "{irecv: {from: %d, tag: %d, size: %" G_GINT64_FORMAT " B, request: r%d}}, ",
            message->from, message->tag, receive_size(round, message, false), index);
}

// Each message stands twice in a random order: its send and its receive. A round may be repeated:
// then its buffers are used again.
static void append_round(struct generator *g, const struct round *round)
{
    int turns = pick(g, 1, 4);
    for (int rank = 0; rank < g->ranks; rank++)
        g_string_append_printf(g->ops[rank], "{loop: {count: %d, do: [", turns);
    int order[2 * MOST_MESSAGES], count = 2 * round->count;
    bool any[RPI_MOST_RANKS];
    for (int rank = 0; rank < g->ranks; rank++)
        any[rank] = chance(g, 0.3);
    for (int i = 0; i < count; i++) {
        int at = pick(g, 0, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int i = 0; i < count; i++) {
        int index = order[i] / 2;
        append_message(g, round, index, order[i] % 2, any[round->messages[index].to]);
    }
    for (int rank = 0; rank < g->ranks; rank++)
        g_string_append(g->ops[rank], "{waitall: all}, barrier]}}, ");
}

// ---- A program ----

static void append_set(struct generator *g, const char *name, int64_t value, const char *unit)
{
    g_string_append_printf(g->sets, "%s=%" G_GINT64_FORMAT "%s\n", name, value, unit);
}

static void append_sets(struct generator *g)
{
    static const int rings[] = {2, 3, 8, 64};
    int64_t piece = MAX(g->short_limit, g->tiny + ENVELOPE);
    append_set(g, "lam_via.tiny", g->tiny, " B");
    append_set(g, "lam_via.short", g->short_limit, " B");
    append_set(g, "lam_via.area", g->area + pick(g, 0, 5000), " B");
    append_set(g, "lam_via.envelope", ENVELOPE, " B");
    append_set(g, "lam_via.sdescs", pick(g, 2, 12), "");
    append_set(g, "lam_via.rdescs", g->transfers + pick(g, 0, 5), "");
    append_set(g, "mvia.largest_transfer", piece + pick(g, 0, 10000), " B");
    append_set(g, "mvia.mtu", pick(g, 300, 1501), " B");
    append_set(g, "eepro100.tx_ring", rings[pick(g, 0, G_N_ELEMENTS(rings))], "");
    // No frame may be lost: M-VIA does not send it again.
    append_set(g, "eepro100.rx_ring", 4096, "");
    append_set(g, "switch.queue", 0, "");
    if (chance(g, 0.5)) {
        int64_t of_peer = pages(g->area + 5000) + pages(64 * (12 + g->transfers + 5));
        append_set(g, "host.memory.pin_limit", g->pinned + (g->ranks - 1) * of_peer, " B");
    }
}

static void generate(struct generator *g, guint32 seed)
{
    *g = (struct generator){.random = g_rand_new_with_seed(seed)};
    g->ranks = pick(g, 2, RPI_MOST_RANKS + 1);
    g->tiny = pick(g, 0, 3000);
    g->short_limit = g->tiny + pick(g, 0, 9000);
    g->sets = g_string_new(NULL);
    for (int rank = 0; rank < g->ranks; rank++)
        g->ops[rank] = g_string_new(NULL);
    int rounds = pick(g, 1, 4);
    for (int i = 0; i < rounds; i++) {
        struct round round;
        fill_round(g, &round);
        append_round(g, &round);
        for (int a = 0; a < g->ranks; a++) {
            need_of_rank(g, &round, a);
            for (int b = 0; b < g->ranks; b++)
                need_of_pair(g, &round, a, b);
        }
    }
    append_sets(g);
}

static void generator_clear(struct generator *g)
{
    for (int rank = 0; rank < g->ranks; rank++)
        g_string_free(g->ops[rank], TRUE);
    g_string_free(g->sets, TRUE);
    g_rand_free(g->random);
}

// ---- The test ----

// States that the programs together have to reach, or they would show little.
static const char *const wanted[] = {
    "-> envelope_sent tiny",
    "-> envelope_sent short",
    "-> syn_sent long",
    "-> wait_descriptor",
    "-> wait_turn",
    "unexpected_tiny",
    "unexpected_short",
    "unexpected_long",
    "start -> wait_body",
    "wait_ack self",
    "ack_sent target",
    "ack_sent synchronous",
    "pin evicted",
    "pin hit",
    "last piece",
};
static int reached[G_N_ELEMENTS(wanted)];

static void count_reached(const struct rpi_run *run, int ranks)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++)
        for (int rank = 0; rank < ranks; rank++)
            reached[i] += rpi_run_count(run, rank, wanted[i]);
}

static bool run_is_right(const struct rpi_run *run)
{
    const struct series_result *result = run->result;
    return result->status == SIM_COMPLETED && result->ledger_balanced &&
           result->ledger.misordered == 0 && result->ledger.duplicated == 0;
}

// A second run is equal to the first, and leaves nothing behind.
static bool run_is_repeated(const struct rpi_program *program, const struct rpi_run *run)
{
    struct rpi_bench *bench = rpi_bench_new(program);
    unsigned failures = CU_get_number_of_failures();
    rpi_bench_run(bench, 0);
    bool same = run->result->fingerprint == engine_fingerprint(bench->sim->engine) &&
                run->result->events == engine_events(bench->sim->engine) &&
                run->lines->len == bench->lines->len;
    for (int rank = 0; rank < bench->ranks; rank++) {
        char *first = rpi_run_text(run, rank, RPI_REQUESTS_AND_PINS);
        char *second =
            rpi_run_text(&(struct rpi_run){.lines = bench->lines}, rank, RPI_REQUESTS_AND_PINS);
        same &= strcmp(first, second) == 0;
        rpi_bench_expect_quiet(bench, rank);
        g_free(first);
        g_free(second);
    }
    rpi_bench_free(bench);
    return same && CU_get_number_of_failures() == failures;
}

static void complain(const struct generator *g, guint32 seed, const struct rpi_run *run)
{
    char *text = rpi_reason(run, "text"), *books = rpi_ledger_text(run);
    fprintf(stderr, "\nprogram %u: %s %s\n%s%s", seed, sim_status_name(run->result->status), text,
            books, g->sets->str);
    for (int rank = 0; rank < g->ranks; rank++)
        fprintf(stderr, "rank %d: %s\n", rank, g->ops[rank]->str);
    g_free(text);
    g_free(books);
}

static bool try_program(guint32 seed)
{
    struct generator g;
    generate(&g, seed);
    struct rpi_program program = {.ranks = g.ranks};
    char **sets = g_strsplit(g_strchomp(g.sets->str), "\n", -1);
    for (int i = 0; sets[i]; i++)
        program.sets[i] = sets[i];
    for (int rank = 0; rank < g.ranks; rank++)
        program.ops[rank] = g.ops[rank]->str;
    struct rpi_run *run = rpi_run(&program, 1);
    bool right = run_is_right(run) && run_is_repeated(&program, run);
    if (!right)
        complain(&g, seed, run);
    count_reached(run, g.ranks);
    rpi_run_free(run);
    g_strfreev(sets);
    generator_clear(&g);
    return right;
}

static guint32 setting(const char *name, guint32 fallback)
{
    const char *text = g_getenv(name);
    return text ? (guint32)g_ascii_strtoull(text, NULL, 10) : fallback;
}

static void test_programs(void)
{
    guint32 first = setting("NETSIM_RANDOM_FIRST", 1);
    guint32 count = setting("NETSIM_RANDOM_PROGRAMS", 400);
    int wrong = 0;
    for (guint32 i = 0; i < count && wrong < 3; i++)
        wrong += !try_program(first + i);
    SUITE_SAME_INTEGER(wrong, 0);
    for (size_t i = 0; count >= 400 && i < G_N_ELEMENTS(wanted); i++)
        if (reached[i] == 0)
            SUITE_SAME_TEXT("never", wanted[i]);
}

int main(void)
{
    static const struct suite_case cases[] = {{"random programs", test_programs}, {0}};
    return suite_run("rpi: random programs", cases);
}
