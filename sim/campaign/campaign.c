// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/campaign.h"

#include "sim/campaign/case_key.h"
#include "sim/campaign/mpi_workers.h"
#include "sim/campaign/source_id.h"
#include "sim/campaign/store.h"
#include "sim/campaign/workers.h"
#include "sim/flow/flow.h"
#include "sim/output/json.h"
#include "sim/run/estimate.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/draw_mix.h"
#include "sim/scenario/drawn_scenario.h"
#include "sim/scenario/unused.h"

#include <stdlib.h>
#include <string.h>

// How long a result may wait to be written: what a killed program loses at most.
#define COMMIT_INTERVAL (G_USEC_PER_SEC / 5)

#define DRAW_SET "draw="
#define MIX_SET DRAW_MIX_KEY "="
#define MOST_DRAWN 256 // scenarios that are kept for their draws

// A piece of work: what all equal cases have in common.
struct piece {
    char *key, *definition;
    char *name;                            // for people
    const struct scenario_case *test_case; // in one of the campaign's scenarios
    uint64_t seed;
    bool done; // in this program's life
};

struct run_series {
    char *name;
    int piece;
};

struct run {
    char *scenario;
    uint64_t seed;
    GArray *series; // struct run_series
};

struct campaign {
    const struct registry *registry;
    struct scenario_schema *schema;
    struct campaign_options options;
    char *data_dir;
    struct store *store;  // of rank 0; in memory for others
    GPtrArray *scenarios; // struct scenario *, which hold the cases of pieces
    GPtrArray *pieces;    // struct piece *
    GHashTable *by_key;   // key -> number of the piece + 1
    GPtrArray *runs;      // struct run *
    struct unused *unused;
    GHashTable *drawn; // drawn_key -> struct drawn_scenario *, of which draws were added
    int shard, shards; // only pieces with number % shards == shard
    int done, total;   // while it runs
    bool ran;
};

static void free_piece(void *data)
{
    struct piece *piece = data;
    g_free(piece->key);
    g_free(piece->definition);
    g_free(piece->name);
    g_free(piece);
}

static void clear_run_series(void *data)
{
    g_free(((struct run_series *)data)->name);
}

static void free_run(void *data)
{
    struct run *run = data;
    g_free(run->scenario);
    g_array_unref(run->series);
    g_free(run);
}

static void free_scenario(void *data)
{
    scenario_free(data);
}

static void free_drawn(void *data)
{
    drawn_scenario_free(data);
}

struct campaign *campaign_open(const struct registry *registry,
                               const struct campaign_options *options, GError **error)
{
    // Of an MPI job only rank 0 keeps results.
    const char *database = mpi_workers_rank() == 0 ? options->database : NULL;
    struct store *store = store_open(database, error);
    if (!store)
        return NULL;
    struct campaign *campaign = g_new0(struct campaign, 1);
    campaign->registry = registry;
    campaign->schema = registry_schema(registry);
    campaign->options = *options;
    campaign->data_dir = g_strdup(options->data_dir);
    campaign->store = store;
    campaign->shards = 1;
    campaign->scenarios = g_ptr_array_new_with_free_func(free_scenario);
    campaign->pieces = g_ptr_array_new_with_free_func(free_piece);
    campaign->by_key = g_hash_table_new(g_str_hash, g_str_equal);
    campaign->runs = g_ptr_array_new_with_free_func(free_run);
    campaign->unused = unused_new(campaign->schema);
    campaign->drawn = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_drawn);
    return campaign;
}

void campaign_close(struct campaign *campaign)
{
    if (!campaign)
        return;
    store_close(campaign->store);
    g_ptr_array_unref(campaign->runs);
    g_hash_table_unref(campaign->by_key);
    g_ptr_array_unref(campaign->pieces);
    g_ptr_array_unref(campaign->scenarios);
    g_hash_table_unref(campaign->drawn);
    unused_free(campaign->unused);
    registry_schema_free(campaign->schema);
    g_free(campaign->data_dir);
    g_free(campaign);
}

void campaign_forget(struct campaign *campaign)
{
    g_hash_table_remove_all(campaign->by_key);
    g_ptr_array_set_size(campaign->runs, 0);
    g_ptr_array_set_size(campaign->pieces, 0);
    g_ptr_array_set_size(campaign->scenarios, 0);
    campaign->ran = false;
}

