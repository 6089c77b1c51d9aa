// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/link.h"

#include "sim/core/random.h"

#include <glib.h>
#include <math.h>

static const char *const fault_directions[] = {"both", "forward", "backward", NULL};
static const char *const link_pauses[] = {"negotiated", "none", NULL};

#define LINK_PARAM(field, kind, ...) PARAM(struct link_config, field, kind, __VA_ARGS__)

static const struct param link_params[] = {
    LINK_PARAM(rate, PARAM_BIT_RATE, .fallback = "100 Mb/s", .least = "1 b/s", .most = "1000 Gb/s",
               .doc = "bits that each direction carries per second",
               .source = "IEEE 802.3u (100BASE-TX)"),
    LINK_PARAM(propagation, PARAM_DURATION, .fallback = "50 ns", .most = "1 s",
               .doc = "time from one end of the cable to the other",
               .source = "10 m of copper at 5 ns/m"),
    LINK_PARAM(preamble, PARAM_SIZE, .fallback = "8 B", .most = "1 KiB",
               .doc = "sent before each frame: preamble and start delimiter",
               .source = "IEEE 802.3, 3.2.1-3.2.2"),
    LINK_PARAM(gap, PARAM_SIZE, .fallback = "12 B", .most = "1 KiB",
               .doc = "silence after each frame", .source = "IEEE 802.3, 4.4.2 (96 bit times)"),
    LINK_PARAM(least_frame, PARAM_SIZE, .fallback = "64 B", .most = "9 kB",
               .doc = "shorter frames are padded to this, check sequence included",
               .source = "IEEE 802.3, 4.4.2 (minFrameSize)"),
    LINK_PARAM(pause, PARAM_CHOICE, .fallback = "negotiated", .choices = link_pauses,
               .doc = "PAUSE frames: as the card's and the switch's `pause` have it at its ends, "
                      "or none; a link with a window has none",
               .source = "IEEE 802.3, Annex 28B: an end sends them if the other obeys them"),
    LINK_PARAM(bit_error_rate, PARAM_PROBABILITY, .fallback = "0",
               .doc = "probability that a bit is received wrong; the frame's check finds it",
               .source = "fault injection"),
    LINK_PARAM(drop_probability, PARAM_PROBABILITY, .fallback = "0",
               .doc = "probability that a packet vanishes", .source = "fault injection"),
    LINK_PARAM(drop_nth, PARAM_COUNTS, .fallback = "[]", .least = "1",
               .doc = "these packets of a direction vanish, counted from 1",
               .source = "fault injection"),
    LINK_PARAM(corrupt_nth, PARAM_COUNTS, .fallback = "[]", .least = "1",
               .doc = "these packets of a direction get a bit error, counted from 1",
               .source = "fault injection"),
    LINK_PARAM(duplicate_probability, PARAM_PROBABILITY, .fallback = "0",
               .doc = "probability that a packet arrives twice, the copy right after it",
               .source = "fault injection"),
    LINK_PARAM(duplicate_nth, PARAM_COUNTS, .fallback = "[]", .least = "1",
               .doc = "these packets of a direction arrive twice, counted from 1",
               .source = "fault injection"),
    LINK_PARAM(reorder_probability, PARAM_PROBABILITY, .fallback = "0",
               .doc = "probability that a packet is held back, so that later ones overtake it",
               .source = "fault injection"),
    LINK_PARAM(reorder_nth, PARAM_COUNTS, .fallback = "[]", .least = "1",
               .doc = "these packets of a direction are held back, counted from 1",
               .source = "fault injection"),
    LINK_PARAM(reorder_delay, PARAM_DURATION, .fallback = "1 ms", .least = "1 ps", .most = "1000 s",
               .doc = "how long a packet is held back at the far end", .source = "fault injection"),
    LINK_PARAM(jitter, PARAM_DURATION, .fallback = "0", .most = "1000 s",
               .doc = "each packet is delayed at the far end by up to this, by chance; none "
                      "overtakes another for it",
               .source = "fault injection"),
    LINK_PARAM(fault_direction, PARAM_CHOICE, .fallback = "both", .choices = fault_directions,
               .doc = "where packets are dropped, corrupted, duplicated, held back and delayed; "
                      "forward: from the first end named",
               .source = "fault injection"),
    LINK_PARAM(down, PARAM_WINDOWS, .fallback = "[]",
               .doc = "times at which the cable is unplugged; what is sent meanwhile is lost "
                      "({from: 1 ms, to: never}: for good)",
               .source = "fault injection"),
    LINK_PARAM(down_direction, PARAM_CHOICE, .fallback = "both", .choices = fault_directions,
               .doc = "where the cable is unplugged; forward: only what the first end named sends "
                      "is lost",
               .source = "fault injection"),
    LINK_PARAM(window, PARAM_COUNT, .fallback = "0", .most = "1024",
               .doc =
                   "the link itself acknowledges and repeats packets: so many of a direction can "
                   "be unacknowledged; 0: it repeats nothing",
               .source = "none: Ethernet and Myrinet repeat nothing; 7: thesis 002, 2.1.1"),
    LINK_PARAM(ack_bytes, PARAM_SIZE, .fallback = "8 B", .most = "1 KiB",
               .doc = "with a window: an acknowledgement, or the request to repeat a packet",
               .source = "assumed", .prior = "4 B .. 16 B"),
    LINK_PARAM(ack_turnaround, PARAM_DURATION, .fallback = "100 ns", .most = "1 s",
               .doc = "with a window: from a packet's last bit in to the answer's first bit out",
               .source = "assumed", .prior = "within 3"),
    LINK_PARAM(repeat_timeout, PARAM_DURATION, .fallback = "100 us", .most = "1000 s",
               .doc =
                   "with a window: from a packet's last bit out to its repeat if no answer comes",
               .source = "assumed", .prior = "within 3"),
    {.name = NULL},
};

