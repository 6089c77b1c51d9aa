// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/trial.h"

#include "sim/core/intern.h"
#include "sim/explain/algorithm.h"
#include "sim/run/schema.h"

#include <math.h>
#include <string.h>

#define PER_CENT 100.0
#define MOST_SHOWN 3 // parameters of one section that are named

// The explanation that trials are added to, and what they need to run its case again.
struct attempt {
    struct explanation *found;
    const struct explain_run *run;
    const struct explain_again *again;
    const struct scenario_schema *schema;
};

// ---- What is faster ----

enum faster { RATES = 1, TIMES = 2 };

#define CLASS(name) (UINT32_C(1) << STAGE_##name)

// A resource: a section of parameters, and the classes of stages that it works for.
static const struct resource {
    const char *what;
    const char *section; // NULL: those of the card
    int faster;          // of enum faster
    uint32_t classes;    // CLASS bits
} resources[] = {
    {"the processors", "host.processor", RATES,
     CLASS(LIBRARY) | CLASS(KERNEL) | CLASS(COPY) | CLASS(PIN) | CLASS(TRAP) | CLASS(INTERRUPT) |
         CLASS(WAKE_UP)},
    {"the kernel", "host.kernel", TIMES,
     CLASS(KERNEL) | CLASS(PIN) | CLASS(TRAP) | CLASS(INTERRUPT) | CLASS(WAKE_UP)},
    {"the memory", "host.memory", RATES, CLASS(COPY) | CLASS(KERNEL) | CLASS(BUS)},
    {"the bus", "host.bus", RATES, CLASS(BUS)},
    {"the card", NULL, RATES | TIMES, CLASS(NIC) | CLASS(BUS)},
};

#define LINK_CLASSES (CLASS(WIRE) | CLASS(BEHIND))
#define SWITCH_CLASSES CLASS(SWITCH)

// The share of the path that is of these classes.
static double share_of(const struct explanation *found, uint32_t classes)
{
    sim_time time = 0;
    for (int class = 0; class < STAGE_CLASSES; class ++)
        time += classes >> class & 1 ? found->work[class] : 0;
    return (double)time / MAX((double)found->total, 1.0);
}

static const void *field_of(const struct param_values *values, const struct param *param)
{
    return (const char *)values->values + param->offset;
}

// A rate's number and unit; NULL: it is no rate.
static const char *rate_unit(enum param_kind kind)
{
    return kind == PARAM_BIT_RATE    ? "b/s"
           : kind == PARAM_BYTE_RATE ? "B/s"
           : kind == PARAM_FREQUENCY ? "Hz"
                                     : NULL;
}

// The value, faster, as --set takes it; NULL: the parameter is neither a rate nor a time, or is
// off.
static char *faster_value(const struct param_values *values, const struct param *param, int faster,
                          double factor)
{
    const char *unit = rate_unit(param->kind);
    if (unit && (faster & RATES)) {
        int64_t rate = *(const int64_t *)field_of(values, param);
        return rate ? g_strdup_printf("%" G_GINT64_FORMAT " %s",
                                      (int64_t)llround((double)rate * factor), unit)
                    : NULL;
    }
    sim_time time = 0;
    if (param->kind == PARAM_DURATION)
        time = *(const sim_time *)field_of(values, param);
    else if (param->kind == PARAM_COST)
        time = ((const struct cost *)field_of(values, param))->time;
    if (time == 0 || !(faster & TIMES))
        return NULL;
    return g_strdup_printf("%" G_GINT64_FORMAT " ps", (int64_t)llround((double)time / factor));
}

static void add_set(GPtrArray *sets, const char *path, const char *name, char *value)
{
    if (value)
        g_ptr_array_add(sets, g_strdup_printf("%s.%s=%s", path, name, value));
    g_free(value);
}

static void add_section(GPtrArray *sets, const struct param_values *values, int faster,
                        double factor)
{
    for (const struct param *param = values->table->params; param->name; param++)
        add_set(sets, values->path, param->name, faster_value(values, param, faster, factor));
}

