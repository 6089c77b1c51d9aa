// SPDX-License-Identifier: GPL-3.0-or-later
// Which of two series is ahead, draw by draw: both ran on the same machines.
#include "sim/cli/run_draws_internal.h"
#include "sim/config/quantity.h"
#include "sim/measure/result.h"
#include "sim/output/text.h"
#include "sim/statistics/band.h"
#include "sim/statistics/share.h"

#include <math.h>
#include <string.h>

#define PAIRS_MOST_LINES 8 // of pairs whose order is not the same everywhere

// ---- Collecting ----

// The draws that both cells have.
struct draw_pairs {
    size_t n, ahead, behind; // of the first: by how many draws it is better, worse
    GArray *ratios;          // double: first / second
};

static struct draw_pairs pair_up(const struct cell *first, const struct cell *second, int worse)
{
    struct draw_pairs pairs = {.ratios = g_array_new(FALSE, FALSE, sizeof(double))};
    for (guint i = 0, k = 0; i < first->draws->len && k < second->draws->len;) {
        int one = g_array_index(first->draws, int, i), other = g_array_index(second->draws, int, k);
        if (one == other) {
            double a = cell_values(first)[i], b = cell_values(second)[k], ratio = a / b;
            pairs.n++;
            pairs.ahead += worse * a < worse * b;
            pairs.behind += worse * a > worse * b;
            g_array_append_val(pairs.ratios, ratio);
        }
        i += one <= other;
        k += other <= one;
    }
    return pairs;
}

static json_t *share_json(size_t hits, size_t n)
{
    struct share share = share_of(hits, n);
    return json_pack("{s:f, s:f, s:f}", "share", share.value, "low", share.low, "high", share.high);
}

static json_t *place_json(const struct cell *first, const struct cell *second, int worse)
{
    struct draw_pairs pairs = pair_up(first, second, worse);
    json_t *place = NULL;
    if (pairs.n > 0) {
        struct band ratio = band_of((const double *)(const void *)pairs.ratios->data, pairs.n);
        place = json_pack("{s:O?, s:O?, s:i, s:o, s:o}", "size_bytes",
                          json_object_get(first->place, "size_bytes"), "rank",
                          json_object_get(first->place, "rank"), "n", (int)pairs.n, "ahead",
                          share_json(pairs.ahead, pairs.n), "behind",
                          share_json(pairs.behind, pairs.n));
        if (isfinite(ratio.low) && isfinite(ratio.high))
            json_object_set_new(place, "ratio",
                                json_pack("{s:f, s:f, s:f}", "median", ratio.median, "low",
                                          ratio.low, "high", ratio.high));
    }
    g_array_unref(pairs.ratios);
    return place;
}

static const struct cell *cell_in_row(const GPtrArray *cells, const struct cell *like)
{
    char *row = draws_row_name(like->place);
    const struct cell *found = NULL;
    for (guint i = 0; !found && i < cells->len; i++) {
        const struct cell *cell = g_ptr_array_index(cells, i);
        char *name = draws_row_name(cell->place);
        if (strcmp(name, row) == 0)
            found = cell;
        g_free(name);
    }
    g_free(row);
    return found;
}

// The places that two series have in common.
static json_t *places_json(const struct cells *cells, const char *first, const char *second,
                           const char *metric)
{
    GPtrArray *ones = cells_of(cells, first, metric), *others = cells_of(cells, second, metric);
    json_t *places = json_array();
    for (guint i = 0; i < ones->len; i++) {
        const struct cell *one = g_ptr_array_index(ones, i), *other = cell_in_row(others, one);
        json_t *place = other ? place_json(one, other, metric_worse_sign(metric)) : NULL;
        if (place)
            json_array_append_new(places, place);
    }
    g_ptr_array_unref(ones);
    g_ptr_array_unref(others);
    return places;
}

