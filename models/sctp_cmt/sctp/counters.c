// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a host, which results report.
#include "models/sctp_cmt/sctp/association.h"

void sctp_host_counters(struct sctp_host *host, struct sim *sim)
{
    host->count.packets_sent = sim_counter(sim, "sctp packets sent");
    host->count.packets_received = sim_counter(sim, "sctp packets received");
    host->count.chunks_sent = sim_counter(sim, "sctp chunks sent");
    host->count.chunks_received = sim_counter(sim, "sctp chunks received");
    host->count.sacks_sent = sim_counter(sim, "sctp SACKs sent");
    host->count.retransmissions = sim_loss_counter(sim, "sctp chunks retransmitted", LOSS_REPEATED);
    host->count.fast_retransmits = sim_counter(sim, "sctp fast retransmits");
    host->count.timeouts = sim_counter(sim, "sctp retransmission timeouts");
    host->count.duplicates = sim_counter(sim, "sctp chunks received twice");
    host->count.bad_checksums =
        sim_loss_counter(sim, "sctp packets with a wrong checksum", LOSS_DROPPED);
    host->count.out_of_the_blue = sim_counter(sim, "sctp packets out of the blue");
    host->count.bad_tags = sim_counter(sim, "sctp packets with a wrong tag");
    host->count.heartbeats = sim_counter(sim, "sctp heartbeats sent");
    host->count.window_probes = sim_counter(sim, "sctp window probes");
    host->count.rwnd_blocked = sim_counter(sim, "sctp times blocked by the peer's window");
    host->count.rwnd_blocked_us =
        sim_counter(sim, "sctp microseconds blocked by the peer's window");
    host->count.strikes_suppressed = sim_counter(sim, "sctp missing reports that CMT left out");
    host->count.dropped_for_window =
        sim_loss_counter(sim, "sctp chunks dropped for want of buffer", LOSS_DROPPED);
    host->count.queued_for_burst = sim_counter(sim, "sctp sends queued for a burst");
    host->count.queued_for_cwnd = sim_counter(sim, "sctp sends queued for cwnd");
    host->count.failovers = sim_counter(sim, "sctp changes of the primary path");
}

// By one timer of each name.
void sctp_count_timeout(struct sctp_host *host, enum sctp_timer timer)
{
    static const char *const names[SCTP_TIMERS] = {
        [SCTP_T1_INIT] = "sctp" SIM_TIMEOUTS "T1-init",
        [SCTP_T1_COOKIE] = "sctp" SIM_TIMEOUTS "T1-cookie",
        [SCTP_T2_SHUTDOWN] = "sctp" SIM_TIMEOUTS "T2-shutdown",
        [SCTP_T3] = "sctp" SIM_TIMEOUTS "T3-rtx",
        [SCTP_T3_IDLE_PROBE] = "sctp" SIM_TIMEOUTS "window probe",
        [SCTP_PATH_HEARTBEAT] = "sctp" SIM_TIMEOUTS "heartbeat",
    };
    if (timer != SCTP_PATH_HEARTBEAT)
        ++*host->count.timeouts;
    sim_count_loss(host->sim, &host->count.timeout[timer], names[timer], LOSS_TIMEOUT);
}
