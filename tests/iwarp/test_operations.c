// SPDX-License-Identifier: GPL-3.0-or-later
// Work requests on the verbs, between hosts with whole SCTP stacks: which host sees which events,
// in which order (thesis 004, 2.3, 3.3.3 to 3.3.6 and 3.4.4). Claims sctp.iwarp.layers,
// sctp.iwarp.tagged, sctp.iwarp.untagged, sctp.iwarp.preposted, sctp.iwarp.write_silent,
// sctp.iwarp.read_two_messages, sctp.iwarp.single_poll, sctp.iwarp.tcp_style_socket.
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_iwarp.h"

#include <string.h>

#define SEGMENT 16384

static void check_entry(const struct iwarp_world *world, int node, int index, uint64_t id,
                        enum iwarp_operation operation, int64_t bytes)
{
    const struct iwarp_completion *entry = iwarp_entry(world, node, index);
    SUITE_SAME_INTEGER(entry->id, id);
    SUITE_SAME_INTEGER(entry->operation, operation);
    SUITE_SAME_INTEGER(entry->status, IWARP_SUCCESS);
    SUITE_SAME_INTEGER(entry->bytes, bytes);
}

static void post(struct iwarp_world *world, int node, int to, enum iwarp_operation operation,
                 uint64_t id, int64_t offset, int64_t bytes)
{
    struct iwarp_work_request request = iwarp_request(world, node, to, operation, offset, bytes);
    request.id = id;
    iwarp_post(world, node, 0, &request);
}

static void close_received(struct iwarp_world *world, int node)
{
    for (guint i = 0; i < world->nodes[node].entries->len; i++) {
        const struct iwarp_completion *entry = iwarp_entry(world, node, (int)i);
        if (entry->operation != IWARP_RECEIVE || entry->message.generation == 0)
            continue;
        ledger_match(world->world->sim->ledger, entry->message);
        ledger_complete(world->world->sim->ledger, entry->message);
    }
}

// A send takes the posted receive, and both sides have an entry; its head is delivered with it.
static void test_send(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    struct iwarp_work_request send = iwarp_request(world, 0, 1, IWARP_SEND, 0, 50000);
    send.sgl[0].length += 8;
    send.content = "envelope";
    send.content_length = 8;
    send.id = 7;
    post(world, 1, -1, IWARP_RECEIVE, 3, 0, 60000);
    iwarp_poll(world, 1, 1, 0);
    iwarp_post(world, 0, 0, &send);
    iwarp_poll(world, 0, 1, 0);
    iwarp_run(world, TIME_S);
    check_entry(world, 0, 0, 7, IWARP_SEND, 50008);
    check_entry(world, 1, 0, 3, IWARP_RECEIVE, 50008);
    const struct iwarp_completion *entry = iwarp_entry(world, 1, 0);
    SUITE_SAME_INTEGER(entry->content_length, 8);
    CU_ASSERT(memcmp(entry->content, "envelope", 8) == 0);
    close_received(world, 1);
    CU_ASSERT(ledger_balanced(world->world->sim->ledger));
    iwarp_world_free(world);
}

// The target of a write sees nothing: no entry, and its receive is not taken. A notice has to
// follow.
static void test_write_is_silent(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    post(world, 1, -1, IWARP_RECEIVE, 3, 0, 64);
    post(world, 0, 1, IWARP_WRITE, 5, 4096, 100000);
    iwarp_poll(world, 1, 0, 1);
    iwarp_poll(world, 0, 1, 0);
    iwarp_run(world, TIME_S);
    check_entry(world, 0, 0, 5, IWARP_WRITE, 100000);
    SUITE_SAME_INTEGER(world->nodes[1].placed, 1);
    SUITE_SAME_INTEGER(world->nodes[1].entries->len, 0);
    CU_ASSERT(ledger_balanced(world->world->sim->ledger));
    post(world, 0, 1, IWARP_SEND, 6, 0, 32);
    iwarp_poll(world, 1, 1, 1);
    iwarp_run(world, TIME_S);
    check_entry(world, 1, 0, 3, IWARP_RECEIVE, 32);
    iwarp_world_free(world);
}

