// SPDX-License-Identifier: GPL-3.0-or-later
// The progress thread, completion queues and descriptors (thesis 004, 3.3.3 to 3.3.6). Claims
// sctp.iwarp.progress_thread, sctp.iwarp.single_thread_blocking, sctp.iwarp.qp_two_cqs,
// sctp.iwarp.register_fd, sctp.iwarp.verbs.
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_iwarp.h"

#define BUFFER 65536 // of sockets

static const char *const small_buffers[] = {"sctp.send_buffer=64 KiB", "sctp.receive_buffer=64 KiB",
                                            NULL};

static void post(struct iwarp_world *world, int node, int qp, int to,
                 enum iwarp_operation operation, int64_t bytes)
{
    struct iwarp_work_request request = iwarp_request(world, node, to, operation, 0, bytes);
    iwarp_post(world, node, qp, &request);
}

// ---- The thread ----

// A QP whose peer does not read holds up all others: first the one to node 1, then that to node 2.
static void test_one_blocks_all(void)
{
    struct iwarp_world *world = iwarp_world_new(3, small_buffers, NULL, NULL);
    post(world, 0, 0, 1, IWARP_WRITE, 4 * BUFFER);
    post(world, 0, 1, 2, IWARP_WRITE, 100);
    iwarp_poll(world, 0, 2, 0);
    iwarp_poll(world, 2, 0, 1);
    iwarp_run(world, 10 * TIME_S);
    SUITE_SAME_INTEGER(world->nodes[2].placed, 0);
    SUITE_SAME_INTEGER(world->nodes[0].entries->len, 0);
    CU_ASSERT(world->nodes[0].rnic->thread_blocked);
    json_t *text = iwarp_rnic_describe(world->nodes[0].rnic);
    SUITE_SAME_TEXT(json_string_value(json_array_get(text, 2)),
                    "the progress thread waits for room in the socket of QP 1, with 1 requests "
                    "behind it");
    json_decref(text);
    iwarp_poll(world, 1, 0, 1);
    iwarp_run(world, 10 * TIME_S);
    SUITE_SAME_INTEGER(world->nodes[1].placed, 1);
    SUITE_SAME_INTEGER(world->nodes[2].placed, 1);
    SUITE_SAME_INTEGER(world->nodes[0].entries->len, 2);
    CU_ASSERT(ledger_balanced(world->world->sim->ledger));
    iwarp_world_free(world);
}

// In the other order nothing blocks.
static void test_order_matters(void)
{
    struct iwarp_world *world = iwarp_world_new(3, small_buffers, NULL, NULL);
    post(world, 0, 1, 2, IWARP_WRITE, 100);
    post(world, 0, 0, 1, IWARP_WRITE, 4 * BUFFER);
    iwarp_poll(world, 2, 0, 1);
    iwarp_run(world, 10 * TIME_S);
    SUITE_SAME_INTEGER(world->nodes[2].placed, 1);
    iwarp_world_free(world);
}

// Over all QPs requests are sent in the order of posting. Reads take no turn: their requests leave
// in polls, however many sends are queued.
static void test_posting_order(void)
{
    struct transition_log *log = transition_log_new("iwarp request", true);
    struct iwarp_world *world = iwarp_world_new(3, NULL, NULL, &log->sink.trace);
    post(world, 0, 0, 1, IWARP_WRITE, 50000);
    post(world, 0, 1, 2, IWARP_WRITE, 100);
    post(world, 0, 0, 1, IWARP_WRITE, 100);
    post(world, 0, 1, 2, IWARP_WRITE, 50000);
    iwarp_run(world, TIME_S);
    SUITE_SAME_TEXT(log->text->str, "node0 iwarp request[1] - -> queued (write)\n"
                                    "node0 iwarp request[2] - -> queued (write)\n"
                                    "node0 iwarp request[3] - -> queued (write)\n"
                                    "node0 iwarp request[4] - -> queued (write)\n"
                                    "node0 iwarp request[1] queued -> sending (write)\n"
                                    "node0 iwarp request[1] sending -> done (write)\n"
                                    "node0 iwarp request[2] queued -> sending (write)\n"
                                    "node0 iwarp request[2] sending -> done (write)\n"
                                    "node0 iwarp request[3] queued -> sending (write)\n"
                                    "node0 iwarp request[3] sending -> done (write)\n"
                                    "node0 iwarp request[4] queued -> sending (write)\n"
                                    "node0 iwarp request[4] sending -> done (write)\n");
    iwarp_world_free(world);
    transition_log_free(log);
}

