// SPDX-License-Identifier: GPL-3.0-or-later
// GM's rules for its clients: ports, tokens, registered memory, size classes, callbacks, events.
#include "models/myrinet_gm/gm/gm_internal.h"
#include "sim/host/host.h"
#include "tests/support/suite.h"
#include "tests/support/world_gm.h"

#include <string.h>

#define US TIME_US
#define MS TIME_MS

struct pair {
    struct world *world;
    struct gm_end *from, *to;
};

static struct pair pair_new(const char *const *sets)
{
    struct world *world = world_new(&world_gm, gm_pair, sets, NULL);
    return (struct pair){world, gm_end_new(world, 0, 2), gm_end_new(world, 1, 2)};
}

static const char *failure(const struct world *world)
{
    return json_string_value(json_object_get(world->sim->reason, "kind"));
}

// ---- Ports ----

// armci.cfg.gm_ports_total: eight ports, each opened once.
static void test_ports(void)
{
    struct world *world = world_new(&world_gm, gm_pair, NULL, NULL);
    struct cpu_task task = {0};
    for (int number = 0; number < 8; number++) {
        struct gm_port *port = gm_open(gm_fabric(world), 0, number, "process", &task);
        CU_ASSERT_PTR_NOT_NULL_FATAL(port);
        SUITE_SAME_INTEGER(gm_port_number(port), number);
        SUITE_SAME_INTEGER(gm_port_host(port), 0);
        SUITE_SAME_INTEGER(gm_send_tokens(port), 61);
        SUITE_SAME_INTEGER(gm_receive_tokens(port), 254);
        CU_ASSERT_PTR_NULL(gm_open(gm_fabric(world), 0, number, "process", &task));
    }
    CU_ASSERT_PTR_NULL(gm_open(gm_fabric(world), 0, 8, "process", &task));
    CU_ASSERT_PTR_NULL(gm_open(gm_fabric(world), 0, -1, "process", &task));
    CU_ASSERT_PTR_NOT_NULL(gm_open(gm_fabric(world), 1, 7, "process", &task));
    world_free(world);
}

// ---- Tokens ----

struct tries {
    int taken, refused;
};

static bool try_sends(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    struct tries *tries = argument;
    struct gm_message message = {.address = GM_WORLD_MEMORY, .length = 8, .size = 3};
    message.target_host = 1;
    message.target_port = 2;
    while (gm_send_with_callback(context, end->port, &message))
        tries->taken++;
    tries->refused++;
    return true;
}

// armci.gm.token_limit: no more sends are outstanding than there are tokens, also when all of them
// have long been acknowledged.
static void test_token_limit(void)
{
    struct pair p = pair_new((const char *const[]){"gm.send_tokens=5", NULL});
    struct tries tries = {0}, later = {0};
    p.from->deaf = true;
    gm_end_provide(p.to, 3, 20, 0);
    world_do_at(p.from, 100 * US, try_sends, &tries);
    world_do_at(p.from, 50 * MS, try_sends, &later);
    world_run(p.world);
    SUITE_SAME_INTEGER(tries.taken, 5);
    SUITE_SAME_INTEGER(later.taken, 0);
    SUITE_SAME_INTEGER(later.refused, 1);
    SUITE_SAME_INTEGER(p.to->received->len, 5);
    SUITE_SAME_INTEGER(gm_send_tokens(p.from->port), 0);
    world_free(p.world);
}

struct recovery {
    struct gm_event event;
    int64_t tokens_before, tokens_taken, tokens_after;
    enum gm_event_kind kind;
    guint callbacks_before, callbacks_after;
};

static bool recover(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    struct recovery *seen = argument;
    seen->tokens_before = gm_send_tokens(end->port);
    seen->kind = gm_receive(context, end->port, &seen->event);
    seen->tokens_taken = gm_send_tokens(end->port);
    seen->callbacks_before = end->returned->len;
    gm_unknown(context, end->port, &seen->event);
    seen->tokens_after = gm_send_tokens(end->port);
    seen->callbacks_after = end->returned->len;
    return true;
}

// armci.gm.token_recovery: neither the ACK nor taking the event brings the token back: the process
// must poll, and hand the event to gm_unknown.
static void test_token_recovery(void)
{
    struct pair p = pair_new((const char *const[]){"gm.send_tokens=1", NULL});
    struct recovery seen = {0};
    p.from->deaf = true;
    gm_end_provide(p.to, 3, 2, 0);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 8, .size = -1, .at = 50 * US});
    world_do_at(p.from, 500 * US, recover, &seen);
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->received->len, 1);
    SUITE_SAME_INTEGER(seen.tokens_before, 0);
    SUITE_SAME_INTEGER(seen.kind, GM_SENT_EVENT);
    SUITE_SAME_INTEGER(seen.tokens_taken, 0);
    SUITE_SAME_INTEGER(seen.tokens_after, 1);
    SUITE_SAME_INTEGER(seen.callbacks_before, 0);
    SUITE_SAME_INTEGER(seen.callbacks_after, 1);
    gm_check(p.world);
    world_free(p.world);
}

