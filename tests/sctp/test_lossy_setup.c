// SPDX-License-Identifier: GPL-3.0-or-later
// From the first message to the last chunk of the shutdown, with any packet of each end lost: two
// one-to-many sockets send to one another, at once or one after the other, and close.
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#define PORT 6100
#define BYTES 2000
#define MOST 12 // packets of each end that may be lost, counted from 1

typedef void call_fn(struct cpu_context *context, struct sctp_node *node, void *argument);

static void call_at(struct world *world, int node, sim_time when, call_fn *run)
{
    struct sctp_call *call = world_keep(world, g_new0(struct sctp_call, 1));
    *call = (struct sctp_call){run, NULL};
    world_do_at(sctp_node(world, node), when, sctp_call_job, call);
}

static void open_socket(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    node->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_MANY, &node->process.task);
    sctp_bind(context, node->socket, PORT, 0);
    sctp_listen(context, node->socket);
}

static void send_to_other(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct world *world = node->process.world;
    int own = node->process.number;
    struct sctp_send_info info = {
        .station = network_station(world->cluster->network, !own, 0),
        .port = PORT,
        .bytes = BYTES,
        .message = ledger_open(world->sim->ledger, own, !own, BYTES, (uint64_t)own),
    };
    (void)argument;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), BYTES);
}

static void read_all(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct ledger *ledger = node->process.world->sim->ledger;
    struct sctp_received received;
    (void)argument;
    while (sctp_receive(context, node->socket, 1 << 20, &received) > 0) {
        node->bytes_read += received.bytes;
        ledger_deliver(ledger, received.message, received.offset, received.bytes);
        ledger_match(ledger, received.message);
        ledger_complete(ledger, received.message);
    }
}

static void close_socket(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    sctp_close(context, node->socket);
}

static bool holds(bool held, int lost0, int lost1, sim_time later, const char *what)
{
    char *text = g_strdup_printf("packets %d and %d lost, %g us apart: %s", lost0, lost1,
                                 time_to_us(later), what);
    CU_assertImplementation(held, __LINE__, text, __FILE__, "", CU_FALSE);
    g_free(text);
    return held;
}

// The `lost0`-th packet of node 0 and the `lost1`-th of node 1 are lost; 0: none.
static bool survives(int lost0, int lost1, sim_time later)
{
    char drops[2][40];
    g_snprintf(drops[0], sizeof drops[0], "links[0].drop_nth=[%d]", lost0 ? lost0 : 9999);
    g_snprintf(drops[1], sizeof drops[1], "links[1].drop_nth=[%d]", lost1 ? lost1 : 9999);
    const char *const sets[] = {drops[0], drops[1], "links[0].fault_direction=forward",
                                "links[1].fault_direction=forward", NULL};
    struct world *world = sctp_world(2, 1, sets, NULL);
    bool well = true;
    for (int i = 0; i < 2; i++) {
        call_at(world, i, TIME_US, open_socket);
        call_at(world, i, TIME_MS + i * later, send_to_other);
        call_at(world, i, 15 * TIME_S, read_all);
        call_at(world, i, (20 + i) * TIME_S, close_socket);
    }
    sctp_run_until(world, 60 * TIME_S);
    for (int i = 0; i < 2; i++) {
        const struct sctp_node *node = sctp_node(world, i);
        well &= holds(node->bytes_read == BYTES, lost0, lost1, later, "all arrives");
        well &= holds(node->host->associations->len == 1, lost0, lost1, later, "one association");
        well &= holds(g_hash_table_size(node->host->by_peer) == 0, lost0, lost1, later, "closed");
    }
    unsigned least =
        (lost0 > 0 && lost0 <= 3) + (lost1 > 0 && lost1 <= 3); // they are sent at least
    well &= holds(network_drops(world->cluster->network) >= least, lost0, lost1, later, "is lost");
    well &= holds(ledger_balanced(world->sim->ledger), lost0, lost1, later, "balanced");
    world_free(world);
    return well;
}

static void test_losses(void)
{
    static const sim_time later[] = {0, 100 * TIME_US, 10 * TIME_MS};
    for (size_t i = 0; i < G_N_ELEMENTS(later); i++)
        for (int lost0 = 0; lost0 <= MOST; lost0++)
            for (int lost1 = 0; lost1 <= MOST; lost1++)
                if (!survives(lost0, lost1, later[i]))
                    return;
}

static const struct suite_case cases[] = {
    {"any packet of each end may be lost", test_losses},
    {0},
};

int main(void)
{
    return suite_run("sctp: losses from set-up to shutdown", cases);
}
