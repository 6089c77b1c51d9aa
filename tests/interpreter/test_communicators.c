// SPDX-License-Identifier: GPL-3.0-or-later
// Communicators that programs make and free: the collectives that each library runs for it, the
// ranks that take part, and that messages of a duplicate do not match those of its original.
#include "sim/mpi/request.h"
#include "tests/support/call_log.h"
#include "tests/support/flat_reference.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define RANKS 6
#define COMMUNICATORS                                                                              \
    "workload.communicators={ends: [5, 0], rows: {split: rank % 2}, twin: {dup: rows}, "           \
    "endtwin: {dup: ends}, world: {dup: all}}"

struct observed {
    struct program_run *run;
    struct call_log *log;
};

static struct observed observe(const char *stack, const char *all)
{
    struct test_program program = {
        .ranks = RANKS, .stack = stack, .all = all, .sets = {COMMUNICATORS}};
    struct observed observed = {.log = call_log_new()};
    observed.run = program_run_observed(&program, 1, &observed.log->observer);
    GString *complaints = g_string_new(NULL);
    bool completes = observed.run->result->status == SIM_COMPLETED;
    flat_reference_check(&program, observed.log, completes, complaints);
    SUITE_SAME_TEXT(complaints->str, "");
    g_string_free(complaints, TRUE);
    return observed;
}

static void observed_clear(struct observed *observed)
{
    program_run_free(observed->run);
    call_log_free(observed->log);
}

// The collectives that a rank goes into, with the largest message that it sends or receives there.
static char *collectives_of(const struct observed *observed, int rank)
{
    GString *text = g_string_new(NULL);
    int64_t largest = 0;
    for (guint i = 0; i < observed->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(observed->log->entries, struct logged, i);
        if (entry->rank != rank)
            continue;
        if (entry->of == LOGGED_REQUEST && entry->what == OBSERVED_START)
            largest = MAX(largest, entry->size);
        if (entry->of == LOGGED_COLLECTIVE && entry->what == OBSERVED_RETURN) {
            g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT, text->len ? ", " : "",
                                   entry->collective, largest);
            largest = 0;
        }
    }
    return g_string_free(text, FALSE);
}

static void expect(const char *stack, const char *all, int rank, const char *expected)
{
    struct observed observed = observe(stack, all);
    char *text = collectives_of(&observed, rank);
    SUITE_SAME_TEXT(sim_status_name(observed.run->result->status), "completed");
    CU_ASSERT(observed.run->result->ledger_balanced);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    observed_clear(&observed);
}

// LAM agrees on a context by a map of 512 B, and gathers three words a rank; MPICH 1.2 adds up a
// table of two words a rank, and takes the largest context; MPICH2 gathers two words, and has a
// map.
static void test_libraries(void)
{
    static const char make[] = "{comm_split: rows}, {comm_dup: twin}, {comm_create: ends}, "
                               "{comm_free: rows}, {comm_dup: world}";
    expect("lam_tcp", make, 0,
           "allreduce 512, allgather 72, allreduce 512, allreduce 512, allreduce 512");
    expect("lam_via", make, 3,
           "allreduce 512, allgather 72, allreduce 512, allreduce 512, allreduce 512");
    expect("mpich_p4", make, 1, "allreduce 48, allreduce 4, allreduce 4, allreduce 4, allreduce 4");
    expect("mvich", make, 5, "allreduce 48, allreduce 4, allreduce 4, allreduce 4, allreduce 4");
    expect("ch3_sock", make, 0,
           "allgather 16, allreduce 128, allreduce 128, allreduce 128, allreduce 128");
}

// Ranks that are not in the old communicator go on at once, as do all with MPI_Comm_free.
static void test_who(void)
{
    expect("mpich_p4", "{comm_dup: endtwin}, {comm_free: endtwin}", 2, "");
    expect("mpich_p4", "{comm_dup: endtwin}, {comm_free: endtwin}", 5, "allreduce 4");
    struct observed observed =
        observe("lam_tcp", "{loop: {count: \"rank < 3 ? 1 : 0\", do: [{comm_dup: world}]}}");
    char *ranks = program_reason(observed.run, "ranks");
    SUITE_SAME_TEXT(sim_status_name(observed.run->result->status), "deadlock");
    SUITE_CONTAINS(ranks, ": comm_dup\"");
    g_free(ranks);
    observed_clear(&observed);
}

// Like messages in both: each receive takes the one of its communicator, whichever arrives earlier.
static void test_contexts(void)
{
    struct test_program program = {
        .ranks = RANKS,
        .sets = {COMMUNICATORS},
        .stack = "lam_tcp",
        .ops = {"{send: {to: 1, size: 3 B, comm: twin}}, {send: {to: 1, size: 5 B, comm: rows}}",
                "",
                "{recv: {from: 0, size: 5 B, comm: rows}}, {recv: {from: any, size: 3 B, comm: "
                "twin}}"}};
    program_run_free(program_run_good(&program));
    program.ops[2] = "{recv: {from: 0, size: 9 B, comm: world}}";
    struct program_run *run = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    program_run_free(run);
}

static void test_mistakes(void)
{
    static const struct {
        const char *communicators, *ops, *said;
    } samples[] = {
        {"{rows: {split: rank}}", "{comm_dup: rows}", "it is a split (comm_split makes it)"},
        {"{rows: [1, 2]}", "{comm_split: rows}", "it is a list of ranks (comm_create makes it)"},
        {"{rows: {dup: all}}", "{comm_create: rows}", "it is a dup (comm_dup makes it)"},
        {"{rows: {dup: all}}", "{comm_free: row}", "there is no such communicator"},
        {"{rows: {dup: rows}}", "barrier", "no communicator \"rows\" stands before this one"},
        {"{a: {dup: b}, b: [0]}", "barrier", "no communicator \"b\" stands before this one"},
        {"{a: {dup: all, split: rank}}", "barrier", "a.split: unknown key"},
        {"{a: [0]}", "comm_free", "comm_free needs a value"},
        {"{a: [0]}", "{comm_free: {}}", "the key comm is missing"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *set = g_strdup_printf("workload.communicators=%s", samples[i].communicators);
        struct test_program program = {
            .ranks = RANKS, .stack = "lam_tcp", .all = samples[i].ops, .sets = {set}};
        char *text = program_complaints(&program);
        SUITE_CONTAINS(text, samples[i].said);
        g_free(text);
        g_free(set);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what libraries run", test_libraries},
        {"who takes part", test_who},
        {"contexts", test_contexts},
        {"mistakes", test_mistakes},
        {0},
    };
    return suite_run("workload: communicators at run time", cases);
}
