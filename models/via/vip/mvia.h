// SPDX-License-Identifier: GPL-3.0-or-later
// What M-VIA costs and allows: the parameters of provider library and kernel agent.
#ifndef NETSIM_MODELS_VIA_VIP_MVIA_H
#define NETSIM_MODELS_VIA_VIP_MVIA_H

#include "sim/config/param.h"

enum mvia_doorbell { MVIA_DOORBELL_FAST_TRAP, MVIA_DOORBELL_IOCTL };

// When VipRegisterMem finds that a process may not pin as much.
enum mvia_refusal {
    MVIA_REFUSAL_ROLLS_BACK,   // at the first page that is too much; those before it are released
    MVIA_REFUSAL_BEFORE_PAGES, // from the length, before a page is touched
};

struct mvia_config {
    int doorbell;              // enum mvia_doorbell: how the library enters the kernel agent
    struct cost post;          // library: filling and queueing a descriptor
    struct cost send_setup;    // agent: checking a send descriptor, translating its addresses
    struct cost send_frame;    // agent: building one frame
    struct cost receive_frame; // agent: checking one frame, finding its VI and address
    struct cost completion;    // agent: writing status, entering it into the completion queue
    struct cost queue_check;   // library: one look at a completion or work queue
    struct cost dequeue;       // library: taking a completed descriptor
    struct cost register_call; // agent: VipRegisterMem or VipDeregisterMem without their pages
    int refusal;               // enum mvia_refusal
    int64_t largest_transfer;  // bytes of one descriptor
    int64_t header;            // bytes of the VIA header in a frame
    int64_t mtu;               // bytes of header and payload in a frame
    sim_time poll_period;      // a process that polls looks this often
    sim_time connect_retry;    // a connection request that nobody answers is sent again
    sim_time connect_timeout;  // and given up after so long; 0: never
};

extern const struct param_table mvia_table;

#endif
