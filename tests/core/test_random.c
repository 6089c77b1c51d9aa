// SPDX-License-Identifier: GPL-3.0-or-later
// Random streams. Bounds on moments are 4.5 deviations of the estimate, which a right generator
// passes once in 150,000 tries; seeds are fixed.
#include "sim/core/random.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <math.h>

#define DRAWS 200000

static void draw(double *values, int count, uint64_t seed, const char *name)
{
    struct random_stream *stream = random_new(seed, name);
    for (int i = 0; i < count; i++)
        values[i] = random_uniform(stream);
    random_free(stream);
}

static bool equal(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

// A stream depends on seed and name alone: it does not matter which others exist, and what they
// draw.
static void test_independence(void)
{
    double first[100], second[100];
    draw(first, 100, 1, "link node0->switch0");
    struct random_stream *others[20];
    for (int i = 0; i < 20; i++) {
        char *name = g_strdup_printf("link node%d->switch1", i);
        others[i] = random_new(1, name);
        random_uniform(others[i]);
        g_free(name);
    }
    struct random_stream *stream = random_new(1, "link node0->switch0");
    for (int i = 0; i < 100; i++) {
        random_uniform(others[i % 20]);
        second[i] = random_uniform(stream);
    }
    CU_ASSERT(equal(first, second, 100));
    random_free(stream);
    for (int i = 0; i < 20; i++)
        random_free(others[i]);
}

static void test_different_names_and_seeds(void)
{
    double one[100], name[100], seed[100], zero[100];
    draw(one, 100, 1, "a");
    draw(name, 100, 1, "b");
    draw(seed, 100, 2, "a");
    draw(zero, 100, 0, "a");
    CU_ASSERT_FALSE(equal(one, name, 100));
    CU_ASSERT_FALSE(equal(one, seed, 100));
    CU_ASSERT_FALSE(equal(one, zero, 100));
}

// Neighbours by name and seed have nothing to do with each other: the correlation of two streams of
// n draws deviates by 1 / sqrt(n).
static void test_uncorrelated(void)
{
    double *a = g_new(double, DRAWS), *b = g_new(double, DRAWS);
    static const struct {
        uint64_t seed;
        const char *name;
    } pairs[] = {
        {1, "link node0->switch1"}, {2, "link node0->switch0"}, {1, "link node1->switch0"}};
    draw(a, DRAWS, 1, "link node0->switch0");
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        draw(b, DRAWS, pairs[i].seed, pairs[i].name);
        double sum = 0;
        for (int j = 0; j < DRAWS; j++)
            sum += (a[j] - 0.5) * (b[j] - 0.5);
        CU_ASSERT_DOUBLE_EQUAL(sum / DRAWS * 12, 0, 4.5 / sqrt(DRAWS));
    }
    g_free(a);
    g_free(b);
}

static void test_uniform(void)
{
    struct random_stream *stream = random_new(1, "uniform");
    double sum = 0, squares = 0;
    bool inside = true;
    for (int i = 0; i < DRAWS; i++) {
        double x = random_uniform(stream);
        inside &= x >= 0 && x < 1;
        sum += x;
        squares += x * x;
    }
    CU_ASSERT(inside);
    CU_ASSERT_DOUBLE_EQUAL(sum / DRAWS, 0.5, 4.5 * sqrt(1.0 / 12 / DRAWS));
    CU_ASSERT_DOUBLE_EQUAL(squares / DRAWS, 1.0 / 3, 4.5 * sqrt(4.0 / 45 / DRAWS));
    random_free(stream);
}

static void test_exponential(void)
{
    struct random_stream *stream = random_new(1, "exponential");
    const double mean = 1e6;
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = (double)random_exponential(stream, (sim_time)mean) / mean;
        sum += x;
        squares += x * x;
    }
    CU_ASSERT_DOUBLE_EQUAL(sum / DRAWS, 1, 4.5 * sqrt(1.0 / DRAWS));
    CU_ASSERT_DOUBLE_EQUAL(squares / DRAWS, 2, 4.5 * sqrt(20.0 / DRAWS));
    random_free(stream);
}

static void test_chance(void)
{
    struct random_stream *stream = random_new(1, "chance"), *twin = random_new(1, "chance");
    int hits = 0;
    for (int i = 0; i < DRAWS; i++)
        hits += random_chance(stream, 0.3);
    CU_ASSERT_DOUBLE_EQUAL((double)hits / DRAWS, 0.3, 4.5 * sqrt(0.3 * 0.7 / DRAWS));
    // Sure things draw nothing.
    double before = random_uniform(twin);
    random_free(twin);
    twin = random_new(1, "chance");
    CU_ASSERT_FALSE(random_chance(twin, 0));
    CU_ASSERT_TRUE(random_chance(twin, 1));
    CU_ASSERT_EQUAL(random_uniform(twin), before);
    random_free(stream);
    random_free(twin);
}

static void test_below(void)
{
    struct random_stream *stream = random_new(1, "below");
    int counts[7] = {0};
    for (int i = 0; i < DRAWS; i++)
        counts[random_below(stream, 7)]++;
    for (int i = 0; i < 7; i++)
        CU_ASSERT_DOUBLE_EQUAL((double)counts[i] / DRAWS, 1.0 / 7, 4.5 * sqrt(6.0 / 49 / DRAWS));
    CU_ASSERT_EQUAL(random_below(stream, 1), 0);
    random_free(stream);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"streams don't touch each other", test_independence},
        {"names and seeds tell them apart", test_different_names_and_seeds},
        {"near names and seeds are far apart", test_uncorrelated},
        {"uniform", test_uniform},
        {"exponential", test_exponential},
        {"chance", test_chance},
        {"whole numbers", test_below},
        {NULL, NULL},
    };
    return suite_run("core: random", cases);
}
