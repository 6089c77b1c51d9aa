// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that need more pinned memory than there is (thesis 000, 4.6.1, 6.3.1, 6.3.3).
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#include <string.h>

#define PIN_LIMIT (INT64_C(20) << 20)

static const struct test_program alltoall = {.ranks = 6, .all = "{alltoall: {size: 4 MiB}}"};

static int64_t integer(const json_t *object, const char *member)
{
    return json_integer_value(json_object_get(object, member));
}

static bool is(const json_t *object, const char *member, const char *text)
{
    const char *value = json_string_value(json_object_get(object, member));
    return value && strcmp(value, text) == 0;
}

// Requests of a rank's report, of a kind, that wait for something.
static int waiting(const json_t *rank, const char *kind, const char *waits_for, int64_t *pinned)
{
    int count = 0;
    size_t index;
    json_t *request;
    json_array_foreach(json_object_get(rank, "requests"), index, request)
    {
        if (!is(request, "kind", kind) || !is(request, "waits_for", waits_for))
            continue;
        *pinned += integer(request, "pinned_bytes");
        count++;
    }
    return count;
}

// via.pin.alltoall_deadlock: every rank's receives have pinned what there is, four of five; the
// fifth and all sends wait for memory that only a received message would set free.
static void test_alltoall(void)
{
    struct program_run *run = program_run(&alltoall, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    const json_t *ranks = json_object_get(run->result->reason, "ranks");
    SUITE_SAME_INTEGER((long long)json_array_size(ranks), 6);
    size_t index;
    json_t *rank;
    json_array_foreach(ranks, index, rank)
    {
        int64_t by_receives = 0, by_sends = 0, total = integer(rank, "pinned_bytes");
        SUITE_SAME_INTEGER(integer(rank, "rank"), (int64_t)index);
        SUITE_SAME_INTEGER(integer(rank, "pin_limit_bytes"), PIN_LIMIT);
        SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(rank, "requests")), 10);
        SUITE_SAME_INTEGER(waiting(rank, "recv", "a matching message", &by_receives), 5);
        SUITE_SAME_INTEGER(waiting(rank, "send", "memory to pin its buffer", &by_sends), 5);
        SUITE_SAME_INTEGER(by_receives, 4 * (INT64_C(4) << 20));
        SUITE_SAME_INTEGER(by_sends, 0);
        CU_ASSERT(total > by_receives && total <= PIN_LIMIT &&
                  total + (INT64_C(4) << 20) > PIN_LIMIT);
    }
    SUITE_SAME_INTEGER((long long)run->result->ledger.delivered, 0);
    program_run_free(run);
}

static void expect_completed(const struct test_program *program)
{
    struct program_run *run = program_run(program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    program_run_free(run);
}

// With memory for all buffers the same program ends, if the switch has room for what five ranks
// send to one at a time: M-VIA does not repeat what is lost there.
static void test_more_memory(void)
{
    struct test_program program = alltoall;
    program.sets[0] = "host.memory.pin_limit=64 MiB";
    program.sets[1] = "switch.queue=0";
    expect_completed(&program);
}

// via.pin.deadlock_remedies: reordering the non-blocking requests. The very same ten requests of
// each rank block each other if the receives precede the sends, and are all done if the two
// alternate: a receive and the send that its partner waits for then fit into the memory together.
static char *exchange(bool in_turn)
{
    GString *ops = g_string_new(NULL);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 5; i++) {
            if (pass == 0)
                g_string_append_printf(
                    ops, "{irecv: {from: (rank + %d) %% ranks, size: 4 MiB, request: r%d}}, ",
                    5 - i, i);
            if (pass == (in_turn ? 0 : 1))
                g_string_append_printf(
                    ops, "{isend: {to: (rank + %d) %% ranks, size: 4 MiB, request: s%d}}, ", i + 1,
                    i);
        }
    g_string_append(ops, "{waitall: all}");
    return g_string_free(ops, FALSE);
}