// Tokens are returned without end: many more messages than there are tokens.
static void test_tokens_circulate(void)
{
    struct pair p =
        pair_new((const char *const[]){"gm.send_tokens=2", "gm.receive_tokens=3", NULL});
    gm_end_provide(p.to, 6, 3, 0);
    gm_end_send_to(p.from, p.to, 64, 300);
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->received->len, 300);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SUCCESS), 300);
    SUITE_SAME_INTEGER(gm_send_tokens(p.from->port), 2);
    SUITE_SAME_INTEGER(gm_receive_tokens(p.to->port), 0);
    gm_check(p.world);
    world_free(p.world);
}

static bool provide_all(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    int *given = argument;
    while (gm_provide_receive_buffer(context, end->port, GM_WORLD_MEMORY, 4, 0))
        (*given)++;
    return true;
}

static void test_receive_tokens(void)
{
    struct pair p = pair_new((const char *const[]){"gm.receive_tokens=7", NULL});
    int given = 0;
    world_do_at(p.to, 0, provide_all, &given);
    world_run(p.world);
    SUITE_SAME_INTEGER(given, 7);
    SUITE_SAME_INTEGER(gm_receive_tokens(p.to->port), 0);
    world_free(p.world);
}

// ---- Memory ----

static void send_from(struct pair *p, int64_t address, int64_t bytes)
{
    gm_end_provide(p->to, gm_min_size_for_length(bytes), 1, 0);
    gm_end_send(p->from,
                &(struct gm_send_job){
                    .to = p->to, .bytes = bytes, .size = -1, .address = address, .at = 5 * MS});
}

#define OUTSIDE (GM_WORLD_MEMORY + GM_WORLD_BYTES - GM_WORLD_OUTSIDE)

struct registration {
    int64_t address, bytes;
    bool done;
    sim_time time;
    bool (*call)(struct cpu_context *context, struct gm_port *port, int64_t address, int64_t bytes);
};

static bool registration(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    struct registration *r = argument;
    sim_time from = context->now;
    r->done = r->call(context, end->port, r->address, r->bytes);
    r->time = context->now - from;
    return true;
}

// armci.gm.registered_only: unregistered memory can't be sent from, not even its last byte ...
static void test_unregistered(void)
{
    for (int64_t start = OUTSIDE - 8; start <= OUTSIDE; start += 4) {
        struct pair p = pair_new(NULL);
        send_from(&p, start, 8);
        world_run(p.world);
        if (start + 8 <= OUTSIDE) {
            gm_check(p.world);
        } else {
            CU_ASSERT_EQUAL(p.world->sim->status, SIM_FAILED);
            SUITE_SAME_TEXT(failure(p.world), "not_registered");
        }
        world_free(p.world);
    }
}

static bool provide_outside(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    (void)argument;
    CU_ASSERT_FALSE(gm_provide_receive_buffer(context, end->port, OUTSIDE - 8, 4, 0));
    return true;
}

// ... nor received into ...
static void test_unregistered_buffer(void)
{
    struct pair p = pair_new(NULL);
    world_do_at(p.to, 0, provide_outside, NULL);
    world_run(p.world);
    SUITE_SAME_TEXT(failure(p.world), "not_registered");
    world_free(p.world);
}

// ... until it is registered, which costs a trap, the driver's part and each page; memory that lies
// in two regions side by side is registered too.
static void test_register(void)
{
    struct pair p = pair_new(NULL);
    struct registration r = {OUTSIDE, 4000, false, 0, gm_register_memory};
    world_do_at(p.from, 0, registration, &r);
    send_from(&p, OUTSIDE - 100, 4000);
    world_run(p.world);
    CU_ASSERT(r.done);
    SUITE_SAME_INTEGER(r.time, (521 + 2017 + 509) * TIME_NS);
    gm_check(p.world);
    world_free(p.world);
}

