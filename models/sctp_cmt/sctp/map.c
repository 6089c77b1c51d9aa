// SPDX-License-Identifier: GPL-3.0-or-later
// Which TSNs after cum_tsn have arrived, as bits. The bits of all others are clear. While nothing
// is missing, the map is not touched; it exists from the first gap on.
#include "models/sctp_cmt/sctp/in.h"

#define WORD 64u // bits

static uint64_t *word_of(const struct sctp_in *in, uint32_t tsn)
{
    return &in->map[(tsn & (in->map_size - 1)) / WORD];
}

bool sctp_map_has(const struct sctp_in *in, uint32_t tsn)
{
    return in->map && (*word_of(in, tsn) >> (tsn % WORD) & 1);
}

// Returns the first TSN in [from, end) whose bit is `set`, or end.
static uint32_t map_find(const struct sctp_in *in, uint32_t from, uint32_t end, bool set)
{
    while (from != end) {
        uint64_t bits = *word_of(in, from);
        bits = (set ? bits : ~bits) >> (from % WORD);
        uint32_t step = bits ? (uint32_t)__builtin_ctzll(bits) : WORD - from % WORD;
        if (step >= end - from)
            return end;
        from += step;
        if (bits)
            return from;
    }
    return end;
}

// Clears the bits of [from, end), a word at a time.
static void map_clear(const struct sctp_in *in, uint32_t from, uint32_t end)
{
    while (in->map && from != end) {
        uint32_t count = MIN(WORD - from % WORD, end - from);
        uint64_t bits = count == WORD ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
        *word_of(in, from) &= ~(bits << (from % WORD));
        from += count;
    }
}

// cum_tsn moves on over those that have arrived.
static void close_up(struct sctp_in *in)
{
    uint32_t next = map_find(in, in->cum_tsn + 1, in->highest + 1, false);
    map_clear(in, in->cum_tsn + 1, next);
    in->cum_tsn = next - 1;
}

void sctp_map_add(struct sctp_in *in, uint32_t tsn)
{
    if (tsn == in->cum_tsn + 1 && !sctp_in_gap(in)) {
        in->cum_tsn = in->highest = tsn;
        return;
    }
    if (!in->map)
        in->map = g_new0(uint64_t, in->map_size / WORD);
    *word_of(in, tsn) |= (uint64_t)1 << (tsn % WORD);
    if (sctp_tsn_before(in->highest, tsn))
        in->highest = tsn;
    if (tsn == in->cum_tsn + 1)
        close_up(in);
}

void sctp_map_remove(struct sctp_in *in, uint32_t first, uint32_t last)
{
    map_clear(in, first, last + 1);
    while (sctp_in_gap(in) && !sctp_map_has(in, in->highest))
        in->highest--;
}

void sctp_map_forward(struct sctp_in *in, uint32_t cum_tsn)
{
    if (!sctp_tsn_before(cum_tsn, in->highest)) {
        map_clear(in, in->cum_tsn + 1, in->highest + 1);
        in->cum_tsn = in->highest = cum_tsn;
        return;
    }
    map_clear(in, in->cum_tsn + 1, cum_tsn + 1);
    in->cum_tsn = cum_tsn;
    close_up(in);
}

int sctp_map_gaps(const struct sctp_in *in, struct sctp_gap *gaps, int most)
{
    uint32_t at = in->cum_tsn + 1, end = in->highest + 1;
    int count = 0;
    while (count < most && (at = map_find(in, at, end, true)) != end) {
        uint32_t after = map_find(in, at, end, false);
        if (gaps)
            gaps[count] = (struct sctp_gap){
                .start = (uint16_t)(at - in->cum_tsn),
                .end = (uint16_t)(after - 1 - in->cum_tsn),
            };
        count++;
        at = after;
    }
    return count;
}
