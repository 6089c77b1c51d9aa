// SPDX-License-Identifier: GPL-3.0-or-later
// The stages that the shipped scenarios spend time in are what their class says: a model cannot
// name its work as a resource is named, nor by a word that nobody has declared.
#include "sim/explain/record.h"
#include "sim/explain/stage.h"
#include "sim/workload/run.h"

#include "tests/support/suite.h"

#include <glib.h>
#include <string.h>

#define BIG (INT64_C(64) << 10)

// Stages that are the libraries' own work. A new one is to be added here, or to the registry with
// the class that it has.
static const char *const of_libraries[] = {
    "MPI",      "RPI",         "MVICH",      "LAM TCP",       "p4",
    "MPICH",    "provider",    "GM",         "ARMCI",         "NetPIPE",
    "pack",     "data server", "accumulate", "MPI_Iprobe",    "GRIM",
    "handlers", "handler",     "overflow",   "endpoint poll", NULL};

// What kind of thing a stage was told as, one bit each.
enum { OF_PROCESSOR = 1, OF_LATENCY = 2, OF_RESOURCE = 4 };

struct seen {
    GHashTable *kinds; // stage, interned -> bits
};

static bool is_processor(const struct lane_record *lane)
{
    return lane->slices->len > 0;
}

// Classes of what only resources do, and of waits that no work is.
static bool is_of_resources(const char *stage)
{
    static const char *const resources[] = {"wire", "switch", "bus", "NIC", NULL};
    return g_strv_contains(resources, stage) || g_str_has_prefix(stage, STAGE_WAITING);
}

static void take_piece(struct seen *seen, const struct lane_record *lane, const struct piece *piece)
{
    if (!piece->name)
        return;
    const char *name = g_intern_string(piece->name);
    bool work = piece->kind == PIECE_WORK;
    int kind = !work ? OF_LATENCY : is_processor(lane) ? OF_PROCESSOR : OF_RESOURCE;
    if (kind == OF_LATENCY && strcmp(name, "switch") == 0)
        CU_ASSERT_PTR_NOT_NULL(lane->ends[0]); // a link, before or behind a switch
    int before = GPOINTER_TO_INT(g_hash_table_lookup(seen->kinds, name));
    g_hash_table_insert(seen->kinds, (gpointer)name, GINT_TO_POINTER(before | kind));
}

static void take_case(struct seen *seen, const struct scenario_case *test_case, int64_t size)
{
    struct scenario_case one = *test_case;
    if (one.workload.benchmark) {
        one.workload.sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
        g_array_append_val(one.workload.sizes, size);
        one.workload.repetitions = 2;
    }
    struct record *record = record_new();
    series_result_free(
        run_case(&model_registry, &one, 0, 1, &(struct run_options){.trace = &record->trace}));
    for (guint i = 0; i < record->lanes->len; i++) {
        const struct lane_record *lane = record_lane(record, i);
        for (guint k = 0; k < lane->pieces->len; k++)
            take_piece(seen, lane, &g_array_index(lane->pieces, struct piece, k));
    }
    record_free(record);
    if (one.workload.benchmark)
        g_array_unref(one.workload.sizes);
}

// The smallest size, and the largest that is no long run.
static void take_sizes(struct seen *seen, const struct scenario_case *test_case)
{
    const GArray *sizes = test_case->workload.sizes;
    int64_t least = -1, most = -1;
    for (guint i = 0; test_case->workload.benchmark && i < sizes->len; i++) {
        int64_t size = g_array_index(sizes, int64_t, i);
        least = least < 0 || size < least ? size : least;
        most = size <= BIG ? MAX(most, size) : most;
    }
    take_case(seen, test_case, least);
    if (most > least)
        take_case(seen, test_case, most);
}

static void take_file(struct seen *seen, const char *file, const struct scenario_schema *schema)
{
    struct scenario_options options = {.data_dir = getenv("NETSIM_SOURCE_DIR")};
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = scenario_load(file, schema, &options, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scenario);
    for (guint i = 0; i < scenario->cases->len; i++)
        take_sizes(seen, g_ptr_array_index(scenario->cases, i));
    scenario_free(scenario);
    diag_list_free(diags);
}

static GHashTable *stages_of_all(void)
{
    struct seen seen = {g_hash_table_new(g_direct_hash, g_direct_equal)};
    struct scenario_schema *schema = registry_schema(&model_registry);
    char *folder = g_build_filename(getenv("NETSIM_SOURCE_DIR"), "scenarios", NULL);
    GDir *directory = g_dir_open(folder, 0, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(directory);
    for (const char *name; (name = g_dir_read_name(directory));) {
        char *file = g_build_filename(folder, name, NULL);
        if (g_str_has_suffix(name, ".yaml"))
            take_file(&seen, file, schema);
        g_free(file);
    }
    g_dir_close(directory);
    g_free(folder);
    registry_schema_free(schema);
    return seen.kinds;
}

// By the models or by the simulator; what is not is a library's own work by default, which a word
// that was meant as another may have fallen into.
static bool declared(const char *stage)
{
    return strcmp(stage_class(NULL, stage), STAGE_LIBRARY) != 0 ||
           g_strv_contains(of_libraries, stage) || registry_stage_class(&model_registry, stage);
}

static void test_stages(void)
{
    GHashTable *kinds = stages_of_all();
    GHashTableIter all;
    gpointer name, bits;
    g_hash_table_iter_init(&all, kinds);
    while (g_hash_table_iter_next(&all, &name, &bits)) {
        int kind = GPOINTER_TO_INT(bits);
        if (kind & OF_PROCESSOR && is_of_resources(name))
            SUITE_SAME_TEXT(name, "a name that no resource has");
        if (kind == (OF_PROCESSOR | OF_LATENCY))
            SUITE_SAME_TEXT(name, "either work or a latency, not both");
        if (!(kind & OF_RESOURCE) && !declared(name))
            SUITE_SAME_TEXT(name, "a stage with a class");
    }
    for (int i = 0; of_libraries[i]; i++)
        if (!g_hash_table_contains(kinds, g_intern_string(of_libraries[i])))
            SUITE_SAME_TEXT(of_libraries[i], "a stage that some scenario has");
    g_hash_table_unref(kinds);
}

static const struct suite_case cases[] = {
    {"stages of the shipped scenarios have a class, and that of their kind", test_stages},
    {0},
};

int main(void)
{
    return suite_run("explain: stages of shipped scenarios", cases);
}
