// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/curve.h"

#include "sim/flow/flow_cluster.h"
#include "sim/flow/gaps.h"
#include "sim/flow/sounding.h"
#include "sim/scenario/placement.h"

#define MEASURE_LARGEST (INT64_C(4) << 20)
#define MEASURE_MOST_POINTS 400 // between those of the grid
#define LEAST_GROWTH (1.0 / 16) // of the wire's bytes per byte: as finely as the plugin counts

// A measurement between two hosts, while it runs.
struct measuring {
    struct sounding *sounding;
    GArray *found;                   // struct sounding_found, by size
    const struct curve_watch *watch; // NULL: none
    char **error;
};

static gint measure_by_size(gconstpointer a, gconstpointer b)
{
    int64_t one = ((const struct sounding_found *)a)->size,
            other = ((const struct sounding_found *)b)->size;
    return (one > other) - (one < other);
}

static struct sounding_found *measure_found_at(const GArray *found, guint i)
{
    return &g_array_index(found, struct sounding_found, i);
}

// NULL: it is not measured yet.
static const struct sounding_found *found_of(const struct measuring *measuring, int64_t size)
{
    const struct sounding_found key = {.size = size};
    guint at = 0;
    bool there = g_array_binary_search(measuring->found, &key, measure_by_size, &at);
    return there ? measure_found_at(measuring->found, at) : NULL;
}

// `sizes` more than those that were found before are measured.
static void measure_beat(void *owner, int sizes)
{
    const struct measuring *measuring = owner;
    if (measuring->watch)
        measuring->watch->measured(measuring->watch->owner, (int)measuring->found->len + sizes);
}

static bool measure_run(struct measuring *measuring, struct sounding_found *found, int count,
                        bool round_trips, char **error)
{
    return sounding_run(measuring->sounding, found, count, round_trips, measure_beat, measuring,
                        error);
}

static void measure_ask(GArray *sizes, int64_t size)
{
    struct sounding_found one = {.size = size};
    g_array_append_val(sizes, one);
}

// Measures the sizes, which are in order; they are gone afterwards.
static bool measure(struct measuring *measuring, GArray *sizes)
{
    bool good = sizes->len == 0 || measure_run(measuring, measure_found_at(sizes, 0),
                                               (int)sizes->len, true, measuring->error);
    if (good && sizes->len > 0)
        g_array_append_vals(measuring->found, sizes->data, sizes->len);
    g_array_sort(measuring->found, measure_by_size);
    g_array_free(sizes, TRUE);
    measure_beat(measuring, 0);
    return good;
}

static bool measure_powers(struct measuring *measuring, int64_t largest)
{
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(struct sounding_found));
    measure_ask(sizes, 0);
    for (int64_t size = 1; size < largest; size *= 2)
        measure_ask(sizes, size);
    if (largest > 0)
        measure_ask(sizes, largest);
    return measure(measuring, sizes);
}

// ---- The largest message ----

// Some libraries are modelled for messages up to a limit only. Finds that; `why` (g_free) describes
// what happens beyond. Returns false with *error if not even an empty message can be sent.
static bool find_most(struct measuring *measuring, int64_t *most, char **why)
{
    int64_t good = -1, bad = MEASURE_LARGEST;
    while (bad - good > 1) {
        char *error = NULL;
        struct sounding_found found = {.size = good < 0 ? 0 : good + (bad - good) / 2};
        if (measure_run(measuring, &found, 1, false, &error)) {
            good = found.size;
            continue;
        }
        bad = found.size;
        g_free(*why);
        *why = error;
        if (good < 0)
            break;
    }
    *most = good;
    if (good < 0)
        *measuring->error = g_steal_pointer(why);
    return good >= 0;
}

static bool measure_all(struct measuring *measuring, struct flow_curve *curve)
{
    char *why = NULL;
    if (measure_powers(measuring, MIN(curve->most, MEASURE_LARGEST)))
        return true;
    g_clear_pointer(measuring->error, g_free);
    g_array_set_size(measuring->found, 0);
    bool good = find_most(measuring, &curve->most, &why) && curve->most > 0;
    g_free(curve->beyond);
    curve->beyond = why;
    return good && measure_powers(measuring, curve->most);
}