// SCTP serves streams in turn: a notice overtakes what waits in the socket of a write before it,
// unless both take the same stream.
static void check_notice(enum iwarp_stream_map map, bool overtakes)
{
    struct iwarp_config config = iwarp_world_defaults();
    config.stream_map = map;
    struct iwarp_world *world = iwarp_world_new(2, NULL, &config, NULL);
    post(world, 1, -1, IWARP_RECEIVE, 3, 0, 32);
    post(world, 0, 1, IWARP_WRITE, 5, 4096, 10 * SEGMENT);
    post(world, 0, 1, IWARP_SEND, 6, 0, 32);
    iwarp_poll(world, 1, 1, 0);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(world->nodes[1].entries->len, 1);
    SUITE_SAME_INTEGER(world->nodes[1].placed, overtakes ? 0 : 1);
    iwarp_world_free(world);
}

static void test_notice(void)
{
    check_notice(IWARP_STREAM_STAG, true);
    check_notice(IWARP_STREAM_SINGLE, false);
}

// A read is a request, which the target's stack answers by itself, and a tagged response.
static void test_read(void)
{
    struct transition_log *log = transition_log_new("iwarp request", true);
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, &log->sink.trace);
    post(world, 0, 1, IWARP_READ, 9, 8192, 3 * SEGMENT + 1);
    iwarp_poll(world, 0, 1, 0);
    iwarp_poll(world, 1, 1, 0); // in vain
    iwarp_run(world, TIME_S);
    check_entry(world, 0, 0, 9, IWARP_READ, 3 * SEGMENT + 1);
    SUITE_SAME_INTEGER(world->nodes[0].placed, 1);
    SUITE_SAME_INTEGER(world->nodes[1].entries->len, 0);
    SUITE_SAME_INTEGER(world->nodes[0].rnic->count.sent, 1);
    SUITE_SAME_INTEGER(world->nodes[1].rnic->count.received, 1);
    SUITE_SAME_INTEGER(world->nodes[1].rnic->count.sent, 4);
    SUITE_SAME_TEXT(log->text->str, "node0 iwarp request[1] - -> queued (read)\n"
                                    "node0 iwarp request[1] queued -> posted (read)\n"
                                    "node1 iwarp request[1] - -> queued (read response)\n"
                                    "node1 iwarp request[1] queued -> sending (read response)\n"
                                    "node1 iwarp request[1] sending -> done (read response)\n"
                                    "node0 iwarp request[1] posted -> placed (read)\n"
                                    "node0 iwarp request[1] placed -> done (read)\n");
    CU_ASSERT(ledger_balanced(world->world->sim->ledger));
    iwarp_world_free(world);
    transition_log_free(log);
}

// A target that does not poll serves no read: what arrives is read only there.
static void test_read_needs_polls(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    post(world, 0, 1, IWARP_READ, 9, 0, 100);
    iwarp_poll(world, 0, 1, 0);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(world->nodes[0].entries->len, 0);
    iwarp_poll(world, 1, 1, 0);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(world->nodes[0].entries->len, 1);
    iwarp_world_free(world);
}

// One poll brings one entry, however many there are.
static void poll_once(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    struct iwarp_completion completion;
    enum iwarp_poll *found = argument;
    *found = iwarp_cq_poll(context, node->cq, &completion);
    if (*found == IWARP_POLL_ENTRY)
        g_array_append_val(node->entries, completion);
}

