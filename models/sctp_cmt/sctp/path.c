// SPDX-License-Identifier: GPL-3.0-or-later
// A path, its states, and which of an association's paths to use (RFC 9260, 5.4, 6.4).
#include "models/sctp_cmt/sctp/association.h"

#include "sim/core/fifo.h"

#define FATE_WEIGHT 64 // chunks over which RTX-LOSSRATE's estimate forgets

static const struct machine_state path_states[] = {
    [SCTP_PATH_UNCONFIRMED] = {"UNCONFIRMED",
                               .next = MACHINE_TO(SCTP_PATH_ACTIVE, SCTP_PATH_INACTIVE)},
    [SCTP_PATH_ACTIVE] = {"ACTIVE", .next = MACHINE_TO(SCTP_PATH_UNCONFIRMED, SCTP_PATH_PF,
                                                       SCTP_PATH_INACTIVE)},
    [SCTP_PATH_PF] = {"PF", .next = MACHINE_TO(SCTP_PATH_ACTIVE, SCTP_PATH_INACTIVE)},
    [SCTP_PATH_INACTIVE] = {"INACTIVE", .next = MACHINE_TO(SCTP_PATH_ACTIVE)},
};

#define PATH_MACHINE(log_name)                                                                     \
    {                                                                                              \
        .name = (log_name), .title = "Path of an SCTP association",                                \
        .source = "RFC 9260, 5.4, 8.2; CMT-PF: thesis 004, 4.3, RFC 7829", .states = path_states,  \
        .count = G_N_ELEMENTS(path_states),                                                        \
    }

const struct machine_kind sctp_path_machine = PATH_MACHINE("sctp path");

// As users count them, and state logs name them.
static const struct machine_kind path_machines[SCTP_MOST_PATHS] = {
    PATH_MACHINE("sctp path 1"), PATH_MACHINE("sctp path 2"), PATH_MACHINE("sctp path 3"),
    PATH_MACHINE("sctp path 4"), PATH_MACHINE("sctp path 5"), PATH_MACHINE("sctp path 6"),
    PATH_MACHINE("sctp path 7"), PATH_MACHINE("sctp path 8"),
};
#define NAME_BEGINS 5 // of "path 1" in those

const char *sctp_path_name(const struct sctp_path *path)
{
    return path_machines[path->number].name + NAME_BEGINS;
}

void sctp_path_enter(struct cpu_context *context, struct sctp_path *path,
                     enum sctp_path_state state, const char *event)
{
    cpu_machine_enter(context, &path_machines[path->number], &path->machine, state,
                      sctp_machine_owner(path->association), event);
}

// ---- Create and free ----

void sctp_path_init(struct sctp_path *path, struct sctp_association *association, int number,
                    int local, int remote, bool confirmed)
{
    struct sctp_host *host = association->host;
    g_assert(number >= 0 && number < SCTP_MOST_PATHS);
    *path = (struct sctp_path){
        .association = association,
        .number = number,
        .local = local,
        .remote = remote,
        .interface = inet_interface_of(host->inet, local),
        .machine = {confirmed ? SCTP_PATH_ACTIVE : SCTP_PATH_UNCONFIRMED},
        .confirmed = confirmed,
        .heartbeats = association->settings.heartbeats,
        .cmt = {.find_pseudo = true, .find_rtx = true},
    };
    g_assert(path->interface);
    path->route = inet_route(path->interface, remote);
    g_assert(path->route);
    path->mtu = inet_path_mtu(path->interface, remote);
    sctp_rto_init(&path->rto, association);
    sctp_cc_init(path, inet_ticks(host->inet, sim_now(host->sim)));
}

void sctp_path_clear(struct sctp_path *path)
{
    inet_timer_cancel(&path->t3);
    inet_timer_cancel(&path->heartbeat);
    while (path->control_head) {
        struct sctp_chunk *chunk = path->control_head;
        path->control_head = chunk->next;
        sctp_chunk_free(&path->association->host->pools, chunk);
    }
    path->control_tail = NULL;
}

void sctp_control_queue(struct sctp_path *path, struct sctp_chunk *chunk)
{
    FIFO_APPEND(path->control_head, path->control_tail, chunk, next);
}

void sctp_path_fate(struct sctp_path *path, bool lost)
{
    path->cmt.loss_rate += ((lost ? 1.0 : 0.0) - path->cmt.loss_rate) / FATE_WEIGHT;
}

// ---- Choice of a path ----

bool sctp_any_path_active(const struct sctp_association *association)
{
    for (int i = 0; i < association->path_count; i++)
        if (association->paths[i].machine.state == SCTP_PATH_ACTIVE)
            return true;
    return false;
}

bool sctp_any_path_probed(const struct sctp_association *association)
{
    for (int i = 0; i < association->path_count; i++)
        if (sctp_path_probed(&association->paths[i]))
            return true;
    return false;
}

struct sctp_path *sctp_path_alternate(struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    for (int i = 1; i < association->path_count; i++) {
        int number = (path->number + i) % association->path_count;
        if (association->paths[number].machine.state == SCTP_PATH_ACTIVE)
            return &association->paths[number];
    }
    return path;
}

static int errors_of(const struct sctp_path *path, const struct sctp_path *failing)
{
    return path->errors + (path == failing);
}

// Of equal ones that which was ACTIVE last.
static bool better(const struct sctp_path *path, const struct sctp_path *than,
                   const struct sctp_path *failing)
{
    int difference = errors_of(path, failing) - errors_of(than, failing);
    return difference < 0 || (difference == 0 && path->cmt.last_active > than->cmt.last_active);
}

struct sctp_path *sctp_path_best_of_rest(const struct sctp_association *association,
                                         const struct sctp_path *failing)
{
    struct sctp_path *best = NULL;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (path->machine.state == SCTP_PATH_PF && (!best || better(path, best, failing)))
            best = path;
    }
    for (int i = 0; !best && i < association->path_count; i++)
        if (association->paths[i].confirmed && !association->primary->confirmed)
            best = &association->paths[i];
    return best ? best : association->primary;
}

bool sctp_path_takes_data(const struct sctp_path *path)
{
    if (path->machine.state == SCTP_PATH_ACTIVE)
        return true;
    return !sctp_any_path_active(path->association) &&
           sctp_path_best_of_rest(path->association, NULL) == path;
}
