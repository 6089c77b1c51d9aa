// SPDX-License-Identifier: GPL-3.0-or-later
// The simplified RMPP as captures show it, after the card's header. The order of the common header
// is that of thesis 002 (5.2.3: type, msgNum, length); the fields of a Portals header are there
// without its layout, which the thesis does not give. Numbers are written upper byte first.
//
//   0   type      4
//   4   msgNum    8
//   12  length    4, headers and data
//   16  RTS: kind 4, initiator's nid and pid 4 each, target's nid and pid 4 each, portal 4,
//            match bits 8, header data 8, length 8, offset 8
//       DATA, STOP_DATA, LAST_DATA: number 4
//       CTS: n 4, mlen 4; NEXT_CTS: n 4
//       MSGERROR: error 4
#include "models/intercept/p3/p3_internal.h"

static void put_portals(struct intercept_frame *frame, const struct portals_header *header)
{
    intercept_frame_put(frame, header->kind, 4);
    intercept_frame_put(frame, (uint64_t)header->from.nid, 4);
    intercept_frame_put(frame, (uint64_t)header->from.pid, 4);
    intercept_frame_put(frame, (uint64_t)header->to.nid, 4);
    intercept_frame_put(frame, (uint64_t)header->to.pid, 4);
    intercept_frame_put(frame, (uint64_t)header->portal, 4);
    intercept_frame_put(frame, header->match_bits, 8);
    intercept_frame_put(frame, header->header_data, 8);
    intercept_frame_put(frame, (uint64_t)header->length, 8);
    intercept_frame_put(frame, (uint64_t)header->offset, 8);
}

void p3_frame(const struct intercept_sm *message, struct intercept_frame *frame)
{
    const struct p3_packet *packet = p3_packet_of(message);
    intercept_frame_put(frame, packet->kind, 4);
    intercept_frame_put(frame, packet->number, 8);
    intercept_frame_put(frame, packet->len, 4);
    switch ((enum p3_kind)packet->kind) {
    case P3_RTS:
        put_portals(frame, &packet->portals);
        break;
    case P3_CTS:
        intercept_frame_put(frame, packet->cts.n, 4);
        intercept_frame_put(frame, (uint64_t)packet->cts.mlen, 4);
        break;
    case P3_NEXT_CTS:
        intercept_frame_put(frame, packet->cts.n, 4);
        break;
    case P3_DATA:
    case P3_STOP_DATA:
    case P3_LAST_DATA:
        intercept_frame_put(frame, packet->data, 4);
        break;
    case P3_MSGERROR:
        intercept_frame_put(frame, (uint32_t)packet->error, 4);
        break;
    case P3_MSGEND:
    case P3_KINDS:
        break;
    }
}

void p3_words(const struct intercept_sm *message, struct trace_words *words)
{
    const struct p3_packet *packet = p3_packet_of(message);
    bool data =
        packet->kind == P3_DATA || packet->kind == P3_STOP_DATA || packet->kind == P3_LAST_DATA;
    g_snprintf(words->text, sizeof words->text, "RMPP %s", p3_kind_name(packet->kind));
    if (data)
        words->sequence = packet->data;
    words->answers = packet->kind == P3_MSGEND;
}
