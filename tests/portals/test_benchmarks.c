// SPDX-License-Identifier: GPL-3.0-or-later
// Portals' benchmarks over a made-up network layer that takes no time: the remainder is the sum of
// the library's costs.
#include "sim/run/run.h"
#include "tests/support/compiled.h"
#include "tests/support/portals_fake.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <string.h>

static void expect(const char *benchmark, const char *sections, const char *part)
{
    char *complaints;
    char *text = portals_fake_run(2, benchmark, sections, &complaints);
    CU_ASSERT_PTR_NULL(complaints);
    SUITE_CONTAINS(text ? text : complaints, part);
    g_free(complaints);
    g_free(text);
}

// A put of the client until SEND_END is seen. The answer to the one before is in the queue: its two
// events are read while the client waits.
static void test_pingpong(void)
{
    // clock 0.8, API 0.3, system call 0.7, dispatch 0.3, put 0.85, SEND_START 0.15; parse 1.2,
    // PUT_START 0.15; finalize 0.5, SEND_END 0.15; seen 0.15
    expect("benchmark: portals.pingpong", "",
           "latency_us at 29 = 5.25\nrepetition_min_us at 29 = 5.25\nrepetition_max_us at 29 = "
           "5.25\n");
    expect("benchmark: portals.pingpong, clock: 0 ns", "", "latency_us at 29 = 4.45\n");
    // Neither depends on the size; 60 puts and their events in queues of 16.
    expect("benchmark: portals.pingpong, sizes: [0 B, 20 KiB], repetitions: 60", "",
           "latency_us at 20480 = 5.25\n");
    expect("benchmark: portals.pingpong, sizes: [0 B, 20 KiB], repetitions: 60", "",
           "latency_us at 0 = 5.25\n");
}

// Cold caches cost once for each entry into the library: the put, the parse, the finalize.
static void test_cold(void)
{
    expect("benchmark: portals.pingpong", "portals: {cold: 2 us}\n", "latency_us at 29 = 11.25\n");
    expect("benchmark: portals.pingpong, sizes: 9 KiB", "portals: {cold: 2 us}\n",
           "latency_us at 9216 = 11.25\n");
}

// Without system call and dispatch.
static void test_in_the_process(void)
{
    expect("benchmark: portals.pingpong", "stack: portals_fake_user\n",
           "latency_us at 29 = 4.25\n");
}

// The first put of a process costs more than the others.
static void test_first(void)
{
    expect("benchmark: portals.pingpong, repetitions: 10", "portals: {first: 60 us}\n",
           "latency_us at 29 = 11.25\nrepetition_min_us at 29 = 5.25\nrepetition_max_us at 29 = "
           "65.25\n");
    expect("benchmark: portals.put, sizes: 1 B", "portals: {first: 60 us}\n",
           "latency_us at 1 = 4.45\n"); // it was one to warm up
}

