// SPDX-License-Identifier: GPL-3.0-or-later
// A process's requests, over a device that does nothing by itself: what is charged, counted, booked
// and reported.
#include "sim/mpi/group.h"
#include "sim/mpi/process.h"
#include "tests/support/fake_operations.h"
#include "tests/support/suite.h"

struct bench;
typedef void body_fn(struct cpu_context *context, struct bench *bench);

struct bench {
    struct sim *sim;
    struct host *host;
    struct mpi_library_config library;
    struct mpi_process *process;
    body_fn *body;
};

static int started, destroyed;

static void device_start(struct cpu_context *context, struct mpi_request *request)
{
    (void)context;
    *(int *)request->device = 7;
    started++;
}

static enum mpi_progress device_advance(struct cpu_context *context, struct mpi_process *process,
                                        bool blocking)
{
    (void)context, (void)process;
    return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
}

static void device_destroy(struct cpu_context *context, struct mpi_request *request)
{
    (void)context;
    CU_ASSERT_EQUAL(*(int *)request->device, 7);
    destroyed++;
}

static json_t *device_describe_request(const struct mpi_request *request)
{
    return json_pack("{s:i}", "held_by", request->peer);
}

static const struct mpi_device_ops device_ops = {
    .name = "test",
    .request_size = sizeof(int),
    .start = device_start,
    .advance = device_advance,
    .destroy = device_destroy,
    .describe_request = device_describe_request,
};

static enum cpu_next process_run(struct cpu_context *context, struct cpu_task *task)
{
    struct mpi_process *process = container_of(task, struct mpi_process, task);
    struct bench *bench = process->program;
    bench->body(context, bench);
    return CPU_SLEEP;
}

// Runs `body` as rank 0 of `ranks` on a processor of 1 GHz.
static void run(body_fn *body, int ranks, bool library)
{
    struct host_config config = {
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.page = 4096,
                   .cache = 262144,
                   .copy_cached = 1000000000,
                   .copy_uncached = 500000000,
                   .copy_traffic = 3},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
    };
    struct bench bench = {
        .sim = sim_new(1, NULL),
        .library = {.call = {.cycles = 1500},
                    .request = {.cycles = 1200},
                    .match = {.cycles = 60},
                    .pack_piece = {.cycles = 40}},
        .body = body,
    };
    started = destroyed = 0;
    bench.host = host_new(bench.sim, 0, "node0", &config);
    bench.process = mpi_process_new(bench.sim, bench.host, 0, 0, ranks, process_run);
    bench.process->ops = &device_ops;
    bench.process->library = library ? &bench.library : NULL;
    bench.process->program = &bench;
    cpu_wake(&bench.process->task);
    engine_run(bench.sim->engine, TIME_NEVER);
    mpi_process_free(bench.process);
    mpi_process_free(NULL);
    host_free(bench.host);
    sim_free(bench.sim);
}

static struct mpi_request *start(struct cpu_context *context, struct bench *bench,
                                 enum mpi_request_kind kind, int peer, int tag)
{
    struct mpi_transfer transfer = {.peer = peer, .tag = tag, .address = 4096, .size = 100};
    return mpi_start(context, bench->process, kind, &transfer);
}

// ---- Charges ----

static void body_charges(struct cpu_context *context, struct bench *bench)
{
    sim_time factor = bench->process->library ? TIME_NS : 0, at = context->now;
    struct mpi_request *send = start(context, bench, REQUEST_SEND, 1, 5);
    CU_ASSERT_EQUAL(context->now - at, 2700 * factor);
    at = context->now;
    mpi_call(context, bench->process);
    CU_ASSERT_EQUAL(context->now - at, 1500 * factor);
    at = context->now;
    mpi_charge_match(context, bench->process, 7);
    CU_ASSERT_EQUAL(context->now - at, INT64_C(7) * 60 * factor);
    at = context->now;
    mpi_request_done(context, send);
    mpi_request_free(context, send);
    CU_ASSERT_EQUAL(context->now - at, 1200 * factor);
}

