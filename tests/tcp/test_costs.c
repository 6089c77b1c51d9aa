// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of a transfer: how often each cost of the kernel is paid between the start of a write and
// the end of the read that waits for it. One cost at a time is made a millisecond dearer, which
// outweighs everything else; the difference counts.
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#include <math.h>

#define MOST_SETS 8
#define WRITE_AT (200 * TIME_MS)

struct measured {
    double us; // from the call of write to the return of read
    int64_t interrupts;
};

static struct measured transfer(int64_t bytes, const char *const *sets, const char *more)
{
    const char *all[MOST_SETS + 3] = {"tcp.initial_window=40", "tcp.send_buffer=128 KiB"};
    int count = 2;
    while (*sets)
        all[count++] = *sets++;
    all[count] = more;
    struct world *world = tcp_world(all, NULL);
    tcp_connect_nodes(world);
    // A first byte takes the writer out of the call that it has connected with.
    world_do_at(tcp_node(world, 0), WRITE_AT / 2, tcp_write_job, GSIZE_TO_POINTER(1));
    world_do_at(tcp_node(world, 1), WRITE_AT / 2, tcp_read_job, GSIZE_TO_POINTER(1));
    world_do_at(tcp_node(world, 1), WRITE_AT * 3 / 4, tcp_read_job, GSIZE_TO_POINTER(bytes));
    world_do_at(tcp_node(world, 0), WRITE_AT, tcp_write_job, GSIZE_TO_POINTER(bytes));
    world_run(world);
    SUITE_SAME_INTEGER(tcp_node(world, 1)->bytes_read, bytes + 1);
    struct measured result = {
        time_to_us(tcp_node(world, 1)->process.job_end - WRITE_AT),
        *sim_counter(world->sim, "nic interrupts"),
    };
    world_free(world);
    return result;
}

static void expect(const char *cost, int64_t bytes, const char *const *sets, int times)
{
    char *dear = g_strdup_printf("%s=2 ms", cost), *cheap = g_strdup_printf("%s=1 ms", cost);
    double paid = (transfer(bytes, sets, dear).us - transfer(bytes, sets, cheap).us) / 1000;
    if (fabs(paid - times) > 0.05) {
        char *got = g_strdup_printf("%s for %d B: %.2f", cost, (int)bytes, paid),
             *want = g_strdup_printf("%d", times);
        SUITE_SAME_TEXT(got, want);
        g_free(got);
        g_free(want);
    }
    g_free(dear);
    g_free(cheap);
}

static const char *const plain[] = {NULL};
static const char *const one_core[] = {"host.processor.cores=1", NULL};

// A small message to a reader that is blocked in read: the writer's call, one segment, and the
// reader's wake-up. The reader went to sleep before, and is within its call when it wakes.
static void test_blocked_reader(void)
{
    static const struct {
        const char *cost;
        int times;
    } expected[] = {
        {"host.kernel.system_call", 1},
        {"tcp.send_call", 1},
        {"tcp.send_segment", 1},
        {"eepro100.tx_frame", 1},
        {"host.kernel.interrupt_entry", 1},
        {"eepro100.rx_frame", 1},
        {"tcp.receive_path", 1},
        {"tcp.receive_data", 1},
        {"host.kernel.wake_process", 1},
        {"host.kernel.switch_process", 1},
        {"tcp.receive_call", 1},
        {"host.kernel.block_process", 0},
        {"tcp.select_call", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        expect(expected[i].cost, 100, plain, expected[i].times);
}

// The shortest segment with data costs what one with data does, not what an acknowledgment does.
static void test_one_byte(void)
{
    expect("tcp.send_segment", 1, plain, 1);
    expect("tcp.send_ack", 1, plain, 0);
    expect("tcp.receive_data", 1, plain, 1);
}

// Ten full segments: costs of segments are paid ten times, those of calls not. (On two
// processors the softirq sends while the writer still copies.)
static void test_segments(void)
{
    expect("tcp.send_segment", 10 * 1448, one_core, 10);
    expect("tcp.send_call", 10 * 1448, one_core, 1);
    expect("tcp.receive_path", 10 * 1448, one_core, 10);
    expect("tcp.receive_data", 10 * 1448, one_core, 10);
}

// With an MTU of 9000 B a sixth of the segments carries the same bytes.
static void test_jumbo(void)
{
    static const char *const jumbo[] = {"tcp.mtu=9000 B", "eepro100.largest_frame=9014 B",
                                        "eepro100.tx_fifo=16 KiB", "host.processor.cores=1", NULL};
    expect("tcp.send_segment", 8948, one_core, 7);
    expect("tcp.send_segment", 8948, jumbo, 1);
    expect("tcp.receive_path", 8948, jumbo, 1);
}

// A byte costs the sum over it once on each side, unless the card does it.
static void test_checksum(void)
{
    static const char *const offload[] = {"tcp.checksum_offload=true", NULL};
    static const char *const sets[][2] = {
        {"host.memory.read_uncached=1 MB/s", "host.memory.read_uncached=2 MB/s"},
        {"tcp.checksum_copy=1024 us", "tcp.checksum_copy=512 us"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
        const char *slow = sets[i][0], *fast = sets[i][1];
        CU_ASSERT_DOUBLE_EQUAL(transfer(1000, plain, slow).us - transfer(1000, plain, fast).us, 500,
                               0.1);
        CU_ASSERT_DOUBLE_EQUAL(transfer(1000, offload, slow).us, transfer(1000, offload, fast).us,
                               0.001);
    }
}

// One interrupt a frame; or collected ones, which a lone frame waits for.
static void test_interrupts(void)
{
    static const char *const collected[] = {"eepro100.coalesce_frames=8",
                                            "eepro100.coalesce_delay=600 us", NULL};
    double single = transfer(100, plain, NULL).us, waits = transfer(100, collected, NULL).us;
    CU_ASSERT_DOUBLE_EQUAL(waits - single, 600, 1);
    struct measured each = transfer(32 * 1448, plain, NULL),
                    eight = transfer(32 * 1448, collected, NULL);
    CU_ASSERT(each.interrupts >= 32);
    CU_ASSERT(eight.interrupts < each.interrupts / 2);
}

// On one processor the reader copies only after the softirq has treated what comes faster than
// that; a second one lets both go on at once.
static void test_softirq_first(void)
{
#define SLOW                                                                                       \
    "tcp.receive_path=200 us", "host.memory.copy_uncached=20 MB/s",                                \
        "host.memory.copy_cached=20 MB/s"
    static const char *const one[] = {SLOW, "host.processor.cores=1", NULL};
    static const char *const two[] = {SLOW, "host.processor.cores=2", NULL};
    double alone = transfer(20 * 1448, one, NULL).us, both = transfer(20 * 1448, two, NULL).us;
    CU_ASSERT(alone >= 20 * 200 + 20 * 1448 / 20.0);
    CU_ASSERT(both < alone);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a blocked reader", test_blocked_reader},
        {"one byte", test_one_byte},
        {"segments", test_segments},
        {"jumbo frames", test_jumbo},
        {"checksum", test_checksum},
        {"interrupts", test_interrupts},
        {"softirq first", test_softirq_first},
        {0},
    };
    return suite_run("tcp: costs", cases);
}
