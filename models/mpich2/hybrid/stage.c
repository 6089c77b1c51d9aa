// SPDX-License-Identifier: GPL-3.0-or-later
// The stage of iWARP in the progress engine (thesis 004, 3.4.3 and 3.4.5): a poll of the CQ that
// all queue pairs share, which does not block, in each turn before the reads (whether before or
// after them is not said). With dynamic connections the second socket is read, too.
#include "models/mpich2/hybrid/hybrid.h"

static struct ch3_hybrid_process *process_of(const struct ch3_sctp_process *sctp)
{
    return ch3_hybrid_of(sctp->process);
}

static bool listens(const struct ch3_hybrid_process *hybrid)
{
    return hybrid->config->connections == CH3_HYBRID_DYNAMIC;
}

static bool stage_active(const struct ch3_sctp_process *sctp)
{
    const struct ch3_hybrid_process *hybrid = process_of(sctp);
    return !hybrid->config->blocking || hybrid->windows > 0 || hybrid->ops_open > 0;
}

static bool stage_turn(struct cpu_context *context, struct ch3_sctp_process *sctp)
{
    struct ch3_hybrid_process *hybrid = process_of(sctp);
    struct iwarp_completion completion;
    if (!hybrid->cq || !stage_active(sctp))
        return false;
    if (ch3_hybrid_release(context, hybrid))
        return true;
    if (listens(hybrid) &&
        (ch3_hybrid_listen(context, hybrid) || ch3_hybrid_accepted(context, hybrid)))
        return true;
    switch (iwarp_cq_poll(context, hybrid->cq, &completion)) {
    case IWARP_POLL_ENTRY:
        ch3_hybrid_complete(context, &completion);
        return true;
    case IWARP_POLL_PROGRESS:
        return true;
    case IWARP_POLL_NOTHING:
        break;
    }
    return false;
}

// No event reports the answer's arrival: while an accepted connection has operations, the loop
// polls.
static bool turns_for_answers(const struct ch3_hybrid_process *hybrid)
{
    for (int rank = 0; hybrid->requests > 0 && rank < ch3_hybrid_mpi(hybrid)->ranks; rank++)
        if (hybrid->vcs[rank].machine.state == CH3_HYBRID_ACCEPTING && hybrid->vcs[rank].head)
            return true;
    return false;
}

static bool stage_await(struct ch3_sctp_process *sctp, GArray *selected)
{
    const struct ch3_hybrid_process *hybrid = process_of(sctp);
    if (!hybrid->cq)
        return true;
    if (turns_for_answers(hybrid) || !iwarp_cq_await(hybrid->cq, selected))
        return false;
    const struct inet_selected second = {sctp_socket_inet(hybrid->socket), INET_READABLE, 0};
    if (listens(hybrid))
        g_array_append_val(selected, second);
    return true;
}

const struct ch3_sctp_stage ch3_hybrid_stage = {
    .active = stage_active,
    .turn = stage_turn,
    .await = stage_await,
};

// ---- MPI_Finalize ----

// Nothing of this process is under way any more. Returns true once that holds for all.
static bool all_quiet(struct cpu_context *context, struct ch3_hybrid_process *hybrid)
{
    const struct mpi_process *process = ch3_hybrid_mpi(hybrid);
    struct iwarp_rnic_attributes attributes;
    bool all = true;
    iwarp_rnic_query(hybrid->rnic, &attributes);
    if (!hybrid->quiet && attributes.queued == 0 && hybrid->ops_open == 0) {
        hybrid->quiet = true;
        for (int rank = 0; rank < process->ranks; rank++)
            if (rank != process->rank)
                cpu_post_wake(context, &process->peers[rank]->task);
    }
    for (int rank = 0; rank < process->ranks; rank++)
        all = all && ch3_hybrid_of(process->peers[rank])->quiet;
    return all;
}

static bool all_ended(const struct ch3_hybrid_process *hybrid)
{
    for (int rank = 0; rank < ch3_hybrid_mpi(hybrid)->ranks; rank++) {
        const struct iwarp_qp *qp = hybrid->vcs[rank].qp;
        if (qp && hybrid->vcs[rank].socket && !iwarp_qp_ended_by_peer(qp) && !iwarp_qp_error(qp))
            return false;
    }
    return true;
}

static bool each_qp(struct cpu_context *context, struct ch3_hybrid_process *hybrid,
                    enum iwarp_result (*act)(struct cpu_context *context, struct iwarp_qp *qp))
{
    while (hybrid->closing < ch3_hybrid_mpi(hybrid)->ranks) {
        struct iwarp_qp *qp = hybrid->vcs[hybrid->closing++].qp;
        if (!qp)
            continue;
        act(context, qp);
        return true;
    }
    return false;
}

static enum mpi_progress block_on_cq(struct cpu_context *context, struct ch3_hybrid_process *hybrid)
{
    return iwarp_cq_block(context, hybrid->cq) == IWARP_OK ? PROGRESS_EVENT : PROGRESS_BLOCKED;
}

static enum mpi_progress close_pairs(struct cpu_context *context, struct ch3_hybrid_process *hybrid)
{
    struct iwarp_completion completion;
    enum iwarp_poll found = iwarp_cq_poll(context, hybrid->cq, &completion);
    if (found == IWARP_POLL_ENTRY)
        ch3_hybrid_complete(context, &completion);
    if (found != IWARP_POLL_NOTHING)
        return PROGRESS_EVENT;
    if (!all_quiet(context, hybrid))
        return block_on_cq(context, hybrid);
    if (!hybrid->disconnected) {
        if (each_qp(context, hybrid, iwarp_qp_disconnect))
            return PROGRESS_EVENT;
        hybrid->disconnected = true;
    }
    if (!all_ended(hybrid))
        return block_on_cq(context, hybrid);
    sctp_close(context, hybrid->socket);
    hybrid->socket = NULL;
    iwarp_rnic_close(context, hybrid->rnic);
    hybrid->cq = NULL;
    return PROGRESS_NOTHING;
}

// First the VCs by ch3:sctp's protocol, then, when nothing is under way anywhere, the queue pairs.
enum mpi_progress ch3_hybrid_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct ch3_hybrid_process *hybrid = ch3_hybrid_of(process);
    if (hybrid->sctp.socket) {
        enum mpi_progress progress = ch3_sctp_finalize(context, process);
        if (progress != PROGRESS_NOTHING)
            return progress;
    }
    return hybrid->cq ? close_pairs(context, hybrid) : PROGRESS_NOTHING;
}
