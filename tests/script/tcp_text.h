// SPDX-License-Identifier: GPL-3.0-or-later
// A TCP segment as a script has it:
//
//   packet  = flags seq ":" seq "(" length ")" [ "ack" N ] [ "win" N ] [ "<" options ">" ]
//   flags   = letters of S F P R and "." (ACK), or "-"
//   options = "..." | option { "," option }
//   option  = "mss" N | "sackOK" | "TS" "val" N "ecr" N | "wscale" N | "nop" | "eol"
//           | "sack" N ":" N { N ":" N }
//
// Sequence numbers are the script's own: each side's first SYN has the initial one. The window is
// that of the header. Options other than "..." must all be named; their order and padding do not
// count. A val of "..." is any.
#ifndef NETSIM_TESTS_SCRIPT_TCP_TEXT_H
#define NETSIM_TESTS_SCRIPT_TCP_TEXT_H

#include "models/tcp/segment.h"
#include "tests/script/parse.h"

struct tcp_text {
    int flags; // enum tcp_flag
    int64_t sequence, payload, acknowledgment;
    int64_t window;   // -1: not said
    bool any_options; // <...>
    bool any_time;    // TS val ...
    int options;      // enum tcp_option
    int64_t mss, scale;
    uint32_t timestamp, echo;
    int sack_count;
    uint32_t sack[TCP_SACK_BLOCKS][2];
};

// script_packet_fn; freed with g_free.
void *tcp_text_parse(struct script_parser *parser, enum script_event_kind direction);

// The caller frees it with g_free.
char *tcp_text_print(const struct tcp_text *text);

#endif
