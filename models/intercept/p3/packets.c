// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/p3/packets.h"

#include "models/intercept/p3/p3_internal.h"

const char *p3_kind_name(unsigned kind)
{
    static const char *const names[P3_KINDS] = {
        [P3_RTS] = "RTS",
        [P3_CTS] = "CTS",
        [P3_NEXT_CTS] = "NEXT_CTS",
        [P3_DATA] = "DATA",
        [P3_STOP_DATA] = "STOP_DATA",
        [P3_LAST_DATA] = "LAST_DATA",
        [P3_MSGEND] = "MSGEND",
        [P3_MSGERROR] = "MSGERROR",
    };
    return kind < P3_KINDS ? names[kind] : "?";
}

// In the interrupt build each packet is marked. No mask: all planes that the card may use.
struct intercept_sm p3_packet_to(const struct p3_process *process, int peer, enum p3_kind kind,
                                 uint64_t number, int64_t header)
{
    struct intercept_sm sm = {
        .to = peer,
        .vnic = P3_VNIC,
        .marked = !process->config->poll,
        .bytes = (uint16_t)header,
    };
    *p3_packet(&sm) =
        (struct p3_packet){.kind = (uint8_t)kind, .len = (uint32_t)header, .number = number};
    return sm;
}

void p3_packet_data(struct intercept_sm *sm, struct message_ref message, int64_t offset,
                    int64_t length)
{
    sm->message = message;
    sm->offset = offset;
    sm->length = (uint32_t)length;
    sm->bytes = (uint16_t)(sm->bytes + length);
    p3_packet(sm)->len = sm->bytes;
}

bool p3_packet_send(struct cpu_context *context, struct p3_process *process, int tx,
                    const struct intercept_sm *sm)
{
    if (!vnic_send(context, process->vnic, tx, sm)) {
        if (tx == P3_TX_THREAD)
            process->full = true;
        return false;
    }
    ++*process->counters.sent[p3_packet_of(sm)->kind];
    return true;
}