bool campaign_keep(struct campaign *campaign, const char *database, GError **error)
{
    struct store *store = store_open(database, error);
    if (!store)
        return false;
    store_close(campaign->store);
    campaign->store = store;
    return true;
}

void campaign_take_shard(struct campaign *campaign, int shard, int shards)
{
    campaign->shard = shard - 1;
    campaign->shards = shards;
}

struct store *campaign_store(const struct campaign *campaign)
{
    return campaign->store;
}

static struct piece *piece_at(const struct campaign *campaign, int number)
{
    return g_ptr_array_index(campaign->pieces, number);
}

// ---- Adding ----

// The number of the piece of work that a case is; *is_new: whether none was like it.
static int piece_of(struct campaign *campaign, const struct scenario *scenario,
                    const struct scenario_case *test_case, bool *is_new)
{
    char *definition = case_definition(test_case);
    char *key = case_key(definition, scenario->seed, campaign_source_id);
    int known = GPOINTER_TO_INT(g_hash_table_lookup(campaign->by_key, key));
    if (known) {
        g_free(definition);
        g_free(key);
        return known - 1;
    }
    struct piece *piece = g_new0(struct piece, 1);
    piece->key = key;
    piece->definition = definition;
    piece->name = strcmp(scenario->name, test_case->name) == 0
                      ? g_strdup(scenario->name)
                      : g_strdup_printf("%s: %s", scenario->name, test_case->name);
    piece->test_case = test_case;
    piece->seed = scenario->seed;
    g_ptr_array_add(campaign->pieces, piece);
    g_hash_table_insert(campaign->by_key, key, GINT_TO_POINTER((int)campaign->pieces->len));
    *is_new = true;
    return (int)campaign->pieces->len - 1;
}

// The tree is large, and has served when a case is known by its definition.
static void drop_trees(struct scenario *scenario)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        node_free(test_case->tree);
        test_case->tree = NULL;
    }
}

int campaign_add(struct campaign *campaign, const char *file, const char *const *sets,
                 uint64_t seed, struct diag_list *diags)
{
    return campaign_add_series(campaign, file, sets, NULL, seed, diags);
}

// ---- Scenarios of which draws are added ----

// The arguments of scenario_load but for the draw: the key of a scenario that is kept.
static char *drawn_key(const char *file, const char *const *sets, const char *const *series,
                       uint64_t seed)
{
    GString *key = g_string_new(file);
    g_string_append_printf(key, "\n%" G_GUINT64_FORMAT, seed);
    for (const char *const *set = sets; set && *set; set++)
        g_string_append_printf(key, "\n%s", *set);
    g_string_append(key, series ? "\n\n" : "\n");
    for (const char *const *name = series; name && *name; name++)
        g_string_append_printf(key, "\n%s", *name);
    return g_string_free(key, FALSE);
}

static struct drawn_scenario *drawn_of(struct campaign *campaign, const char *file,
                                       const struct scenario_options *options,
                                       struct diag_list *diags)
{
    char *key = drawn_key(file, options->sets, options->series, options->seed);
    struct drawn_scenario *drawn = g_hash_table_lookup(campaign->drawn, key);
    if (drawn) {
        g_free(key);
        return drawn;
    }
    drawn = drawn_scenario_load(file, campaign->schema, options, diags);
    if (!drawn) {
        g_free(key);
        return NULL;
    }
    if (g_hash_table_size(campaign->drawn) == MOST_DRAWN)
        g_hash_table_remove_all(campaign->drawn);
    g_hash_table_insert(campaign->drawn, key, drawn);
    const struct scenario *medians = drawn_scenario_medians(drawn);
    unused_add(campaign->unused, medians->cases, medians->file, options->series != NULL);
    return drawn;
}

// The draw that the settings ask for, and the last of its mixtures (NULL: none), which are left out
// of `others`; 0: none, or not one number, which the compiler then complains of.
static int64_t draw_of_sets(const char *const *sets, const char **mix, GPtrArray *others)
{
    int64_t draw = 0;
    int given = 0;
    for (const char *const *set = sets; set && *set; set++) {
        if (g_str_has_prefix(*set, MIX_SET)) {
            *mix = *set + strlen(MIX_SET);
            continue;
        }
        if (!g_str_has_prefix(*set, DRAW_SET)) {
            g_ptr_array_add(others, (char *)*set);
            continue;
        }
        guint64 number;
        given++;
        if (g_ascii_string_to_unsigned(*set + strlen(DRAW_SET), 10, 1, DRAW_MOST, &number, NULL))
            draw = (int64_t)number;
    }
    g_ptr_array_add(others, NULL);
    return given == 1 ? draw : 0;
}

