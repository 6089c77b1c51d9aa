// SPDX-License-Identifier: GPL-3.0-or-later
// A one-to-many socket with several full associations is writable once any of them has room, and a
// process that spins on it (inet_spin) is woken at the end of a turn of its loop.
#include "sim/host/stages.h"
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#define PORT 6200
#define BYTES 3000
#define TURN (7 * TIME_US)

typedef void call_fn(struct cpu_context *context, struct sctp_node *node, void *argument);

static void call_at(struct world *world, int node, sim_time when, call_fn *run, void *argument)
{
    struct sctp_call *call = world_keep(world, g_new0(struct sctp_call, 1));
    *call = (struct sctp_call){run, argument};
    world_do_at(sctp_node(world, node), when, sctp_call_job, call);
}

static void open_socket(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    node->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_MANY, &node->process.task);
    SUITE_SAME_INTEGER(sctp_bind(context, node->socket, PORT, 0), 0);
    SUITE_SAME_INTEGER(sctp_listen(context, node->socket), 0);
}

static int station_of(const struct world *world, int node)
{
    return network_station(world->cluster->network, node, 0);
}

// Sends to the node that the argument numbers until there is no room.
static void fill(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info = {
        .station = station_of(node->process.world, GPOINTER_TO_INT(argument)),
        .port = PORT,
        .bytes = BYTES,
    };
    int64_t sent;
    do
        sent = sctp_send(context, node->socket, &info);
    while (sent == BYTES);
    SUITE_SAME_INTEGER(sent, SCTP_AGAIN);
}

static void read_all(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_received received;
    (void)argument;
    while (sctp_receive(context, node->socket, 1 << 20, &received) > 0)
        continue;
}

struct spinner {
    sim_time slept, woken;
};

static bool spin_job(struct cpu_context *context, void *process, void *argument)
{
    const struct sctp_node *node = process;
    struct spinner *spinner = argument;
    if (inet_spin(context, sctp_socket_inet(node->socket), INET_READABLE | INET_WRITABLE, TURN)) {
        spinner->woken = context->now;
        return true;
    }
    spinner->slept = context->now;
    return false;
}

// Node 0 with full associations to nodes 1 and 2, the latter filled last. Node `reads` reads.
static struct spinner run_with(int reads)
{
    struct spinner spinner = {0};
    struct world *world = sctp_world(3, 1, NULL, NULL);
    for (int i = 0; i < 3; i++)
        call_at(world, i, TIME_US, open_socket, NULL);
    for (int round = 0; round < 2; round++) // what was in the socket's buffer, and what is then
        for (int peer = 1; peer < 3; peer++)
            call_at(world, 0, TIME_MS + round * TIME_S, fill, GINT_TO_POINTER(peer));
    world_do_at(sctp_node(world, 0), 2 * TIME_S, spin_job, &spinner);
    call_at(world, reads, 3 * TIME_S, read_all, NULL);
    sctp_run_until(world, 2 * TIME_S);
    const struct cpu *cpu = sctp_node(world, 0)->process.task.cpu;
    sim_time before = world_stage_time(cpu, stage_wake_up.name);
    sctp_run_until(world, 20 * TIME_S);
    SUITE_SAME_INTEGER(world_stage_time(cpu, stage_wake_up.name), before);
    world_free(world);
    return spinner;
}

static void test_any_of_them(void)
{
    for (int reads = 1; reads < 3; reads++) {
        struct spinner spinner = run_with(reads);
        CU_ASSERT(spinner.slept >= 2 * TIME_S && spinner.slept < 3 * TIME_S);
        CU_ASSERT(spinner.woken > 3 * TIME_S);
        SUITE_SAME_INTEGER((spinner.woken - spinner.slept) % TURN, 0);
    }
}

// sctp_getassocid.
static void test_association_id(void)
{
    struct world *world = sctp_world(3, 1, NULL, NULL);
    for (int i = 0; i < 3; i++)
        call_at(world, i, TIME_US, open_socket, NULL);
    call_at(world, 0, TIME_MS, fill, GINT_TO_POINTER(2));
    sctp_run_until(world, TIME_S);
    const struct sctp_socket *socket = sctp_node(world, 0)->socket;
    uint32_t id = sctp_association_id(socket, station_of(world, 2), PORT);
    SUITE_SAME_INTEGER(id, sctp_node_association(world, 0)->id);
    CU_ASSERT(id != 0);
    SUITE_SAME_INTEGER(sctp_association_id(socket, station_of(world, 1), PORT), 0);
    SUITE_SAME_INTEGER(sctp_association_id(socket, station_of(world, 2), PORT + 1), 0);
    world_free(world);
}

static const struct suite_case cases[] = {
    {"room in any of them", test_any_of_them},
    {"an association's number", test_association_id},
    {0},
};

int main(void)
{
    return suite_run("sctp: full associations", cases);
}
