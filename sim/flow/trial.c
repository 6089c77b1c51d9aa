// SPDX-License-Identifier: GPL-3.0-or-later
// A trial is a run of two ranks, whose calls for each size are:
//
//   rank 0                          rank 1
//   PingPong, measured              PingPong
//   quiet                           away: quiet, and until the message has long arrived
//   isend, measured; wait           recv, measured
//   recv of nothing                 send of nothing
#include "sim/flow/trial.h"

#include "sim/flow/pair.h"
#include "sim/workload/run.h"

#include <string.h>

#define SEND_BUFFER INT64_C(0x40000000)
#define RECEIVE_BUFFER INT64_C(0x60000000)
#define TAG 1
#define WARM_UPS 2
#define FIRST_SIZE 65536     // of the messages before all others: windows open
#define QUIET (TIME_S / 2)   // longer than any acknowledgment is delayed
#define AWAY_BYTES_PER_S 1e6 // at this rate, and a hundredth second, a message has long arrived
#define AWAY_S 0.01

// What a measured interval is of: stands where benchmarks have the message size.
enum part { PART_ROUND_TRIPS, PART_START, PART_SENT, PART_LATE };

struct trial_call {
    enum op_code code;
    int64_t size;  // of the message; of OP_MEASURE_STOP: enum part
    int64_t count; // repetitions of what was measured
    sim_time time; // of OP_COMPUTE
};

// A frame on a link of the sender's side, with the gap after it.
struct occupied {
    trace_lane lane;
    sim_time from, to;
};

struct trial {
    const struct registry *registry;
    struct scenario_case test_case; // of the pair
    struct topology pair;
    const char *sender; // name of the first host
    double rate;        // bytes/s of the slowest link of the way; 0: on one host
};

// A trial while it runs.
struct trying {
    struct trace trace; // first: sinks are found by it
    struct op_source source;
    const struct trial *trial;
    struct trial_found *found;
    int at;           // of found: under way
    int ended;        // of its send and its receive
    sim_time began;   // when its send was started
    GArray *calls[2]; // struct trial_call, by rank
    guint next[2];
    GArray *lanes;    // bool: a link's, away from the sender or further on its way
    GArray *occupied; // struct occupied
    union {
        struct transfer_arguments transfer;
        struct compute_arguments compute;
        struct measure_arguments measure;
        struct operation_arguments common;
    } arguments;
    int awaited;
};

// ---- The calls ----

static void add(struct trying *trying, int rank, struct trial_call call)
{
    g_array_append_val(trying->calls[rank], call);
}

static void add_message(struct trying *trying, int from, int64_t size)
{
    add(trying, from, (struct trial_call){.code = OP_SEND, .size = size});
    add(trying, 1 - from, (struct trial_call){.code = OP_RECV, .size = size});
}

static void add_round_trips(struct trying *trying, int64_t size, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        add_message(trying, 0, size);
        add_message(trying, 1, size);
    }
}

static void add_stop(struct trying *trying, int rank, enum part part, int64_t count)
{
    add(trying, rank,
        (struct trial_call){.code = OP_MEASURE_STOP, .size = (int64_t)part, .count = count});
}

static sim_time away_of(int64_t size)
{
    return (sim_time)((AWAY_S + (double)size / AWAY_BYTES_PER_S) * (double)TIME_S);
}

static void add_late(struct trying *trying, int64_t size)
{
    add(trying, 0, (struct trial_call){.code = OP_COMPUTE, .time = QUIET});
    add(trying, 0, (struct trial_call){.code = OP_MEASURE_START});
    add(trying, 0, (struct trial_call){.code = OP_ISEND, .size = size});
    add_stop(trying, 0, PART_START, 1);
    add(trying, 0, (struct trial_call){.code = OP_WAIT});
    add_stop(trying, 0, PART_SENT, 1);
    add(trying, 1, (struct trial_call){.code = OP_COMPUTE, .time = QUIET + away_of(size)});
    add(trying, 1, (struct trial_call){.code = OP_MEASURE_START});
    add(trying, 1, (struct trial_call){.code = OP_RECV, .size = size});
    add_stop(trying, 1, PART_LATE, 1);
    add_message(trying, 1, 0);
    add_message(trying, 0, 0);
}

// Fewer of what takes longer.
static int64_t repetitions(int64_t size)
{
    return size <= 16384 ? 16 : size < 1 << 20 ? 4 : 2;
}

