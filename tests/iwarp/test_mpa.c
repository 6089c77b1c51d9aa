// SPDX-License-Identifier: GPL-3.0-or-later
// iWARP over TCP: the bytes of the stream with the length, padding, CRC and markers of MPA, against
// a count of its own (RFC 5044, 4.1 and 4.3); and what SCTP saves of them (thesis 004, 2.3, 3.3.2).
#include "models/iwarp/internal.h"
#include "tests/support/suite.h"
#include "tests/support/world_iwarp.h"
#include "tests/support/world_tcp.h"

#define MEMORY 1048576

// One end: an RNIC over the world's socket.
struct end {
    struct world *world;
    struct tcp_node *node;
    struct iwarp_config config;
    struct iwarp_rnic *rnic;
    struct iwarp_cq *cq;
    struct iwarp_qp *qp;
    uint32_t stag;
    int entries, placed;
    struct iwarp_completion last;
    struct iwarp_work_request request; // to be posted
};

static void placed(struct cpu_context *context, const struct iwarp_qp *qp,
                   enum iwarp_operation operation, struct message_ref message)
{
    struct end *end = iwarp_qp_owner(qp);
    (void)context, (void)operation;
    end->placed++;
    ledger_match(end->world->sim->ledger, message);
    ledger_complete(end->world->sim->ledger, message);
}

static bool open_job(struct cpu_context *context, void *process, void *argument)
{
    struct end *end = argument;
    struct host *host = end->world->cluster->hosts[end->node->process.number];
    const struct iwarp_user user = {
        .sim = end->world->sim,
        .host = host,
        .name = host->name,
        .task = &end->node->process.task,
        .thread_core = host_process_core(host, 1),
        .placed = placed,
    };
    (void)process;
    end->rnic = iwarp_rnic_open(context, &end->config, &user);
    uint32_t domain = iwarp_pd_allocate(context, end->rnic);
    end->cq = iwarp_cq_create(context, end->rnic);
    end->stag = iwarp_memory_register(context, end->rnic, domain, 4096, MEMORY);
    const struct iwarp_qp_attributes attributes = {end->cq, end->cq, domain, end};
    end->qp = iwarp_qp_create(context, end->rnic, &attributes);
    SUITE_SAME_INTEGER(iwarp_qp_register_tcp(context, end->qp, end->node->socket), IWARP_OK);
    return true;
}

static bool post_job(struct cpu_context *context, void *process, void *argument)
{
    struct end *end = argument;
    enum iwarp_operation operation = end->request.operation;
    bool receives = operation == IWARP_READ || operation == IWARP_RECEIVE;
    (void)process;
    SUITE_SAME_INTEGER(receives ? iwarp_qp_post_rq(context, end->qp, &end->request)
                                : iwarp_qp_post_sq(context, end->qp, &end->request),
                       IWARP_OK);
    return true;
}

static bool poll_job(struct cpu_context *context, void *process, void *argument)
{
    struct end *end = argument;
    (void)process;
    switch (iwarp_cq_poll(context, end->cq, &end->last)) {
    case IWARP_POLL_ENTRY:
        end->entries++;
        break;
    case IWARP_POLL_PROGRESS:
        break;
    case IWARP_POLL_NOTHING:
        if (iwarp_cq_block(context, end->cq) == IWARP_AGAIN)
            return false;
    }
    cpu_post_wake(context, &end->node->process.task);
    return false;
}

static struct iwarp_work_request request(const struct end *from, const struct end *to,
                                         enum iwarp_operation operation, int64_t bytes)
{
    bool reads = operation == IWARP_READ;
    return (struct iwarp_work_request){
        .operation = operation,
        .sgl = {{from->stag, 4096, bytes}},
        .sge_count = 1,
        .remote_stag = to->stag,
        .remote_address = 4096,
        .stands_in = bytes == 0,
        .message = ledger_open(from->world->sim->ledger, reads ? 1 : 0, reads ? 0 : 1, bytes,
                               (uint64_t)operation),
    };
}

// Two RNICs over a connection of their nodes.
static struct world *connected_ends(struct end ends[2], int64_t segment)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    world_run(world);
    for (int i = 0; i < 2; i++) {
        ends[i] = (struct end){.world = world, .node = tcp_node(world, i)};
        ends[i].config = iwarp_world_defaults();
        ends[i].config.segment = segment;
        world_do(ends[i].node, open_job, &ends[i]);
    }
    world_run(world);
    return world;
}

