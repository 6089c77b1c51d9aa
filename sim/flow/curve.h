// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a stack's message, by its size, measured by netsim's own packets: small programs of
// two ranks run on the case's own machine, with its stack and all its settings. Nothing is fitted,
// and no number of these comes from anywhere else.
//
// A message of `size` bytes keeps its sender's processor busy for `send`, takes the wire of each
// link for `wire` bytes, and its receiver's processor for `receive`; `latency` is the rest of half
// a round trip of the stack's PingPong:
//
//   half a round trip = send + latency + wire / rate of the slowest link + receive
//
// Between its points it is interpolated.
//
// Not modelled: effects of other messages (windows, credits, delayed acknowledgments, copies of
// unexpected messages).
#ifndef NETSIM_FLOW_CURVE_H
#define NETSIM_FLOW_CURVE_H

#include "sim/core/diag.h"
#include "sim/model/model.h"

struct flow_curve_point {
    int64_t size;         // of the message
    double one_way;       // s: half a round trip of the PingPong
    double send, receive; // s of the processors
    double wire;          // bytes on the slowest link, with all headers; strictly growing with size
    double latency;       // s; never negative
    double sending;       // s: for which a blocking send goes on after `send`; 0: not buffered
};

struct flow_curve {
    GArray *points; // struct flow_curve_point, by size
    int64_t eager;  // the largest message whose send ends before its receive has begun; -1: not
                    // even one without data; INT64_MAX: all
    int from, to;   // hosts between which it was measured; the same: all ranks are on one host
    int links;      // of their route
    double rate;    // bytes/s of its slowest link
    double frame;   // wire bytes of the largest frame
    int64_t most;   // the largest message that the stack can send; INT64_MAX: any
    char *beyond;   // why it can send no larger one; NULL: it can
    GArray *local; // struct flow_curve_point of two ranks on one host, whose wire has the message's
                   // bytes; NULL: the case has no such ranks
};

// Observes the progress of a curve's measurement: called occasionally, with the number of sizes
// measured so far.
struct curve_watch {
    void (*measured)(void *owner, int sizes);
    void *owner;
};

// Measures the curve of a case: at 0 B, at four sizes per octave from 1 B to 4 MiB (or to the
// largest message that the stack can send), at the largest eager message and the next, and wherever
// a line between its neighbours would miss a point by more than CURVE_TOLERANCE. Returns NULL with
// *error (g_free) set if the case's stack is no MPI library, or a measuring run fails. watch: NULL:
// none. The caller frees it with flow_curve_free.
#define CURVE_TOLERANCE 0.005
struct flow_curve *flow_curve_measure(const struct registry *registry,
                                      const struct scenario_case *test_case,
                                      const struct curve_watch *watch, char **error);
void flow_curve_free(struct flow_curve *curve);

// The point at any size: linear between those measured, and beyond the last one by its slope.
struct flow_curve_point flow_curve_at(const struct flow_curve *curve, int64_t size, bool local);

// Latency in seconds of a flow that has `wire` bytes.
double flow_curve_latency(const struct flow_curve *curve, double wire, bool local);

// JSON of the curve for manifests and for users ("points": [...]); new reference.
json_t *flow_curve_json(const struct flow_curve *curve);

#endif
