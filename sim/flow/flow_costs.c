// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/flow_costs.h"

#include "sim/flow/flow_cluster.h"
#include "sim/flow/flow_pace.h"
#include "sim/flow/sounding.h"
#include "sim/scenario/placement.h"

#include <math.h>

#define SETTLE_ROUNDS 4
#define SETTLED 1e-4 // relative

enum costs_place { COSTS_APART, COSTS_LOCAL, COSTS_PLACES };

struct flow_costs {
    const struct registry *registry;
    const struct scenario_case *test_case;
    const struct stack *stack; // of flows; NULL: not known yet
    struct flow_cluster *machine;
    int from, to, local; // hosts; local: with two ranks, -1: none has
    double rate;         // of the route's slowest link, bytes/s
    double distance;     // between interrupts, s; 0: none is kept
    struct sounding *soundings[COSTS_PLACES];
    GHashTable *known[COSTS_PLACES]; // from size to struct flow_cost
    struct flow_cost between;        // the latest that was not measured itself
    char *why;
};

// ---- Where ----

// The first two ranks on different hosts, and the first host with two ranks.
static void find_hosts(struct flow_costs *costs)
{
    const struct workload *workload = &costs->test_case->workload;
    GHashTable *seen = g_hash_table_new(NULL, NULL);
    costs->from = costs->to = placement_host(workload->placement, 0);
    costs->local = -1;
    for (int rank = 0; rank < workload->ranks; rank++) {
        int host = placement_host(workload->placement, rank);
        if (costs->to == costs->from)
            costs->to = host;
        if (!g_hash_table_add(seen, GINT_TO_POINTER(host)) && costs->local < 0)
            costs->local = host;
        if (costs->to != costs->from && costs->local >= 0)
            break;
    }
    g_hash_table_unref(seen);
}

static struct sounding *costs_sounding(struct flow_costs *costs, enum costs_place place)
{
    if (costs->soundings[place])
        return costs->soundings[place];
    if (!costs->machine)
        costs->machine = flow_cluster_new(costs->test_case);
    bool apart = place == COSTS_APART;
    int from = apart ? costs->from : costs->local, to = apart ? costs->to : costs->local;
    const struct route *route = flow_cluster_route(costs->machine, from, to);
    costs->rate = route ? flow_cluster_rate(costs->machine, route) : costs->rate;
    costs->soundings[place] =
        sounding_new(costs->registry, costs->test_case, costs->machine, from, to);
    return costs->soundings[place];
}