static void add_resource(GPtrArray *sets, const struct attempt *attempt,
                         const struct resource *resource)
{
    const struct scenario_case *test_case = attempt->run->test_case;
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        bool wanted = resource->section
                          ? strcmp(values->path, resource->section) == 0
                          : scenario_section_card(attempt->schema, values->path) != NULL;
        if (wanted && scenario_case_reads(test_case, attempt->schema, values->path))
            add_section(sets, values, resource->faster, 1 + TRIAL_PERCENT / PER_CENT);
    }
}

// ---- Links and switches: an item's own value, or the common one ----

static bool same_mark(struct source_mark a, struct source_mark b)
{
    return a.line == b.line && a.column == b.column && g_strcmp0(a.file, b.file) == 0;
}

static const struct topology_link *link_of_item(const struct topology *topology,
                                                const struct node *item)
{
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if (same_mark(link->mark, item->mark))
            return link;
    }
    return NULL;
}

// Whether the items of `links` stand in different places: what --set gives all stands in one.
static bool told_apart(const struct node *items)
{
    for (guint i = 0; items && items->kind == NODE_LIST && i < items->children->len; i++)
        for (guint k = 0; k < i; k++)
            if (same_mark(((struct node *)g_ptr_array_index(items->children, i))->mark,
                          ((struct node *)g_ptr_array_index(items->children, k))->mark))
                return false;
    return true;
}

// The next rate whose byte takes whole picoseconds, as STOP and GO ask for.
static int64_t whole_rate(int64_t rate)
{
    int64_t second = 8 * TIME_S;
    for (int64_t byte = (int64_t)((double)second / (double)rate / 1.01); byte > 1; byte--)
        if (second % byte == 0)
            return second / byte;
    return rate;
}

static char *faster_rate(const struct topology_link *link, bool whole, double *percent)
{
    const struct param *param =
        &link->values->table->params[param_index(link->values->table, "rate")];
    int64_t rate = *(const int64_t *)field_of(link->values, param);
    *percent = TRIAL_PERCENT;
    if (!whole)
        return faster_value(link->values, param, RATES, 1 + TRIAL_PERCENT / PER_CENT);
    *percent = PER_CENT * ((double)whole_rate(rate) / (double)rate - 1);
    return g_strdup_printf("%" G_GINT64_FORMAT " b/s", whole_rate(rate));
}

// Adds the setting of one item of `links`: its own rate, or the one that all take which have none.
static void add_link(GPtrArray *sets, const struct topology *topology, const struct node *items,
                     guint index, bool alone, bool whole, double *percent)
{
    const struct node *item = g_ptr_array_index(items->children, index);
    const struct topology_link *link = link_of_item(topology, item);
    if (!link)
        return;
    char *value = faster_rate(link, whole, percent);
    bool own = alone || node_get(item, "rate");
    char *set = own ? g_strdup_printf("links[%u].rate=%s", index, value)
                    : g_strdup_printf("link.rate=%s", value);
    g_free(value);
    if (g_ptr_array_find_with_equal_func(sets, set, g_str_equal, NULL))
        g_free(set);
    else
        g_ptr_array_add(sets, set);
}

static void add_links(GPtrArray *sets, const struct scenario_case *test_case, bool whole,
                      double *percent)
{
    const struct node *items = node_get(test_case->tree, "links");
    for (guint i = 0; items && items->kind == NODE_LIST && i < items->children->len; i++)
        add_link(sets, &test_case->topology, items, i, false, whole, percent);
}

static const char *node_name(const struct topology *topology, int index)
{
    int hosts = (int)topology->hosts->len;
    if (index < hosts)
        return g_array_index(topology->hosts, struct topology_node, index).name;
    return ((struct topology_switch *)g_ptr_array_index(topology->switches, index - hosts))->name;
}