// Runs one operation of node 0's over TCP.
static void run(struct end ends[2], enum iwarp_operation operation, int64_t bytes, int64_t segment)
{
    struct world *world = connected_ends(ends, segment);
    if (operation == IWARP_SEND) {
        ends[1].request = (struct iwarp_work_request){
            .operation = IWARP_RECEIVE, .sgl = {{ends[1].stag, 4096, bytes}}, .sge_count = 1};
        world_do(ends[1].node, post_job, &ends[1]);
        world_run(world);
    }
    ends[0].request = request(&ends[0], &ends[1], operation, bytes);
    world_do(ends[0].node, post_job, &ends[0]);
    for (int i = 0; i < 2; i++)
        world_do(ends[i].node, poll_job, &ends[i]);
    world_run(world);
    SUITE_SAME_INTEGER(ends[0].entries, 1);
    SUITE_SAME_INTEGER(ends[0].last.status, IWARP_SUCCESS);
    if (operation == IWARP_SEND) {
        SUITE_SAME_INTEGER(ends[1].entries, 1);
        SUITE_SAME_INTEGER(ends[1].last.bytes, bytes);
        ledger_match(world->sim->ledger, ends[1].last.message);
        ledger_complete(world->sim->ledger, ends[1].last.message);
    }
    CU_ASSERT(ledger_balanced(world->sim->ledger));
}

static void clear(struct end ends[2])
{
    network_release(ends[0].world->cluster->network); // its packets refer to those of the RNICs
    for (int i = 0; i < 2; i++)
        iwarp_rnic_free(ends[i].rnic);
    world_free(ends[0].world);
}

// Bytes of the stream with FPDUs of these segments: markers lie at the multiples of 512 that are
// within it.
static int64_t stream_bytes(int64_t bytes, int64_t segment, int header)
{
    int64_t stream = 0;
    do {
        int64_t part = MIN(segment, bytes);
        int64_t fpdu = (2 + header + part + 3) / 4 * 4 + 4;
        for (; fpdu > 0; fpdu--) {
            if (stream % 512 == 0)
                stream += 4;
            stream++;
        }
        bytes -= part;
    } while (bytes > 0);
    return stream;
}

static void test_sizes(void)
{
    static const int64_t sizes[] = {0, 1, 100, 505, 506, 507, 1000, 16384, 16385, 100000};
    static const int64_t segments[] = {1000, 16384, 65536};
    for (size_t s = 0; s < G_N_ELEMENTS(segments); s++)
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
            struct end ends[2];
            // MPA's length has 16 bits, header included.
            int64_t segment = MIN(segments[s], 65535 - 14);
            run(ends, IWARP_WRITE, sizes[i], segments[s]);
            SUITE_SAME_INTEGER(ends[0].qp->link.sent, stream_bytes(sizes[i], segment, 14));
            SUITE_SAME_INTEGER(ends[1].qp->link.received, ends[0].qp->link.sent);
            SUITE_SAME_INTEGER(ends[1].placed, 1);
            clear(ends);
            segment = MIN(segments[s], 65535 - 18);
            run(ends, IWARP_SEND, sizes[i], segments[s]);
            SUITE_SAME_INTEGER(ends[0].qp->link.sent, stream_bytes(sizes[i], segment, 18));
            clear(ends);
        }
}

static void test_read(void)
{
    struct end ends[2];
    run(ends, IWARP_READ, 100000, 16384);
    SUITE_SAME_INTEGER(ends[0].qp->link.sent, stream_bytes(28, 16384, 18));
    SUITE_SAME_INTEGER(ends[1].qp->link.sent, stream_bytes(100000, 16384, 14));
    SUITE_SAME_INTEGER(ends[0].placed, 1);
    clear(ends);
}

// The process sends a read's request itself. The thread has written a part of a segment and waits
// for room: the request follows the rest of it.
static void test_read_amid_segment(void)
{
    struct end ends[2];
    struct world *world = connected_ends(ends, 50000);
    ends[0].request = request(&ends[0], &ends[1], IWARP_WRITE, 100000);
    world_do(ends[0].node, post_job, &ends[0]);
    world_do(ends[1].node, poll_job, &ends[1]);
    engine_run(world->sim->engine, sim_now(world->sim) + 2 * TIME_MS);
    CU_ASSERT(ends[0].qp->link.written > 0);
    ends[0].request = request(&ends[0], &ends[1], IWARP_READ, 1000);
    world_do(ends[0].node, post_job, &ends[0]);
    world_do(ends[0].node, poll_job, &ends[0]);
    engine_run(world->sim->engine, sim_now(world->sim) + TIME_S); // both may wait for room
    SUITE_SAME_INTEGER(ends[0].entries, 2);
    SUITE_SAME_INTEGER(ends[0].last.status, IWARP_SUCCESS);
    SUITE_SAME_INTEGER(ends[1].placed, 1);
    SUITE_SAME_INTEGER(ends[1].qp->link.received, ends[0].qp->link.sent);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    clear(ends);
}

// A segment of 16 KiB over SCTP is shorter by the length of two bytes, the padding, the CRC and a
// marker for each 508 bytes.
static void test_saving(void)
{
    int64_t over_sctp = 14 + 16384, over_tcp = stream_bytes(16384, 16384, 14);
    SUITE_SAME_INTEGER(over_tcp - over_sctp, 2 + 0 + 4 + 4 * 33);
}

static const struct suite_case cases[] = {
    {"bytes of the stream", test_sizes},
    {"a read", test_read},
    {"a read in the middle of a segment", test_read_amid_segment},
    {"what SCTP saves", test_saving},
    {0},
};

int main(void)
{
    return suite_run("iwarp: MPA", cases);
}
