// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nics.h"
#include "models/mpich2/ch3/rma.h"
#include "models/mpich2/ch3/rma_benchmarks.h"
#include "models/mpich2/sock/sock.h"
#include "sim/model/job.h"
#include "sim/program/operations.h"

// ---- The device ----

static json_t *describe(const struct ch3_process *ch3, const struct mpi_request *request, int peer)
{
    const struct sock_process *sock = sock_of(ch3->process);
    const struct sock_vc *vc = sparse_peek(&sock->vcs, peer);
    const struct sock_connection *connection = vc ? vc->connection : NULL;
    json_t *json = json_object();
    const char *state =
        connection ? machine_state_name(&sock_connection_machine, &connection->machine) : "none";
    json_object_set_new(json, "connection", json_string(state));
    const struct wait *wait = machine_wait(&ch3_request_machine, &request->machine);
    bool writes = wait && wait->class == WAIT_BUFFER;
    if (writes && (!connection || connection->machine.state != SOCK_CONNECTED))
        json_object_set_new(json, "waits_for",
                            json_sprintf("the connection to rank %d, which accepts it in an MPI "
                                         "call only",
                                         peer));
    if (connection && connection->link.socket)
        json_object_set_new(json, "socket", tcp_socket_describe(connection->link.socket));
    return json;
}

static const struct ch3_channel sock_channel = {
    .name = "ch3:sock",
    .send = sock_send,
    .disconnect = sock_disconnect,
    .describe = describe,
};

static const struct mpi_device_ops sock_ops = {
    CH3_DEVICE,
    .name = "MPICH2 ch3:sock",
    .startup = sock_startup,
    .finalize = sock_finalize,
    .advance = sock_advance,
};

// ---- A process ----

static void sock_init(struct job *job, struct mpi_process *process)
{
    struct sock_process *sock = process->device;
    // The channel's section follows CH3's in a stack's list.
    const char *section = job->test_case->stack->sections[3];
    const struct sock_config *config = scenario_section_values(job->test_case, section);
    const struct ch3_config *ch3 = ch3_config_of(job->test_case);
    struct tcp_host *host =
        tcp_host_new(job->cluster, process->host, scenario_section_values(job->test_case, "tcp"));
    sock->config = config;
    sock->job = job->state;
    ch3_init(&sock->ch3, process, ch3, &sock_channel);
    mesh_init_bare(&sock->mesh, process, host,
                   &(struct mesh_config){
                       .options = {config->socket_buffer, config->socket_buffer, config->no_delay},
                       .header = ch3->packet,
                       .reads_body = INET_READV,
                       .writes_rest = INET_WRITEV,
                   });
    sparse_init(&sock->vcs, process->ranks, sizeof(struct sock_vc));
    pool_init(&sock->pool, sizeof(struct sock_connection));
    sock->connections = g_ptr_array_new();
}

static void sock_clear(struct job *job, struct mpi_process *process)
{
    struct sock_process *sock = process->device;
    (void)job;
    ch3_clear(&sock->ch3);
    if (!sock->connections)
        return;
    g_ptr_array_free(sock->connections, TRUE);
    sparse_clear(&sock->vcs);
    pool_clear(&sock->pool);
    mesh_clear(&sock->mesh);
}

static void check_mtu(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct tcp_config *config = scenario_section_values(test_case, "tcp");
    ethernet_check_mtu(test_case, "tcp", config->inet.mtu, diags);
}

// Of a process: 5 kB of its random numbers, 16 kB of the first blocks of its pools, 4 kB of tables,
// as allocated in a reduction among 1,024.
#define HOST_BYTES 25000
#define SEGMENTS_BYTES 340 // of segments not yet acknowledged, with their timers, about

// Connections only to peers with which a process communicates. Peers that meet in an exchange each
// open one, and the second one's end stays for a while.
static struct stack_footprint footprint(const struct scenario_case *test_case)
{
    return (struct stack_footprint){
        .process = HOST_BYTES + (int64_t)sizeof(struct sock_process),
        .peer = ch3_peer_footprint() + (int64_t)sizeof(struct sock_vc) +
                2 * ((int64_t)sizeof(struct sock_connection) + tcp_socket_footprint()) +
                SEGMENTS_BYTES,
        .packet_events = tcp_packet_events(test_case),
    };
}

#define SOCK_STACK(...)                                                                            \
    {                                                                                              \
        .card = ETHERNET_CARD, .frames = &nic_capture_link, .device = &sock_ops,                   \
        .state_size = sizeof(struct sock_job), .process_size = sizeof(struct sock_process),        \
        .process_init = sock_init, .process_clear = sock_clear, .stream = sock_stream, __VA_ARGS__ \
    }

// Processes that connect send each other a packet first.
static bool sock_stream(const struct scenario_case *test_case, struct stack_stream *stream)
{
    const struct ch3_config *config = ch3_config_of(test_case);
    bool stops = tcp_stack_stream(test_case, stream);
    stream->header = config->packet;
    stream->exchanged = true;
    return stops;
}

const struct stack sock_stack =
    SOCK_STACK(.schema =
                   {
                       .name = "ch3_sock",
                       .doc = "MPICH2 1.0.5 over TCP with ch3:sock",
                       .benchmarks = (const char *const[]){LIBRARY_BENCHMARKS, CH3_RMA_BENCHMARKS,
                                                           "program", NULL},
                       .operations =
                           (const char *const[]){OPERATIONS_OF_MPI, CH3_RMA_OPERATIONS, NULL},
                       .sections = (const char *const[]){"tcp", "mpich2", "ch3", "ch3_sock", NULL},
                       .one_process_per_host = true,
                       .cards = STACK_CARDS_ALL,
                       .check = check_mtu,
                       .footprint = footprint,
                   },
               .eager = &ch3_eager, .library_section = "mpich2");

// Its one-sided operations are not those of 1.0.5.
const struct stack mpich4_sock_stack =
    SOCK_STACK(.schema =
                   {
                       .name = "mpich4_sock",
                       .doc = "MPICH 4 over TCP with ch3:sock",
                       .benchmarks = (const char *const[]){LIBRARY_BENCHMARKS, "program", NULL},
                       .sections = (const char *const[]){"tcp", "mpich4", "mpich4_ch3",
                                                         "mpich4_sock", NULL},
                       .one_process_per_host = true,
                       .cards = STACK_CARDS_ALL,
                       .check = check_mtu,
                       .footprint = footprint,
                   },
               .eager = &mpich4_ch3_eager, .library_section = "mpich4");
