// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/share.h"

#include <math.h>

#define SHARE_SLACK 1e-9 // relative: rates and sums closer than that are equal

// A flow on a link, in the link's list and its flow's.
struct crossing {
    struct share_flow *flow; // NULL: unused
    uint32_t link;
    uint32_t next, previous; // on the link, in the order of joining
    uint32_t next_of_flow;   // or the next unused one
};

struct shared_link {
    double capacity;
    uint32_t first, last; // crossings
    uint32_t flows;
    uint32_t stamp; // the last settling that touched it
    // While flows are solved:
    double left;   // capacity for those that are open
    uint32_t open; // flows without a rate
};

// A link at the level at which it would be used up: that of all its open flows.
struct share_level {
    double level;
    uint32_t link;
};

struct share {
    struct shared_link *links;
    GArray *crossings; // struct crossing
    uint32_t unused;   // crossings
    GPtrArray *joined; // struct share_flow *; NULL: it has left again
    GArray *touched;   // uint32_t: links that joined or left flows cross
    uint32_t stamp;    // of the present settling
    GPtrArray *solved; // struct share_flow *, of the present settling
    GArray *levels;    // struct share_level: a heap
    uint64_t count;    // of flows solved
};

struct share *share_new(const double *capacities, int links)
{
    struct share *share = g_new0(struct share, 1);
    share->links = g_new0(struct shared_link, links);
    for (int i = 0; i < links; i++)
        share->links[i] = (struct shared_link){
            .capacity = capacities[i], .first = SHARE_NONE, .last = SHARE_NONE};
    share->crossings = g_array_new(FALSE, FALSE, sizeof(struct crossing));
    share->unused = SHARE_NONE;
    share->joined = g_ptr_array_new();
    share->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    share->solved = g_ptr_array_new();
    share->levels = g_array_new(FALSE, FALSE, sizeof(struct share_level));
    share->stamp = 1;
    return share;
}

void share_free(struct share *share)
{
    if (!share)
        return;
    g_free(share->links);
    g_array_free(share->crossings, TRUE);
    g_ptr_array_free(share->joined, TRUE);
    g_array_free(share->touched, TRUE);
    g_ptr_array_free(share->solved, TRUE);
    g_array_free(share->levels, TRUE);
    g_free(share);
}

static struct crossing *crossing_at(const struct share *share, uint32_t at)
{
    return &g_array_index(share->crossings, struct crossing, at);
}

static void touch(struct share *share, uint32_t link)
{
    if (share->links[link].stamp == share->stamp)
        return;
    share->links[link].stamp = share->stamp;
    g_array_append_val(share->touched, link);
}

// ---- Joining and leaving ----

static uint32_t crossing_new(struct share *share)
{
    uint32_t at = share->unused;
    if (at == SHARE_NONE) {
        at = share->crossings->len;
        g_array_set_size(share->crossings, at + 1);
    } else {
        share->unused = crossing_at(share, at)->next_of_flow;
    }
    return at;
}

static uint32_t cross(struct share *share, struct share_flow *flow, uint32_t number)
{
    uint32_t at = crossing_new(share);
    struct shared_link *link = &share->links[number];
    *crossing_at(share, at) =
        (struct crossing){.flow = flow, .link = number, .next = SHARE_NONE, .previous = link->last};
    if (link->last == SHARE_NONE)
        link->first = at;
    else
        crossing_at(share, link->last)->next = at;
    link->last = at;
    link->flows++;
    touch(share, number);
    return at;
}

static void uncross(struct share *share, uint32_t at)
{
    struct crossing *crossing = crossing_at(share, at);
    struct shared_link *link = &share->links[crossing->link];
    if (crossing->previous == SHARE_NONE)
        link->first = crossing->next;
    else
        crossing_at(share, crossing->previous)->next = crossing->next;
    if (crossing->next == SHARE_NONE)
        link->last = crossing->previous;
    else
        crossing_at(share, crossing->next)->previous = crossing->previous;
    link->flows--;
    touch(share, crossing->link);
    crossing->flow = NULL;
    crossing->next_of_flow = share->unused;
    share->unused = at;
}

