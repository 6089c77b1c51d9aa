// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/flow.h"

#include "sim/flow/child.h"
#include "sim/flow/flow_device.h"
#include "sim/flow/quality.h"
#include "sim/flow/steps.h"
#include "sim/measure/books.h"
#include "sim/measure/clocks.h"
#include "sim/measure/result_text.h"
#include "sim/run/deadlock.h"
#include "sim/run/limit.h"
#include "sim/run/measurements.h"
#include "sim/scenario/placement.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

static const char note[] =
    "no loss, no full queue, no flow control and no receiver that is overrun; packets show "
    "these (fidelity: packet)";

// A rank's times, from its marks and its end.
struct runner {
    sim_time since; // when its measurement began
    sim_time end;   // -1: it has not ended
    struct clocks clocks;
};

// A case on flows: in the parent up to the child, and there.
struct flowing {
    const struct registry *registry;
    const struct scenario_case *test_case;
    const struct run_options *options;
    uint64_t seed;
    int series;
    const struct flow_curve *curve;
    volatile double *done; // shared with the child: the part that is finished
    double told;           // of it, to the user
    // In the child:
    struct sim *sim; // holds the status and the reason
    struct limits limits;
    enum limit_reached reached;
    gint64 wall_end;
    struct flow_cluster *machine;
    struct steps *steps;
    struct measurements measurements;
    struct runner *runners;
    struct series_result *result;
    uint64_t fingerprint;
    // Of a deadlock, by rank:
    GHashTable **unmatched; // numbers of its receives that have no message; NULL: none
    GArray **messages;      // struct mpi_envelope: to it, that no receive has taken; NULL: none
};

// ---- What the plugin asks for ----

static void next(void *owner, int rank, struct flow_step *step)
{
    const struct flowing *flowing = owner;
    steps_next(flowing->steps, rank, step);
}

static void took(void *owner, int rank, int which)
{
    const struct flowing *flowing = owner;
    steps_took(flowing->steps, rank, which);
}

static sim_time time_of(double seconds)
{
    return (sim_time)llround(seconds * (double)TIME_S);
}

// FNV-1a, by words.
static void add_fingerprint(struct flowing *flowing, uint64_t word)
{
    flowing->fingerprint = (flowing->fingerprint ^ word) * UINT64_C(0x100000001b3);
}

static void measured(struct flowing *flowing, int rank, const struct measure_arguments *stop,
                     sim_time now)
{
    struct run_interval interval = {
        .rank = rank,
        .size = stop->common.size,
        .count = stop->count * stop->parts,
        .from = flowing->runners[rank].since,
        .to = now,
    };
    measurements_add(&flowing->measurements, &interval, stop->parts, NULL, NULL);
}

static void marked(void *owner, int rank, int64_t mark, double seconds)
{
    struct flowing *flowing = owner;
    struct runner *runner = &flowing->runners[rank];
    const struct op_call *call = steps_op(flowing->steps, rank)->call;
    sim_time now = time_of(seconds);
    (void)mark;
    add_fingerprint(flowing, (uint64_t)rank);
    add_fingerprint(flowing, (uint64_t)now);
    switch ((enum op_code)call->kind->code) {
    case OP_MEASURE_START:
        runner->since = now;
        return;
    case OP_MEASURE_STOP:
        measured(flowing, rank, call->arguments, now);
        return;
    case OP_CLOCK:
        clocks_set(&runner->clocks, ((const struct clock_arguments *)call->arguments)->name, now);
        return;
    default:
        clocks_lap(&runner->clocks, ((const struct clock_arguments *)call->arguments)->name, 0,
                   now);
        return;
    }
}

static void ended(void *owner, int rank, double seconds)
{
    struct flowing *flowing = owner;
    flowing->runners[rank].end = time_of(seconds);
    add_fingerprint(flowing, (uint64_t)flowing->runners[rank].end);
}

static bool stop(void *owner, double seconds)
{
    struct flowing *flowing = owner;
    const struct limits *limits = &flowing->limits;
    if (limits->interrupt && limits->interrupt())
        flowing->reached = LIMIT_INTERRUPT;
    else if (g_get_monotonic_time() >= flowing->wall_end)
        flowing->reached = LIMIT_WALL;
    else if (limits->simulated > 0 && seconds >= time_to_s(limits->simulated))
        flowing->reached = LIMIT_SIMULATED;
    return flowing->reached != LIMIT_NONE || steps_wrong(flowing->steps);
}

