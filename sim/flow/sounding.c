// SPDX-License-Identifier: GPL-3.0-or-later
// A sounding is a run of two ranks, whose calls for each size are:
//
//   rank 0                          rank 1
//   PingPong, measured              PingPong
//   quiet                           away: quiet, and until the message has long arrived
//   isend, measured; wait           recv, measured
//   recv of nothing                 send of nothing
#include "sim/flow/sounding.h"

#include "sim/flow/flow_pace.h"
#include "sim/flow/pair.h"
#include "sim/host/stages.h"
#include "sim/run/limit.h"
#include "sim/run/run.h"

#include <string.h>

#define SEND_BUFFER INT64_C(0x40000000)
#define RECEIVE_BUFFER INT64_C(0x60000000)
#define TAG 1
#define WARM_UPS 2
#define FIRST_SIZE 65536     // of the messages before all others: windows open
#define QUIET (TIME_S / 2)   // longer than any acknowledgment is delayed
#define AWAY_BYTES_PER_S 1e6 // at this rate, and a hundredth second, a message has long arrived
#define AWAY_S 0.01

// The subject of a measured interval: stands where benchmarks have the message size.
enum part { PART_ROUND_TRIPS, PART_START, PART_SENT, PART_LATE };

enum sounded_lane { LANE_OTHER, LANE_LINK, LANE_RECEIVER };

struct sounding_call {
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

struct sounding {
    const struct registry *registry;
    struct scenario_case test_case; // of the pair
    struct topology pair;
    const struct stack *stack;  // that plays the messages; NULL: the case's own
    double rate;                // bytes/s of the route's slowest link; 0: on one host
    GPtrArray *sections;        // of the pair: the case's, but for the limits
    GPtrArray *unpaced;         // of these, but for the distance between interrupts
    GPtrArray *copies;          // of sections, that are in there
    struct param_values limits; // which are those of the whole run
    struct limit_config no_limit;
};

// A sounding while it runs.
struct sounded {
    struct trace trace; // first: sinks are found by it
    struct op_source source;
    const struct sounding *sounding;
    struct sounding_found *found;
    void (*beat)(void *owner, int sizes); // NULL: none
    void *beat_owner;
    int at;           // of found: under way
    int ended;        // of its send and its receive
    sim_time began;   // when its send was started
    GArray *calls[2]; // struct sounding_call, by rank
    guint next[2];
    GArray *lanes;    // enum sounded_lane
    GArray *occupied; // struct occupied
    GArray *lines;    // sim_time: interrupts of the receiver
    union {
        struct transfer_arguments transfer;
        struct compute_arguments compute;
        struct measure_arguments measure;
        struct operation_arguments common;
    } arguments;
    int awaited;
};

// ---- The calls ----

static void add(struct sounded *sounded, int rank, struct sounding_call call)
{
    g_array_append_val(sounded->calls[rank], call);
}

static void add_message(struct sounded *sounded, int from, int64_t size)
{
    add(sounded, from, (struct sounding_call){.code = OP_SEND, .size = size});
    add(sounded, 1 - from, (struct sounding_call){.code = OP_RECV, .size = size});
}

static void add_round_trips(struct sounded *sounded, int64_t size, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        add_message(sounded, 0, size);
        add_message(sounded, 1, size);
    }
}

static void add_stop(struct sounded *sounded, int rank, enum part part, int64_t count)
{
    add(sounded, rank,
        (struct sounding_call){.code = OP_MEASURE_STOP, .size = (int64_t)part, .count = count});
}

static sim_time away_of(int64_t size)
{
    return (sim_time)((AWAY_S + (double)size / AWAY_BYTES_PER_S) * (double)TIME_S);
}

static void add_late(struct sounded *sounded, int64_t size)
{
    add(sounded, 0, (struct sounding_call){.code = OP_COMPUTE, .time = QUIET});
    add(sounded, 0, (struct sounding_call){.code = OP_MEASURE_START});
    add(sounded, 0, (struct sounding_call){.code = OP_ISEND, .size = size});
    add_stop(sounded, 0, PART_START, 1);
    add(sounded, 0, (struct sounding_call){.code = OP_WAIT});
    add_stop(sounded, 0, PART_SENT, 1);
    add(sounded, 1, (struct sounding_call){.code = OP_COMPUTE, .time = QUIET + away_of(size)});
    add(sounded, 1, (struct sounding_call){.code = OP_MEASURE_START});
    add(sounded, 1, (struct sounding_call){.code = OP_RECV, .size = size});
    add_stop(sounded, 1, PART_LATE, 1);
    add_message(sounded, 1, 0);
    add_message(sounded, 0, 0);
}

