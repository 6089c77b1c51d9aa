// SPDX-License-Identifier: GPL-3.0-or-later
// SCTP's chunks (RFC 9260, 3.3; FORWARD-TSN: RFC 3758, 3.2) as a packet carries them. Numbers have
// the host's byte order; a TSN has 32 bits and wraps (serial arithmetic, RFC 1982).
//
// Payload is not stored. A DATA chunk refers to the user message that its bytes belong to, which
// its sender wrote and which knows its part of the ledger.
//
// Not modelled: AUTH, ASCONF, RE-CONFIG, PKTDROP, I-DATA, NR-SACK, ECN's marks.
#ifndef NETSIM_MODELS_SCTP_WIRE_CHUNK_H
#define NETSIM_MODELS_SCTP_WIRE_CHUNK_H

#include "sim/core/ledger.h"
#include "sim/core/pool.h"

#include <stdbool.h>
#include <stdint.h>

#define SCTP_COMMON_HEADER 12
#define SCTP_CHUNK_HEADER 4
#define SCTP_DATA_HEADER 16 // chunk header included
#define SCTP_SACK_HEADER 16
#define SCTP_INIT_HEADER 20
#define SCTP_CONTENT_BYTES 96

enum sctp_chunk_type {
    SCTP_DATA = 0,
    SCTP_INIT = 1,
    SCTP_INIT_ACK = 2,
    SCTP_SACK = 3,
    SCTP_HEARTBEAT = 4,
    SCTP_HEARTBEAT_ACK = 5,
    SCTP_ABORT = 6,
    SCTP_SHUTDOWN = 7,
    SCTP_SHUTDOWN_ACK = 8,
    SCTP_ERROR = 9,
    SCTP_COOKIE_ECHO = 10,
    SCTP_COOKIE_ACK = 11,
    SCTP_ECNE = 12,
    SCTP_CWR = 13,
    SCTP_SHUTDOWN_COMPLETE = 14,
    SCTP_FORWARD_TSN = 192,
};

enum sctp_chunk_flag {
    SCTP_DATA_END = 0x01,
    SCTP_DATA_BEGIN = 0x02,
    SCTP_DATA_UNORDERED = 0x04,
    SCTP_DATA_IMMEDIATE = 0x08, // RFC 7053
    SCTP_REFLECTED = 0x01,      // T bit of ABORT and SHUTDOWN-COMPLETE
    SCTP_SACK_PACKETS = 0xC0,   // DAC: DATA packets since the last SACK
};

enum sctp_parameter_type {
    SCTP_HEARTBEAT_INFO = 1,
    SCTP_IPV4_ADDRESS = 5,
    SCTP_IPV6_ADDRESS = 6,
    SCTP_STATE_COOKIE = 7,
    SCTP_UNRECOGNIZED_PARAMETER = 8,
    SCTP_COOKIE_PRESERVATIVE = 9,
    SCTP_HOST_NAME_ADDRESS = 11,
    SCTP_SUPPORTED_ADDRESS_TYPES = 12,
    SCTP_ECN_CAPABLE = 0x8000,
    SCTP_PADDING = 0x8005, // RFC 4820
    SCTP_SUPPORTED_EXTENSIONS = 0x8008,
    SCTP_FORWARD_TSN_SUPPORTED = 0xC000,
    SCTP_ADAPTATION_INDICATION = 0xC006,
};

enum sctp_cause {
    SCTP_INVALID_STREAM_IDENTIFIER = 1,
    SCTP_MISSING_MANDATORY_PARAMETER = 2,
    SCTP_STALE_COOKIE = 3,
    SCTP_OUT_OF_RESOURCE = 4,
    SCTP_UNRESOLVABLE_ADDRESS = 5,
    SCTP_UNRECOGNIZED_CHUNK = 6,
    SCTP_INVALID_MANDATORY_PARAMETER = 7,
    SCTP_UNRECOGNIZED_PARAMETERS = 8,
    SCTP_NO_USER_DATA = 9,
    SCTP_COOKIE_IN_SHUTDOWN = 10,
    SCTP_RESTART_WITH_NEW_ADDRESSES = 11,
    SCTP_USER_INITIATED_ABORT = 12,
    SCTP_PROTOCOL_VIOLATION = 13,
};

// Faults that the decoder found in a chunk. The rules of the association decide what follows.
enum sctp_chunk_fault {
    SCTP_CHUNK_SOUND,
    SCTP_CHUNK_SHORT,   // its length is below that of its fixed part, or of what it announces
    SCTP_CHUNK_OVERRUN, // it runs over the packet's end
};

// Serial arithmetic of TSNs (32 bits) and SSNs (16 bits).
static inline bool sctp_tsn_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static inline bool sctp_ssn_before(uint16_t a, uint16_t b)
{
    return (int16_t)(a - b) < 0;
}

// Where the chunks of a host's packets, and what they refer to, come from. The host that made them
// owns them; freeing the last reference returns it there.
#define SCTP_BYTE_CLASSES 6
struct sctp_pools {
    struct pool chunks, messages;
    struct pool bytes[SCTP_BYTE_CLASSES]; // of 64 B, 256 B, 1 KiB, ... 64 KiB
};

void sctp_pools_init(struct sctp_pools *pools);
void sctp_pools_clear(struct sctp_pools *pools);

// A block of bytes of variable size: parameters, causes, a cookie, an unknown chunk.
struct sctp_bytes {
    struct sctp_pools *pools;
    int references;
    uint32_t length, room;
    uint8_t data[];
};

