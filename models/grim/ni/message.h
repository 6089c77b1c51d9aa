// SPDX-License-Identifier: GPL-3.0-or-later
// GRIM's message format (thesis 003, 4.1.1 and Fig. 4.2): eight big-endian words of header, then
// the payload, padded to whole words. Four words hold what the card needs to deliver the message,
// four are the user's. ACK and NACK are messages of two words.
//
//     word  bits 31..24      23..16            15..8          7..0
//      0    GRIM ID 0x0636                     NI token       NI sequence number
//      1    type 6, corr. 2  multicast tree    source endpoint
//      2    payload length in words            destination endpoint
//      3    logical channel                    active message function handler
//      4-7  user arguments
//
// The figure prints token and sequence number in one half word; eight bits each is the natural
// reading. A control message is words 0 and 1 with the token and sequence number of the message
// that it acknowledges, and with that message's source endpoint, so that the receiving card knows
// the channel to which the token belongs (thesis 003: "basic information").
#ifndef NETSIM_MODELS_GRIM_NI_MESSAGE_H
#define NETSIM_MODELS_GRIM_NI_MESSAGE_H

#include "sim/core/ledger.h"

#include <stdbool.h>
#include <stdint.h>

#define GRIM_ID 0x0636
#define GRIM_WORD_BYTES 4
#define GRIM_HEADER_BYTES 32
#define GRIM_CONTROL_BYTES 8
#define GRIM_MOST_PAYLOAD 64572
#define GRIM_ARGUMENTS 4
#define GRIM_ENDPOINTS 65536 // that 16 bits can number

enum grim_type {
    GRIM_ACTIVE_MESSAGE,
    GRIM_WRITE_VIRTUAL,  // RM-V
    GRIM_WRITE_PHYSICAL, // RM-P
    GRIM_READ_VIRTUAL,   // RM-RV
    GRIM_READ_REPLY,     // RM-RV reply
    GRIM_MULTICAST,
    GRIM_ACK,
    GRIM_NACK,
    GRIM_TYPES,
};

// "active message", "RM-V write", "ACK", …: static.
const char *grim_type_name(enum grim_type type);

// ACK and NACK.
bool grim_type_is_control(enum grim_type type);

// The fields of a header. Of a control message only type, token, sequence and source count.
struct grim_header {
    uint16_t id;
    uint8_t token, sequence;
    enum grim_type type;
    uint8_t correction; // bytes of padding in the payload's last word, 0 .. 3
    uint8_t tree;
    uint16_t source; // endpoint
    uint16_t words;  // of payload
    uint16_t destination;
    uint16_t channel; // logical channel at the destination's card
    uint16_t handler;
    uint32_t argument[GRIM_ARGUMENTS];
};

// A message as the layers above the card see it.
struct grim_message {
    enum grim_type type;
    uint8_t tree;
    uint16_t source, destination; // endpoints
    uint16_t handler;
    uint32_t argument[GRIM_ARGUMENTS];
    uint32_t bytes; // of payload, 0 .. GRIM_MOST_PAYLOAD
    // Payload is not stored: this is the message whose bytes [offset, offset + length) it carries,
    // length <= bytes (the rest are the library's own); MESSAGE_NONE: none.
    struct message_ref message;
    int64_t offset;
    uint32_t length;
    const void *content; // the payload's meaning for the library at the other end, or NULL; the
                         // sending library keeps it alive until the receiver has read it
    // Stamped by the sending card; read by the receiving card.
    uint8_t token, sequence;
};

// Payload with its padding, and the whole message in memory and on the wire.
uint32_t grim_padded(uint32_t bytes);
int64_t grim_message_bytes(const struct grim_message *message);

// The header of a data message for logical channel `channel` of its destination.
struct grim_header grim_header_of(const struct grim_message *message, uint16_t channel);

// Bytes of payload that a header announces: words less the correction.
uint32_t grim_payload(const struct grim_header *header);

// Writes GRIM_HEADER_BYTES, or GRIM_CONTROL_BYTES for a control message; returns how many.
int grim_encode(const struct grim_header *header, uint8_t bytes[GRIM_HEADER_BYTES]);

// Reads what grim_encode writes. Returns false if that is no header of GRIM: another identifier, an
// unknown type, too few bytes for its type, a payload of more than GRIM_MOST_PAYLOAD, or a
// correction without a payload.
bool grim_decode(const uint8_t *bytes, int count, struct grim_header *header);

#endif
