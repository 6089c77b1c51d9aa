// SPDX-License-Identifier: GPL-3.0-or-later
// A pcapng file, which tshark and Wireshark read: one section, in it interfaces, and frames with
// their time in nanoseconds, their direction and comments.
// Format: IETF draft-ietf-opsawg-pcapng.
#ifndef NETSIM_OUTPUT_PCAPNG_H
#define NETSIM_OUTPUT_PCAPNG_H

#include "sim/core/capture.h"

#include <glib.h>
#include <stdbool.h>

struct pcapng;

// Begins a file; `comment` is its section's. NULL and *error if it can't be written.
struct pcapng *pcapng_open(const char *path, const char *comment, GError **error);

// An interface on a link of `rate` b/s, of whose frames the first `snap` bytes are kept (0: all):
// its number, which counts from 0.
int pcapng_interface(struct pcapng *pcapng, const char *name, const struct capture_link *link,
                     int64_t rate, uint32_t snap);

// The block of a frame, without what follows its comments: `captured` of its bytes, on that
// interface of the file. The caller hands it to pcapng_write.
GByteArray *pcapng_block(int interface, const struct capture_frame *frame, uint32_t captured);
void pcapng_comment(GByteArray *block, const char *text);

// Ends the block, writes and frees it.
void pcapng_write(struct pcapng *pcapng, GByteArray *block);

// Ends and frees it. False and *error if not all of it could be written. NULL is ignored.
bool pcapng_close(struct pcapng *pcapng, GError **error);

// Ends without a file. NULL is ignored.
void pcapng_drop(struct pcapng *pcapng);

#endif