static struct scenario *load_draw(struct campaign *campaign, const char *file,
                                  struct scenario_options *options, struct diag_list *diags)
{
    struct scenario *scenario = NULL;
    GPtrArray *others = g_ptr_array_new();
    const char *mix = NULL;
    int64_t draw = draw_of_sets(options->sets, &mix, others);
    if (draw) {
        options->sets = (const char *const *)others->pdata;
        struct drawn_scenario *drawn = drawn_of(campaign, file, options, diags);
        scenario = drawn ? drawn_scenario_take(drawn, draw, mix, diags) : NULL;
    } else {
        scenario = scenario_load(file, campaign->schema, options, diags);
        if (scenario)
            unused_add(campaign->unused, scenario->cases, scenario->file, options->series != NULL);
    }
    g_ptr_array_free(others, TRUE);
    return scenario;
}

int campaign_add_series(struct campaign *campaign, const char *file, const char *const *sets,
                        const char *const *series, uint64_t seed, struct diag_list *diags)
{
    struct scenario_options options = {.sets = sets,
                                       .data_dir = campaign->data_dir,
                                       .seed = seed,
                                       .series = series,
                                       .allow_unused = true,
                                       .what_if = campaign->options.what_if};
    struct scenario *scenario = load_draw(campaign, file, &options, diags);
    if (!scenario)
        return -1;
    struct run *run = g_new0(struct run, 1);
    run->scenario = g_strdup(scenario->name);
    run->seed = scenario->seed;
    run->series = g_array_new(FALSE, FALSE, sizeof(struct run_series));
    g_array_set_clear_func(run->series, clear_run_series);
    bool is_new = false;
    for (guint i = 0; i < scenario->cases->len; i++) {
        struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        case_reduce(test_case, campaign->schema);
        struct run_series of = {g_strdup(test_case->name),
                                piece_of(campaign, scenario, test_case, &is_new)};
        g_array_append_val(run->series, of);
    }
    g_ptr_array_add(campaign->runs, run);
    if (is_new) {
        drop_trees(scenario);
        g_ptr_array_add(campaign->scenarios, scenario);
    } else {
        scenario_free(scenario);
    }
    return (int)campaign->runs->len - 1;
}

void campaign_unused(const struct campaign *campaign, struct diag_list *diags)
{
    unused_report(campaign->unused, diags);
}

// ---- Running ----

static char *dump(json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT);
    if (!text)
        g_error("a result could not be written as JSON");
    char *copy = g_strdup(text);
    free(text);
    json_decref(json);
    return copy;
}

// In a worker: the result of a piece, without the name of the series.
static char *perform(void *owner, int item)
{
    struct campaign *campaign = owner;
    const struct piece *piece = piece_at(campaign, item);
    struct series_result *result =
        flow_or_packets(campaign->registry, piece->test_case, 0, piece->seed, NULL);
    json_t *json = series_json(result);
    series_result_free(result);
    json_object_del(json, "name");
    return dump(json);
}

// The substitute result of a case whose process ended without one. The same members as others
// have, so that readers need no exception.
static json_t *crash_result(const struct piece *piece, const char *crash)
{
    struct series_result *nothing = series_result_new("", piece->test_case->stack->name);
    json_t *json = series_json(nothing);
    series_result_free(nothing);
    json_object_del(json, "name");
    json_object_set_new(json, "status", json_string(STORE_CRASHED));
    json_object_set_new(json, "reason",
                        json_pack("{s:s, s:s}", "kind", STORE_CRASHED, "text", crash));
    return json;
}

static bool piece_finished(void *owner, int item, const char *text, const char *crash,
                           GError **error)
{
    struct campaign *campaign = owner;
    struct piece *piece = piece_at(campaign, item);
    json_t *result = text ? json_loads(text, 0, NULL) : crash_result(piece, crash);
    if (!result)
        result = crash_result(piece, "its result could not be read");
    struct store_case of = {
        .key = piece->key,
        .source = campaign_source_id,
        .stack = piece->test_case->stack->name,
        .definition = piece->definition,
        .seed = piece->seed,
    };
    bool kept = store_put(campaign->store, &of, result, error);
    json_decref(result);
    if (!kept)
        return false;
    piece->done = true;
    campaign->done++;
    if (campaign->options.progress)
        campaign->options.progress(campaign->options.progress_owner, campaign->done,
                                   campaign->total, piece->name);
    return true;
}

