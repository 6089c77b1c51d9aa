// SPDX-License-Identifier: GPL-3.0-or-later
// A stack's curve in the terms of SMPI, the MPI of SimGrid 3.32: its factors, and the times that
// follow from them.
//
// SMPI takes for a message of `size` bytes, half a round trip, up to the eager limit:
//
//   os(size) + or(size) + L * lat(size + 16) + (size + 16) / (B * bw(size + 16))
//
// and beyond it:
//
//   L * lat(size + 16) + (size + 16) / (B * bw(size + 16))
//
// L is the latency of the route, B the rate of its slowest link, 16 bytes are SMPI's envelope. os
// and or are lines a + b * size, lat and bw constants, each over ranges of sizes: of a list
// "0:A;1000:B", A holds up to 1000 and B above. They are the sender's and the receiver's processor,
// and count for messages that are sent before their receive is there (and os for every MPI_Isend,
// so that it is 0 beyond the limit). These must be below both smpi/async-small-thresh and
// smpi/send-is-detached-thresh.
#ifndef NETSIM_FLOW_SMPI_H
#define NETSIM_FLOW_SMPI_H

#include "sim/flow/curve.h"

struct smpi_factor {
    int64_t above;   // for sizes beyond this; the first one also for those below
    double base;     // s; of lat and bw: the factor
    double per_byte; // s; of lat and bw: 0
};

struct smpi_model {
    GArray *pieces; // struct flow_piece, of the curve's one-way time
    GArray *send, *receive, *lat,
        *bw;              // struct smpi_factor: smpi/os, smpi/or, smpi/lat-factor, smpi/bw-factor
    int64_t eager;        // as of the curve, -1: none is; at most what SimGrid's options hold
    double latency, rate; // L in s and B in bytes/s, which a route of the platform must have
};

// Fits the factors to the curve's points, each piece of it within the tolerance (0 to below 1). Of
// a piece up to the eager limit, the rate is that of the bytes on the wire, the latency the time
// that neither wire nor processors take, and the rest the processors', divided among them as in the
// curve; of a piece beyond it, all is in rate and latency. The caller frees it with smpi_free.
struct smpi_model *smpi_fit(const struct flow_curve *curve, double tolerance);
void smpi_free(struct smpi_model *model);

// Seconds that SMPI 3.32 takes for half a round trip with these factors.
double smpi_one_way(const struct smpi_model *model, int64_t size);

// The worst deviation of smpi_one_way from the curve, relative to it (negative: SMPI is faster), at
// sizes of at least 1 B; *size is where it is.
double smpi_worst(const struct smpi_model *model, const struct flow_curve *curve, int64_t *size);

// The latency (s) and rate (bytes/s) of a loopback link, of messages within a host: with them,
// SMPI's times of the smallest and the largest message are the curve's (`local`, not NULL). The
// other factors are those of messages between hosts, so that between these sizes it is further off:
// *worst is the worst deviation at a point.
void smpi_loopback(const struct smpi_model *model, const struct flow_curve *curve, double *latency,
                   double *rate, double *worst);

// A list of factors as SMPI reads it, with lines for smpi/os and smpi/or; g_free.
char *smpi_text(const GArray *factors, bool lines);

// A configuration item of SimGrid.
struct smpi_option {
    const char *name;
    char *value;
};

// All that a run needs besides the platform, of struct smpi_option; g_array_unref frees it.
GArray *smpi_options(const struct smpi_model *model);

#endif
