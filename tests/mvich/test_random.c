// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs over MVICH must end, with every byte delivered once and in MPI's order, credits
// conserved and nothing left in use, and equal runs must be equal.
//
// A program is a few rounds. In each, messages go between random ranks (also to the same), of
// random length, tag and mode; every rank starts its sends and receives in random order with random
// pauses, waits for all and, at times, goes through a barrier. Thresholds, vbufs, credits, rings,
// the ways of waiting and the limits of the registration cache are random too: as the protocol has
// flow control, nothing has to be sized for the program.
//
// NETSIM_RANDOM_PROGRAMS sets how many are tried (400), NETSIM_RANDOM_FIRST the first seed (1).
#include "tests/support/mvich_books.h"
#include "tests/support/suite.h"

#include <string.h>

#define MOST_MESSAGES 24 // of a round
#define TAGS 3
#define LOOKS 40 // at the books of a run
#define PAGE 4096
#define ARENA 0x40000000

struct message {
    int from, to, tag;
    int64_t size;
    bool synchronous;
};

struct generator {
    GRand *random;
    int ranks;
    int64_t threshold, vbuf;
    bool arena; // all buffers lie in a few pages and overlap
    struct message messages[MOST_MESSAGES];
    int count;
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

// All protocols, and often their very boundaries and those of vbufs.
static int64_t pick_size(struct generator *g)
{
    switch (pick(g, 0, 7)) {
    case 0:
        return 0;
    case 1:
        return g->threshold - pick(g, 0, 2);
    case 2:
        return pick(g, 0, (int)g->threshold);
    case 3: // what fills an EAGER_START's vbuf, about
        return g->vbuf - 36 + pick(g, -1, 2);
    case 4:
        return 2048 - pick(g, 0, 2);
    case 5:
        return pick(g, 0, 200);
    default:
        return pick(g, (int)g->threshold, 40000);
    }
}

static void fill_round(struct generator *g)
{
    g->count = pick(g, 1, MOST_MESSAGES + 1);
    for (int i = 0; i < g->count; i++)
        g->messages[i] = (struct message){
            .from = pick(g, 0, g->ranks),
            .to = pick(g, 0, g->ranks),
            .tag = pick(g, 0, TAGS),
            .size = pick_size(g),
            .synchronous = chance(g, 0.25),
        };
}

// ---- A round as operations ----

static int64_t receive_size(const struct generator *g, const struct message *message, bool any)
{
    int64_t size = 0;
    for (int i = 0; i < g->count; i++) {
        const struct message *other = &g->messages[i];
        bool may = other->to == message->to &&
                   (any || (other->from == message->from && other->tag == message->tag));
        size = may ? MAX(size, other->size) : size;
    }
    return size;
}

static void append_message(struct generator *g, int index, bool sends, bool any)
{
    const struct message *message = &g->messages[index];
    GString *ops = g->ops[sends ? message->from : message->to];
    if (chance(g, 0.4))
        g_string_append_printf(ops, "{compute: %d us}, ", pick(g, 1, 3000));
    if (chance(g, 0.15))
        g_string_append(ops, "{iprobe: {from: any, tag: 77}}, ");
    char *buffer =
        g->arena ? g_strdup_printf(", buffer: %d", ARENA + PAGE * pick(g, 0, 6)) : g_strdup("");
    if (sends)
        g_string_append_printf(
            ops, "{%s: {to: %d, size: %" G_GINT64_FORMAT " B, tag: %d, request: s%d%s}}, ",
            message->synchronous ? "issend" : "isend", message->to, message->size, message->tag,
            index, buffer);
    else if (any)
        g_string_append_printf(
            ops, "{irecv: {from: any, tag: any, size: %" G_GINT64_FORMAT " B, request: r%d%s}}, ",
            receive_size(g, message, true), index, buffer);
    else
        g_string_append_printf(
            ops, "{irecv: {from: %d, tag: %d, size: %" G_GINT64_FORMAT " B, request: r%d%s}}, ",
            message->from, message->tag, receive_size(g, message, false), index, buffer);
    g_free(buffer);
}

// Each message stands twice in a random order: its send and its receive. With wildcards a round
// must end before the next begins; without, rounds may run into each other.
static void append_round(struct generator *g)
{
    int turns = pick(g, 1, 4), order[2 * MOST_MESSAGES];
    bool any[RPI_MOST_RANKS], wild = false;
    for (int rank = 0; rank < g->ranks; rank++) {
        g_string_append_printf(g->ops[rank], "{loop: {count: %d, do: [", turns);
        any[rank] = chance(g, 0.2);
        wild |= any[rank];
    }
    for (int i = 0; i < 2 * g->count; i++) {
        int at = pick(g, 0, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int i = 0; i < 2 * g->count; i++)
        append_message(g, order[i] / 2, order[i] % 2, any[g->messages[order[i] / 2].to]);
    bool barrier = wild || chance(g, 0.3);
    for (int rank = 0; rank < g->ranks; rank++)
        g_string_append_printf(g->ops[rank], "{waitall: all}%s]}}, ", barrier ? ", barrier" : "");
}

// ---- A program ----

static void append_set(struct generator *g, const char *name, int64_t value, const char *unit)
{
    g_string_append_printf(g->sets, "%s=%" G_GINT64_FORMAT "%s\n", name, value, unit);
}

static void append_sets(struct generator *g)
{
    static const int rings[] = {2, 3, 8, 64};
    int64_t preserve = pick(g, 1, 8), notify = pick(g, 1, 8);
    int64_t depth = preserve + notify + pick(g, 0, 20), extra = pick(g, 0, 2) * pick(g, 0, 20);
    append_set(g, "mvich.rendezvous_threshold", g->threshold, " B");
    append_set(g, "mvich.vbuf", g->vbuf, " B");
    append_set(g, "mvich.vbuf_pool", pick(g, 1, 300), "");
    append_set(g, "mvich.credit_preserve", preserve, "");
    append_set(g, "mvich.credit_notify_threshold", notify, "");
    append_set(g, "mvich.dynamic_credit_threshold", notify + pick(g, 0, 20), "");
    append_set(g, "mvich.prepost_depth", depth, "");
    append_set(g, "mvich.prepost_rendezvous_extra", extra, "");
    append_set(g, "mvich.prepost_noop_extra", (depth + extra + notify - 1) / notify, "");
    append_set(g, "mvich.dreg_entries", pick(g, 1, 6), "");
    append_set(g, "mvia.mtu", pick(g, 300, 1501), " B");
    append_set(g, "eepro100.tx_ring", rings[pick(g, 0, G_N_ELEMENTS(rings))], "");
    // No frame may be lost: M-VIA does not send it again.
    append_set(g, "eepro100.rx_ring", 4096, "");
    append_set(g, "switch.queue", 0, "");
    g_string_append_printf(g->sets, "mvich.completion_queue=%s\n",
                           chance(g, 0.3) ? "true" : "false");
    g_string_append_printf(g->sets, "mvich.wait=%s\n", chance(g, 0.3) ? "spin_wait" : "poll");
}

static void generate(struct generator *g, guint32 seed)
{
    *g = (struct generator){.random = g_rand_new_with_seed(seed)};
    g->ranks = pick(g, 1, 5);
    g->threshold = pick(g, 1, 8000);
    g->vbuf = pick(g, 128, 4096);
    g->arena = chance(g, 0.4);
    g->sets = g_string_new(NULL);
    for (int rank = 0; rank < g->ranks; rank++)
        g->ops[rank] = g_string_new(NULL);
    for (int rounds = pick(g, 1, 4); rounds > 0; rounds--) {
        fill_round(g);
        append_round(g);
    }
    for (int rank = 0; rank < g->ranks; rank++)
        g_string_append(g->ops[rank], "barrier");
    append_sets(g);
}

static void generator_clear(struct generator *g)
{
    for (int rank = 0; rank < g->ranks; rank++)
        g_string_free(g->ops[rank], TRUE);
    g_string_free(g->sets, TRUE);
    g_rand_free(g->random);
}

// ---- Runs ----

// What must have happened in the many programs together.
static const char *const wanted[] = {
    "start -> eager_sent",
    "wait_reply rput",
    "wait_reply r3, not registered",
    "receive_r3 r3, not",
    "receive_eager eager",
    "unexpected",
    "start -> receive_r3",
    "start -> receive_rput",
    "wait_self self",
    "eager without credits",
    "backlog sent",
    "noop",
    "dreg hit",
    "pages, references 2",
    "dreg evicted",
};
static int reached[G_N_ELEMENTS(wanted)];

static bool run_is_right(const struct rpi_run *run, int ranks)
{
    const struct series_result *result = run->result;
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++)
        for (int rank = 0; rank < ranks; rank++)
            reached[i] += rpi_run_count(run, rank, wanted[i]);
    return result->status == SIM_COMPLETED && result->ledger_balanced &&
           result->ledger.misordered == 0 && result->ledger.duplicated == 0;
}

// A second run is equal to the first; its books are right on the way and at the end.
static bool run_is_repeated(const struct rpi_program *program, const struct rpi_run *run)
{
    struct rpi_bench *bench = rpi_bench_new(program);
    unsigned failures = CU_get_number_of_failures();
    for (int look = 1; look <= LOOKS; look++) {
        rpi_bench_run(bench, 1.7 * look);
        mvich_bench_expect_credits(bench);
    }
    rpi_bench_run(bench, 0);
    mvich_bench_expect_quiet(bench);
    bool same = run->result->fingerprint == engine_fingerprint(bench->sim->engine) &&
                run->result->events == engine_events(bench->sim->engine) &&
                run->lines->len == bench->lines->len;
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
    struct rpi_program program = {.ranks = g.ranks, .stack = "mvich"};
    char **sets = g_strsplit(g_strchomp(g.sets->str), "\n", -1);
    g_assert(g_strv_length(sets) < G_N_ELEMENTS(program.sets));
    for (int i = 0; sets[i]; i++)
        program.sets[i] = sets[i];
    for (int rank = 0; rank < g.ranks; rank++)
        program.ops[rank] = g.ops[rank]->str;
    struct rpi_run *run = rpi_run(&program, 1);
    bool right = run_is_right(run, g.ranks) && run_is_repeated(&program, run);
    if (!right)
        complain(&g, seed, run);
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
    return suite_run("mvich: random programs", cases);
}
