// SPDX-License-Identifier: GPL-3.0-or-later
// The one physical interrupt line of a card. Its handler reads which virtual NICs and channels have
// something, and calls each in turn. An arrival after that read raises the line again.
#include "models/intercept/nic/nic_internal.h"

static const struct stage status_stage = {"interrupt status", STAGE_INTERRUPT};

#define CHANNEL_BIT(channel) (1U << (INTERCEPT_VNICS + (channel)))

static void raise_line(struct intercept_nic *nic, uint32_t bit)
{
    bool up = nic->raised != 0;
    ++*nic->virtual_interrupts;
    nic->raised |= bit;
    if (!nic->in_service && !up)
        host_interrupt(nic->host, &nic->service);
}

void nic_raise_vnic(struct intercept_nic *nic, int vnic)
{
    raise_line(nic, 1U << vnic);
}

void nic_raise_channel(struct intercept_nic *nic, int channel)
{
    ++*nic->slice_interrupts;
    raise_line(nic, CHANNEL_BIT(channel));
}

static void interrupt_enter(struct cpu_context *context, struct intercept_nic *nic)
{
    nic->in_service = true;
    nic->serving = nic->raised;
    nic->raised = 0;
    ++*nic->interrupts;
    host_interrupt_enter(context, nic->host);
    cpu_spend(context, nic->config.status_read, &status_stage);
    cpu_spend(context, nic->config.demultiplex, &stage_driver);
}

static void serve(struct cpu_context *context, struct intercept_nic *nic, int bit)
{
    cpu_spend(context, nic->config.status_read, &status_stage);
    if (bit >= INTERCEPT_VNICS) {
        nic->vdma.ops->received(context, nic->vdma.owner, bit - INTERCEPT_VNICS);
        return;
    }
    const struct vnic *vnic = &nic->vnics[bit];
    vnic->ops->interrupt(context, vnic->owner);
}

// A virtual interrupt per slice of time.
static enum cpu_next service(struct cpu_context *context, struct cpu_task *task)
{
    struct intercept_nic *nic = container_of(task, struct intercept_nic, service);
    if (!nic->in_service)
        interrupt_enter(context, nic);
    int bit = g_bit_nth_lsf(nic->serving, -1);
    nic->serving &= ~(1U << bit);
    serve(context, nic, bit);
    if (nic->serving)
        return CPU_AGAIN;
    host_interrupt_leave(context, nic->host);
    nic->in_service = false;
    // The line is still up: the handler is entered again at once.
    return nic->raised ? CPU_AGAIN : CPU_SLEEP;
}

void nic_interrupt_init(struct intercept_nic *nic)
{
    cpu_task_init(&nic->service, host_interrupt_core(nic->host), CPU_INTERRUPT, service);
}
