// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/rtt.h"

#include <glib.h>

void inet_rtt_init(struct inet_rtt *rtt, int64_t rto_initial, int64_t rto_least, int64_t rto_most)
{
    *rtt = (struct inet_rtt){.rto = rto_initial, .rto_least = rto_least, .rto_most = rto_most};
}

void inet_rtt_sample(struct inet_rtt *rtt, int64_t ticks)
{
    int64_t measured = MAX(1, ticks);
    if (rtt->srtt == 0) {
        rtt->srtt = measured * 8;
        rtt->rttvar = measured * 2;
    } else {
        int64_t error = measured - rtt->srtt / 8;
        rtt->rttvar += ABS(error) - rtt->rttvar / 4;
        rtt->srtt += error;
    }
    int64_t sum = rtt->srtt / 8 + MAX(rtt->rttvar, rtt->least_of_sum ? 0 : rtt->rto_least);
    rtt->rto = MIN(MAX(sum, rtt->rto_least), rtt->rto_most);
    rtt->backoff = 0;
}

int64_t inet_rtt_timeout(const struct inet_rtt *rtt)
{
    int64_t timeout = rtt->rto;
    for (int i = 0; i < rtt->backoff && timeout < rtt->rto_most; i++)
        timeout *= 2;
    return MIN(timeout + rtt->slop, rtt->rto_most);
}