static void test_other_order(void)
{
    char *receives_first = exchange(false), *in_turn = exchange(true);
    struct test_program program = {.ranks = 6, .sets = {"switch.queue=0"}, .all = receives_first};
    struct program_run *run = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
    program_run_free(run);
    program.all = in_turn;
    expect_completed(&program);
    g_free(receives_first);
    g_free(in_turn);
}

// Every rank of a ring sends and receives so much that only one of the two can be pinned.
static struct program_run *ring(const char *pin_limit, const char *area)
{
    struct test_program program = {
        .ranks = 3,
        .sets = {pin_limit, area},
        .all =
            "{irecv: {from: (rank + 2) % 3, size: 1 MiB, request: r}}, {isend: {to: (rank + 1) % "
            "3, size: 1 MiB, request: s}}, {waitall: all}",
    };
    return program_run(&program, 1);
}

// via.pin.area_shrink_helps_pin: pinned memory that areas do not take is there for user buffers:
// here it decides between an end and a deadlock.
static void test_smaller_area_ends_deadlock(void)
{
    struct program_run *large = ring("host.memory.pin_limit=2304 KiB", "lam_via.area=256 KiB");
    struct program_run *small = ring("host.memory.pin_limit=2304 KiB", "lam_via.area=64 KiB");
    SUITE_SAME_TEXT(sim_status_name(large->result->status), "deadlock");
    SUITE_SAME_TEXT(sim_status_name(small->result->status), "completed");
    program_run_free(large);
    program_run_free(small);
}

// More processes fit into the pinnable memory.
static void test_smaller_area_more_processes(void)
{
    struct test_program program = {
        .ranks = 6,
        .sets = {"host.memory.pin_limit=256 KiB", "lam_via.area=32 KiB", "lam_via.short=16 KiB"},
        .all = "{compute: 1 ms}",
    };
    expect_completed(&program);
    program.sets[1] = "lam_via.area=64 KiB";
    struct program_run *run = program_run(&program, 1);
    char *kind = program_reason(run, "kind");
    SUITE_SAME_TEXT(kind, "out_of_pinned_memory");
    g_free(kind);
    program_run_free(run);
}

// A rank sends from three buffers in turn. If all three stay pinned, each is pinned once; if one
// does not fit, each one's turn evicts the next one to be used.
static int registrations(const char *area)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"host.memory.pin_limit=3500 KiB", area},
        .ops = {"{loop: {count: 5, do: [{send: {to: 1, size: 1 MiB}}, {send: {to: 1, size: 1 "
                "MiB}}, {send: "
                "{to: 1, size: 1 MiB}}]}}",
                "{loop: {count: 15, do: [{recv: {from: 0, size: 1 MiB}}]}}"},
    };
    struct program_run *run = program_run(&program, 1);
    int count = program_run_count(run, 0, "pin registered");
    CU_ASSERT(run->result->ledger_balanced);
    SUITE_SAME_INTEGER(program_run_count(run, 0, "pin evicted"), count - (count > 3 ? 2 : 3));
    program_run_free(run);
    return count;
}

// via.pin.area_shrink_helps_pin: buffers of long messages are pinned again and again if areas take
// the room that would have kept them.
static void test_smaller_area_fewer_registrations(void)
{
    SUITE_SAME_INTEGER(registrations("lam_via.area=64 KiB"), 3);
    SUITE_SAME_INTEGER(registrations("lam_via.area=1 MiB"), 15);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"alltoall", test_alltoall},
        {"alltoall with more memory", test_more_memory},
        {"the same messages in another order", test_other_order},
        {"a smaller area ends a deadlock", test_smaller_area_ends_deadlock},
        {"a smaller area lets more processes in", test_smaller_area_more_processes},
        {"a smaller area saves registrations", test_smaller_area_fewer_registrations},
        {0},
    };
    return suite_run("rpi: pinned memory", cases);
}