json_t *draws_pairs(const struct run_draws *run, const struct cells *cells)
{
    json_t *list = json_array();
    const GPtrArray *cases = run->scenario->cases;
    for (guint i = 0; i < cases->len; i++)
        for (guint k = i + 1; k < cases->len; k++) {
            const char *first = ((struct scenario_case *)g_ptr_array_index(cases, i))->name;
            const char *second = ((struct scenario_case *)g_ptr_array_index(cases, k))->name;
            const char *metric = cells_metric(cells, first);
            if (!metric || metric_worse_sign(metric) == 0)
                continue;
            json_t *places = places_json(cells, first, second, metric);
            if (json_array_size(places) > 0)
                json_array_append_new(list,
                                      json_pack("{s:s, s:s, s:s, s:O}", "first", first, "second",
                                                second, "metric", metric, "at", places));
            json_decref(places);
        }
    return list;
}

// ---- Printing ----

// How a pair stands at a place, or at several in a row that stand alike.
struct standing_of_pair {
    enum share_verdict verdict; // SHARE_UNDECIDED, or of the one that leads
    int leader;                 // 1: the first, -1: the second, 0: undecided, or level in all draws
    struct share share;         // the leader's least; of the first if undecided
    double most;                // of the first, if undecided
    const json_t *from, *to;    // places
};

static struct share share_at(const json_t *place, const char *side)
{
    double n = draws_number_at(place, "n");
    return share_weighted(draws_number_at(json_object_get(place, side), "share"), n);
}

static struct standing_of_pair stand_at(const json_t *place)
{
    struct share ahead = share_at(place, "ahead"), behind = share_at(place, "behind");
    bool first = ahead.value >= behind.value;
    struct share leader = first ? ahead : behind;
    struct standing_of_pair standing = {share_judge(&leader), first ? 1 : -1, leader,
                                        leader.value,         place,          place};
    if (standing.verdict <= SHARE_UNDECIDED) {
        bool level = ahead.value + behind.value <= 0.0;
        standing.verdict = level ? SHARE_IN_NONE : SHARE_UNDECIDED;
        standing.leader = 0;
        standing.share = ahead;
        standing.most = ahead.value;
    }
    return standing;
}

static bool stands_alike(const struct standing_of_pair *one, const struct standing_of_pair *other)
{
    return one->verdict == other->verdict && one->leader == other->leader;
}

// struct standing_of_pair, of places in a row that stand alike. The caller unrefs it.
static GArray *standings_of(const json_t *pair)
{
    GArray *standings = g_array_new(FALSE, FALSE, sizeof(struct standing_of_pair));
    size_t i;
    const json_t *place;
    json_array_foreach(json_object_get(pair, "at"), i, place)
    {
        struct standing_of_pair here = stand_at(place);
        struct standing_of_pair *last =
            standings->len ? &g_array_index(standings, struct standing_of_pair, standings->len - 1)
                           : NULL;
        if (!last || !stands_alike(last, &here)) {
            g_array_append_val(standings, here);
            continue;
        }
        last->to = place;
        last->most = MAX(last->most, here.most);
        if (here.share.value < last->share.value)
            last->share = here.share;
    }
    return standings;
}

// "1 KiB", "rank 3", or nothing.
static void append_place(GString *out, const json_t *place)
{
    const json_t *size = json_object_get(place, "size_bytes");
    char *text =
        json_is_integer(size)
            ? quantity_format(QUANTITY_SIZE, (struct quantity){.integer = json_integer_value(size)})
            : draws_row_name(place);
    g_string_append(out, text);
    g_free(text);
}

// "VIA RPI in 40 .. 60 %": of places at which neither leads.
static void append_undecided(GString *out, const struct standing_of_pair *standing,
                             const char *first)
{
    char *least = share_percent(standing->share.value), *most = share_percent(standing->most);
    if (standing->verdict == SHARE_IN_NONE) {
        g_string_append(out, "equal in all draws");
    } else if (strcmp(least, most) == 0) {
        g_string_append_printf(out, "undecided (%s in %s)", first, most);
    } else {
        *strchr(least, ' ') = '\0';
        g_string_append_printf(out, "undecided (%s in %s .. %s)", first, least, most);
    }
    g_free(most);
    g_free(least);
}

// "in all draws", "in 97 % of the draws (91 .. 99 %)", "in 97 % of the draws (91 .. 99 %) or more"
static void append_lead(GString *out, const struct standing_of_pair *standing)
{
    if (standing->verdict == SHARE_IN_ALL) {
        g_string_append(out, "in all draws");
        return;
    }
    char *share = share_text(&standing->share);
    g_string_append_printf(out, "%s%s", share, standing->from == standing->to ? "" : " or more");
    g_free(share);
}

