// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a path's state, as a table of transitions: answers and errors; and which path
// is the primary (RFC 9260, 5.4, 6.4, 8.1, 8.2; CMT-PF: thesis 004, 4.3, RFC 7829; what a system
// does about it: the BSD stack of 2007, sctp_threshold_management, sctp_set_primary_addr).
#include "models/sctp_cmt/sctp/association.h"

// ---- The primary ----

static void move_primary(struct cpu_context *context, struct sctp_path *path, const char *event)
{
    struct sctp_association *association = path->association;
    path->was_primary = false;
    if (association->primary == path)
        return;
    const struct machine_owner owner = {association->host->host->name, association->id,
                                        "sctp primary"};
    cpu_trace_event(context, owner, sctp_path_name(association->primary), sctp_path_name(path),
                    event);
    association->primary = path;
    sctp_notify(context, association, SCTP_ADDR_MADE_PRIM, path->remote);
}

static bool any_was_primary(const struct sctp_association *association)
{
    for (int i = 0; i < association->path_count; i++)
        if (association->paths[i].was_primary)
            return true;
    return false;
}

void sctp_path_make_primary(struct cpu_context *context, struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    for (int i = 0; i < association->path_count; i++)
        association->paths[i].was_primary = false;
    if (path->confirmed)
        move_primary(context, path, "SCTP_PRIMARY_ADDR");
    else
        path->was_primary = true; // once it is confirmed
}

// ---- Transitions ----

enum path_event {
    PATH_SHOWN,        // by the handshake
    PATH_ANSWERED,     // a heartbeat was
    PATH_ACKNOWLEDGED, // DATA that were sent once were
    PATH_SUSPECTED,    // T3-rtx or a heartbeat unanswered, with CMT-PF
    PATH_FAILED,       // more than Path.Max.Retrans errors
    PATH_NEEDED,       // data must go and no path is ACTIVE
};

static const char *const event_names[] = {
    [PATH_SHOWN] = "handshake",         [PATH_ANSWERED] = "HEARTBEAT-ACK",
    [PATH_ACKNOWLEDGED] = "SACK",       [PATH_SUSPECTED] = "no answer",
    [PATH_FAILED] = "Path.Max.Retrans", [PATH_NEEDED] = "no path is ACTIVE",
};

static void back_to_primary(struct cpu_context *context, struct sctp_path *path)
{
    if (path->was_primary)
        move_primary(context, path, "path is ACTIVE again");
}

static void on_shown(struct cpu_context *context, struct sctp_path *path)
{
    path->confirmed = true;
    path->errors = 0;
    back_to_primary(context, path);
}

static void on_confirmed(struct cpu_context *context, struct sctp_path *path)
{
    const struct sctp_host *host = path->association->host;
    sctp_cc_init(path, inet_ticks(host->inet, context->now));
    sctp_cc_note_restart(context, path);
    sctp_notify(context, path->association, SCTP_ADDR_CONFIRMED, path->remote);
    on_shown(context, path);
}

static void on_suspected(struct cpu_context *context, struct sctp_path *path)
{
    path->cmt.last_active = context->now;
}

// CMT-PF: the window that a failure has left has no meaning for the path now.
static void on_trusted(struct cpu_context *context, struct sctp_path *path)
{
    (void)context;
    path->cc.cwnd = path->association->host->config->cmt.pf * path->cc.mss;
    path->sack.net_ack = 0; // this SACK does not make it grow
}

static void on_acknowledged(struct cpu_context *context, struct sctp_path *path)
{
    if (path->association->host->config->cmt.pf_sack_resets)
        on_trusted(context, path);
}

static void on_needed(struct cpu_context *context, struct sctp_path *path)
{
    (void)context;
    const struct sctp_cmt_config *cmt = &path->association->host->config->cmt;
    path->cc.cwnd = (cmt->pf_resume > 0 ? cmt->pf_resume : cmt->pf) * path->cc.mss;
}

// A path that was never confirmed takes part again only when a heartbeat has been answered.
static void on_back(struct cpu_context *context, struct sctp_path *path)
{
    if (!path->confirmed) {
        on_confirmed(context, path);
        return;
    }
    sctp_notify(context, path->association, SCTP_ADDR_AVAILABLE, path->remote);
    back_to_primary(context, path);
}

static void on_down(struct cpu_context *context, struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    struct sctp_path *alternate = sctp_path_alternate(path);
    sctp_notify(context, association, SCTP_ADDR_UNREACHABLE, path->remote);
    if (alternate == path)
        return;
    sctp_out_move(association, path, alternate, true);
    if (path != association->primary)
        return;
    // The first one that failed is the one to return to.
    path->was_primary = !any_was_primary(association);
    (*association->host->count.failovers)++;
    move_primary(context, alternate, "the primary is INACTIVE");
}

