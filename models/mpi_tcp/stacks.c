// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/stacks.h"

#include "models/ethernet/nics.h"
#include "models/mpi_tcp/lam_tcp.h"
#include "models/mpi_tcp/netpipe.h"
#include "models/mpi_tcp/p4.h"
#include "sim/model/job.h"

const struct scenario_section mpi_tcp_sections[] = {
    {"lam_tcp", &lam_tcp_table},
    {"mpich_p4", &p4_table},
    {"netpipe", &netpipe_table},
    {NULL, NULL},
};

// ---- What all need: a TCP/IP stack on each rank's host ----

static void join_mesh(const struct job *job, struct mpi_process *process,
                      const struct mesh_config *config)
{
    mesh_init(
        mesh_of(process), process,
        tcp_host_new(job->cluster, process->host, scenario_section_values(job->test_case, "tcp")),
        config);
}

#define HOST_BYTES 2000    // of the TCP/IP stack's own structs and tables, about
#define SEGMENTS_BYTES 340 // of segments not yet acknowledged, with their timers, about

// A socket from each process to each other one.
static struct stack_footprint mesh_footprint(const struct scenario_case *test_case)
{
    return (struct stack_footprint){.process = HOST_BYTES,
                                    .pair = mesh_link_footprint() + SEGMENTS_BYTES,
                                    .packet_events = tcp_packet_events(test_case)};
}

#define LIBRARY                                                                                    \
    (const char *const[])                                                                          \
    {                                                                                              \
        LIBRARY_BENCHMARKS, "program", NULL                                                        \
    }

static void check_mtu(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct tcp_config *config = scenario_section_values(test_case, "tcp");
    ethernet_check_mtu(test_case, "tcp", config->inet.mtu, diags);
}

// Common to stacks over sockets. prefix_ops, prefix_init and prefix_clear are the stack's own.
#define OVER_SOCKETS(prefix, name_, doc_, benchmarks_, ...)                                        \
    .schema =                                                                                      \
        {                                                                                          \
            .name = (name_),                                                                       \
            .doc = (doc_),                                                                         \
            .benchmarks = (benchmarks_),                                                           \
            .sections = (const char *const[]){"tcp", __VA_ARGS__, NULL},                           \
            .one_process_per_host = true,                                                          \
            .cards = STACK_CARDS_BY_ROUTE,                                                         \
            .check = check_mtu,                                                                    \
            .footprint = mesh_footprint,                                                           \
    },                                                                                             \
    .card = ETHERNET_CARD, .frames = &nic_capture_link, .device = &prefix##_ops,                   \
    .process_init = prefix##_init, .process_clear = prefix##_clear

// ---- LAM over the TCP RPI ----

// Of a socket, in which an envelope waits for the data before it.
static int64_t lam_tcp_buffer(const struct scenario_case *test_case)
{
    const struct lam_tcp_config *config = scenario_section_values(test_case, "lam_tcp");
    return config->socket_buffer ? config->socket_buffer : config->short_limit + config->envelope;
}

static bool lam_tcp_stream(const struct scenario_case *test_case, struct stack_stream *stream)
{
    const struct lam_tcp_config *config = scenario_section_values(test_case, "lam_tcp");
    bool stops = tcp_stack_stream(test_case, stream);
    stream->header = config->envelope;
    return stops;
}

static void lam_tcp_init(struct job *job, struct mpi_process *process)
{
    const struct lam_tcp_config *config = scenario_section_values(job->test_case, "lam_tcp");
    struct lam_process *lam = process->device;
    int64_t buffer = lam_tcp_buffer(job->test_case);
    lam->process = process;
    lam->config = config;
    join_mesh(job, process,
              &(struct mesh_config){
                  .options = {buffer, buffer, config->no_delay},
                  .header = config->envelope,
                  .reads_body = INET_READ,
                  .writes_rest = INET_WRITEV,
                  .exchange = config->daemon_exchange,
              });
}

static void lam_tcp_clear(struct job *job, struct mpi_process *process)
{
    struct lam_process *lam = process->device;
    (void)job;
    mesh_clear(&lam->mesh);
}

