// SPDX-License-Identifier: GPL-3.0-or-later
// What sockets of every transport share: the process that makes the calls, its sleep and wake-up,
// waiting for one socket or for several (select), and what counts as used of a socket's buffers.
//
// No call waits: what would block returns at once, and the process then asks to be woken
// (inet_wait, inet_select) and returns CPU_SLEEP from its handler.
#ifndef NETSIM_MODELS_INET_SOCKET_H
#define NETSIM_MODELS_INET_SOCKET_H

#include "models/inet/inet.h"

enum inet_readiness { INET_READABLE = 1, INET_WRITABLE = 2 };

// A process that uses sockets.
struct inet_process {
    struct cpu_task *task;
    const struct host *host;
    bool asleep;
    sim_time asleep_since; // when it has gone to sleep: a wake-up before is for free
    bool switch_due;       // it was woken: the next call pays the switch back
    bool in_call;          // it slept within the call that it makes now
    uint64_t epoch;        // of its sleep: what sockets compare with
};

struct inet_socket;

struct inet_socket_ops {
    const struct stage *stage; // of what select costs
    // What it is ready for now: enum inet_readiness.
    int (*ready)(const struct inet_socket *socket);
    // Whether a call that sleeps for `readiness` goes on; NULL: when `ready` says so.
    bool (*goes_on)(const struct inet_socket *socket, enum inet_readiness readiness);
    // The process is about to sleep until it is ready for `readiness`; may be NULL.
    void (*awaited)(struct inet_socket *socket, int readiness);
};

// A transport's socket begins with this.
struct inet_socket {
    const struct inet_socket_ops *ops;
    struct inet_host *host;
    struct inet_process *process; // who uses it; NULL: nobody yet
    uint64_t epoch;               // of the process's sleep for it
    int wanted;                   // enum inet_readiness, in that sleep
};

// The process that `task` is, made if it is new to the host; owned by the host.
struct inet_process *inet_process_of(struct inet_host *host, struct cpu_task *task);

// Enters the kernel: charges the system call, or, if the process slept within one, the switch back
// to it.
void inet_enter(struct cpu_context *context, struct inet_process *process);

// Goes to sleep and charges that; `in_call`: within a system call, which goes on after the wake-up.
void inet_sleep(struct cpu_context *context, struct inet_process *process, bool in_call);

// Wakes the process if it sleeps, and charges the waker.
void inet_wake(struct cpu_context *context, struct inet_process *process);

// Something of the socket has changed: wakes its process if it sleeps for what is ready now.
void inet_notify(struct cpu_context *context, struct inet_socket *socket);

// Blocks in a call on one socket (inside the system call, no select): true if it goes on now;
// false: the task will be woken once it does, and must return CPU_SLEEP. Charges going to sleep;
// the switch back is charged to the next call of the woken task.
bool inet_wait(struct cpu_context *context, struct inet_socket *socket,
               enum inet_readiness readiness);

// select(2) over `count` sockets of one process: charges the call and each descriptor, sets
// ready[i] to what is ready of wanted[i], returns the number of ready ones. 0: with `block`, the
// task will be woken once one is ready and must return CPU_SLEEP (it then calls again, as the
// kernel looks again); without, it was a poll.
int inet_select(struct cpu_context *context, struct inet_socket *const *sockets,
                const enum inet_readiness *wanted, enum inet_readiness *ready, int count,
                bool block);

// ---- Buffers ----

// SO_SNDBUF or SO_RCVBUF, bytes.
struct inet_buffer {
    int64_t size, used;
    bool locked; // the program has set the size
};

// What setsockopt makes of a size that is asked for: at least `least`, `fallback` if 0 is asked.
void inet_buffer_init(struct inet_buffer *buffer, const struct inet_config *config, int64_t asked,
                      int64_t fallback, int64_t least);

// What a received packet of `bytes` bytes counts in a buffer: a long frame stays in the buffer of
// the ring that holds a whole one, a short one is copied out of it.
int64_t inet_truesize(const struct inet_interface *interface, int64_t bytes);

#endif
