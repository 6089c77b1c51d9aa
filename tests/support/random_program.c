// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/random_program.h"
#include "tests/support/suite.h"

#define TAGS 3
#define MOST_TURNS 3 // of a round, which is a loop
#define ARENA 0x40000000
#define ARENA_PAGES 6
#define PAGE 4096
#define MOST_WRONG 3 // programs, before the test gives up

int program_pick(struct random_program *program, int from, int below)
{
    return g_rand_int_range(program->random, from, below);
}

bool program_chance(struct random_program *program, double probability)
{
    return g_rand_double(program->random) < probability;
}

void program_set(struct random_program *program, const char *path, int64_t value, const char *unit)
{
    g_string_append_printf(program->sets, "%s=%" G_GINT64_FORMAT "%s\n", path, value, unit);
}

void program_set_text(struct random_program *program, const char *path, const char *value)
{
    g_string_append_printf(program->sets, "%s=%s\n", path, value);
}

void program_ranks(struct random_program *program, int ranks)
{
    program->ranks = ranks;
    for (int rank = 0; rank < ranks; rank++)
        program->ops[rank] = g_string_new(NULL);
}

// ---- A round ----

static void fill_round(struct random_program *program, struct random_round *round,
                       int64_t (*pick_size)(struct random_program *program, const void *owner),
                       const void *owner)
{
    round->count = program_pick(program, 1, program->most_messages + 1);
    for (int i = 0; i < round->count; i++)
        round->messages[i] = (struct random_message){
            .from = program_pick(program, 0, program->ranks),
            .to = program_pick(program, 0, program->ranks),
            .tag = program_pick(program, 0, TAGS),
            .size = pick_size(program, owner),
            .synchronous = program_chance(program, 0.25),
        };
}

// The longest message that a receive may be given.
static int64_t receive_size(const struct random_round *round, const struct random_message *message,
                            bool any)
{
    int64_t size = 0;
    for (int i = 0; i < round->count; i++) {
        const struct random_message *other = &round->messages[i];
        bool may = other->to == message->to &&
                   (any || (other->from == message->from && other->tag == message->tag));
        size = may ? MAX(size, other->size) : size;
    }
    return size;
}

static void append_pause(struct random_program *program, GString *ops)
{
    if (program_chance(program, 0.4))
        g_string_append_printf(ops, "{compute: %d us}, ", program_pick(program, 1, 3000));
    if (program_chance(program, 0.15))
        g_string_append(ops, "{iprobe: {from: any, tag: 77}}, ");
}

static void append_message(struct random_program *program, const struct random_round *round,
                           int index, bool sends, bool any)
{
    const struct random_message *message = &round->messages[index];
    GString *ops = program->ops[sends ? message->from : message->to];
    append_pause(program, ops);
    if (sends)
        g_string_append_printf(ops, "{%s: {to: %d, tag: %d, request: s%d, size: %" G_GINT64_FORMAT,
                               message->synchronous ? "issend" : "isend", message->to, message->tag,
                               index, message->size);
    else if (any)
        g_string_append_printf(
            ops, "{irecv: {from: any, tag: any, request: r%d, size: %" G_GINT64_FORMAT, index,
            receive_size(round, message, true));
    else
        g_string_append_printf(
            ops, "{irecv: {from: %d, tag: %d, request: r%d, size: %" G_GINT64_FORMAT, message->from,
            message->tag, index, receive_size(round, message, false));
    g_string_append(ops, " B");
    if (program->arena)
        g_string_append_printf(ops, ", buffer: %d",
                               ARENA + PAGE * program_pick(program, 0, ARENA_PAGES));
    g_string_append(ops, "}}, ");
}

