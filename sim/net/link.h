// SPDX-License-Identifier: GPL-3.0-or-later
// A duplex link: its parameters and its faults. Each of its two directions has its own transmitter
// and its own faults.
#ifndef NETSIM_NET_LINK_H
#define NETSIM_NET_LINK_H

#include "sim/config/param.h"

#include <stdbool.h>
#include <stdint.h>

enum link_pause { LINK_PAUSE_NEGOTIATED, LINK_PAUSE_NONE };

enum link_fault_direction { LINK_FAULTS_BOTH, LINK_FAULTS_FORWARD, LINK_FAULTS_BACKWARD };

struct link_config {
    int64_t rate;         // b/s
    sim_time propagation; // ps
    int64_t preamble;     // B
    int64_t gap;          // B
    int64_t least_frame;  // B
    int pause;            // enum link_pause
    double bit_error_rate;
    double drop_probability;
    struct param_counts drop_nth, corrupt_nth; // packets of one direction, counted from 1
    double duplicate_probability, reorder_probability;
    struct param_counts duplicate_nth, reorder_nth;
    sim_time reorder_delay; // ps
    sim_time jitter;        // ps
    int fault_direction;    // enum link_fault_direction
    struct param_windows down;
    int down_direction;      // enum link_fault_direction
    int64_t window;          // packets; 0: the link repeats nothing
    int64_t ack_bytes;       // B
    sim_time ack_turnaround; // ps
    sim_time repeat_timeout; // ps
};

extern const struct param_table link_table;

// The fate of one packet on a link.
enum link_fate { LINK_PASSES, LINK_CORRUPTS, LINK_LOSES, LINK_IS_DOWN };

// A link's faults on a packet that it does not lose.
struct link_disorder {
    bool twice;     // it arrives twice
    bool held;      // it is held back by reorder_delay, and may be overtaken
    sim_time delay; // by chance, at most the link's jitter; without being overtaken
};

// The faults of one direction.
struct link_faults;

// True if the link duplicates packets, holds them back or delays them, in whichever direction.
bool link_disorders(const struct link_config *config);

// True if the link may lose, corrupt, duplicate, hold back or delay packets in some direction, or
// is down at times.
bool link_has_faults(const struct link_config *config);

// Side 0 is from the link's first end to its second. `name` names the random stream: "link
// node0->switch0". Returns NULL if the link has no faults. The configuration must outlive the
// result; the caller frees it with link_faults_free.
struct link_faults *link_faults_new(const struct link_config *config, int side, uint64_t seed,
                                    const char *name);

// Like link_faults_new, for the answers to packets on a link with a window. They are not counted,
// so drop_nth and corrupt_nth do not strike them.
struct link_faults *link_answer_faults_new(const struct link_config *config, int side,
                                           uint64_t seed, const char *name);

// True if chance decides on packets of the direction (NULL: it has no faults).
bool link_faults_random(const struct link_faults *faults);

// The faults of a direction that has none, for a caller that judges its packets nevertheless.
struct link_faults *link_faults_none(const struct link_config *config);
void link_faults_free(struct link_faults *faults);

// Returns the fate of the direction's next packet, whose `bytes` (with padding) are sent from
// `start` to `end`. The caller must judge packets in the order of sending. A packet that finds the
// link down is not counted.
enum link_fate link_faults_judge(struct link_faults *faults, sim_time start, sim_time end,
                                 int64_t bytes);

// Returns what else happens to the packet that was judged last, and was not lost.
struct link_disorder link_faults_disorder(const struct link_faults *faults);

// True if the link is down at some time from `start`, when the last judged packet started, to
// `end`.
bool link_faults_cut(struct link_faults *faults, sim_time start, sim_time end);

// True if no packet of `bytes` ever passes, however often it is sent, even while the link is up.
bool link_faults_hopeless(const struct link_faults *faults, int64_t bytes);

// The first time from `when` on at which the link is up; TIME_NEVER if there is none. `when` must
// not be before the start of the last judged packet.
sim_time link_faults_up(const struct link_faults *faults, sim_time when);

// Time from a packet's last bit sent until the answer to it, an acknowledgement or the request to
// repeat it, has arrived in whole.
sim_time link_answer_time(const struct link_config *config);

#endif
