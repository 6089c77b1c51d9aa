// SPDX-License-Identifier: GPL-3.0-or-later
// The retransmission time-out of a path: RFC 9260, 6.3.1, and as the BSD stack of 2007 computes it.
// Ticks are milliseconds.
#include "models/sctp_cmt/sctp/association.h"
#include "tests/support/suite.h"

struct fixture {
    struct sctp_config config;
    struct sctp_host host;
    struct sctp_association association;
    struct sctp_rto rto;
};

static struct fixture *fixture_new(enum sctp_rto_formula formula, sim_time least)
{
    struct fixture *fixture = g_new0(struct fixture, 1);
    fixture->config.inet.tick = TIME_MS;
    fixture->config.rto_formula = (int)formula;
    fixture->host.config = &fixture->config;
    fixture->association.host = &fixture->host;
    fixture->association.settings = (struct sctp_settings){
        .rto_initial = 3 * TIME_S, .rto_least = least, .rto_most = 60 * TIME_S};
    sctp_rto_init(&fixture->rto, &fixture->association);
    return fixture;
}

static int64_t after(struct fixture *fixture, int64_t sample)
{
    sctp_rto_sample(&fixture->rto, &fixture->association, sample);
    return fixture->rto.rto;
}

static void test_initial(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_RFC, TIME_S);
    SUITE_SAME_INTEGER(fixture->rto.rto, 3000);
    g_free(fixture);
}

// 6.3.1, C2: SRTT = R, RTTVAR = R/2, so three times the sample. C3 with R = 100, then 200:
// RTTVAR = 3/4 * 50 + 1/4 * 100 = 62.5, SRTT = 7/8 * 100 + 1/8 * 200 = 112.5, RTO = 362.5.
static void test_rfc(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_RFC, TIME_MS);
    SUITE_SAME_INTEGER(after(fixture, 100), 300);
    SUITE_SAME_INTEGER(after(fixture, 200), 362);
    SUITE_SAME_INTEGER(fixture->rto.sa, 900);
    SUITE_SAME_INTEGER(fixture->rto.sv, 250);
    g_free(fixture);
}

// Samples that do not vary: RTTVAR shrinks by a quarter each time and is never 0 (G1).
static void test_granularity(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_RFC, TIME_MS);
    SUITE_SAME_INTEGER(after(fixture, 0), 4); // K * G
    for (int i = 0; i < 100; i++)
        CU_ASSERT(after(fixture, 0) > 0);
    g_free(fixture);
}

// lastsa = 8 R, lastsv = R: twice the sample. Then d = 200 - 100: lastsa = 900, lastsv = 100 + 100
// - 25, RTO = 112 + 175.
static void test_s2007(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_S2007, TIME_MS);
    SUITE_SAME_INTEGER(after(fixture, 100), 200);
    SUITE_SAME_INTEGER(after(fixture, 200), 287);
    // d = 100 - 112: lastsa = 888, lastsv = 175 + 12 - 43.
    SUITE_SAME_INTEGER(after(fixture, 100), 111 + 144);
    g_free(fixture);
}

// On a fast network the round trip is 0 or 1 ms: RTO.Min decides.
static void test_least_decides(void)
{
    for (int formula = SCTP_RTO_RFC; formula <= SCTP_RTO_S2007; formula++) {
        struct fixture *fixture = fixture_new((enum sctp_rto_formula)formula, 300 * TIME_MS);
        for (int i = 0; i < 20; i++)
            SUITE_SAME_INTEGER(after(fixture, i % 2), 300);
        g_free(fixture);
    }
}

static void test_back_off(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_S2007, TIME_S);
    static const int64_t doubled[] = {2000, 4000, 8000, 16000, 32000, 60000, 60000};
    after(fixture, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(doubled); i++) {
        sctp_rto_back_off(&fixture->rto, &fixture->association);
        SUITE_SAME_INTEGER(fixture->rto.rto, doubled[i]);
    }
    g_free(fixture);
}

// ((lastsa >> 2) + lastsv) >> 1 with lastsa = 4000, lastsv = 500, below the measured 1000.
static void test_restore(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_S2007, TIME_MS);
    SUITE_SAME_INTEGER(after(fixture, 500), 1000);
    sctp_rto_restore(&fixture->rto, &fixture->association); // it was not backed off
    SUITE_SAME_INTEGER(fixture->rto.rto, 1000);
    sctp_rto_back_off(&fixture->rto, &fixture->association);
    sctp_rto_restore(&fixture->rto, &fixture->association);
    SUITE_SAME_INTEGER(fixture->rto.rto, 750);
    g_free(fixture);
}

// A sample has ended the back-off already: lastsa = 4000, lastsv = 500 - 125.
static void test_sample_ends_back_off(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_S2007, TIME_MS);
    after(fixture, 500);
    sctp_rto_back_off(&fixture->rto, &fixture->association);
    SUITE_SAME_INTEGER(after(fixture, 500), 875);
    sctp_rto_restore(&fixture->rto, &fixture->association);
    SUITE_SAME_INTEGER(fixture->rto.rto, 875);
    g_free(fixture);
}

// RFC 9260 keeps the back-off until there is a new sample.
static void test_no_restore(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_RFC, TIME_MS);
    after(fixture, 500);
    sctp_rto_back_off(&fixture->rto, &fixture->association);
    sctp_rto_restore(&fixture->rto, &fixture->association);
    SUITE_SAME_INTEGER(fixture->rto.rto, 3000);
    CU_ASSERT(after(fixture, 500) < 3000);
    g_free(fixture);
}

// A path without a sample keeps what it has.
static void test_restore_unmeasured(void)
{
    struct fixture *fixture = fixture_new(SCTP_RTO_S2007, TIME_S);
    sctp_rto_back_off(&fixture->rto, &fixture->association);
    sctp_rto_restore(&fixture->rto, &fixture->association);
    SUITE_SAME_INTEGER(fixture->rto.rto, 6000);
    g_free(fixture);
}

static const struct suite_case cases[] = {
    {"RTO.Initial", test_initial},
    {"RFC 9260's formula", test_rfc},
    {"RTTVAR has a granularity", test_granularity},
    {"the BSD stack's registers", test_s2007},
    {"RTO.Min decides on a fast network", test_least_decides},
    {"back-off to RTO.Max", test_back_off},
    {"the BSD stack ends the back-off", test_restore},
    {"so does a sample", test_sample_ends_back_off},
    {"RFC 9260 does not", test_no_restore},
    {"nothing to restore", test_restore_unmeasured},
    {0},
};

int main(void)
{
    return suite_run("sctp: RTO", cases);
}