// ---- The eager limit ----

static bool is_eager(const struct sounding_found *found)
{
    return found->sent < found->away / 2;
}

// The largest eager size between two powers of two, of which the first is eager; and a point at
// both sides of it.
static bool measure_limit(struct measuring *measuring, int64_t eager, int64_t other, int64_t *limit)
{
    while (other - eager > 1) {
        struct sounding_found found = {.size = eager + (other - eager) / 2};
        if (!measure_run(measuring, &found, 1, false, measuring->error))
            return false;
        if (is_eager(&found))
            eager = found.size;
        else
            other = found.size;
    }
    *limit = eager;
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(struct sounding_found));
    for (int64_t size = eager; size <= other; size++)
        if ((size & (size - 1)) != 0) // powers of two are measured already
            measure_ask(sizes, size);
    return measure(measuring, sizes);
}

static bool find_limit(struct measuring *measuring, int64_t *limit)
{
    *limit = -1;
    for (guint i = 0; i < measuring->found->len; i++) {
        const struct sounding_found *one = measure_found_at(measuring->found, i);
        if (!is_eager(one))
            return *limit < 0 || measure_limit(measuring, *limit, one->size, limit);
        *limit = one->size;
    }
    *limit = INT64_MAX;
    return true;
}

// ---- Between ----

static bool measure_transfers(void *owner, const GArray *sizes)
{
    GArray *asked = g_array_new(FALSE, FALSE, sizeof(struct sounding_found));
    for (guint i = 0; i < sizes->len; i++)
        measure_ask(asked, g_array_index(sizes, int64_t, i));
    return measure(owner, asked);
}

static double measure_one_way_at(void *owner, int64_t size)
{
    return found_of(owner, size)->one_way;
}

// All that is measured so far.
static GArray *sizes_of(const GArray *found)
{
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (guint i = 0; i < found->len; i++)
        g_array_append_val(sizes, measure_found_at(found, i)->size);
    return sizes;
}

static bool measure_grid(struct measuring *measuring, int64_t largest)
{
    GArray *grid = gaps_grid(largest), *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (guint i = 0; i < grid->len; i++)
        if (!found_of(measuring, g_array_index(grid, int64_t, i)))
            g_array_append_val(sizes, g_array_index(grid, int64_t, i));
    bool good = measure_transfers(measuring, sizes);
    g_array_unref(grid);
    g_array_unref(sizes);
    return good;
}

static bool refine(struct measuring *measuring, int64_t largest)
{
    const struct gaps_search search = {
        .owner = measuring,
        .measure = measure_transfers,
        .value = measure_one_way_at,
        .tolerance = CURVE_TOLERANCE,
        .most = MEASURE_MOST_POINTS,
    };
    if (!measure_grid(measuring, largest))
        return false;
    GArray *sizes = sizes_of(measuring->found);
    bool good = gaps_close(&search, sizes);
    g_array_unref(sizes);
    return good;
}

// ---- Curves ----

static struct flow_curve_point point_of(const struct sounding_found *found,
                                        const struct flow_curve_point *before, double rate,
                                        bool eager)
{
    struct flow_curve_point point = {.size = found->size, .one_way = found->one_way};
    double grown = before ? before->wire + LEAST_GROWTH * (double)(found->size - before->size) : 0;
    point.wire = rate > 0 ? MAX(found->wire, grown) : (double)found->size;
    double wire = rate > 0 ? point.wire / rate : 0;
    // A copy that goes on while the first bytes are on the wire is counted once.
    point.send = MIN(found->start, MAX(found->one_way - wire, 0));
    point.receive = eager ? MIN(found->late, MAX(found->one_way - wire - point.send, 0)) : 0;
    point.latency = MAX(found->one_way - wire - point.send - point.receive, 0);
    point.sending = eager ? MAX(found->sent - found->start, 0) : 0;
    return point;
}

