// SPDX-License-Identifier: GPL-3.0-or-later
// Sockets over TCP, as a process sees them: connect, accept, write, read, and waiting for one
// socket or for several (models/inet/socket.h). Nothing here knows of MPI.
//
// Every call is made from the process's own task and charged to its processor (system call, copy,
// protocol). No call waits: what would block returns at once, and the process then asks to be woken
// (inet_wait, inet_select) and returns CPU_SLEEP from its handler.
//
// Payload is not stored. What is written is a run of bytes with an owner: part of a message of the
// ledger, or content of the protocol above (an envelope), of which up to TCP_CONTENT_BYTES are kept
// and handed to the reader. The reader gets the runs in the order in which they were written, cut
// as it asks for them.
#ifndef NETSIM_MODELS_TCP_SOCKET_H
#define NETSIM_MODELS_TCP_SOCKET_H

#include "models/inet/socket.h"
#include "models/tcp/tcp.h"
#include "sim/cluster/cluster.h"

#include <stdbool.h>
#include <stdint.h>

#define TCP_CONTENT_BYTES 64

struct tcp_run {
    int64_t length;             // bytes in the stream, > 0
    struct message_ref message; // whose bytes they are; generation 0: none's
    int64_t offset;             // of the first byte in the message
    bool stands_in;             // the message has no bytes: the run stands for it
    const void *content;        // NULL, or the first content_length bytes of the run; copied
    uint32_t content_length;    // <= TCP_CONTENT_BYTES and <= length
};

// What a read has got: the part of one run.
struct tcp_piece {
    int64_t length;
    struct message_ref message;
    int64_t offset;      // of the first byte in the message
    bool ends_run;       // the run's last byte was read
    const void *content; // of the run, from its first byte; set with the piece that ends the run,
                         // valid until the next read of this socket
    uint32_t content_length;
};

struct tcp_host; // the TCP/IP stack of one host
struct tcp_listener;
struct tcp_socket;

// The stack of a host; several processes share it. Free with tcp_host_free, after the run.
struct tcp_host *tcp_host_new(struct cluster *cluster, struct host *host,
                              const struct tcp_config *config);
void tcp_host_free(struct tcp_host *host);

// The station by which `host` reaches `peer`, for tcp_connect; -1: none.
int tcp_peer_station(const struct tcp_host *host, const struct tcp_host *peer);

// What a connected socket takes of the simulator's memory, bytes.
int64_t tcp_socket_footprint(void);

// What setsockopt gives before connecting; 0: the stack's default (tcp_config).
struct tcp_options {
    int64_t send_buffer, receive_buffer; // SO_SNDBUF, SO_RCVBUF, bytes
    bool no_delay;                       // TCP_NODELAY
};

// A socket that listens on a port; `task` is woken when a connection is waiting to be accepted.
struct tcp_listener *tcp_listen(struct cpu_context *context, struct tcp_host *host, uint16_t port,
                                const struct tcp_options *options, struct cpu_task *task);
// The next connection that is established, or NULL (and the task is woken when there is one).
struct tcp_socket *tcp_accept(struct cpu_context *context, struct tcp_listener *listener);

// Starts to connect (SYN). Established: tcp_established; until then inet_wait for INET_WRITABLE.
struct tcp_socket *tcp_connect(struct cpu_context *context, struct tcp_host *host, int station,
                               uint16_t port, const struct tcp_options *options,
                               struct cpu_task *task);
bool tcp_established(const struct tcp_socket *socket);

// write/writev: takes as many bytes of the runs, in order, as the send buffer has room for, in one
// system call; the number of bytes taken, 0 if it would block, -1 if the connection is gone. A run
// of at most TCP_CONTENT_BYTES is taken whole or not at all. If a longer one is taken in part, the
// next write must go on with the rest of it (length less, offset more; its content is not looked at
// again): the reader sees both as one run.
int64_t tcp_write(struct cpu_context *context, struct tcp_socket *socket,
                  const struct tcp_run *runs, int count);

// read: up to `bytes` (> 0), which are copied out in one system call. Pieces go to `pieces`, at
// most `most` of them (a read ends there). Returns bytes read, 0 if it would block, -1 at the end
// of stream or if the connection is gone. *count: pieces.
int64_t tcp_read(struct cpu_context *context, struct tcp_socket *socket, int64_t bytes,
                 struct tcp_piece *pieces, int most, int *count);

// Bytes that a read would get now, and that a write would take. Free of charge: for models that
// would have to guess otherwise, and for reports.
int64_t tcp_readable(const struct tcp_socket *socket);
int64_t tcp_writable(const struct tcp_socket *socket);

// What it waits with: inet_wait, inet_select. A blocked writer goes on as soon as one segment fits
// into the send buffer; select calls it writable when a third is free.
struct inet_socket *tcp_socket_inet(struct tcp_socket *socket);

// Closes (FIN after what is queued). The socket must not be used any more.
void tcp_close(struct cpu_context *context, struct tcp_socket *socket);

// For reports on processes that did not end: state, bytes unacknowledged, windows, timers. New
// reference.
json_t *tcp_socket_describe(const struct tcp_socket *socket);

#endif
