// SPDX-License-Identifier: GPL-3.0-or-later
// The section `sctp`: each profile's defaults make sense, and senseless combinations are named.
#include "models/sctp_cmt/sctp/sctp.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

// Reads the section; what it complains of is *complaints, which the caller frees.
static struct param_values *read_section(const char *text, char **complaints)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    struct param_values *values = param_read(&sctp_table, map, "sctp", diags);
    *complaints = fake_complaints(diags);
    node_free(map);
    diag_list_free(diags);
    return values;
}

static void expect(const char *text, const char *part)
{
    char *complaints;
    struct param_values *values = read_section(text, &complaints);
    if (part)
        SUITE_CONTAINS(complaints, part);
    else
        SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    param_values_free(values);
}

static void test_defaults(void)
{
    char *complaints;
    struct param_values *values = read_section("{}", &complaints);
    const struct sctp_config *config = values->values;
    SUITE_SAME_TEXT(complaints, "");
    SUITE_SAME_INTEGER(config->profile, SCTP_RFC9260);
    SUITE_SAME_INTEGER(config->settings.rto_initial, 1 * TIME_S);
    SUITE_SAME_INTEGER(config->settings.rto_least, 1 * TIME_S);
    SUITE_SAME_INTEGER(config->settings.rto_most, 60 * TIME_S);
    SUITE_SAME_INTEGER(config->settings.path_retries, 5);
    SUITE_SAME_INTEGER(config->settings.association_retries, 10);
    SUITE_SAME_INTEGER(config->initial_cwnd, 0);
    SUITE_SAME_INTEGER(config->initial_constant, 4404);
    SUITE_SAME_INTEGER(config->ssthresh_floor, 4);
    CU_ASSERT(!config->cmt.on);
    CU_ASSERT(config->immediate_bit);
    // 1.8 of a Pentium 4's cycles per byte, each 0.8 of the reference's.
    SUITE_SAME_INTEGER(config->costs.crc_per_kib.cycles, 1474);
    g_free(complaints);
    param_values_free(values);
}

static void test_profiles_are_sound(void)
{
    expect("{profile: rfc9260}", NULL);
    expect("{profile: s2007}", NULL);
    expect("{profile: ns2}", NULL);
    expect("{profile: bsd}", "rfc9260");
}

// Differences between the profiles, from their sources.
static const struct {
    const char *name, *values[3]; // rfc9260, s2007, ns2
} differences[] = {
    {"rto_initial", {"1 s", "3 s", "3 s"}},
    {"rto_least", {"1 s", "1 s", "1 s"}},
    {"rto_most", {"60 s", "60 s", "60 s"}},
    {"association_retries", {"10", "10", "10"}},
    {"path_retries", {"5", "5", "5"}},
    {"init_retries", {"8", "8", "8"}},
    {"heartbeat_interval", {"30 s", "30 s", "30 s"}},
    {"heartbeat_burst", {"1", "4", "8"}},
    {"sack_delay", {"200 ms", "200 ms", "200 ms"}},
    {"sack_frequency", {"2", "2", "2"}},
    {"burst", {"4", "4", "4"}},
    {"burst_rule", {"cwnd", "cwnd_ssthresh", "after_fr"}},
    {"initial_constant", {"4404 B", "4380 B", "4380 B"}},
    {"initial_ssthresh", {"4294967295 B", "0 B", "64 KiB"}},
    {"ssthresh_floor", {"4", "2", "4"}},
    {"ssthresh_floor_cmt", {"0", "0", "2"}},
    {"idle_floor", {"4", "0", "4"}},
    {"t3_to_alternate", {"true", "true", "true"}},
    {"fast_to_alternate", {"false", "false", "true"}},
    {"fast_again", {"never", "after_newer", "never"}},
    {"cmt", {"false", "false", "true"}},
    {"cmt_sfr", {"true", "true", "true"}},
    {"cmt_dac", {"true", "false", "true"}},
    {"cmt_policy", {"cwnd", "cwnd", "cwnd"}},
    {"cmt_pf", {"0", "0", "2"}},
    {"send_buffer", {"256 KiB", "256 KiB", "1 GiB"}},
    {"receive_buffer", {"256 KiB", "256 KiB", "64 KiB"}},
    {"streams_out", {"10", "10", "1"}},
    {"streams_in", {"2048", "2048", "2048"}},
    {"chunk_charge", {"0 B", "256 B", "0 B"}},
    {"sws_send", {"0 B", "1420 B", "0 B"}},
    {"sws_receive", {"0 B", "3 kB", "0 B"}},
    {"sack_rule", {"rfc", "s2007", "rfc"}},
    {"checksum", {"true", "true", "false"}},
};

