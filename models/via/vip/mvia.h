// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of M-VIA's provider library and kernel agent: costs and limits.
#ifndef NETSIM_MODELS_VIA_VIP_MVIA_H
#define NETSIM_MODELS_VIA_VIP_MVIA_H

#include "sim/config/param.h"

enum mvia_doorbell { MVIA_DOORBELL_FAST_TRAP, MVIA_DOORBELL_IOCTL };

// The point at which VipRegisterMem finds that a process may not pin as much memory.
enum mvia_refusal {
    MVIA_REFUSAL_ROLLS_BACK,   // at the first page over the limit; the agent releases the earlier
                               // ones
    MVIA_REFUSAL_BEFORE_PAGES, // from the length, before the agent touches a page
};

struct mvia_config {
    int doorbell; // enum mvia_doorbell
    struct cost post;
    struct cost send_setup;
    struct cost send_frame;
    struct cost receive_frame;
    struct cost completion;
    struct cost queue_check;
    struct cost dequeue;
    struct cost register_call;
    int refusal;              // enum mvia_refusal
    int64_t largest_transfer; // bytes
    int64_t header;           // bytes
    int64_t mtu;              // bytes
    sim_time poll_period;
    sim_time connect_retry;
    sim_time connect_timeout;
};

extern const struct param_table mvia_table;

#endif
