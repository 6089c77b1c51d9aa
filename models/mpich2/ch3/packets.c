// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/pkt.h"

static const struct {
    const char *name;
    bool data;
} message_types[] = {
    [CH3_PKT_EAGER_SEND] = {"EAGER_SEND", true},
    [CH3_PKT_EAGER_SYNC_SEND] = {"EAGER_SYNC_SEND", true},
    [CH3_PKT_EAGER_SYNC_ACK] = {"EAGER_SYNC_ACK", false},
    [CH3_PKT_READY_SEND] = {"READY_SEND", true},
    [CH3_PKT_RNDV_REQ_TO_SEND] = {"RNDV_REQ_TO_SEND", false},
    [CH3_PKT_RNDV_CLR_TO_SEND] = {"RNDV_CLR_TO_SEND", false},
    [CH3_PKT_RNDV_SEND] = {"RNDV_SEND", true},
    [CH3_PKT_PUT] = {"PUT", true},
    [CH3_PKT_GET] = {"GET", false},
    [CH3_PKT_GET_RESP] = {"GET_RESP", true},
    [CH3_PKT_ACCUMULATE] = {"ACCUMULATE", true},
    [CH3_PKT_RMA_DONE] = {"RMA_DONE", false},
    [CH3_PKT_CLOSE] = {"CLOSE", false},
    [CH3_PKT_CLOSE_ACK] = {"CLOSE_ACK", false},
};
_Static_assert(sizeof message_types / sizeof message_types[0] == CH3_PKT_TYPES,
               "a row for each type");

int64_t ch3_pkt_data(const struct ch3_pkt *pkt)
{
    return message_types[pkt->type].data ? pkt->length : 0;
}

const char *ch3_pkt_name(enum ch3_pkt_type type)
{
    return message_types[type].name;
}