static void test_profiles(void)
{
    static const char *const sections[] = {"{}", "{profile: s2007}", "{profile: ns2}"};
    for (size_t profile = 0; profile < G_N_ELEMENTS(sections); profile++) {
        char *complaints;
        struct param_values *values = read_section(sections[profile], &complaints);
        for (size_t i = 0; i < G_N_ELEMENTS(differences); i++) {
            int at = param_index(&sctp_table, differences[i].name);
            char *text = param_value_text(values, &sctp_table.params[at]);
            SUITE_SAME_TEXT(text, differences[i].values[profile]);
            g_free(text);
        }
        g_free(complaints);
        param_values_free(values);
    }
}

static void test_buffers(void)
{
    expect("{send_buffer: 1452 B}", NULL);
    expect("{send_buffer: 1451 B}", "the send buffer is smaller than a chunk of 1452 B");
    expect("{receive_buffer: 1500 B}", NULL);
    expect("{receive_buffer: 1499 B}",
           "the receive buffer is smaller than the least window of 1500 B");
    expect("{mtu: 9000 B, receive_buffer: 8951 B}",
           "the receive buffer is smaller than a chunk of 8952 B");
    expect("{send_buffer: 500 B, chunk_limit: 500 B}", NULL);
    expect("{receive_buffer: 3000 B, sws_receive: 3000 B}", "no window would ever be offered");
    expect("{receive_buffer: 1500 B, mbuf_charge: 1500 B}", "one chunk would fill");
}

static void test_times(void)
{
    expect("{rto_least: 2 s, rto_most: 1 s, rto_initial: 1 s}", "RTO.Min is above RTO.Max");
    expect("{rto_initial: 61 s}", "RTO.Initial is above RTO.Max");
    expect("{rto_least: 100 ms}", NULL); // below the delay of a SACK: unwise, but sound
    expect("{sack_delay: 500 ms}", NULL);
    expect("{sack_delay: 501 ms}", "more than 500 ms");
    expect("{sack_delay: 0 ms}", NULL);
    expect("{path_retries: 10}", NULL);
    expect("{path_retries: 11}", "the association ends before a path is given up");
}

static void test_cmt(void)
{
    expect("{cmt: true, cmt_pf: 2}", NULL);
    expect("{cmt: false, cmt_pf: 2}", "CMT-PF needs CMT");
    expect("{cmt: true, cmt_splitting: both}", NULL);
    expect("{cmt: false, cmt_splitting: both}", "buffers are split only with CMT");
    expect("{cmt_policy: fastest}", "lossrate");
}

static void test_lengths(void)
{
    expect("{init_bytes: 20 B}", NULL);
    expect("{init_bytes: 19 B}", "an INIT has at least 20 B");
    expect("{init_bytes: 112 B, cookie_bytes: 332 B}", NULL);
    expect("{mtu: 400 B, init_bytes: 112 B, cookie_bytes: 332 B}", "does not fit into a packet");
}

static const struct suite_case cases[] = {
    {"the defaults are RFC 9260's", test_defaults},
    {"each profile is sound by itself", test_profiles_are_sound},
    {"profiles differ as their sources do", test_profiles},
    {"buffers hold a chunk and a window", test_buffers},
    {"times and counts fit each other", test_times},
    {"CMT's options need CMT", test_cmt},
    {"set-up packets fit into the MTU", test_lengths},
    {0},
};

int main(void)
{
    return suite_run("sctp: config", cases);
}