// A persistent request is paid for when it is built: its starts and ends cost nothing more.
static void body_persistent(struct cpu_context *context, struct bench *bench)
{
    sim_time factor = bench->process->library ? TIME_NS : 0, at = context->now;
    struct mpi_transfer transfer = {.peer = 1, .address = 4096, .size = 100, .prebuilt = true};
    mpi_build(context, bench->process);
    CU_ASSERT_EQUAL(context->now - at, 2700 * factor);
    at = context->now;
    struct mpi_request *send = mpi_start(context, bench->process, REQUEST_SEND, &transfer);
    mpi_request_done(context, send);
    mpi_request_free(context, send);
    CU_ASSERT_EQUAL(context->now - at, 0);
}

// Data in pieces go through a buffer of the library's, which the next request takes again; a
// message that is shorter than its receive is unpacked in proportion.
static void body_pieces(struct cpu_context *context, struct bench *bench)
{
    struct mpi_process *process = bench->process;
    struct mpi_transfer transfer = {
        .peer = 1, .address = 64, .size = 100, .pieces = 10, .prebuilt = true};
    struct mpi_request *first = mpi_start(context, process, REQUEST_RECV, &transfer),
                       *second = mpi_start(context, process, REQUEST_RECV, &transfer);
    int64_t buffer = first->address;
    CU_ASSERT(buffer != 64 && second->address != buffer);
    struct message_ref message = ledger_open(bench->sim->ledger, 1, process->rank, 50, 1);
    mpi_request_match(first, &(struct mpi_envelope){.source = 1, .length = 50}, message);
    ledger_deliver(bench->sim->ledger, message, 0, 50);
    mpi_request_done(context, first);
    sim_time at = context->now, pieces = 5 * 40 * TIME_NS;
    mpi_request_free(context, first);
    CU_ASSERT(context->now - at >= pieces && context->now - at < 2 * pieces);
    struct mpi_request *third = mpi_start(context, process, REQUEST_RECV, &transfer);
    SUITE_SAME_INTEGER(third->address, buffer);
    mpi_wait(process, third);
    SUITE_SAME_INTEGER(process->open_waits, 1);
    mpi_unwait(process, third);
    mpi_unwait(process, third);
    SUITE_SAME_INTEGER(process->open_waits, 0);
}

static void test_built_before(void)
{
    run(body_persistent, 2, true);
    run(body_persistent, 2, false);
    run(body_pieces, 2, true);
}

static void test_charges(void)
{
    run(body_charges, 2, true);
    run(body_charges, 2, false);
}

// ---- Life ----

static void body_life(struct cpu_context *context, struct bench *bench)
{
    struct mpi_process *process = bench->process;
    struct mpi_request *requests[3];
    for (int i = 0; i < 3; i++)
        requests[i] = start(context, bench, i == 0 ? REQUEST_SEND : REQUEST_RECV, 1, i);
    CU_ASSERT_EQUAL(started, 3);
    CU_ASSERT(requests[0]->number == 1 && requests[2]->number == 3);
    // The youngest first.
    CU_ASSERT_PTR_EQUAL(process->active, requests[2]);
    CU_ASSERT_PTR_EQUAL(process->active->active_next->active_next, requests[0]);
    mpi_wait(process, requests[0]);
    mpi_wait(process, requests[0]);
    mpi_wait(process, requests[1]);
    CU_ASSERT_EQUAL(process->open_waits, 2);
    CU_ASSERT_EQUAL(mpi_progress(context, process, true), PROGRESS_BLOCKED);
    CU_ASSERT_EQUAL(mpi_progress(context, process, false), PROGRESS_NOTHING);
    mpi_request_done(context, requests[0]);
    CU_ASSERT_EQUAL(process->open_waits, 1);
    // A request that is done already is not waited for.
    mpi_wait(process, requests[0]);
    CU_ASSERT_EQUAL(process->open_waits, 1);
    struct mpi_envelope envelope = {.source = 1, .tag = 1, .length = 100};
    mpi_request_match(requests[1], &envelope, requests[0]->message);
    CU_ASSERT_EQUAL(requests[1]->status.tag, 1);
    mpi_request_done(context, requests[1]);
    mpi_request_done(context, requests[2]);
    CU_ASSERT_EQUAL(process->open_waits, 0);
    CU_ASSERT_PTR_NULL(process->active);
    for (int i = 0; i < 3; i++)
        mpi_request_free(context, requests[i]);
    CU_ASSERT_EQUAL(destroyed, 3);
    CU_ASSERT_EQUAL(process->request_pool.in_use, 0);
}

