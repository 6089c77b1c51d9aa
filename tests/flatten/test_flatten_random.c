// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs unfolded: collectives of the job and of communicators by random algorithms,
// loops, rings and exchanges between pairs. A rank's calls in a run are those of its unfolded
// program.
//
// All ranks are written in one order in which each thing can be done once those before it are, so
// that no program can come to a deadlock. NETSIM_RANDOM_PROGRAMS sets how many are tried,
// NETSIM_RANDOM_FIRST the first seed (1).
#include "tests/support/flat_reference.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAMS 80

struct author {
    GRand *random;
    int ranks, rows; // of the job; ranks of a row, but for the last
    int part[2];     // ranks of the communicator "part"
    GString *ops[TEST_MOST_RANKS];
    int requests;
};

static int pick(const struct author *author, int below)
{
    return g_rand_int_range(author->random, 0, below);
}

static void write_op(struct author *author, int rank, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void write_op(struct author *author, int rank, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    GString *ops = author->ops[rank];
    g_string_append(ops, ops->len > 0 ? ", {" : "{");
    g_string_append_vprintf(ops, format, arguments);
    g_string_append_c(ops, '}');
    va_end(arguments);
}

static int pick_size(const struct author *author)
{
    static const int few[] = {0, 1, 8, 12287, 12288};
    return pick(author, 3) == 0 ? few[pick(author, 5)] : pick(author, 20000);
}

static void write_collective(struct author *author)
{
    static const char *const names[] = {"barrier",        "bcast",   "reduce",    "allreduce",
                                        "gather",         "scatter", "allgather", "alltoall",
                                        "reduce_scatter", "scan",    "exscan"};
    static const char *const communicators[] = {"", "rows", "part"};
    int name = pick(author, G_N_ELEMENTS(names)),
        communicator = pick(author, author->ranks > 1 ? 3 : 2);
    bool rooted = name == 1 || name == 2 || name == 4 || name == 5, looped = pick(author, 4) == 0;
    bool last = pick(author, 2);
    char *size = g_strdup_printf("%d B%s", pick_size(author), looped ? " + 1 B * i" : "");
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s: {", names[name]);
    if (name > 0)
        g_string_append_printf(text, "size: %s, ", size);
    if (rooted)
        g_string_append_printf(text, "root: %s%s, ",
                               last && communicator ? communicators[communicator] : "",
                               !last          ? "0"
                               : communicator ? "_ranks - 1"
                                              : "ranks - 1");
    if (communicator)
        g_string_append_printf(text, "comm: %s", communicators[communicator]);
    g_string_append_c(text, '}');
    if (looped) {
        g_string_prepend(text, "loop: {count: 3, as: i, do: [{");
        g_string_append(text, "}]}");
    }
    for (int rank = 0; rank < author->ranks; rank++)
        if (communicator < 2 || rank == author->part[0] || rank == author->part[1])
            write_op(author, rank, "%s", text->str);
    g_string_free(text, TRUE);
    g_free(size);
}

static void write_ring(struct author *author)
{
    int size = pick_size(author);
    bool rows = pick(author, 2);
    for (int rank = 0; rank < author->ranks; rank++)
        write_op(author, rank, "sendrecv: {to: (%s + 1) %% %s, from: (%s - 1) %% %s, size: %d B%s}",
                 rows ? "rows_rank" : "rank", rows ? "rows_ranks" : "ranks",
                 rows ? "rows_rank" : "rank", rows ? "rows_ranks" : "ranks", size,
                 rows ? ", comm: rows" : "");
}

// Both start, one or two requests are waited for by name, or all that are open.
static void write_exchange(struct author *author)
{
    static const char *const sends[] = {"isend", "issend"};
    int one = pick(author, author->ranks), other = pick(author, author->ranks - 1);
    other += other >= one;
    for (int i = 0; i < 2; i++) {
        int rank = i ? other : one, peer = i ? one : other, name = author->requests++;
        write_op(author, rank, "%s: {to: %d, size: %d B, tag: %d, request: s%d}",
                 sends[pick(author, 2)], peer, pick_size(author), pick(author, 3), name);
        write_op(author, rank, "irecv: {from: %d, size: 20000 B, request: r%d}", peer, name);
        if (pick(author, 3) == 0)
            write_op(author, rank, "iprobe: {from: any}");
        if (pick(author, 2))
            write_op(author, rank, "wait: s%d", name);
        if (pick(author, 3) == 0)
            write_op(author, rank, "waitall: [r%d, s%d]", name, name);
        else
            write_op(author, rank, "waitall: all");
        write_op(author, rank, "compute: %d us", pick(author, 30));
    }
}

// A random algorithm for some of the collectives. The caller frees the texts.
static void set_rules(const struct author *author, const char *library, const char **sets)
{
    for (size_t i = 0; flat_collectives[i].name; i++) {
        int rules = (int)g_strv_length((char **)(uintptr_t)flat_collectives[i].rules);
        if (pick(author, 3) > 0)
            *sets++ = g_strdup_printf("%s.%s=%s", library, flat_collectives[i].name,
                                      flat_collectives[i].rules[pick(author, rules)]);
    }
    char *part = author->ranks > 1
                     ? g_strdup_printf(", part: [%d, %d]", author->part[0], author->part[1])
                     : g_strdup("");
    *sets = g_strdup_printf("workload.communicators={rows: {split: rank - rank %% %d}%s}",
                            author->rows, part);
    g_free(part);
}

static void write_program(struct author *author)
{
    int steps = 5 + pick(author, 20);
    author->ranks = 1 + pick(author, TEST_MOST_RANKS);
    author->rows = 1 + pick(author, author->ranks);
    author->part[0] = pick(author, author->ranks);
    author->part[1] =
        (author->part[0] + 1 + pick(author, MAX(author->ranks - 1, 1))) % author->ranks;
    for (int rank = 0; rank < author->ranks; rank++)
        author->ops[rank] = g_string_new(NULL);
    for (int i = 0; i < steps; i++) {
        int what = pick(author, 6);
        if (what == 0)
            write_ring(author);
        else if (what == 1 && author->ranks > 1)
            write_exchange(author);
        else
            write_collective(author);
    }
}

static void print_program(const struct test_program *program, guint32 seed, const char *complaints)
{
    fprintf(stderr, "program %u, %s: %s", seed, program->stack, complaints);
    for (int i = 0; program->sets[i]; i++)
        fprintf(stderr, "  %s\n", program->sets[i]);
    for (int rank = 0; rank < program->ranks; rank++)
        fprintf(stderr, "rank %d: %s\n", rank, program->ops[rank]);
}

// Returns how many operations were compared.
static int64_t try_seed(guint32 seed)
{
    static const char *const stacks[][2] = {{"lam_tcp", "lam"}, {"mpich_p4", "mpich"}};
    struct author author = {.random = g_rand_new_with_seed(seed)};
    const char *const *stack = stacks[pick(&author, 2)];
    write_program(&author);
    struct test_program program = {.ranks = author.ranks, .stack = stack[0]};
    set_rules(&author, stack[1], program.sets);
    for (int rank = 0; rank < author.ranks; rank++)
        program.ops[rank] = author.ops[rank]->str;
    struct call_log *log = call_log_new();
    GString *complaints = g_string_new(NULL);
    struct program_run *run = program_run_observed(&program, 1, &log->observer);
    int64_t compared = flat_reference_check(&program, log, true, complaints);
    if (run->result->status != SIM_COMPLETED)
        g_string_append(complaints, sim_status_name(run->result->status));
    if (complaints->len > 0)
        print_program(&program, seed, complaints->str);
    SUITE_SAME_TEXT(complaints->str, "");
    g_string_free(complaints, TRUE);
    program_run_free(run);
    call_log_free(log);
    for (int i = 0; program.sets[i]; i++)
        g_free((char *)(uintptr_t)program.sets[i]);
    for (int rank = 0; rank < author.ranks; rank++)
        g_string_free(author.ops[rank], TRUE);
    g_rand_free(author.random);
    return compared;
}

static void test_random(void)
{
    const char *first = g_getenv("NETSIM_RANDOM_FIRST"),
               *count = g_getenv("NETSIM_RANDOM_PROGRAMS");
    int64_t compared = 0;
    guint32 from = first ? (guint32)g_ascii_strtoull(first, NULL, 10) : 1,
            programs = count ? (guint32)g_ascii_strtoull(count, NULL, 10) : PROGRAMS;
    for (guint32 i = 0; i < programs; i++)
        compared += try_seed(from + i);
    CU_ASSERT(compared > 100 * (int64_t)programs);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"random programs", test_random},
        {0},
    };
    return suite_run("workload: random programs unfolded", cases);
}
