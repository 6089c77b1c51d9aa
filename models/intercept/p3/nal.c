// SPDX-License-Identifier: GPL-3.0-or-later
// The NAL's entry points, and a process's state.
#include "models/intercept/p3/handler_cb.h"
#include "models/intercept/p3/long.h"
#include "models/intercept/p3/p3_internal.h"

const struct stage p3_stage = {"RMPP", STAGE_KERNEL};

// ---- The library's calls ----

static bool is_short(const struct p3_process *process, const struct portals_transfer *transfer)
{
    switch ((enum portals_kind)transfer->header.kind) {
    case PORTALS_GET:
    case PORTALS_ACK:
        return true; // a header only
    case PORTALS_PUT:
    case PORTALS_REPLY:
        break;
    }
    return transfer->length <= process->sizes.threshold;
}

// The thread that sends a reply is not the process that the VDMA handler knows: send_long_msg
// refuses it (-EACCES).
static enum portals_status refuse_reply(const struct p3_process *process,
                                        const struct portals_transfer *transfer)
{
    sim_fail(process->sim, SIM_FAILED, "long_reply", NULL,
             "%s cannot reply to a get of %" G_GINT64_FORMAT
             " B: only the process itself may send long messages, above %" G_GINT64_FORMAT
             " B (p3.long_replies: true sends them by the VDMA handler; p3.threshold moves the "
             "limit)",
             process->process->name, transfer->length, process->sizes.threshold);
    return PORTALS_REFUSED;
}

static enum portals_status nal_send(struct cpu_context *context, struct portals_ni *ni,
                                    struct portals_transfer *transfer)
{
    struct p3_process *process = portals_nal_process(ni);
    const struct portals_header *header = &transfer->header;
    if (transfer->segments > 1)
        return PORTALS_INV_MD; // inal_send
    if (header->to.nid < 0 || header->to.nid >= process->hosts)
        return PORTALS_REFUSED;
    p3_spend(context, process->config->send, header->message);
    if (process->config->version == P3_HANDLER_CB)
        return p3_cb_send(context, process, transfer);
    if (is_short(process, transfer))
        return p3_short_send(context, process, transfer);
    if (header->kind == PORTALS_REPLY && !process->config->long_replies)
        return refuse_reply(process, transfer);
    return p3_long_send(context, process, transfer);
}

static void nal_receive(struct cpu_context *context, struct portals_ni *ni, void *arriving,
                        struct portals_transfer *transfer)
{
    struct p3_process *process = portals_nal_process(ni);
    const struct p3_arriving *way = arriving;
    if (way->by_handler_cb)
        p3_cb_receive(context, process, arriving, transfer);
    else if (way->is_long)
        p3_long_receive(context, process, arriving, transfer);
    else
        p3_short_receive(context, process, arriving, transfer);
}

static char *nal_waits_for(const struct portals_ni *ni, const struct portals_transfer *transfer)
{
    const struct p3_process *process = portals_nal_process(ni);
    if (transfer->header.from.nid != process->iuca)
        return NULL;
    if (process->config->version != P3_HANDLER_CB && !is_short(process, transfer))
        return p3_long_send_waits(process, transfer);
    return transfer->nal ? p3_send_waits(process, transfer->nal) : NULL;
}

// Nothing keeps the order between short and long messages.
static int nal_way(const struct portals_ni *ni, int64_t bytes)
{
    const struct p3_process *process = portals_nal_process(ni);
    return process->config->version != P3_HANDLER_CB && bytes > process->sizes.threshold;
}

static GPtrArray *nal_waits(const struct portals_ni *ni)
{
    return p3_waits(portals_nal_process(ni));
}

const struct portals_nal p3_nal = {.name = "Intercept",
                                   .kernel = true,
                                   .send = nal_send,
                                   .receive = nal_receive,
                                   .waits_for = nal_waits_for,
                                   .way = nal_way,
                                   .waits = nal_waits};

// ---- Processes ----

static void counters_init(struct p3_counters *counters, struct sim *sim)
{
    for (unsigned kind = 0; kind < P3_KINDS; kind++) {
        char *name = g_strdup_printf("RMPP: %s", p3_kind_name(kind));
        counters->sent[kind] = sim_counter(sim, name);
        g_free(name);
    }
    counters->postponed = sim_counter(sim, "RMPP: packets postponed");
    counters->reordered = sim_counter(sim, "RMPP: RTS kept for their turn");
    counters->low_number = sim_loss_counter(sim, "RMPP: RTS with a low number", LOSS_DROPPED);
    counters->unknown_pid = sim_loss_counter(sim, "RMPP: messages to an unknown pid", LOSS_DROPPED);
    counters->unexpected = sim_loss_counter(sim, "RMPP: unexpected data", LOSS_DROPPED);
    counters->unanswerable = sim_loss_counter(sim, "RMPP: unexpected answers", LOSS_DROPPED);
    counters->unknown_kind = sim_loss_counter(sim, "RMPP: unknown packets", LOSS_DROPPED);
    counters->copy_failed = sim_counter(sim, "RMPP: copies that failed");
}

void p3_process_init(struct p3_process *process, struct intercept_nic *nic)
{
    process->sizes = p3_sizes(process->config, portals_ni_config(process->ni)->header);
    process->reordered_from = -1;
    sparse_init(&process->peers, process->hosts, sizeof(struct p3_peer));
    pool_init(&process->sends, sizeof(struct p3_send));
    pool_init(&process->receives, sizeof(struct p3_receive));
    pool_init(&process->reorders, sizeof(struct p3_reordered));
    pool_init(&process->postpones, sizeof(struct p3_postponed));
    counters_init(&process->counters, process->sim);
    process->vnic =
        vnic_open(nic, P3_VNIC, process->config->poll ? &p3_poll_ops : &p3_interrupt_ops, process);
    p3_thread_init(process);
}

void p3_process_clear(struct p3_process *process)
{
    if (!process->vnic)
        return;
    sparse_clear(&process->peers);
    pool_clear(&process->sends);
    pool_clear(&process->receives);
    pool_clear(&process->reorders);
    pool_clear(&process->postpones);
}