static GArray *measure_points_of(const struct measuring *measuring, double rate, int64_t limit)
{
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct flow_curve_point));
    for (guint i = 0; i < measuring->found->len; i++) {
        const struct sounding_found *one = measure_found_at(measuring->found, i);
        const struct flow_curve_point *before =
            i > 0 ? &g_array_index(points, struct flow_curve_point, i - 1) : NULL;
        struct flow_curve_point point = point_of(one, before, rate, one->size <= limit);
        g_array_append_val(points, point);
    }
    return points;
}

// The points between two hosts; NULL with *error if a run fails.
static GArray *points_between(const struct registry *registry,
                              const struct scenario_case *test_case, struct flow_cluster *machine,
                              int from, int to, struct flow_curve *curve,
                              const struct curve_watch *watch, char **error)
{
    const struct route *route = flow_cluster_route(machine, from, to);
    struct measuring measuring = {
        .sounding = sounding_new(registry, test_case, machine, from, to),
        .found = g_array_new(FALSE, FALSE, sizeof(struct sounding_found)),
        .watch = watch,
        .error = error,
    };
    GArray *points = NULL;
    int64_t limit;
    if (measure_all(&measuring, curve) && find_limit(&measuring, &limit) &&
        refine(&measuring, MIN(curve->most, MEASURE_LARGEST))) {
        points =
            measure_points_of(&measuring, route ? flow_cluster_rate(machine, route) : 0, limit);
        curve->eager = curve->points ? curve->eager : limit;
        for (guint i = 0; i < measuring.found->len; i++)
            curve->frame = MAX(curve->frame, measure_found_at(measuring.found, i)->frame);
    }
    g_array_free(measuring.found, TRUE);
    sounding_free(measuring.sounding);
    return points;
}

// Finds the first two ranks on different hosts, or (same) on one. Returns false if none are.
static bool find_pair(const struct workload *workload, bool same, int *from, int *to)
{
    GHashTable *seen = g_hash_table_new(NULL, NULL);
    *from = placement_host(workload->placement, 0);
    bool found = false;
    for (int rank = 0; rank < workload->ranks && !found; rank++) {
        *to = placement_host(workload->placement, rank);
        if (same) {
            found = !g_hash_table_add(seen, GINT_TO_POINTER(*to));
            *from = *to;
        } else {
            found = *to != *from;
        }
    }
    g_hash_table_unref(seen);
    return found;
}

static bool measure_curve(const struct registry *registry, const struct scenario_case *test_case,
                          struct flow_cluster *machine, struct flow_curve *curve,
                          const struct curve_watch *watch, char **error)
{
    const struct workload *workload = &test_case->workload;
    int from, to;
    bool local = find_pair(workload, true, &from, &to);
    if (local)
        curve->local = points_between(registry, test_case, machine, from, to, curve, watch, error);
    if (local && !curve->local)
        return false;
    if (!find_pair(workload, false, &curve->from, &curve->to)) {
        curve->to = curve->from;
        curve->points = local ? g_array_copy(curve->local) : NULL;
        return local;
    }
    const struct route *route = flow_cluster_route(machine, curve->from, curve->to);
    curve->links = route_links(route);
    curve->rate = flow_cluster_rate(machine, route);
    curve->points =
        points_between(registry, test_case, machine, curve->from, curve->to, curve, watch, error);
    return curve->points != NULL;
}

struct flow_curve *flow_curve_measure(const struct registry *registry,
                                      const struct scenario_case *test_case,
                                      const struct curve_watch *watch, char **error)
{
    *error = NULL;
    if (!registry_stack(registry, test_case->stack->name)->library_section) {
        *error = g_strdup_printf("the stack %s is no MPI library", test_case->stack->name);
        return NULL;
    }
    struct flow_curve *curve = g_new0(struct flow_curve, 1);
    curve->most = INT64_MAX;
    struct flow_cluster *machine = flow_cluster_new(test_case);
    bool good = measure_curve(registry, test_case, machine, curve, watch, error);
    flow_cluster_free(machine);
    if (!good && !*error)
        *error = g_strdup("a single rank has no message to measure");
    if (!good)
        g_clear_pointer(&curve, flow_curve_free);
    return curve;
}
