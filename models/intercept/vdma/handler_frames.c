// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between VDMA handlers as captures show them, after the card's header. Thesis 002 names
// the messages and their contents (2.2.2, 5.2.2), but no layout. Numbers are written upper byte
// first.
//
//   0  kind (enum vdma_kind)          1
//   1  channel of a GET, or type of a client's message 1
//   2  slice of a GET                 2
//   4  credits, or bytes of an EXT_REPLY 4
//   8  GET, PUT: address 8, bytes 8; DONE, EXT_REPLY: key 8
#include "models/intercept/vdma/handler_internal.h"

void vdma_frame(const struct intercept_sm *message, struct intercept_frame *frame)
{
    const struct vdma_body *body = (const struct vdma_body *)(const void *)message->body;
    intercept_frame_put(frame, body->kind, 1);
    intercept_frame_put(frame, body->kind == VDMA_GET ? body->channel : body->type, 1);
    intercept_frame_put(frame, body->slice, 2);
    intercept_frame_put(frame, body->count, 4);
    switch ((enum vdma_kind)body->kind) {
    case VDMA_GET:
        intercept_frame_put(frame, (uint64_t)body->get.address, 8);
        intercept_frame_put(frame, (uint64_t)body->get.bytes, 8);
        break;
    case VDMA_PUT:
        intercept_frame_put(frame, (uint64_t)body->put.address, 8);
        intercept_frame_put(frame, (uint64_t)body->put.bytes, 8);
        break;
    case VDMA_DONE:
    case VDMA_PORTALS_GET_EXT_REPLY:
        intercept_frame_put(frame, body->key, 8);
        break;
    case VDMA_CONNECT:
    case VDMA_CONNECT_REFUSED:
    case VDMA_CREDIT:
    case VDMA_PORTALS_CLIENT:
    case VDMA_KINDS:
        break;
    }
}

void vdma_words(const struct intercept_sm *message, struct trace_words *words)
{
    const struct vdma_body *body = (const struct vdma_body *)(const void *)message->body;
    g_snprintf(words->text, sizeof words->text, "VDMA %s", vdma_kind_names[body->kind]);
    if (body->kind == VDMA_GET)
        words->sequence = body->slice;
    words->answers = body->kind == VDMA_CREDIT || body->kind == VDMA_DONE;
}
