// SPDX-License-Identifier: GPL-3.0-or-later
// The stages that the shipped scenarios spend time in: one name has one class in all models, so
// that a table of names is unambiguous, and the class is one that such a resource can have.
#include "sim/benchmark/stream.h"
#include "sim/core/trace.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"

#include "tests/support/suite.h"

#include <glib.h>
#include <string.h>

#define BIG (INT64_C(64) << 10)

// Of a benchmark over time: by then each has lost its first path, if it does, and timers have
// expired.
#define LONGEST (20 * TIME_S)

// Whose time a stage is.
enum place { HOST_PROCESSOR, CARD_PROCESSOR, LINK, ENGINE, LATENCY, PLACES };

#define BIT(name) (UINT32_C(1) << STAGE_##name)

// The classes that it can have there.
static const uint32_t allowed[PLACES] = {
    [HOST_PROCESSOR] = BIT(LIBRARY) | BIT(KERNEL) | BIT(COPY) | BIT(PIN) | BIT(TRAP) |
                       BIT(INTERRUPT) | BIT(WAKE_UP) | BIT(BUS) | BIT(COMPUTE),
    [CARD_PROCESSOR] = BIT(NIC),
    [LINK] = BIT(WIRE),
    [ENGINE] = BIT(BUS) | BIT(NIC) | BIT(BEHIND) | BIT(FOR_BUFFER), // a port that PAUSE holds
    // Of a bus: the latency of PCI Express.
    [LATENCY] = BIT(INTERRUPT) | BIT(WAKE_UP) | BIT(BUS) | BIT(NIC) | BIT(PROPAGATION) |
                BIT(SWITCH) | BIT(FOR_ACK) | BIT(FOR_WINDOW) | BIT(FOR_BUFFER),
};

struct lane {
    char *name;
    enum trace_lane_kind kind;
    bool processor; // it has had a slice
};

// A sink: keeps which stages were at which places, and no time of them.
struct seen {
    struct trace trace;
    GArray *lanes;          // struct lane, of one run; trace lane n is at n - 1
    GHashTable *places;     // const struct stage * -> a bit for each place that it was at
    GHashTable *stages;     // name -> const struct stage *, the first of that name
    GHashTable *complaints; // a set of texts
};

static trace_lane add_lane(struct trace *trace, const struct trace_lane_info *info)
{
    struct seen *seen = (struct seen *)trace;
    struct lane lane = {.name = g_strdup(info->name), .kind = info->kind};
    g_array_append_val(seen->lanes, lane);
    return seen->lanes->len;
}

static void lane_clear(void *data)
{
    g_free(((struct lane *)data)->name);
}

static enum place place_of(const struct lane *lane)
{
    if (lane->processor)
        return g_str_has_prefix(lane->name, "cpu ") ? HOST_PROCESSOR : CARD_PROCESSOR;
    return lane->kind == TRACE_LINK ? LINK : ENGINE;
}

// Each complaint once, however many spans have it.
static void complain(struct seen *seen, const char *text)
{
    g_hash_table_add(seen->complaints, g_strdup(text));
}

static void take_stage(struct seen *seen, const struct lane *lane, const struct stage *stage,
                       enum place place)
{
    unsigned int known = GPOINTER_TO_UINT(g_hash_table_lookup(seen->places, stage));
    if (known >> place & 1)
        return;
    g_hash_table_insert(seen->places, (gpointer)stage, GUINT_TO_POINTER(known | 1U << place));
    if (!(allowed[place] >> stage->class & 1)) {
        char *text = g_strdup_printf("%s of class %s on %s", stage->name,
                                     stage_class_name(stage->class), lane->name);
        complain(seen, text);
        g_free(text);
    }
    const struct stage *first = g_hash_table_lookup(seen->stages, stage->name);
    if (!first)
        g_hash_table_insert(seen->stages, (gpointer)stage->name, (gpointer)stage);
    else if (first->class != stage->class)
        complain(seen, stage->name);
}

static void take_span(struct trace *trace, trace_lane number, const struct stage *stage,
                      sim_time from, sim_time to, struct message_ref message)
{
    struct seen *seen = (struct seen *)trace;
    (void)message;
    if (number == 0 || from >= to || !stage)
        return;
    const struct lane *lane = &g_array_index(seen->lanes, struct lane, number - 1);
    take_stage(seen, lane, stage, place_of(lane));
}

static void take_note(struct trace *trace, trace_lane number, const struct trace_note *note)
{
    struct seen *seen = (struct seen *)trace;
    if (number == 0)
        return;
    struct lane *lane = &g_array_index(seen->lanes, struct lane, number - 1);
    if (note->kind == TRACE_SLICE)
        lane->processor = true;
    else if (note->kind == TRACE_DELAY && note->from < note->to && note->stage)
        take_stage(seen, lane, note->stage, LATENCY);
}

static const struct trace_ops seen_ops = {.lane = add_lane, .span = take_span, .note = take_note};

static void take_case(struct seen *seen, const struct scenario_case *test_case, int64_t size)
{
    struct scenario_case one = *test_case;
    struct stream_config config;
    struct param_values parameters;
    if (one.workload.benchmark && one.workload.benchmark->over_time) {
        parameters = *one.workload.parameters;
        config = *(const struct stream_config *)parameters.values;
        config.duration = MIN(config.duration, LONGEST);
        parameters.values = &config;
        one.workload.parameters = &parameters;
    } else if (one.workload.benchmark) {
        one.workload.sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
        g_array_append_val(one.workload.sizes, size);
        one.workload.repetitions = 2;
    }
    g_array_set_size(seen->lanes, 0);
    series_result_free(
        run_case(&model_registry, &one, 0, 1, &(struct run_options){.trace = &seen->trace}));
    if (one.workload.benchmark && !one.workload.benchmark->over_time)
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

static struct seen stages_of_all(void)
{
    struct seen seen = {
        .trace = {&seen_ops},
        .lanes = g_array_new(FALSE, FALSE, sizeof(struct lane)),
        .places = g_hash_table_new(NULL, NULL),
        .stages = g_hash_table_new(g_str_hash, g_str_equal),
        .complaints = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    g_array_set_clear_func(seen.lanes, lane_clear);
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
    return seen;
}

static void test_stages(void)
{
    struct seen seen = stages_of_all();
    GHashTableIter all;
    gpointer text;
    CU_ASSERT(g_hash_table_size(seen.stages) > 50);
    g_hash_table_iter_init(&all, seen.complaints);
    while (g_hash_table_iter_next(&all, &text, NULL))
        SUITE_SAME_TEXT(text, "one class for each name, that such a resource can have");
    g_array_unref(seen.lanes);
    g_hash_table_unref(seen.places);
    g_hash_table_unref(seen.stages);
    g_hash_table_unref(seen.complaints);
}

static const struct suite_case cases[] = {
    {"stages of the shipped scenarios have one class, which their resource can have", test_stages},
    {0},
};

int main(void)
{
    return suite_run("explain: stages of shipped scenarios", cases);
}
