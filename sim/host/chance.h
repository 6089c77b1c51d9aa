// SPDX-License-Identifier: GPL-3.0-or-later
// Chance in a host: where its clocks are when a run begins (phase), and the small delays of its
// kernel (noise). Without settings all clocks begin at the start of a period, all
// processes start at time 0, and no handler is ever delayed.
//
// Noise is of three kinds, each off by default: time that an interrupt or a woken process takes
// longer, exponentially distributed, and a timer interrupt on every processor at each tick of the
// kernel's clock, of a cost. A host's random numbers come from a stream of its own name.
//
// Not modelled: daemons, and delays that processes of one host share.
#ifndef NETSIM_HOST_CHANCE_H
#define NETSIM_HOST_CHANCE_H

#include "sim/config/param.h"
#include "sim/core/random.h"
#include "sim/host/processor.h"

struct phase_config {
    int64_t draw;     // whose phases each host has (sim/scenario/draw_host.h); 0: those below
    double tick;      // share of a tick of the kernel's clock that has passed at time 0
    double card;      // share of a period of a card's clock that has passed at time 0
    double second;    // share of a second of the time of day that has passed at time 0
    sim_time process; // ps
};

struct noise_config {
    sim_time interrupt; // ps, mean
    sim_time wake_up;   // ps, mean
    sim_time tick;      // ps, the period
    struct cost tick_work;
};

extern const struct param_table phase_table;
extern const struct param_table noise_table;

struct host_noise;

// The noise of a host with `cores` processors; NULL: the config has none. The caller frees it with
// host_noise_free, before the processors.
struct host_noise *host_noise_new(struct sim *sim, const char *host,
                                  const struct noise_config *config, double tick_phase,
                                  struct cpu *const *cores, int64_t count);
void host_noise_free(struct host_noise *noise);

// Charges an interrupt, or a woken process, for its noise. `noise` may be NULL.
void host_noise_interrupt(struct cpu_context *context, const struct host_noise *noise);
void host_noise_wake_up(struct cpu_context *context, const struct host_noise *noise);

// The part of a period that has passed at time 0, less than the period, and what is left of it;
// 0 and 0 at a share of 0 or 1.
sim_time phase_passed(double share, sim_time period);
sim_time phase_left(double share, sim_time period);

#endif
