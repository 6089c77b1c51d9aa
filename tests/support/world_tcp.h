// SPDX-License-Identifier: GPL-3.0-or-later
// TCP as the provider of the tests' world (world.h): each host has a stack and a process, and a log
// has every segment that a card has put on the wire.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_TCP_H
#define NETSIM_TESTS_SUPPORT_WORLD_TCP_H

#include "models/tcp/segment.h"
#include "models/tcp/socket.h"
#include "models/tcp/stack.h"
#include "tests/support/wire.h"
#include "tests/support/world.h"

#define TCP_PORT 5000

// A segment as it went onto the wire, read back from its bytes. Numbers are relative.
struct tcp_line {
    sim_time when;
    int node; // the sender
    uint16_t source_port;
    int flags;
    int64_t sequence, acknowledgment, payload, window;
    int64_t mss; // -1: no option
    bool sack_permitted, timestamps;
    uint32_t timestamp, echo;
    int scale; // -1: no option
    int sacks;
    int64_t sack_from[TCP_SACK_BLOCKS], sack_to[TCP_SACK_BLOCKS];
    uint32_t wire;  // bytes with Ethernet header, without check sequence
    bool checksums; // both are right
};

struct tcp_node {
    struct world_process process;
    struct tcp_host *host;
    struct tcp_listener *listener;
    struct tcp_socket *socket;
    int64_t bytes_read, target; // of the read that runs
    bool reset;                 // a call failed as the connection is gone
};

// The segments that the cards have sent.
struct tcp_wire {
    struct wire wire;
    GArray *lines;        // struct tcp_line
    uint32_t initial[64]; // initial sequence numbers by node
};

// Two hosts and a switch, as in world_pair. links[0] and links[1] are those of node 0 and node 1;
// their faults strike what the node sends.
struct world *tcp_world(const char *const *sets, struct trace *trace);

struct tcp_node *tcp_node(const struct world *world, int number);
struct tcp_wire *tcp_wire(const struct world *world);

// Jobs. Sizes are passed with GSIZE_TO_POINTER.
world_job_fn tcp_listen_job, tcp_accept_job, tcp_connect_job, tcp_connect_no_delay_job;
world_job_fn tcp_write_job; // that many bytes, in as many calls as it takes
world_job_fn tcp_read_job;  // that many bytes, or to the end of the stream
world_job_fn tcp_close_job;

// Node 1 listens, node 0 connects; both have a socket. The log starts with the handshake.
void tcp_connect_nodes(struct world *world);

// Like tcp_connect_nodes; from 5 ms on node 1 reads that many bytes, which node 0 writes at 10 ms.
void tcp_transfer(struct world *world, int64_t bytes);

const struct tcp_line *tcp_log_at(const struct world *world, int index);
int tcp_log_count(const struct world *world);

// The n-th line (from 0) at or after `from` with data of that node; NULL if there is none.
const struct tcp_line *tcp_log_data(const struct world *world, int node, int from, int nth);

// "node0 PA 1:1449(1448) ack 1 win 5840 sack 2897:4345": the caller frees it.
char *tcp_line_text(const struct tcp_line *line);

// Prints the lines around one to stderr.
void tcp_log_print(const struct world *world, int around);

// Fails the test, with the log, unless the line at `index` has this text and was sent within a
// microsecond of `when` (TIME_NEVER: at any time).
bool tcp_log_expect(const char *file, int line, const struct world *world, int index, sim_time when,
                    const char *text);

#define TCP_EXPECT(world, index, when, text)                                                       \
    tcp_log_expect(__FILE__, __LINE__, world, index, when, text)

#endif