static void test_deregister(void)
{
    struct pair p = pair_new(NULL);
    struct registration in = {OUTSIDE, 4096, false, 0, gm_register_memory};
    struct registration out = {OUTSIDE, 4096, false, 0, gm_deregister_memory};
    struct registration again = out;
    world_do_at(p.from, 0, registration, &in);
    world_do_at(p.from, 0, registration, &out);
    world_do_at(p.from, 0, registration, &again);
    send_from(&p, OUTSIDE, 8);
    world_run(p.world);
    CU_ASSERT(in.done && out.done);
    SUITE_SAME_INTEGER(out.time, (521 + 2017 + 307) * TIME_NS);
    CU_ASSERT_FALSE(again.done);
    SUITE_SAME_TEXT(failure(p.world), "not_registered");
    world_free(p.world);
}

// The system may cap the memory that a process registers, or not allow it at all.
static void test_register_refused(void)
{
    struct pair p = pair_new(NULL);
    int64_t limit = 1 << 20;
    struct registration all = {INT64_C(0x40000000), limit, false, 0, gm_register_memory};
    struct registration more = {INT64_C(0x50000000), 1, false, 0, gm_register_memory};
    world_do_at(p.from, 0, registration, &all);
    world_do_at(p.from, 0, registration, &more);
    world_run(p.world);
    CU_ASSERT(all.done);
    CU_ASSERT_FALSE(more.done);
    world_free(p.world);

    p = pair_new((const char *const[]){"gm.registration=false", NULL});
    struct registration none = {OUTSIDE, 8, true, 0, gm_register_memory};
    world_do_at(p.from, 0, registration, &none);
    world_run(p.world);
    CU_ASSERT_FALSE(none.done);
    world_free(p.world);
}

// ---- Size classes ----

static void test_classes(void)
{
    SUITE_SAME_INTEGER(gm_min_size_for_length(0), 0);
    SUITE_SAME_INTEGER(gm_min_size_for_length(1), 0);
    SUITE_SAME_INTEGER(gm_min_size_for_length(2), 1);
    SUITE_SAME_INTEGER(gm_min_size_for_length(4096), 12);
    SUITE_SAME_INTEGER(gm_min_size_for_length(4097), 13);
}

// armci.gm.recv_buffer_missing: a message needs a buffer of exactly its class. Without one it is
// refused, and sent again and again until there is one.
static void test_buffer_missing(void)
{
    struct pair p = pair_new((const char *const[]){"gm.refused_interval=1 ms", NULL});
    gm_end_provide(p.to, 11, 1, 0); // too small
    gm_end_provide(p.to, 13, 1, 0); // too large
    gm_end_provide(p.to, 12, 1, 10 * MS);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 4000, .size = -1, .at = 1 * MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->received->len, 1);
    sim_time when = gm_end_received(p.to, 0)->when;
    CU_ASSERT(when > 10 * MS && when < 11 * MS + 500 * US);
    int64_t refused = world_counter(p.world, "GM messages refused for lack of a receive buffer");
    CU_ASSERT(refused >= 7 && refused <= 9); // each milliseconds and a round trip
    SUITE_SAME_INTEGER(gm_end_received(p.to, 0)->event.size, 12);
    SUITE_SAME_INTEGER(gm_receive_tokens(p.to->port), 254 - 3);
    gm_check(p.world);
    world_free(p.world);
}

// With the buffer there in time, nothing is refused or sent twice.
static void test_buffer_there(void)
{
    struct pair p = pair_new(NULL);
    gm_end_provide(p.to, 13, 2, 0);
    for (int i = 0; i < 20; i++)
        gm_end_send(p.from,
                    &(struct gm_send_job){.to = p.to, .bytes = 5000 + i, .size = -1, .at = i * MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->received->len, 20);
    SUITE_SAME_INTEGER(world_counter(p.world, "GM messages refused for lack of a receive buffer"),
                       0);
    SUITE_SAME_INTEGER(world_counter(p.world, "GM packets resent"), 0);
    gm_check(p.world);
    world_free(p.world);
}

static void test_too_long(void)
{
    struct pair p = pair_new(NULL);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 17, .size = 4});
    world_run(p.world);
    SUITE_SAME_TEXT(failure(p.world), "message_too_long");
    world_free(p.world);
}

