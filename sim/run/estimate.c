// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/estimate.h"

#include "sim/benchmark/benchmark.h"
#include "sim/benchmark/samples.h"
#include "sim/benchmark/stream.h"
#include "sim/model/model.h"
#include "sim/mpi/process.h"
#include "sim/run/estimate_sample.h"
#include "sim/run/limit.h"
#include "sim/source/code.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define GB 1e9

// Worth a word before the run.
#define MUCH_MEMORY (1 * GB)
#define MANY_EVENTS 1e11

// The program itself, with its libraries.
#define BASE_BYTES 12.5e6

// A host with its processors, bus and card, and its link: what they allocate, as measured with
// unused hosts.
#define HOST_BYTES 6e3

// A process: its structs and the pools and arrays that grow with the first messages.
#define PROCESS_BYTES (sizeof(struct mpi_process) + 4e3)

// A pair of processes that are connected: the route. One that has talked: besides, what the ledger
// and the library keep of its messages.
#define FLOW_RANK_BYTES 24e3 // on flows: an actor of SimGrid with its stack
#define PAIR_BYTES 100.0
#define PEER_BYTES 300.0

// One operation of a program, as data and compiled: for all ranks once, and the buffer that a rank
// may have of its own for it.
#define OPERATION_BYTES (sizeof(struct op) + sizeof(struct code_op))
#define RANK_OPERATION_BYTES 16.0

// Operations of a benchmark for each size, as data, of each of so many ranks: those of others are
// the same.
#define SIZE_OPERATIONS 12.0
#define UNLIKE_RANKS 2

// With more ranks, the program of a benchmark is not built for its estimate.
#define OWN_PROGRAM_MOST_RANKS 1024

// Of a message in flight: the events of its ends with its first packet, and those of each further
// packet of it; those of a connection, where each process has one to each other from the start, and
// where messages open it. As measured on the shipped scenarios.
#define MESSAGE_EVENTS 22.0
#define PACKET_EVENTS 17.0
#define PAIR_EVENTS 75.0
#define PEER_EVENTS 130.0

// Of a message on flows: SimGrid's are counted by its flows; the device's as measured.
#define SIMGRID_MESSAGE_EVENTS 1.0
#define DEVICE_MESSAGE_EVENTS 17.0

// Of a stack whose sections have no `mtu`; and what headers take of an mtu.
#define PACKET_BYTES 1460.0
#define HEADER_BYTES 52.0

// ---- Work ----

// The work of a program, over all ranks.
struct work {
    double operations, bytes;
    bool is_program;       // the bytes are those of its sends and receives
    double peers;          // that a rank talks to, on average, at most
    int64_t largest;       // count of a loop
    const struct op *loop; // that has it; NULL: there are no loops
};

// Whether the operation's number of that name is computed when it runs.
static bool is_computed(const struct op *op, const char *name)
{
    for (guint i = 0; op->computed && i < op->computed->len; i++)
        if (strcmp(g_array_index(op->computed, struct op_computed, i).key->param.name, name) == 0)
            return true;
    return false;
}

// Whom a rank talks to in a collective, on average: in a tree, or in a series of exchanges.
static double few_peers(int ranks)
{
    return 2 * log2(ranks) + 2;
}

static double peers_of(const struct op *op, int ranks)
{
    if (op_is(op, OP_ALLTOALL) || op_is(op, OP_ALLTOALLV))
        return ranks;
    bool collective = op->kind->class == CALL_COLLECTIVE || op->kind->opening.collective;
    return collective ? few_peers(ranks) : 1;
}

static void add_operations(struct work *work, const GPtrArray *body, double times, int ranks)
{
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        work->operations += times;
        work->peers += times * peers_of(op, ranks) / ranks;
        work->bytes += times * (double)MAX(op_common(op)->size, 0);
        if (!op_is(op, OP_LOOP))
            continue;
        const struct loop_arguments *loop = op->arguments;
        double count = is_computed(op, "count") ? 1 : (double)loop->count;
        if (!work->loop || count > (double)work->largest) {
            work->loop = op;
            work->largest = (int64_t)count;
        }
        add_operations(work, op->body, times * count, ranks);
    }
}

// Ranks that do a part.
static double concerned(const struct program_part *part, int ranks)
{
    return part->all ? (double)ranks : (double)part->ranks->len;
}

