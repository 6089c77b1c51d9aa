// SPDX-License-Identifier: GPL-3.0-or-later
// The card's parameters: section "intercept".
#ifndef NETSIM_MODELS_INTERCEPT_NIC_NIC_CONFIG_H
#define NETSIM_MODELS_INTERCEPT_NIC_NIC_CONFIG_H

#include "sim/config/param.h"

#include <stdbool.h>

// How the planes of a packet's mask are used (thesis 002, 2.1.3: equally).
enum intercept_striping {
    INTERCEPT_ROUND_ROBIN,  // packet by packet; a plane that can take nothing holds up the card
    INTERCEPT_LEAST_LOADED, // the plane with the fewest packets in its queue
};

struct intercept_nic_config {
    // Planes.
    int64_t plane_mask;                 // bit n: plane n
    int striping;                       // enum intercept_striping
    int64_t plane_queue, receive_queue; // packets of a plane

    // Packets.
    int64_t header, vdma_payload, vdma_read; // bytes
    sim_time send_latency, receive_latency;

    // Circular buffers.
    int64_t command, tx_cb, rx_entry, rx_pointer, rx_cb; // bytes
    bool old_firmware;

    // Driver.
    struct cost tx_look, tx_entry, doorbell, rx_take, walk, table_entry, status_read, demultiplex;
    int64_t tx_copy; // bytes per second
};

extern const struct param_table intercept_nic_table;

#endif