static void add_size(struct trying *trying, int64_t size, bool round_trips)
{
    if (round_trips) {
        add_round_trips(trying, size, WARM_UPS);
        add(trying, 0, (struct trial_call){.code = OP_MEASURE_START});
        add_round_trips(trying, size, repetitions(size));
        add_stop(trying, 0, PART_ROUND_TRIPS, repetitions(size));
    }
    add_late(trying, size);
}

// ---- The source ----

static void set_arguments(struct trying *trying, int rank, const struct trial_call *call)
{
    memset(&trying->arguments, 0, sizeof trying->arguments);
    trying->arguments.common = (struct operation_arguments){
        .peer = 1 - rank,
        .size = call->size,
        .buffer = call->code == OP_RECV ? RECEIVE_BUFFER : SEND_BUFFER,
    };
    if (call->code == OP_COMPUTE) {
        trying->arguments.compute.time = call->time;
    } else if (call->code == OP_MEASURE_STOP) {
        trying->arguments.measure.count = call->count;
        trying->arguments.measure.parts = 1;
    } else if (call->code == OP_SEND || call->code == OP_ISEND || call->code == OP_RECV) {
        trying->arguments.transfer.tag = TAG;
    }
}

static enum source_next trying_next(struct op_source *source, int rank, struct op_call *call)
{
    static const struct source_mark nowhere;
    struct trying *trying = container_of(source, struct trying, source);
    if (trying->next[rank] == trying->calls[rank]->len)
        return SOURCE_END;
    const struct trial_call *next =
        &g_array_index(trying->calls[rank], struct trial_call, trying->next[rank]++);
    set_arguments(trying, rank, next);
    *call = (struct op_call){
        .kind = &operation_table[next->code],
        .mark = &nowhere,
        .arguments = &trying->arguments,
        .span = next->size,
        .request = next->code == OP_ISEND ? 0 : CALL_NO_REQUEST,
        .request_name = next->code == OP_ISEND ? "sent" : NULL,
    };
    if (next->code == OP_WAIT) {
        call->awaited = &trying->awaited;
        call->awaited_count = 1;
    }
    return SOURCE_CALL;
}

// ---- The links ----

static trace_lane add_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct trying *trying = (struct trying *)trace;
    bool counts = info->kind == TRACE_LINK;
    if (trying->lanes->len == 0)
        g_array_set_size(trying->lanes, 1); // lane 0 is none
    g_array_append_val(trying->lanes, counts);
    return trying->lanes->len - 1;
}

static void add_span(struct trace *trace, trace_lane lane, const struct stage *stage, sim_time from,
                     sim_time to, struct message_ref message)
{
    struct trying *trying = (struct trying *)trace;
    (void)stage;
    (void)message;
    struct occupied occupied = {lane, from, to};
    if (g_array_index(trying->lanes, bool, lane))
        g_array_append_val(trying->occupied, occupied);
}

static void add_flow(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                     sim_time when)
{
    (void)trace, (void)lane, (void)message, (void)phase, (void)when;
}

static void add_transition(struct trace *trace, trace_lane lane, sim_time when,
                           const struct trace_transition *transition)
{
    (void)trace, (void)lane, (void)when, (void)transition;
}

static void add_note(struct trace *trace, trace_lane lane, const struct trace_note *note)
{
    if (note->kind == TRACE_GAP)
        add_span(trace, lane, NULL, note->from, note->to, MESSAGE_NONE);
}

static const struct trace_ops trial_trace_ops = {
    .lane = add_lane,
    .span = add_span,
    .flow = add_flow,
    .transition = add_transition,
    .note = add_note,
};

// The longest time that a lane was occupied since `began`.
static sim_time busiest(const struct trying *trying, sim_time began)
{
    sim_time *sums = g_new0(sim_time, trying->lanes->len + 1), most = 0;
    for (guint i = 0; i < trying->occupied->len; i++) {
        const struct occupied *one = &g_array_index(trying->occupied, struct occupied, i);
        if (one->from < began)
            continue;
        sums[one->lane] += one->to - one->from;
        most = MAX(most, sums[one->lane]);
    }
    g_free(sums);
    return most;
}

// The longest time that a lane was occupied at once.
static sim_time longest(const struct trying *trying, sim_time began)
{
    sim_time most = 0;
    for (guint i = 0; i < trying->occupied->len; i++) {
        const struct occupied *one = &g_array_index(trying->occupied, struct occupied, i);
        if (one->from >= began)
            most = MAX(most, one->to - one->from);
    }
    return most;
}