// Fewer for longer messages.
static int64_t repetitions(int64_t size)
{
    return size <= 16384 ? 16 : size < 1 << 20 ? 4 : 2;
}

static void add_size(struct sounded *sounded, int64_t size, bool round_trips)
{
    if (round_trips) {
        add_round_trips(sounded, size, WARM_UPS);
        add(sounded, 0, (struct sounding_call){.code = OP_MEASURE_START});
        add_round_trips(sounded, size, repetitions(size));
        add_stop(sounded, 0, PART_ROUND_TRIPS, repetitions(size));
    }
    add_late(sounded, size);
}

// ---- The source ----

static void set_arguments(struct sounded *sounded, int rank, const struct sounding_call *call)
{
    memset(&sounded->arguments, 0, sizeof sounded->arguments);
    sounded->arguments.common = (struct operation_arguments){
        .peer = 1 - rank,
        .size = call->size,
        .buffer = call->code == OP_RECV ? RECEIVE_BUFFER : SEND_BUFFER,
    };
    if (call->code == OP_COMPUTE) {
        sounded->arguments.compute.time = call->time;
    } else if (call->code == OP_MEASURE_STOP) {
        sounded->arguments.measure.count = call->count;
        sounded->arguments.measure.parts = 1;
    } else if (call->code == OP_SEND || call->code == OP_ISEND || call->code == OP_RECV) {
        sounded->arguments.transfer.tag = TAG;
    }
}

static enum source_next sounded_next(struct op_source *source, int rank, struct op_call *call)
{
    static const struct source_mark nowhere;
    struct sounded *sounded = container_of(source, struct sounded, source);
    if (sounded->next[rank] == sounded->calls[rank]->len)
        return SOURCE_END;
    const struct sounding_call *next =
        &g_array_index(sounded->calls[rank], struct sounding_call, sounded->next[rank]++);
    set_arguments(sounded, rank, next);
    *call = (struct op_call){
        .kind = &operation_table[next->code],
        .mark = &nowhere,
        .arguments = &sounded->arguments,
        .span = next->size,
        .request = next->code == OP_ISEND ? 0 : CALL_NO_REQUEST,
        .request_name = next->code == OP_ISEND ? "sent" : NULL,
    };
    if (next->code == OP_WAIT) {
        call->awaited = &sounded->awaited;
        call->awaited_count = 1;
    }
    return SOURCE_CALL;
}

// ---- The links ----

static trace_lane add_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct sounded *sounded = (struct sounded *)trace;
    const struct topology *pair = &sounded->sounding->pair;
    bool receiver =
        pair->hosts->len == 2 && g_strcmp0(info->group, topology_node_name(pair, 1)) == 0;
    enum sounded_lane lane = info->kind == TRACE_LINK ? LANE_LINK
                             : receiver               ? LANE_RECEIVER
                                                      : LANE_OTHER;
    if (sounded->lanes->len == 0)
        g_array_set_size(sounded->lanes, 1); // lane 0 is none
    g_array_append_val(sounded->lanes, lane);
    return sounded->lanes->len - 1;
}

static void add_span(struct trace *trace, trace_lane lane, const struct stage *stage, sim_time from,
                     sim_time to, struct message_ref message)
{
    struct sounded *sounded = (struct sounded *)trace;
    (void)stage;
    (void)message;
    struct occupied occupied = {lane, from, to};
    if (g_array_index(sounded->lanes, enum sounded_lane, lane) == LANE_LINK)
        g_array_append_val(sounded->occupied, occupied);
}

static void add_note(struct trace *trace, trace_lane lane, const struct trace_note *note)
{
    struct sounded *sounded = (struct sounded *)trace;
    if (note->kind == TRACE_GAP)
        add_span(trace, lane, NULL, note->from, note->to, MESSAGE_NONE);
    else if (note->kind == TRACE_DELAY && note->stage == &stage_interrupt_line &&
             g_array_index(sounded->lanes, enum sounded_lane, lane) == LANE_RECEIVER)
        g_array_append_val(sounded->lines, note->from);
}

static const struct trace_ops sounding_trace_ops = {
    .lane = add_lane,
    .span = add_span,
    .note = add_note,
};

