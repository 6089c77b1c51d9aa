// SPDX-License-Identifier: GPL-3.0-or-later
// Recorders: the sinks that keep what happens in the series of a run, each in a file of its own
// format, or in a directory. Opening, series, the parts of parallel runs and closing are the same
// for all and are here; a format is a row of RECORDERS and a struct recorder_kind in its own file.
#ifndef NETSIM_OUTPUT_RECORDER_H
#define NETSIM_OUTPUT_RECORDER_H

#include "sim/core/capture.h"
#include "sim/core/trace.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// The formats, in the order in which files are opened, listed and closed: ROW(the enumerator's end,
// the struct recorder_kind, the option of `netsim run`, the kind of its value (FILE or DIRECTORY)
// and the value's name, its summary, and its sentences in the man page or NULL).
// clang-format off
#define RECORDERS(ROW)                                                                             \
    ROW(TIMELINE, timeline_kind, "trace", FILE, "FILE",                                            \
        "write a timeline for ui.perfetto.dev",                                                    \
        "Chrome's trace format: a lane for each processor, bus, network interface, wire "          \
        "and switch port. FILE.gz is compressed, as that of `--log-states` and `--values`; "       \
        "Perfetto reads it as it is.")                                                             \
    ROW(STATES, state_log_kind, "log-states", FILE, "FILE",                                        \
        "write the protocol transitions, one a line", NULL)                                        \
    ROW(VALUES, values_kind, "values", FILE, "FILE",                                               \
        "write the values of windows and the like over time, as CSV",                              \
        "What a stack tells of its connections, a row for each change: series, host, name, "       \
        "quantity, unit, time in microseconds, value. `netsim plot FILE` draws it.")               \
    ROW(CAPTURES, captures_kind, "pcap", DIRECTORY, "DIR",                                         \
        "write what the cards send and receive: DIR/SERIES/NODE.pcapng",                           \
        "A pcapng file for each node of each series, with nanoseconds from the beginning of "      \
        "the series. "                                                                             \
        "The payload is zeros. A frame's comments say whose bytes it carries and, if it was "      \
        "dropped, where and why. Frames that Wireshark does not know are read by "                 \
        "share/netsim/wireshark/netsim.lua (`tshark -X lua_script:FILE`).")
#define RECORDER_ENUMERATOR(end, kind, option, words, argument, summary, more) RECORD_##end,
#define RECORDER_DECLARATION(end, kind, option, words, argument, summary, more)                    \
    extern const struct recorder_kind kind;
// clang-format on

enum { RECORDERS(RECORDER_ENUMERATOR) RECORD_KINDS };

RECORDERS(RECORDER_DECLARATION)

struct captures_options;
struct file;
struct recorder;
struct registry;
struct result;
struct scenario;

// The recordings that a run is asked for. It must outlive the recorders.
struct recorders_request {
    char *const *paths; // RECORD_KINDS; NULL: not asked for
    const struct captures_options *captures;
    const struct registry *registry;
    const struct scenario *scenario;
    sim_time trace_from, trace_to; // of the timeline; as in struct recorder
};

// Functions of a kind whose path is a directory.
struct recorder_directory_ops {
    // Checks the request and plans; writes nothing. Returns false and sets *error if it can't be
    // met.
    bool (*plan)(struct recorder *recorder, const struct recorders_request *request,
                 GError **error);
    // Plans the recorder of another process like `whole`.
    void (*share)(struct recorder *part, const struct recorder *whole);
    // Makes the directories. Returns false and sets *error if they can't be written to.
    bool (*open)(struct recorder *recorder, GError **error);
    // Appends all that will be written, as struct file_use.
    void (*append_uses)(const struct recorder *recorder, GArray *uses);
    // Appends the files of a finished series of the scenario: {"as", "file", "series", …}.
    void (*append_files)(const struct recorder *recorder, int series, json_t *list);
    // Whether all writes have succeeded. If not, sets *error to the first failure.
    bool (*is_whole)(struct recorder *recorder, GError **error);
};