static struct work program_work(const struct program *program, int ranks)
{
    struct work work = {0};
    for (guint i = 0; i < program->parts->len; i++) {
        const struct program_part *part = g_ptr_array_index(program->parts, i);
        add_operations(&work, part->body, concerned(part, ranks), ranks);
    }
    return work;
}

// The program of a benchmark that repeats by a rule of its own, and thus need not be alike in each
// repetition; NULL: another benchmark, one that is not known, or too large to be made twice. The
// caller frees it.
static struct program *own_program(const struct workload *workload)
{
    if (!workload->benchmark || !workload->benchmark->repetitions_for ||
        workload->ranks > OWN_PROGRAM_MOST_RANKS)
        return NULL;
    const struct benchmark *benchmark =
        registry_benchmark(&model_registry, workload->benchmark->name);
    return benchmark ? benchmark_program(benchmark, workload) : NULL;
}

// Of a rank, if they are the same in each repetition.
static double benchmark_peers(const struct workload *workload)
{
    return workload->benchmark->peers == BENCHMARK_PEERS_ALL ? workload->ranks
                                                             : few_peers(workload->ranks);
}

// Each rank sends something and receives something in each repetition.
static struct work benchmark_work(const struct workload *workload)
{
    int ranks = workload->ranks;
    struct work work = {0};
    enum benchmark_peers peers = workload->benchmark->peers;
    for (guint i = 0; i < workload->sizes->len; i++) {
        int64_t size = g_array_index(workload->sizes, int64_t, i);
        double messages = (double)benchmark_repetitions(workload, size) * ranks;
        work.operations += 2 * messages;
        work.bytes += messages * (double)size;
        work.peers += peers == BENCHMARK_PEERS_CHANGE ? messages / ranks * few_peers(ranks) : 0;
    }
    if (peers != BENCHMARK_PEERS_CHANGE)
        work.peers = benchmark_peers(workload);
    return work;
}

// b/s of the fastest link; 0 if links have no rate.
static double fastest_link(const struct topology *topology)
{
    int64_t rate = 0;
    for (guint i = 0; i < topology->links->len; i++) {
        const struct param_values *values =
            ((const struct topology_link *)g_ptr_array_index(topology->links, i))->values;
        int index = values ? param_index(values->table, "rate") : -1;
        if (index >= 0)
            rate = MAX(rate, *(const int64_t *)(const void *)((const char *)values->values +
                                                              values->table->params[index].offset));
    }
    return (double)rate;
}

// The bytes that a link carries in that time, in buffers that are written and read.
static struct work stream_work(const struct scenario_case *test_case)
{
    const struct stream_config *config = test_case->workload.parameters->values;
    double bytes = fastest_link(&test_case->topology) / 8 * time_to_s(config->duration);
    return (struct work){
        .operations = 2 * bytes / (double)stream_write_size(test_case), .bytes = bytes, .peers = 1};
}

// By how many calls a recording has: as if each were a message of some packets to one of few peers.
static struct work recorded_work(const struct workload *workload)
{
    struct work work = {.peers = few_peers(workload->ranks)};
    for (int rank = 0; rank < workload->ranks; rank++)
        work.operations += (double)recording_calls(workload->recording, rank);
    return work;
}

// program: of the workload, or its benchmark's; NULL: none is known.
static struct work estimate_work_of(const struct scenario_case *test_case,
                                    const struct program *program)
{
    const struct workload *workload = &test_case->workload;
    if (workload->recording)
        return recorded_work(workload);
    if (program) {
        struct work work = program_work(program, workload->ranks);
        work.is_program = true;
        if (workload->benchmark)
            work.peers = benchmark_peers(workload);
        return work;
    }
    return workload->benchmark->over_time ? stream_work(test_case) : benchmark_work(workload);
}

// ---- Events ----

// Bytes that a packet of the case's stack carries. Sections that nothing reads may have been
// dropped.
static double packet_payload(const struct scenario_case *test_case)
{
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        int index = param_index(values->table, "mtu");
        if (index < 0 || !test_case->stack->sections ||
            !g_strv_contains(test_case->stack->sections, values->path) ||
            scenario_case_leaves_out(test_case, values->path))
            continue;
        int64_t mtu = *(const int64_t *)(const void *)((const char *)values->values +
                                                       values->table->params[index].offset);
        return MAX((double)mtu - HEADER_BYTES, 1);
    }
    return PACKET_BYTES;
}

