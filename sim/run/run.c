// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/run.h"

#include "sim/benchmark/stream.h"
#include "sim/core/intern.h"
#include "sim/core/machine_states.h"
#include "sim/core/tee.h"
#include "sim/interpreter/interpreter.h"
#include "sim/measure/books.h"
#include "sim/measure/steady.h"
#include "sim/model/job.h"
#include "sim/mpi/unexpected.h"
#include "sim/run/deadlock.h"
#include "sim/run/limit.h"
#include "sim/run/link_sizes.h"
#include "sim/run/measurements.h"

#include <string.h>

#define REPORT_LINES 50
#define MOST_STATES 1000 // of the report of a run that is stopped

// A case while it runs.
struct running {
    const struct scenario_case *test_case;
    const struct run_options *options;
    struct sim *sim;
    struct cluster *cluster;
    struct job *job;
    struct interpreter **interpreters;
    struct op_source *source, *own_source; // own: NULL: it is the options'
    int ranks;
    struct measurements measurements;
    struct steady *steady;        // NULL: all repetitions are run
    struct stream *stream;        // NULL: the benchmark is not over time
    struct link_sizes link_sizes; // if the options ask for them
    struct series_result *result;
    struct trace *trace;           // of the simulation; NULL: none
    struct tee *tee;               // NULL: none
    struct machine_states *states; // if it is to be stopped
};

// The interval of a rank until `end`; a measurement ends where a slice of time begins.
static struct run_interval interval_of(const struct running *run, int rank, int64_t size,
                                       int64_t count, sim_time end, sim_time elapsed)
{
    return (struct run_interval){
        .rank = rank,
        .lane = cpu_lane(run->job->processes[rank]->task.cpu),
        .size = size,
        .count = count,
        .from = end - elapsed,
        .to = end,
    };
}

static void on_measure(void *owner, int rank, const struct interpreter_measured *measured)
{
    struct running *run = owner;
    int64_t size = measured->size, parts = measured->parts;
    struct run_interval interval =
        interval_of(run, rank, size, measured->count * parts, sim_now(run->sim), measured->elapsed);
    interval.count_left_out = measured->count_left_out * parts;
    interval.left_out = measured->left_out;
    bool last = measurements_add(&run->measurements, &interval, parts, measured->times,
                                 measured->repetitions);
    if (run->link_sizes.network)
        link_sizes_stop(&run->link_sizes, size, last, sim_now(run->sim));
}

static void on_measure_start(void *owner)
{
    struct running *run = owner;
    if (run->link_sizes.network)
        link_sizes_start(&run->link_sizes, sim_now(run->sim));
}

// ---- Benchmarks over time ----

static void report_bin(void *owner, int64_t bin)
{
    const struct running *run = owner;
    const struct stream_config *config = run->stream->config;
    if (!run->options->progress)
        return;
    char *detail = g_strdup_printf("%s: %.6g s of %.6g s", run->test_case->name,
                                   time_to_s((bin + 1) * config->bin), time_to_s(config->duration));
    run->options->progress(run->options->progress_owner, run->result->number,
                           (double)(bin + 1) / (double)run->stream->bins, detail);
    g_free(detail);
}

static void stream_start(struct running *run)
{
    const struct stream_config *config = run->test_case->workload.parameters->values;
    run->stream = stream_new(config, stream_write_size(run->test_case));
    run->stream->bin_over = report_bin;
    run->stream->owner = run;
    run->result->counts = stream_counts(config);
    for (int rank = 0; rank < run->ranks; rank++)
        interpreter_join_stream(run->interpreters[rank], run->stream);
}

static void collect_stream(const struct running *run)
{
    const struct stream *stream = run->stream;
    if (!stream || !stream->ended)
        return;
    stream_report(stream, run->result);
    struct run_interval interval =
        interval_of(run, 1, 0, stream->received, stream->heard, stream->heard - stream->origin);
    measurements_tell(&run->measurements, &interval);
}

// ---- The case ----

