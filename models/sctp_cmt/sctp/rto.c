// SPDX-License-Identifier: GPL-3.0-or-later
// The retransmission time-out of a path: RFC 9260, 6.3.1, and as the BSD stack of 2007 computes it
// (sctp_calculate_rto). Registers as Jacobson has them: SRTT scaled by 8, RTTVAR by 4.
#include "models/sctp_cmt/sctp/association.h"

#define GRANULARITY 1 // ticks

static const struct inet_config *inet_of(const struct sctp_association *association)
{
    return &association->host->config->inet;
}

static int64_t clamped(const struct sctp_association *association, int64_t rto)
{
    int64_t least = inet_time_in_ticks(inet_of(association), association->settings.rto_least);
    int64_t most = inet_time_in_ticks(inet_of(association), association->settings.rto_most);
    return MIN(MAX(rto, least), most);
}

void sctp_rto_init(struct sctp_rto *rto, const struct sctp_association *association)
{
    int64_t initial = inet_time_in_ticks(inet_of(association), association->settings.rto_initial);
    *rto = (struct sctp_rto){.rto = initial};
}

// ---- Formulas: the first sample, and each later one ----

static void rfc_first(struct sctp_rto *rto, int64_t ticks)
{
    rto->sa = 8 * ticks;
    rto->sv = 2 * ticks; // RTTVAR is half of the sample
}

static void rfc_next(struct sctp_rto *rto, int64_t ticks)
{
    int64_t error = 8 * ticks - rto->sa;
    rto->sv += ABS(error) / 8 - rto->sv / 4;
    rto->sa += error / 8;
}

// RTTVAR begins with a quarter of the sample, so that the first RTO is twice and not three times
// the sample.
static void s2007_first(struct sctp_rto *rto, int64_t ticks)
{
    rto->sa = 8 * ticks;
    rto->sv = ticks;
}

static void s2007_next(struct sctp_rto *rto, int64_t ticks)
{
    int64_t error = ticks - rto->sa / 8;
    rto->sa += error;
    rto->sv += ABS(error) - rto->sv / 4;
}

static const struct rto_formula {
    void (*first)(struct sctp_rto *rto, int64_t ticks);
    void (*next)(struct sctp_rto *rto, int64_t ticks);
    int64_t least_sv; // instead of 0: RTTVAR's granularity, scaled or not
    bool restores;    // at a sign of life
} formulas[] = {
    [SCTP_RTO_RFC] = {rfc_first, rfc_next, 4 * GRANULARITY, false},
    [SCTP_RTO_S2007] = {s2007_first, s2007_next, GRANULARITY, true},
};

static const struct rto_formula *formula_of(const struct sctp_association *association)
{
    return &formulas[association->host->config->rto_formula];
}

void sctp_rto_sample(struct sctp_rto *rto, const struct sctp_association *association,
                     int64_t ticks)
{
    const struct rto_formula *formula = formula_of(association);
    if (rto->measured)
        formula->next(rto, ticks);
    else
        formula->first(rto, ticks);
    if (rto->sv == 0)
        rto->sv = formula->least_sv;
    rto->measured = true;
    rto->backed_off = false;
    rto->rto = clamped(association, rto->sa / 8 + rto->sv);
}

void sctp_rto_back_off(struct sctp_rto *rto, const struct sctp_association *association)
{
    rto->rto = clamped(association, 2 * rto->rto);
    rto->backed_off = true;
}

void sctp_rto_limit_init(struct sctp_rto *rto, const struct sctp_association *association)
{
    sim_time most = association->settings.init_rto_most;
    if (most > 0)
        rto->rto = MIN(rto->rto, inet_time_in_ticks(inet_of(association), most));
}

// A formula that was left over from an older scaling: about 3/4 of the RTO as measured.
void sctp_rto_restore(struct sctp_rto *rto, const struct sctp_association *association)
{
    if (!rto->backed_off || !rto->measured || !formula_of(association)->restores)
        return;
    rto->backed_off = false;
    rto->rto = clamped(association, (rto->sa / 4 + rto->sv) / 2);
}
