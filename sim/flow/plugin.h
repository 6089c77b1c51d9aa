// SPDX-License-Identifier: GPL-3.0-or-later
// The interface between netsim and its plugin for SimGrid (simgrid/). SimGrid has one engine per
// process, a main loop of its own, and state that is global: a child process of the run loads the
// plugin (child.h), and netsim itself never has SimGrid in it. The child is a fork of netsim: the
// plugin calls netsim's own code, by the functions below.
//
// The plugin knows hosts, links, ranks and steps. netsim computes the cost of each step (steps.h,
// curve.h).
//
// A C interface, which C++ includes.
#ifndef NETSIM_FLOW_PLUGIN_H
#define NETSIM_FLOW_PLUGIN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLOW_PLUGIN_VERSION 2
#define FLOW_ANY (-1)

// ---- The machine ----

struct flow_link {
    double rate;     // bytes per second
    bool one_by_one; // carries one flow at a time: others wait for their turn, in order
};

// Full duplex cables are two links.
struct flow_machine {
    int hosts, links;
    const struct flow_link *link;
    void *owner;
    // Gives the links from one host to another in order; returns how many: at most `most`, and at
    // least 1 for different hosts. Asked whenever a flow starts.
    int (*route)(void *owner, int from, int to, int *links, int most);
    // Seconds that a flow of `bytes` takes from one host to another besides its time on the links.
    double (*latency)(void *owner, double bytes, int from, int to);
};

// ---- The program ----

enum flow_step_kind {
    FLOW_SEND,    // starts a send, done at once if buffered; else when the receiver has it
    FLOW_RECV,    // starts a receive
    FLOW_PROBE,   // waits until a matching message has been sent
    FLOW_IPROBE,  // checks once whether it has
    FLOW_WAIT,    // until all of `awaited` are done
    FLOW_WAITANY, // until one of `awaited` is done: `took` gets which
    FLOW_TEST,    // checks once whether all of `awaited` are done: `took` gets the answer
    FLOW_BUSY,    // the rank's processor works
    FLOW_MARK,    // takes no time: `marked` gets the time
    FLOW_END,     // the rank has no more steps
};

struct flow_step {
    enum flow_step_kind kind;
    int peer;     // rank of the job; FLOW_ANY: any
    int tag;      // from 0; FLOW_ANY: any
    int space;    // messages of different spaces do not match; from 0
    double bytes; // that the flow has: in sixteenths, at least one byte, and below 4 GiB
    int64_t size; // netsim's: of the message
    bool buffered;
    uint32_t request;        // number that a send or receive starts, from 1
    const uint32_t *awaited; // requests that it waits for. Each is waited for once
    int awaited_count;
    double seconds; // FLOW_BUSY
    int64_t mark;   // netsim's
};

// A message that no receive has taken.
struct flow_message {
    int from, tag, space;
    int64_t size; // of its step
};

struct flow_program {
    int ranks, spaces;
    const int *host; // of each rank
    void *owner;
    // Yields the rank's next step. Its pointers are valid until the rank's next step. All of these
    // functions are called in the rank's own context, whose stack is small (FLOW_STACK_BYTES).
    void (*next)(void *owner, int rank, struct flow_step *step);
    // The result of the rank's FLOW_WAITANY (index in `awaited`), FLOW_TEST, FLOW_IPROBE (1: yes).
    void (*took)(void *owner, int rank, int which);
    // Seconds since the ranks have started.
    void (*marked)(void *owner, int rank, int64_t mark, double seconds);
    void (*ended)(void *owner, int rank, double seconds);
    // Polled occasionally; true ends the run. NULL: none.
    bool (*stop)(void *owner, double seconds);
    // After a deadlock, rank by rank: its receives that have no message, and the messages to it
    // that no receive has taken, each in order. NULL: not asked.
    void (*unmatched_receive)(void *owner, int rank, uint32_t request);
    void (*unmatched_message)(void *owner, int rank, const struct flow_message *message);
};

// More where netsim's functions are built with a sanitizer.
#ifndef FLOW_STACK_BYTES
#define FLOW_STACK_BYTES (64 * 1024)
#endif

enum flow_outcome {
    FLOW_DONE,     // all ranks have ended
    FLOW_DEADLOCK, // some wait for what will never happen
    FLOW_STOPPED,  // by `stop`
    FLOW_BROKEN,   // SimGrid itself has failed; the text says how
};

struct flow_verdict {
    enum flow_outcome outcome;
    double seconds;   // simulated
    uint64_t flows;   // that were started
    char text[256];   // of FLOW_BROKEN
    char simgrid[32]; // its version
};

// The plugin's one symbol. Runs the program on the machine; to be called once in a process, which
// must end by _exit. With program NULL it only reports SimGrid's version.
typedef void flow_plugin_run_fn(int version, const struct flow_machine *machine,
                                const struct flow_program *program, struct flow_verdict *verdict);
#define FLOW_PLUGIN_RUN "netsim_flow_run"

#ifdef __cplusplus
}
#endif

#endif
