// SPDX-License-Identifier: GPL-3.0-or-later
// Random networks with random traffic, for tests of what always holds.
//
// Store-and-forward switches stand in any graph, with parallel links; cut-through ones in a tree,
// so that they can't deadlock, half of the time with STOP and GO; and there are topologies that mix
// both. A third of the links have faults.
#ifndef NETSIM_TESTS_SUPPORT_RANDOM_NET_H
#define NETSIM_TESTS_SUPPORT_RANDOM_NET_H

#include "sim/core/random.h"
#include "tests/support/probe.h"

#define RANDOM_NET_MOST_PACKETS 400

enum shape { SHAPE_STORES, SHAPE_CUTS, SHAPE_MIXED, SHAPES };

struct random_net {
    struct random_stream *random;
    struct topology *topology;
    enum shape shape;
    bool faults;
    int64_t window;                 // of the links; with one, the queues of switches have no bound
    bool symbols;                   // cut-through switches send STOP and GO
    struct param_window windows[2]; // the lists of the faulty links
    int64_t nth[3];
};

// `window`: packets that each link repeats; 0: none. The caller frees what is in it with
// random_net_clear.
void random_net_init(struct random_net *net, uint64_t seed, int64_t window);
void random_net_clear(struct random_net *net);

void random_net_traffic(struct random_net *net, struct probe *probe);

// Checks that in order of arrival the packets of a pair were sent one after the other, and that
// none came faster than its own link allows.
void random_net_check_arrivals(const struct probe *probe);

#endif
