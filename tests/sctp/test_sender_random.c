// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants of the sender under random losses, reordering, reneging, closed windows, late SACKs
// and time-outs, for the profiles and with CMT's algorithms on and off. At the end all data arrive.
#include "tests/sctp/sender.h"

#define MOST 4096 // TSNs of a run
#define STEPS 400

struct run {
    struct sender *sender;
    struct random_stream *random;
    const char *section;
    bool arrived[MOST + 2]; // by TSN, counted from 1
    uint32_t cum;           // of the receiver
    uint32_t on_way[MOST];  // TSNs
    int on_way_count;
    int64_t offered;
    uint32_t cum_before; // of the sender
    bool lossless;
};

static struct run *run_now;

static uint64_t below(struct run *run, uint64_t bound)
{
    return random_below(run->random, bound);
}

static bool any_active(const struct sender *sender)
{
    for (int i = 0; i < sender->association.path_count; i++)
        if (sender->paths[i].machine.state == SCTP_PATH_ACTIVE)
            return true;
    return false;
}

// A packet has left. New data go to no path that is PF or INACTIVE while another is ACTIVE.
static void carry(struct sender *sender, const struct sctp_path *path, uint32_t tsn)
{
    struct run *run = run_now;
    const struct sctp_outgoing *chunk = sctp_out_at(sender_out(sender), tsn);
    CU_ASSERT(path->machine.state == SCTP_PATH_ACTIVE || chunk->transmissions > 1 ||
              !any_active(sender));
    CU_ASSERT_PTR_EQUAL(chunk->path, path);
    if ((!run->lossless && below(run, 8) == 0) || run->on_way_count == MOST)
        return;
    run->on_way[run->on_way_count++] = tsn - sender->first + 1;
}

// ---- Invariants ----

struct sums {
    int64_t flight[SENDER_PATHS], marked[SENDER_PATHS], outstanding, resend, bytes;
};

static struct sums sums_of(struct sender *sender)
{
    struct sums sums = {0};
    struct sctp_out *out = sender_out(sender);
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++) {
        const struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        CU_ASSERT(chunk->tsn == tsn);
        CU_ASSERT((chunk->state == SCTP_MADE) == !sctp_tsn_before(tsn, out->unsent));
        if (chunk->state == SCTP_SENT) {
            sums.flight[chunk->path->number] += sctp_outgoing_bytes(chunk);
            sums.outstanding++;
        }
        sums.resend += chunk->state == SCTP_RESEND;
        sums.bytes += chunk->bytes;
        if (chunk->state == SCTP_RESEND) {
            sums.marked[chunk->path->number] += sctp_outgoing_bytes(chunk);
            CU_ASSERT(!sctp_tsn_before(tsn, out->resend_from));
        }
    }
    return sums;
}

static void check_path(struct sender *sender, const struct sctp_path *path)
{
    const struct sctp_config *config = &sender->config;
    CU_ASSERT((path->flight > 0) == inet_timer_armed(path->t3));
    CU_ASSERT(path->cc.cwnd >= path->cc.mss);
    CU_ASSERT(path->cc.ssthresh >= 2 * path->cc.mss);
    CU_ASSERT(path->errors <= config->settings.path_retries ||
              path->machine.state != SCTP_PATH_ACTIVE || !any_active(sender));
}

static void check(struct run *run)
{
    struct sender *sender = run->sender;
    struct sctp_out *out = sender_out(sender);
    struct sums sums = sums_of(sender);
    int64_t flight = 0;
    for (int i = 0; i < sender->association.path_count; i++) {
        check_path(sender, &sender->paths[i]);
        CU_ASSERT(sender->paths[i].flight == sums.flight[i]);
        CU_ASSERT(sender->paths[i].marked == sums.marked[i]);
        flight += sums.flight[i];
    }
    CU_ASSERT(out->flight == flight);
    CU_ASSERT(out->outstanding == sums.outstanding);
    CU_ASSERT(out->resend == sums.resend);
    CU_ASSERT(out->buffer.used == sums.bytes + out->waiting_bytes);
    CU_ASSERT(out->peer_rwnd >= 0);
    CU_ASSERT(!sctp_tsn_before(out->cum_tsn, run->cum_before));
    // Something is under way, or nothing waits: no stall without a timer.
    CU_ASSERT(out->flight > 0 || sctp_out_empty(&sender->association));
    CU_ASSERT(sender->aborts == 0);
    run->cum_before = out->cum_tsn;
}

// ---- Steps ----

static void send_some(struct run *run)
{
    struct sender *sender = run->sender;
    if (sender_out(sender)->next - sender->first > MOST / 2)
        return;
    for (uint64_t i = below(run, 4); i > 0; i--)
        sender_put(sender, (int)below(run, 10), (int64_t)(1 + below(run, 4000)),
                   below(run, 5) == 0);
    sender_output(sender);
}

static void arrive_some(struct run *run)
{
    for (uint64_t i = below(run, 6); i > 0 && run->on_way_count > 0; i--) {
        int at = (int)below(run, (uint64_t)MIN(run->on_way_count, 8));
        run->arrived[run->on_way[at]] = true;
        memmove(&run->on_way[at], &run->on_way[at + 1],
                (size_t)(--run->on_way_count - at) * sizeof(*run->on_way));
    }
    while (run->arrived[run->cum + 1])
        run->cum++;
}