// Notes the receiver's first and last interrupt until the message has arrived.
static void note_lines(const struct sounded *sounded, sim_time arrived,
                       struct sounding_found *found)
{
    sim_time began = sounded->began, first = TIME_NEVER, last = began;
    for (guint i = 0; i < sounded->lines->len; i++) {
        sim_time line = g_array_index(sounded->lines, sim_time, i);
        if (line <= began || line >= arrived)
            continue;
        first = MIN(first, line);
        last = MAX(last, line);
    }
    found->line = time_to_s(last - began);
    found->spread = last > began ? time_to_s(last - first) : 0;
}

// The longest time that a lane was occupied since `began`.
static sim_time busiest(const struct sounded *sounded, sim_time began)
{
    sim_time *sums = g_new0(sim_time, sounded->lanes->len + 1), most = 0;
    for (guint i = 0; i < sounded->occupied->len; i++) {
        const struct occupied *one = &g_array_index(sounded->occupied, struct occupied, i);
        if (one->from < began)
            continue;
        sums[one->lane] += one->to - one->from;
        most = MAX(most, sums[one->lane]);
    }
    g_free(sums);
    return most;
}

// The longest time that a lane was occupied at once.
static sim_time longest(const struct sounded *sounded, sim_time began)
{
    sim_time most = 0;
    for (guint i = 0; i < sounded->occupied->len; i++) {
        const struct occupied *one = &g_array_index(sounded->occupied, struct occupied, i);
        if (one->from >= began)
            most = MAX(most, one->to - one->from);
    }
    return most;
}

// ---- What was measured ----

static void on_measured(void *owner, const struct run_interval *interval)
{
    struct sounded *sounded = owner;
    struct sounding_found *found = &sounded->found[sounded->at];
    double seconds = time_to_s(interval->to - interval->from);
    switch ((enum part)interval->size) {
    case PART_ROUND_TRIPS:
        found->one_way = seconds / (double)interval->count / 2;
        break;
    case PART_START:
        found->start = seconds;
        sounded->began = interval->from;
        break;
    case PART_SENT:
        found->sent = seconds;
        break;
    case PART_LATE:
        found->late = seconds;
        found->away = time_to_s(away_of(found->size));
        found->wire = time_to_s(busiest(sounded, sounded->began)) * sounded->sounding->rate;
        note_lines(sounded,
                   sounded->began + (sim_time)((found->one_way - seconds) * (double)TIME_S), found);
        found->frame = time_to_s(longest(sounded, sounded->began)) * sounded->sounding->rate;
        break;
    }
    // Whether the send or the receive ends last depends on the protocol.
    bool last = interval->size == PART_LATE || interval->size == PART_SENT;
    if (last && ++sounded->ended == 2) {
        sounded->ended = 0;
        sounded->at++;
        g_array_set_size(sounded->occupied, 0);
        g_array_set_size(sounded->lines, 0);
    }
}

// ---- Soundings ----

// The case's limits are not meant for the sounding.
static void own_sections(struct sounding *sounding, const struct scenario_case *test_case)
{
    const GPtrArray *sections = test_case->sections;
    sounding->sections = g_ptr_array_new();
    sounding->unpaced = g_ptr_array_new();
    sounding->copies = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < sections->len; i++) {
        struct param_values *values = g_ptr_array_index(sections, i);
        bool limits = strcmp(values->path, limit_sections[0].path) == 0;
        if (limits) {
            sounding->no_limit = *(const struct limit_config *)values->values;
            sounding->no_limit.simulated_time = 0;
            sounding->limits = *values;
            sounding->limits.values = &sounding->no_limit;
        }
        if (limits)
            values = &sounding->limits;
        struct param_values *unpaced = flow_pace_without(sounding->registry, values);
        g_ptr_array_add(sounding->sections, values);
        g_ptr_array_add(sounding->unpaced, unpaced ? unpaced : values);
        if (unpaced)
            g_ptr_array_add(sounding->copies, unpaced);
    }
    sounding->test_case.sections = sounding->sections;
}