// The link that the path is on for longest; NULL: it is on none.
static const struct resource_load *busiest_link(const struct explanation *found)
{
    const struct resource_load *most = NULL;
    for (guint i = 0; i < found->loads->len; i++) {
        const struct resource_load *load = &g_array_index(found->loads, struct resource_load, i);
        if (load->ends[0] && load->way > 0 && (!most || load->way > most->way))
            most = load;
    }
    return most;
}

static bool joins(const struct topology *topology, const struct topology_link *link,
                  const char *const *ends)
{
    const char *a = node_name(topology, link->a), *b = node_name(topology, link->b);
    return (strcmp(a, ends[0]) == 0 && strcmp(b, ends[1]) == 0) ||
           (strcmp(b, ends[0]) == 0 && strcmp(a, ends[1]) == 0);
}

// The item of `links` that a link is of; -1: it is not found, or all links are of one item.
static int item_of(const struct scenario_case *test_case, const struct resource_load *load)
{
    const struct node *items = node_get(test_case->tree, "links");
    const struct topology *topology = &test_case->topology;
    if (!items || items->kind != NODE_LIST || items->children->len < 2)
        return -1;
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if (!joins(topology, link, load->ends))
            continue;
        for (guint k = 0; k < items->children->len; k++)
            if (same_mark(link->mark, ((struct node *)g_ptr_array_index(items->children, k))->mark))
                return (int)k;
    }
    return -1;
}

// Where a switch's latency is set: "switches[1]" if its item has its own, else "switch". The caller
// frees it.
static char *switch_path(const struct node *items, const struct topology_switch *box)
{
    for (guint i = 0; i < items->children->len; i++) {
        const struct node *item = g_ptr_array_index(items->children, i);
        if (same_mark(box->mark, item->mark) && node_get(item, "latency"))
            return g_strdup_printf("switches[%u]", i);
    }
    return g_strdup("switch");
}

static void add_switches(GPtrArray *sets, const struct scenario_case *test_case)
{
    const struct node *items = node_get(test_case->tree, "switches");
    if (!items || items->kind != NODE_LIST || !told_apart(items))
        return;
    for (guint i = 0; i < test_case->topology.switches->len; i++) {
        const struct topology_switch *box = g_ptr_array_index(test_case->topology.switches, i);
        int index = param_index(box->values->table, "latency");
        char *value = faster_value(box->values, &box->values->table->params[index], TIMES,
                                   1 + TRIAL_PERCENT / PER_CENT);
        char *path = switch_path(items, box);
        char *set = g_strdup_printf("%s.latency=%s", path, value);
        if (value && !g_ptr_array_find_with_equal_func(sets, set, g_str_equal, NULL))
            g_ptr_array_add(sets, g_steal_pointer(&set));
        g_free(set);
        g_free(path);
        g_free(value);
    }
}

// ---- Runs ----

static struct explain_trial *trial_new(const char *what, double percent)
{
    struct explain_trial *trial = g_new0(struct explain_trial, 1);
    trial->what = what;
    trial->percent = percent;
    trial->sets = g_ptr_array_new_with_free_func(g_free);
    return trial;
}

static const struct scenario_case *case_of(const struct scenario *scenario, const char *name)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        if (strcmp(test_case->name, name) == 0)
            return test_case;
    }
    return NULL;
}

static void run_trial(const struct attempt *attempt, struct explain_trial *trial)
{
    struct scenario *scenario =
        attempt->again->load(attempt->again->owner, trial->sets, &trial->why);
    if (!scenario)
        return;
    struct explain_run run = *attempt->run;
    run.test_case = case_of(scenario, attempt->run->test_case->name);
    run.size = attempt->found->size;
    run.repetitions = attempt->found->shortened ? attempt->found->repetitions : 0;
    explain_measure(&run, &trial->total, &trial->messages, &trial->why);
    scenario_free(scenario);
}

// Takes the trial, if there is something to set.
static struct explain_trial *try_it(const struct attempt *attempt, struct explain_trial *trial)
{
    if (trial->sets->len == 0) {
        explain_trial_free(trial);
        return NULL;
    }
    run_trial(attempt, trial);
    g_ptr_array_add(attempt->found->trials, trial);
    return trial;
}