// ---- What was measured ----

static void on_measured(void *owner, const struct run_interval *interval)
{
    struct trying *trying = owner;
    struct trial_found *found = &trying->found[trying->at];
    double seconds = time_to_s(interval->to - interval->from);
    switch ((enum part)interval->size) {
    case PART_ROUND_TRIPS:
        found->one_way = seconds / (double)interval->count / 2;
        break;
    case PART_START:
        found->start = seconds;
        trying->began = interval->from;
        break;
    case PART_SENT:
        found->sent = seconds;
        break;
    case PART_LATE:
        found->late = seconds;
        found->away = time_to_s(away_of(found->size));
        found->wire = time_to_s(busiest(trying, trying->began)) * trying->trial->rate;
        found->frame = time_to_s(longest(trying, trying->began)) * trying->trial->rate;
        break;
    }
    // Whether the send or the receive is over last hangs on the protocol.
    bool last = interval->size == PART_LATE || interval->size == PART_SENT;
    if (last && ++trying->ended == 2) {
        trying->ended = 0;
        trying->at++;
        g_array_set_size(trying->occupied, 0);
    }
}

// ---- Trials ----

struct trial *trial_new(const struct registry *registry, const struct scenario_case *test_case,
                        struct machine *machine, int from, int to)
{
    const struct route *route = machine_route(machine, from, to);
    struct trial *trial = g_new0(struct trial, 1);
    trial->registry = registry;
    trial->test_case = *test_case;
    trial->rate = route ? machine_rate(machine, route) : 0;
    pair_of(&trial->pair, &test_case->topology, machine_network(machine), from, to);
    trial->test_case.topology = trial->pair;
    trial->sender = g_array_index(trial->pair.hosts, struct topology_node, 0).name;
    trial->test_case.fidelity = FIDELITY_PACKET;
    const int hosts[2] = {0, from == to ? 0 : 1};
    trial->test_case.workload = (struct workload){
        .benchmark = &registry_benchmark(registry, "pmb.pingpong")->schema,
        .ranks = 2,
        .placement = g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(int)), hosts, 2),
        .sizes = g_array_new(FALSE, FALSE, sizeof(int64_t)),
        .mark = test_case->workload.mark,
    };
    return trial;
}

void trial_free(struct trial *trial)
{
    if (!trial)
        return;
    g_array_free(trial->test_case.workload.placement, TRUE);
    g_array_free(trial->test_case.workload.sizes, TRUE);
    pair_clear(&trial->pair);
    g_free(trial);
}

static void trying_begin(struct trying *trying, const struct trial *trial,
                         struct trial_found *found, int count, bool round_trips)
{
    *trying = (struct trying){
        .trace = {&trial_trace_ops},
        .source = {.next = trying_next},
        .trial = trial,
        .found = found,
        .lanes = g_array_new(FALSE, TRUE, sizeof(bool)),
        .occupied = g_array_new(FALSE, FALSE, sizeof(struct occupied)),
    };
    for (int rank = 0; rank < 2; rank++)
        trying->calls[rank] = g_array_new(FALSE, FALSE, sizeof(struct trial_call));
    add_round_trips(trying, FIRST_SIZE, WARM_UPS);
    for (int i = 0; i < count; i++) {
        found[i] = (struct trial_found){.size = found[i].size};
        add_size(trying, found[i].size, round_trips);
    }
}

static void trying_clear(struct trying *trying)
{
    for (int rank = 0; rank < 2; rank++)
        g_array_free(trying->calls[rank], TRUE);
    g_array_free(trying->lanes, TRUE);
    g_array_free(trying->occupied, TRUE);
}

bool trial_run(struct trial *trial, struct trial_found *found, int count, bool round_trips,
               char **error)
{
    struct trying trying;
    trying_begin(&trying, trial, found, count, round_trips);
    struct run_options options = {
        .source = &trying.source,
        .trace = &trying.trace,
        .measured = on_measured,
        .measured_owner = &trying,
    };
    struct series_result *result = run_case(trial->registry, &trial->test_case, 0, 1, &options);
    bool good = result->status == SIM_COMPLETED && trying.at == count;
    if (!good) {
        const char *text = json_string_value(json_object_get(result->reason, "text"));
        *error = g_strdup_printf("two ranks of %s alone: %s", trial->test_case.stack->name,
                                 text ? text : "not all of it was measured");
    }
    series_result_free(result);
    trying_clear(&trying);
    return good;
}