static void build_cards(struct running *run, const struct registry *registry)
{
    const struct scenario_case *test_case = run->test_case;
    const char *kind = registry_stack(registry, test_case->stack->name)->card;
    const struct card *card = test_case->nic ? registry_card(registry, test_case->nic, kind) : NULL;
    if (card && card->add)
        card->add(run->cluster, test_case);
}

static bool any_host_has_noise(const struct cluster *cluster)
{
    for (int host = 0; host < cluster->host_count; host++)
        if (cluster->hosts[host]->noise)
            return true;
    return false;
}

// Chance, or an event at a given time, may come with a repetition that would be left out.
static void steady_begin(struct running *run)
{
    int alike = run->test_case->workload.steady;
    if (alike == 0 || run->sim->faults || any_host_has_noise(run->cluster) || !run->source->leave)
        return;
    run->steady = steady_new(run->ranks, alike);
    run->source->all_laps = true;
}

static void running_build(struct running *run, const struct registry *registry)
{
    const struct scenario_case *test_case = run->test_case;
    const struct workload *workload = &test_case->workload;
    run->cluster = cluster_new(run->sim, test_case);
    run->ranks = workload->ranks;
    run->interpreters = g_new0(struct interpreter *, run->ranks);
    const struct stack *stack = run->options->stack;
    if (!stack)
        build_cards(run, registry);
    run->job =
        job_new(run->cluster, test_case,
                stack ? stack : registry_stack(registry, test_case->stack->name), interpreter_run);
    measurements_begin(&run->measurements, registry, test_case, run->options, run->result);
    run->measurements.sim = run->sim;
    const struct benchmark *benchmark = run->measurements.benchmark;
    if (!run->options->source)
        run->own_source = workload_source(benchmark, workload);
    run->source = run->own_source ? run->own_source : run->options->source;
    steady_begin(run);
    for (int rank = 0; rank < run->ranks; rank++) {
        struct mpi_process *process = run->job->processes[rank];
        process->observer = run->options->observer;
        run->interpreters[rank] = interpreter_new(process, run->source, on_measure, run);
        interpreter_on_start(run->interpreters[rank], on_measure_start);
        interpreter_join_steady(run->interpreters[rank], run->steady);
        if (workload->samples)
            interpreter_keep_laps(run->interpreters[rank]);
        interpreter_start(run->interpreters[rank], process->host->config.phase.process);
    }
    if (benchmark && benchmark->schema.over_time)
        stream_start(run);
    else if (benchmark && run->options->link_sizes && workload->sizes->len > 1)
        link_sizes_begin(&run->link_sizes, run->cluster->network);
}

static void running_free(struct running *run)
{
    for (int rank = 0; rank < run->ranks; rank++)
        interpreter_free(run->interpreters[rank]);
    network_release(run->cluster->network);
    job_free(run->job);
    op_source_free(run->own_source);
    stream_free(run->stream);
    steady_free(run->steady);
    measurements_clear(&run->measurements);
    cluster_free(run->cluster);
    g_free(run->interpreters);
    sim_free(run->sim);
    tee_free(run->tee);
    machine_states_free(run->states);
}

// The cycles of ports that packets hold while each waits for the next, where a network can do that.
static json_t *held_ports_json(const struct network *network)
{
    GPtrArray *lines = network_describe_blocked(network);
    if (!lines)
        return NULL;
    json_t *json = json_array();
    for (guint i = 0; i < lines->len; i++)
        json_array_append_new(json, json_string(g_ptr_array_index(lines, i)));
    g_ptr_array_unref(lines);
    return json;
}

// Each rank that has not ended: where it is, and what it waits for.
static json_t *open_ranks_json(const struct running *run)
{
    json_t *ranks = json_array();
    for (int rank = 0; rank < run->ranks; rank++) {
        if (interpreter_ended(run->interpreters[rank]))
            continue;
        json_t *description = mpi_process_describe(run->job->processes[rank]);
        char *place = interpreter_place(run->interpreters[rank]);
        json_object_set_new(description, "at", json_string(place));
        g_free(place);
        json_array_append_new(ranks, description);
    }
    return ranks;
}