// The link's rate may have to be one whose byte takes whole picoseconds.
static void try_links(const struct attempt *attempt)
{
    const struct scenario_case *test_case = attempt->run->test_case;
    if (share_of(attempt->found, LINK_CLASSES) < TRIAL_LEAST)
        return;
    if (!told_apart(node_get(test_case->tree, "links"))) {
        struct explain_trial *trial = trial_new("the links", TRIAL_PERCENT);
        g_ptr_array_add(trial->sets, g_strdup("links[].rate"));
        trial->why = g_strdup("links that --set gives can't be told apart; give them in the file");
        g_ptr_array_add(attempt->found->trials, trial);
        return;
    }
    bool whole = false;
    for (int again = 0; again < 2; again++, whole = true) {
        struct explain_trial *trial = trial_new("the links", TRIAL_PERCENT);
        add_links(trial->sets, test_case, whole, &trial->percent);
        trial = try_it(attempt, trial);
        if (!trial || !trial->why)
            break;
        if (again == 0)
            g_ptr_array_remove(attempt->found->trials, trial);
    }
    const struct resource_load *load = busiest_link(attempt->found);
    int item = load ? item_of(test_case, load) : -1;
    if (item < 0)
        return;
    char *what = g_strdup_printf("links[%d] with %s->%s", item, load->ends[0], load->ends[1]);
    struct explain_trial *trial = trial_new(intern_text(what), TRIAL_PERCENT);
    g_free(what);
    add_link(trial->sets, &test_case->topology, node_get(test_case->tree, "links"), (guint)item,
             true, whole, &trial->percent);
    try_it(attempt, trial);
}

static void try_resources(const struct attempt *attempt)
{
    try_links(attempt);
    if (share_of(attempt->found, SWITCH_CLASSES) >= TRIAL_LEAST) {
        struct explain_trial *trial = trial_new("the switches", TRIAL_PERCENT);
        add_switches(trial->sets, attempt->run->test_case);
        try_it(attempt, trial);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(resources); i++) {
        if (share_of(attempt->found, resources[i].classes) < TRIAL_LEAST)
            continue;
        struct explain_trial *trial = trial_new(resources[i].what, TRIAL_PERCENT);
        add_resource(trial->sets, attempt, &resources[i]);
        try_it(attempt, trial);
    }
}

// Each of the buses that hosts have besides their own.
static void try_buses(const struct attempt *attempt)
{
    const GPtrArray *buses = attempt->run->test_case->topology.buses;
    for (guint i = 0; i < buses->len && share_of(attempt->found, CLASS(BUS)) >= TRIAL_LEAST; i++) {
        const struct topology_bus *bus = g_ptr_array_index(buses, i);
        char *what = g_strdup_printf("the bus %s", bus->name);
        struct explain_trial *trial = trial_new(intern_text(what), TRIAL_PERCENT);
        g_free(what);
        add_section(trial->sets, bus->values, RATES, 1 + TRIAL_PERCENT / PER_CENT);
        try_it(attempt, trial);
    }
}

static void try_algorithms(const struct attempt *attempt)
{
    GArray *choices = algorithm_choices(attempt->run->registry, attempt->run->test_case);
    for (guint i = 0; i < choices->len; i++) {
        const struct algorithm_choice *choice = &g_array_index(choices, struct algorithm_choice, i);
        char *path = algorithm_path(choice);
        for (const char *const *value = choice->param->choices; !choice->part && *value; value++) {
            if (strcmp(*value, algorithm_value(choice)) == 0)
                continue;
            struct explain_trial *trial = trial_new(NULL, 0.0);
            g_ptr_array_add(trial->sets, g_strdup_printf("%s=%s", path, *value));
            try_it(attempt, trial);
        }
        g_free(path);
    }
    g_array_unref(choices);
}

// ---- What came of it ----

