// SPDX-License-Identifier: GPL-3.0-or-later
// A switch's output port with Poisson arrivals of fixed-size frames is an M/D/1 queue: with service
// time S (the frame with preamble and gap on the output link) and load rho, the mean wait is rho /
// (2 (1 - rho)) S (Pollaczek and Khinchine).
//
// The mean of the simulation lies within its own 99 % confidence interval of that, by batch means:
// BATCHES batches, each so long that their means are nearly independent, and Student's t. A right
// simulator fails this with probability 0.01 a load for a seed drawn blindly, about once in 34 for
// the three together; the seed is fixed, so the test's answer does not change from run to run, and
// a change of the order of random draws may need another seed. So that a wide interval cannot hide
// an error, the interval must be narrow as well.
//
// The frames come over a link of 1000 Gb/s, on which a frame takes 1e-4 of S: that moves an arrival
// by so much where two fall together, and the mean wait by less than 1e-4 of S.
#include "sim/core/random.h"
#include "sim/net/network.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <CUnit/CUnit.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define BATCHES 60
#define BATCH_FRAMES 40000
#define WARM_UP_FRAMES 20000
#define FRAME_BYTES 1478

struct source {
    struct event event;
    struct network *network;
    struct random_stream *random;
    const struct route *route;
    sim_time mean_gap;
    int64_t left;
};

struct sink {
    struct network *network;
    const struct engine *engine;
    sim_time fixed; // of a frame that does not wait
    int64_t frames;
    double batch[BATCHES];
};

static void source_send(struct engine *engine, struct event *event)
{
    struct source *source = container_of(event, struct source, event);
    struct packet *packet = packet_new(source->network);
    packet->route = source->route;
    packet->wire_bytes = FRAME_BYTES;
    network_send(source->network, packet, NULL);
    if (--source->left > 0) {
        sim_time gap = random_exponential(source->random, source->mean_gap);
        engine_schedule(engine, event, engine_now(engine) + gap);
    }
}

static void sink_receive(void *owner, struct packet *packet)
{
    struct sink *sink = owner;
    struct network *network = sink->network;
    int64_t index = sink->frames++ - WARM_UP_FRAMES;
    sim_time wait = engine_now(sink->engine) - packet->born - sink->fixed;
    if (index >= 0)
        sink->batch[index / BATCH_FRAMES] += (double)wait / BATCH_FRAMES;
    packet_free(network, packet);
}

static void check_load(double load, double most_half_width)
{
    struct link_config in = topology_link_defaults(), out = in;
    in.rate = 1000000000000;
    struct switch_config node = topology_switch_defaults();
    node.queue = 0;
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &in);
    topology_add_link(topology, 2, 1, &out);
    struct sim *sim = sim_new(20031, NULL);
    struct network *network = network_new(sim, topology);
    sim_time service = network_station_time(network, 1, FRAME_BYTES);
    struct sink sink = {
        .network = network,
        .engine = sim->engine,
        .fixed = time_of_bytes(in.preamble + FRAME_BYTES, in.rate) + in.propagation + node.latency +
                 time_of_bytes(out.preamble + FRAME_BYTES, out.rate) + out.propagation,
    };
    struct source source = {
        .network = network,
        .random = random_new(sim->seed, "poisson source"),
        .route = network_route(network, 0, 1),
        .mean_gap = (sim_time)llround((double)service / load),
        .left = WARM_UP_FRAMES + (int64_t)BATCHES * BATCH_FRAMES,
    };
    network_attach(network, 1, sink_receive, &sink);
    event_init(&source.event, source_send);
    engine_schedule(sim->engine, &source.event, 0);
    engine_run(sim->engine, TIME_NEVER);

    double expected = load / (2 * (1 - load)) * (double)service;
    double mean = gsl_stats_mean(sink.batch, 1, BATCHES);
    double deviation = gsl_stats_sd(sink.batch, 1, BATCHES) / sqrt(BATCHES);
    double half_width = gsl_cdf_tdist_Pinv(0.995, BATCHES - 1) * deviation;
    CU_ASSERT_DOUBLE_EQUAL(mean, expected, half_width);
    CU_ASSERT(half_width < most_half_width * expected);
    CU_ASSERT_EQUAL(network_drops(network), 0);
    random_free(source.random);
    network_free(network);
    sim_free(sim);
    topology_free(topology);
}

static void test_load_30(void)
{
    check_load(0.3, 0.01);
}

static void test_load_60(void)
{
    check_load(0.6, 0.015);
}

static void test_load_90(void)
{
    check_load(0.9, 0.04);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"load 0.3", test_load_30},
        {"load 0.6", test_load_60},
        {"load 0.9", test_load_90},
        {NULL, NULL},
    };
    return suite_run("net: M/D/1", cases);
}
