// SPDX-License-Identifier: GPL-3.0-or-later
// The far end of a channel that duplicates packets, holds them back or delays them, as a box in the
// cable does (Dummynet): packets enter the box when their first bit is there, and leave it one
// after another at the channel's rate. A packet that meets none of these faults, and no packet that
// has left late, passes the box without delay.
//
// Only channels between ends that store packets have one: there arrivals need not follow the order
// of sending.
#ifndef NETSIM_NET_DISORDER_H
#define NETSIM_NET_DISORDER_H

#include "sim/core/time.h"

struct channel;
struct disorder;
struct link_config;
struct packet;

// The configuration must outlive the result; the caller frees it with disorder_free.
struct disorder *disorder_new(struct channel *channel, const struct link_config *config);
void disorder_free(struct disorder *disorder);

// The channel's faults have just judged the packet, which passes and is on the channel from `start`
// on. Its arrival, and that of its copy, is scheduled in time.
void disorder_pass(struct channel *channel, struct packet *packet, sim_time start);

#endif
