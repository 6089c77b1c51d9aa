// SPDX-License-Identifier: GPL-3.0-or-later
// Interrupts of cards that keep a least distance, as flows have them: what arrives soon after an
// interrupt waits for the next one, which all share. A sent frame asks for one, too, after a time.
//
// Not modelled: the driver, which takes what arrives while it runs without an interrupt.
#ifndef NETSIM_FLOW_FLOW_PACE_H
#define NETSIM_FLOW_FLOW_PACE_H

#include "sim/model/model.h"

struct flow_pace {
    sim_time distance;   // between two interrupts; 0: none is kept
    sim_time sent_delay; // from a sent frame until it asks for one
    int rails;           // cards of a host that messages take in turn
};

// Of one card. Zeroed memory is one whose first interrupt was at the start.
struct paced_card {
    sim_time line;  // of the latest interrupt, which may lie ahead
    sim_time asked; // by a sent frame, and lies ahead; 0: by none
};

// Returns that of the case's card.
struct flow_pace flow_pace_of(const struct registry *registry,
                              const struct scenario_case *test_case);

// Returns a copy of a card's section without its distance, which the caller frees (g_free); NULL:
// it has none, or is of no card.
struct param_values *flow_pace_without(const struct registry *registry,
                                       const struct param_values *section);

// The card has sent a frame.
void flow_pace_sent(const struct flow_pace *pace, struct paced_card *card, sim_time when);

// A frame asks for an interrupt at `when`. Returns when it has one.
sim_time flow_pace_received(const struct flow_pace *pace, struct paced_card *card, sim_time when);

#endif