static void unmatched_receive(void *owner, int rank, uint32_t request)
{
    const struct flowing *flowing = owner;
    if (!flowing->unmatched[rank])
        flowing->unmatched[rank] = g_hash_table_new(NULL, NULL);
    g_hash_table_add(flowing->unmatched[rank], GUINT_TO_POINTER(request));
}

static void unmatched_message(void *owner, int rank, const struct flow_message *message)
{
    const struct flowing *flowing = owner;
    struct mpi_envelope envelope = {.source = message->from,
                                    .tag = message->tag,
                                    .context = steps_context(message->space),
                                    .length = message->size};
    if (!flowing->messages[rank])
        flowing->messages[rank] = g_array_new(FALSE, FALSE, sizeof envelope);
    g_array_append_val(flowing->messages[rank], envelope);
}

// ---- How it ended ----

// Each rank that has not ended: where it is, and what it waits for.
static json_t *open_ranks_json(const struct flowing *flowing)
{
    json_t *ranks = json_array();
    for (int rank = 0; rank < flowing->test_case->workload.ranks; rank++) {
        if (flowing->runners[rank].end >= 0)
            continue;
        int host = placement_host(flowing->test_case->workload.placement, rank);
        char *place = steps_place(flowing->steps, rank);
        json_array_append_new(ranks,
                              json_pack("{s:i, s:s, s:o, s:s}", "rank", rank, "host",
                                        flow_cluster_host(flowing->machine, host)->name, "requests",
                                        steps_open_json(flowing->steps, rank), "at", place));
        g_free(place);
    }
    return ranks;
}

static void fail_stopped(struct flowing *flowing)
{
    json_t *ranks = open_ranks_json(flowing), *first = json_array_get(ranks, 0);
    json_t *detail = json_pack("{s:O}", "ranks", ranks);
    limit_fail(flowing->sim, &flowing->limits, flowing->reached, detail,
               first ? (int)json_integer_value(json_object_get(first, "rank")) : 0,
               first ? json_string_value(json_object_get(first, "at")) : "its end");
    json_decref(ranks);
}

// A rank of a diagnosis.
struct diagnosed {
    struct deadlock *deadlock;
    GHashTable *unmatched;
};

static void diagnose_request(void *owner, struct deadlock_request *request)
{
    const struct diagnosed *rank = owner;
    bool unmatched =
        rank->unmatched && g_hash_table_contains(rank->unmatched, GINT_TO_POINTER(request->number));
    request->matched = request->kind == REQUEST_RECV && !unmatched;
    request->needs_peer = !request->matched;
    deadlock_add_request(rank->deadlock, request);
}

// Adds what of the deadlock is a mistake of the program to `detail`.
static void diagnose(const struct flowing *flowing, json_t *detail)
{
    const struct scenario_case *test_case = flowing->test_case;
    struct deadlock *deadlock =
        deadlock_new(registry_stack(flowing->registry, test_case->stack->name), test_case);
    for (int rank = 0; rank < test_case->workload.ranks; rank++) {
        int host = placement_host(test_case->workload.placement, rank);
        struct diagnosed diagnosed = {deadlock, flowing->unmatched[rank]};
        const GArray *messages = flowing->messages[rank];
        bool has_ended = flowing->runners[rank].end >= 0;
        deadlock_add_rank(deadlock, flow_cluster_host(flowing->machine, host)->name, has_ended);
        if (!has_ended)
            steps_each_open(flowing->steps, rank, diagnose_request, &diagnosed);
        for (guint i = 0; messages && i < messages->len; i++)
            deadlock_add_message(deadlock, &g_array_index(messages, struct mpi_envelope, i));
    }
    deadlock_describe(deadlock, detail);
    deadlock_free(deadlock);
}

static void fail_deadlocked(struct flowing *flowing)
{
    json_t *ranks = open_ranks_json(flowing), *detail = json_pack("{s:O}", "ranks", ranks);
    diagnose(flowing, detail);
    sim_fail(flowing->sim, SIM_DEADLOCK, "deadlock", detail,
             "%zu of %d ranks wait for what will never happen", json_array_size(ranks),
             flowing->test_case->workload.ranks);
    json_decref(ranks);
}

static void judge(struct flowing *flowing, const struct flow_verdict *verdict)
{
    const char *wrong = steps_wrong(flowing->steps);
    if (wrong) {
        sim_fail(flowing->sim, SIM_FAILED, "program_error", NULL, "%s", wrong);
        return;
    }
    // SimGrid asks only now and then whether to stop.
    sim_time simulated = flowing->limits.simulated;
    if (verdict->outcome == FLOW_DONE && simulated > 0 && time_of(verdict->seconds) > simulated) {
        flowing->reached = LIMIT_SIMULATED;
        fail_stopped(flowing);
        return;
    }
    switch (verdict->outcome) {
    case FLOW_DONE:
        return;
    case FLOW_DEADLOCK:
        fail_deadlocked(flowing);
        return;
    case FLOW_STOPPED:
        fail_stopped(flowing);
        return;
    case FLOW_BROKEN:
        sim_fail(flowing->sim, SIM_FAILED, "simgrid", NULL, "SimGrid: %s", verdict->text);
        return;
    }
}

