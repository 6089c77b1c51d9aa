// SPDX-License-Identifier: GPL-3.0-or-later
// The timers of associations and paths, by enum sctp_timer: an expired one is handled, and then
// whatever it has made due is done.
#include "models/sctp_cmt/sctp/association.h"

#define ASSOCIATION_TIMER(name)                                                                    \
    static void name##_run(struct cpu_context *context, void *owner)                               \
    {                                                                                              \
        sctp_##name##_expired(context, owner);                                                     \
        sctp_run_due(context, owner);                                                              \
    }

#define PATH_TIMER(name)                                                                           \
    static void name##_run(struct cpu_context *context, void *owner)                               \
    {                                                                                              \
        struct sctp_path *path = owner;                                                            \
        sctp_##name##_expired(context, path);                                                      \
        sctp_run_due(context, path->association);                                                  \
    }

ASSOCIATION_TIMER(t1)
ASSOCIATION_TIMER(t2)
ASSOCIATION_TIMER(t5)
ASSOCIATION_TIMER(sack_delay)
ASSOCIATION_TIMER(heartbeats)
PATH_TIMER(t3)
PATH_TIMER(path_heartbeat)

// The run alone was to wait for it.
static void reopened_run(struct cpu_context *context, void *owner)
{
    (void)context, (void)owner;
}

// `class`: of what is waited for.
#define TIMER(name, class, handler, ...)                                                           \
    {                                                                                              \
        .wait = {name, class}, .stage = &sctp_stage, .run = (handler), __VA_ARGS__                 \
    }

const struct inet_timer_kind sctp_timers[SCTP_TIMERS] = {
    [SCTP_T1_INIT] = TIMER("T1-init (INIT)", STAGE_FOR_ACK, t1_run),
    [SCTP_T1_COOKIE] = TIMER("T1-cookie (COOKIE-ECHO)", STAGE_FOR_ACK, t1_run),
    [SCTP_T2_SHUTDOWN] = TIMER("T2-shutdown (SHUTDOWN)", STAGE_FOR_ACK, t2_run),
    [SCTP_T5_SHUTDOWN_GUARD] = TIMER("T5-shutdown-guard", STAGE_FOR_ACK, t5_run),
    [SCTP_T3] = TIMER("T3-rtx", STAGE_FOR_ACK, t3_run, .waited = sctp_t3_waited),
    [SCTP_T3_IDLE_PROBE] =
        TIMER("T3-rtx (window probe)", STAGE_FOR_WINDOW, t3_run, .background = true),
    [SCTP_SACK_DELAY] = TIMER("delayed SACK", STAGE_FOR_ACK, sack_delay_run),
    [SCTP_REOPENED] = TIMER("probe of the peer", STAGE_FOR_WINDOW, reopened_run),
    [SCTP_PATH_HEARTBEAT] =
        TIMER("heartbeat timer", STAGE_FOR_ACK, path_heartbeat_run, .background = true),
    [SCTP_PATH_HEARTBEAT_AWAITED] = TIMER("heartbeat timer", STAGE_FOR_ACK, path_heartbeat_run),
    [SCTP_HEARTBEATS] = TIMER("heartbeat timer", STAGE_FOR_ACK, heartbeats_run, .background = true),
    [SCTP_HEARTBEATS_AWAITED] = TIMER("heartbeat timer", STAGE_FOR_ACK, heartbeats_run),
};
