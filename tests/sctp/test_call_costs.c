// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of a message: how often each is paid between the start of a send and the end of the receive
// that waits for it. One cost at a time is made a millisecond dearer, which outweighs everything
// else; the difference counts.
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#include <math.h>

#define SEND_AT (2 * TIME_S)

// Microseconds from the call of send to the return of receive.
static double transfer(int64_t bytes, const char *more)
{
    const char *const sets[] = {"sctp.no_delay=true", "sctp.initial_cwnd=100000 B", more, NULL};
    struct world *world = sctp_world(2, 1, sets, NULL);
    struct sctp_traffic first = {.bytes = 1, .message = 1}, first_read = first;
    struct sctp_traffic sent = {.bytes = bytes, .message = bytes}, read = sent;
    sctp_connect_nodes(world);
    // A first byte takes the writer out of the call that it has connected with.
    world_do_at(sctp_node(world, 0), SEND_AT / 4, sctp_send_job, &first);
    world_do_at(sctp_node(world, 1), SEND_AT / 4, sctp_read_job, &first_read);
    world_do_at(sctp_node(world, 1), SEND_AT * 3 / 4, sctp_read_job, &read);
    world_do_at(sctp_node(world, 0), SEND_AT, sctp_send_job, &sent);
    sctp_run_until(world, 2 * SEND_AT);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, bytes + 1);
    double us = time_to_us(sctp_node(world, 1)->last_read - SEND_AT);
    world_free(world);
    return us;
}

static void expect(const char *cost, int64_t bytes, double times)
{
    char *dear = g_strdup_printf("%s=2 ms", cost), *cheap = g_strdup_printf("%s=1 ms", cost);
    double paid = (transfer(bytes, dear) - transfer(bytes, cheap)) / 1000;
    if (fabs(paid - times) > 0.05) {
        char *got = g_strdup_printf("%s for %d B: %.2f", cost, (int)bytes, paid),
             *want = g_strdup_printf("%.2f", times);
        SUITE_SAME_TEXT(got, want);
        g_free(got);
        g_free(want);
    }
    g_free(dear);
    g_free(cheap);
}

// One packet with one chunk, to a reader that is blocked in its call.
static void test_small(void)
{
    expect("sctp.send_call", 100, 1);
    expect("sctp.chunk_out", 100, 1);
    expect("sctp.packet_out", 100, 1);
    expect("sctp.packet_in", 100, 1);
    expect("sctp.chunk_in", 100, 1);
    expect("sctp.receive_call", 100, 1);
    expect("sctp.crc", 100, 2);
    expect("sctp.crc_per_kib", 100, 2 * (12 + 16 + 100) / 1024.);
    expect("host.kernel.system_call", 100, 1); // the reader is in its call already
    expect("host.kernel.wake_process", 100, 1);
    expect("host.kernel.switch_process", 100, 1);
    expect("host.memory.copy_setup", 100, 2);
    expect("sctp.sack_in", 100, 0); // after it
    expect("sctp.open", 100, 0);
}

static const struct suite_case cases[] = {
    {"a small message", test_small},
    {0},
};

int main(void)
{
    return suite_run("sctp: costs of calls", cases);
}