static void advance(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    *(bool *)argument = iwarp_rnic_advance(context, node->rnic);
}

// Without polls a read stays where it is; the call to advance carries it on and takes no entry.
static void test_advance(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    bool moved[2] = {false, false};
    post(world, 0, 0, 1, IWARP_READ, 100);
    iwarp_poll(world, 1, 1, 0); // in vain: it serves the read
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(world->nodes[0].rnic->count.sent, 0);
    for (int i = 0; i < 2; i++) {
        iwarp_call(world, 0, advance, &moved[i]);
        iwarp_run(world, TIME_S);
        CU_ASSERT(moved[i]);
        SUITE_SAME_INTEGER(world->nodes[0].rnic->count.sent, 1);
        SUITE_SAME_INTEGER(world->nodes[0].placed, i);
    }
    CU_ASSERT_PTR_NOT_NULL(world->nodes[0].cq->head);
    iwarp_poll(world, 0, 1, 1);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(iwarp_entry(world, 0, 0)->operation, IWARP_READ);
    iwarp_world_free(world);
}

// ---- Completion queues and descriptors ----

struct pair {
    struct iwarp_cq *send, *receive;
    struct iwarp_qp *qp;
    struct iwarp_completion sent, received;
    enum iwarp_poll found[2];
};

// A second QP, with two CQs of its own, takes the socket of the world's own jobs.
static void register_descriptor(struct cpu_context *context, struct iwarp_node *node,
                                void *argument)
{
    struct pair *pair = argument;
    struct iwarp_qp_attributes attributes = {.domain = node->domain, .owner = pair};
    pair->send = attributes.send_cq = iwarp_cq_create(context, node->rnic);
    pair->receive = attributes.receive_cq = iwarp_cq_create(context, node->rnic);
    pair->qp = iwarp_qp_create(context, node->rnic, &attributes);
    CU_ASSERT_PTR_EQUAL(iwarp_qp_owner(pair->qp), pair);
    SUITE_SAME_INTEGER(iwarp_qp_register_sctp(context, pair->qp, node->node->socket), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_qp_register_sctp(context, pair->qp, node->node->socket), IWARP_STATE);
    node->qps[1] = pair->qp;
}

static void poll_both(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    struct pair *pair = argument;
    (void)node;
    pair->found[0] = iwarp_cq_poll(context, pair->send, &pair->sent);
    pair->found[1] = iwarp_cq_poll(context, pair->receive, &pair->received);
}

static void test_two_cqs(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    struct pair pairs[2] = {{0}, {0}};
    world_do(sctp_node(world->world, 1), sctp_listen_job, NULL);
    world_do(sctp_node(world->world, 1), sctp_accept_job, NULL);
    world_do_at(sctp_node(world->world, 0), 3 * TIME_S, sctp_connect_job, NULL);
    iwarp_run(world, 3 * TIME_S);
    for (int node = 0; node < 2; node++)
        iwarp_call(world, node, register_descriptor, &pairs[node]);
    iwarp_run(world, TIME_S);
    post(world, 0, 1, -1, IWARP_RECEIVE, 100);
    post(world, 1, 1, -1, IWARP_RECEIVE, 100);
    iwarp_run(world, TIME_S);
    post(world, 0, 1, 1, IWARP_SEND, 100);
    post(world, 1, 1, 0, IWARP_SEND, 60);
    iwarp_run(world, TIME_S);
    for (int node = 0; node < 2; node++) {
        iwarp_call(world, node, poll_both, &pairs[node]);
        iwarp_run(world, TIME_S);
        SUITE_SAME_INTEGER(pairs[node].found[0], IWARP_POLL_ENTRY);
        SUITE_SAME_INTEGER(pairs[node].found[1], IWARP_POLL_ENTRY);
        SUITE_SAME_INTEGER(pairs[node].sent.operation, IWARP_SEND);
        SUITE_SAME_INTEGER(pairs[node].received.operation, IWARP_RECEIVE);
        SUITE_SAME_INTEGER(pairs[node].received.bytes, node == 0 ? 60 : 100);
        CU_ASSERT_PTR_EQUAL(pairs[node].received.qp, pairs[node].qp);
        CU_ASSERT_PTR_NULL(world->nodes[node].cq->head); // the first QP's
    }
    iwarp_world_free(world);
}

