// SPDX-License-Identifier: GPL-3.0-or-later
// The device of bare providers, over one that takes parts of 100 B, has room for two of them, and
// reports what a test makes it report.
#include "sim/mpi/bare.h"
#include "tests/support/suite.h"

#define PART 100
#define ROOM 2
#define BUFFER 1000

struct device {
    int before; // so that the state is not where the device begins
    struct mpi_bare bare;
};

struct arrived { // a message, as the provider reports it
    struct message_ref message;
    int64_t length;
};

static struct {
    struct cpu_context *context;
    struct mpi_process *process;
    int under_way;  // parts
    GString *posts; // "2:0+100": request, offset, bytes
    int sleeps, polls;
    bool event; // the next poll finds one
} world;

static bool post(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                 int64_t *taken)
{
    (void)context;
    if (world.under_way == ROOM)
        return false;
    *taken = MIN(PART, request->size - offset);
    g_string_append_printf(world.posts, "%u:%d+%d ", request->number, (int)offset, (int)*taken);
    world.under_way++;
    return true;
}

static bool poll(struct cpu_context *context, struct mpi_process *process)
{
    (void)context, (void)process;
    world.polls++;
    return world.event;
}

static void sleeps(struct cpu_context *context, struct mpi_process *process)
{
    (void)context, (void)process;
    CU_ASSERT_PTR_NOT_NULL(mpi_bare_oldest(process));
    world.sleeps++;
}

static void take(struct cpu_context *context, struct mpi_request *request, const void *told)
{
    const struct arrived *arrived = told;
    if (!mpi_bare_begin(request, arrived->message, arrived->length))
        return;
    ledger_deliver(request->process->sim->ledger, arrived->message, 0, arrived->length);
    mpi_bare_received(context, request, arrived->length);
}

static const struct mpi_bare_ops bare = {
    .provider = "a test's provider",
    .setting = "test.buffer",
    .state = offsetof(struct device, bare),
    .early_size = sizeof(struct arrived),
    .post = post,
    .poll = poll,
    .sleep = sleeps,
    .take = take,
};

static const struct machine_state bare_test_states[] =
    BARE_STATES("its end", WAIT_ACK, "room", WAIT_DESCRIPTOR, "a message");

static const struct machine_kind bare_test_machine =
    BARE_MACHINE("a test's provider", bare_test_states);

static const struct mpi_device_ops ops = {.name = "test", BARE_DEVICE(&bare, &bare_test_machine)};

static struct mpi_request *start(enum mpi_request_kind kind, int peer, int64_t size)
{
    struct mpi_transfer transfer = {.peer = peer, .address = 4096, .size = size};
    return mpi_start(world.context, world.process, kind, &transfer);
}

// A part has left.
static void left(struct mpi_request *send, int64_t bytes)
{
    world.under_way--;
    mpi_bare_sent(world.context, send, bytes);
}

static void posted(const char *expected)
{
    SUITE_SAME_TEXT(world.posts->str, expected);
    g_string_truncate(world.posts, 0);
}

static void end(struct mpi_request *request)
{
    CU_ASSERT(request->done);
    mpi_request_free(world.context, request);
}

static void (*body)(void);

static enum cpu_next process_run(struct cpu_context *context, struct cpu_task *task)
{
    (void)task;
    world.context = context;
    body();
    return CPU_SLEEP;
}

static void run(void (*of_test)(void))
{
    struct host_config config = {
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.page = 4096},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
    };
    struct device device = {0};
    struct sim *sim = sim_new(1, NULL);
    struct host *host = host_new(sim, 0, "node0", &config);
    body = of_test;
    world.under_way = world.sleeps = world.polls = 0;
    world.event = false;
    world.posts = g_string_new(NULL);
    world.process = mpi_process_new(sim, host, 0, 0, 4, process_run);
    world.process->ops = &ops;
    world.process->device = &device;
    mpi_bare_init(world.process, BUFFER);
    cpu_wake(&world.process->task);
    engine_run(sim->engine, TIME_NEVER);
    mpi_bare_clear(world.process);
    mpi_process_free(world.process);
    g_string_free(world.posts, TRUE);
    host_free(host);
    sim_free(sim);
}

