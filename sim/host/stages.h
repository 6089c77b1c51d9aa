// SPDX-License-Identifier: GPL-3.0-or-later
// Stages of hosts and cards that every model shares. A model declares its other stages itself
// (sim/core/stage.h).
#ifndef NETSIM_HOST_STAGES_H
#define NETSIM_HOST_STAGES_H

#include "sim/core/stage.h"

extern const struct stage stage_copy;           // memory to memory
extern const struct stage stage_pin;            // pages of memory for a card
extern const struct stage stage_unpin;          // unpins them
extern const struct stage stage_trap;           // into the kernel and back
extern const struct stage stage_block;          // a process goes to sleep
extern const struct stage stage_wake_up;        // from its wake-up until it runs
extern const struct stage stage_poll;           // latency: until a process polls again
extern const struct stage stage_interrupt_line; // latency: until the interrupt reaches the
                                                // processor
extern const struct stage stage_interrupt;      // the kernel's entry to the handler, and return
extern const struct stage stage_driver;         // of a card, in the kernel
extern const struct stage stage_nic;            // latency of a card

#endif
