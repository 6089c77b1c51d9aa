// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of bytes of one direction of a connection, from the write of one process to the read of
// the other: whose bytes they are, and the content of those that have some. The network's handling
// of the bytes in between is not seen here.
#ifndef NETSIM_MODELS_TCP_STREAM_H
#define NETSIM_MODELS_TCP_STREAM_H

#include "models/tcp/socket.h"
#include "sim/core/pool.h"

struct tcp_stream_run {
    int64_t start;   // in the stream
    int64_t length;  // bytes written so far
    int64_t missing; // bytes that a later write will add
    struct message_ref message;
    int64_t offset;
    bool stands_in;
    void *content; // of the pool; NULL: none
    uint32_t content_length;
};

struct tcp_stream {
    struct pool *singles;        // of struct tcp_stream_run: the rings of one
    struct pool *contents;       // of TCP_CONTENT_BYTES
    struct tcp_stream_run *runs; // a ring; NULL while its capacity is 0
    uint32_t capacity;           // 0, or a power of two; a ring of one goes when it is empty
    uint32_t head;               // the oldest that is kept
    uint32_t read;               // the one that is read next
    uint32_t tail;
    int64_t written, consumed; // bytes
};

// Initialises an empty stream. The pools outlive it. Clear it with tcp_stream_clear.
void tcp_stream_init(struct tcp_stream *stream, struct pool *singles, struct pool *contents);
void tcp_stream_clear(struct tcp_stream *stream);

// Appends `bytes` of a run, of which `taken` have been appended before.
void tcp_stream_append(struct tcp_stream *stream, const struct tcp_run *run, int64_t taken,
                       int64_t bytes);

// Takes the next part of the run at the reader, at most `bytes` (> 0, all of which are written).
void tcp_stream_take(struct tcp_stream *stream, int64_t bytes, struct tcp_piece *piece);

// Lets go of what has been read.
void tcp_stream_release(struct tcp_stream *stream);

// Of the bytes [start, start + bytes): the first that belong to a message, of which `length` is 0
// if they only stand for it. `message` has generation 0 if there is none.
void tcp_stream_find(const struct tcp_stream *stream, int64_t start, int64_t bytes,
                     struct message_ref *message, int64_t *offset, int64_t *length);

#endif