// Node 0's QPs share one CQ, which has the entries of both.
static void test_shared_cq(void)
{
    struct iwarp_world *world = iwarp_world_new(3, NULL, NULL, NULL);
    post(world, 0, 0, 1, IWARP_WRITE, 100);
    post(world, 0, 1, 2, IWARP_WRITE, 100);
    iwarp_poll(world, 0, 2, 0);
    iwarp_run(world, TIME_S);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_PTR_EQUAL(iwarp_entry(world, 0, i)->qp, world->nodes[0].qps[i]);
    iwarp_world_free(world);
}

// A poll asks all sockets with poll(2) before it reads the CQ, also if that has an entry
// (OSC-iWARP, v_poll_cq).
static void test_poll_asks_sockets(void)
{
    struct iwarp_world *world = iwarp_world_new(3, NULL, NULL, NULL);
    const struct iwarp_rnic *rnic = world->nodes[0].rnic;
    post(world, 0, 0, 1, IWARP_WRITE, 100);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(*rnic->count.empty_polls, 0);
    CU_ASSERT_PTR_NOT_NULL(world->nodes[0].cq->head);
    iwarp_poll(world, 0, 1, 0);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(iwarp_entry(world, 0, 0)->operation, IWARP_WRITE);
    SUITE_SAME_INTEGER(*rnic->count.empty_polls, 1);
    iwarp_world_free(world);
}

// ---- Objects ----

static void close_all(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    struct iwarp_rnic_attributes attributes;
    (void)argument;
    iwarp_rnic_query(node->rnic, &attributes);
    SUITE_SAME_INTEGER(attributes.qps, 1);
    SUITE_SAME_INTEGER(attributes.cqs, 1);
    SUITE_SAME_INTEGER(attributes.regions, 1);
    SUITE_SAME_INTEGER(attributes.registered, IWARP_WORLD_MEMORY);
    SUITE_SAME_INTEGER(iwarp_rnic_close(context, node->rnic), IWARP_INVALID);
    SUITE_SAME_INTEGER(iwarp_cq_destroy(context, node->cq), IWARP_INVALID);
    SUITE_SAME_INTEGER(iwarp_pd_deallocate(context, node->rnic, node->domain), IWARP_INVALID);
    SUITE_SAME_INTEGER(iwarp_qp_destroy(context, node->qps[0]), IWARP_STATE);
    SUITE_SAME_INTEGER(iwarp_qp_disconnect(context, node->qps[0]), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_qp_disconnect(context, node->qps[0]), IWARP_STATE);
    SUITE_SAME_INTEGER(iwarp_qp_destroy(context, node->qps[0]), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_qp_destroy(context, node->qps[0]), IWARP_INVALID);
    SUITE_SAME_INTEGER(iwarp_cq_destroy(context, node->cq), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_memory_deregister(context, node->rnic, node->stag), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_memory_deregister(context, node->rnic, node->stag), IWARP_BAD_STAG);
    SUITE_SAME_INTEGER(iwarp_pd_deallocate(context, node->rnic, node->domain), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_pd_deallocate(context, node->rnic, node->domain), IWARP_INVALID);
    SUITE_SAME_INTEGER(iwarp_rnic_close(context, node->rnic), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_rnic_close(context, node->rnic), IWARP_INVALID);
}

