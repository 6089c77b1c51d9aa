// SPDX-License-Identifier: GPL-3.0-or-later
// Round trips of one path and the retransmission time-out that follows from them (RFC 2988). All
// times are ticks of the kernel's clock.
#ifndef NETSIM_MODELS_INET_RTT_H
#define NETSIM_MODELS_INET_RTT_H

#include <stdint.h>

struct inet_rtt {
    int64_t srtt, rttvar; // SRTT and RTTVAR scaled by 8 and 4; srtt 0: not measured
    int64_t rto;          // without backoff
    int64_t rto_least;    // of the term with rttvar: Linux bounds that, not the sum
    int64_t rto_most;
    int backoff; // times that the time-out doubles
};

void inet_rtt_init(struct inet_rtt *rtt, int64_t rto_initial, int64_t rto_least, int64_t rto_most);

// A round trip took `ticks`; ends the backoff (RFC 2988, 2.2, 2.3, 5.7).
void inet_rtt_sample(struct inet_rtt *rtt, int64_t ticks);

// The time-out with its backoff, at most rto_most (RFC 2988, 5.5).
int64_t inet_rtt_timeout(const struct inet_rtt *rtt);

#endif
