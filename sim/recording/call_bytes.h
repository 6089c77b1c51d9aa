// SPDX-License-Identifier: GPL-3.0-or-later
// A recorded call as bytes: which of its members differ from those of a bare call, and these.
// Numbers take as many bytes as they need.
#ifndef NETSIM_RECORDING_CALL_BYTES_H
#define NETSIM_RECORDING_CALL_BYTES_H

#include "sim/recording/recording.h"

// Gives the next piece of a stream of bytes; false if there is none.
typedef bool call_bytes_more_fn(void *owner, const unsigned char **from, const unsigned char **to);

struct call_reader {
    const unsigned char *at, *end;
    call_bytes_more_fn *more;
    void *owner;
    int line;                        // of the call before
    GArray *awaited;                 // int
    GArray *blocks, *receive_blocks; // int64_t
};

// Appends the call. last_line: of the rank's call before; 0: there is none. Returns the number of
// bytes that have the call's line: those after them are the call itself.
guint call_bytes_write(GByteArray *bytes, const struct recorded_call *call, int last_line);

void call_reader_init(struct call_reader *reader, call_bytes_more_fn *more, void *owner);
void call_reader_clear(struct call_reader *reader);

// Reads the next call, which must be there.
void call_bytes_read(struct call_reader *reader, struct recorded_call *call);

#endif