static void add_unexpected(void *owner, const struct mpi_envelope *envelope)
{
    deadlock_add_message(owner, envelope);
}

static void add_request(struct deadlock *deadlock, const struct mpi_request *request, bool waited)
{
    const struct mpi_process *process = request->process;
    const struct machine_state *state = mpi_request_state(request);
    bool receives = request->kind == REQUEST_RECV || request->kind == REQUEST_PROBE;
    bool matched = receives && request->message.generation != 0;
    deadlock_add_request(deadlock, &(struct deadlock_request){
                                       .kind = request->kind,
                                       .operation = mpi_request_name(request),
                                       .number = (int)request->number,
                                       .peer = request->peer,
                                       .tag = request->tag,
                                       .context = request->context,
                                       .group = request->group,
                                       .size = request->size,
                                       .waited = waited,
                                       .needs_peer = (receives && !matched) ||
                                                     request->peer == process->rank ||
                                                     (state && state->holder == HELD_BY_PEER),
                                       .matched = matched,
                                       .sent = receives && mpi_message_under_way(request),
                                       .standard = !request->synchronous && !request->ready,
                                   });
}

static void add_lost(struct deadlock *deadlock, const struct ledger *ledger)
{
    GPtrArray *lines = ledger_report(ledger, DEADLOCK_MOST); // lost ones are first
    guint lost = (guint)MIN(ledger_totals(ledger).lost, lines->len);
    for (guint i = 0; i < lost; i++)
        deadlock_add_lost(deadlock, g_ptr_array_index(lines, i));
    g_ptr_array_unref(lines);
}

// Adds what the ranks wait for to `detail`, and what of it is a mistake of the program.
static void diagnose_deadlock(const struct running *run, json_t *detail)
{
    struct deadlock *deadlock = deadlock_new(run->job->stack, run->test_case);
    for (int rank = 0; rank < run->ranks; rank++) {
        const struct mpi_process *process = run->job->processes[rank];
        bool ended = interpreter_program_ended(run->interpreters[rank]);
        deadlock_add_rank(deadlock, process->host->name, ended);
        for (const struct mpi_request *at = process->active; at && !ended; at = at->active_next)
            add_request(deadlock, at, at->waited || process->open_waits == 0);
        mpi_unexpected_each(process, add_unexpected, deadlock);
    }
    add_lost(deadlock, run->sim->ledger);
    deadlock_describe(deadlock, detail);
    deadlock_free(deadlock);
}

// Nothing is left to happen. Ranks that have not ended wait for something that will never come; or
// all have, and what they have started never ends.
static void report_deadlock(struct running *run)
{
    json_t *ranks = open_ranks_json(run);
    size_t blocked = json_array_size(ranks);
    bool all_ended = blocked == 0 && ledger_balanced(run->sim->ledger);
    const struct stack *stack = run->job->stack;
    char *holds = stack->blocked && !all_ended ? stack->blocked(run->job) : NULL;
    char *stuck = network_describe_stuck(run->cluster->network);
    if (blocked == 0 && !holds && (all_ended || !stuck)) {
        json_decref(ranks);
        g_free(stuck);
        return;
    }
    json_t *detail = json_pack("{s:o}", "ranks", ranks);
    diagnose_deadlock(run, detail);
    json_t *held = held_ports_json(run->cluster->network);
    if (held)
        json_object_set_new(detail, "held_ports", held);
    const char *why = "";
    if (held && network_blocked_in_cycle(run->cluster->network))
        why = ": packets hold ports in a cycle, each waiting for the next (routes: up_down avoids "
              "it)";
    else if (held && !stuck)
        why = ": packets hold ports in front of a station that takes no more";
    const char *link = stuck ? stuck : "", *before_link = stuck ? ": " : "";
    if (blocked == 0)
        sim_fail(run->sim, SIM_DEADLOCK, "deadlock", detail,
                 "all ranks have ended, and what they have started never will%s%s%s%s",
                 holds ? ": " : "", holds ? holds : "", before_link, link);
    else
        sim_fail(run->sim, SIM_DEADLOCK, "deadlock", detail,
                 "%zu of %d ranks wait for what will never happen%s%s%s%s%s", blocked, run->ranks,
                 why, before_link, link, holds ? ": " : "", holds ? holds : "");
    g_free(stuck);
    g_free(holds);
}

