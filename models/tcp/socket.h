// SPDX-License-Identifier: GPL-3.0-or-later
// TCP sockets as a process sees them: connect, accept, write, read, and waiting for one socket or
// several (models/inet/socket.h). They are independent of MPI.
//
// Every call is made from the process's own task and charged to its processor (system call, copy,
// protocol). No call blocks: a call that would block returns at once. The process then asks to be
// woken (inet_wait, inet_select) and returns CPU_SLEEP from its handler.
//
// Payload is not stored. A writer writes runs of bytes with an owner: part of a message of the
// ledger, or content of the protocol above (an envelope), of which up to TCP_CONTENT_BYTES are kept
// and handed to the reader. The reader gets the runs in the order of writing, cut to the sizes that
// it asks for.
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
    struct message_ref message; // owner of the bytes; generation 0: none
    int64_t offset;             // of the first byte in the message
    bool stands_in;             // the message has no bytes: the run represents it
    const void *content;        // NULL, or the first content_length bytes of the run; copied
    uint32_t content_length;    // <= TCP_CONTENT_BYTES and <= length
};

// A read's part of one run.
struct tcp_piece {
    int64_t length;
    struct message_ref message;
    int64_t offset;      // of the first byte in the message
    bool ends_run;       // the run's last byte was read
    const void *content; // of the run, from its first byte; set with the piece that ends the run,
                         // valid until the next tcp_read or tcp_read_done of this socket
    uint32_t content_length;
};

struct tcp_host; // the TCP/IP stack of one host
struct tcp_listener;
struct tcp_socket;

// The stack of a host; several processes share it. The caller frees it with tcp_host_free, after
// the run.
struct tcp_host *tcp_host_new(struct cluster *cluster, struct host *on,
                              const struct tcp_config *config);
void tcp_host_free(struct tcp_host *host);

// Returns the station by which `host` reaches `peer`, for tcp_connect, or -1 if there is none.
int tcp_peer_station(const struct tcp_host *host, const struct tcp_host *peer);

// Bytes of the simulator's memory per connected socket.
int64_t tcp_socket_footprint(void);

// Options set by setsockopt before connecting. 0: the stack's default (tcp_config).
struct tcp_options {
    int64_t send_buffer, receive_buffer; // SO_SNDBUF, SO_RCVBUF, bytes
    bool no_delay;                       // TCP_NODELAY
};

// Returns a socket that listens on a port. `task` is woken when a connection waits to be accepted.
struct tcp_listener *tcp_listen(struct cpu_context *context, struct tcp_host *host, uint16_t port,
                                const struct tcp_options *options, struct cpu_task *task);
// Returns the next established connection. Returns NULL if there is none; the task is then woken
// when there is one.
struct tcp_socket *tcp_accept(struct cpu_context *context, struct tcp_listener *listener);
// The listener's part for inet_wait and inet_select: readable while a connection waits to be
// accepted.
struct inet_socket *tcp_listener_inet(struct tcp_listener *listener);
// The station at the other end (getpeername), and that of this end (getsockname).
int tcp_socket_peer(const struct tcp_socket *socket);
int tcp_socket_own(const struct tcp_socket *socket);

// Starts to connect (SYN), through the interface of the station's subnet if it leads there, else
// through the first that does. The caller waits with inet_wait for INET_WRITABLE until
// tcp_established returns true.
struct tcp_socket *tcp_connect(struct cpu_context *context, struct tcp_host *host, int station,
                               uint16_t port, const struct tcp_options *options,
                               struct cpu_task *task);
bool tcp_established(const struct tcp_socket *socket);

// write/writev: takes as many bytes of the runs, in order, as the send buffer has room for, in one
// system call. Returns the number of bytes taken, 0 if it would block, -1 if the connection is
// gone. A run of at most TCP_CONTENT_BYTES is taken whole or not at all. If a longer one is taken
// in part, the next write must go on with the rest of it (smaller length, larger offset; its
// content is not read again): the reader sees both as one run.
int64_t tcp_write(struct cpu_context *context, struct tcp_socket *socket, enum inet_call call,
                  const struct tcp_run *runs, int count);

// Removes the first `bytes` from an array of runs, for the write after one that took so many.
// Returns how many of the runs are left, from the array's start on.
int tcp_runs_advance(struct tcp_run *runs, int count, int64_t bytes);

// read: copies up to `bytes` (> 0) out in one system call. Fills at most `most` elements of
// `pieces`, sets *count to their number, and ends there. Returns the bytes read, 0 if it would
// block, -1 at the end of the stream or if the connection is gone.
int64_t tcp_read(struct cpu_context *context, struct tcp_socket *socket, enum inet_call call,
                 int64_t bytes, struct tcp_piece *pieces, int most, int *count);

// Frees what the simulator keeps for the pieces of the last read, before the next one does.
void tcp_read_done(struct tcp_socket *socket);

// Bytes that a read would return now, and that a write of `bytes` would take. They charge nothing:
// for models that would have to guess otherwise, and for reports.
int64_t tcp_readable(const struct tcp_socket *socket);
int64_t tcp_writable(const struct tcp_socket *socket, int64_t bytes);

// The socket's part for inet_wait and inet_select. A blocked writer goes on as soon as one segment
// fits into the send buffer; select calls the socket writable when a third is free.
struct inet_socket *tcp_socket_inet(struct tcp_socket *socket);

// Ends sending (shutdown(2) with SHUT_WR): FIN after the queued data. Data that the peer still
// sends can be read (RFC 793, 3.5, case 1).
void tcp_shutdown(struct cpu_context *context, struct tcp_socket *socket);

// Closes the socket (FIN after the queued data). The caller must not use it any more.
void tcp_close(struct cpu_context *context, struct tcp_socket *socket);

// Stops listening, and resets the connections that were not accepted. The caller must not use the
// listener any more.
void tcp_listener_close(struct cpu_context *context, struct tcp_listener *listener);

// Why a connection is gone, in brackets the system's error.
enum tcp_end {
    TCP_END_NONE,
    TCP_END_REFUSED,   // reset before it was established (ECONNREFUSED)
    TCP_END_RESET,     // (ECONNRESET)
    TCP_END_BROKEN,    // reset after the peer had closed (EPIPE)
    TCP_END_TIMED_OUT, // given up (ETIMEDOUT)
};

// Returns it and forgets it (SO_ERROR).
enum tcp_end tcp_socket_take_end(struct tcp_socket *socket);

// For reports on processes that did not end: state, unacknowledged bytes, windows, timers. Returns
// a new reference.
json_t *tcp_socket_describe(const struct tcp_socket *socket);

#endif
