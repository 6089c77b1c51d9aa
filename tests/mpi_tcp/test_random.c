// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs over LAM's TCP RPI and over ch_p4 must end, with every byte delivered once and in
// MPI's order, whatever the network loses; and equal runs must be equal.
//
// A program is a few rounds. In each, messages go between random ranks (also to the same), of
// random class, tag and mode; every rank starts its sends and receives in random order with random
// pauses, waits for all and goes through a barrier. Thresholds, socket buffers and loss are random
// too. ch_p4 writes each message to its end before it goes on, with buffers that hold less: that
// this ends is a property of who reads while it can't write (the lower rank of a pair).
//
// NETSIM_RANDOM_PROGRAMS sets how many are tried of each library (200), NETSIM_RANDOM_FIRST the
// first seed (1).
#include "tests/support/rpi_run.h"
#include "tests/support/suite.h"

#define MOST_MESSAGES 16 // of a round
#define TAGS 3

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
    int64_t short_limit, eager;
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
        return g->short_limit;
    case 2:
        return g->short_limit + 1;
    case 3:
        return g->eager;
    case 4:
        return g->eager + 1;
    case 5:
        return pick(g, 0, 100);
    case 6:
        return pick(g, 0, (int)g->short_limit + 1);
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

// Each message stands twice in a random order: its send and its receive.
static void append_round(struct generator *g, const struct round *round)
{
    int turns = pick(g, 1, 3);
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

static void append_sets(struct generator *g, bool lam)
{
    static const int buffers[] = {2048, 3000, 8192, 65536};
    int64_t buffer = buffers[pick(g, 0, G_N_ELEMENTS(buffers))];
    if (lam) {
        append_set(g, "lam_tcp.short", g->short_limit, " B");
        append_set(g, "lam_tcp.socket_buffer", buffer, " B");
        g_string_append_printf(g->sets, "lam_tcp.fast_calls=%s\n",
                               chance(g, 0.5) ? "true" : "false");
    } else {
        append_set(g, "mpich_p4.short", g->short_limit, " B");
        append_set(g, "mpich_p4.eager", g->eager, " B");
        append_set(g, "mpich_p4.socket_buffer", buffer, " B");
        g_string_append_printf(g->sets, "mpich_p4.writev=%s\n", chance(g, 0.5) ? "true" : "false");
    }
    append_set(g, "tcp.mtu", pick(g, 400, 1501), " B");
    if (chance(g, 0.4))
        g_string_append_printf(g->sets, "link.drop_probability=%.3f\n",
                               g_rand_double_range(g->random, 0, 0.02));
}

static void generate(struct generator *g, guint32 seed, bool lam)
{
    *g = (struct generator){.random = g_rand_new_with_seed(seed)};
    g->ranks = pick(g, 2, RPI_MOST_RANKS + 1);
    g->short_limit = pick(g, 0, 9000);
    g->eager = g->short_limit + pick(g, 0, 9000);
    g->sets = g_string_new(NULL);
    for (int rank = 0; rank < g->ranks; rank++)
        g->ops[rank] = g_string_new(NULL);
    int rounds = pick(g, 1, 4);
    for (int i = 0; i < rounds; i++) {
        struct round round;
        fill_round(g, &round);
        append_round(g, &round);
    }
    append_sets(g, lam);
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
static const char *const wanted_lam[] = {
    "send_short -> done",     "send_synch -> wait_ack", "wait_ack -> send_body",
    "wait_2nd -> read_body",  "read_body -> send_ack",  "unexpected_short",
    "unexpected_long",        "unexpected_self",        "start -> read_body",
    "start -> send_ack_long", "start -> wait_self",     NULL,
};
static const char *const wanted_p4[] = {
    "send_short -> done",
    "send_eager -> done",
    "wait_ok -> send_data",
    "posted -> wait_data",
    "posted -> send_ok",
    "unexpected_short",
    "unexpected_eager",
    "unexpected_request",
    "start -> send_ok",
    "start -> wait_self",
    NULL,
};

static bool run_is_right(const struct rpi_run *run)
{
    const struct series_result *result = run->result;
    return result->status == SIM_COMPLETED && result->ledger_balanced &&
           result->ledger.misordered == 0 && result->ledger.duplicated == 0;
}

static bool run_is_repeated(const struct rpi_program *program, const struct rpi_run *run)
{
    struct rpi_run *again = rpi_run(program, 1);
    bool same = run->result->fingerprint == again->result->fingerprint &&
                run->result->events == again->result->events &&
                run->lines->len == again->lines->len;
    rpi_run_free(again);
    return same;
}

static void complain(const struct generator *g, guint32 seed, const struct rpi_run *run)
{
    char *text = rpi_reason(run, "text"), *ranks = rpi_reason(run, "ranks"),
         *books = rpi_ledger_text(run);
    fprintf(stderr, "\nprogram %u: %s %s\n%s\n%s%s", seed, sim_status_name(run->result->status),
            text, ranks, books, g->sets->str);
    for (int rank = 0; rank < g->ranks; rank++)
        fprintf(stderr, "rank %d: %s\n", rank, g->ops[rank]->str);
    g_free(text);
    g_free(ranks);
    g_free(books);
}

static bool try_program(guint32 seed, bool lam, const char *const *wanted, int *reached)
{
    struct generator g;
    generate(&g, seed, lam);
    struct rpi_program program = {.ranks = g.ranks, .stack = lam ? "lam_tcp" : "mpich_p4"};
    char **sets = g_strsplit(g_strchomp(g.sets->str), "\n", -1);
    for (int i = 0; sets[i]; i++)
        program.sets[i] = sets[i];
    for (int rank = 0; rank < g.ranks; rank++)
        program.ops[rank] = g.ops[rank]->str;
    struct rpi_run *run = rpi_run(&program, 1);
    bool right = run_is_right(run) && run_is_repeated(&program, run);
    if (!right)
        complain(&g, seed, run);
    for (int i = 0; wanted[i]; i++)
        for (int rank = 0; rank < g.ranks; rank++)
            reached[i] += rpi_run_count(run, rank, wanted[i]);
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

static void try_programs(bool lam, const char *const *wanted)
{
    guint32 first = setting("NETSIM_RANDOM_FIRST", 1);
    guint32 count = setting("NETSIM_RANDOM_PROGRAMS", 200);
    int wrong = 0, reached[16] = {0};
    for (guint32 i = 0; i < count && wrong < 3; i++)
        wrong += !try_program(first + i, lam, wanted, reached);
    SUITE_SAME_INTEGER(wrong, 0);
    for (int i = 0; count >= 200 && wanted[i]; i++)
        if (reached[i] == 0)
            SUITE_SAME_TEXT("never", wanted[i]);
}

static void test_lam(void)
{
    try_programs(true, wanted_lam);
}

static void test_p4(void)
{
    try_programs(false, wanted_p4);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"LAM over TCP", test_lam}, {"MPICH over ch_p4", test_p4}, {0}};
    return suite_run("mpi_tcp: random programs", cases);
}