struct flow_costs *flow_costs_new(const struct registry *registry,
                                  const struct scenario_case *test_case)
{
    struct flow_costs *costs = g_new0(struct flow_costs, 1);
    costs->registry = registry;
    costs->test_case = test_case;
    costs->distance = time_to_s(flow_pace_of(registry, test_case).distance);
    for (int i = 0; i < COSTS_PLACES; i++)
        costs->known[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    find_hosts(costs);
    return costs;
}

void flow_costs_free(struct flow_costs *costs)
{
    if (!costs)
        return;
    for (int i = 0; i < COSTS_PLACES; i++) {
        sounding_free(costs->soundings[i]);
        g_hash_table_unref(costs->known[i]);
    }
    flow_cluster_free(costs->machine);
    g_free(costs->why);
    g_free(costs);
}

void flow_costs_play_on(struct flow_costs *costs, const struct stack *stack)
{
    costs->stack = stack;
}

void flow_costs_run_on(struct flow_costs *costs, struct cluster *cluster)
{
    flow_cluster_free(costs->machine);
    costs->machine = flow_cluster_on(costs->test_case, cluster);
}

// ---- Measuring ----

static sim_time costs_time(double seconds)
{
    return (sim_time)llround(MAX(seconds, 0) * (double)TIME_S);
}

static struct flow_cost cost_of(const struct flow_costs *costs, enum costs_place place,
                                const struct sounding_found *found)
{
    bool eager = found->sent < found->away / 2;
    double wire = place == COSTS_APART ? found->wire / costs->rate : 0;
    double rest = MAX(found->one_way - wire, 0); // a copy may go on while bytes are on the wire
    double send = MIN(found->start, rest), receive = eager ? MIN(found->late, rest - send) : 0;
    return (struct flow_cost){
        .size = found->size,
        .eager = eager,
        .send = costs_time(send),
        .receive = costs_time(receive),
        .sending = eager ? costs_time(found->sent - found->start) : 0,
        .one_way = costs_time(found->one_way),
        .wire = MAX(found->wire, 1),
        .frame = found->frame,
    };
}

// The stack of flows takes longer than packets even without latency: its processors' parts shrink.
static void cost_shrink(struct flow_cost *cost, sim_time over)
{
    sim_time of_receive = MIN(cost->receive, over);
    cost->receive -= of_receive;
    cost->send -= MIN(cost->send, over - of_receive);
}

static bool cost_settle(struct flow_costs *costs, enum costs_place place, struct flow_cost *cost)
{
    struct sounding *sounding = costs_sounding(costs, place);
    char *error = NULL;
    bool good = true;
    for (int i = 0; good && i < SETTLE_ROUNDS; i++) {
        struct sounding_found found = {.size = cost->size};
        sounding_unpace(sounding, cost->waits_for_line);
        sounding_play_on(sounding, costs->stack);
        good = sounding_run(sounding, &found, 1, true, NULL, NULL, &error);
        sim_time off = good ? cost->one_way - costs_time(found.one_way) : 0;
        sim_time latency = cost->latency + off;
        cost->latency = MAX(latency, 0);
        if (latency < 0)
            cost_shrink(cost, -latency);
        if (fabs((double)off) <= SETTLED * (double)cost->one_way)
            break;
    }
    if (!good) {
        g_free(costs->why);
        costs->why = error;
    }
    return good;
}

static bool cost_sound(struct flow_costs *costs, struct sounding *sounding, bool unpaced,
                       struct sounding_found *found)
{
    char *error = NULL;
    sounding_play_on(sounding, NULL); // also while the flows of a longer one are under way
    sounding_unpace(sounding, unpaced);
    if (sounding_run(sounding, found, 1, true, NULL, NULL, &error))
        return true;
    g_free(costs->why);
    costs->why = error;
    return false;
}

// The time from the receiver's interrupt until the message arrives.
static sim_time time_after_line(const struct flow_costs *costs, const struct flow_cost *cost,
                                double line)
{
    return MAX(cost->send + costs_time(cost->wire / costs->rate) + cost->latency - costs_time(line),
               0);
}

static struct flow_cost *cost_measure(struct flow_costs *costs, int64_t size,
                                      enum costs_place place)
{
    struct sounding *sounding = costs_sounding(costs, place);
    struct sounding_found found = {.size = size};
    bool paced = costs->distance > 0, before = sounding_unpace(sounding, paced);
    bool good = cost_sound(costs, sounding, paced, &found);
    bool waits = good && paced && found.line > 0 && found.wire / costs->rate < costs->distance;
    if (good && paced && !waits)
        good = cost_sound(costs, sounding, false, &found);
    struct flow_cost *cost = NULL;
    if (good) {
        cost = g_new(struct flow_cost, 1);
        *cost = cost_of(costs, place, &found);
        cost->waits_for_line = waits;
        g_hash_table_insert(costs->known[place], &cost->size, cost);
        good = cost_settle(costs, place, cost);
        cost->after = waits ? time_after_line(costs, cost, found.line) : 0;
        cost->spread = waits ? costs_time(found.spread) : 0;
    }
    sounding_unpace(sounding, before);
    return good ? cost : NULL;
}

// ---- Asking ----

static struct flow_cost *cost_at(struct flow_costs *costs, int64_t size, enum costs_place place)
{
    struct flow_cost *known = g_hash_table_lookup(costs->known[place], &size);
    return known ? known : cost_measure(costs, size, place);
}

// The sizes of the grid around one: k * 2^n with k of 4 .. 7.
static void grid_around(int64_t size, int64_t *below, int64_t *above)
{
    int64_t step = 1;
    while (size / step >= 8)
        step *= 2;
    *below = size / step * step;
    *above = *below + step;
}

static sim_time between_times(sim_time a, sim_time b, double part)
{
    return a + (sim_time)llround((double)(b - a) * part);
}

static const struct flow_cost *cost_between(struct flow_costs *costs, int64_t size,
                                            enum costs_place place)
{
    int64_t below, above;
    grid_around(size, &below, &above);
    const struct flow_cost *a = cost_at(costs, below, place), *b = cost_at(costs, above, place);
    if (below == size || !a)
        return a;
    if (!b || a->eager != b->eager || a->waits_for_line != b->waits_for_line)
        return cost_at(costs, size, place);
    double part = (double)(size - below) / (double)(above - below);
    costs->between = (struct flow_cost){
        .size = size,
        .eager = a->eager,
        .send = between_times(a->send, b->send, part),
        .receive = between_times(a->receive, b->receive, part),
        .sending = between_times(a->sending, b->sending, part),
        .latency = between_times(a->latency, b->latency, part),
        .one_way = between_times(a->one_way, b->one_way, part),
        .wire = a->wire + (b->wire - a->wire) * part,
        .frame = MAX(a->frame, b->frame),
        .waits_for_line = a->waits_for_line,
        .after = between_times(a->after, b->after, part),
        .spread = between_times(a->spread, b->spread, part),
    };
    return &costs->between;
}

const struct flow_cost *flow_costs_of(struct flow_costs *costs, int64_t size, bool local)
{
    enum costs_place place = local ? COSTS_LOCAL : COSTS_APART;
    const struct flow_cost *known = g_hash_table_lookup(costs->known[place], &size);
    if (known)
        return known;
    return g_hash_table_size(costs->known[place]) < COSTS_MOST_SIZES
               ? cost_measure(costs, size, place)
               : cost_between(costs, size, place);
}

const char *flow_costs_why(const struct flow_costs *costs)
{
    return costs->why;
}

void flow_costs_hosts(const struct flow_costs *costs, int *from, int *to)
{
    *from = costs->from;
    *to = costs->to;
}

// ---- Reports ----

static gint cost_by_size(gconstpointer a, gconstpointer b)
{
    const struct flow_cost *one = a, *other = b;
    return (one->size > other->size) - (one->size < other->size);
}

int flow_costs_sizes(const struct flow_costs *costs, int64_t *largest)
{
    GHashTableIter at;
    gpointer cost;
    *largest = 0;
    g_hash_table_iter_init(&at, costs->known[COSTS_APART]);
    while (g_hash_table_iter_next(&at, NULL, &cost))
        *largest = MAX(*largest, ((const struct flow_cost *)cost)->size);
    return (int)g_hash_table_size(costs->known[COSTS_APART]);
}

static json_t *cost_json(const struct flow_cost *cost)
{
    return json_pack("{s:I, s:b, s:f, s:f, s:f, s:f, s:f, s:f}", "size_bytes",
                     (json_int_t)cost->size, "eager", (int)cost->eager, "one_way_us",
                     time_to_s(cost->one_way) * 1e6, "send_us", time_to_s(cost->send) * 1e6,
                     "sending_us", time_to_s(cost->sending) * 1e6, "receive_us",
                     time_to_s(cost->receive) * 1e6, "wire_bytes", cost->wire, "latency_us",
                     time_to_s(cost->latency) * 1e6);
}

json_t *flow_costs_json(const struct flow_costs *costs)
{
    static const char *const names[] = {[COSTS_APART] = "points", [COSTS_LOCAL] = "local"};
    json_t *json = json_object();
    for (int i = 0; i < COSTS_PLACES; i++) {
        if (g_hash_table_size(costs->known[i]) == 0)
            continue;
        GList *all = g_list_sort(g_hash_table_get_values(costs->known[i]), cost_by_size);
        json_t *list = json_array();
        for (const GList *at = all; at; at = at->next)
            json_array_append_new(list, cost_json(at->data));
        json_object_set_new(json, names[i], list);
        g_list_free(all);
    }
    return json;
}
