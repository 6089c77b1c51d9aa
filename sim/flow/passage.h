// SPDX-License-Identifier: GPL-3.0-or-later
// The passage of bytes from a host's card over the links of a route, as flows have it.
//
//   - A card sends one passage after the other, at the rate of its own link; passages that give it
//     `transfer` bytes at once take turns. A switch takes all that the card sends, however busy the
//     next links are: flows know no full queue.
//   - A passage of several frames shares the links after the card's by max-min fairness (share.h).
//   - One of a single frame waits at each link for those before it; it goes between the frames of
//     passages that share. In its card it waits for what the others have given the card.
//   - Where the receiver's card keeps a distance between interrupts, what waits for one arrives
//   after
//     it.
//
// Not modelled: capacity that single frames take from passages that share.
#ifndef NETSIM_FLOW_PASSAGE_H
#define NETSIM_FLOW_PASSAGE_H

#include "sim/flow/flow_links.h"
#include "sim/flow/flow_pace.h"
#include "sim/flow/share.h"

#define PASSAGE_LINKS 10

struct passages;

// A part of its owner, which keeps it until it has arrived.
struct passage {
    struct message_ref message; // for traces
    double wire;                // bytes
    double frame;               // of the largest of its frames
    sim_time latency;           // after its last byte has left, on the measured route
    sim_time after;             // of that, what follows the receiver's interrupt
    sim_time spread;            // from the interrupt for its first frame to that
    bool waits_for_line;        // for that interrupt, where cards keep a distance
    uint32_t number;            // among those of its two processes: which card of several it takes
    int from, to;               // hosts
    bool tells_left;            // calls `left`
    sim_time began;             // at the card; may lie ahead in `begins`
    // passage.c's:
    struct passages *passages;
    struct share_flow flow;
    struct event event; // has drained; arrives; or goes on to its next link
    struct event card;  // the card is done with it
    double given;       // bytes that it has given the card
    double left;        // of those, bytes that have not drained, at `since`
    sim_time since;
    bool drains;         // shares links
    sim_time card_until; // the card sends its latest piece
    sim_time nominal;    // when it arrives if it waits nowhere
    uint16_t hop;        // that it goes on with
    struct flow_route route;
    uint32_t links[PASSAGE_LINKS]; // of the route, if they are no more
    struct passage *next;
};

struct passages_ops {
    void (*begins)(struct passage *passage);
    void (*left)(struct passage *passage); // its last byte has left the card
    void (*arrived)(struct passage *passage);
};

// `transfer`: bytes; 0: all of a passage, which single frames go past all the same. The caller
// frees it with passages_free.
struct passages *passages_new(struct cluster *cluster, const struct scenario_case *test_case,
                              const struct passages_ops *ops, double transfer,
                              const struct flow_pace *pace);
void passages_free(struct passages *passages);

// The hosts between which latencies were measured; without it, all routes have them as they are.
void passages_measured(struct passages *passages, int from, int to);

// From an event: the passage is at its card now.
void passage_start(struct passages *passages, struct passage *passage);

#endif