static struct eager_limit lam_tcp_eager_limit(const struct scenario_case *test_case)
{
    const struct lam_tcp_config *config = scenario_section_values(test_case, "lam_tcp");
    const struct tcp_config *tcp = scenario_section_values(test_case, "tcp");
    // A short message is written as a whole before its sender reads.
    int64_t buffer = config->socket_buffer ? config->socket_buffer : INT64_MAX;
    return (struct eager_limit){
        .value = config->short_limit,
        .longest = config->short_limit,
        .most = MIN(buffer, tcp->inet.buffer_limit) - config->envelope,
    };
}

static const struct stack_eager lam_tcp_eager = {
    .setting = "lam_tcp.short",
    .also = "lam_tcp.socket_buffer and tcp.buffer_limit",
    .limit = lam_tcp_eager_limit,
};

const struct stack lam_tcp_stack = {
    OVER_SOCKETS(lam_tcp, "lam_tcp", "LAM/MPI 7.1 over TCP with the TCP RPI", LIBRARY, "lam",
                 "lam_tcp"),
    .process_size = sizeof(struct lam_process),
    .eager = &lam_tcp_eager,
    .hands_over = lam_tcp_buffer,
    .stream = lam_tcp_stream,
    .library_section = "lam",
};

// ---- MPICH over ch_p4 ----

static bool p4_stream(const struct scenario_case *test_case, struct stack_stream *stream)
{
    const struct p4_config *config = scenario_section_values(test_case, "mpich_p4");
    bool stops = tcp_stack_stream(test_case, stream);
    stream->header = config->header;
    return stops;
}

static void p4_init(struct job *job, struct mpi_process *process)
{
    const struct p4_config *config = scenario_section_values(job->test_case, "mpich_p4");
    struct p4_process *p4 = process->device;
    p4->process = process;
    p4->config = config;
    pool_init(&p4->messages, sizeof(struct p4_message));
    join_mesh(job, process,
              &(struct mesh_config){
                  .options = {config->socket_buffer, config->socket_buffer, config->no_delay},
                  .header = config->header,
                  .reads_body = INET_READ,
                  .writes_rest = INET_WRITE, // net_send after net_send2 (p4_sock_util.c)
                  .exchange = config->exchange,
              });
}

static void p4_clear(struct job *job, struct mpi_process *process)
{
    struct p4_process *p4 = process->device;
    (void)job;
    mesh_clear(&p4->mesh);
    pool_clear(&p4->messages);
}

static struct eager_limit p4_eager_limit(const struct scenario_case *test_case)
{
    const struct p4_config *config = scenario_section_values(test_case, "mpich_p4");
    return (struct eager_limit){
        .value = config->eager,
        .longest = config->eager - 1,
        .most = INT64_MAX,
    };
}

static const struct stack_eager p4_eager = {
    .setting = "mpich_p4.eager",
    .limit = p4_eager_limit,
};

const struct stack mpich_p4_stack = {
    OVER_SOCKETS(p4, "mpich_p4", "MPICH 1.2.5 over TCP with ch_p4", LIBRARY, "mpich", "mpich_p4"),
    .process_size = sizeof(struct p4_process),
    .eager = &p4_eager,
    .stream = p4_stream,
    .library_section = "mpich",
};

// ---- Bare TCP ----

static void netpipe_init(struct job *job, struct mpi_process *process)
{
    const struct netpipe_config *config = scenario_section_values(job->test_case, "netpipe");
    struct netpipe_process *netpipe = process->device;
    netpipe->config = config;
    mpi_bare_init(process, 0);
    join_mesh(job, process,
              &(struct mesh_config){
                  .options = {config->send_buffer, config->receive_buffer, config->no_delay},
                  .exchange = TIME_MS,
                  .reads_body = INET_READ,
                  .writes_rest = INET_WRITE,
              });
}

static void netpipe_clear(struct job *job, struct mpi_process *process)
{
    (void)job;
    mpi_bare_clear(process);
    mesh_clear(mesh_of(process));
}

const struct stack tcp_stack = {
    OVER_SOCKETS(
        netpipe, "tcp", "bare TCP, sockets without a library on top, as NetPIPE measures it",
        ((const char *const[]){"native.pingpong", "native.stream", "iperf.tcp", NULL}), "netpipe"),
    .process_size = sizeof(struct netpipe_process),
};