void share_join(struct share *share, struct share_flow *flow, const uint32_t *links, int count)
{
    uint32_t next = SHARE_NONE;
    for (int i = count - 1; i >= 0; i--) {
        uint32_t at = cross(share, flow, links[i]);
        crossing_at(share, at)->next_of_flow = next;
        next = at;
    }
    *flow =
        (struct share_flow){.first = next, .bottleneck = SHARE_NONE, .joined = share->joined->len};
    g_ptr_array_add(share->joined, flow);
}

void share_leave(struct share *share, struct share_flow *flow)
{
    uint32_t next;
    for (uint32_t at = flow->first; at != SHARE_NONE; at = next) {
        next = crossing_at(share, at)->next_of_flow;
        uncross(share, at);
    }
    if (flow->joined != SHARE_NONE)
        share->joined->pdata[flow->joined] = NULL;
    flow->rate = 0;
}

bool share_unsettled(const struct share *share)
{
    return share->touched->len > 0;
}

// ---- The links by their levels ----

static struct share_level *level_at(const struct share *share, guint i)
{
    return &g_array_index(share->levels, struct share_level, i);
}

// Equal levels in the order of links.
static bool level_before(const struct share_level *a, const struct share_level *b)
{
    return a->level < b->level || (a->level <= b->level && a->link < b->link);
}

static void levels_sink(struct share *share, guint at)
{
    struct share_level sinking = *level_at(share, at);
    for (guint child; (child = 2 * at + 1) < share->levels->len; at = child) {
        if (child + 1 < share->levels->len &&
            level_before(level_at(share, child + 1), level_at(share, child)))
            child++;
        if (!level_before(level_at(share, child), &sinking))
            break;
        *level_at(share, at) = *level_at(share, child);
    }
    *level_at(share, at) = sinking;
}

static double level_of(const struct shared_link *link)
{
    return MAX(link->left, 0) / link->open;
}

static void levels_build(struct share *share)
{
    g_array_set_size(share->levels, 0);
    for (guint i = 0; i < share->touched->len; i++) {
        uint32_t number = g_array_index(share->touched, uint32_t, i);
        const struct shared_link *link = &share->links[number];
        struct share_level level = {link->open > 0 ? level_of(link) : 0, number};
        if (link->open > 0)
            g_array_append_val(share->levels, level);
    }
    for (guint i = share->levels->len / 2; i-- > 0;)
        levels_sink(share, i);
}

static void levels_drop_first(struct share *share)
{
    guint last = share->levels->len - 1;
    *level_at(share, 0) = *level_at(share, last);
    g_array_set_size(share->levels, last);
    if (last > 0)
        levels_sink(share, 0);
}

// ---- Solving ----

// All of the flow's rate is fixed; it takes it from its links.
static void freeze(struct share *share, struct share_flow *flow, double rate, uint32_t bottleneck)
{
    flow->rate = rate;
    flow->bottleneck = bottleneck;
    for (uint32_t at = flow->first; at != SHARE_NONE; at = crossing_at(share, at)->next_of_flow) {
        struct shared_link *link = &share->links[crossing_at(share, at)->link];
        link->left -= rate;
        link->open--;
    }
}

static bool is_open(const struct share *share, const struct share_flow *flow)
{
    return flow->stamp == share->stamp && flow->bottleneck == SHARE_NONE;
}

// The capacity that fixed flows leave to those that are solved.
static void open_links(struct share *share)
{
    for (guint i = 0; i < share->solved->len; i++)
        ((struct share_flow *)share->solved->pdata[i])->bottleneck = SHARE_NONE;
    for (guint i = 0; i < share->touched->len; i++) {
        struct shared_link *link = &share->links[g_array_index(share->touched, uint32_t, i)];
        link->left = link->capacity;
        link->open = 0;
        for (uint32_t at = link->first; at != SHARE_NONE; at = crossing_at(share, at)->next) {
            const struct share_flow *flow = crossing_at(share, at)->flow;
            if (is_open(share, flow))
                link->open++;
            else
                link->left -= flow->rate;
        }
    }
}

