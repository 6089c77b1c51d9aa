// SPDX-License-Identifier: GPL-3.0-or-later
// Where new data go, and what was lost (CMT: Iyengar, Amer, Stewart 2006; thesis 004, 2.2, 3.2.4;
// without CMT: RFC 9260, 6.4). Schedulers and retransmission policies are rows of tables.
#include "models/sctp_cmt/sctp/association.h"

static const struct sctp_cmt_config *cmt_of(const struct sctp_association *association)
{
    return &association->host->config->cmt;
}

// `choice`: as state logs name it.
static void trace_choice(struct cpu_context *context, const struct sctp_path *path,
                         const char *choice, const char *why)
{
    const struct sctp_association *association = path->association;
    const struct machine_owner owner = {association->host->host->name, association->id, choice};
    cpu_trace_event(context, owner, NULL, sctp_path_name(path), why);
}

// ---- Buffer splitting ----

bool sctp_split_allows(const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    const struct sctp_out *out = &association->out;
    int splitting = cmt_of(association)->splitting;
    bool sends = splitting == SCTP_SPLIT_SEND || splitting == SCTP_SPLIT_BOTH;
    bool receives = splitting == SCTP_SPLIT_RECEIVE || splitting == SCTP_SPLIT_BOTH;
    if (sends && path->flight > association->settings.send_buffer / association->path_count)
        return false;
    return !receives || path->flight <= (out->peer_rwnd + out->flight) / association->path_count;
}

// ---- New data ----

static bool cwnd_has_room(const struct sctp_path *path)
{
    return sctp_path_takes_data(path) && sctp_path_load(path) < path->cc.cwnd &&
           sctp_split_allows(path);
}

// The n-th path from the head of the list: the primary, then the others in order.
static struct sctp_path *from_head(struct sctp_association *association, int n)
{
    int primary = association->primary->number;
    if (n == 0)
        return association->primary;
    return &association->paths[n <= primary ? n - 1 : n];
}

static int place_of(const struct sctp_path *path)
{
    int primary = path->association->primary->number;
    if (path->number == primary)
        return 0;
    return path->number < primary ? path->number + 1 : path->number;
}

// The BSD stack of 2007: one packet's worth to each, always from the head on.
static struct sctp_path *schedule_head(struct sctp_association *association,
                                       struct sctp_path *after)
{
    for (int n = after ? place_of(after) + 1 : 0; n < association->path_count; n++)
        if (cwnd_has_room(from_head(association, n)))
            return from_head(association, n);
    return NULL;
}

// The first with room, from `first` places after the path on, in a ring.
static struct sctp_path *ring(struct sctp_association *association, const struct sctp_path *path,
                              int first)
{
    int start = path ? path->number + first : 0, count = association->path_count;
    for (int i = 0; i < count; i++)
        if (cwnd_has_room(&association->paths[(start + i) % count]))
            return &association->paths[(start + i) % count];
    return NULL;
}

static struct sctp_path *schedule_round_robin(struct sctp_association *association,
                                              struct sctp_path *after)
{
    return ring(association, after ? after : association->out.served, 1);
}

// ns-2: begins after the path that was served last, and fills the window of each.
static struct sctp_path *schedule_fill(struct sctp_association *association,
                                       struct sctp_path *after)
{
    return after ? ring(association, after, 0) : ring(association, association->out.served, 1);
}

static const struct scheduler {
    const char *name;
    struct sctp_path *(*next)(struct sctp_association *association, struct sctp_path *after);
} schedulers[] = {
    [SCTP_SCHEDULE_HEAD] = {"head", schedule_head},
    [SCTP_SCHEDULE_ROUND_ROBIN] = {"round robin", schedule_round_robin},
    [SCTP_SCHEDULE_FILL] = {"fill", schedule_fill},
};

// The primary, or while it is PF or INACTIVE its alternate.
static struct sctp_path *schedule_single(struct sctp_association *association)
{
    struct sctp_path *path = association->primary;
    if (path->machine.state != SCTP_PATH_ACTIVE)
        path = sctp_path_alternate(path);
    return cwnd_has_room(path) ? path : NULL;
}