// armci.gm.no_scatter_gather: a message is one piece of memory: address and length. Data from two
// places are two messages, with two tokens, two buffers and two events, or are copied first.
static void test_no_scatter_gather(void)
{
    CU_ASSERT_EQUAL(sizeof(((struct gm_message *)NULL)->address), sizeof(int64_t));
    CU_ASSERT_EQUAL(sizeof(((struct gm_message *)NULL)->length), sizeof(int64_t));
    struct pair p = pair_new(NULL);
    p.from->deaf = true;
    p.to->keeps = true;
    gm_end_provide(p.to, 7, 2, 0);
    for (int i = 0; i < 2; i++)
        gm_end_send(p.from, &(struct gm_send_job){.to = p.to,
                                                  .bytes = 100,
                                                  .size = -1,
                                                  .address = GM_WORLD_MEMORY + i * 8192,
                                                  .at = 1 * MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(gm_send_tokens(p.from->port), 61 - 2);
    SUITE_SAME_INTEGER(p.to->received->len, 2);
    SUITE_SAME_INTEGER(gm_receive_tokens(p.to->port), 254);
    gm_check(p.world);
    world_free(p.world);
}

// ---- Directed sends ----

// armci.gm.directed_send: the data are in the target's memory without a receive buffer, an event or
// any work of its processor; the flag that its process polls is set in the event in which the last
// byte is there.
static void test_directed(void)
{
    struct pair p = pair_new(NULL);
    p.to->deaf = true;
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to,
                                              .bytes = 10000,
                                              .header = 4,
                                              .directed = true,
                                              .remote = GM_WORLD_MEMORY + 4096});
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->written->len, 1);
    const struct gm_written_note *note = &g_array_index(p.to->written, struct gm_written_note, 0);
    SUITE_SAME_INTEGER(note->write.address, GM_WORLD_MEMORY + 4096);
    SUITE_SAME_INTEGER(note->write.length, 10004);
    SUITE_SAME_INTEGER(note->write.header, 4);
    SUITE_SAME_INTEGER(note->write.source_host, 0);
    SUITE_SAME_INTEGER(note->write.source_port, 2);
    SUITE_SAME_INTEGER(gm_waiting(p.to->port), 0);
    SUITE_SAME_INTEGER(gm_receive_tokens(p.to->port), 254);
    struct cpu_usage usage = cpu_usage(p.to->process.task.cpu);
    SUITE_SAME_INTEGER(usage.busy[CPU_USER] + usage.busy[CPU_INTERRUPT], 0);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SUCCESS), 1);
    gm_check(p.world);
    world_free(p.world);
}

// A write to memory that the target has not registered is rejected, and the sender's token returns.
static void test_directed_rejected(void)
{
    struct pair p = pair_new(NULL);
    gm_end_send(p.from, &(struct gm_send_job){
                            .to = p.to, .bytes = 8, .directed = true, .remote = OUTSIDE - 4});
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->written->len, 0);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SEND_REJECTED), 1);
    SUITE_SAME_INTEGER(gm_send_tokens(p.from->port), 61);
    SUITE_SAME_INTEGER(p.world->sim->status, SIM_COMPLETED);
    SUITE_SAME_INTEGER((long long)ledger_totals(p.world->sim->ledger).lost, 1);
    world_free(p.world);
}

// ---- One port or two ----

// Requests from node0, then an answer from node2 that the process at node1 waits for. How many
// requests it must take, and store, before it has the answer.
static int requests_before_answer(int answer_port)
{
    struct world *world = world_new(
        &world_gm, gm_pair, (const char *const[]){"hosts=[{name: node, count: 3}]", NULL}, NULL);
    struct gm_end *client = gm_end_new(world, 0, 2), *server = gm_end_new(world, 1, 2);
    struct gm_end *other = gm_end_new(world, 2, 2), *answers = server;
    server->deaf = true;
    if (answer_port != 2)
        answers = gm_end_new(world, 1, answer_port);
    answers->deaf = true;
    gm_end_provide(server, 6, 5, 0);
    gm_end_provide(answers, 5, 1, 0);
    for (int i = 0; i < 5; i++)
        gm_end_send(client, &(struct gm_send_job){.to = server, .bytes = 60, .size = -1, .at = MS});
    gm_end_send(other, &(struct gm_send_job){.to = answers, .bytes = 20, .size = -1, .at = 3 * MS});
    world_run(world);
    answers->deaf = false;
    world_run(world);
    int before = 0;
    while (gm_end_received(answers, (guint)before)->event.length != 20)
        before++;
    world_free(world);
    return before;
}

// armci.gm.two_port_deadlock_reason: a port's events are delivered in the order of arrival. With
// one port the answer follows all requests that arrived earlier; with a second one it is the first.
static void test_two_ports(void)
{
    SUITE_SAME_INTEGER(requests_before_answer(2), 5);
    SUITE_SAME_INTEGER(requests_before_answer(3), 0);
}

// ---- Closed ports ----

static bool close_port(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    (void)context, (void)argument;
    end->deaf = true;
    gm_close(end->port);
    return true;
}

