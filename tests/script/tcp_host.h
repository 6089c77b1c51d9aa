// SPDX-License-Identifier: GPL-3.0-or-later
// The TCP of a script: the host under test, the peer's side of its connection, and the program's
// descriptors.
#ifndef NETSIM_TESTS_SCRIPT_TCP_HOST_H
#define NETSIM_TESTS_SCRIPT_TCP_HOST_H

#include "models/tcp/stack.h"
#include "tests/script/calls.h"
#include "tests/script/tcp_text.h"

#define TCP_SCRIPT_PORT 8080 // of a listener, and of the peer that is connected to

struct tcp_fd {
    struct script_fd file;
    bool bound;
    struct tcp_options options;
    struct tcp_listener *listener;
    struct tcp_socket *socket;
};

// One side's numbering: the script's first number stands for the start of the live one.
struct tcp_numbering {
    bool known;
    int64_t script; // the SYN's number in the script
    uint32_t live;  // initial sequence number on the wire
    uint16_t port;
};

struct tcp_script_host {
    struct tcp_host *tcp;
    struct tcp_numbering own, peer;
    struct tcp_stream stream; // what the peer has sent
    struct pool singles, contents;
    // Timestamps of the host: what the script calls them, by the live ones.
    bool times_known;
    uint32_t script_time, live_time; // the first
    GHashTable *live_times;          // from a script's to the live one
    sim_time time_unit;              // of --tcp_ts_tick_usecs; 0: values are not compared
    struct tcp_fd fds[SCRIPT_FDS];
};

// tcp_calls.c
struct script_result tcp_script_call(struct script_world *world, struct cpu_context *context,
                                     const struct script_event *event,
                                     struct script_report *report);
extern const struct script_constant tcp_script_constants[];

// tcp_host.c
extern const struct script_protocol tcp_script_protocol;

#endif
