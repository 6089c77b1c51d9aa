// SPDX-License-Identifier: GPL-3.0-or-later
// Round-trip times of one path and the retransmission time-out derived from them (RFC 2988). All
// times are ticks of the kernel's clock.
#ifndef NETSIM_MODELS_INET_RTT_H
#define NETSIM_MODELS_INET_RTT_H

#include <stdbool.h>
#include <stdint.h>

struct inet_rtt {
    int64_t srtt, rttvar; // SRTT and RTTVAR scaled by 8 and 4; srtt 0: not measured
    int64_t rto;          // without backoff and slop
    int64_t rto_least;    // lower bound of the rttvar term, as Linux has it, or of the sum
    int64_t rto_most;
    int64_t slop; // added after the backoff: BSD's
    int backoff;  // number of doublings of the time-out
    bool least_of_sum;
};

// A time-out whose lower bound is that of the rttvar term, without slop.
void inet_rtt_init(struct inet_rtt *rtt, int64_t rto_initial, int64_t rto_least, int64_t rto_most);

// Adds a round trip of `ticks` and ends the backoff (RFC 2988, 2.2, 2.3, 5.7).
void inet_rtt_sample(struct inet_rtt *rtt, int64_t ticks);

// Returns the time-out with its backoff and the slop, at most rto_most (RFC 2988, 5.5).
int64_t inet_rtt_timeout(const struct inet_rtt *rtt);

#endif
