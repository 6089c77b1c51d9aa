// SPDX-License-Identifier: GPL-3.0-or-later
// The application-level event queue.
#include "models/mpich2/sctp/channel.h"

#include "sim/core/fifo.h"

struct ch3_sctp_event *ch3_sctp_event_new(struct ch3_sctp_process *sctp,
                                          enum ch3_sctp_event_kind kind)
{
    struct ch3_sctp_event *event = pool_take(&sctp->events);
    event->kind = kind;
    FIFO_APPEND(sctp->event_head, sctp->event_tail, event, next);
    return event;
}