static void test_life(void)
{
    struct transition_log *log = transition_log_new("iwarp qp", true);
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, &log->sink.trace);
    iwarp_poll(world, 1, 1, 0); // sees the end
    iwarp_call(world, 0, close_all, NULL);
    iwarp_run(world, TIME_S);
    CU_ASSERT(iwarp_qp_ended_by_peer(world->nodes[1].qps[0]));
    SUITE_SAME_TEXT(log->text->str, "node0 iwarp qp[1] IDLE -> CONNECTING (SCTP)\n"
                                    "node1 iwarp qp[1] IDLE -> RTS (SCTP)\n"
                                    "node0 iwarp qp[1] CONNECTING -> RTS (SCTP)\n"
                                    "node0 iwarp qp[1] RTS -> CLOSING (disconnect)\n"
                                    "node1 iwarp qp[1] RTS -> CLOSING (closed by the peer)\n");
    iwarp_world_free(world);
    transition_log_free(log);
}

// A tag of memory that is gone is not one of the memory that takes its place.
static void reuse(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    uint32_t first = iwarp_memory_register(context, node->rnic, node->domain, 4096, 100);
    (void)argument;
    SUITE_SAME_INTEGER(iwarp_memory_find(node->rnic, 4100, 96), first);
    SUITE_SAME_INTEGER(iwarp_memory_find(node->rnic, 4100, 97), 0);
    iwarp_memory_deregister(context, node->rnic, first);
    uint32_t second = iwarp_memory_register(context, node->rnic, node->domain, 4096, 100);
    CU_ASSERT(first != 0 && second != 0 && first != second);
    SUITE_SAME_INTEGER(first >> 8, second >> 8); // the same index
    CU_ASSERT_PTR_NULL(iwarp_region_of(node->rnic, first, node->domain));
    CU_ASSERT_PTR_NULL(iwarp_region_of(node->rnic, second, node->domain + 1));
    SUITE_SAME_INTEGER(iwarp_memory_register(context, node->rnic, 99, 4096, 100), 0);
    SUITE_SAME_INTEGER(iwarp_memory_register(context, node->rnic, node->domain, 4096, 0), 0);
}

static void test_tags(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    iwarp_call(world, 0, reuse, NULL);
    iwarp_run(world, TIME_S);
    iwarp_world_free(world);
}

// ---- Posted receives ----

// A receive of 100 B, as a library posts them in a row.
static void post_receive(struct iwarp_world *world, int node, uint64_t index, bool silent)
{
    struct iwarp_work_request request =
        iwarp_request(world, node, -1, IWARP_RECEIVE, 100 * (int64_t)index, 100);
    request.id = index;
    request.silent = silent;
    iwarp_post(world, node, 0, &request);
}

// Each is as it was posted, whatever is posted before and after it, and nothing of them is left.
static void test_receives_in_a_row(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    for (uint64_t i = 0; i < 6; i++)
        post_receive(world, 1, i, i == 2 || i == 3);
    iwarp_run(world, TIME_S);
    for (int i = 0; i < 6; i++)
        post(world, 0, 0, 1, IWARP_SEND, 100);
    iwarp_poll(world, 1, 4, 0);
    iwarp_run(world, TIME_S);
    static const uint64_t told[] = {0, 1, 4, 5};
    SUITE_SAME_INTEGER(world->nodes[1].entries->len, 4);
    for (int i = 0; i < 4; i++)
        SUITE_SAME_INTEGER(iwarp_entry(world, 1, i)->id, told[i]);
    SUITE_SAME_INTEGER(world->nodes[1].rnic->runs.in_use, 0);
    SUITE_SAME_INTEGER(iwarp_receives_count(&world->nodes[1].qps[0]->receives), 0);
    iwarp_world_free(world);
}

// Requests posted between two receives have numbers, too.
static void test_numbers_of_receives(void)
{
    struct transition_log *log = transition_log_new("iwarp request", true);
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, &log->sink.trace);
    post_receive(world, 1, 0, false);
    post(world, 1, 0, 0, IWARP_WRITE, 8);
    post_receive(world, 1, 1, false);
    iwarp_run(world, TIME_S);
    g_string_truncate(log->text, 0);
    post(world, 0, 0, 1, IWARP_SEND, 100);
    post(world, 0, 0, 1, IWARP_SEND, 100);
    iwarp_poll(world, 1, 3, 0);
    iwarp_run(world, TIME_S);
    SUITE_CONTAINS(log->text->str, "node1 iwarp request[1] posted -> placed (receive)\n");
    SUITE_CONTAINS(log->text->str, "node1 iwarp request[3] posted -> placed (receive)\n");
    iwarp_world_free(world);
    transition_log_free(log);
}