static double connection_events(const struct scenario_case *test_case,
                                const struct stack_footprint *stack, const struct work *work)
{
    double ranks = test_case->workload.ranks, peers = MIN(ranks, work->peers);
    double events = stack->connection_events ? stack->connection_events
                    : stack->pair            ? PAIR_EVENTS
                                             : PEER_EVENTS;
    if (stack->pair)
        return ranks * (ranks - 1) / 2 * events;
    return stack->peer && ranks > 1 ? ranks * peers / 2 * events : 0;
}

// flows: as the case's fidelity has it; else those of packets.
static double events_of(const struct scenario_case *test_case, const struct work *work, bool flows)
{
    double payload = packet_payload(test_case);
    struct estimate_messages sent;
    if (!estimate_messages(test_case, payload, work->operations, &sent)) {
        // Each message is sent and received; a program has the bytes of both.
        sent.messages = work->operations / 2;
        sent.packets = sent.messages + work->bytes / payload / (work->is_program ? 2 : 1);
    }
    // Flows have neither packets nor connections.
    if (flows && test_case->fidelity == FIDELITY_FLOW)
        return sent.messages * (scenario_case_on_simgrid(test_case) ? SIMGRID_MESSAGE_EVENTS
                                                                    : DEVICE_MESSAGE_EVENTS);
    struct stack_footprint stack = {0};
    if (test_case->stack->footprint)
        stack = test_case->stack->footprint(test_case);
    double message = stack.message_events ? stack.message_events : MESSAGE_EVENTS,
           packet = stack.packet_events ? stack.packet_events : PACKET_EVENTS;
    return sent.messages * message + (sent.packets - sent.messages) * packet +
           connection_events(test_case, &stack, work);
}

// ---- Memory ----

static double operations_as_data(const GPtrArray *body)
{
    double count = body->len;
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        if (op->body)
            count += operations_as_data(op->body);
    }
    return count;
}

static double program_bytes(const struct workload *workload, const struct program *program)
{
    if (workload->recording)
        return (double)RECORDING_CURSOR_BYTES * workload->ranks;
    if (!program)
        return OPERATION_BYTES * SIZE_OPERATIONS * workload->sizes->len *
               MIN(workload->ranks, UNLIKE_RANKS);
    double bytes = 0;
    for (guint i = 0; i < program->parts->len; i++) {
        const struct program_part *part = g_ptr_array_index(program->parts, i);
        bytes += operations_as_data(part->body) *
                 (OPERATION_BYTES + RANK_OPERATION_BYTES * concerned(part, workload->ranks));
    }
    return bytes;
}

static double memory_of(const struct scenario_case *test_case, const struct program *program,
                        const struct work *work)
{
    double ranks = test_case->workload.ranks, peers = MIN(ranks, work->peers);
    struct stack_footprint stack = {0};
    if (test_case->fidelity == FIDELITY_FLOW)
        return BASE_BYTES + HOST_BYTES * test_case->topology.hosts->len + ranks * FLOW_RANK_BYTES +
               program_bytes(&test_case->workload, program);
    if (test_case->stack->footprint)
        stack = test_case->stack->footprint(test_case);
    return BASE_BYTES + HOST_BYTES * test_case->topology.hosts->len +
           ranks * (PROCESS_BYTES + (double)stack.process) +
           ranks * ranks * (stack.pair ? PAIR_BYTES + (double)stack.pair : 0) +
           ranks * peers * (PEER_BYTES + (double)stack.peer) +
           program_bytes(&test_case->workload, program) + samples_bytes(&test_case->workload);
}

int64_t estimate_memory_there(void)
{
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        there = MIN(there, (double)limit.rlim_cur);
    return there < (double)INT64_MAX ? (int64_t)there : INT64_MAX;
}

// ---- The estimate ----

// The work of a case, whose ranks have as many peers as a sample of them.
static struct work sampled_work(const struct scenario_case *test_case,
                                const struct program *program)
{
    struct work work = estimate_work_of(test_case, program);
    struct estimate_sample sample;
    if (estimate_sample(test_case, &sample))
        work.peers = sample.peers;
    return work;
}

double estimate_cost(const struct scenario_case *test_case)
{
    struct program *own = own_program(&test_case->workload);
    struct work work = sampled_work(test_case, own ? own : test_case->workload.program);
    double events = events_of(test_case, &work, false);
    if (own)
        program_free(own);
    return events;
}