// A send goes in parts as far as there is room, and a later one does not pass it.
static void parts(void)
{
    struct mpi_request *first = start(REQUEST_SEND, 1, 250), *second = start(REQUEST_SEND, 2, 0);
    posted("1:0+100 1:100+100 ");
    SUITE_SAME_TEXT(first->waits_for->text, "room");
    left(first, 100);
    posted("1:200+50 ");
    SUITE_SAME_TEXT(first->waits_for->text, "its end");
    left(first, 100);
    posted("2:0+0 "); // a message of no bytes is a part too
    CU_ASSERT(!first->done);
    left(first, 50);
    end(first);
    left(second, 0);
    end(second);
}

static void test_parts(void)
{
    run(parts);
}

// Messages wait for their receives, each peer's in their order.
static void early(void)
{
    struct arrived arrived[4];
    struct mpi_request *sends[4];
    for (int i = 0; i < 4; i++) {
        sends[i] = start(REQUEST_SEND, 1, 10 + i);
        left(sends[i], 10 + i);
        arrived[i] = (struct arrived){sends[i]->message, 10 + i};
    }
    mpi_bare_arrived(world.context, world.process, 2, &arrived[0]);
    mpi_bare_arrived(world.context, world.process, 1, &arrived[1]);
    mpi_bare_arrived(world.context, world.process, 1, &arrived[2]);
    struct mpi_request *receive = start(REQUEST_RECV, 1, 100);
    SUITE_SAME_INTEGER(receive->status.length, 11);
    end(receive);
    receive = start(REQUEST_RECV, 3, 100);
    CU_ASSERT(!receive->done);
    mpi_bare_arrived(world.context, world.process, 3, &arrived[3]);
    SUITE_SAME_INTEGER(receive->status.length, 13);
    end(receive);
    receive = start(REQUEST_RECV, 2, 100);
    SUITE_SAME_INTEGER(receive->status.length, 10);
    end(receive);
    receive = start(REQUEST_RECV, 1, 100);
    SUITE_SAME_INTEGER(receive->status.length, 12);
    end(receive);
    for (int i = 0; i < 4; i++)
        end(sends[i]);
}

static void test_early(void)
{
    run(early);
}

// The process sleeps only in a call that may, and only for a request.
static void looks(void)
{
    CU_ASSERT_EQUAL(mpi_bare_advance(world.context, world.process, true), PROGRESS_NOTHING);
    struct mpi_request *send = start(REQUEST_SEND, 1, 1);
    CU_ASSERT_EQUAL(mpi_bare_advance(world.context, world.process, false), PROGRESS_NOTHING);
    SUITE_SAME_INTEGER(world.sleeps, 0);
    CU_ASSERT_EQUAL(mpi_bare_advance(world.context, world.process, true), PROGRESS_BLOCKED);
    SUITE_SAME_INTEGER(world.sleeps, 1);
    world.event = true;
    CU_ASSERT_EQUAL(mpi_bare_advance(world.context, world.process, true), PROGRESS_EVENT);
    SUITE_SAME_INTEGER(world.polls, 4);
    left(send, 1);
    end(send);
}

static void test_looks(void)
{
    run(looks);
}

static void too_long(void)
{
    start(REQUEST_SEND, 1, BUFFER + 1);
    posted("");
    CU_ASSERT_EQUAL(world.process->sim->status, SIM_FAILED);
}

static void to_self(void)
{
    start(REQUEST_SEND, 0, 1);
    posted("");
    CU_ASSERT_EQUAL(world.process->sim->status, SIM_FAILED);
}

static void from_any(void)
{
    start(REQUEST_RECV, RANK_ANY, 1);
    CU_ASSERT_EQUAL(world.process->sim->status, SIM_FAILED);
}

static void test_refused(void)
{
    run(too_long);
    run(to_self);
    run(from_any);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"sends go in parts, in order", test_parts},
        {"messages before their receives", test_early},
        {"looking and sleeping", test_looks},
        {"what no provider has", test_refused},
        {NULL, NULL},
    };
    return suite_run("mpi: bare providers", cases);
}