struct sctp_path *sctp_schedule(struct cpu_context *context, struct sctp_association *association,
                                struct sctp_path *after)
{
    const struct sctp_cmt_config *cmt = cmt_of(association);
    const struct scheduler *scheduler = &schedulers[cmt->scheduler];
    struct sctp_path *path;
    if (!sctp_any_path_active(association) && sctp_out_waits(association))
        sctp_path_last_resort(context, association, NULL);
    if (cmt->on)
        path = scheduler->next(association, after);
    else
        path = after ? NULL : schedule_single(association);
    if (!path)
        return NULL;
    if (path != association->out.served)
        trace_choice(context, path, "sctp new data", cmt->on ? scheduler->name : "primary");
    association->out.served = path;
    return path;
}

// ---- Retransmissions ----

// The values that a policy compares: the largest wins, ties are random. -1: no candidate.
static double by_self(const struct sctp_path *path, const struct sctp_path *lossy)
{
    return path == lossy ? 1 : -1;
}

static double by_room(const struct sctp_path *path, const struct sctp_path *lossy)
{
    (void)lossy;
    return path->flight < path->cc.cwnd ? 1 : -1;
}

static double by_cwnd(const struct sctp_path *path, const struct sctp_path *lossy)
{
    (void)lossy;
    return (double)path->cc.cwnd;
}

static double by_ssthresh(const struct sctp_path *path, const struct sctp_path *lossy)
{
    (void)lossy;
    return (double)path->cc.ssthresh;
}

static double by_loss(const struct sctp_path *path, const struct sctp_path *lossy)
{
    (void)lossy;
    return 1 - path->cmt.loss_rate;
}

static const struct policy {
    const char *name;
    double (*value)(const struct sctp_path *path, const struct sctp_path *lossy);
} policies[] = {
    [SCTP_RTX_SAME] = {"RTX-SAME", by_self},
    [SCTP_RTX_ASAP] = {"RTX-ASAP", by_room},
    [SCTP_RTX_CWND] = {"RTX-CWND", by_cwnd},
    [SCTP_RTX_SSTHRESH] = {"RTX-SSTHRESH", by_ssthresh},
    [SCTP_RTX_LOSSRATE] = {"RTX-LOSSRATE", by_loss},
};

// Of the ACTIVE paths; NULL: the policy has no candidate.
static struct sctp_path *by_policy(const struct policy *policy, const struct sctp_path *lossy)
{
    struct sctp_association *association = lossy->association;
    struct sctp_path *best[SCTP_MOST_PATHS];
    uint64_t count = 0;
    double most = 0;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        double value = path->machine.state == SCTP_PATH_ACTIVE ? policy->value(path, lossy) : -1;
        if (value < 0 || value < most)
            continue;
        if (value > most)
            count = 0;
        most = value;
        best[count++] = path;
    }
    if (count == 0)
        return NULL;
    return best[count > 1 ? random_below(sctp_chance(association->host), count) : 0];
}

static struct sctp_path *retransmit_single(struct sctp_path *path, bool timeout)
{
    const struct sctp_config *config = path->association->host->config;
    bool elsewhere = timeout ? config->t3_to_alternate : config->fast_to_alternate;
    if (elsewhere || path->machine.state != SCTP_PATH_ACTIVE)
        return sctp_path_alternate(path);
    return path;
}

struct sctp_path *sctp_retransmission_path(struct cpu_context *context, struct sctp_path *path,
                                           bool timeout)
{
    struct sctp_association *association = path->association;
    const struct sctp_cmt_config *cmt = cmt_of(association);
    const struct policy *policy = &policies[cmt->policy];
    struct sctp_path *to = cmt->on ? by_policy(policy, path) : retransmit_single(path, timeout);
    if (!to)
        to = path->machine.state == SCTP_PATH_ACTIVE ? path : sctp_path_alternate(path);
    if (to->machine.state != SCTP_PATH_ACTIVE)
        to = sctp_path_last_resort(context, association, timeout ? path : NULL);
    trace_choice(context, to, "sctp retransmission", cmt->on ? policy->name : "");
    return to;
}