static void test_single_poll(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    enum iwarp_poll found;
    for (uint64_t id = 0; id < 3; id++)
        post(world, 0, 1, IWARP_WRITE, id, 0, 100);
    iwarp_run(world, TIME_S);
    for (int i = 0; i < 4; i++) {
        iwarp_call(world, 0, poll_once, &found);
        iwarp_run(world, TIME_MS);
        SUITE_SAME_INTEGER(found, i < 3 ? IWARP_POLL_ENTRY : IWARP_POLL_NOTHING);
        SUITE_SAME_INTEGER(world->nodes[0].entries->len, MIN(i + 1, 3));
    }
    iwarp_world_free(world);
}

// A request may ask for no completion; a failure is reported all the same
// (sctp.rma.completion_signal).
static void test_no_signal(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    for (uint64_t id = 0; id < 4; id++) {
        struct iwarp_work_request request = iwarp_request(world, 0, 1, IWARP_WRITE, 0, 100);
        request.id = id;
        request.silent = id % 2 == 0;
        iwarp_post(world, 0, 0, &request);
    }
    iwarp_poll(world, 0, 2, 0);
    iwarp_poll(world, 1, 0, 4);
    iwarp_run(world, TIME_S);
    check_entry(world, 0, 0, 1, IWARP_WRITE, 100);
    check_entry(world, 0, 1, 3, IWARP_WRITE, 100);
    SUITE_SAME_INTEGER(world->nodes[0].entries->len, 2);
    CU_ASSERT(ledger_balanced(world->world->sim->ledger));
    iwarp_world_free(world);
}

// Without a posted receive the target ends the connection, and both sides know why.
static void test_missing_receive(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    post(world, 0, 1, IWARP_SEND, 1, 0, 100);
    post(world, 0, -1, IWARP_RECEIVE, 2, 0, 100);
    iwarp_poll(world, 1, 1, 0);
    iwarp_poll(world, 0, 2, 0);
    iwarp_run(world, TIME_S);
    for (int node = 0; node < 2; node++) {
        SUITE_SAME_INTEGER(iwarp_qp_state(world->nodes[node].qps[0]), IWARP_QP_ERROR);
        SUITE_SAME_TEXT(iwarp_qp_error(world->nodes[node].qps[0]), "no posted receive");
    }
    check_entry(world, 0, 0, 1, IWARP_SEND, 100); // SCTP had it all
    SUITE_SAME_INTEGER(iwarp_entry(world, 0, 1)->status, IWARP_FLUSHED);
    SUITE_SAME_INTEGER(world->nodes[1].rnic->count.terminates, 1);
    post(world, 0, 1, IWARP_SEND, 1, 0, 100);
    iwarp_run(world, TIME_MS);
    SUITE_SAME_INTEGER(iwarp_result(world, 0, 2), IWARP_STATE);
    iwarp_world_free(world);
}

// Messages of no bytes arrive, too.
static void test_empty(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    post(world, 1, -1, IWARP_RECEIVE, 2, 0, 0);
    post(world, 0, 1, IWARP_WRITE, 3, 0, 0);
    post(world, 0, 1, IWARP_SEND, 4, 0, 0);
    post(world, 0, 1, IWARP_READ, 5, 0, 0);
    iwarp_poll(world, 1, 1, 1);
    iwarp_poll(world, 1, 2, 1); // the read's request
    iwarp_poll(world, 0, 3, 1);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(world->nodes[0].entries->len, 3);
    SUITE_SAME_INTEGER(world->nodes[1].entries->len, 1);
    close_received(world, 1);
    CU_ASSERT(ledger_balanced(world->world->sim->ledger));
    iwarp_world_free(world);
}

static const struct suite_case cases[] = {
    {"a send and its receive", test_send},
    {"a write is silent", test_write_is_silent},
    {"a notice after a write", test_notice},
    {"a read is two messages", test_read},
    {"a read needs polls of the target", test_read_needs_polls},
    {"one entry per poll", test_single_poll},
    {"no completion signal", test_no_signal},
    {"a missing receive", test_missing_receive},
    {"empty messages", test_empty},
    {0},
};

int main(void)
{
    return suite_run("iwarp: operations", cases);
}
