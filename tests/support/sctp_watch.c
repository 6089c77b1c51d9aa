// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sctp_watch.h"

#include "tests/support/suite.h"

#include <stdio.h>

#define STEP 40 // events between checks
#define MOST_EVENTS 20000000

// Values of an association that are kept from check to check.
struct memory {
    uint32_t cum_tsn, in_cum_tsn;
    bool known;
    int64_t chunks_sent[SCTP_MOST_PATHS];
    bool idle[SCTP_MOST_PATHS]; // must get no data, as another path is ACTIVE
};

static void take(struct transition_sink *sink, sim_time when,
                 const struct trace_transition *transition)
{
    struct sctp_watch *watch = (struct sctp_watch *)(void *)sink;
    (void)when;
    if (g_str_has_prefix(transition->machine, "sctp path"))
        watch->moved = true;
}

static void hold(struct sctp_watch *watch, const struct sctp_association *association, bool holds,
                 const char *what, int64_t is, int64_t limit)
{
    if (holds)
        return;
    if (!watch->failed)
        fprintf(stderr,
                "run %d, %.6f ms, %s, association %u: %s: %" G_GINT64_FORMAT
                " and %" G_GINT64_FORMAT "\n",
                watch->number, time_to_us(sim_now(watch->world->sim)) / 1000,
                association->host->host->name, association->id, what, is, limit);
    watch->failed = true;
    CU_FAIL("what must hold does not");
}

static void check_flight(struct sctp_watch *watch, const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    int64_t flight[SCTP_MOST_PATHS] = {0}, marked[SCTP_MOST_PATHS] = {0}, total = 0, resend = 0,
            outstanding = 0;
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++) {
        const struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        hold(watch, association, chunk->tsn == tsn, "TSN in the ring", chunk->tsn, tsn);
        hold(watch, association, (chunk->state == SCTP_MADE) == !sctp_tsn_before(tsn, out->unsent),
             "a chunk's state and the first one that is unsent", tsn, out->unsent);
        resend += chunk->state == SCTP_RESEND;
        if (chunk->state == SCTP_RESEND)
            marked[chunk->path->number] += sctp_outgoing_bytes(chunk);
        if (chunk->state != SCTP_SENT)
            continue;
        outstanding++;
        flight[chunk->path->number] += sctp_outgoing_bytes(chunk);
    }
    for (int i = 0; i < association->path_count; i++) {
        const struct sctp_path *path = &association->paths[i];
        hold(watch, association, path->flight == flight[i], "flight of a path", path->flight,
             flight[i]);
        hold(watch, association, path->marked == marked[i], "bytes of a path to be sent again",
             path->marked, marked[i]);
        total += flight[i];
    }
    hold(watch, association, out->flight == total, "flight", out->flight, total);
    hold(watch, association, out->resend == resend, "chunks to be sent again", out->resend, resend);
    hold(watch, association, out->outstanding == outstanding, "outstanding chunks",
         out->outstanding, outstanding);
}

static void check_path(struct sctp_watch *watch, const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    const struct sctp_config *config = association->host->config;
    int64_t floor = config->cmt.on ? 2 : config->ssthresh_floor;
    hold(watch, association, path->cc.cwnd >= path->cc.mss, "cwnd of at least an MTU",
         path->cc.cwnd, path->cc.mss);
    hold(watch, association, path->cc.ssthresh >= MIN(floor, 2) * path->cc.mss,
         "ssthresh of at least its floor", path->cc.ssthresh, floor * path->cc.mss);
    hold(watch, association, inet_timer_armed(path->t3) == (path->flight > 0),
         "T3-rtx runs exactly while there is flight", inet_timer_armed(path->t3), path->flight);
    hold(watch, association,
         path->machine.state != SCTP_PATH_ACTIVE ||
             path->errors <= association->settings.path_retries,
         "errors of an ACTIVE path", path->errors, association->settings.path_retries);
    hold(watch, association, path->control_head == NULL, "control chunks that nobody sends", 0,
         path->number);
    hold(watch, association, path->machine.state != SCTP_PATH_PF || config->cmt.pf > 0,
         "PF without CMT-PF", path->number, 0);
    hold(watch, association,
         path->machine.state != SCTP_PATH_PF || inet_timer_armed(path->heartbeat),
         "a PF path is probed", path->number, 0);
}

static bool another_active(const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    for (int i = 0; i < association->path_count; i++)
        if (i != path->number && association->paths[i].machine.state == SCTP_PATH_ACTIVE)
            return true;
    return false;
}

