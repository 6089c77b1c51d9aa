// SPDX-License-Identifier: GPL-3.0-or-later
// Random runs: hosts in two or three networks, an association for each pair, messages both ways,
// packets that are lost, doubled, held back and cut off, and every switch of the stack by chance.
// What must hold holds at each step, and all bytes arrive.
//
// A run depends on its number alone: `test_sctp_random N` repeats run N and prints its settings,
// `test_sctp_random N M` runs N .. M-1.
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 60
#define STEP 40 // events between checks
#define MOST_EVENTS 20000000
#define MOST_HOSTS 8
#define STREAMS 4

// ---- Settings ----

struct random_run {
    int number, hosts, networks;
    GRand *random;
    GPtrArray *sets; // char *, ended by NULL
    int64_t receive_buffer, send_buffer, mtu;
    int64_t bytes; // per association and direction
    bool cmt;
    bool pauses; // of the processes
};

static void set(struct random_run *run, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void set(struct random_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(run->sets, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

static int below(struct random_run *run, int bound)
{
    return g_rand_int_range(run->random, 0, bound);
}

// Every switch of which each choice must work; now and then it is left as the profile has it.
static void choose_switches(struct random_run *run)
{
    static const char *const switches[][6] = {
        {"rto_formula", "rfc", "s2007"},
        {"heartbeat_rule", "rfc", "s2007", "ns2"},
        {"heartbeat_burst", "1", "4", "8"},
        {"heartbeat_probe", "true", "false"},
        {"heartbeats", "true", "true", "false"},
        {"t3_restart", "rfc", "s2007"},
        {"t3_mark", "all", "older_than_rto"},
        {"t3_to_alternate", "true", "false"},
        {"fast_to_alternate", "true", "false"},
        {"fast_again", "never", "after_newer"},
        {"recovery", "association", "path", "none"},
        {"burst_rule", "none", "cwnd", "cwnd_ssthresh", "after_fr"},
        {"pba_capped", "true", "false"},
        {"idle_floor", "0", "4"},
        {"chunk_charge", "0 B", "256 B"},
        {"mbuf_charge", "0 B", "256 B"},
        {"no_delay", "true", "false"},
        {"sack_delay", "0 s", "20 ms", "200 ms"},
        {"sack_frequency", "1", "2", "5"},
        {"sack_rule", "rfc", "s2007"},
        {"first_sack_at_once", "true", "false"},
        {"data_shows_life", "true", "false"},
        {"most_duplicates", "0", "20"},
        {"path_retries", "0", "1", "3", "5"},
        {"cmt_sfr", "true", "false"},
        {"cmt_cuc", "off", "v1", "v2"},
        {"cmt_dac", "true", "false"},
        {"cmt_dac_form", "flag_bits", "number"},
        {"cmt_scheduler", "head", "round_robin", "fill"},
        {"cmt_policy_before_cut", "true", "false"},
        {"cmt_recovery", "association", "path", "none"},
        {"cmt_pf_retries", "0", "1"},
        {"cmt_pf_by_heartbeat", "true", "false"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(switches); i++) {
        int choices = 0;
        while (choices < 5 && switches[i][1 + choices])
            choices++;
        int choice = below(run, choices + 1);
        if (choice < choices)
            set(run, "sctp.%s=%s", switches[i][0], switches[i][1 + choice]);
    }
}

static void choose_cmt(struct random_run *run)
{
    static const char *const policies[] = {"same", "asap", "cwnd", "ssthresh", "lossrate"};
    static const char *const splittings[] = {"none", "send", "receive", "both"};
    run->cmt = below(run, 4) > 0;
    set(run, "sctp.cmt=%s", run->cmt ? "true" : "false");
    set(run, "sctp.cmt_policy=%s", policies[below(run, 5)]);
    set(run, "sctp.cmt_pf=%d", run->cmt ? below(run, 3) : 0);
    set(run, "sctp.cmt_pf_resume=%d", below(run, 2));
    set(run, "sctp.cmt_splitting=%s", splittings[run->cmt ? below(run, 4) : 0]);
}

// Times are short, so that runs are; errors never end an association, since every cut ends.
static void choose_times(struct random_run *run)
{
    static const int least[] = {10, 50, 300};
    set(run, "sctp.rto_initial=%d ms", 100 + 200 * below(run, 3));
    set(run, "sctp.rto_least=%d ms", least[below(run, 3)]);
    set(run, "sctp.rto_most=2 s");
    set(run, "sctp.heartbeat_interval=%d ms", 20 + 300 * below(run, 3));
    set(run, "sctp.association_retries=1000");
    set(run, "sctp.init_retries=1000");
    set(run, "sctp.most_transmissions=0");
    set(run, "sctp.shutdown_guard=0 s");
}

static void choose_sizes(struct random_run *run)
{
    static const int64_t receive[] = {8000, 20000, 65536, 262144};
    static const int64_t send[] = {8000, 30000, 262144};
    static const int64_t mtus[] = {576, 1500};
    run->receive_buffer = receive[below(run, 4)];
    run->send_buffer = send[below(run, 3)];
    run->mtu = mtus[below(run, 2)];
    run->bytes = (int64_t)below(run, 4000000) / (run->hosts * run->hosts);
    set(run, "sctp.receive_buffer=%" G_GINT64_FORMAT " B", run->receive_buffer);
    set(run, "sctp.send_buffer=%" G_GINT64_FORMAT " B", run->send_buffer);
    set(run, "sctp.mtu=%" G_GINT64_FORMAT " B", run->mtu);
    set(run, "sctp.streams_out=%d", STREAMS);
}

// Links of the n-th network are alike in rate and propagation; each has faults of its own.
static void choose_faults(struct random_run *run)
{
    static const char *const rates[] = {"10 Mb/s", "100 Mb/s", "100 Mb/s", "1 Gb/s"};
    static const char *const propagations[] = {"1 us", "1 us", "1 ms", "20 ms"};
    int losses = below(run, 11);
    for (int n = 0; n < run->networks; n++) {
        const char *rate = rates[below(run, 4)], *propagation = propagations[below(run, 4)];
        int cut = below(run, 3), from = below(run, 1500), cut_host = below(run, run->hosts);
        for (int h = 0; h < run->hosts; h++) {
            int link = h * run->networks + n;
            set(run, "links[%d].rate=%s", link, rate);
            set(run, "links[%d].propagation=%s", link, propagation);
            set(run, "links[%d].drop_probability=%g", link, below(run, losses + 1) / 100.0);
            set(run, "links[%d].duplicate_probability=%g", link, below(run, 5) / 100.0);
            set(run, "links[%d].reorder_probability=%g", link, below(run, 10) / 100.0);
            set(run, "links[%d].reorder_delay=%d us", link, 1 + below(run, 3000));
            if (cut > 0 && h == cut_host)
                set(run, "links[%d].down=[{from: %d ms, to: %d ms}]", link, from,
                    from + 1 + below(run, cut == 1 ? 100 : 4000));
        }
    }
}

static struct random_run run_new(int number)
{
    static const char *const profiles[] = {"rfc9260", "s2007", "ns2"};
    struct random_run run = {
        .number = number,
        .random = g_rand_new_with_seed((guint32)number + 1),
        .sets = g_ptr_array_new_with_free_func(g_free),
    };
    // Most runs have two hosts.
    run.hosts = below(&run, 3) > 0 ? 2 : 3 + below(&run, MOST_HOSTS - 2);
    run.networks = 2 + below(&run, 2);
    set(&run, "seed=%d", number + 1);
    set(&run, "sctp.profile=%s", profiles[below(&run, 3)]);
    choose_cmt(&run);
    choose_switches(&run);
    choose_times(&run);
    choose_sizes(&run);
    choose_faults(&run);
    run.pauses = below(&run, 3) == 0;
    g_ptr_array_add(run.sets, NULL);
    return run;
}

static void run_clear(struct random_run *run)
{
    g_rand_free(run->random);
    g_ptr_array_unref(run->sets);
}

// ---- Processes ----

// One end of an association.
struct end {
    struct sctp_socket *socket;
    int peer; // -1: accepted, and not known yet
    bool connects, up, closed, broken;
    int64_t sent, read;
    struct sctp_send_info waits; // the socket had no room for it; bytes 0: none
};

struct live {
    struct random_run *run;
    struct end ends[MOST_HOSTS];
    int count;
    bool started, done;
};

static void start(struct cpu_context *context, struct sctp_node *node, struct live *live)
{
    int number = node->process.number;
    live->started = true;
    node->listener = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
    sctp_bind(context, node->listener, SCTP_WORLD_PORT, 0);
    sctp_listen(context, node->listener);
    for (int peer = 0; peer < number; peer++) {
        struct end *end = &live->ends[live->count++];
        int stations[SCTP_MOST_PATHS];
        int count = inet_stations(node->process.world->cluster, peer, stations, SCTP_MOST_PATHS);
        *end = (struct end){.peer = peer, .connects = true};
        end->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
        // All addresses, or only the first: the handshake tells the others.
        sctp_connect(context, end->socket, stations, below(live->run, 2) ? count : 1,
                     SCTP_WORLD_PORT, NULL);
    }
}

static bool accept_next(struct cpu_context *context, struct sctp_node *node, struct live *live)
{
    struct sctp_socket *socket = sctp_accept(context, node->listener, &node->process.task);
    struct sctp_status status;
    if (!socket)
        return false;
    CU_ASSERT_FATAL(sctp_status(socket, 0, &status));
    live->ends[live->count++] = (struct end){
        .socket = socket,
        .up = true,
        .peer = network_station_host(node->process.world->cluster->network, status.primary),
    };
    return true;
}

static struct sctp_send_info next_message(struct sctp_node *node, struct live *live,
                                          const struct end *end)
{
    struct random_run *run = live->run;
    int64_t most = MIN(run->send_buffer, run->receive_buffer * 4);
    int64_t bytes = 1 + (below(run, 2) ? below(run, 200) : below(run, (int)most));
    bool unordered = below(run, 5) == 0;
    uint16_t stream = (uint16_t)below(run, STREAMS);
    uint64_t flow = (uint64_t)node->process.number << 32 | (uint64_t)end->peer << 16 | stream;
    bytes = MIN(bytes, run->bytes - end->sent);
    return (struct sctp_send_info){
        .station = -1,
        .stream = stream,
        .unordered = unordered,
        .immediate = below(run, 10) == 0,
        .bytes = bytes,
        .message = ledger_open(node->process.world->sim->ledger, node->process.number, end->peer,
                               bytes, unordered ? flow | (uint64_t)1 << 60 : flow),
    };
}

static bool send_some(struct cpu_context *context, struct sctp_node *node, struct live *live,
                      struct end *end)
{
    if (end->sent >= live->run->bytes)
        return false;
    if (end->waits.bytes == 0)
        end->waits = next_message(node, live, end);
    int64_t taken = sctp_send(context, end->socket, &end->waits);
    if (taken == SCTP_AGAIN)
        return false;
    if (taken < 0) {
        end->broken = true;
        return false;
    }
    CU_ASSERT_FATAL(taken == end->waits.bytes);
    end->sent += taken;
    end->waits.bytes = 0;
    return true;
}

static bool read_some(struct cpu_context *context, struct sctp_node *node, struct live *live,
                      struct end *end)
{
    struct ledger *ledger = node->process.world->sim->ledger;
    struct sctp_received received;
    int64_t room = below(live->run, 3) ? 100000 : 1 + below(live->run, 3000);
    int64_t bytes = sctp_receive(context, end->socket, room, &received);
    if (bytes == SCTP_AGAIN)
        return false;
    if (bytes <= 0) {
        end->broken |= bytes < 0 || end->read < live->run->bytes;
        if (!end->closed)
            sctp_close(context, end->socket);
        end->closed = true;
        return true;
    }
    CU_ASSERT_FATAL(received.notification == SCTP_NOTHING);
    CU_ASSERT(bytes <= room);
    end->read += bytes;
    ledger_deliver(ledger, received.message, received.offset, bytes);
    if (received.end) {
        if (!received.unordered)
            ledger_match(ledger, received.message);
        ledger_complete(ledger, received.message);
    }
    return true;
}

static bool advance(struct cpu_context *context, struct sctp_node *node, struct live *live,
                    struct end *end)
{
    if (end->closed || end->broken)
        return false;
    if (!end->up) {
        if (sctp_socket_error(end->socket))
            end->broken = true;
        end->up = sctp_established(end->socket);
        return end->up;
    }
    bool moved = send_some(context, node, live, end);
    moved |= read_some(context, node, live, end);
    // Who connected closes, once both have all.
    if (!end->closed && end->connects && end->sent >= live->run->bytes &&
        end->read >= live->run->bytes) {
        sctp_close(context, end->socket);
        end->closed = true;
    }
    return moved;
}

static bool all_closed(const struct live *live)
{
    for (int i = 0; i < live->count; i++)
        if (!live->ends[i].closed && !live->ends[i].broken)
            return false;
    return live->count == live->run->hosts - 1;
}

static bool wait_for_any(struct cpu_context *context, struct sctp_node *node, struct live *live)
{
    struct inet_selected selected[MOST_HOSTS + 1];
    int count = 0;
    selected[count++] =
        (struct inet_selected){.socket = sctp_socket_inet(node->listener), .wanted = INET_READABLE};
    for (int i = 0; i < live->count; i++) {
        const struct end *end = &live->ends[i];
        if (end->closed || end->broken)
            continue;
        int wanted = end->up ? INET_READABLE : INET_WRITABLE;
        if (end->up && end->sent < live->run->bytes)
            wanted |= INET_WRITABLE;
        selected[count++] = (struct inet_selected){.socket = sctp_socket_inet(end->socket),
                                                   .wanted = (enum inet_readiness)wanted};
    }
    return inet_select(context, selected, count, true) > 0;
}

// The process computes while its receive buffers fill.
static void pause_some(struct cpu_context *context, struct random_run *run)
{
    static const struct stage computing = {"computing", STAGE_COMPUTE};
    if (run->pauses && below(run, 30) == 0)
        cpu_spend_time(context, (sim_time)below(run, 300) * TIME_MS, &computing);
}

static bool live_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct live *live = argument;
    bool moved = false;
    pause_some(context, live->run);
    if (!live->started) {
        start(context, node, live);
    } else {
        moved |= accept_next(context, node, live);
        for (int i = 0; i < live->count; i++)
            moved |= advance(context, node, live, &live->ends[i]);
    }
    live->done = all_closed(live);
    if (live->done)
        return true;
    if (moved || wait_for_any(context, node, live))
        cpu_post_wake(context, &node->process.task);
    return false;
}

// ---- What must hold ----

struct watched {
    struct transition_sink sink;
    struct random_run *run;
    struct world *world;
    bool moved;       // a path has changed its state since the last check
    GHashTable *seen; // struct sctp_association * -> struct memory *
    bool failed;
};

// What is remembered of an association from check to check.
struct memory {
    uint32_t cum_tsn, in_cum_tsn;
    bool known;
    int64_t chunks_sent[SCTP_MOST_PATHS];
    bool idle[SCTP_MOST_PATHS]; // must get no data, as another path is ACTIVE
};

static void take(struct transition_sink *sink, sim_time when,
                 const struct trace_transition *transition)
{
    struct watched *watched = (struct watched *)(void *)sink;
    (void)when;
    if (g_str_has_prefix(transition->machine, "sctp path"))
        watched->moved = true;
}

static void hold(struct watched *watched, const struct sctp_association *association, bool holds,
                 const char *what, int64_t is, int64_t limit)
{
    if (holds)
        return;
    if (!watched->failed)
        fprintf(stderr,
                "run %d, %.6f ms, %s, association %u: %s: %" G_GINT64_FORMAT
                " and %" G_GINT64_FORMAT "\n",
                watched->run->number, time_to_us(sim_now(watched->world->sim)) / 1000,
                association->host->host->name, association->id, what, is, limit);
    watched->failed = true;
    CU_FAIL("what must hold does not");
}

static void check_flight(struct watched *watched, const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    int64_t flight[SCTP_MOST_PATHS] = {0}, total = 0, resend = 0, outstanding = 0;
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++) {
        const struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        hold(watched, association, chunk->tsn == tsn, "TSN in the ring", chunk->tsn, tsn);
        hold(watched, association,
             (chunk->state == SCTP_MADE) == !sctp_tsn_before(tsn, out->unsent),
             "a chunk's state and the first one that is unsent", tsn, out->unsent);
        resend += chunk->state == SCTP_RESEND;
        if (chunk->state != SCTP_SENT)
            continue;
        outstanding++;
        flight[chunk->path->number] += sctp_outgoing_bytes(chunk);
    }
    for (int i = 0; i < association->path_count; i++) {
        const struct sctp_path *path = &association->paths[i];
        hold(watched, association, path->flight == flight[i], "flight of a path", path->flight,
             flight[i]);
        total += flight[i];
    }
    hold(watched, association, out->flight == total, "flight", out->flight, total);
    hold(watched, association, out->resend == resend, "chunks to be sent again", out->resend,
         resend);
    hold(watched, association, out->outstanding == outstanding, "outstanding chunks",
         out->outstanding, outstanding);
}

static void check_path(struct watched *watched, const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    const struct sctp_config *config = association->host->config;
    int64_t floor = config->cmt.on ? 2 : config->ssthresh_floor;
    hold(watched, association, path->cc.cwnd >= path->cc.mss, "cwnd of at least an MTU",
         path->cc.cwnd, path->cc.mss);
    hold(watched, association, path->cc.ssthresh >= MIN(floor, 2) * path->cc.mss,
         "ssthresh of at least its floor", path->cc.ssthresh, floor * path->cc.mss);
    hold(watched, association, inet_timer_armed(path->t3) == (path->flight > 0),
         "T3-rtx runs exactly while there is flight", inet_timer_armed(path->t3), path->flight);
    hold(watched, association,
         path->state != SCTP_PATH_ACTIVE || path->errors <= association->settings.path_retries,
         "errors of an ACTIVE path", path->errors, association->settings.path_retries);
    hold(watched, association, path->control_head == NULL, "control chunks that nobody sends", 0,
         path->number);
    hold(watched, association, path->state != SCTP_PATH_PF || config->cmt.pf > 0,
         "PF without CMT-PF", path->number, 0);
    hold(watched, association, path->state != SCTP_PATH_PF || inet_timer_armed(path->heartbeat),
         "a PF path is probed", path->number, 0);
}

static bool another_active(const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    for (int i = 0; i < association->path_count; i++)
        if (i != path->number && association->paths[i].state == SCTP_PATH_ACTIVE)
            return true;
    return false;
}

// A path that is not ACTIVE, while another one is, gets no DATA.
static void check_idle(struct watched *watched, const struct sctp_association *association,
                       struct memory *memory)
{
    for (int i = 0; i < association->path_count; i++) {
        const struct sctp_path *path = &association->paths[i];
        if (memory->idle[i] && !watched->moved)
            hold(watched, association, path->chunks_sent == memory->chunks_sent[i],
                 "DATA to a path that is not ACTIVE", path->chunks_sent, memory->chunks_sent[i]);
        memory->chunks_sent[i] = path->chunks_sent;
        memory->idle[i] = path->state != SCTP_PATH_ACTIVE && another_active(path);
    }
}

static void check_in(struct watched *watched, const struct sctp_association *association)
{
    const struct sctp_in *in = &association->in;
    // A chunk is taken while there is any room: one may pass the buffer's size.
    int64_t most = watched->run->receive_buffer + watched->run->mtu;
    hold(watched, association, in->held >= 0 && in->queued >= 0, "bytes held and queued", in->held,
         in->queued);
    hold(watched, association, in->held + in->queued <= most, "bytes in the receive buffer",
         in->held + in->queued, most);
    hold(watched, association, !sctp_tsn_before(in->highest, in->cum_tsn), "highest TSN",
         in->highest, in->cum_tsn);
}

static void check_association(struct watched *watched, struct sctp_association *association)
{
    struct memory *memory = g_hash_table_lookup(watched->seen, association);
    int confirmed = 0;
    if (association->ended || association->state < SCTP_ESTABLISHED)
        return;
    if (!memory) {
        memory = g_new0(struct memory, 1);
        g_hash_table_insert(watched->seen, association, memory);
    }
    check_flight(watched, association);
    for (int i = 0; i < association->path_count; i++) {
        check_path(watched, &association->paths[i]);
        confirmed += association->paths[i].confirmed;
    }
    hold(watched, association, confirmed > 0, "confirmed paths", confirmed, 1);
    check_idle(watched, association, memory);
    check_in(watched, association);
    if (memory->known) {
        hold(watched, association, !sctp_tsn_before(association->out.cum_tsn, memory->cum_tsn),
             "cumulative TSN", association->out.cum_tsn, memory->cum_tsn);
        hold(watched, association, !sctp_tsn_before(association->in.cum_tsn, memory->in_cum_tsn),
             "cumulative TSN received", association->in.cum_tsn, memory->in_cum_tsn);
    }
    memory->cum_tsn = association->out.cum_tsn;
    memory->in_cum_tsn = association->in.cum_tsn;
    memory->known = true;
}

static void check_all(struct watched *watched)
{
    for (guint n = 0; n < watched->world->processes->len; n++) {
        const struct sctp_host *host = sctp_node(watched->world, (int)n)->host;
        for (guint i = 0; i < host->associations->len; i++)
            check_association(watched, g_ptr_array_index(host->associations, i));
    }
    watched->moved = false;
}

// ---- At the end ----

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

static void check_end(struct watched *watched, const struct live *lives)
{
    struct world *world = watched->world;
    int open = 0, left = 0;
    for (int n = 0; n < watched->run->hosts; n++) {
        const struct sctp_host *host = sctp_node(world, n)->host;
        for (int i = 0; i < lives[n].count; i++)
            if (lives[n].ends[i].broken || lives[n].ends[i].read != watched->run->bytes ||
                lives[n].ends[i].sent != watched->run->bytes)
                open++;
        open += lives[n].count != watched->run->hosts - 1;
        for (guint i = 0; i < host->associations->len; i++)
            left += !((struct sctp_association *)g_ptr_array_index(host->associations, i))->ended;
        left += in_use(&host->pools.chunks) + in_use(&host->pools.messages) +
                in_use(&host->pending) + in_use(&host->incoming);
        for (int i = 0; i < SCTP_BYTE_CLASSES; i++)
            left += in_use(&host->pools.bytes[i]);
    }
    struct ledger_totals totals = ledger_totals(world->sim->ledger);
    bool sound = open == 0 && left == 0 && totals.duplicated == 0 && totals.misordered == 0 &&
                 ledger_balanced(world->sim->ledger);
    if (!sound)
        fprintf(stderr,
                "run %d ends at %.6f ms: %d ends are not done, %d associations and chunks are "
                "left, %" G_GUINT64_FORMAT " parts twice, %" G_GUINT64_FORMAT
                " messages misordered, %" G_GUINT64_FORMAT " open\n",
                watched->run->number, time_to_us(sim_now(world->sim)) / 1000, open, left,
                totals.duplicated, totals.misordered, totals.open);
    CU_ASSERT(sound);
}

// What the runs have met together: each of them must be something.
static const char *const met_names[] = {
    "sctp chunks retransmitted",
    "sctp fast retransmits",
    "sctp retransmission timeouts",
    "sctp chunks received twice",
    "sctp heartbeats sent",
    "sctp window probes",
    "sctp times blocked by the peer's window",
    "sctp missing reports that CMT left out",
    "sctp chunks dropped for want of buffer",
    "sctp changes of the primary path",
};
static int64_t met[G_N_ELEMENTS(met_names)];

static void add_up(const struct watched *watched)
{
    for (size_t i = 0; i < G_N_ELEMENTS(met_names); i++)
        met[i] += world_counter(watched->world, met_names[i]);
}

static bool one_run(struct random_run run, bool print)
{
    struct watched watched = {.sink = transition_sink_make(take), .run = &run};
    struct live lives[MOST_HOSTS] = {0};
    for (guint i = 0; print && i + 1 < run.sets->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(run.sets, i));
    watched.seen = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    watched.world = sctp_world(run.hosts, run.networks, (const char *const *)run.sets->pdata,
                               &watched.sink.trace);
    sctp_wire(watched.world)->quiet = true;
    unsigned before = CU_get_number_of_failures();
    for (int n = 0; n < run.hosts; n++) {
        lives[n].run = &run;
        world_do(sctp_node(watched.world, n), live_job, &lives[n]);
    }
    struct engine *engine = watched.world->sim->engine;
    while (engine_pending(engine) > 0 && engine_events(engine) < MOST_EVENTS && !watched.failed) {
        engine_run_some(engine, TIME_NEVER, STEP);
        check_all(&watched);
    }
    if (!watched.failed)
        check_end(&watched, lives);
    if (print)
        fprintf(stderr, "%" G_GUINT64_FORMAT " events, %.3f ms\n", engine_events(engine),
                time_to_us(sim_now(watched.world->sim)) / 1000);
    add_up(&watched);
    world_free(watched.world);
    g_hash_table_unref(watched.seen);
    run_clear(&run);
    return CU_get_number_of_failures() == before;
}

static int first = 0, end_of_runs = RUNS;

static void test_runs(void)
{
    for (int number = first; number < end_of_runs; number++)
        if (!one_run(run_new(number), end_of_runs == first + 1))
            fprintf(stderr, "run %d failed: repeat it with the argument %d\n", number, number);
    for (size_t i = 0; i < G_N_ELEMENTS(met_names); i++) {
        if (end_of_runs - first < RUNS)
            fprintf(stderr, "%s: %" G_GINT64_FORMAT "\n", met_names[i], met[i]);
        CU_ASSERT(end_of_runs - first < RUNS || met[i] > 0);
    }
}

// Nothing by chance but the losses: a tenth of all packets on both paths, with the times that each
// system has.
static struct random_run lossy_run(int number, const char *profile, bool cmt, int pf)
{
    struct random_run run = {
        .number = number,
        .hosts = 2,
        .networks = 2,
        .random = g_rand_new_with_seed((guint32)number + 1),
        .sets = g_ptr_array_new_with_free_func(g_free),
        .send_buffer = 100000,
        .receive_buffer = 100000,
        .mtu = 1500,
        .bytes = 300000,
        .cmt = cmt,
    };
    set(&run, "seed=%d", number + 1);
    set(&run, "sctp.profile=%s", profile);
    set(&run, "sctp.cmt=%s", cmt ? "true" : "false");
    set(&run, "sctp.cmt_pf=%d", pf);
    set(&run, "sctp.receive_buffer=100000 B");
    set(&run, "sctp.send_buffer=100000 B");
    set(&run, "sctp.streams_out=%d", STREAMS);
    set(&run, "link.drop_probability=0.1");
    g_ptr_array_add(run.sets, NULL);
    return run;
}

static void test_ten_percent(void)
{
    static const char *const profiles[] = {"rfc9260", "s2007", "ns2"};
    for (size_t i = 0; i < G_N_ELEMENTS(profiles); i++)
        for (int kind = 0; kind < 3; kind++) // multihoming, CMT, CMT-PF
            for (int seed = 0; seed < 5; seed++)
                if (!one_run(lossy_run(seed, profiles[i], kind > 0, kind == 2 ? 2 : 0), false))
                    fprintf(stderr, "%s, kind %d, seed %d\n", profiles[i], kind, seed);
}

static const struct suite_case cases[] = {
    {"random runs", test_runs},
    {"a tenth of all packets is lost", test_ten_percent},
    {0},
};

int main(int count, char **arguments)
{
    if (count > 1) {
        first = atoi(arguments[1]);
        end_of_runs = count > 2 ? atoi(arguments[2]) : first + 1;
    }
    return suite_run("sctp: random runs", cases);
}