static bool idle(void *owner, GError **error)
{
    struct campaign *campaign = owner;
    gint64 began = store_began(campaign->store);
    return !began || g_get_monotonic_time() - began < COMMIT_INTERVAL ||
           store_commit(campaign->store, error);
}

static bool is_ours(const struct campaign *campaign, int number)
{
    return number % campaign->shards == campaign->shard;
}

static bool is_to_do(const struct campaign *campaign, int number)
{
    const struct piece *piece = piece_at(campaign, number);
    return is_ours(campaign, number) && !piece->done &&
           (campaign->options.run_again || !store_has(campaign->store, piece->key));
}

// Among more pieces, the last one is a small part of all, and estimates would take their time.
#define MOST_SORTED 1000

// Events, as far as they can be estimated.
static double piece_cost(void *owner, int item)
{
    return estimate_cost(piece_at(owner, item)->test_case);
}

bool campaign_run(struct campaign *campaign, GError **error)
{
    GArray *items = g_array_new(FALSE, FALSE, sizeof(int));
    for (int i = 0; i < (int)campaign->pieces->len; i++)
        if (is_to_do(campaign, i))
            g_array_append_val(items, i);
    campaign->done = 0;
    campaign->total = (int)items->len;
    if (campaign->options.jobs != 1 && mpi_workers_rank() == 0 && campaign->total <= MOST_SORTED)
        workers_longest_first((int *)(void *)items->data, campaign->total, piece_cost, campaign);
    struct work work = {
        .items = (const int *)(void *)items->data,
        .count = campaign->total,
        .time_limit_s = campaign->options.time_limit_s,
        .owner = campaign,
        .perform = perform,
        .finished = piece_finished,
        .idle = idle,
    };
    bool good = true;
    GError *late = NULL;
    if (mpi_workers_rank() > 0)
        mpi_workers_serve(&work);
    else if (mpi_workers_size() > 1)
        good = mpi_workers_run(&work, error);
    else
        good = workers_run(&work, campaign->options.jobs, error);
    // Points that were finished before a failure are kept all the same.
    if (!store_commit(campaign->store, &late)) {
        if (good)
            g_propagate_error(error, late);
        else
            g_error_free(late);
        good = false;
    }
    g_array_unref(items);
    campaign->ran = true;
    return good;
}

int campaign_pieces(const struct campaign *campaign)
{
    int pieces = 0;
    for (int i = 0; i < (int)campaign->pieces->len; i++)
        pieces += is_ours(campaign, i);
    return pieces;
}

int campaign_missing(const struct campaign *campaign)
{
    int missing = 0;
    for (int i = 0; i < (int)campaign->pieces->len; i++)
        missing += is_to_do(campaign, i);
    return missing;
}

// ---- Results ----

// A series as of series_json, with its name in front.
static json_t *named(const char *name, json_t *result)
{
    json_t *series = json_pack("{s:s}", "name", name);
    json_object_update(series, result);
    json_decref(result);
    return series;
}

int campaign_series_count(const struct campaign *campaign, int run)
{
    return (int)((const struct run *)g_ptr_array_index(campaign->runs, run))->series->len;
}

const char *campaign_series_name(const struct campaign *campaign, int run, int series)
{
    const struct run *of = g_ptr_array_index(campaign->runs, run);
    return g_array_index(of->series, struct run_series, series).name;
}

const char *campaign_series_key(const struct campaign *campaign, int run, int series)
{
    const struct run *of = g_ptr_array_index(campaign->runs, run);
    return piece_at(campaign, g_array_index(of->series, struct run_series, series).piece)->key;
}

uint64_t campaign_seed(const struct campaign *campaign, int run)
{
    return ((const struct run *)g_ptr_array_index(campaign->runs, run))->seed;
}

json_t *campaign_result(const struct campaign *campaign, int run)
{
    if (!campaign->ran || run < 0 || run >= (int)campaign->runs->len)
        return NULL;
    const struct run *of = g_ptr_array_index(campaign->runs, run);
    json_t *list = json_array();
    for (int i = 0; i < (int)of->series->len; i++) {
        json_t *result = store_result(campaign->store, campaign_series_key(campaign, run, i));
        if (!result) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, named(campaign_series_name(campaign, run, i), result));
    }
    json_t *document = result_of_series_json(of->scenario, of->seed, list);
    json_decref(list);
    return document;
}
