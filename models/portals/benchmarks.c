// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of thesis 002's appendix: rank 0 is their server (nid 0), rank 1 their client, which
// measures.
#include "models/portals/benchmarks.h"
#include "models/portals/library.h"
#include "models/portals/operations.h"
#include "sim/benchmark/benchmark.h"
#include "sim/core/intern.h"
#include "sim/program/program.h"

#define SERVER 0
#define CLIENT 1

// Where the static buffers of the programs lie: pages of their own.
#define INCOMING INT64_C(0x40000000)
#define OUTGOING INT64_C(0x60000000)

// The names of the operations' descriptors.
#define IN "in"
#define OUT "out"

// ---- Operations ----

static struct portals_descriptor_arguments *append_descriptor(GPtrArray *body,
                                                              enum portals_operation operation,
                                                              const char *name, int64_t address,
                                                              int64_t size)
{
    struct portals_descriptor_arguments *arguments =
        op_append_kind(body, &portals_operations[operation])->arguments;
    arguments->name = intern_text(name);
    arguments->common.buffer = address;
    arguments->common.size = size;
    return arguments;
}

// An entry that any message matches.
static struct portals_descriptor_arguments *append_attach(GPtrArray *body, int64_t portal,
                                                          int64_t address, int64_t size)
{
    struct portals_descriptor_arguments *arguments =
        append_descriptor(body, PORTALS_OPERATION_ATTACH, IN, address, size);
    arguments->portal = portal;
    arguments->ignore_bits = ~INT64_C(0);
    return arguments;
}

static void append_detach(GPtrArray *body, const char *name)
{
    struct portals_detach_arguments *arguments =
        op_append_kind(body, &portals_operations[PORTALS_OPERATION_DETACH])->arguments;
    arguments->name = intern_text(name);
}

// A put from the descriptor OUT.
static void append_put(GPtrArray *body, int to, int64_t portal, int64_t size)
{
    struct portals_transfer_arguments *arguments =
        op_append_kind(body, &portals_operations[PORTALS_OPERATION_PUT])->arguments;
    arguments->common.peer = to;
    arguments->common.size = size;
    arguments->portal = portal;
    arguments->md = intern_text(OUT);
}

static void append_event(GPtrArray *body, enum portals_event_kind kind, int64_t count)
{
    struct portals_event_arguments *arguments =
        op_append_kind(body, &portals_operations[PORTALS_OPERATION_EVENT])->arguments;
    arguments->kind = (int)kind;
    arguments->count = count;
}

static void append_time(GPtrArray *body, sim_time time)
{
    struct compute_arguments *arguments = op_append(body, OP_COMPUTE)->arguments;
    arguments->time = time;
}

// ---- portals.pingpong (A.1) ----

#define PING_PORTAL 2 // of the server
#define PONG_PORTAL 4 // of the client
#define PING_BUFFER (INT64_C(30) << 10)

struct pingpong_config {
    sim_time before, pause;
    sim_time clock;
};

#define P struct pingpong_config

#define PROGRAM "thesis 002, A.1"

static const struct param pingpong_params[] = {
    PARAM(P, before, PARAM_DURATION, .fallback = "1 s", .most = "60 s",
          .doc = "between the client's set-up and its first put", .source = PROGRAM),
    PARAM(P, pause, PARAM_DURATION, .fallback = "200 ms", .most = "60 s",
          .doc = "after each put, in which the server's put comes", .source = PROGRAM),
    PARAM(P, clock, PARAM_DURATION, .fallback = "0.8 us", .most = "1 s",
          .doc = "a call of gettimeofday, of which one is within the measured time",
          .source = "prior: 0.6 to 1.2 us with Linux 2.4 on a Pentium 4 of 2.2 GHz",
          .prior = "600 ns .. 1.2 us"),
    {0},
};

static const struct param_table pingpong_table =
    PARAM_TABLE(P, pingpong_params, .name = "portals.pingpong",
                .doc = "the pauses and the clock of portals.pingpong");

// Memory for incoming and outgoing messages, each with the process's event queue.
static void append_pingpong_memory(GPtrArray *body, int64_t portal, int64_t size, int64_t count)
{
    append_attach(body, portal, INCOMING, MAX(PING_BUFFER, size * count));
    append_descriptor(body, PORTALS_OPERATION_BIND, OUT, OUTGOING, size);
}