const struct param_table link_table =
    PARAM_TABLE(struct link_config, link_params, .name = "link", .doc = "a full-duplex link");

struct link_faults {
    const struct link_config *config;
    const struct param_windows *down; // of this direction
    struct random_stream *random;     // NULL: no random fault that loses or corrupts
    struct random_stream *order;      // NULL: none that duplicates, holds back or delays
    bool strikes;                     // faults other than `down` affect this direction
    double log_good_bit;              // ln(1 - bit error rate)
    int64_t packets;
    int next_drop, next_corrupt, next_window; // into the configuration's lists
    int next_duplicate, next_reorder;
    struct link_disorder last; // of the packet judged last
};

static const struct param_windows never_down;

bool link_disorders(const struct link_config *config)
{
    return config->duplicate_probability > 0 || config->reorder_probability > 0 ||
           config->jitter > 0 || config->duplicate_nth.count || config->reorder_nth.count;
}

static bool faults_by_chance(const struct link_config *config)
{
    return config->bit_error_rate > 0 || config->drop_probability > 0;
}

static bool faults_by_number(const struct link_config *config)
{
    return config->drop_nth.count > 0 || config->corrupt_nth.count > 0;
}

bool link_has_faults(const struct link_config *config)
{
    return faults_by_chance(config) || faults_by_number(config) || link_disorders(config) ||
           config->down.count > 0;
}

struct link_faults *link_faults_none(const struct link_config *config)
{
    struct link_faults *faults = g_new0(struct link_faults, 1);
    faults->config = config;
    faults->down = &config->down;
    return faults;
}

static struct link_faults *faults_new(const struct link_config *config, int side, uint64_t seed,
                                      const char *name, bool counts)
{
    bool chance = faults_by_chance(config), numbered = counts && faults_by_number(config);
    bool disorders = counts && link_disorders(config);
    int other = side ? LINK_FAULTS_FORWARD : LINK_FAULTS_BACKWARD;
    bool strikes = config->fault_direction != other && (chance || numbered || disorders);
    bool down = config->down_direction != other && config->down.count > 0;
    if (!strikes && !down)
        return NULL;
    struct link_faults *faults = link_faults_none(config);
    faults->down = down ? &config->down : &never_down;
    faults->strikes = strikes;
    faults->log_good_bit = log1p(-config->bit_error_rate);
    faults->next_drop = counts ? 0 : config->drop_nth.count;
    faults->next_corrupt = counts ? 0 : config->corrupt_nth.count;
    if (strikes && chance)
        faults->random = random_new(seed, name);
    if (strikes && disorders) {
        char *order = g_strconcat(name, ", order", NULL);
        faults->order = random_new(seed, order);
        g_free(order);
    }
    return faults;
}