struct sounding *sounding_new(const struct registry *registry,
                              const struct scenario_case *test_case, struct flow_cluster *machine,
                              int from, int to)
{
    const struct route *route = flow_cluster_route(machine, from, to);
    struct sounding *sounding = g_new0(struct sounding, 1);
    sounding->registry = registry;
    sounding->test_case = *test_case;
    sounding->rate = route ? flow_cluster_rate(machine, route) : 0;
    pair_of(&sounding->pair, &test_case->topology, flow_cluster_network(machine), from, to);
    sounding->test_case.topology = sounding->pair;
    sounding->test_case.fidelity = FIDELITY_PACKET;
    own_sections(sounding, test_case);
    const int hosts[2] = {0, from == to ? 0 : 1};
    sounding->test_case.workload = (struct workload){
        .benchmark = &registry_benchmark(registry, "pmb.pingpong")->schema,
        .ranks = 2,
        .placement = g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(int)), hosts, 2),
        .sizes = g_array_new(FALSE, FALSE, sizeof(int64_t)),
        .mark = test_case->workload.mark,
    };
    return sounding;
}

void sounding_free(struct sounding *sounding)
{
    if (!sounding)
        return;
    g_array_free(sounding->test_case.workload.placement, TRUE);
    g_array_free(sounding->test_case.workload.sizes, TRUE);
    g_ptr_array_free(sounding->sections, TRUE);
    g_ptr_array_free(sounding->unpaced, TRUE);
    g_ptr_array_free(sounding->copies, TRUE);
    pair_clear(&sounding->pair);
    g_free(sounding);
}

void sounding_play_on(struct sounding *sounding, const struct stack *stack)
{
    sounding->stack = stack;
}

bool sounding_unpace(struct sounding *sounding, bool unpaced)
{
    bool before = sounding->test_case.sections == sounding->unpaced;
    sounding->test_case.sections = unpaced ? sounding->unpaced : sounding->sections;
    return before;
}

static void sounded_begin(struct sounded *sounded, const struct sounding *sounding,
                          struct sounding_found *found, int count, bool round_trips)
{
    *sounded = (struct sounded){
        .trace = {&sounding_trace_ops},
        .source = {.next = sounded_next},
        .sounding = sounding,
        .found = found,
        .lanes = g_array_new(FALSE, TRUE, sizeof(enum sounded_lane)),
        .occupied = g_array_new(FALSE, FALSE, sizeof(struct occupied)),
        .lines = g_array_new(FALSE, FALSE, sizeof(sim_time)),
    };
    for (int rank = 0; rank < 2; rank++)
        sounded->calls[rank] = g_array_new(FALSE, FALSE, sizeof(struct sounding_call));
    int64_t first = 0;
    for (int i = 0; i < count; i++)
        first = MIN(MAX(first, found[i].size), FIRST_SIZE);
    add_round_trips(sounded, first, WARM_UPS);
    for (int i = 0; i < count; i++) {
        found[i] = (struct sounding_found){.size = found[i].size};
        add_size(sounded, found[i].size, round_trips);
    }
}

static void sounded_clear(struct sounded *sounded)
{
    for (int rank = 0; rank < 2; rank++)
        g_array_free(sounded->calls[rank], TRUE);
    g_array_free(sounded->lanes, TRUE);
    g_array_free(sounded->occupied, TRUE);
    g_array_free(sounded->lines, TRUE);
}

// Reports the number of measured sizes at each poll of a run. Never ends the run.
static bool sounded_beat(void *owner)
{
    const struct sounded *sounded = owner;
    if (sounded->beat)
        sounded->beat(sounded->beat_owner, sounded->at);
    return false;
}

bool sounding_run(struct sounding *sounding, struct sounding_found *found, int count,
                  bool round_trips, void (*beat)(void *owner, int sizes), void *owner, char **error)
{
    struct sounded sounded;
    sounded_begin(&sounded, sounding, found, count, round_trips);
    sounded.beat = beat;
    sounded.beat_owner = owner;
    struct run_options options = {
        .source = &sounded.source,
        .stack = sounding->stack,
        .trace = &sounded.trace,
        .measured = on_measured,
        .measured_owner = &sounded,
        .enough = sounded_beat,
        .enough_owner = &sounded,
    };
    struct series_result *result =
        run_case(sounding->registry, &sounding->test_case, 0, 1, &options);
    bool good = result->status == SIM_COMPLETED && sounded.at == count;
    if (!good) {
        const char *text = json_string_value(json_object_get(result->reason, "text"));
        *error = g_strdup_printf("two ranks of %s alone: %s", sounding->test_case.stack->name,
                                 text ? text : "not all of it was measured");
    }
    series_result_free(result);
    sounded_clear(&sounded);
    return good;
}