// Answers each put with one of its own, as soon as its event PUT_END is seen; after the last it
// waits for the end of its own.
static void append_ping_server(GPtrArray *body, int64_t size, int64_t count)
{
    append_pingpong_memory(body, PING_PORTAL, size, count);
    GPtrArray *loop = op_append_loop(body, count, NULL)->body;
    append_event(loop, PORTALS_PUT_END, 1);
    append_put(loop, CLIENT, PONG_PORTAL, size);
}

// Measures each put until its SEND_END is seen, not until the answer comes, which it finds in its
// queue with the next.
static void append_ping_client(GPtrArray *body, int64_t size, int64_t count, const P *config)
{
    append_pingpong_memory(body, PONG_PORTAL, size, count);
    append_time(body, config->before);
    GPtrArray *loop = op_append_loop(body, count, NULL)->body;
    op_append(loop, OP_MEASURE_START);
    append_time(loop, config->clock);
    append_put(loop, SERVER, PING_PORTAL, size);
    benchmark_measure_stop(loop, size, 1, 1);
    append_time(loop, config->pause);
    append_event(body, PORTALS_PUT_END, count);
}

static void append_pingpong(GPtrArray *body, int rank, int64_t size,
                            const struct workload *workload)
{
    int64_t count = benchmark_repetitions(workload, size);
    if (rank == SERVER)
        append_ping_server(body, size, count);
    else
        append_ping_client(body, size, count, workload->parameters->values);
    append_detach(body, IN);
    append_detach(body, OUT);
}

// ---- portals.bandwidth (A.2) ----

#define DATA_PORTAL 5
#define MIB (INT64_C(1) << 20)

struct bandwidth_config {
    int64_t offset, server_offset;
    sim_time before;
};

#undef P
#define P struct bandwidth_config
#undef PROGRAM
#define PROGRAM "thesis 002, A.2"

static const struct param bandwidth_params[] = {
    PARAM(P, offset, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
          .doc = "displacement of the client's buffer from a page (-m); the message is shorter by "
                 "as much",
          .source = PROGRAM),
    PARAM(P, server_offset, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
          .doc = "the same at the server, which takes as many bytes as are left",
          .source = PROGRAM),
    PARAM(P, before, PARAM_DURATION, .fallback = "1 s", .most = "60 s",
          .doc = "between the client's set-up and each put", .source = PROGRAM),
    {0},
};

static const struct param_table bandwidth_table =
    PARAM_TABLE(P, bandwidth_params, .name = "portals.bandwidth",
                .doc = "displacements of the buffers of portals.bandwidth");

// The program divides whole numbers: it counts whole MiB of a message that has so many.
static int64_t bandwidth_bytes(int64_t size, const struct workload *workload)
{
    const P *config = workload->parameters->values;
    int64_t length = MAX(size - config->offset, 0);
    return length < MIB ? length : length / MIB * MIB;
}

static void append_data_server(GPtrArray *body, int64_t size, int64_t count, const P *config)
{
    int64_t address = INCOMING + config->server_offset,
            length = MAX(size - config->server_offset, 0);
    struct portals_descriptor_arguments *first = append_attach(body, DATA_PORTAL, address, length);
    first->threshold = 1;
    first->truncate = first->unlink = first->retain = true;
    GPtrArray *loop = op_append_loop(body, count, NULL)->body;
    append_event(loop, PORTALS_UNLINK, 1);
    struct portals_descriptor_arguments *next =
        append_descriptor(loop, PORTALS_OPERATION_ATTACH, IN, address, length);
    next->entry = intern_text(IN);
    next->threshold = 1;
    next->truncate = next->unlink = true;
    append_detach(body, IN);
}

// The put, of which `unlinks` descriptors of this process are used up.
static void append_data_put(GPtrArray *loop, int64_t size, int64_t unlinks, const P *config)
{
    int64_t length = MAX(size - config->offset, 0);
    append_descriptor(loop, PORTALS_OPERATION_BIND, OUT, OUTGOING + config->offset, length)
        ->threshold = 1;
    append_time(loop, config->before);
    op_append(loop, OP_MEASURE_START);
    append_put(loop, SERVER, DATA_PORTAL, length);
    benchmark_measure_stop(loop, size, 1, 1);
    append_event(loop, PORTALS_UNLINK, unlinks);
}