static const struct path_rule {
    enum sctp_path_state from;
    enum path_event event;
    enum sctp_path_state to;
    void (*action)(struct cpu_context *context, struct sctp_path *path);
} rules[] = {
    {SCTP_PATH_UNCONFIRMED, PATH_SHOWN, SCTP_PATH_ACTIVE, on_shown},
    {SCTP_PATH_UNCONFIRMED, PATH_ANSWERED, SCTP_PATH_ACTIVE, on_confirmed},
    {SCTP_PATH_UNCONFIRMED, PATH_FAILED, SCTP_PATH_INACTIVE, on_down},
    {SCTP_PATH_ACTIVE, PATH_SUSPECTED, SCTP_PATH_PF, on_suspected},
    {SCTP_PATH_ACTIVE, PATH_FAILED, SCTP_PATH_INACTIVE, on_down},
    {SCTP_PATH_PF, PATH_FAILED, SCTP_PATH_INACTIVE, on_down},
    {SCTP_PATH_PF, PATH_ANSWERED, SCTP_PATH_ACTIVE, on_trusted},
    {SCTP_PATH_PF, PATH_ACKNOWLEDGED, SCTP_PATH_ACTIVE, on_acknowledged},
    {SCTP_PATH_PF, PATH_NEEDED, SCTP_PATH_ACTIVE, on_needed},
    {SCTP_PATH_INACTIVE, PATH_SHOWN, SCTP_PATH_ACTIVE, on_shown},
    {SCTP_PATH_INACTIVE, PATH_ANSWERED, SCTP_PATH_ACTIVE, on_back},
    {SCTP_PATH_INACTIVE, PATH_ACKNOWLEDGED, SCTP_PATH_ACTIVE, on_back},
};

// An event that no row has for the path's state changes nothing.
static void take_event(struct cpu_context *context, struct sctp_path *path, enum path_event event)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        const struct path_rule *rule = &rules[i];
        if (rule->from != path->machine.state || rule->event != event)
            continue;
        sctp_path_enter(context, path, rule->to, event_names[event]);
        rule->action(context, path);
        sctp_heartbeat_rearm(context, path);
        return;
    }
}

void sctp_path_confirm(struct cpu_context *context, struct sctp_path *path)
{
    take_event(context, path, PATH_SHOWN);
}

void sctp_path_alive(struct cpu_context *context, struct sctp_path *path, bool heartbeat)
{
    path->errors = 0;
    if (path->machine.state != SCTP_PATH_ACTIVE)
        take_event(context, path, heartbeat ? PATH_ANSWERED : PATH_ACKNOWLEDGED);
}

struct sctp_path *sctp_path_last_resort(struct cpu_context *context,
                                        struct sctp_association *association,
                                        const struct sctp_path *failing)
{
    struct sctp_path *path = sctp_path_best_of_rest(association, failing);
    take_event(context, path, PATH_NEEDED);
    return path;
}

// ---- Errors ----

// RFC 7829, 3.2: PFMR is 0 in CMT-PF, so that the first time-out counts.
void sctp_path_suspect(struct cpu_context *context, struct sctp_path *path)
{
    const struct sctp_cmt_config *cmt = &path->association->host->config->cmt;
    if (cmt->pf > 0 && path->errors + 1 > cmt->pf_retries)
        take_event(context, path, PATH_SUSPECTED);
}

bool sctp_association_error(struct sctp_association *association)
{
    association->errors++;
    if (association->errors <= association->settings.association_retries)
        return true;
    sctp_fail(association, (enum sctp_cause)0, NULL, 0, SCTP_TIMED_OUT);
    return false;
}

// RFC 9260, 5.4: errors of a path that is being probed do not count for the association,
// in ns-2 nor do those of an INACTIVE one (here: while another is ACTIVE).
bool sctp_path_error(struct cpu_context *context, struct sctp_path *path)
{
    bool ns2 = path->association->host->config->heartbeat_rule == SCTP_HEARTBEAT_NS2;
    bool counts = path->confirmed && !(ns2 && path->machine.state == SCTP_PATH_INACTIVE &&
                                       sctp_any_path_active(path->association));
    path->errors++;
    if (path->errors > path->association->settings.path_retries)
        take_event(context, path, PATH_FAILED);
    if (counts && !sctp_association_error(path->association))
        return false;
    if (path->machine.state == SCTP_PATH_PF)
        sctp_heartbeat_again(context, path);
    return true;
}