// Adds the state of a run under way besides its ranks.
static void describe_stop(const struct running *run, json_t *detail)
{
    guint machines;
    json_t *held = held_ports_json(run->cluster->network);
    if (held)
        json_object_set_new(detail, "held_ports", held);
    json_object_set_new(detail, "states", machine_states_json(run->states, MOST_STATES, &machines));
    json_object_set_new(detail, "machines", json_integer(machines));
}

// The run has come to a limit. If all ranks have ended, only timers are pending, which no rank
// needs.
static void report_limit(struct running *run, const struct limits *limits,
                         enum limit_reached reached)
{
    json_t *ranks = open_ranks_json(run), *first = json_array_get(ranks, 0);
    if (!first) {
        json_decref(ranks);
        return;
    }
    json_t *detail = json_pack("{s:O}", "ranks", ranks);
    if (reached == LIMIT_STOP)
        describe_stop(run, detail);
    limit_fail(run->sim, limits, reached, detail,
               (int)json_integer_value(json_object_get(first, "rank")),
               json_string_value(json_object_get(first, "at")));
    json_decref(ranks);
}

// The network has come to a deadlock: timers of the protocols may go on for ever, the ranks do not.
static void network_deadlocked(void *owner)
{
    const struct running *run = owner;
    engine_stop(run->sim->engine);
}

static json_t *counters_json(const struct sim *sim)
{
    json_t *json = json_object();
    GHashTableIter at;
    gpointer name, counter;
    g_hash_table_iter_init(&at, sim->counters);
    while (g_hash_table_iter_next(&at, &name, &counter))
        json_object_set_new(json, name, json_integer(((const struct sim_counter *)counter)->value));
    return json;
}

static gint compare_losses(gconstpointer a, gconstpointer b)
{
    return strcmp(((const struct result_loss *)a)->name, ((const struct result_loss *)b)->name);
}

static void collect_losses(const struct sim *sim, struct series_result *result)
{
    GHashTableIter at;
    gpointer name, value;
    g_array_set_size(result->losses, 0);
    g_hash_table_iter_init(&at, sim->counters);
    while (g_hash_table_iter_next(&at, &name, &value)) {
        const struct sim_counter *counter = value;
        struct result_loss loss = {intern_text(name), counter->loss, counter->value,
                                   counter->before};
        if (loss.kind != LOSS_NONE && loss.count > 0)
            g_array_append_val(result->losses, loss);
    }
    g_array_sort(result->losses, compare_losses);
    result->faults = sim->faults;
}

// Reports the results of a free program: how long each rank took, and its clocks.
static void collect_times(const struct running *run)
{
    for (int rank = 0; rank < run->ranks && !run->measurements.benchmark; rank++) {
        const struct interpreter *interpreter = run->interpreters[rank];
        if (!interpreter_ended(interpreter))
            continue;
        struct run_interval interval = interval_of(run, rank, -1, 1, interpreter_end(interpreter),
                                                   interpreter_time(interpreter));
        measurements_add_program(&run->measurements, &interval);
        interpreter_report_clocks(interpreter, run->result);
    }
}

// Where in the program a rank is that has met with a failure in its library.
static void place_failure(const struct running *run)
{
    json_t *reason = run->sim->reason, *rank = reason ? json_object_get(reason, "rank") : NULL;
    if (run->sim->status != SIM_FAILED || !json_is_integer(rank) ||
        json_object_get(reason, "place") || json_object_get(reason, "at"))
        return;
    char *place = interpreter_place(run->interpreters[json_integer_value(rank)]);
    json_object_set_new(reason, "at", json_string(place));
    g_free(place);
}

static void collect_steady(const struct running *run)
{
    int64_t turns = run->steady ? steady_turns(run->steady) : 0;
    int64_t ran = run->steady ? steady_turns_run(run->steady) : 0;
    if (ran == turns)
        return;
    char *note = g_strdup_printf("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                                 " repetitions were run, and the others taken to be like the last "
                                 "of them (workload.steady)",
                                 ran, turns);
    run->result->note = intern_text(note);
    g_free(note);
}