// An empty block with room for `room` bytes (at most 64 KiB) and one reference.
struct sctp_bytes *sctp_bytes_new(struct sctp_pools *pools, uint32_t room);
void sctp_bytes_ref(struct sctp_bytes *bytes);
void sctp_bytes_free(struct sctp_bytes *bytes); // one reference; NULL is ignored

// A user message as its sender wrote it. Each DATA chunk of it holds a reference.
struct sctp_message {
    struct sctp_pools *pools;
    int references;
    uint32_t length;            // bytes of user data, the content included
    uint32_t content_length;    // of its first bytes: what the protocol above wrote
    struct message_ref message; // owner of the other bytes; generation 0: none
    int64_t offset;             // of the first of those in that message
    bool stands_in;             // the owner has no bytes: this message represents it
    uint8_t content[SCTP_CONTENT_BYTES];
};

struct sctp_message *sctp_message_new(struct sctp_pools *pools); // zeroed, one reference
void sctp_message_ref(struct sctp_message *message);
void sctp_message_free(struct sctp_message *message); // one reference; NULL is ignored

struct sctp_data {
    uint32_t tsn;
    uint16_t stream, ssn;
    uint32_t protocol;            // payload protocol identifier
    uint32_t bytes;               // of user data in this chunk
    uint32_t offset;              // of the first of them in the user message
    struct sctp_message *message; // NULL: from outside, without a message
};

// INIT and INIT-ACK.
struct sctp_init {
    uint32_t tag, a_rwnd, tsn;
    uint16_t streams_out, streams_in;
    struct sctp_bytes *parameters; // TLVs with padding between them; NULL: none
};

// A gap block: TSNs cum_tsn + start .. cum_tsn + end have arrived.
struct sctp_gap {
    uint16_t start, end;
};

struct sctp_sack {
    uint32_t cum_tsn, a_rwnd;
    uint16_t gap_count, duplicate_count;
    struct sctp_bytes *blocks; // struct sctp_gap of each, then uint32_t of each duplicate
};

struct sctp_forward_tsn {
    uint32_t cum_tsn;
    struct sctp_bytes *streams; // pairs of stream and SSN, as on the wire; NULL: none
};

struct sctp_chunk {
    struct sctp_chunk *next;
    uint8_t type, flags;
    uint8_t fault;   // enum sctp_chunk_fault
    uint16_t length; // as on the wire: with the header, without padding
    union {
        struct sctp_data data;
        struct sctp_init init; // INIT, INIT-ACK
        struct sctp_sack sack;
        uint32_t cum_tsn; // SHUTDOWN, ECNE, CWR
        struct sctp_forward_tsn forward;
        // HEARTBEAT, HEARTBEAT-ACK, ABORT, ERROR, COOKIE-ECHO, unknown types and those with a
        // fault: all after the chunk's header. NULL: nothing.
        struct sctp_bytes *bytes;
    };
};

// Which member of the union a type has: the codec, the release and the copy go by it.
enum sctp_chunk_form {
    SCTP_FORM_EMPTY,
    SCTP_FORM_DATA,
    SCTP_FORM_INIT,
    SCTP_FORM_SACK,
    SCTP_FORM_CUM_TSN,
    SCTP_FORM_FORWARD,
    SCTP_FORM_BYTES,
};
enum sctp_chunk_form sctp_chunk_form(const struct sctp_chunk *chunk);

// "DATA", "COOKIE-ECHO"; "chunk" if the type is unknown.
const char *sctp_chunk_name(uint8_t type);

// A zeroed chunk of a type with the length of its fixed part.
struct sctp_chunk *sctp_chunk_new(struct sctp_pools *pools, uint8_t type, uint8_t flags);
void sctp_chunk_free(struct sctp_pools *pools, struct sctp_chunk *chunk);

// A copy that shares what the chunk refers to.
struct sctp_chunk *sctp_chunk_copy(struct sctp_pools *pools, const struct sctp_chunk *chunk);

// The gap blocks and duplicates of a SACK; NULL if it has none.
static inline const struct sctp_gap *sctp_sack_gaps(const struct sctp_sack *sack)
{
    return sack->blocks ? (const struct sctp_gap *)(const void *)sack->blocks->data : NULL;
}

static inline const uint32_t *sctp_sack_duplicates(const struct sctp_sack *sack)
{
    return sack->blocks ? (const uint32_t *)(const void *)(sack->blocks->data + 4 * sack->gap_count)
                        : NULL;
}

// ---- Parameters and causes: type (16 bits), length (16 bits), value, padding to 4 bytes ----

struct sctp_tlv {
    uint16_t type, length; // with its header of 4 bytes, without padding
    const uint8_t *value;
    uint32_t value_length;
    bool sound; // its length is at least 4 and does not run over the end
};

// Reads the TLV at *at and moves *at on to the next one. Returns false at the end. After one that
// is not sound there is none.
bool sctp_tlv_next(const struct sctp_bytes *bytes, uint32_t *at, struct sctp_tlv *tlv);

// Appends a TLV, with padding before it if needed, and returns where its value lies (not set; NULL
// value: zeroed). The block must have room for it.
uint8_t *sctp_tlv_append(struct sctp_bytes *bytes, uint16_t type, const void *value,
                         uint32_t value_length);

// Numbers in network byte order.
uint16_t sctp_get16(const uint8_t *at);
uint32_t sctp_get32(const uint8_t *at);

#endif
