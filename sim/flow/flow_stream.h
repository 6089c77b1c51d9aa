// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of messages between two processes, as far as acknowledgments stop them: the sender has a
// window of segments, however short these are. A receiver acknowledges what it reads at once, but
// where data flow in both directions it waits for data to carry the acknowledgment, unless more
// than a full segment has come, until a timer of its kernel's clock ends.
//
// The rules are those of Linux 2.4 (tcp_input.c: tcp_event_data_recv, __tcp_ack_snd_check;
// tcp_output.c: tcp_event_data_sent; tcp_timer.c: tcp_delack_timer).
//
// Not modelled: the time that an acknowledgment takes, what it costs, and a message of several
// segments that waits after its first ones.
#ifndef NETSIM_FLOW_FLOW_STREAM_H
#define NETSIM_FLOW_FLOW_STREAM_H

#include "sim/core/sim.h"
#include "sim/model/stack.h"

struct flow_streams;

// One direction between two processes.
struct flow_stream;

// A message on a stream; a part of its owner.
struct stream_part {
    struct flow_stream *stream;
    struct stream_part *next; // that waits
    int64_t bytes, segments;
    int64_t carries; // segments of the other direction that it acknowledges
};

// `start` begins the transfer of a part, from an event.
struct flow_streams *flow_streams_new(struct sim *sim, const struct stack_stream *rule,
                                      void (*start)(struct stream_part *part));
void flow_streams_free(struct flow_streams *streams);

// Opens the streams of both directions. Their numbers, from 1, are in *there and *back.
void flow_streams_open(struct flow_streams *streams, uint32_t *there, uint32_t *back);
struct flow_stream *flow_streams_get(const struct flow_streams *streams, uint32_t number);

// From an event. Starts the transfer of the part, of `bytes`, as soon as the window allows it.
// Returns false if it has to wait.
bool flow_stream_send(struct flow_stream *stream, struct stream_part *part, int64_t bytes);

// The part has arrived at its receiver's kernel.
void flow_stream_arrived(struct stream_part *part);

#endif