static void collect(struct running *run)
{
    place_failure(run);
    collect_times(run);
    collect_stream(run);
    struct sim *sim = run->sim;
    struct series_result *result = run->result;
    result->status = sim->status;
    result->reason = json_incref(sim->reason);
    result->ledger = ledger_totals(sim->ledger);
    result->ledger_balanced = ledger_balanced(sim->ledger);
    if (result->ledger_report)
        g_ptr_array_unref(result->ledger_report);
    result->ledger_report = ledger_report(sim->ledger, REPORT_LINES);
    g_clear_pointer(&result->declined, g_ptr_array_unref);
    if (result->ledger.declined > 0)
        result->declined = ledger_declined_report(sim->ledger, REPORT_LINES);
    json_decref(result->counters);
    result->counters = counters_json(sim);
    collect_losses(sim, result);
    collect_steady(run);
    g_clear_pointer(&result->links, g_ptr_array_unref);
    g_clear_pointer(&result->link_sizes, g_ptr_array_unref);
    if (run->link_sizes.network)
        result->links = link_sizes_end(&run->link_sizes, sim_now(sim), &result->link_sizes);
    else
        result->links = network_link_loads(run->cluster->network);
    result->events = engine_events(sim->engine);
    result->fingerprint = engine_fingerprint(sim->engine);
    result->simulated = sim_now(sim);
}

// The sink of the run: that of its options, and if it is to be stopped one that keeps states.
static void begin_trace(struct running *run)
{
    run->trace = run->options->trace;
    if (run->options->stop_at == 0)
        return;
    run->states = machine_states_new();
    struct trace *own = machine_states_trace(run->states);
    run->tee = run->trace ? tee_new(run->trace, own) : NULL;
    run->trace = run->tee ? tee_trace(run->tee) : own;
}

struct series_result *run_case(const struct registry *registry,
                               const struct scenario_case *test_case, int series, uint64_t seed,
                               const struct run_options *options)
{
    static const struct run_options no_options = {0};
    struct running run = {
        .test_case = test_case,
        .options = options ? options : &no_options,
        .result = series_result_new(test_case->name, test_case->stack->name),
    };
    gint64 start = g_get_monotonic_time();
    run.result->number = series;
    begin_trace(&run);
    run.sim = sim_new(cluster_seed(test_case, seed), run.trace);
    run.sim->capture = run.options->capture;
    running_build(&run, registry);
    network_on_deadlock(run.cluster->network, network_deadlocked, &run);
    if (run.options->began)
        run.options->began(run.options->began_owner, run.sim);
    struct limits limits = limits_of(test_case, run.options->time_limit_s);
    limits.stop_at = run.options->stop_at;
    limits.wall_end = run.options->wall_end;
    limits.interrupt = run.options->interrupt;
    limits.enough = run.options->enough;
    limits.owner = run.options->enough_owner;
    enum limit_reached reached = limit_run(run.sim, &limits);
    if (run.sim->status == SIM_COMPLETED && reached == LIMIT_NONE)
        report_deadlock(&run);
    else if (run.sim->status == SIM_COMPLETED && reached != LIMIT_ENOUGH)
        report_limit(&run, &limits, reached);
    collect(&run);
    if (reached != LIMIT_ENOUGH)
        books_judge(run.result);
    run.result->wall_s = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
    if (run.options->ended)
        run.options->ended(run.options->ended_owner, run.cluster);
    running_free(&run);
    return run.result;
}

struct result *run_scenario(const struct registry *registry, const struct scenario *scenario,
                            const struct run_options *options)
{
    struct result *result = result_new(scenario->name, scenario->seed);
    for (guint i = 0; i < scenario->cases->len; i++)
        g_ptr_array_add(result->series, run_case(registry, g_ptr_array_index(scenario->cases, i),
                                                 (int)i, scenario->seed, options));
    return result;
}
