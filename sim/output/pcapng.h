// SPDX-License-Identifier: GPL-3.0-or-later
// A pcapng file for tshark and Wireshark: one section with interfaces, and frames with their time
// in nanoseconds, their direction and comments.
// Format: IETF draft-ietf-opsawg-pcapng.
#ifndef NETSIM_OUTPUT_PCAPNG_H
#define NETSIM_OUTPUT_PCAPNG_H

#include "sim/core/capture.h"

#include <glib.h>
#include <stdbool.h>

struct pcapng;

// Begins a file; `comment` is the section's. Returns NULL and sets *error if it can't be written.
struct pcapng *pcapng_open(const char *path, const char *comment, GError **error);

// Adds an interface on a link of `rate` bits per second. The first `snap` bytes of each frame are
// kept (0: all). Returns the interface's number, counted from 0.
int pcapng_interface(struct pcapng *pcapng, const char *name, const struct capture_link *link,
                     int64_t rate, uint32_t snap);

// The block of a frame up to its comments, with the frame's first `captured` bytes, on that
// interface of the file. The caller passes it to pcapng_write.
GByteArray *pcapng_block(int interface, const struct capture_frame *frame, uint32_t captured);
void pcapng_comment(GByteArray *block, const char *text);

// Completes the block, writes it and frees it.
void pcapng_write(struct pcapng *pcapng, GByteArray *block);

// Completes the file and frees `pcapng`. Returns false and sets *error if not all of it could be
// written. Ignores NULL.
bool pcapng_close(struct pcapng *pcapng, GError **error);

// Frees `pcapng` without leaving a file. Ignores NULL.
void pcapng_drop(struct pcapng *pcapng);

#endif
