// SPDX-License-Identifier: GPL-3.0-or-later
// Curves whose steps are known, and the steps that the search finds.
#include "sim/flow/gaps.h"
#include "tests/support/suite.h"

#include <math.h>

#define LARGEST (INT64_C(1) << 20)
#define MOST 2000

struct step {
    int64_t after; // this size
    double height;
};

// A curve while it is searched.
struct searched {
    const struct step *steps;
    int count;
    double per_byte;
    bool noisy;
    guint rounds, fails_in; // fails_in: of the rounds, from 1; 0: none
    GArray *sizes;          // int64_t: measured, growing
};

static gint by_number(gconstpointer a, gconstpointer b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

static double truth_at(const struct searched *searched, int64_t size)
{
    double value = 100 + searched->per_byte * (double)size;
    for (int i = 0; i < searched->count; i++)
        value += size > searched->steps[i].after ? searched->steps[i].height : 0;
    return searched->noisy ? value * (1 + 0.1 * (double)(size * 2654435761 % 97) / 97) : value;
}

// Each size is asked for once, in order, and within the grid.
static bool measure(void *owner, const GArray *sizes)
{
    struct searched *searched = owner;
    for (guint i = 0; i < sizes->len; i++) {
        int64_t size = g_array_index(sizes, int64_t, i);
        CU_ASSERT(i == 0 || size > g_array_index(sizes, int64_t, i - 1));
        CU_ASSERT(size > 1 && size < LARGEST);
        CU_ASSERT(!g_array_binary_search(searched->sizes, &size, by_number, NULL));
    }
    g_array_append_vals(searched->sizes, sizes->data, sizes->len);
    g_array_sort(searched->sizes, by_number);
    return ++searched->rounds != searched->fails_in;
}

static double value(void *owner, int64_t size)
{
    struct searched *searched = owner;
    CU_ASSERT(g_array_binary_search(searched->sizes, &size, by_number, NULL));
    return truth_at(searched, size);
}

// Returns how many sizes were measured beyond the grid.
static guint search(struct searched *searched, guint most, bool good)
{
    GArray *grid = gaps_grid(LARGEST);
    const struct gaps_search gaps = {
        .owner = searched, .measure = measure, .value = value, .tolerance = 0.005, .most = most};
    searched->sizes = g_array_copy(grid);
    CU_ASSERT(gaps_close(&gaps, grid) == good);
    guint measured = searched->sizes->len - grid->len;
    CU_ASSERT(measured <= most);
    g_array_unref(grid);
    return measured;
}

// How far the lines between measured sizes are off at a size.
static double off_at(const struct searched *searched, int64_t size)
{
    guint i = 1;
    while (g_array_index(searched->sizes, int64_t, i) < size)
        i++;
    int64_t from = g_array_index(searched->sizes, int64_t, i - 1),
            to = g_array_index(searched->sizes, int64_t, i);
    double low = truth_at(searched, from), high = truth_at(searched, to),
           line = low + (high - low) * (double)(size - from) / (double)(to - from);
    return fabs(line / truth_at(searched, size) - 1);
}

static void test_the_grid(void)
{
    GArray *grid = gaps_grid(1000);
    static const int64_t first[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20};
    for (guint i = 0; i < G_N_ELEMENTS(first); i++)
        SUITE_SAME_INTEGER(g_array_index(grid, int64_t, i), first[i]);
    SUITE_SAME_INTEGER(g_array_index(grid, int64_t, grid->len - 2), 896);
    SUITE_SAME_INTEGER(g_array_index(grid, int64_t, grid->len - 1), 1000);
    g_array_unref(grid);
    grid = gaps_grid(0);
    SUITE_SAME_INTEGER(grid->len, 0);
    g_array_unref(grid);
}

static void test_a_line_is_looked_at_once(void)
{
    struct searched line = {.per_byte = 0.08};
    search(&line, MOST, true);
    SUITE_SAME_INTEGER(line.rounds, 1);
    g_array_unref(line.sizes);
}

static void test_steps_are_found_to_the_byte(void)
{
    static const struct step steps[] = {{300, 100}, {5000, 1000}, {5001, 500}, {70000, 20000}};
    struct searched found = {.steps = steps, .count = G_N_ELEMENTS(steps), .per_byte = 0.01};
    search(&found, MOST, true);
    for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
        int64_t width = steps[i].after / 1000; // of the gap that may be left
        CU_ASSERT(off_at(&found, steps[i].after - width) < 0.01);
        CU_ASSERT(off_at(&found, steps[i].after + 1 + width) < 0.01);
    }
    g_array_unref(found.sizes);
}

// Two equal steps that have a power of two between them look like a line in its middle.
static void test_equal_steps_are_found(void)
{
    for (int64_t power = 64; power < LARGEST; power *= 2) {
        const struct step steps[] = {{power + power / 12, 20}, {power + power / 6, 20}};
        struct searched found = {.steps = steps, .count = 2};
        search(&found, MOST, true);
        for (int part = 1; part < 12; part += 2) // of 48; the steps are at the fourth and eighth
            CU_ASSERT(off_at(&found, power + power * part / 48) < 0.005);
        g_array_unref(found.sizes);
    }
}

// As interrupts that keep a distance make it: hundreds of equal steps, each a smaller part of the
// time. Whatever their distance, few sizes are off.
static void test_staircases(void)
{
    for (int width = 1000; width < 12000; width += 617) {
        struct step steps[1100];
        int count = 0;
        for (int64_t at = width; at < LARGEST && count < (int)G_N_ELEMENTS(steps); at += width)
            steps[count++] = (struct step){at, 40};
        struct searched found = {.steps = steps, .count = count, .per_byte = 0.001};
        search(&found, MOST, true);
        int off = 0, looked = 0;
        for (double size = 2; size < LARGEST; size *= 1.0037, looked++)
            off += off_at(&found, (int64_t)size) > 0.03;
        CU_ASSERT(100 * off <= looked);
        g_array_unref(found.sizes);
    }
}

// A curve without lines takes all that may be measured, and no more; a large step is found
// nevertheless.
static void test_noise_and_a_limit(void)
{
    static const struct step steps[] = {{9000, 2000}};
    struct searched noise = {.steps = steps, .count = 1, .per_byte = 0.01, .noisy = true};
    SUITE_SAME_INTEGER(search(&noise, 300, true), 300);
    g_array_unref(noise.sizes);
    noise.noisy = false;
    CU_ASSERT(search(&noise, 100, true) <= 100);
    CU_ASSERT(off_at(&noise, 8600) < 0.01 && off_at(&noise, 9400) < 0.01);
    g_array_unref(noise.sizes);
}

static void test_giving_up(void)
{
    static const struct step steps[] = {{9000, 2000}};
    struct searched found = {.steps = steps, .count = 1, .fails_in = 2};
    search(&found, MOST, false);
    SUITE_SAME_INTEGER(found.rounds, 2);
    g_array_unref(found.sizes);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the grid", test_the_grid},
        {"a line is looked at once", test_a_line_is_looked_at_once},
        {"steps are found", test_steps_are_found_to_the_byte},
        {"equal steps are found", test_equal_steps_are_found},
        {"staircases", test_staircases},
        {"noise, and a limit", test_noise_and_a_limit},
        {"giving up", test_giving_up},
        {0},
    };
    return suite_run("flow: gaps between points of a curve", cases);
}