static void test_closed(void)
{
    struct pair p = pair_new(NULL);
    struct gm_end *other = gm_end_new(p.world, 1, 4);
    gm_end_provide(p.to, 13, 9, 0);
    gm_end_provide(other, 13, 9, 0);
    world_do_at(p.to, 5 * MS, close_port, NULL);
    for (int i = 0; i < 4; i++) {
        sim_time at = i < 2 ? 1 * MS : 6 * MS;
        gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 8000, .size = -1, .at = at});
        gm_end_send(p.from,
                    &(struct gm_send_job){.to = other, .bytes = 8000, .size = -1, .at = at});
    }
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->received->len, 2);
    SUITE_SAME_INTEGER(other->received->len, 4);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SEND_PORT_CLOSED), 2);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SUCCESS), 6);
    SUITE_SAME_INTEGER(gm_send_tokens(p.from->port), 61);
    world_free(p.world);
}

// ---- Events ----

// A message of up to 128 B is delivered in the queue's slot; in either case the receive token
// returns.
static void test_fast_receive(void)
{
    struct pair p = pair_new(NULL);
    p.to->keeps = true;
    gm_end_provide(p.to, 7, 1, 0);
    gm_end_provide(p.to, 8, 1, 0);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 128, .size = -1, .at = MS});
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 129, .size = -1, .at = MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->received->len, 2);
    SUITE_SAME_INTEGER(gm_end_received(p.to, 0)->event.kind, GM_FAST_RECV_EVENT);
    SUITE_SAME_INTEGER(gm_end_received(p.to, 1)->event.kind, GM_RECV_EVENT);
    SUITE_SAME_INTEGER(gm_receive_tokens(p.to->port), 254);
    gm_check(p.world);
    world_free(p.world);
}

// The header in front of the message's bytes is the library's, and counts for the wire only.
static void test_header_and_offset(void)
{
    struct pair p = pair_new(NULL);
    gm_end_provide(p.to, 14, 1, 0);
    gm_end_send(p.from, &(struct gm_send_job){
                            .to = p.to, .bytes = 5000, .header = 5000, .size = -1, .at = MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(gm_end_received(p.to, 0)->event.length, 10000);
    SUITE_SAME_INTEGER(gm_end_received(p.to, 0)->event.header, 5000);
    gm_check(p.world);
    world_free(p.world);
}

// A report names what each send waits for.
static void test_describe(void)
{
    struct pair p = pair_new((const char *const[]){"gm.send_timeout=20 ms", NULL});
    p.from->deaf = true;
    gm_end_send_to(p.from, p.to, 100, 1);
    cpu_wake(&p.from->process.task);
    engine_run(p.world->sim->engine, 300 * US);
    json_t *json = gm_describe(p.from->port);
    const json_t *send = json_array_get(json_object_get(json, "sends"), 0);
    SUITE_SAME_TEXT(json_string_value(json_object_get(send, "waits_for")),
                    "a receive buffer of its size class at the target");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(json, "send_tokens")), 60);
    json_decref(json);
    engine_run(p.world->sim->engine, TIME_NEVER);
    json = gm_describe(p.from->port);
    send = json_array_get(json_object_get(json, "sends"), 0);
    SUITE_SAME_TEXT(json_string_value(json_object_get(send, "waits_for")), "the client to poll");
    json_decref(json);
    world_free(p.world);
}

static const struct suite_case cases[] = {
    {"eight ports, each opened once (armci.cfg.gm_ports_total)", test_ports},
    {"armci.gm.token_limit", test_token_limit},
    {"armci.gm.token_recovery", test_token_recovery},
    {"tokens circulate", test_tokens_circulate},
    {"receive tokens end", test_receive_tokens},
    {"armci.gm.registered_only: sending", test_unregistered},
    {"armci.gm.registered_only: receiving", test_unregistered_buffer},
    {"registering, and what it costs", test_register},
    {"deregistering", test_deregister},
    {"registering refused", test_register_refused},
    {"size classes", test_classes},
    {"armci.gm.recv_buffer_missing", test_buffer_missing},
    {"a buffer in time: nothing is resent", test_buffer_there},
    {"a message longer than its class", test_too_long},
    {"armci.gm.no_scatter_gather", test_no_scatter_gather},
    {"armci.gm.directed_send", test_directed},
    {"a directed send to unregistered memory", test_directed_rejected},
    {"armci.gm.two_port_deadlock_reason", test_two_ports},
    {"closed ports", test_closed},
    {"fast receives", test_fast_receive},
    {"the library's header", test_header_and_offset},
    {"what a send waits for", test_describe},
    {0},
};

int main(void)
{
    return suite_run("myrinet_gm: GM's tokens", cases);
}
