// SPDX-License-Identifier: GPL-3.0-or-later
// The mutexes of a node's ranks, one for each: its holder, and its waiters in the order of their
// requests.
#include "models/armci/server.h"
#include "sim/core/fifo.h"

bool armci_server_lock(struct armci_server *server, const struct armci_message *message)
{
    struct armci_mutex *mutex = sparse_at(&server->mutexes, message->target);
    if (!mutex->held) {
        mutex->held = true;
        mutex->holder = message->client;
        return true;
    }
    struct armci_waiter *waiter = pool_take(&server->waiters);
    *waiter = (struct armci_waiter){message->client, message->number, NULL};
    FIFO_APPEND(mutex->first, mutex->last, waiter, next);
    return false;
}

int armci_server_unlock(struct armci_server *server, const struct armci_message *message,
                        uint32_t *number)
{
    struct armci_mutex *mutex = sparse_at(&server->mutexes, message->target);
    struct armci_waiter *next = mutex->first;
    if (!mutex->held || mutex->holder != message->client) {
        sim_fail(server->job->sim, SIM_FAILED, "not_locked",
                 json_pack("{s:i, s:i}", "rank", message->client, "peer", message->target),
                 "rank %d unlocks the mutex of rank %d, which it does not hold", message->client,
                 message->target);
        return -1;
    }
    mutex->held = next != NULL;
    if (!next)
        return -1;
    int client = next->client;
    *number = next->number;
    mutex->first = next->next;
    mutex->holder = client;
    pool_give(&server->waiters, next);
    return client;
}
