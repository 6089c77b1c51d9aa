// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/trial.h"

#include "tests/support/flat_reference.h"
#include "tests/support/suite.h"

#include <string.h>

#define MOST_WRONG 3   // programs, before the test gives up
#define REPEATED 8     // one program in so many is run again
#define LOST_PERCENT 4 // of packets, at most
#define STARTUP_MS 20  // about when programs run, for cables that are pulled

int trial_pick(struct trial *trial, int from, int below)
{
    return g_rand_int_range(trial->random, from, below);
}

bool trial_chance(struct trial *trial, double probability)
{
    return g_rand_double(trial->random) < probability;
}

void trial_set(struct trial *trial, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_assert(trial->set_count < TRIAL_MOST_SETS);
    trial->sets[trial->set_count++] = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

const char *trial_choice(struct trial *trial, const char *const *choices)
{
    return choices[trial_pick(trial, 0, (int)g_strv_length((char **)(uintptr_t)choices))];
}

// ---- Sizes ----

static int64_t pick_size(GRand *random, const void *owner)
{
    const struct trial_limits *limits = owner;
    int what = g_rand_int_range(random, 0, 8);
    int64_t limit = limits->at[g_rand_int_range(random, 0, limits->count)];
    if (what == 0)
        return 0;
    if (what < 3)
        return CLAMP(limit + g_rand_int_range(random, -1, 2), 0, limits->longest);
    if (what == 3)
        return g_rand_int_range(random, 0, 100);
    if (what < 6)
        return g_rand_int_range(random, 0, (gint32)MIN(limit, limits->longest) + 1);
    return g_rand_int_range(random, 0, (gint32)limits->longest + 1);
}

// ---- Room ----

static void count_call(const struct free_program *program, const struct free_call *call,
                       int64_t overhead, struct trial_room *to)
{
    if (free_sends(call->kind) || call->kind == FREE_SENDRECV) {
        to[call->peer].messages++;
        to[call->peer].bytes += call->size + overhead;
    } else if (free_collective(call->kind)) {
        // No more than each rank's data to each peer, and two rounds for each bit of ranks.
        for (int peer = 0; peer < program->ranks; peer++) {
            to[peer].messages += 8;
            to[peer].bytes += 8 * overhead + 2 * program->ranks * call->size;
        }
    }
}

struct trial_room trial_room(const struct free_program *program, int64_t overhead)
{
    struct trial_room most = {0};
    for (int rank = 0; rank < program->ranks; rank++) {
        struct trial_room to[FREE_MOST_RANKS] = {0};
        int epoch = 0;
        for (guint i = 0; i < program->calls[rank]->len; i++) {
            const struct free_call *call =
                &g_array_index(program->calls[rank], struct free_call, i);
            if (call->epoch != epoch)
                memset(to, 0, sizeof to);
            epoch = call->epoch;
            count_call(program, call, overhead, to);
            for (int peer = 0; peer < program->ranks; peer++) {
                most.messages = MAX(most.messages, to[peer].messages);
                most.bytes = MAX(most.bytes, to[peer].bytes);
            }
        }
    }
    return most;
}

// ---- Settings ----

static void set_collectives(struct trial *trial, const char *library)
{
    static const struct {
        const char *collective;
        const char *const rules[7];
    } choices[] = {
        {"barrier", {"linear", "binomial", "recursive_doubling", "by_processes"}},
        {"bcast", {"linear", "binomial", "scatter_allgather", "small_and_few", "small_or_few"}},
        {"reduce", {"linear", "binomial"}},
        {"allreduce", {"reduce_bcast", "recursive_doubling"}},
        {"gather", {"linear", "binomial"}},
        {"scatter", {"linear", "binomial"}},
        {"allgather", {"gather_bcast", "ring", "recursive_doubling"}},
        {"alltoall", {"linear", "pairwise", "recursive_doubling", "by_size"}},
    };
    for (int i = 0; i < 3; i++) {
        size_t which = (size_t)trial_pick(trial, 0, G_N_ELEMENTS(choices));
        trial_set(trial, "%s.%s=%s", library, choices[which].collective,
                  trial_choice(trial, choices[which].rules));
    }
}

// A full queue loses frames, too.
static void set_narrow(struct trial *trial)
{
    if (trial_chance(trial, 0.6))
        trial_set(trial, "switch.queue=%d", trial_pick(trial, 2, 20));
    else
        trial_set(trial, "eepro100.rx_ring=%d", trial_pick(trial, 2, 16));
}

static void set_faults(struct trial *trial, bool ethernet)
{
    static const char *const directions[] = {"both", "forward", "backward", NULL};
    int what = trial_pick(trial, 0, ethernet ? 6 : 5), nth = trial_pick(trial, 1, 60);
    double from = g_rand_double_range(trial->random, 0, STARTUP_MS);
    if (what == 0)
        trial_set(trial, "link.drop_probability=%.5f",
                  g_rand_double_range(trial->random, 0, LOST_PERCENT / 100.0));
    else if (what == 1)
        trial_set(trial, "link.bit_error_rate=%.9f", g_rand_double_range(trial->random, 0, 1e-5));
    else if (what == 2)
        trial_set(trial, "link.drop_nth=[%d, %d, %d]", nth, nth + trial_pick(trial, 1, 4),
                  nth + trial_pick(trial, 4, 40));
    else if (what == 3)
        trial_set(trial, "link.corrupt_nth=[%d, %d]", nth, nth + trial_pick(trial, 1, 30));
    else if (what == 4)
        trial_set(trial, "link.down=[{from: %.3f ms, to: %.3f ms}]", from,
                  from + g_rand_double_range(trial->random, 0.01, 8));
    else
        set_narrow(trial);
    if (what == 2 || what == 3)
        trial_set(trial, "link.fault_direction=%s", trial_choice(trial, directions));
}

// ---- A program ----

// Of all programs of a stack.
struct tally {
    int reached[TRIAL_MOST_WANTED];
    int64_t exact, chosen, hits, misses; // mpi_reference.h
    int64_t unfolded;                    // flat_reference.h
    int made_good, given_up;             // programs that lost something
};

// The run reports that something was lost, or that the stack gave up for it.
static bool gives_up_rightly(const struct trial_stack *stack, const struct program_run *run)
{
    const struct series_result *result = run->result;
    const struct ledger_totals *books = &result->ledger;
    char *kind = program_reason(run, "kind");
    bool known = result->status == SIM_LOST     ? strcmp(kind, "messages_lost") == 0
                 : result->status == SIM_FAILED ? g_strv_contains(stack->gives_up, kind)
                                                : result->status == SIM_DEADLOCK;
    g_free(kind);
    return known && books->duplicated == 0 && books->misordered == 0;
}

static bool ends_well(const struct program_run *run)
{
    const struct series_result *result = run->result;
    return result->status == SIM_COMPLETED && result->ledger_balanced &&
           result->ledger.misordered == 0 && result->ledger.duplicated == 0;
}

// The books have opened what the ranks have sent.
static void check_books(struct reference *reference, const struct series_result *result)
{
    uint64_t messages = 0, bytes = 0, whole = 0;
    for (guint i = 0; i < reference->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(reference->log->entries, struct logged, i);
        whole += entry->of == LOGGED_WHOLE;
        if (entry->of != LOGGED_REQUEST || entry->what != OBSERVED_START ||
            entry->kind != REQUEST_SEND)
            continue;
        messages++;
        bytes += (uint64_t)entry->size;
    }
    if (whole != result->ledger.delivered)
        reference_complain(reference, NULL,
                           "of %" G_GUINT64_FORMAT " messages whole the books have "
                           "%" G_GUINT64_FORMAT " delivered",
                           whole, result->ledger.delivered);
    if (messages != result->ledger.messages || bytes != result->ledger.bytes)
        reference_complain(reference, NULL,
                           "the books have %" G_GUINT64_FORMAT " messages of %" G_GUINT64_FORMAT
                           " B, and %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " were sent",
                           result->ledger.messages, result->ledger.bytes, messages, bytes);
}

static bool repeats(const struct test_program *program, const struct program_run *run)
{
    struct program_run *again = program_run(program, 1);
    bool same = run->result->fingerprint == again->result->fingerprint &&
                run->result->events == again->result->events &&
                run->lines->len == again->lines->len;
    program_run_free(again);
    return same;
}

static void complain(const struct trial_stack *stack, guint32 seed, const struct trial *trial,
                     const struct free_program *program, const struct reference *reference,
                     const struct program_run *run)
{
    char *text = program_reason(run, "text"), *ranks = program_reason(run, "ranks"),
         *books = program_ledger_text(run);
    fprintf(stderr, "\n%s, program %u: %s %s\n%s\n%s%s", stack->name, seed,
            sim_status_name(run->result->status), text, ranks, books, reference->complaints->str);
    for (int i = 0; i < trial->set_count; i++)
        fprintf(stderr, "  %s\n", trial->sets[i]);
    for (int rank = 0; rank < program->ranks; rank++)
        fprintf(stderr, "rank %d: %s\n", rank, program->text[rank]->str);
    g_free(text);
    g_free(ranks);
    g_free(books);
}

static bool run_program(const struct trial_stack *stack, guint32 seed, const struct trial *trial,
                        const struct free_program *program, struct tally *tally)
{
    struct test_program test = {.ranks = program->ranks,
                                .hosts = trial->hosts,
                                .stack = stack->name,
                                .machine = stack->machine};
    memcpy(test.sets, trial->sets, sizeof trial->sets);
    for (int rank = 0; rank < program->ranks; rank++)
        test.ops[rank] = program->text[rank]->str;
    struct call_log *log = call_log_new();
    struct program_run *run = program_run_observed(&test, 1, &log->observer);
    struct reference reference = {
        .program = program,
        .log = log,
        .whole = run->result->status <= SIM_LOST,
        .bare = stack->bare,
        .loses = trial->faults && !trial->makes_good,
        .complaints = g_string_new(NULL),
    };
    reference_check_matching(&reference);
    reference_check_collectives(&reference);
    tally->unfolded += flat_reference_check(&test, log, ends_well(run), reference.complaints);
    check_books(&reference, run->result);
    if (seed % REPEATED == 0 && !repeats(&test, run))
        reference_complain(&reference, NULL, "an equal run is not equal");
    if (stack->inspect && !stack->inspect(&test, run))
        reference_complain(&reference, NULL, "the look inside");
    bool well = ends_well(run), may_give_up = trial->faults && !trial->makes_good;
    bool right =
        (well || (may_give_up && gives_up_rightly(stack, run))) && reference.complaints->len == 0;
    if (!right)
        complain(stack, seed, trial, program, &reference, run);
    for (int i = 0; stack->wanted && stack->wanted[i]; i++)
        for (int rank = 0; rank < program->ranks; rank++)
            tally->reached[i] += program_run_count(run, rank, stack->wanted[i]);
    tally->made_good += well && run->result->ledger.dropped_parts > 0;
    tally->given_up += !well;
    tally->exact += reference.exact;
    tally->chosen += reference.chosen;
    tally->hits += reference.hits;
    tally->misses += reference.misses;
    g_string_free(reference.complaints, TRUE);
    program_run_free(run);
    call_log_free(log);
    return right;
}

// Some programs run over two or three switches in a row or a ring, with one or two cables between
// neighbours.
static void set_topology(struct trial *trial)
{
    if (trial->hosts < 2 || trial_chance(trial, 0.6))
        return;
    int switches = trial_pick(trial, 2, 4), cables = trial_pick(trial, 1, 3);
    GString *nodes = g_string_new("switches=["), *links = g_string_new("links=[");
    char *cards = trial->cards > 1 ? g_strdup_printf(", count: %d", trial->cards) : g_strdup("");
    for (int i = 0; i < switches; i++)
        g_string_append_printf(nodes, "%s{name: s%d}", i > 0 ? ", " : "", i);
    for (int host = 0; host < trial->hosts; host++)
        g_string_append_printf(links, "{from: node%d, to: s%d%s}, ", host,
                               trial_pick(trial, 0, switches), cards);
    for (int i = 1; i < switches + (switches > 2); i++)
        g_string_append_printf(links, "%s{from: s%d, to: s%d, count: %d}", i > 1 ? ", " : "", i - 1,
                               i % switches, cables);
    trial_set(trial, "%s]", nodes->str);
    trial_set(trial, "%s]", links->str);
    g_string_free(nodes, TRUE);
    g_string_free(links, TRUE);
    g_free(cards);
}

static bool try_seed(const struct trial_stack *stack, guint32 seed, struct tally *tally,
                     bool faults)
{
    struct trial trial = {.random = g_rand_new_with_seed(seed),
                          .shape = stack->shape,
                          .faults = faults,
                          .makes_good = !stack->gives_up};
    stack->settings(&trial);
    trial.shape.size = pick_size;
    trial.shape.limits = &trial.limits;
    struct free_program *program = free_program_new(trial.random, &trial.shape);
    if (stack->room)
        stack->room(&trial, program);
    if (stack->library)
        set_collectives(&trial, stack->library);
    if (faults)
        set_faults(&trial, !stack->machine || trial.cards > 0);
    trial.hosts = program->ranks;
    if (stack->shares_hosts && trial_chance(&trial, 0.3))
        trial.hosts = trial_pick(&trial, MIN(2, program->ranks), program->ranks + 1);
    set_topology(&trial);
    trial_set(&trial, "host.processor.cores=%d", trial_pick(&trial, 1, 3));
    bool right = run_program(stack, seed, &trial, program, tally);
    for (int i = 0; i < trial.set_count; i++)
        g_free(trial.sets[i]);
    free_program_free(program);
    g_rand_free(trial.random);
    return right;
}

static guint32 setting(const char *name, guint32 fallback)
{
    const char *text = g_getenv(name);
    return text ? (guint32)g_ascii_strtoull(text, NULL, 10) : fallback;
}

// Cases that the programs together must have reached, or they would show little.
static void expect_reached(const struct trial_stack *stack, const struct tally *tally, bool faults)
{
    if (faults) {
        CU_ASSERT(tally->made_good > 0 || stack->gives_up);
        CU_ASSERT(tally->given_up > 0 || !stack->gives_up);
        return;
    }
    bool probes = !(stack->shape.lacks >> FREE_PROBE & 1);
    for (int i = 0; stack->wanted && stack->wanted[i]; i++)
        if (tally->reached[i] == 0)
            SUITE_SAME_TEXT("never", stack->wanted[i]);
    CU_ASSERT(tally->exact > 0 && tally->unfolded > tally->exact);
    CU_ASSERT(tally->chosen > 0 || stack->shape.only_fixed);
    CU_ASSERT((tally->hits > 0 && tally->misses > 0) || !probes);
}

void trial_run(const struct trial_stack *stack, bool faults)
{
    const char *only = g_getenv("NETSIM_RANDOM_STACK");
    guint32 first = setting("NETSIM_RANDOM_FIRST", 1);
    // A sanitized program takes five times as long; the other builds try all of them.
    bool sanitized = g_strcmp0(g_getenv("NETSIM_SANITIZED"), "1") == 0;
    guint32 usual = (guint32)(sanitized ? (stack->programs + 1) / 2 : stack->programs);
    guint32 count = setting("NETSIM_RANDOM_PROGRAMS", usual);
    struct tally tally = {0};
    int wrong = 0;
    if (only && strcmp(only, stack->name) != 0)
        return;
    for (guint32 i = 0; i < count && wrong < MOST_WRONG; i++)
        wrong += !try_seed(stack, first + i, &tally, faults);
    SUITE_SAME_INTEGER(wrong, 0);
    if (wrong == 0 && count >= (guint32)stack->programs)
        expect_reached(stack, &tally, faults);
}