// " at 1 B .. 1 KiB"; nothing where a series has one value.
static void append_places(GString *out, const struct standing_of_pair *standing)
{
    GString *place = g_string_new(NULL);
    append_place(place, standing->from);
    if (place->len)
        g_string_append_printf(out, " at %s", place->str);
    if (standing->from != standing->to) {
        g_string_append(out, " .. ");
        append_place(out, standing->to);
    }
    g_string_free(place, TRUE);
}

// "VIA RPI and MVICH: VIA RPI is ahead in all draws at 1 B .. 1 KiB; undecided (VIA RPI in 40 %) at
// 4 KiB; MVICH is ahead in 97 % of the draws (91 .. 99 %) at 16 KiB"
static void append_pair(GString *out, const json_t *pair, const GArray *standings)
{
    g_string_append_printf(out, "%s and %s: ", draws_text_at(pair, "first"),
                           draws_text_at(pair, "second"));
    int leader = 0;
    for (guint i = 0; i < standings->len; i++) {
        const struct standing_of_pair *standing =
            &g_array_index(standings, struct standing_of_pair, i);
        g_string_append(out, i ? "; " : "");
        if (standing->leader && standing->leader != leader)
            g_string_append_printf(out, "%s is ahead ",
                                   draws_text_at(pair, standing->leader > 0 ? "first" : "second"));
        if (standing->leader)
            append_lead(out, standing);
        else
            append_undecided(out, standing, draws_text_at(pair, "first"));
        append_places(out, standing);
        leader = standing->leader;
    }
    g_string_append_c(out, '\n');
}

// The series that lead another at all places in all draws, each with those that it leads.
struct leaders {
    GPtrArray *names;     // of the leaders
    GHashTable *followed; // name -> GString: "MPICH, native TCP"
};

static void free_followers(void *data)
{
    g_string_free(data, TRUE);
}

static void add_leader(struct leaders *leaders, const char *leader, const char *follower)
{
    GString *followers = g_hash_table_lookup(leaders->followed, leader);
    if (!followers) {
        followers = g_string_new(follower);
        g_hash_table_insert(leaders->followed, (char *)leader, followers);
        g_ptr_array_add(leaders->names, (char *)leader);
        return;
    }
    g_string_append_printf(followers, ", %s", follower);
}

static void append_leaders(GString *out, const struct leaders *leaders, bool places)
{
    for (guint i = 0; i < leaders->names->len; i++) {
        const char *name = g_ptr_array_index(leaders->names, i);
        const GString *followers = g_hash_table_lookup(leaders->followed, name);
        g_string_append_printf(out, "%s is ahead of %s in all draws%s\n", name, followers->str,
                               places ? " at all sizes" : "");
    }
}

void draws_append_pairs(GString *out, const json_t *document)
{
    const json_t *pair, *pairs = json_object_get(document, "pairs");
    size_t i, lines = 0, places = 1;
    struct leaders leaders = {g_ptr_array_new(),
                              g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_followers)};
    GString *mixed = g_string_new(NULL);
    if (draws_number_at(document, "draws") < 2)
        pairs = NULL;
    json_array_foreach(pairs, i, pair)
    {
        GArray *standings = standings_of(pair);
        const struct standing_of_pair *first =
            &g_array_index(standings, struct standing_of_pair, 0);
        places = MAX(places, json_array_size(json_object_get(pair, "at")));
        if (standings->len == 1 && first->verdict == SHARE_IN_ALL)
            add_leader(&leaders, draws_text_at(pair, first->leader > 0 ? "first" : "second"),
                       draws_text_at(pair, first->leader > 0 ? "second" : "first"));
        else if (lines++ < PAIRS_MOST_LINES)
            append_pair(mixed, pair, standings);
        g_array_unref(standings);
    }
    append_leaders(out, &leaders, places > 1);
    g_string_append(out, mixed->str);
    if (lines > PAIRS_MOST_LINES)
        g_string_append_printf(out, "and %zu pairs more: --format json has them\n",
                               lines - PAIRS_MOST_LINES);
    g_string_free(mixed, TRUE);
    g_hash_table_unref(leaders.followed);
    g_ptr_array_unref(leaders.names);
}