// Collects the results of a free program: each rank's time and clocks.
static void collect_times(struct flowing *flowing)
{
    for (int rank = 0; rank < flowing->test_case->workload.ranks; rank++) {
        const struct runner *runner = &flowing->runners[rank];
        if (flowing->measurements.benchmark || runner->end < 0)
            continue;
        struct run_interval interval = {.rank = rank, .size = -1, .count = 1, .to = runner->end};
        measurements_add_program(&flowing->measurements, &interval);
        clocks_report(&runner->clocks, rank, flowing->result);
    }
}

static void collect(struct flowing *flowing, const struct flow_verdict *verdict)
{
    struct series_result *result = flowing->result;
    struct steps_books books = steps_books(flowing->steps);
    collect_times(flowing);
    result->status = flowing->sim->status;
    result->reason = json_incref(flowing->sim->reason);
    if (result->reason) // the simulated time is SimGrid's
        json_object_set_new(result->reason, "time_us", json_real(verdict->seconds * 1e6));
    result->ledger = (struct ledger_totals){
        .messages = books.sent,
        .bytes = books.sent_bytes,
        .delivered = books.received,
        .delivered_bytes = books.received_bytes,
        .open = books.sent - books.received,
    };
    result->ledger_balanced = books.sent == books.received;
    result->events = verdict->flows;
    result->fingerprint = flowing->fingerprint;
    result->simulated = time_of(verdict->seconds);
    books_judge(result);
}

// ---- In the child ----

static void flowing_begin(struct flowing *flowing)
{
    const struct scenario_case *test_case = flowing->test_case;
    int ranks = test_case->workload.ranks;
    flowing->sim = sim_new(cluster_seed(test_case, flowing->seed), NULL);
    flowing->limits = limits_of(test_case, flowing->options->time_limit_s);
    flowing->limits.interrupt = flowing->options->interrupt;
    flowing->limits.wall_end = flowing->options->wall_end;
    flowing->wall_end = limit_wall_end(&flowing->limits);
    flowing->machine = flow_cluster_new(test_case);
    flowing->steps = steps_new(flowing->registry, test_case, flowing->machine, flowing->curve,
                               flowing->options->source);
    flowing->result = series_result_new(test_case->name, test_case->stack->name);
    flowing->result->number = flowing->series;
    flowing->runners = g_new0(struct runner, ranks);
    flowing->unmatched = g_new0(GHashTable *, ranks);
    flowing->messages = g_new0(GArray *, ranks);
    for (int rank = 0; rank < ranks; rank++)
        flowing->runners[rank].end = -1;
}

static void flowing_end(struct flowing *flowing)
{
    for (int rank = 0; rank < flowing->test_case->workload.ranks; rank++) {
        clocks_clear(&flowing->runners[rank].clocks);
        g_clear_pointer(&flowing->unmatched[rank], g_hash_table_unref);
        g_clear_pointer(&flowing->messages[rank], g_array_unref);
    }
    g_free(flowing->runners);
    g_free(flowing->unmatched);
    g_free(flowing->messages);
    measurements_clear(&flowing->measurements);
    series_result_free(flowing->result);
    steps_free(flowing->steps);
    flow_cluster_free(flowing->machine);
    sim_free(flowing->sim);
}

static void note_progress(void *owner, int series, double done, const char *detail)
{
    const struct flowing *flowing = owner;
    (void)series;
    (void)detail;
    *flowing->done = done;
}

static char *work(void *owner, flow_plugin_run_fn *plugin)
{
    struct flowing *flowing = owner;
    const struct workload *workload = &flowing->test_case->workload;
    const struct run_options options = {.progress = note_progress, .progress_owner = flowing};
    flowing_begin(flowing);
    measurements_begin(&flowing->measurements, flowing->registry, flowing->test_case, &options,
                       flowing->result);
    int *hosts = g_new(int, workload->ranks);
    for (int rank = 0; rank < workload->ranks; rank++)
        hosts[rank] = placement_host(workload->placement, rank);
    const struct flow_machine machine = flow_cluster_describe(flowing->machine, flowing->curve);
    const struct flow_program program = {
        .ranks = workload->ranks,
        .spaces = steps_spaces(flowing->registry, flowing->test_case),
        .host = hosts,
        .owner = flowing,
        .next = next,
        .took = took,
        .marked = marked,
        .ended = ended,
        .stop = stop,
        .unmatched_receive = unmatched_receive,
        .unmatched_message = unmatched_message,
    };
    struct flow_verdict verdict;
    plugin(FLOW_PLUGIN_VERSION, &machine, &program, &verdict);
    judge(flowing, &verdict);
    collect(flowing, &verdict);
    char *text = result_text_of(flowing->result);
    flowing_end(flowing);
    g_free(hosts);
    return text;
}