// Progressive filling: the link that is used up first fixes the rates of its flows. A link's level
// only grows as others' flows are fixed, so that one which was looked up is never too high.
static void fill(struct share *share)
{
    open_links(share);
    levels_build(share);
    while (share->levels->len > 0) {
        struct share_level *first = level_at(share, 0);
        uint32_t number = first->link;
        const struct shared_link *link = &share->links[number];
        double level = link->open > 0 ? level_of(link) : 0;
        if (link->open > 0 && level > first->level) {
            first->level = level;
            levels_sink(share, 0);
            continue;
        }
        level = first->level;
        levels_drop_first(share);
        for (uint32_t at = link->first; link->open > 0 && at != SHARE_NONE;
             at = crossing_at(share, at)->next)
            if (is_open(share, crossing_at(share, at)->flow))
                freeze(share, crossing_at(share, at)->flow, level, number);
    }
}

// The flow will be solved. Its links are touched.
static void solve_too(struct share *share, struct share_flow *flow)
{
    if (flow->stamp == share->stamp)
        return;
    flow->stamp = share->stamp;
    flow->before = flow->rate;
    g_ptr_array_add(share->solved, flow);
    for (uint32_t at = flow->first; at != SHARE_NONE; at = crossing_at(share, at)->next_of_flow)
        touch(share, crossing_at(share, at)->link);
}

// Whether a link is used up, and the fastest of its flows, and the slowest of those whose
// bottleneck it is now.
struct link_state {
    bool full;
    double fastest, least;
};

static struct link_state state_of(const struct share *share, uint32_t number)
{
    const struct shared_link *link = &share->links[number];
    struct link_state state = {.least = INFINITY};
    double used = 0;
    for (uint32_t at = link->first; at != SHARE_NONE; at = crossing_at(share, at)->next) {
        const struct share_flow *flow = crossing_at(share, at)->flow;
        used += flow->rate;
        state.fastest = MAX(state.fastest, flow->rate);
        if (flow->stamp == share->stamp && flow->bottleneck == number)
            state.least = MIN(state.least, flow->rate);
    }
    state.full = used >= link->capacity * (1 - SHARE_SLACK);
    return state;
}

// Adds the fixed flows of a link that can't stay as they are.
static void check_link(struct share *share, uint32_t number)
{
    struct link_state state = state_of(share, number);
    double least = state.least * (1 + SHARE_SLACK);
    for (uint32_t at = share->links[number].first; at != SHARE_NONE;
         at = crossing_at(share, at)->next) {
        struct share_flow *flow = crossing_at(share, at)->flow;
        if (flow->stamp == share->stamp)
            continue;
        bool held = flow->bottleneck == number;
        bool lost = held && (!state.full || flow->rate < state.fastest * (1 - SHARE_SLACK));
        if (lost || flow->rate > least)
            solve_too(share, flow);
    }
}

void share_settle(struct share *share, share_changed_fn *changed, void *owner)
{
    g_ptr_array_set_size(share->solved, 0);
    for (guint i = 0; i < share->joined->len; i++) {
        struct share_flow *flow = share->joined->pdata[i];
        if (!flow)
            continue;
        flow->joined = SHARE_NONE;
        solve_too(share, flow);
    }
    g_ptr_array_set_size(share->joined, 0);
    guint before;
    do {
        before = share->solved->len;
        fill(share);
        for (guint i = 0, count = share->touched->len; i < count; i++)
            check_link(share, g_array_index(share->touched, uint32_t, i));
    } while (share->solved->len > before);
    share->count += share->solved->len;
    for (guint i = 0; i < share->solved->len; i++) {
        struct share_flow *flow = share->solved->pdata[i];
        double least = flow->before * (1 - SHARE_SLACK), most = flow->before * (1 + SHARE_SLACK);
        if (flow->rate >= least && flow->rate <= most)
            flow->rate = flow->before;
        else
            changed(owner, flow);
    }
    g_array_set_size(share->touched, 0);
    share->stamp++;
}

// ---- For reports and tests ----

int share_flows_on(const struct share *share, int link)
{
    return (int)share->links[link].flows;
}

double share_used(const struct share *share, int link)
{
    double used = 0;
    for (uint32_t at = share->links[link].first; at != SHARE_NONE;
         at = crossing_at(share, at)->next)
        used += crossing_at(share, at)->flow->rate;
    return used;
}

uint64_t share_solved(const struct share *share)
{
    return share->count;
}
