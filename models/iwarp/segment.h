// SPDX-License-Identifier: GPL-3.0-or-later
// Segments of DDP with the header of RDMAP (RFC 5041, 4; RFC 5040, 4), and what a transport does
// with them.
#ifndef NETSIM_MODELS_IWARP_SEGMENT_H
#define NETSIM_MODELS_IWARP_SEGMENT_H

#include "models/iwarp/verbs.h"

#define IWARP_TAGGED_HEADER 14
#define IWARP_UNTAGGED_HEADER 18
#define IWARP_READ_HEADER 28 // of a read request, after the untagged header
#define IWARP_TERMINATE_HEADER 4
#define IWARP_FIRST_BYTES 14 // are read by themselves: they name the place of the rest
#define IWARP_MOST_HEADER (IWARP_UNTAGGED_HEADER + IWARP_CONTENT_BYTES)

// RDMAP's opcodes (RFC 5040, 4.2).
enum iwarp_opcode {
    IWARP_OPCODE_WRITE = 0,
    IWARP_OPCODE_READ_REQUEST = 1,
    IWARP_OPCODE_READ_RESPONSE = 2,
    IWARP_OPCODE_SEND = 3,
    IWARP_OPCODE_TERMINATE = 7,
};

// Queue numbers of untagged messages (RFC 5040, 4.1).
enum iwarp_queue {
    IWARP_QUEUE_SEND,
    IWARP_QUEUE_READ_REQUEST,
    IWARP_QUEUE_TERMINATE,
    IWARP_QUEUES,
};

// Error codes of a terminate message.
enum iwarp_fault {
    IWARP_FAULT_USER,          // the program has posted it
    IWARP_FAULT_BAD_STAG,      // no such memory, or of another protection domain
    IWARP_FAULT_OUT_OF_BOUNDS, // of registered memory
    IWARP_FAULT_NO_RECEIVE,    // no posted receive
    IWARP_FAULT_TOO_LONG,      // for the posted receive
    IWARP_FAULT_HEADER,        // unknown version, opcode or queue
    IWARP_FAULTS,
};

// Layer, type and code as in the first 16 bits of the terminate header (RFC 5040, 4.8).
uint16_t iwarp_fault_code(enum iwarp_fault fault);
const char *iwarp_fault_text(enum iwarp_fault fault);
// IWARP_FAULT_USER if the code is none of those.
enum iwarp_fault iwarp_fault_of(uint16_t code);

struct iwarp_header {
    bool tagged, last;
    enum iwarp_opcode opcode;
    // Tagged.
    uint32_t stag;
    int64_t address; // tagged offset
    // Untagged.
    uint32_t queue, msn;
    uint32_t offset; // in the message
    // A read request.
    struct {
        uint32_t sink_stag, length, source_stag;
        int64_t sink, source;
    } read;
    uint16_t code; // of a terminate message
};

// Bytes of the headers, without content.
int iwarp_header_bytes(const struct iwarp_header *header);

// Writes the headers and returns their bytes.
int iwarp_header_encode(const struct iwarp_header *header, unsigned char *to);

// Decodes the first `length` bytes; false if they cannot be of a sound header. With
// IWARP_FIRST_BYTES of them it fills the fields that lie there.
bool iwarp_header_decode(struct iwarp_header *header, const unsigned char *from, int length);

// A segment that is to be sent: headers and content, then `bytes` bytes of a message.
struct iwarp_segment {
    unsigned char head[IWARP_MOST_HEADER];
    int head_bytes;
    int64_t bytes;
    struct message_ref message;
    int64_t offset;
    bool stands_in;
    uint16_t stream;
};

// The part of a segment that has been read.
struct iwarp_part {
    unsigned char head[IWARP_MOST_HEADER]; // headers and content, as far as they have come
    int head_bytes;
    // Of the last read: bytes after the headers and content.
    int64_t bytes;
    struct message_ref message;
    int64_t offset;
    bool stands_in;
    bool end; // that was all of the segment
};

// MPA's state of a connection.
struct iwarp_link {
    int64_t sent, received; // bytes of the stream, up to the segment that is under way
    int64_t written;        // of the segment that is being written
    int64_t left, trailer;  // bytes of the segment that is being read; MPA's among them, at its end
    int first;              // of its first bytes, how many have been read
    bool head_done;         // so have all its headers
};

// The differences between transports: a row for each.
struct iwarp_transport {
    const char *name;
    int64_t most; // bytes of a segment, headers included
    // Begins to connect for the task; NULL: no route leads to the address.
    void *(*connect)(struct cpu_context *context, const struct iwarp_address *address,
                     struct cpu_task *task);
    // The next connection of a listener; NULL: the task sleeps until there is one.
    void *(*accept)(struct cpu_context *context, const struct iwarp_listener *listener,
                    struct cpu_task *task);
    bool (*failed)(void *socket); // to connect
    struct inet_socket *(*inet)(void *socket);
    bool (*established)(const void *socket);
    int (*streams)(void *socket);
    // Sends a segment. IWARP_AGAIN: no room; the caller repeats the call, with the same segment,
    // once the socket is writable.
    enum iwarp_result (*send)(struct cpu_context *context, struct iwarp_qp *qp,
                              const struct iwarp_segment *segment);
    // Reads the first IWARP_FIRST_BYTES of a segment into `part`. IWARP_AGAIN: they have not come.
    // IWARP_GONE: no more will arrive; `*orderly`: since the peer has closed.
    enum iwarp_result (*first)(struct cpu_context *context, struct iwarp_qp *qp,
                               struct iwarp_part *part, bool *orderly);
    // Reads more of it, as much as has come. `head`: bytes of headers and content that it has.
    enum iwarp_result (*rest)(struct cpu_context *context, struct iwarp_qp *qp,
                              struct iwarp_part *part);
    void (*shutdown)(struct cpu_context *context, void *socket);
    void (*close)(struct cpu_context *context, void *socket);
    json_t *(*describe)(const void *socket);
};

extern const struct iwarp_transport iwarp_over_sctp, iwarp_over_tcp;

#endif