// Each message stands twice in a random order: its send and its receive. A round may be repeated:
// then its buffers are used again. With wildcards a round must end before the next begins; without,
// rounds may run into each other.
static void append_round(struct random_program *program, const struct random_round *round)
{
    int turns = program_pick(program, 1, MOST_TURNS + 1);
    int order[2 * RANDOM_MOST_MESSAGES], count = 2 * round->count;
    bool any[RANDOM_MOST_RANKS], wild = false;
    for (int rank = 0; rank < program->ranks; rank++) {
        g_string_append_printf(program->ops[rank], "{loop: {count: %d, do: [", turns);
        any[rank] = program_chance(program, program->wild);
        wild |= any[rank];
    }
    for (int i = 0; i < count; i++) {
        int at = program_pick(program, 0, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int i = 0; i < count; i++) {
        int index = order[i] / 2;
        append_message(program, round, index, order[i] % 2, any[round->messages[index].to]);
    }
    bool barrier = program_chance(program, program->barrier) || wild;
    for (int rank = 0; rank < program->ranks; rank++)
        g_string_append_printf(program->ops[rank], "{waitall: all}%s]}}, ",
                               barrier ? ", barrier" : "");
}

void program_round(struct random_program *program, struct random_round *round,
                   int64_t (*pick_size)(struct random_program *program, const void *owner),
                   const void *owner)
{
    fill_round(program, round, pick_size, owner);
    append_round(program, round);
}

// ---- Runs ----

static bool run_is_right(const struct program_run *run)
{
    const struct series_result *result = run->result;
    return result->status == SIM_COMPLETED && result->ledger_balanced &&
           result->ledger.misordered == 0 && result->ledger.duplicated == 0;
}

bool program_repeats(const struct test_program *program, const struct program_run *run)
{
    struct program_run *again = program_run(program, 1);
    bool same = run->result->fingerprint == again->result->fingerprint &&
                run->result->events == again->result->events &&
                run->lines->len == again->lines->len;
    program_run_free(again);
    return same;
}

static void complain(const struct random_program *program, guint32 seed,
                     const struct program_run *run)
{
    char *text = program_reason(run, "text"), *ranks = program_reason(run, "ranks"),
         *books = program_ledger_text(run);
    fprintf(stderr, "\nprogram %u: %s %s\n%s\n%s%s", seed, sim_status_name(run->result->status),
            text, ranks, books, program->sets->str);
    for (int rank = 0; rank < program->ranks; rank++)
        fprintf(stderr, "rank %d: %s\n", rank, program->ops[rank]->str);
    g_free(text);
    g_free(ranks);
    g_free(books);
}

static void program_clear(struct random_program *program)
{
    for (int rank = 0; rank < program->ranks; rank++)
        g_string_free(program->ops[rank], TRUE);
    g_string_free(program->sets, TRUE);
    g_rand_free(program->random);
}

static bool try_program(const struct random_test *test, guint32 seed, int *reached)
{
    struct random_program random = {
        .random = g_rand_new_with_seed(seed),
        .sets = g_string_new(NULL),
        .most_messages = RANDOM_MOST_MESSAGES,
        .wild = 0.3,
        .barrier = 1,
    };
    test->generate(&random);
    struct test_program program = {.ranks = random.ranks, .stack = test->stack};
    char **sets = g_strsplit(g_strchomp(random.sets->str), "\n", -1);
    g_assert(g_strv_length(sets) < G_N_ELEMENTS(program.sets));
    for (int i = 0; sets[i]; i++)
        program.sets[i] = sets[i];
    for (int rank = 0; rank < random.ranks; rank++)
        program.ops[rank] = random.ops[rank]->str;
    struct program_run *run = program_run(&program, 1);
    bool right = run_is_right(run) && test->repeats(&program, run);
    if (!right)
        complain(&random, seed, run);
    for (int i = 0; test->wanted[i]; i++)
        for (int rank = 0; rank < random.ranks; rank++)
            reached[i] += program_run_count(run, rank, test->wanted[i]);
    program_run_free(run);
    g_strfreev(sets);
    program_clear(&random);
    return right;
}

static guint32 setting(const char *name, guint32 fallback)
{
    const char *text = g_getenv(name);
    return text ? (guint32)g_ascii_strtoull(text, NULL, 10) : fallback;
}

void program_test_run(const struct random_test *test)
{
    guint32 first = setting("NETSIM_RANDOM_FIRST", 1);
    guint32 count = setting("NETSIM_RANDOM_PROGRAMS", (guint32)test->programs);
    int wrong = 0, reached[RANDOM_MOST_WANTED] = {0};
    for (guint32 i = 0; i < count && wrong < MOST_WRONG; i++)
        wrong += !try_program(test, first + i, reached);
    SUITE_SAME_INTEGER(wrong, 0);
    for (int i = 0; count >= (guint32)test->programs && test->wanted[i]; i++)
        if (reached[i] == 0)
            SUITE_SAME_TEXT("never", test->wanted[i]);
}