// ---- Wrong requests ----

static void test_refused(void)
{
    struct iwarp_config config = iwarp_world_defaults();
    config.queue_depth = 2;
    struct iwarp_world *world = iwarp_world_new(2, NULL, &config, NULL);
    struct iwarp_work_request good = iwarp_request(world, 0, -1, IWARP_SEND, 0, 100), bad;
    struct iwarp_work_request wrong[6];
    for (int i = 0; i < 6; i++)
        wrong[i] = good;
    wrong[0].sgl[0].stag++;
    wrong[1].sgl[0].length = IWARP_WORLD_MEMORY + 1;
    wrong[2].sge_count = IWARP_MOST_SGES + 1;
    wrong[3].content = "more than there is in the list";
    wrong[3].content_length = 30;
    wrong[3].sgl[0].length = 20;
    wrong[4].operation = IWARP_WRITE;
    wrong[4].content = "envelope";
    wrong[4].content_length = 8;
    wrong[5].operation = IWARP_READ_RESPONSE;
    static const enum iwarp_result results[] = {IWARP_BAD_STAG, IWARP_OUT_OF_BOUNDS, IWARP_INVALID,
                                                IWARP_INVALID,  IWARP_INVALID,       IWARP_INVALID};
    for (int i = 0; i < 6; i++)
        iwarp_post(world, 0, 0, &wrong[i]);
    bad = good;
    bad.operation = IWARP_READ;
    bad.sge_count = 2;
    iwarp_post(world, 0, 0, &bad);
    good.operation = IWARP_RECEIVE;
    for (int i = 0; i < 3; i++)
        iwarp_post(world, 0, 0, &good);
    iwarp_run(world, TIME_S);
    for (int i = 0; i < 6; i++)
        SUITE_SAME_INTEGER(iwarp_result(world, 0, i), results[i]);
    SUITE_SAME_INTEGER(iwarp_result(world, 0, 6), IWARP_BAD_STAG); // of its second element
    SUITE_SAME_INTEGER(iwarp_result(world, 0, 8), IWARP_OK);
    SUITE_SAME_INTEGER(iwarp_result(world, 0, 9), IWARP_FULL);
    SUITE_SAME_INTEGER(world->nodes[0].rnic->count.sent, 0);
    SUITE_SAME_TEXT(iwarp_result_text(IWARP_FULL), "the queue is full");
    iwarp_world_free(world);
}

// A program may end the connection itself; requests posted before are sent, and on one stream
// arrive before the end.
static void test_posted_terminate(void)
{
    struct iwarp_config config = iwarp_world_defaults();
    config.stream_map = IWARP_STREAM_SINGLE;
    struct iwarp_world *world = iwarp_world_new(2, NULL, &config, NULL);
    struct iwarp_work_request end = {.operation = IWARP_TERMINATE, .id = 4};
    post(world, 0, 0, 1, IWARP_WRITE, 40000);
    iwarp_post(world, 0, 0, &end);
    post(world, 0, 0, -1, IWARP_WRITE, 100);
    iwarp_poll(world, 0, 3, 0);
    iwarp_poll(world, 1, 1, 0); // in vain
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(world->nodes[1].placed, 1);
    SUITE_SAME_INTEGER(iwarp_entry(world, 0, 1)->id, 4);
    SUITE_SAME_INTEGER(iwarp_entry(world, 0, 2)->status, IWARP_FLUSHED);
    for (int node = 0; node < 2; node++)
        SUITE_SAME_TEXT(iwarp_qp_error(world->nodes[node].qps[0]),
                        "the program has posted a terminate message");
    iwarp_world_free(world);
}

static void disconnect(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    (void)argument;
    SUITE_SAME_INTEGER(iwarp_qp_disconnect(context, node->qps[0]), IWARP_OK);
}

