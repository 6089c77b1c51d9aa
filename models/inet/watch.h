// SPDX-License-Identifier: GPL-3.0-or-later
// The sockets that a process polls for reading, as a kernel's epoll keeps them: each poll asks only
// those whose readiness may have changed since the last one. The simulated cost is that of poll(2)
// over all of them.
#ifndef NETSIM_MODELS_INET_WATCH_H
#define NETSIM_MODELS_INET_WATCH_H

#include "models/inet/socket.h"

// A socket in a watch.
struct inet_watched {
    struct inet_watch *watch;
    struct inet_socket *socket;
    uint32_t place;
    bool marked; // the next poll asks it
};

struct inet_watch {
    GPtrArray *sockets; // struct inet_watched *, by place; NULL: it has left
    GArray *marked;     // uint32_t: places of those to be asked
    GArray *readable;   // uint64_t: a bit per place, as of the last poll
    int count;          // sockets
    int readable_count;
    const struct inet_config *config; // of the host and the transport of all
    const struct stage *stage;
};

void inet_watch_init(struct inet_watch *watch);
// The sockets may be gone already.
void inet_watch_clear(struct inet_watch *watch);

// The socket, which is in no watch, is polled from now on. Places are small numbers of the
// caller's, from 0 on, each of one socket at a time. All sockets are of one host and transport.
void inet_watch_join(struct inet_watch *watch, struct inet_socket *socket, uint32_t place);
// It is polled no more; no effect if it is in no watch. A socket leaves before it is closed.
void inet_watch_leave(struct inet_socket *socket);

// poll(2) of the process over all sockets, without waiting: charges the call and each socket.
// Returns how many can be read. The watch must have a socket.
int inet_watch_poll(struct cpu_context *context, struct inet_watch *watch,
                    struct inet_process *process);

#endif
