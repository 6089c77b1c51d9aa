// SPDX-License-Identifier: GPL-3.0-or-later
// Random streams (GSL's MT19937), one per component that needs one. A stream is seeded from the
// run's seed and the component's name: adding a component changes no other component's numbers.
#ifndef NETSIM_CORE_RANDOM_H
#define NETSIM_CORE_RANDOM_H

#include "sim/core/time.h"

#include <stdbool.h>
#include <stdint.h>

struct random_stream;

// 64 bits that follow from a seed and a name, as good as random: similar seeds and names give
// unrelated ones.
uint64_t random_hash(uint64_t seed, const char *name);

// `name` is the component's path, for example "link node0->switch0". Free with random_free.
struct random_stream *random_new(uint64_t seed, const char *name);
void random_free(struct random_stream *stream);

// Uniform in [0, 1).
double random_uniform(struct random_stream *stream);

// True with probability p, 0 <= p <= 1. Draws nothing when p is 0 or 1.
bool random_chance(struct random_stream *stream, double p);

// Uniform in 0 .. bound-1, bound > 0.
uint64_t random_below(struct random_stream *stream, uint64_t bound);

// 64 random bits.
uint64_t random_bits(struct random_stream *stream);

// Exponentially distributed with the given mean (ps), rounded to the nearest picosecond.
sim_time random_exponential(struct random_stream *stream, sim_time mean);

#endif