// A path that is not ACTIVE, while another one is, gets no DATA.
static void check_idle(struct sctp_watch *watch, const struct sctp_association *association,
                       struct memory *memory)
{
    for (int i = 0; i < association->path_count; i++) {
        const struct sctp_path *path = &association->paths[i];
        if (memory->idle[i] && !watch->moved)
            hold(watch, association, path->chunks_sent == memory->chunks_sent[i],
                 "DATA to a path that is not ACTIVE", path->chunks_sent, memory->chunks_sent[i]);
        memory->chunks_sent[i] = path->chunks_sent;
        memory->idle[i] = path->machine.state != SCTP_PATH_ACTIVE && another_active(path);
    }
}

static void check_in(struct sctp_watch *watch, const struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    // A chunk is taken while there is any room: one may pass the buffer's size.
    int64_t most = watch->receive_most;
    hold(watch, association, in->held >= 0 && in->queued >= 0, "bytes held and queued", in->held,
         in->queued);
    // Delivered data take no room unless they count, and held data may be charged.
    int64_t queued = association->host->config->queue_counts ? in->queued : 0;
    hold(watch, association, in->held + queued <= most + in->hold_charge,
         "bytes in the receive buffer", in->held + in->queued, most);
    hold(watch, association, !sctp_tsn_before(in->highest, in->cum_tsn), "highest TSN", in->highest,
         in->cum_tsn);
}

static void check_association(struct sctp_watch *watch, struct sctp_association *association)
{
    struct memory *memory = g_hash_table_lookup(watch->seen, association);
    int confirmed = 0;
    if (association->ended)
        return;
    hold(watch, association, association->due == 0, "due after the slice", association->due, 0);
    if (association->machine.state < SCTP_ESTABLISHED)
        return;
    if (!memory) {
        memory = g_new0(struct memory, 1);
        g_hash_table_insert(watch->seen, association, memory);
    }
    check_flight(watch, association);
    for (int i = 0; i < association->path_count; i++) {
        check_path(watch, &association->paths[i]);
        confirmed += association->paths[i].confirmed;
    }
    hold(watch, association, confirmed > 0, "confirmed paths", confirmed, 1);
    check_idle(watch, association, memory);
    check_in(watch, association);
    if (memory->known) {
        hold(watch, association, !sctp_tsn_before(association->out.cum_tsn, memory->cum_tsn),
             "cumulative TSN", association->out.cum_tsn, memory->cum_tsn);
        hold(watch, association, !sctp_tsn_before(association->in.cum_tsn, memory->in_cum_tsn),
             "cumulative TSN received", association->in.cum_tsn, memory->in_cum_tsn);
    }
    memory->cum_tsn = association->out.cum_tsn;
    memory->in_cum_tsn = association->in.cum_tsn;
    memory->known = true;
}

static void check_all(struct sctp_watch *watch)
{
    for (guint n = 0; n < watch->world->processes->len; n++) {
        const struct sctp_host *host = sctp_node(watch->world, (int)n)->host;
        for (guint i = 0; i < host->associations->len; i++)
            check_association(watch, g_ptr_array_index(host->associations, i));
    }
    watch->moved = false;
}

// ---- Runs ----

struct sctp_watch *sctp_watch_new(int number, int64_t receive_most)
{
    struct sctp_watch *watch = g_new0(struct sctp_watch, 1);
    watch->sink = transition_sink_make(take);
    watch->number = number;
    watch->receive_most = receive_most;
    watch->seen = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    return watch;
}

void sctp_watch_free(struct sctp_watch *watch)
{
    g_hash_table_unref(watch->seen);
    g_free(watch);
}

void sctp_watch_run(struct sctp_watch *watch, struct world *world)
{
    struct engine *engine = world->sim->engine;
    watch->world = world;
    while (engine_pending(engine) > 0 && engine_events(engine) < MOST_EVENTS && !watch->failed) {
        engine_run_some(engine, TIME_NEVER, STEP);
        check_all(watch);
    }
}

static void count_one(void *object, void *data)
{
    (void)object;
    (*(int *)data)++;
}

static int in_use(const struct pool *pool)
{
    int count = 0;
    pool_each(pool, count_one, &count);
    return count;
}

int sctp_watch_left(const struct world *world)
{
    int left = 0;
    for (guint n = 0; n < world->processes->len; n++) {
        const struct sctp_host *host = sctp_node(world, (int)n)->host;
        for (guint i = 0; i < host->associations->len; i++)
            left += !((struct sctp_association *)g_ptr_array_index(host->associations, i))->ended;
        left += in_use(&host->pools.chunks) + in_use(&host->pools.messages) +
                in_use(&host->pending) + in_use(&host->incoming);
        for (int i = 0; i < SCTP_BYTE_CLASSES; i++)
            left += in_use(&host->pools.bytes[i]);
    }
    return left;
}