// ---- In the parent ----

// Reports the child's progress, and returns whether the run is to end.
static bool poll_child(void *owner)
{
    struct flowing *flowing = owner;
    const struct run_options *options = flowing->options;
    double done = *flowing->done;
    if (options->progress && done > flowing->told)
        options->progress(options->progress_owner, flowing->series, done, flowing->test_case->name);
    flowing->told = MAX(flowing->told, done);
    return options->interrupt && options->interrupt();
}

static struct series_result *failed(const struct flowing *flowing, const char *kind, char *text)
{
    const struct scenario_case *test_case = flowing->test_case;
    struct series_result *result = series_result_new(test_case->name, test_case->stack->name);
    result->status = SIM_FAILED;
    result->reason = json_pack("{s:s, s:s}", "kind", kind, "text", text);
    result->ledger_balanced = true;
    g_free(text);
    return result;
}

static struct series_result *run_child(struct flowing *flowing)
{
    const struct scenario_case *test_case = flowing->test_case;
    char *error = NULL, *text = child_run(work, flowing, poll_child, &error);
    if (!text)
        return failed(flowing,
                      flowing->options->interrupt && flowing->options->interrupt() ? SIM_INTERRUPTED
                                                                                   : "simgrid",
                      error);
    struct series_result *result = result_text_read(text, test_case->name, test_case->stack->name);
    g_free(text);
    return result
               ? result
               : failed(flowing, "simgrid", g_strdup("what SimGrid's process said is no result"));
}

// Before the first flow: how far the curve is.
static void note_curve(void *owner, int sizes)
{
    const struct flowing *flowing = owner;
    if (!flowing->options->progress)
        return;
    char *detail = g_strdup_printf("%s: %d sizes of its curve", flowing->test_case->name, sizes);
    flowing->options->progress(flowing->options->progress_owner, flowing->series, 0.0, detail);
    g_free(detail);
}

static struct series_result *run_flows(struct flowing *flowing)
{
    char *error = NULL;
    const struct curve_watch watch = {note_curve, flowing};
    struct flow_curve *curve =
        flow_curve_measure(flowing->registry, flowing->test_case, &watch, &error);
    if (!curve)
        return failed(flowing, "curve", error);
    double *done =
        mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (done == MAP_FAILED)
        g_error("there is no memory for what a child has finished");
    flowing->curve = curve;
    flowing->done = done;
    struct series_result *result = run_child(flowing);
    result->basis = flow_basis(flowing->test_case, curve);
    munmap(done, sizeof *done);
    flow_curve_free(curve);
    return result;
}

// On the device the case is run as on packets, by another stack.
static struct series_result *run_device(const struct flowing *flowing)
{
    struct flow_device *device = flow_device_new(flowing->registry, flowing->test_case);
    struct run_options options = *flowing->options;
    options.stack = flow_device_stack(device);
    struct series_result *result =
        run_case(flowing->registry, flowing->test_case, flowing->series, flowing->seed, &options);
    g_clear_pointer(&result->links, g_ptr_array_unref);
    result->basis = flow_device_basis(flowing->test_case, flow_device_costs(device));
    flow_device_free(device);
    return result;
}

struct series_result *flow_or_packets(const struct registry *registry,
                                      const struct scenario_case *test_case, int series,
                                      uint64_t seed, const struct run_options *options)
{
    static const struct run_options no_options = {0};
    if (test_case->fidelity == FIDELITY_PACKET)
        return run_case(registry, test_case, series, seed, options);
    struct flowing flowing = {
        .registry = registry,
        .test_case = test_case,
        .options = options ? options : &no_options,
        .seed = seed,
        .series = series,
    };
    gint64 start = g_get_monotonic_time();
    struct series_result *result =
        test_case->flow == FLOW_BY_DEVICE ? run_device(&flowing) : run_flows(&flowing);
    result->number = series;
    result->fidelity = fidelity_names[FIDELITY_FLOW];
    result->note = note;
    result->wall_s = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
    return result;
}