// The receiver drops what has arrived above cum_tsn.
static void renege(struct run *run)
{
    for (uint32_t tsn = run->cum + 1; tsn <= MOST; tsn++)
        if (below(run, 3) == 0)
            run->arrived[tsn] = false;
}

static void sack(struct run *run)
{
    GString *text = g_string_new(NULL);
    uint32_t tsn = run->cum + 2;
    g_string_printf(text, "%u", run->cum);
    for (int gaps = 0; tsn < MOST && gaps < 90; gaps++) {
        while (tsn < MOST && !run->arrived[tsn])
            tsn++;
        uint32_t from = tsn;
        while (tsn < MOST && run->arrived[tsn])
            tsn++;
        if (tsn > from)
            g_string_append_printf(text, " %u-%u", from, tsn - 1);
    }
    static const uint8_t flags[] = {0, 0x40, 0x80, 0xC0};
    sender_sack_of(run->sender, text->str, flags[below(run, 4)], (uint32_t)run->offered);
    g_string_free(text, TRUE);
}

static void step(struct run *run)
{
    struct sender *sender = run->sender;
    uint32_t cum = run->cum;
    switch (below(run, 12)) {
    case 0:
        renege(run);
        break;
    case 1:
        run->offered = below(run, 3) == 0 ? 0 : (int64_t)below(run, 60000);
        break;
    case 2: // an old SACK
        run->cum -= MIN(run->cum, below(run, 3));
        sack(run);
        run->cum = cum;
        break;
    case 3:
        sender_wait(sender, (sim_time)below(run, 1500) * TIME_MS);
        break;
    case 4:
        sender->full[below(run, SENDER_PATHS)] ^= true;
        break;
    case 5: { // a heartbeat is answered
        struct cpu_context context = sender_context(sender);
        sctp_path_alive(&context,
                        &sender->paths[below(run, (uint64_t)sender->association.path_count)], true);
        sender->association.errors = 0;
        break;
    }
    case 6:
    case 7:
        send_some(run);
        break;
    default:
        arrive_some(run);
        sack(run);
    }
    check(run);
}

// No more trouble: all arrives.
static void finish(struct run *run)
{
    struct sender *sender = run->sender;
    run->lossless = true;
    run->offered = 100000;
    memset(sender->full, 0, sizeof(sender->full));
    for (int i = 0; i < 2000 && !sctp_out_empty(&sender->association); i++) {
        arrive_some(run);
        sack(run);
        check(run);
        if (run->on_way_count == 0)
            sender_wait(sender, 61 * TIME_S);
        sender->association.errors = 0;
    }
    CU_ASSERT(sctp_out_empty(&sender->association));
    SUITE_SAME_INTEGER(sender_out(sender)->flight, 0);
    SUITE_SAME_INTEGER(sender_out(sender)->charged, 0);
}

static void random_run(const char *section, int paths, uint64_t seed)
{
    struct run run = {.section = section, .offered = 100000};
    char *text = g_strdup_printf("{association_retries: 1000, path_retries: 3, %s}", section);
    unsigned failures = CU_get_number_of_failures();
    run_now = &run;
    run.random = random_new(seed, "sender");
    run.sender = sender_traced(text, paths, UINT32_MAX - 60, NULL);
    run.cum_before = sender_out(run.sender)->cum_tsn;
    run.sender->carry = carry;
    for (int i = 0; i < STEPS; i++)
        step(&run);
    finish(&run);
    CU_ASSERT(sender_out(run.sender)->cum_tsn < MOST); // TSNs have wrapped
    CU_ASSERT(*run.sender->stack.count.fast_retransmits > 0);
    CU_ASSERT(*run.sender->stack.count.timeouts > 0);
    if (CU_get_number_of_failures() > failures)
        fprintf(stderr, "that was seed %d of %s, %d paths\n", (int)seed, section, paths);
    sender_free(run.sender);
    random_free(run.random);
    g_free(text);
}

static void test_profiles(void)
{
    static const char *const sections[] = {
        "profile: rfc9260",
        "profile: rfc9260, no_delay: true",
        "profile: s2007",
        "profile: s2007, no_delay: true",
        "profile: ns2, cmt: false, cmt_pf: 0, cmt_dac: false",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
        for (uint64_t seed = 1; seed <= 12; seed++)
            random_run(sections[i], 1 + (int)(seed % SENDER_PATHS), seed);
}

static void test_cmt(void)
{
    static const char *const sections[] = {
        "profile: s2007, cmt: true, no_delay: true",
        "profile: s2007, cmt: true, cmt_dac: true, cmt_pf: 1",
        "profile: s2007, cmt: true, cmt_sfr: false, cmt_cuc: off",
        "profile: s2007, cmt: true, cmt_cuc: v1, cmt_policy: same, cmt_splitting: both",
        "profile: s2007, cmt: true, cmt_recovery: path, cmt_policy: asap",
        "profile: rfc9260, cmt: true, cmt_scheduler: round_robin, cmt_policy: ssthresh",
        "profile: ns2, cmt_policy: lossrate",
        "profile: ns2",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
        for (uint64_t seed = 1; seed <= 12; seed++)
            random_run(sections[i], 1 + (int)(seed % SENDER_PATHS), seed);
}

static const struct suite_case cases[] = {
    {"the profiles", test_profiles},
    {"CMT", test_cmt},
    {0},
};

int main(void)
{
    return suite_run("sctp: random SACKs", cases);
}
