// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a socket that all transports share: the process that makes the calls, its sleep and
// wake-up, waiting for one socket or several (select), and the accounting of socket buffers.
//
// No call blocks: a call that would block returns at once. The process then asks to be woken
// (inet_wait, inet_select) and returns CPU_SLEEP from its handler.
#ifndef NETSIM_MODELS_INET_SOCKET_H
#define NETSIM_MODELS_INET_SOCKET_H

#include "models/inet/inet.h"

enum inet_readiness { INET_READABLE = 1, INET_WRITABLE = 2 };

// System calls of programs over sockets: the stages of their entries and exits bear their names.
enum inet_call {
    INET_READ,
    INET_READV,
    INET_PEEK, // recv with MSG_PEEK
    INET_SCTP_RECVMSG,
    INET_WRITE,
    INET_WRITEV,
    INET_SCTP_SENDMSG,
    INET_SELECT,
    INET_POLL,
    INET_FCNTL,
    INET_IOCTL,
    INET_GETTIMEOFDAY,
    INET_OPEN, // socket, bind, listen, connect
    INET_ACCEPT,
    INET_SETSOCKOPT,
    INET_CLOSE, // close, shutdown
    INET_CALLS
};

// "read()": the stage of a call, of class STAGE_TRAP.
const struct stage *inet_call_stage(enum inet_call call);

// A process that uses sockets.
struct inet_process {
    struct cpu_task *task;
    const struct host *host;
    bool asleep;
    sim_time asleep_since; // when it has gone to sleep; a wake-up before this time costs nothing
    bool switch_due;       // it was woken: the next call is charged the switch back
    bool in_call;          // it slept within the current call
    bool polling;          // it does not sleep but polls (inet_poll)
    bool by_poll;          // inet_select stands for poll(2)
    sim_time turn;         // ps, of its loop
    struct event tick;     // what it polls for has come
    uint64_t epoch;        // number of its sleep; sockets compare theirs with it
};

// The last sleep in which a caller waits for a socket.
struct inet_sleeper {
    struct inet_process *process;    // NULL: none yet
    uint64_t epoch : 62, wanted : 2; // wanted: enum inet_readiness
};

#define INET_CALLERS 2 // of one socket: a process and a thread of it

struct inet_socket;
struct inet_watched;

struct inet_socket_ops {
    const struct stage *stage;    // for the cost of select
    enum inet_call reads, writes; // of a call that blocks until it can (inet_block)
    // Returns what the socket is ready for now: enum inet_readiness.
    int (*ready)(const struct inet_socket *socket);
    // Returns true if a call that sleeps for `readiness` can go on. NULL: when `ready` includes it.
    bool (*goes_on)(const struct inet_socket *socket, enum inet_readiness readiness);
    // The process is about to sleep until it is ready for `readiness`; may be NULL.
    void (*awaited)(struct inet_socket *socket, int readiness);
};

// A transport's socket begins with this. A process and a thread of it may share a socket: each
// announces its calls (inet_call_as), and both may sleep at one time, for the same or not.
struct inet_socket {
    const struct inet_socket_ops *ops;
    struct inet_host *host;
    struct inet_process *process; // its user; NULL: none yet
    struct inet_sleeper sleepers[INET_CALLERS];
    struct inet_watched *watched; // by a process's polls (watch.h); NULL: it is not
};

// Returns the process of `task`, created if it is new to the host. The host owns it.
struct inet_process *inet_process_of(struct inet_host *host, struct cpu_task *task);

// From now on the calls on the socket are those of that process or thread.
void inet_call_as(struct inet_socket *socket, struct inet_process *process);

// Enters the kernel: charges the system call, or, if the process slept within one, the switch back
// to it.
void inet_enter(struct cpu_context *context, struct inet_process *process, enum inet_call call);

// Charges a system call of a process that does nothing else that is modelled (fcntl).
void inet_call(struct cpu_context *context, const struct host *host, enum inet_call call);

// Goes to sleep and charges that; `in_call`: within a system call, which goes on after the wake-up.
void inet_sleep(struct cpu_context *context, struct inet_process *process, bool in_call);

// Wakes the process if it sleeps, and charges the waker.
void inet_wake(struct cpu_context *context, struct inet_process *process);

// The socket's readiness may have changed: wakes the sleepers for whose readiness that holds, and
// marks it.
void inet_notify(struct cpu_context *context, struct inet_socket *socket);

// The socket may be readable no more, or is again: the next poll of its watch (watch.h) asks it.
// No effect without a watch.
void inet_mark(struct inet_socket *socket);

// Blocks in a call on one socket (inside the system call, no select). Returns true if the call can
// go on now. Returns false if not: the task must return CPU_SLEEP and will be woken. Charges going
// to sleep; the switch back is charged to the next call of the woken task.
bool inet_wait(struct cpu_context *context, struct inet_socket *socket,
               enum inet_readiness readiness);

// Like inet_wait, for a call that is not charged before it sleeps: it enters the kernel first.
bool inet_block(struct cpu_context *context, struct inet_socket *socket,
                enum inet_readiness readiness);

// A socket of a select, and what it is selected for.
struct inet_selected {
    struct inet_socket *socket;
    enum inet_readiness wanted, ready;
};

// select(2) over `count` (> 0) sockets of one process: charges the call and each descriptor, sets
// each one's `ready` to the ready part of its `wanted`, and returns the number of ready sockets. If
// that is 0 and `block` is set, the task must return CPU_SLEEP; it will be woken once a socket is
// ready and then calls again, as the kernel checks again. Without `block` it is a poll.
int inet_select(struct cpu_context *context, struct inet_selected *selected, int count, bool block);

// The call of a select or poll over `count` sockets: enters the kernel and charges each socket.
void inet_charge_select(struct cpu_context *context, struct inet_process *process,
                        const struct inet_config *config, const struct stage *stage, int count);

// Like inet_select, for a process that repeats the call without sleeping (poll(2) with a timeout of
// 0 in a loop): one turn. If it returns 0, the task must return CPU_SLEEP; it is woken at the first
// end of a turn after a socket has become ready, and pays for no wake-up. A turn takes the call and
// `around` ps of the program's own, which the caller charges.
int inet_poll(struct cpu_context *context, struct inet_selected *selected, int count,
              sim_time around);

// The process calls on one socket again and again, without asking for its readiness, in a loop that
// takes `turn` ps (> 0) while no call succeeds; it has just done such a turn, and is charged
// nothing more. Returns true if the socket is ready for one of `readiness` (a set of enum
// inet_readiness) now. Returns false if not: the task must return CPU_SLEEP, and is woken as with
// inet_poll.
bool inet_spin(struct cpu_context *context, struct inet_socket *socket, int readiness,
               sim_time turn);

// Like inet_spin, for calls on several sockets (count > 0).
bool inet_spin_several(struct cpu_context *context, const struct inet_selected *selected, int count,
                       sim_time turn);

// ---- Buffers ----

// SO_SNDBUF or SO_RCVBUF, bytes.
struct inet_buffer {
    int64_t size, used;
    bool locked; // the program has set the size
};

// Sets the size as setsockopt does: `asked`, but at least `least`; `fallback` if `asked` is 0.
void inet_buffer_init(struct inet_buffer *buffer, const struct inet_config *config, int64_t asked,
                      int64_t fallback, int64_t least);

// Bytes that a received packet of `bytes` bytes counts in a buffer. A long frame keeps its
// full-size ring buffer; a short one is copied out of it.
int64_t inet_truesize(const struct inet_interface *interface, int64_t bytes);

#endif
