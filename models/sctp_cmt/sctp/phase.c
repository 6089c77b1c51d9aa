// SPDX-License-Identifier: GPL-3.0-or-later
// The phase of a path's congestion control as a state machine, which follows cwnd, ssthresh and
// recovery.
#include "models/sctp_cmt/sctp/association.h"

static const struct machine_state phases[] = {
    [SCTP_SLOW_START] = {"slow_start",
                         .next = MACHINE_TO(SCTP_AVOIDANCE, SCTP_RECOVERY, SCTP_LOSS)},
    [SCTP_AVOIDANCE] = {"avoidance", .next = MACHINE_TO(SCTP_SLOW_START, SCTP_RECOVERY, SCTP_LOSS)},
    [SCTP_RECOVERY] = {"recovery", .next = MACHINE_TO(SCTP_SLOW_START, SCTP_AVOIDANCE, SCTP_LOSS)},
    [SCTP_LOSS] = {"t3", .next = MACHINE_TO(SCTP_SLOW_START, SCTP_AVOIDANCE, SCTP_RECOVERY)},
};

const struct machine_kind sctp_congestion_machine = {
    .name = "sctp congestion",
    .title = "SCTP's congestion control of a path",
    .source = "RFC 9260, 7.2",
    .states = phases,
    .count = G_N_ELEMENTS(phases),
};

static enum sctp_phase phase_by_window(const struct sctp_path *path)
{
    return path->cc.cwnd <= path->cc.ssthresh ? SCTP_SLOW_START : SCTP_AVOIDANCE;
}

static enum sctp_phase phase_of(const struct sctp_path *path)
{
    if (path->phase.state == SCTP_LOSS && path->sack.net_ack == 0)
        return SCTP_LOSS;
    return path->recovering ? SCTP_RECOVERY : phase_by_window(path);
}

static void enter_phase(struct cpu_context *context, struct sctp_path *path, enum sctp_phase phase)
{
    if (phase != path->phase.state)
        cpu_machine_enter(context, &sctp_congestion_machine, &path->phase, phase,
                          sctp_machine_owner(path->association), sctp_path_name(path));
}

void sctp_cc_note(struct cpu_context *context, struct sctp_path *path, bool timeout)
{
    enter_phase(context, path, timeout ? SCTP_LOSS : phase_of(path));
}

void sctp_cc_note_restart(struct cpu_context *context, struct sctp_path *path)
{
    enter_phase(context, path, phase_by_window(path));
}
