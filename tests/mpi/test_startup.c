// SPDX-License-Identifier: GPL-3.0-or-later
// A device's startup by its table: which step is run in which slice, for which peer, and the
// traces.
#include "sim/mpi/startup.h"
#include "tests/support/suite.h"

#define RANK 1
#define RANKS 3

static struct {
    struct cpu_context *context;
    struct mpi_process *process;
    GString *calls; // "first * second 0", a blank between
    bool gate_open; // what the gate waits for has come
    int again;      // slices that the next peer takes besides its first
    int moves;      // where `moved` goes
} world;

static void called(const char *name, int peer)
{
    g_string_append_printf(world.calls, world.calls->len ? " %s" : "%s", name);
    if (peer != RANK_ANY)
        g_string_append_printf(world.calls, "%d", peer);
}

static enum mpi_progress first(struct cpu_context *context, struct mpi_process *process, int peer)
{
    (void)context, (void)process;
    called("first", peer);
    return PROGRESS_NOTHING;
}

static enum mpi_progress peers(struct cpu_context *context, struct mpi_process *process, int peer)
{
    (void)context, (void)process;
    called("peer", peer);
    return world.again-- > 0 ? PROGRESS_EVENT : PROGRESS_NOTHING;
}

static enum mpi_progress gate(struct cpu_context *context, struct mpi_process *process, int peer)
{
    (void)context, (void)process;
    called("gate", peer);
    return world.gate_open ? PROGRESS_NOTHING : PROGRESS_BLOCKED;
}

static enum mpi_progress moved(struct cpu_context *context, struct mpi_process *process, int peer)
{
    called("moved", peer);
    mpi_startup_enter(context, process, world.moves);
    return PROGRESS_EVENT;
}

static const struct mpi_startup_step gated[] = {
    {.run = first},
    {.per_peer = true, .run = peers},
    {.gate = true, .run = gate},
    {.per_peer = true, .run = peers},
    {0},
};

static const struct mpi_startup_step moving[] = {
    {.run = moved}, {.run = first}, {.run = first}, {0}};

static const struct machine_state moving_states[] = {
    {"moved", .next = MACHINE_TO(2)},
    {"left out", .next = MACHINE_TO(2)},
    {"last", .next = MACHINE_TO(3)},
    {.name = "up"},
};

static const struct machine_kind moving_machine = {
    .name = "device",
    .title = "Start of a test's device",
    .source = "this test",
    .states = moving_states,
    .count = G_N_ELEMENTS(moving_states),
};

// A slice: the steps that it has called, and its result.
static void slice(const char *calls, enum mpi_progress progress)
{
    g_string_truncate(world.calls, 0);
    CU_ASSERT_EQUAL(mpi_startup(world.context, world.process), progress);
    SUITE_SAME_TEXT(world.calls->str, calls);
}

typedef void slices_fn(void);
static slices_fn *slices;

static enum cpu_next process_run(struct cpu_context *context, struct cpu_task *task)
{
    (void)task;
    world.context = context;
    slices();
    return CPU_SLEEP;
}

static void run(const struct mpi_device_ops *ops, slices_fn *all)
{
    struct host_config config = {
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.page = 4096},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
    };
    struct sim *sim = sim_new(1, NULL);
    struct host *host = host_new(sim, 0, "node0", &config);
    world.process = mpi_process_new(sim, host, 0, RANK, RANKS, process_run);
    world.process->ops = ops;
    world.calls = g_string_new(NULL);
    slices = all;
    cpu_wake(&world.process->task);
    engine_run(sim->engine, TIME_NEVER);
    g_string_free(world.calls, TRUE);
    mpi_process_free(world.process);
    host_free(host);
    sim_free(sim);
}

// Each peer has a slice, and so has the end of those of a step; a gate has none.
static void gated_slices(void)
{
    world.gate_open = false;
    world.again = 0;
    slice("first", PROGRESS_EVENT);
    slice("peer0", PROGRESS_EVENT);
    slice("peer2", PROGRESS_EVENT);
    slice("gate", PROGRESS_BLOCKED);
    CU_ASSERT_EQUAL(world.process->startup.machine.state, 2);
    slice("gate", PROGRESS_BLOCKED); // woken for nothing
    world.gate_open = true;
    world.again = 1;
    slice("gate peer0", PROGRESS_EVENT);
    slice("peer0", PROGRESS_EVENT); // the second slice for it
    slice("peer2", PROGRESS_EVENT);
    slice("", PROGRESS_NOTHING);
    slice("", PROGRESS_NOTHING);
    CU_ASSERT_EQUAL(world.process->startup.machine.state, 4);
}

static void test_gated(void)
{
    static const struct mpi_device_ops ops = {.name = "gated", .startup = gated};
    run(&ops, gated_slices);
}

// A step that has gone on by itself is not gone on from again.
static void moving_slices(void)
{
    world.moves = 2;
    slice("moved", PROGRESS_EVENT);
    CU_ASSERT_EQUAL(world.process->startup.machine.state, 2);
    slice("first", PROGRESS_NOTHING);
    CU_ASSERT_EQUAL(world.process->startup.machine.state, 3);
}

static void test_moving(void)
{
    static const struct mpi_device_ops ops = {
        .name = "moving", .startup = moving, .startup_machine = &moving_machine};
    run(&ops, moving_slices);
}

static void no_slices(void)
{
    slice("", PROGRESS_NOTHING);
}

static void test_none(void)
{
    static const struct mpi_device_ops ops = {.name = "none"};
    run(&ops, no_slices);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a gate, and steps for each peer", test_gated},
        {"a step that goes on by itself", test_moving},
        {"no steps", test_none},
        {NULL, NULL},
    };
    return suite_run("mpi: startup", cases);
}