// Events cost the most to estimate, and are left out unless they are asked for.
static struct estimate estimate_with(const struct scenario_case *test_case, bool events)
{
    struct program *own = own_program(&test_case->workload);
    const struct program *program = own ? own : test_case->workload.program;
    struct work work = sampled_work(test_case, program);
    struct estimate estimate = {
        .memory = memory_of(test_case, program, &work),
        .operations = work.operations,
        .events = events ? events_of(test_case, &work, true) : 0.0,
    };
    if (own)
        program_free(own);
    return estimate;
}

struct estimate estimate_of(const struct scenario_case *test_case)
{
    return estimate_with(test_case, true);
}

// A number to one digit: "400", "5e+06". The caller frees it.
static char *rough(double number)
{
    double unit = number < 1 ? 1 : pow(10, floor(log10(number)));
    return g_strdup_printf(number < 1e5 ? "%.0f" : "%.0e", round(number / unit) * unit);
}

char *estimate_text(const struct estimate *estimate)
{
    bool large = estimate->memory >= GB;
    char *operations = rough(estimate->operations), *events = rough(estimate->events);
    char *text = g_strdup_printf("about %.*f %s of memory, %s operations, %s events", large,
                                 estimate->memory / (large ? GB : 1e6), large ? "GB" : "MB",
                                 operations, events);
    g_free(operations);
    g_free(events);
    return text;
}

char *estimate_warning(const struct estimate *estimate)
{
    bool memory = estimate->memory > MUCH_MEMORY, events = estimate->events > MANY_EVENTS;
    if (!memory && !events)
        return NULL;
    char *text = estimate_text(estimate);
    char *warning = g_strdup_printf("%s: %s%s%s", text, memory ? "much memory" : "",
                                    memory && events ? ", and " : "",
                                    events ? "it will run for very long" : "");
    g_free(text);
    return warning;
}

// ---- Refusing ----

// Where the key of the workload was given; else where the workload was.
static struct source_mark key_mark(const struct scenario_case *test_case, const char *key)
{
    const struct node *map = test_case->tree ? node_get(test_case->tree, "workload") : NULL;
    const struct node *node = map ? node_get(map, key) : NULL;
    return node ? node->mark : test_case->workload.mark;
}

static void refuse_work(const struct scenario_case *test_case, double operations, double most,
                        struct diag_list *diags)
{
    const struct workload *workload = &test_case->workload;
    struct source_mark mark;
    const char *path;
    if (workload->recording) {
        path = "workload.replay";
        mark = key_mark(test_case, REPLAY_KEY);
    } else if (workload->program) {
        struct work work = program_work(workload->program, workload->ranks);
        mark = work.loop ? work.loop->plain_mark : workload->mark;
        path = "workload.program";
    } else {
        path = workload->repetitions ? "workload.repetitions" : "workload.sizes";
        mark = key_mark(test_case, workload->repetitions ? "repetitions" : "sizes");
    }
    diag_add(diags, mark, path, "limits.operations allows more",
             "about %.2g operations are more than %.2g: the run will not end", operations, most);
}

static void refuse_memory(const struct scenario_case *test_case, double bytes, double most,
                          struct diag_list *diags)
{
    const struct workload *workload = &test_case->workload;
    bool sizes = workload->benchmark && workload->sizes->len > (guint)workload->ranks;
    char *hint =
        g_strdup_printf("limits.memory=%.0f GB runs it all the same", ceil(bytes / GB) + 1);
    diag_add(diags, key_mark(test_case, sizes ? "sizes" : "ranks"),
             sizes ? "workload.sizes" : "workload.ranks", hint,
             "%d ranks of %s need about %.1f GB of memory, and there are %.1f GB", workload->ranks,
             test_case->stack->name, bytes / GB, most / GB);
    g_free(hint);
}

void estimate_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct limit_config *limits = scenario_section_values(test_case, "limits");
    struct estimate estimate = estimate_with(test_case, false);
    double memory = limits->memory ? (double)limits->memory : (double)estimate_memory_there();
    if (estimate.operations > (double)limits->operations)
        refuse_work(test_case, estimate.operations, (double)limits->operations, diags);
    if (estimate.memory > memory)
        refuse_memory(test_case, estimate.memory, memory, diags);
}
