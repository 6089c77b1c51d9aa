// SPDX-License-Identifier: GPL-3.0-or-later
// Section "p3": which of the thesis's builds and designs runs, its sizes and its costs.
#ifndef NETSIM_MODELS_INTERCEPT_P3_CONFIG_H
#define NETSIM_MODELS_INTERCEPT_P3_CONFIG_H

#include "sim/config/param.h"

// The designs of thesis 002, 4.1 and 5.1: all in messages of the VDMA handler's CB; all by VDMA;
// the delivered one, with a short protocol of its own and VDMA above the threshold.
enum p3_version { P3_HANDLER_CB, P3_VDMA, P3_HYBRID };

enum p3_abi { P3_I386, P3_IA64, P3_ABIS };

struct p3_config {
    int version; // enum p3_version
    int abi;     // enum p3_abi
    const char *threshold;
    int64_t grant;
    bool poll; // RTSCTS_POLL
    sim_time poll_delay;
    struct cost poll_look;
    struct cost send, record;
    bool long_replies;
};

extern const struct param_table p3_table; // section "p3"

// Bytes of the packets' headers, and what follows from them.
struct p3_sizes {
    int64_t common;           // pkthdr_t
    int64_t data_header;      // with pkthdr_data_t
    int64_t cts, next_cts;    // whole packets
    int64_t msgend, msgerror; // whole packets, too
    int64_t rts_header;       // common and Portals header
    int64_t first;            // most data of an RTS, D0
    int64_t data;             // most data of a DATA packet, D
    int64_t threshold;        // longest short message; -1: none is short
};

#define P3_NO_THRESHOLD INT64_MAX // all messages are short

// `portals_header`: B of a Portals header, at most 400.
struct p3_sizes p3_sizes(const struct p3_config *config, int64_t portals_header);

#endif
