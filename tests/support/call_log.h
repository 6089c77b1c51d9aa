// SPDX-License-Identifier: GPL-3.0-or-later
// The calls that an observer got in a run (sim/mpi/observer.h), and when messages were whole at
// their destination, in the order of the run.
#ifndef NETSIM_TESTS_SUPPORT_CALL_LOG_H
#define NETSIM_TESTS_SUPPORT_CALL_LOG_H

#include "sim/core/sim.h"
#include "sim/mpi/observer.h"
#include "sim/mpi/request.h"
#include "sim/program/operation_kind.h"

#include <glib.h>

enum logged_kind { LOGGED_REQUEST, LOGGED_COLLECTIVE, LOGGED_WHOLE };

struct logged {
    enum logged_kind of;
    enum mpi_observed what; // of a collective OBSERVED_START or _RETURN
    int rank;               // of a whole message -1
    const char *collective;
    // Of a request as it is now; of a whole message `message` alone.
    enum mpi_request_kind kind;
    const struct operation_kind *operation; // of REQUEST_OPERATION
    int context;
    uint32_t number;
    int peer, tag;
    int64_t size, count; // count: the operation's number of that name, 0 if it has none
    bool synchronous, notify;
    struct mpi_envelope status;
    struct message_ref message;
    sim_time when; // of the event in which it happened
};

struct call_log {
    struct mpi_observer observer; // give &log->observer to the run
    GArray *entries;              // struct logged
    const struct sim *sim;        // NULL until the first call; valid only during the run
};

struct call_log *call_log_new(void);
void call_log_free(struct call_log *log);

// Whether the entry is of a request for the operation of that name.
bool logged_is(const struct logged *entry, const char *operation);

// One entry as a line of text; the caller frees it.
char *logged_text(const struct logged *entry);

#endif
