// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/random.h"

#include <glib.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

struct random_stream {
    gsl_rng *rng;
};

// FNV-1a over the name, mixed with the seed (splitmix64's finaliser).
uint64_t random_hash(uint64_t seed, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    hash += seed * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

struct random_stream *random_new(uint64_t seed, const char *name)
{
    struct random_stream *stream = g_new(struct random_stream, 1);
    stream->rng = gsl_rng_alloc(gsl_rng_mt19937);
    // MT19937 takes 32 bits of seed, and treats 0 as its own default.
    gsl_rng_set(stream->rng, (unsigned long)(random_hash(seed, name) >> 32) | 1u);
    return stream;
}

void random_free(struct random_stream *stream)
{
    if (!stream)
        return;
    gsl_rng_free(stream->rng);
    g_free(stream);
}

double random_uniform(struct random_stream *stream)
{
    return gsl_rng_uniform(stream->rng);
}

bool random_chance(struct random_stream *stream, double p)
{
    if (p <= 0.0)
        return false;
    if (p >= 1.0)
        return true;
    return gsl_rng_uniform(stream->rng) < p;
}

uint64_t random_below(struct random_stream *stream, uint64_t bound)
{
    g_assert(bound > 0 && bound <= gsl_rng_max(stream->rng));
    return gsl_rng_uniform_int(stream->rng, bound);
}

uint64_t random_bits(struct random_stream *stream)
{
    uint64_t high = random_below(stream, (uint64_t)1 << 31);
    uint64_t middle = random_below(stream, (uint64_t)1 << 31);
    return high << 33 | middle << 2 | random_below(stream, 4);
}

sim_time random_exponential(struct random_stream *stream, sim_time mean)
{
    return (sim_time)llrint(gsl_ran_exponential(stream->rng, (double)mean));
}
