// SPDX-License-Identifier: GPL-3.0-or-later
// The captures of a run: DIRECTORY/SERIES/NODE.pcapng, one file per host and series. It holds each
// frame that the host's cards sent or received, once.
//
// SERIES is the name of the series with every character but letters, digits and - _ . replaced by
// _, and with a number appended if two series would share a name. A frame's comments name the
// message whose bytes it carries, and what became of it if it was dropped. A drop is noted in the
// file of the card that had received the frame; if none had, in that of the sending card. A frame
// is therefore held in memory until it has ended; if too many would be held, the oldest is written
// as it is.
#ifndef NETSIM_OUTPUT_CAPTURES_H
#define NETSIM_OUTPUT_CAPTURES_H

#include "sim/core/capture.h"
#include "sim/output/file.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/model.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct captures_options {
    const char *directory;
    const char *const *nodes; // names of hosts, NULL-terminated; NULL: all
    sim_time from, to;        // each series is kept during [from, to); to 0: until its end
    int64_t snap;             // bytes kept per frame; 0: all
};

struct captures;

// Checks and plans; writes nothing. Returns NULL and sets *error if a stack can't be captured, a
// node is no host of any series, or the directory is something else. `options` and its scenario
// must outlive the captures. Free with captures_close or captures_drop.
struct captures *captures_new(const struct captures_options *options,
                              const struct registry *registry, const struct scenario *scenario,
                              GError **error);

// Appends the files that will be written to an array of struct file_use; the captures own the
// paths.
void captures_uses(const struct captures *captures, GArray *uses);

// Makes the directories. Returns false and sets *error if they can't be made or written to, or if
// more files would be open than the system allows.
bool captures_ready(struct captures *captures, GError **error);

// Subsequent frames belong to this series of the scenario.
void captures_begin(struct captures *captures, int series);
// Ends a series: moves its files to their places, or, unless `keep`, discards them.
void captures_end(struct captures *captures, bool keep);

// Appends what a finished series of the scenario has left to a list, for the manifest: {"as":
// "--pcap", "file", "series", "node"} of each host.
void captures_append_files(const struct captures *captures, int series, json_t *list);

// Whether all writes have succeeded so far. If not, sets *error to the first failure, which
// captures_close does not report again.
bool captures_whole(struct captures *captures, GError **error);

// The sink; owned by the captures.
struct capture *captures_sink(struct captures *captures);

// Frees the captures. Returns false and sets *error to the first failure if not all could be
// written. Ignores NULL.
bool captures_close(struct captures *captures, GError **error);
// The same, but discards files that have not been moved to their places.
void captures_drop(struct captures *captures);

#endif
