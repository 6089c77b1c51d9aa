// SPDX-License-Identifier: GPL-3.0-or-later
// How the data of a transfer are cut into pieces that fit a buffer, and the cost of packing and
// unpacking them.
//
// Offsets count packed data: offset 0 is the first byte of the layout's first segment. A piece is a
// run of packed bytes, which consists of one or more blocks that are contiguous in memory.
#ifndef NETSIM_MODELS_ARMCI_LAYOUT_H
#define NETSIM_MODELS_ARMCI_LAYOUT_H

#include "sim/host/host.h"
#include "sim/program/data_layout.h"

struct armci_config;

struct armci_piece {
    int64_t offset, bytes; // packed
    int64_t blocks;        // contiguous blocks to copy; 0 only if there are no bytes
};

// Cuts a layout from its first byte to its last.
struct armci_pieces {
    const struct data_layout *layout; // the program's
    int64_t bytes;                    // of all data
    int64_t limit;                    // of a piece, >= 1
    int64_t offset;                   // of the next piece
    int64_t unit, span;               // strided: see layout.c
    int set;                          // vector: the current set of segments,
    int64_t segment, within;          // the current segment in it, and its bytes already taken
    bool ended;
};

// Pieces of at most `limit` (> 0) bytes. A strided section is divided by its dimensions (thesis
// 001, 3.1): as many whole slices of the highest dimension as fit make a piece; if not even one
// fits, each slice is divided by the next lower dimension, down to single rows, which are cut. A
// vector's segments are packed one after the other; only a segment longer than a piece is cut. Data
// of no bytes are one empty piece.
void armci_pieces_init(struct armci_pieces *pieces, const struct data_layout *layout, int64_t bytes,
                       int64_t limit);

// Returns false after the last piece.
bool armci_pieces_next(struct armci_pieces *pieces, struct armci_piece *piece);

// The number of pieces.
int64_t armci_pieces_count(const struct data_layout *layout, int64_t bytes, int64_t limit);

// Whether the data are contiguous in memory.
bool armci_layout_contiguous(const struct data_layout *layout);

// Bytes of a request that describe the remote memory: addresses, counts and strides in words of 4
// B, and one pointer per segment of a vector.
int64_t armci_layout_descriptor(const struct data_layout *layout);

// A limit below `limit` that makes all pieces of contiguous data equally long, if `limit` would
// give fewer than `whole` whole pieces and a rest of less than `rest` bytes; else `limit`.
int64_t armci_even_limit(int64_t bytes, int64_t limit, int64_t whole, int64_t rest);

// The cache distances of copying a piece between the user's memory and one of `buffers` buffers of
// `limit` bytes that are used in turn, in a transfer of `bytes` that is repeated: the user's memory
// is used again after all of it and the buffers have been touched, a buffer when its turn comes
// again. One is the source and the other the destination of the copy.
int64_t armci_user_reuse(int64_t bytes, int64_t buffers, int64_t limit);
int64_t armci_buffer_reuse(int64_t bytes, int64_t buffers, int64_t limit);

// Charges a copy of a piece, as stage "copy", and `block` for each of its blocks.
void armci_copy(struct cpu_context *context, const struct host *host,
                const struct armci_piece *piece, struct copy_reuse reuse, struct cost block,
                struct message_ref message);

// Like armci_copy, but adds the piece to the destination, as stage "accumulate": one pass from the
// source to the target, without a copy before it. (ARMCI at 03e1295c, 2001-06-22: the server calls
// armci_acc_2D with the message buffer as source, request.c; a client of the same node with the
// user's memory, strided.c; faccumulate.f: A(r,c) = A(r,c) + alpha * B(r,c). Unrolled loops are
// switched off on most platforms as "performance not better", acc.h: memory is the limit.)
void armci_add(struct cpu_context *context, const struct host *host,
               const struct armci_piece *piece, struct copy_reuse reuse,
               const struct armci_config *config, struct message_ref message);

#endif
