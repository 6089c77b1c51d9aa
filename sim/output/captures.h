// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder of `--pcap`: captures, DIRECTORY/SERIES/NODE.pcapng, one file per host and series.
// It holds each frame that the host's cards sent or received, once.
//
// SERIES is the name of the series with every character but letters, digits and - _ . replaced by
// _, and with a number appended if two series would share a name. A frame's comments name the
// message whose bytes it carries, and what became of it if it was dropped. A drop is noted in the
// file of the card that had received the frame; if none had, in that of the sending card. A frame
// is therefore held in memory until it has ended; if too many would be held, the oldest is written
// as it is.
#ifndef NETSIM_OUTPUT_CAPTURES_H
#define NETSIM_OUTPUT_CAPTURES_H

#include "sim/core/time.h"

#include <stdint.h>

struct captures_options {
    const char *const *nodes; // names of hosts, NULL-terminated; NULL: all
    sim_time from, to;        // each series is kept during [from, to); to 0: until its end
    int64_t snap;             // bytes kept per frame; 0: all
};

#endif
