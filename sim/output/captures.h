// SPDX-License-Identifier: GPL-3.0-or-later
// The captures of a run: DIRECTORY/SERIES/NODE.pcapng, one file for each host of each series, which
// holds what the host's cards sent and received, each frame once.
//
// SERIES is the name of the series, in which all but letters, digits and - _ . is replaced by _,
// and to which a number is added if another series would have the same. A frame's comments say
// whose bytes it carries, and what became of it if it was dropped: at the place where a card had
// received it, or else at the card that sent it, for no other has seen it. So it is held in memory
// until it has ended; if too many would be, the oldest is written as it is.
#ifndef NETSIM_OUTPUT_CAPTURES_H
#define NETSIM_OUTPUT_CAPTURES_H

#include "sim/core/capture.h"
#include "sim/output/file.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/model.h"

#include <glib.h>
#include <stdbool.h>

struct captures_options {
    const char *directory;
    const char *const *nodes; // names of hosts, NULL-terminated; NULL: all
    sim_time from, to;        // [from, to) of each series is kept; to 0: up to its end
    int64_t snap;             // bytes of a frame that are kept; 0: all
};

struct captures;

// Checks and plans; writes nothing. NULL and *error if a stack has nothing to capture, a node is no
// host of any series, or the directory is something else. Options and scenario must outlive it.
// Free with captures_close or captures_drop.
struct captures *captures_new(const struct captures_options *options,
                              const struct registry *registry, const struct scenario *scenario,
                              GError **error);

// Adds what will be written to an array of struct file_use; the paths are the captures'.
void captures_uses(const struct captures *captures, GArray *uses);

// Makes the directories. False and *error if they can't be made or written to, or if more files
// than the system allows would be open.
bool captures_ready(struct captures *captures, GError **error);

// What follows belongs to this series of the scenario.
void captures_begin(struct captures *captures, int series);
// Its files take their places, or (not kept) are none.
void captures_end(struct captures *captures, bool keep);

// Whether all could be written that was, so far; if not, *error is the first that could not, and
// captures_close does not tell it again.
bool captures_whole(struct captures *captures, GError **error);

// The sink; owned by the captures.
struct capture *captures_sink(struct captures *captures);

// Frees it. False and *error, the first, if not all could be written. NULL is ignored.
bool captures_close(struct captures *captures, GError **error);
// The same; drops what has not taken its place.
void captures_drop(struct captures *captures);

#endif
