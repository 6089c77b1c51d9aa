// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts with a TCP stack each, whose processes run the jobs that a test gives them, and a log of
// every segment that a card has put on the wire.
#ifndef NETSIM_TESTS_SUPPORT_TCP_WORLD_H
#define NETSIM_TESTS_SUPPORT_TCP_WORLD_H

#include "models/tcp/segment.h"
#include "models/tcp/socket.h"
#include "models/tcp/stack.h"
#include "sim/core/capture.h"
#include "tests/support/cluster_world.h"

#define TCP_PORT 5000

// A segment as it went onto the wire, read back from its bytes. Numbers are relative.
struct tcp_line {
    sim_time when;
    int node; // who sent it
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

struct tcp_world;
struct tcp_node;

// True: done, the next job follows. False: the node's process sleeps until it is woken, and then
// the job is called again.
typedef bool tcp_job_fn(struct cpu_context *context, struct tcp_node *node, void *argument);

struct tcp_node {
    struct tcp_world *world;
    int number;
    struct tcp_host *host;
    struct cpu_task task;
    GQueue jobs;
    struct tcp_listener *listener;
    struct tcp_socket *socket;
    sim_time job_end;           // when the last job was done
    int64_t bytes_read, target; // of the read that runs
    bool reset;                 // a call said that the connection is gone
};

struct tcp_world {
    struct cluster_world *cluster;
    struct sim *sim;
    struct tcp_node *nodes;
    int count;
    GArray *lines;     // struct tcp_line
    GPtrArray *alarms; // owned
    struct capture capture;
    uint32_t initial[64]; // initial sequence numbers by node
    bool quiet;           // keeps no lines
};

// Two hosts and a switch, as in cluster_pair. links[0] and links[1] are those of node 0 and node 1;
// their faults strike what the node sends.
struct tcp_world *tcp_world_new(const char *const *sets);
struct tcp_world *tcp_world_traced(const char *const *sets, struct trace *trace);
struct tcp_world *tcp_world_of(const char *text, const char *const *sets, struct trace *trace);
void tcp_world_free(struct tcp_world *world);
void tcp_run(struct tcp_world *world);

void tcp_do(struct tcp_node *node, tcp_job_fn *job, void *argument);
void tcp_do_at(struct tcp_node *node, sim_time when, tcp_job_fn *job, void *argument);

// Jobs. Sizes are passed with GSIZE_TO_POINTER.
tcp_job_fn tcp_listen_job, tcp_accept_job, tcp_connect_job, tcp_connect_no_delay_job;
tcp_job_fn tcp_write_job; // that many bytes, in as many calls as it takes
tcp_job_fn tcp_read_job;  // that many bytes, or to the end of the stream
tcp_job_fn tcp_close_job;

// Node 1 listens, node 0 connects; both have a socket. The log starts with the handshake.
void tcp_connect_nodes(struct tcp_world *world);

const struct tcp_line *tcp_log_at(const struct tcp_world *world, int index);
int tcp_log_count(const struct tcp_world *world);

// The n-th line (from 0) at or behind `from` with data of that node; NULL if there is none.
const struct tcp_line *tcp_log_data(const struct tcp_world *world, int node, int from, int nth);

// "node0 PA 1:1449(1448) ack 1 win 5840 sack 2897:4345": the caller frees it.
char *tcp_line_text(const struct tcp_line *line);

// Prints the lines around one to stderr.
void tcp_log_print(const struct tcp_world *world, int around);

// Fails the test, with the log, unless the line at `index` has this text and was sent within a
// microsecond of `when` (TIME_NEVER: at any time).
bool tcp_log_expect(const char *file, int line, const struct tcp_world *world, int index,
                    sim_time when, const char *text);

#define TCP_EXPECT(world, index, when, text)                                                       \
    tcp_log_expect(__FILE__, __LINE__, world, index, when, text)

#endif