// A format. Functions may be NULL unless otherwise stated.
struct recorder_kind {
    size_t size;                     // of its struct, whose first member is a struct recorder
    const struct trace_ops *trace;   // NULL: it takes no events
    const struct capture_ops *frame; // NULL: it takes no frames
    const struct recorder_directory_ops *directory; // NULL: the path is a file
    const char *header, *footer; // of a file: before the first and after the last series
    void (*init)(struct recorder *recorder);
    // Never NULL: subsequent events belong to this series of the scenario.
    void (*begin_series)(struct recorder *recorder, int series, const char *name);
    // Writes what is pending of a series. `complete`: the series was not cut short. Also called
    // between series.
    void (*end_series)(struct recorder *recorder, bool complete);
    // Inserts a part, which is rewound, as the next series. NULL: copies it.
    void (*join)(struct recorder *recorder, FILE *part);
    // Never NULL: frees what init and the events have allocated.
    void (*clear)(struct recorder *recorder);
};

struct recorder {
    struct trace trace;
    struct capture capture;
    const struct recorder_kind *kind;
    char *path; // NULL: a part
    struct file *file;
    FILE *out;          // NULL: not open, or a directory
    bool is_compressed; // `out` is a stream of its own before that of the file
    // The stretch of each series that is recorded, by kinds that can leave out the rest; `to` 0: to
    // its end.
    sim_time from, to;
};

// A recorder whose file is not open yet. Free with recorder_close or recorder_drop.
struct recorder *recorder_new(const struct recorder_kind *kind, const char *path);

// Returns false and sets *error if the file or directory can't be written.
bool recorder_open(struct recorder *recorder, GError **error);

// A recorder of a series into `part`, without header and footer; recorder_close leaves `part` open.
struct recorder *recorder_part(const struct recorder_kind *kind, FILE *part);

// Creates a file for such a part of an open recorder, which another process may write; inserts a
// part as the next series. Both set *error if the file could not be written or read, and return
// NULL or false.
FILE *recorder_new_part(const struct recorder *recorder, GError **error);
bool recorder_join(struct recorder *recorder, FILE *part, GError **error);

// Ends the series under way, if any, and begins another one.
void recorder_begin(struct recorder *recorder, int series, const char *name);

// Completes the file and frees the recorder. Returns false and sets *error if not all of it could
// be written. Ignores NULL.
bool recorder_close(struct recorder *recorder, GError **error);

// Frees the recorder without leaving a file. Ignores NULL.
void recorder_drop(struct recorder *recorder);

// ---- All recorders of a run ----

struct recorders {
    struct recorder *of[RECORD_KINDS]; // NULL: not asked for
    GPtrArray *tees;                   // struct tee *
    struct trace *trace;               // the sink of all; NULL: none
    struct capture *capture;           // NULL: none
};

// The option that asks for a kind: "--trace".
const char *recorders_option(int kind);

// Makes those that are asked for, without writing anything. Returns false and sets *error if one
// can't do what it is asked. Free with recorders_close or recorders_drop, in any case.
bool recorders_plan(struct recorders *all, const struct recorders_request *request, GError **error);

// Appends the files and directories that will be written, as struct file_use; the recorders own
// the paths.
void recorders_append_uses(const struct recorders *all, GArray *uses);

// Returns false and sets *error if one can't be written.
bool recorders_open(struct recorders *all, GError **error);

// The parts of a series that another process records: parts[kind] for each recorder of a file;
// recorders_part makes that process's recorders. recorders_join inserts the parts; it returns false
// and sets *error at the first that can't be read or written. recorders_close_parts ignores NULLs.
bool recorders_new_parts(const struct recorders *all, FILE *parts[RECORD_KINDS], GError **error);
void recorders_part(const struct recorders *all, FILE *const parts[RECORD_KINDS],
                    struct recorders *part);
bool recorders_join(const struct recorders *all, FILE *const parts[RECORD_KINDS], GError **error);
void recorders_close_parts(FILE *parts[RECORD_KINDS]);

void recorders_begin(const struct recorders *all, int series, const char *name);
// `complete`: the series was not cut short.
void recorders_end(const struct recorders *all, bool complete);

// The files written of the series of a result: a list of {"as": the option, "file", …}.
json_t *recorders_files(const struct recorders *all, const struct result *result);

// Completes and frees all. Returns what is wrong with those that are not whole, in words (NULL:
// nothing); the caller frees it (g_strfreev).
char **recorders_close(struct recorders *all);
void recorders_drop(struct recorders *all);

#endif