// Segments that the peer has sent before it learns of the disconnect are read, and may be faults.
static void test_ends_after_disconnect(void)
{
    static const struct {
        enum iwarp_operation operation;
        const char *steps;
    } table[] = {
        {IWARP_WRITE, "node0 iwarp qp[1] RTS -> CLOSING (disconnect)\n"},
        {IWARP_SEND, "node0 iwarp qp[1] RTS -> CLOSING (disconnect)\n"
                     "node0 iwarp qp[1] CLOSING -> TERMINATE (no posted receive)\n"
                     "node0 iwarp qp[1] TERMINATE -> ERROR (the connection is gone)\n"},
        {IWARP_TERMINATE, "node1 iwarp qp[1] RTS -> ERROR (the program has posted a terminate "
                          "message)\n"
                          "node0 iwarp qp[1] RTS -> CLOSING (disconnect)\n"
                          "node0 iwarp qp[1] CLOSING -> ERROR (the program has posted a terminate "
                          "message)\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        struct transition_log *log = transition_log_new("iwarp qp", true);
        struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, &log->sink.trace);
        struct iwarp_work_request end = {.operation = IWARP_TERMINATE};
        g_string_truncate(log->text, 0);
        if (table[i].operation == IWARP_TERMINATE)
            iwarp_post(world, 1, 0, &end);
        else
            post(world, 1, 0, 0, table[i].operation, 100);
        iwarp_run(world, TIME_S);
        iwarp_call(world, 0, disconnect, NULL);
        iwarp_poll(world, 0, 9, 9); // in vain
        iwarp_run(world, TIME_S);
        SUITE_SAME_TEXT(log->text->str, table[i].steps);
        iwarp_world_free(world);
        transition_log_free(log);
    }
}

// A call to a port on which the peer does not listen. It is made again after the wake-up.
static void call_nowhere(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    const struct iwarp_qp_attributes attributes = {node->cq, node->cq, node->domain, node};
    enum iwarp_result *expected = argument;
    int stations[SCTP_MOST_PATHS];
    int count = inet_stations(node->world->world->cluster, 1, stations, SCTP_MOST_PATHS);
    const struct iwarp_address address = {
        .sctp = node->node->host, .stations = stations, .count = count, .port = 9};
    if (!node->qps[1])
        node->qps[1] = iwarp_qp_create(context, node->rnic, &attributes);
    SUITE_SAME_INTEGER(iwarp_qp_active_connect(context, node->qps[1], &address), *expected);
}

static void test_refused_call(void)
{
    static enum iwarp_result expected[] = {IWARP_AGAIN, IWARP_GONE, IWARP_STATE};
    struct transition_log *log = transition_log_new("iwarp qp", true);
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, &log->sink.trace);
    g_string_truncate(log->text, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        iwarp_call(world, 0, call_nowhere, &expected[i]);
        iwarp_run(world, TIME_S);
    }
    SUITE_SAME_TEXT(log->text->str,
                    "node0 iwarp qp[2] IDLE -> CONNECTING (SCTP)\n"
                    "node0 iwarp qp[2] CONNECTING -> ERROR (the connection could not be made)\n");
    iwarp_world_free(world);
    transition_log_free(log);
}

static const struct suite_case cases[] = {
    {"one QP blocks all", test_one_blocks_all},
    {"a QP posted before is not blocked", test_order_matters},
    {"receives in a row", test_receives_in_a_row},
    {"numbers of receives", test_numbers_of_receives},
    {"order of posting over all QPs", test_posting_order},
    {"advance", test_advance},
    {"two CQs, and a registered descriptor", test_two_cqs},
    {"a shared CQ", test_shared_cq},
    {"polls ask the sockets", test_poll_asks_sockets},
    {"life of the objects", test_life},
    {"steering tags", test_tags},
    {"refused requests", test_refused},
    {"a posted terminate message", test_posted_terminate},
    {"ends after a disconnect", test_ends_after_disconnect},
    {"a refused call", test_refused_call},
    {0},
};

int main(void)
{
    return suite_run("iwarp: queues", cases);
}