double trial_gain(const struct explanation *found, const struct explain_trial *trial)
{
    if (trial->why || found->total == 0)
        return 0.0;
    double before = (double)found->total / (double)found->messages;
    double after = (double)trial->total / (double)trial->messages;
    return (before - after) / before;
}

double trial_share(const struct explanation *found, const struct explain_trial *trial)
{
    if (trial->percent == 0)
        return 0.0;
    return trial_gain(found, trial) / (1 - 1 / (1 + trial->percent / PER_CENT));
}

char *trial_settings(const struct explain_trial *trial)
{
    if (!trial->what)
        return g_strdup(g_ptr_array_index(trial->sets, 0));
    GString *text = g_string_new(NULL);
    const char *before = NULL;
    size_t same = 0;
    for (guint i = 0; i < trial->sets->len; i++) {
        const char *set = g_ptr_array_index(trial->sets, i);
        size_t name = strcspn(set, "=");
        const char *dot = g_strrstr_len(set, (gssize)name, ".");
        size_t section = (size_t)(dot - set);
        bool known = before && strncmp(before, set, section + 1) == 0;
        same = known ? same + 1 : 0;
        if (same < MOST_SHOWN) {
            g_string_append(text, before ? ", " : "");
            g_string_append_len(text, known ? dot + 1 : set,
                                (gssize)(known ? name - section - 1 : name));
        } else if (same == MOST_SHOWN) {
            g_string_append(text, " ...");
        }
        before = set;
    }
    return g_string_free(text, FALSE);
}

// Most helpful first; then in the order in which they were tried.
static int compare_trials(const void *a, const void *b, void *owner)
{
    const struct explanation *found = owner;
    double left = trial_gain(found, *(struct explain_trial *const *)a);
    double right = trial_gain(found, *(struct explain_trial *const *)b);
    return (left < right) - (left > right);
}

// Where one trial's outcome is chance, that of another may be, however plausible it looks.
static bool any_chance(const struct explanation *found)
{
    for (guint i = 0; i < found->trials->len; i++)
        if (fabs(trial_share(found, g_ptr_array_index(found->trials, i))) > TRIAL_CHANCE)
            return true;
    return false;
}

static char *bound_text(const struct explanation *found)
{
    if (any_chance(found))
        return g_strdup(
            "what bounds it can't be told: with what was tried the order of things "
            "changes (who meets whom, what is lost, when it is polled), which weighs more");
    GString *text = g_string_new(NULL);
    const struct explain_trial *best = NULL;
    for (guint i = 0; i < found->trials->len; i++) {
        const struct explain_trial *trial = g_ptr_array_index(found->trials, i);
        double share = trial_share(found, trial);
        if (!best && share > 0)
            best = trial;
        if (share < TRIAL_BOUND)
            continue;
        g_string_append_printf(text, "%s%s: %.3g %% faster, %.2f %% less time",
                               text->len ? "; and " : "bound by ", trial->what, trial->percent,
                               PER_CENT * trial_gain(found, trial));
    }
    if (text->len == 0 && best)
        g_string_printf(text,
                        "no resource that was tried bounds it; most helps %s: %.3g %% faster, "
                        "%.2f %% less time",
                        best->what, best->percent, PER_CENT * trial_gain(found, best));
    else if (text->len == 0)
        g_string_assign(text, "no resource that was tried bounds it: none makes it take less time");
    return g_string_free(text, FALSE);
}

void explain_try(struct explanation *found, const struct explain_run *run,
                 const struct explain_again *again)
{
    if (!found->done || found->total == 0)
        return;
    struct scenario_schema *schema = registry_schema(run->registry);
    struct attempt attempt = {found, run, again, schema};
    try_resources(&attempt);
    try_buses(&attempt);
    try_algorithms(&attempt);
    registry_schema_free(schema);
    g_ptr_array_sort_with_data(found->trials, compare_trials, found);
    if (found->trials->len > 0)
        found->bound = bound_text(found);
}
