// SPDX-License-Identifier: GPL-3.0-or-later
// The receive buffer: its room, the window that is offered, and the peer's probe of a window that
// was closed.
#include "models/sctp_cmt/sctp/association.h"

int64_t sctp_receive_room(const struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    int64_t queued = association->host->config->queue_counts ? in->queued : 0;
    return association->settings.receive_buffer - queued - in->held;
}

// The BSD stack offers 1 while nothing but what it charges besides the data fills the buffer, and
// for a sliver of a window (RFC 1122, 4.2.3.3, which RFC 9260, 6.2 refers to).
int64_t sctp_rwnd(const struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    int64_t room = sctp_receive_room(association);
    if (room <= 0 || (in->queued == 0 && in->held == 0))
        return MAX(room, 0);
    room -= in->overhead;
    return room <= 0 || room < association->host->config->sws_receive ? 1 : room;
}

// The SACK that opens a closed window may be lost, or not be worth sending yet. Then the peer's
// probe, which alone keeps no run alive, finds the window open: the run waits for two of them.
static void expect_probe(struct cpu_context *context, struct sctp_association *association)
{
    const struct inet_config *config = association->host->inet->config;
    if (association->in.offered >= association->primary->mtu || association->ended)
        return;
    sctp_timer_arm(context, association, &association->reopened, SCTP_REOPENED, association,
                   2 * inet_time_in_ticks(config, association->settings.rto_most));
}

void sctp_rwnd_read(struct cpu_context *context, struct sctp_association *association,
                    int64_t bytes, int64_t charge)
{
    struct sctp_in *in = &association->in;
    in->queued -= bytes;
    in->overhead -= charge - bytes;
    if (sctp_in_takes_data(association))
        expect_probe(context, association);
}
