// SPDX-License-Identifier: GPL-3.0-or-later
// The space-time diagram of one message: what the programs, libraries, kernels, buses and cards at
// its two ends, and the links and switches between them, did from the call that sent it until its
// receiver had it. It is data (columns, spans, arrows, steps, the critical path); plots/diagram.py
// draws it.
//
// A column is a part of a host, a switch or a link. A processor's work is in that of the program,
// the library or the kernel by the class of its stage; a copy is the kernel's in an interrupt, and
// within a system call from its trap until a stage of the library follows. A card's
// processors and engines are one column.
//
// An arrow is a packet with its time on each link of its path. There is one for each packet of the
// message, for each packet without a message between the two hosts, and for those of other messages
// that met it on a link.
#ifndef NETSIM_EXPLAIN_DIAGRAM_H
#define NETSIM_EXPLAIN_DIAGRAM_H

#include "sim/explain/explain.h"
#include "sim/explain/trial.h"

#define DIAGRAM_MOST_PACKETS 500 // of the message
#define DIAGRAM_MOST_SPANS 20000

// The part of a host, in the order of a sender's columns, or of the network.
enum diagram_role {
    DIAGRAM_PROGRAM,
    DIAGRAM_LIBRARY,
    DIAGRAM_KERNEL,
    DIAGRAM_BUS,
    DIAGRAM_CARD,
    DIAGRAM_LINK,
    DIAGRAM_SWITCH,
};

// All names are interned or static.
struct diagram_column {
    const char *node; // host or switch; of a link: "node0-switch", its ends in either order
    enum diagram_role role;
};

enum diagram_kind {
    DIAGRAM_CALL,  // of the program, from its start to its end
    DIAGRAM_WORK,  // something was busy
    DIAGRAM_DELAY, // a latency
};

struct diagram_span {
    guint column;
    enum diagram_kind kind;
    const char *lane, *name;
    enum stage_class class; // not of a call
    sim_time from, to;
    bool own, other;        // of the message; of another one
    bool path;              // the critical path is on it
    struct trace_call call; // of DIAGRAM_CALL
    guint key[2];         // its lane, and the how manieth of its stage there: for diagram_constants
    GPtrArray *constants; // const char *, interned: parameters that its time depends on; or NULL
};

// A packet's time on a link.
struct diagram_hop {
    const char *link, *ends[2]; // "node0->switch", its ends
    sim_time since, from, to;   // came to wait for it, first bit, last bit
    sim_time arrived;           // the last bit, at the far end
    GPtrArray *constants;       // as of a span
};

struct diagram_arrow {
    const void *identity;
    const char *from, *to; // hosts
    struct trace_words words;
    uint32_t bytes, length;
    int64_t offset;
    struct message_ref message;
    bool own, other;     // of the message; of another one
    GArray *hops;        // struct diagram_hop
    const char *dropped; // why; NULL: it was not
    sim_time dropped_at;
};

// A step of a state machine.
struct diagram_step {
    guint column;
    const char *where, *machine;
    int64_t subject;
    const char *from, *to; // `from` may be NULL
    char *detail;          // or NULL
    sim_time when;
};

struct diagram_mark {
    guint column;
    const char *what;
    sim_time since, when;
};

// A part of the critical path: they cover the message's time without gap or overlap.
struct diagram_part {
    guint column;
    int span; // index; -1: on a link, or a wait
    const char *stage, *by;
    enum stage_class class;
    sim_time from, to;
    GPtrArray *constants; // as of a span, if it has none
};

// All times are those of the run; `from` is when the message was opened, `to` when its receiver had
// it, `until` when what belongs to it had ended.
struct diagram {
    char *why; // there is none; or NULL
    bool bad;  // what was asked for does not exist, rather than that the run failed
    enum sim_status status;
    struct trace_message message;
    const char *ends[2]; // hosts of source and destination
    sim_time from, to, until;
    GArray *columns, *spans, *arrows, *steps, *marks, *path;
};

// The run and its message: the `number`th of the run as the ledger counts; 0: of those that are
// measured, of run->size if its benchmark has sizes, the second one from the first one's source to
// its destination, as the first may meet what was before, or the only one.
struct diagram_request {
    const struct explain_run *run;
    uint64_t number;
};

// Never NULL. Free with diagram_free.
struct diagram *diagram_of(const struct diagram_request *request);
void diagram_free(struct diagram *diagram);

// Finds the constants of each span: the same run again with each one changed by a little, to see
// which times change. Constants are times, costs and rates of the sections that the case reads.
void diagram_constants(struct diagram *diagram, const struct diagram_request *request,
                       const struct explain_again *again);

// The document, a new reference: `scenario` and the case name its run.
json_t *diagram_json(const struct diagram *diagram, const char *scenario,
                     const struct diagram_request *request);

const char *diagram_role_name(enum diagram_role role);

#endif