// Both in one process, whose card is cabled to itself: its own descriptor takes its put (6.1.1).
static void append_data_looped(GPtrArray *body, int64_t size, int64_t count, const P *config)
{
    GPtrArray *loop = op_append_loop(body, count, NULL)->body;
    struct portals_descriptor_arguments *attach = append_attach(
        loop, DATA_PORTAL, INCOMING + config->server_offset, MAX(size - config->server_offset, 0));
    attach->threshold = 1;
    attach->truncate = attach->unlink = true;
    append_data_put(loop, size, 2, config);
}

static void append_bandwidth(GPtrArray *body, int rank, int64_t size,
                             const struct workload *workload)
{
    int64_t count = benchmark_repetitions(workload, size);
    const P *config = workload->parameters->values;
    if (workload->ranks == 1)
        append_data_looped(body, size, count, config);
    else if (rank == SERVER)
        append_data_server(body, size, count, config);
    else
        append_data_put(op_append_loop(body, count, NULL)->body, size, 1, config);
}

// ---- portals.put: puts of a size, one after the other ----

#define WARM_UPS 2
#define PUT_SETTLES TIME_MS // until the server has attached its memory for the next size

// Memory that takes so many puts at offset 0, and then unlinks itself.
static void append_put_server(GPtrArray *body, int64_t size, int64_t puts, const P *config)
{
    struct portals_descriptor_arguments *attach =
        append_attach(body, DATA_PORTAL, INCOMING + config->server_offset, size);
    attach->threshold = puts;
    attach->manage_remote = attach->unlink = true;
    append_event(body, PORTALS_UNLINK, 1);
}

static void append_puts(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    const P *config = workload->parameters->values;
    int64_t count = benchmark_repetitions(workload, size);
    if (rank == SERVER) {
        append_put_server(body, size, WARM_UPS + count, config);
        return;
    }
    append_descriptor(body, PORTALS_OPERATION_BIND, OUT, OUTGOING + config->offset, size);
    append_time(body, PUT_SETTLES);
    append_put(op_append_loop(body, WARM_UPS, NULL)->body, SERVER, DATA_PORTAL, size);
    op_append(body, OP_MEASURE_START);
    append_put(op_append_loop(body, count, NULL)->body, SERVER, DATA_PORTAL, size);
    benchmark_measure_stop(body, size, count, 1);
    append_detach(body, OUT);
}

static const struct param put_params[] = {
    PARAM(P, offset, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
          .doc = "displacement of the client's buffer from a page", .source = "assumed"),
    PARAM(P, server_offset, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
          .doc = "the same at the server", .source = "assumed"),
    {0},
};

static const struct param_table put_table = PARAM_TABLE(
    P, put_params, .name = "portals.put", .doc = "displacements of the buffers of portals.put");

// ---- The list ----

const struct benchmark portals_benchmarks[] = {
    {
        .schema = {.name = "portals.pingpong",
                   .doc =
                       "the ping-pong of thesis 002, A.1: rank 1 measures each of its puts until "
                       "SEND_END, and does not wait for the answer of rank 0",
                   .least_ranks = 2,
                   .most_ranks = 2,
                   .rank_per_host = true,
                   .metrics = BENCHMARK_EACH_METRICS,
                   .sizes = "29 B",
                   .repetitions = 30,
                   .parameters = &pingpong_table},
        .report = {.each_repetition = true},
        .append = append_pingpong,
    },
    {
        .schema =
            {.name = "portals.bandwidth",
             .doc = "the bandwidth program of thesis 002, A.2: one put of rank 1 into memory "
                    "of rank 0, or of the only rank into its own; MB is 2^20 B, and whole ones are "
                    "counted",
             .least_ranks = 1,
             .most_ranks = 2,
             .rank_per_host = true,
             .metrics = BENCHMARK_EACH_POINT_METRICS,
             .sizes = "100 MiB",
             .repetitions = 1,
             .parameters = &bandwidth_table},
        .report = {.each_repetition = true, .messages = 1, .bytes = bandwidth_bytes},
        .append = append_bandwidth,
    },
    {
        .schema = {.name = "portals.put",
                   .doc = "puts of rank 1 into memory of rank 0, one after the other, each until "
                          "SEND_END; MB is 2^20 B",
                   .least_ranks = 2,
                   .most_ranks = 2,
                   .metrics = BENCHMARK_POINT_METRICS,
                   .sizes = "0 B .. 1 MiB",
                   .repetitions = 20,
                   .parameters = &put_table},
        .report = {.messages = 1},
        .append = append_puts,
    },
    {.schema = {.name = NULL}},
};
