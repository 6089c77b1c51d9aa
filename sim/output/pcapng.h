// SPDX-License-Identifier: GPL-3.0-or-later
// A capture sink that writes pcapng, which tshark and Wireshark read: a section for each series
// (its name is the section's comment), in it an interface for each card, and each frame with its
// time in nanoseconds and its direction.
// Format: IETF draft-ietf-opsawg-pcapng.
#ifndef NETSIM_OUTPUT_PCAPNG_H
#define NETSIM_OUTPUT_PCAPNG_H

#include "sim/core/capture.h"

#include <glib.h>
#include <stdbool.h>

struct pcapng;

// NULL and *error if the file can't be written.
struct pcapng *pcapng_open(const char *path, GError **error);

// What follows belongs to this series.
void pcapng_series(struct pcapng *pcapng, const char *name);

// The sink; owned by the file.
struct capture *pcapng_capture(struct pcapng *pcapng);

// Ends and frees it. False and *error if not all of it could be written. NULL is ignored.
bool pcapng_close(struct pcapng *pcapng, GError **error);

// Ends without a file. NULL is ignored.
void pcapng_drop(struct pcapng *pcapng);

#endif
