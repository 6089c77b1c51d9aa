// SPDX-License-Identifier: GPL-3.0-or-later
// The boot message (thesis 002, 5.3.2): the first message to a peer has the number BOOTMSGNUM and
// resets the peer's counter. Until the peer has answered it, others are numbered and postponed.
//
// The thesis names only the CTS as the answer. A message that fits into its RTS never gets one, so
// that its MSGEND must do as well (inferred).
#include "models/intercept/p3/p3_internal.h"

static const struct machine_state boot_states[] = {
    [P3_BOOT_FRESH] = {"FRESH", .next = MACHINE_TO(P3_BOOT_WAIT)},
    [P3_BOOT_WAIT] = {"WAIT",
                      {"the answer to the boot message", WAIT_ACK},
                      HELD_BY_PEER,
                      MACHINE_TO(P3_BOOT_OPEN)},
    [P3_BOOT_OPEN] = {.name = "OPEN"},
};

const struct machine_kind p3_boot_machine = {
    .name = "boot",
    .title = "Boot message of Portals to a peer",
    .source = "thesis 002, 5.3.2",
    .states = boot_states,
    .count = G_N_ELEMENTS(boot_states),
};

static void boot_enter(const struct cpu_context *context, const struct p3_process *process,
                       int iuca, struct p3_peer *peer, enum p3_boot_state state)
{
    cpu_machine_enter(context, &p3_boot_machine, &peer->boot, state,
                      p3_owner(process, p3_boot_machine.name, (uint64_t)iuca), NULL);
}

bool p3_boot_admits(struct cpu_context *context, struct p3_process *process, struct p3_send *send)
{
    struct p3_peer *peer = p3_peer(process, send->peer);
    if (peer->boot.state == P3_BOOT_FRESH)
        peer->send_number = BOOTMSGNUM;
    send->number = peer->send_number++;
    switch ((enum p3_boot_state)peer->boot.state) {
    case P3_BOOT_FRESH:
        boot_enter(context, process, send->peer, peer, P3_BOOT_WAIT);
        return true;
    case P3_BOOT_WAIT:
        FIFO_APPEND(peer->waiting, peer->waiting_last, send, next);
        ++*process->counters.postponed;
        return false;
    case P3_BOOT_OPEN:
        break;
    }
    return true;
}

void p3_boot_confirmed(struct cpu_context *context, struct p3_process *process, int iuca)
{
    struct p3_peer *peer = p3_peer(process, iuca);
    if (peer->boot.state != P3_BOOT_WAIT)
        return;
    boot_enter(context, process, iuca, peer, P3_BOOT_OPEN);
    while (peer->waiting) {
        struct p3_send *send = peer->waiting;
        peer->waiting = send->next;
        p3_postpone(process, send, NULL, P3_RTS);
    }
}