struct link_faults *link_faults_new(const struct link_config *config, int side, uint64_t seed,
                                    const char *name)
{
    return faults_new(config, side, seed, name, true);
}

struct link_faults *link_answer_faults_new(const struct link_config *config, int side,
                                           uint64_t seed, const char *name)
{
    return faults_new(config, side, seed, name, false);
}

bool link_faults_random(const struct link_faults *faults)
{
    const struct link_config *config = faults ? faults->config : NULL;
    return faults && (faults->random ||
                      (faults->order && (config->duplicate_probability > 0 ||
                                         config->reorder_probability > 0 || config->jitter > 0)));
}

void link_faults_free(struct link_faults *faults)
{
    if (!faults)
        return;
    random_free(faults->random);
    random_free(faults->order);
    g_free(faults);
}

// Packets are sent one after another, so one pass over the windows suffices.
static bool link_is_down(struct link_faults *faults, sim_time start, sim_time end)
{
    const struct param_windows *down = faults->down;
    while (faults->next_window < down->count && down->values[faults->next_window].to <= start)
        faults->next_window++;
    return faults->next_window < down->count && down->values[faults->next_window].from < end;
}

bool link_faults_cut(struct link_faults *faults, sim_time start, sim_time end)
{
    return link_is_down(faults, start, end);
}

// True if `counts` names the packet. `next` makes one pass over the list.
static bool is_nth(const struct param_counts *counts, int *next, int64_t packet)
{
    while (*next < counts->count && counts->values[*next] < packet)
        (*next)++;
    return *next < counts->count && counts->values[*next] == packet;
}

// As for losses, every packet draws the same numbers.
static struct link_disorder disorder_of(struct link_faults *faults, int64_t packet)
{
    const struct link_config *config = faults->config;
    bool twice = random_chance(faults->order, config->duplicate_probability);
    bool held = random_chance(faults->order, config->reorder_probability);
    double share = config->jitter > 0 ? random_uniform(faults->order) : 0;
    return (struct link_disorder){
        .twice = is_nth(&config->duplicate_nth, &faults->next_duplicate, packet) || twice,
        .held = is_nth(&config->reorder_nth, &faults->next_reorder, packet) || held,
        .delay = (sim_time)(share * (double)config->jitter),
    };
}

struct link_disorder link_faults_disorder(const struct link_faults *faults)
{
    return faults->last;
}

enum link_fate link_faults_judge(struct link_faults *faults, sim_time start, sim_time end,
                                 int64_t bytes)
{
    const struct link_config *config = faults->config;
    if (link_is_down(faults, start, end))
        return LINK_IS_DOWN;
    if (!faults->strikes)
        return LINK_PASSES;
    int64_t packet = ++faults->packets;
    if (faults->order)
        faults->last = disorder_of(faults, packet);
    // Every packet draws the same numbers, whatever its fate: one fault does not shift the next.
    bool lost = random_chance(faults->random, config->drop_probability);
    double error = -expm1(8.0 * (double)bytes * faults->log_good_bit);
    bool corrupt = random_chance(faults->random, error);
    if (is_nth(&config->drop_nth, &faults->next_drop, packet) || lost)
        return LINK_LOSES;
    if (is_nth(&config->corrupt_nth, &faults->next_corrupt, packet) || corrupt)
        return LINK_CORRUPTS;
    return LINK_PASSES;
}

bool link_faults_hopeless(const struct link_faults *faults, int64_t bytes)
{
    double error = -expm1(8.0 * (double)bytes * faults->log_good_bit);
    return faults->strikes && (faults->config->drop_probability >= 1 || error >= 1);
}

sim_time link_faults_up(const struct link_faults *faults, sim_time when)
{
    const struct param_windows *down = faults->down;
    for (int i = faults->next_window; i < down->count && down->values[i].from <= when; i++)
        when = MAX(when, down->values[i].to);
    return when;
}

sim_time link_answer_time(const struct link_config *config)
{
    return 2 * config->propagation + config->ack_turnaround +
           time_of_bytes(config->ack_bytes, config->rate);
}
