// SPDX-License-Identifier: GPL-3.0-or-later
// Records of messages under way, by peer and number, and the queue of packets that are postponed.
#include "models/intercept/p3/p3_internal.h"

// Answers come nearly in the order of the RTS.
struct p3_send *p3_send_find(const struct p3_peer *peer, uint64_t number)
{
    struct p3_send *send = peer->sent;
    while (send && send->number != number)
        send = send->next;
    return send;
}

void p3_send_unlink(struct p3_peer *peer, const struct p3_send *send)
{
    struct p3_send *before = NULL;
    for (struct p3_send *at = peer->sent; at != send; at = at->next)
        before = at;
    *(before ? &before->next : &peer->sent) = send->next;
    if (peer->sent_last == send)
        peer->sent_last = before;
}

struct p3_receive **p3_receive_find(struct p3_peer *peer, uint64_t number)
{
    struct p3_receive **at = &peer->receiving;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

void p3_receive_unlink(struct p3_peer *peer, struct p3_receive **place)
{
    struct p3_receive *receive = *place;
    *place = receive->next;
    if (peer->receiving_last == receive)
        peer->receiving_last =
            place == &peer->receiving ? NULL : container_of(place, struct p3_receive, next);
}

// Its messages have no numbers that would identify one that a link has delivered twice.
void p3_fail_unknown(const struct p3_process *process, const char *message)
{
    sim_fail(process->sim, SIM_FAILED, "unknown_reply", NULL,
             "%s gets a %s for no message that it sends: a link has delivered it twice, and the "
             "driver relies on links that do not; set link.window",
             process->process->name, message);
}

void p3_postpone(struct p3_process *process, struct p3_send *send, struct p3_receive *receive,
                 enum p3_kind kind)
{
    struct p3_postponed *postponed = pool_take(&process->postpones);
    *postponed = (struct p3_postponed){.send = send, .receive = receive, .kind = kind};
    FIFO_APPEND(process->postponed, process->postponed_last, postponed, next);
}

void p3_thread_notice(struct cpu_context *context, struct p3_process *process)
{
    if (process->config->poll || !process->asleep)
        cpu_post_wake(context, &process->thread);
}
