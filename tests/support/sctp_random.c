// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sctp_random.h"

void sctp_random_set(struct sctp_random *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(run->sets, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

int sctp_random_below(struct sctp_random *run, int bound)
{
    return g_rand_int_range(run->random, 0, bound);
}

// Every switch of which each choice must work; now and then it is left as the profile has it.
static void choose_switches(struct sctp_random *run)
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
        {"confirm_all", "true", "false"},
        {"data_for_cookie_ack", "true", "false"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(switches); i++) {
        int choices = 0;
        while (choices < 5 && switches[i][1 + choices])
            choices++;
        int choice = sctp_random_below(run, choices + 1);
        if (choice < choices)
            sctp_random_set(run, "sctp.%s=%s", switches[i][0], switches[i][1 + choice]);
    }
}

// Those that came later, by the run's number: the runs stay as they were by chance.
static void choose_sends(struct sctp_random *run)
{
    sctp_random_set(run, "sctp.send_rule=%s", run->number % 2 ? "s2007" : "always");
    sctp_random_set(run, "sctp.nagle_rule=%s", run->number % 3 ? "s2007" : "rfc");
    sctp_random_set(run, "sctp.fill=%s", run->number % 5 < 3 ? "overshoots" : "fits");
}

static void choose_cmt(struct sctp_random *run)
{
    static const char *const policies[] = {"same", "asap", "cwnd", "ssthresh", "lossrate"};
    static const char *const splittings[] = {"none", "send", "receive", "both"};
    run->cmt = sctp_random_below(run, 4) > 0;
    sctp_random_set(run, "sctp.cmt=%s", run->cmt ? "true" : "false");
    sctp_random_set(run, "sctp.cmt_policy=%s", policies[sctp_random_below(run, 5)]);
    sctp_random_set(run, "sctp.cmt_pf=%d", run->cmt ? sctp_random_below(run, 3) : 0);
    sctp_random_set(run, "sctp.cmt_pf_resume=%d", sctp_random_below(run, 2));
    sctp_random_set(run, "sctp.cmt_splitting=%s",
                    splittings[run->cmt ? sctp_random_below(run, 4) : 0]);
}

// Times are short, so that runs are; errors never end an association, since every cut ends.
static void choose_times(struct sctp_random *run)
{
    static const int least[] = {10, 50, 300};
    sctp_random_set(run, "sctp.rto_initial=%d ms", 100 + 200 * sctp_random_below(run, 3));
    sctp_random_set(run, "sctp.rto_least=%d ms", least[sctp_random_below(run, 3)]);
    sctp_random_set(run, "sctp.rto_most=2 s");
    sctp_random_set(run, "sctp.heartbeat_interval=%d ms", 20 + 300 * sctp_random_below(run, 3));
    sctp_random_set(run, "sctp.association_retries=1000");
    sctp_random_set(run, "sctp.init_retries=1000");
    sctp_random_set(run, "sctp.most_transmissions=0");
    sctp_random_set(run, "sctp.shutdown_guard=0 s");
}

static void choose_sizes(struct sctp_random *run)
{
    static const int64_t receive[] = {8000, 20000, 65536, 262144};
    static const int64_t send[] = {8000, 30000, 262144};
    static const int64_t mtus[] = {576, 1500, 9000};
    run->mtu = mtus[sctp_random_below(run, 3)];
    int64_t receives = receive[sctp_random_below(run, 4)];
    int64_t sends = send[sctp_random_below(run, 3)];
    run->receive_buffer = MAX(receives, 2 * run->mtu);
    run->send_buffer = MAX(sends, run->mtu);
    run->nic = run->mtu > 1500 ? "em82547gi" : "eepro100";
    run->bytes = (int64_t)sctp_random_below(run, 4000000) / (run->hosts * run->hosts);
    sctp_random_set(run, "sctp.receive_buffer=%" G_GINT64_FORMAT " B", run->receive_buffer);
    sctp_random_set(run, "sctp.send_buffer=%" G_GINT64_FORMAT " B", run->send_buffer);
    sctp_random_set(run, "sctp.mtu=%" G_GINT64_FORMAT " B", run->mtu);
    sctp_random_set(run, "what_if=card_rate");
    sctp_random_set(run, "sctp.streams_out=%d", SCTP_RANDOM_STREAMS);
}

// Links of the n-th network are alike in rate and propagation; each has faults of its own.
static void choose_faults(struct sctp_random *run)
{
    static const char *const rates[] = {"10 Mb/s", "100 Mb/s", "100 Mb/s", "1 Gb/s"};
    static const char *const propagations[] = {"1 us", "1 us", "1 ms", "20 ms"};
    int losses = sctp_random_below(run, 11);
    for (int n = 0; n < run->networks; n++) {
        const char *rate = rates[sctp_random_below(run, 4)],
                   *propagation = propagations[sctp_random_below(run, 4)];
        int cut = sctp_random_below(run, 3), from = sctp_random_below(run, 1500),
            cut_host = sctp_random_below(run, run->hosts);
        for (int h = 0; h < run->hosts; h++) {
            int link = h * run->networks + n;
            sctp_random_set(run, "links[%d].rate=%s", link, rate);
            sctp_random_set(run, "links[%d].propagation=%s", link, propagation);
            sctp_random_set(run, "links[%d].drop_probability=%g", link,
                            sctp_random_below(run, losses + 1) / 100.0);
            sctp_random_set(run, "links[%d].duplicate_probability=%g", link,
                            sctp_random_below(run, 5) / 100.0);
            sctp_random_set(run, "links[%d].reorder_probability=%g", link,
                            sctp_random_below(run, 10) / 100.0);
            sctp_random_set(run, "links[%d].reorder_delay=%d us", link,
                            1 + sctp_random_below(run, 3000));
            if (cut > 0 && h == cut_host)
                sctp_random_set(run, "links[%d].down=[{from: %d ms, to: %d ms}]", link, from,
                                from + 1 + sctp_random_below(run, cut == 1 ? 100 : 4000));
        }
    }
}

struct sctp_random sctp_random_new(int number)
{
    static const char *const profiles[] = {"rfc9260", "s2007", "ns2"};
    struct sctp_random run = {
        .number = number,
        .random = g_rand_new_with_seed((guint32)number + 1),
        .sets = g_ptr_array_new_with_free_func(g_free),
    };
    // Most runs have two hosts.
    run.hosts =
        sctp_random_below(&run, 3) > 0 ? 2 : 3 + sctp_random_below(&run, SCTP_RANDOM_HOSTS - 2);
    run.networks = 2 + sctp_random_below(&run, 2);
    sctp_random_set(&run, "seed=%d", number + 1);
    sctp_random_set(&run, "sctp.profile=%s", profiles[sctp_random_below(&run, 3)]);
    choose_cmt(&run);
    choose_switches(&run);
    choose_sends(&run);
    choose_times(&run);
    choose_sizes(&run);
    choose_faults(&run);
    run.pauses = sctp_random_below(&run, 3) == 0;
    g_ptr_array_add(run.sets, NULL);
    return run;
}

void sctp_random_clear(struct sctp_random *run)
{
    g_rand_free(run->random);
    g_ptr_array_unref(run->sets);
}