// Each part of the sum is a parameter.
static void test_costs(void)
{
    static const struct {
        const char *sections, *part;
    } samples[] = {
        {"portals: {api: 1.3 us}\n", "= 6.25\n"},
        {"portals: {dispatch: 1.3 us}\n", "= 6.25\n"},
        {"portals: {put: 1.85 us}\n", "= 6.25\n"},
        {"portals: {parse: 2.2 us}\n", "= 6.25\n"},
        {"portals: {finalize: 1.5 us}\n", "= 6.25\n"},
        {"portals: {event: 0.25 us}\n", "= 5.55\n"},
        {"portals: {see: 0.25 us}\n", "= 5.35\n"},
        {"portals: {scan: 9 us}\n", "= 5.25\n"},
        {"portals: {attach: 9 us}\n", "= 5.25\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
        expect("benchmark: portals.pingpong", samples[i].sections, samples[i].part);
}

// One message; both sides unlink, and the server attaches its memory anew.
static void test_bandwidth(void)
{
    expect("benchmark: portals.bandwidth, sizes: 64 KiB", "",
           "0: put_start(0+65536/65536) put_end(0+65536/65536) unlink(0+65536/65536)\n"
           "1: send_start(0+65536/65536) send_end(0+65536/65536) unlink(0+65536/65536)\n");
    expect("benchmark: portals.bandwidth, sizes: 64 KiB, repetitions: 2", "",
           "0: put_start(0+65536/65536) put_end(0+65536/65536) unlink(0+65536/65536) "
           "put_start(0+65536/65536) put_end(0+65536/65536) unlink(0+65536/65536)\n");
    // Displaced, the client's message is shorter, and the server takes the remainder.
    expect("benchmark: portals.bandwidth, sizes: 64 KiB, offset: 4 B", "",
           "0: put_start(0+65532/65532)");
    expect("benchmark: portals.bandwidth, sizes: 64 KiB, server_offset: 4 B", "",
           "0: put_start(0+65532/65536)");
    // The bytes are those of the message: 65532 B in 5.25 us less the clock's call.
    expect("benchmark: portals.bandwidth, sizes: 64 KiB", "",
           "bandwidth_MB_per_s at 65536 = 14045\n");
    expect("benchmark: portals.bandwidth, sizes: 64 KiB, offset: 32 KiB", "",
           "bandwidth_MB_per_s at 65536 = 7022.5\n");
}

static double value_of(const struct series_result *series, const char *metric)
{
    for (guint i = 0; i < series->values->len; i++) {
        const struct result_value *value = &g_array_index(series->values, struct result_value, i);
        if (strcmp(value->metric, metric) == 0)
            return value->value;
    }
    return -1;
}

// The program divides whole numbers: a message of 4 bytes less than 3 MiB counts as 2 MiB.
static void test_whole_mib(void)
{
    static const char text[] =
        "schema: 1\nname: t\nstack: portals\nnic: intercept\nhosts: [{name: n, count: 2}]\n"
        "links: [{from: n0, to: n1}]\nlink: {rate: 2 Gb/s}\n"
        "host: {processor: {cores: 2}, bus: {width: 8 B, clock: 66 MHz}}\n"
        "workload: {benchmark: portals.bandwidth, sizes: 3 MiB, offset: 4 B}\n";
    struct compiled compiled = compiled_new(text, NULL);
    struct result *result =
        run_scenario(&model_registry, compiled.scenario, &(struct run_options){0});
    const struct series_result *series = g_ptr_array_index(result->series, 0);
    double seconds = value_of(series, "latency_us") / 1e6;
    CU_ASSERT_DOUBLE_EQUAL(value_of(series, "bandwidth_MB_per_s") * seconds, 2, 1e-9);
    result_free(result);
    compiled_free(&compiled);
}

// On one rank the process puts into memory of its own: both descriptors unlink.
static void test_looped(void)
{
    char *complaints;
    char *text = portals_fake_run(1, "benchmark: portals.bandwidth, ranks: 1, sizes: 64 KiB", "",
                                  &complaints);
    SUITE_CONTAINS(text ? text : complaints,
                   "0: send_start(0+65536/65536) put_start(0+65536/65536) put_end(0+65536/65536) "
                   "unlink(0+65536/65536) send_end(0+65536/65536) unlink(0+65536/65536)\n");
    g_free(complaints);
    g_free(text);
}

static void test_put(void)
{
    expect("benchmark: portals.put, sizes: [0 B, 1 B, 32 KiB]", "", "latency_us at 0 = 4.45\n");
    expect("benchmark: portals.put, sizes: [0 B, 1 B, 32 KiB]", "", "latency_us at 32768 = 4.45\n");
    expect("benchmark: portals.put, sizes: 32 KiB, repetitions: 100", "",
           "latency_us at 32768 = 4.45\n");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"portals.pingpong", test_pingpong},
        {"cold caches", test_cold},
        {"a library in the process", test_in_the_process},
        {"the first put", test_first},
        {"costs", test_costs},
        {"portals.bandwidth", test_bandwidth},
        {"portals.bandwidth, looped", test_looped},
        {"portals.bandwidth counts whole MiB", test_whole_mib},
        {"portals.put", test_put},
        {0},
    };
    return suite_run("Portals: benchmarks", cases);
}