static void test_life(void)
{
    run(body_life, 2, true);
}

// A request that found nothing is taken back, wherever it stands.
static void body_withdraw(struct cpu_context *context, struct bench *bench)
{
    struct mpi_process *process = bench->process;
    struct mpi_request *receive = start(context, bench, REQUEST_RECV, 1, 5);
    struct mpi_request *probe = start(context, bench, REQUEST_PROBE, RANK_ANY, TAG_ANY);
    mpi_matcher_post(&process->matcher, receive);
    mpi_matcher_post(&process->matcher, probe);
    mpi_request_withdraw(context, probe);
    CU_ASSERT_EQUAL(process->matcher.posted_count, 1);
    CU_ASSERT_PTR_EQUAL(process->matcher.posted.tail, receive);
    CU_ASSERT_PTR_EQUAL(process->active, receive);
    struct mpi_request *done = start(context, bench, REQUEST_PROBE, 1, 5);
    mpi_request_done(context, done);
    mpi_request_withdraw(context, done);
    CU_ASSERT_EQUAL(destroyed, 2);
    CU_ASSERT_EQUAL(process->matcher.posted_count, 1);
}

static void test_withdraw(void)
{
    run(body_withdraw, 2, true);
}

// ---- Messages ----

static void body_envelopes(struct cpu_context *context, struct bench *bench)
{
    // Messages are numbered for each destination.
    static const struct {
        int peer, tag;
        uint32_t sequence;
    } sends[] = {{1, 5, 0}, {2, 5, 0}, {1, 6, 1}, {1, 5, 2}, {2, 5, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(sends); i++) {
        const struct mpi_request *send =
            start(context, bench, REQUEST_SEND, sends[i].peer, sends[i].tag);
        struct mpi_envelope envelope = mpi_send_envelope(send);
        CU_ASSERT(envelope.source == 0 && envelope.tag == sends[i].tag && envelope.length == 100);
        CU_ASSERT_EQUAL(envelope.context, CONTEXT_POINT_TO_POINT);
        CU_ASSERT_EQUAL(envelope.sequence, sends[i].sequence);
    }
    CU_ASSERT_EQUAL(ledger_totals(bench->sim->ledger).messages, G_N_ELEMENTS(sends));
    CU_ASSERT_EQUAL(ledger_totals(bench->sim->ledger).bytes, 100 * G_N_ELEMENTS(sends));
}

static void test_envelopes(void)
{
    run(body_envelopes, 3, true);
}

// Takes the second of two messages first; returns whether the ledger calls that an overtaking.
static bool overtakes(struct cpu_context *context, struct bench *bench,
                      const struct mpi_transfer *first, const struct mpi_transfer *second)
{
    struct ledger *ledger = bench->sim->ledger;
    uint64_t before = ledger_totals(ledger).misordered;
    const struct mpi_request *a = mpi_start(context, bench->process, REQUEST_SEND, first);
    const struct mpi_request *b = mpi_start(context, bench->process, REQUEST_SEND, second);
    ledger_match(ledger, b->message);
    ledger_match(ledger, a->message);
    return ledger_totals(ledger).misordered > before;
}

// MPI keeps messages in order that agree in source, destination, context and tag; any other may be
// taken before.
static void body_flows(struct cpu_context *context, struct bench *bench)
{
    static const struct mpi_transfer base = {.peer = 1, .tag = 5, .size = 10};
    struct mpi_transfer other = base;
    CU_ASSERT(overtakes(context, bench, &base, &base));
    other.tag = 6;
    CU_ASSERT_FALSE(overtakes(context, bench, &base, &other));
    other = base;
    other.peer = 2;
    CU_ASSERT_FALSE(overtakes(context, bench, &base, &other));
    other = base;
    other.context = CONTEXT_COLLECTIVE;
    CU_ASSERT_FALSE(overtakes(context, bench, &base, &other));
    other = base;
    struct mpi_group group = {.name = "row", .number = 1}, second = {.name = "column", .number = 2};
    other.group = &group;
    CU_ASSERT_FALSE(overtakes(context, bench, &base, &other));
    CU_ASSERT(overtakes(context, bench, &other, &other));
    struct mpi_transfer third = base;
    third.group = &second;
    CU_ASSERT_FALSE(overtakes(context, bench, &other, &third));
    other = base;
    other.size = 20;
    CU_ASSERT(overtakes(context, bench, &base, &other));
}

// Starts two operations, whose messages arrive in the other order; returns whether the ledger calls
// that an overtaking.
static bool passes(struct cpu_context *context, struct bench *bench, enum fake_operation first,
                   const struct mpi_transfer *a, enum fake_operation second,
                   const struct mpi_transfer *b)
{
    struct ledger *ledger = bench->sim->ledger;
    uint64_t before = ledger_totals(ledger).misordered;
    struct mpi_transfer one_transfer = *a, other_transfer = *b;
    one_transfer.operation = &fake_operations[first];
    other_transfer.operation = &fake_operations[second];
    struct message_ref one =
        mpi_start(context, bench->process, REQUEST_OPERATION, &one_transfer)->message;
    struct message_ref other =
        mpi_start(context, bench->process, REQUEST_OPERATION, &other_transfer)->message;
    struct message_ref const both[] = {other, one};
    for (int i = 0; i < 2; i++) {
        ledger_deliver(ledger, both[i], 0, 10);
        mpi_message_arrived(context, bench->process, both[i]);
    }
    return ledger_totals(ledger).misordered > before;
}

// Operations of one order keep it by peer; what gets bring and active messages have each their own.
static void body_one_sided(struct cpu_context *context, struct bench *bench)
{
    const struct mpi_transfer here = {.peer = 1, .size = 10}, there = {.peer = 2, .size = 10};
    CU_ASSERT(passes(context, bench, FAKE_PUT, &here, FAKE_PUT, &here));
    CU_ASSERT(passes(context, bench, FAKE_PUT, &here, FAKE_ACCUMULATE, &here));
    CU_ASSERT(passes(context, bench, FAKE_MESSAGE, &here, FAKE_MESSAGE, &here));
    CU_ASSERT_FALSE(passes(context, bench, FAKE_PUT, &here, FAKE_GET, &here));
    CU_ASSERT_FALSE(passes(context, bench, FAKE_MESSAGE, &here, FAKE_PUT, &here));
    CU_ASSERT_FALSE(passes(context, bench, FAKE_PUT, &here, FAKE_PUT, &there));
    struct ledger_totals totals = ledger_totals(bench->sim->ledger);
    CU_ASSERT_EQUAL(totals.messages, 12);
    CU_ASSERT_EQUAL(totals.delivered, 12);
}

// Which requests have a message in the ledger, from where to where; that nothing is charged.
static void body_kinds(struct cpu_context *context, struct bench *bench)
{
    static const struct fake_call plain = {.count = 1};
    struct mpi_transfer transfer = {.peer = 1, .size = 10, .arguments = &plain};
    uint64_t messages = 0;
    for (int code = 0; code < FAKE_OPERATIONS; code++) {
        sim_time at = context->now;
        transfer.operation = &fake_operations[code];
        struct mpi_request *request =
            mpi_start(context, bench->process, REQUEST_OPERATION, &transfer);
        bool has =
            code == FAKE_PUT || code == FAKE_GET || code == FAKE_ACCUMULATE || code == FAKE_MESSAGE;
        messages += has;
        CU_ASSERT_EQUAL(request->message.generation > 0, has);
        CU_ASSERT_PTR_EQUAL(request->arguments, &plain);
        SUITE_SAME_TEXT(mpi_request_name(request), fake_operations[code].name);
        CU_ASSERT_EQUAL(ledger_totals(bench->sim->ledger).messages, messages);
        mpi_request_done(context, request);
        mpi_request_free(context, request);
        CU_ASSERT_EQUAL(context->now, at);
    }
    // Done is what the caller sees: the messages are still under way.
    CU_ASSERT_EQUAL(ledger_totals(bench->sim->ledger).open, messages);
    GPtrArray *lines = ledger_report(bench->sim->ledger, 10);
    SUITE_CONTAINS(g_ptr_array_index(lines, 0), "message 1, rank 0 to 1, 10 B");
    SUITE_CONTAINS(g_ptr_array_index(lines, 1), "message 2, rank 1 to 0, 10 B"); // the get
    g_ptr_array_unref(lines);
}

static void test_operations(void)
{
    run(body_one_sided, 3, true);
    run(body_kinds, 3, true);
}

static void test_layouts(void)
{
    static const struct data_segments sets[] = {{8, 100}, {512, 3}};
    struct data_layout layout = {.bytes = 1000};
    CU_ASSERT_EQUAL(data_layout_blocks(&layout), 1);
    layout = (struct data_layout){.kind = DATA_STRIDED, .levels = 2, .counts = {512, 3, 4}};
    CU_ASSERT_EQUAL(data_layout_blocks(&layout), 12);
    layout = (struct data_layout){.kind = DATA_VECTOR, .sets = 2, .segments = sets};
    CU_ASSERT_EQUAL(data_layout_blocks(&layout), 103);
}

// Tags use all 31 bits: no two pairs of ranks and tags may fall together.
static void body_large_tags(struct cpu_context *context, struct bench *bench)
{
    for (int bit = 0; bit < 31; bit++)
        for (int peer = 0; peer < bench->process->ranks; peer++) {
            struct mpi_transfer a = {.peer = peer, .tag = 0, .size = 1};
            for (int other = 0; other < bench->process->ranks; other++) {
                struct mpi_transfer b = {.peer = other, .tag = 1 << bit, .size = 1};
                CU_ASSERT_FALSE(overtakes(context, bench, &a, &b));
            }
        }
}

static void test_flows(void)
{
    run(body_flows, 3, true);
    run(body_large_tags, 5, true);
}

// ---- Memory and reports ----

static void body_allocate(struct cpu_context *context, struct bench *bench)
{
    (void)context;
    int64_t end = 0;
    for (int64_t bytes = 1; bytes < 100000; bytes = 3 * bytes) {
        int64_t address = mpi_process_allocate(bench->process, bytes);
        CU_ASSERT_EQUAL(address % 4096, 0);
        CU_ASSERT(address >= end && address > 0);
        end = address + bytes;
    }
}

static void test_allocate(void)
{
    run(body_allocate, 2, true);
}

static void body_describe(struct cpu_context *context, struct bench *bench)
{
    struct mpi_request *send = start(context, bench, REQUEST_SEND, 1, 5);
    start(context, bench, REQUEST_RECV, RANK_ANY, TAG_ANY);
    mpi_request_done(context, start(context, bench, REQUEST_SEND, 1, 6));
    const struct fake_call reset = {.function = "reset"};
    struct mpi_transfer call = {
        .peer = RANK_ANY, .operation = &fake_operations[FAKE_CALL], .arguments = &reset};
    mpi_start(context, bench->process, REQUEST_OPERATION, &call);
    static const struct wait answer = {"an answer", WAIT_OTHER};
    send->waits_for = &answer;
    json_t *json = mpi_process_describe(bench->process);
    char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
    // The oldest first; what is done is left out.
    SUITE_SAME_TEXT(
        text, "{\"host\":\"node0\",\"rank\":0,\"requests\":["
              "{\"held_by\":1,\"kind\":\"send\",\"peer\":1,\"request\":1,\"size\":100,\"tag\":5,"
              "\"waits_for\":\"an answer\"},"
              "{\"held_by\":-1,\"kind\":\"recv\",\"peer\":\"any\",\"request\":2,\"size\":100,"
              "\"tag\":\"any\",\"waits_for\":\"progress\"},"
              "{\"function\":\"reset\",\"held_by\":-1,\"kind\":\"call\",\"peer\":\"any\","
              "\"request\":4,\"size\":0,\"waits_for\":\"progress\"}]}");
    free(text);
    json_decref(json);
}

static void test_describe(void)
{
    run(body_describe, 2, true);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"charges", test_charges},
        {"persistent requests, and data in pieces", test_built_before},
        {"a request's life", test_life},
        {"a request taken back", test_withdraw},
        {"envelopes", test_envelopes},
        {"flows in the ledger", test_flows},
        {"operations of some libraries", test_operations},
        {"pieces of a layout", test_layouts},
        {"memory", test_allocate},
        {"report", test_describe},
        {NULL, NULL},
    };
    return suite_run("mpi: process", cases);
}
