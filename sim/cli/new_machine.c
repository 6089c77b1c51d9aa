// SPDX-License-Identifier: GPL-3.0-or-later
// The machine of a new scenario. The testbed is the one on which most shipped scenarios run the
// stack, of those that have what is asked for; the shape follows from the number of switches, their
// ports, and whether they cut through.
#include "sim/cli/new.h"

#include "sim/cli/cli.h"
#include "sim/config/reader.h"
#include "sim/scenario/topology_read.h"

#include <string.h>

#define USUAL_HOSTS 4
#define MOST_SHOWN_HOSTS 64 // of a testbed, to be taken as the usual number

const char *const new_shape_names[] = {"auto", "star", "chain", "ring", "tree", "clos", NULL};

char *new_names_text(const char *const *names)
{
    return g_strjoinv(", ", (char **)names);
}

// ---- Testbeds ----

static void new_testbed_free(struct new_testbed *testbed)
{
    if (!testbed)
        return;
    g_free(testbed->name);
    g_free(testbed->description);
    topology_clear(&testbed->topology);
    node_free(testbed->tree);
    g_free(testbed);
}

static char *testbed_path(const char *name)
{
    char *file = g_strconcat(name, ".yaml", NULL);
    char *path = g_build_filename(cli_data_dir(), "scenarios", "testbeds", file, NULL);
    g_free(file);
    return path;
}

// Reads a shipped testbed. Returns NULL if it has mistakes.
static struct new_testbed *new_testbed_load(const char *name, const struct scenario_schema *schema)
{
    struct diag_list *diags = diag_list_new();
    struct new_testbed *testbed = g_new0(struct new_testbed, 1);
    char *path = testbed_path(name);
    testbed->name = g_strdup(name);
    testbed->description = cli_description(path);
    testbed->tree = node_load(path, diags);
    if (testbed->tree)
        topology_read(&testbed->topology, testbed->tree, schema, diags);
    bool good = !diag_any(diags) && testbed->topology.links && testbed->topology.links->len > 0;
    diag_list_free(diags);
    g_free(path);
    if (good)
        return testbed;
    new_testbed_free(testbed);
    return NULL;
}

// "cluster1" of "testbeds/cluster1.yaml"; the caller frees it.
static char *testbed_stem(const char *file)
{
    char *name = g_path_get_basename(file);
    if (g_str_has_suffix(name, ".yaml"))
        name[strlen(name) - strlen(".yaml")] = '\0';
    return name;
}

static const char *scalar_at(const struct node *map, const char *key)
{
    const struct node *node = map && map->kind == NODE_MAP ? node_get(map, key) : NULL;
    return node && node->kind == NODE_SCALAR ? node->text : NULL;
}

static void count_use(GHashTable *uses, const char *testbed, const char *stack,
                      const struct stack_schema *wanted)
{
    if (!testbed || g_strcmp0(stack, wanted->name) != 0)
        return;
    char *name = testbed_stem(testbed);
    gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(uses, name));
    g_hash_table_replace(uses, name, GSIZE_TO_POINTER(count + 1));
}

// Counts the series of a shipped scenario that run the stack, by the testbed.
static void count_uses(GHashTable *uses, const struct node *tree, const struct stack_schema *stack)
{
    const struct node *series = node_get(tree, "series");
    const char *testbed = scalar_at(tree, "testbed");
    count_use(uses, testbed, scalar_at(tree, "stack"), stack);
    for (guint i = 0; series && series->kind == NODE_LIST && i < series->children->len; i++) {
        const struct node *one = g_ptr_array_index(series->children, i);
        const char *own = scalar_at(one->kind == NODE_MAP ? node_get(one, "set") : NULL, "testbed");
        count_use(uses, own ? own : testbed, scalar_at(one, "stack"), stack);
    }
}

// The number of shipped series of each testbed that run the stack.
static GHashTable *uses_of(const struct stack_schema *stack)
{
    GHashTable *uses = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    char **names = cli_data_names("scenarios");
    for (char **name = names; *name; name++) {
        struct diag_list *diags = diag_list_new();
        char *file = g_strconcat(*name, ".yaml", NULL);
        char *path = g_build_filename(cli_data_dir(), "scenarios", file, NULL);
        struct node *tree = node_load(path, diags);
        if (tree && tree->kind == NODE_MAP)
            count_uses(uses, tree, stack);
        node_free(tree);
        g_free(path);
        g_free(file);
        diag_list_free(diags);
    }
    g_strfreev(names);
    return uses;
}

static gint compare_uses(gconstpointer a, gconstpointer b, gpointer uses)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    gsize of_left = GPOINTER_TO_SIZE(g_hash_table_lookup(uses, left));
    gsize of_right = GPOINTER_TO_SIZE(g_hash_table_lookup(uses, right));
    return of_left != of_right ? (of_left < of_right ? 1 : -1) : strcmp(left, right);
}

// The names of all testbeds, those first that run the stack most often. Free with g_strfreev.
static char **testbeds_by_use(const struct stack_schema *stack)
{
    GHashTable *uses = uses_of(stack);
    char **names = cli_data_names("scenarios/testbeds");
    g_qsort_with_data(names, (gint)g_strv_length(names), sizeof *names, compare_uses, uses);
    g_hash_table_unref(uses);
    return names;
}

// ---- Networks of a testbed ----

// The NIC model at the first host's end of one of its links; NULL: the testbed names none.
static const char *nic_at(const struct new_testbed *testbed, const struct topology_link *link)
{
    int end = link->a == 0 ? 0 : 1;
    const struct topology_card *card = topology_link_card(&testbed->topology, link, end);
    return card ? card->nic : scalar_at(testbed->tree, "nic");
}

static bool drives(const struct stack_schema *stack, const char *nic)
{
    return !stack->nics || (nic && g_strv_contains(stack->nics, nic));
}

// The switch at the far end of a link of the first host; NULL: it has none.
static const struct topology_switch *switch_beyond(const struct topology *topology,
                                                   const struct topology_link *link)
{
    int far = link->a == 0 ? link->b : link->a;
    return topology_is_host(topology, far)
               ? NULL
               : g_ptr_array_index(topology->switches, (guint)far - topology->hosts->len);
}

static void free_rail(void *data)
{
    g_free(((struct new_rail *)data)->prefix);
}

// The networks of a testbed whose cards the stack drives: all of them, or the first.
static GArray *rails_of(const struct new_testbed *testbed, const struct stack_schema *stack,
                        const char *nic)
{
    const struct topology *topology = &testbed->topology;
    GArray *rails = g_array_new(FALSE, TRUE, sizeof(struct new_rail));
    g_array_set_clear_func(rails, free_rail);
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if ((link->a != 0 && link->b != 0) || link->a == link->b ||
            !drives(stack, nic ? nic : nic_at(testbed, link)) ||
            (rails->len > 0 && stack->cards != STACK_CARDS_ALL))
            continue;
        const struct topology_card *card = topology_link_card(topology, link, link->a == 0 ? 0 : 1);
        const struct topology_switch *box = switch_beyond(topology, link);
        struct new_rail rail = {card && !nic ? card->name : NULL, link->values,
                                box ? box->values : NULL, NULL, 0};
        g_array_append_val(rails, rail);
    }
    for (guint i = 0; i < rails->len; i++)
        g_array_index(rails, struct new_rail, i).prefix =
            rails->len > 1 ? g_strdup_printf("net%u", i) : g_strdup("");
    return rails;
}

// Whether the testbed has a network for the stack, and switches if they are asked for.
static bool serves(const struct new_testbed *testbed, const struct new_request *request,
                   bool with_switches)
{
    GArray *rails = rails_of(testbed, request->stack, request->nic);
    bool good = rails->len > 0;
    for (guint i = 0; with_switches && i < rails->len; i++)
        good &= g_array_index(rails, struct new_rail, i).box != NULL;
    g_array_unref(rails);
    return good;
}

static bool wants_switches(const struct new_request *request)
{
    return request->hosts > 2 || request->switches > 0 || request->shape != NEW_SHAPE_AUTO;
}

static void report_no_testbed(const struct new_request *request, char **names,
                              const struct scenario_schema *schema)
{
    GString *hint = g_string_new(NULL);
    for (char **name = names; *name; name++) {
        struct new_testbed *testbed = new_testbed_load(*name, schema);
        if (testbed && serves(testbed, request, wants_switches(request)))
            g_string_append_printf(hint, "%s%s", hint->len > 0 ? ", " : "these do: ", *name);
        new_testbed_free(testbed);
    }
    char *nics = request->stack->nics ? new_names_text(request->stack->nics) : g_strdup("any card");
    cli_error(hint->len > 0 ? hint->str : NULL,
              "--testbed %s has no %s that the stack %s drives (%s)", request->testbed,
              wants_switches(request) ? "switch with a card" : "card", request->stack->name, nics);
    g_free(nics);
    g_string_free(hint, TRUE);
}

// The testbed that was asked for. Returns NULL after a printed error.
static struct new_testbed *named_testbed(const struct new_request *request, char **names,
                                         const struct scenario_schema *schema)
{
    if (!g_strv_contains((const char *const *)names, request->testbed)) {
        char *hint = cli_did_you_mean(request->testbed, (const char *const *)names);
        char *all = new_names_text((const char *const *)names);
        cli_error(hint ? hint : all, "--testbed: there is no testbed `%s'", request->testbed);
        g_free(all);
        g_free(hint);
        return NULL;
    }
    struct new_testbed *testbed = new_testbed_load(request->testbed, schema);
    if (testbed && serves(testbed, request, wants_switches(request)))
        return testbed;
    new_testbed_free(testbed);
    report_no_testbed(request, names, schema);
    return NULL;
}

static struct new_testbed *usual_testbed(const struct new_request *request, char **names,
                                         const struct scenario_schema *schema)
{
    for (char **name = names; *name; name++) {
        struct new_testbed *testbed = new_testbed_load(*name, schema);
        if (testbed && serves(testbed, request, wants_switches(request)))
            return testbed;
        new_testbed_free(testbed);
    }
    cli_error("`netsim list testbeds` shows them", "no shipped testbed serves the stack %s%s%s",
              request->stack->name, request->nic ? " with the card " : "",
              request->nic ? request->nic : "");
    return NULL;
}

// ---- Shape ----

static int64_t switch_ports(const struct new_rail *rail)
{
    int index = rail->box ? param_index(rail->box->table, "ports") : -1;
    return index < 0 ? 0
                     : *(const int64_t *)((const char *)rail->box->values +
                                          rail->box->table->params[index].offset);
}

// The ports of the smallest switch; 0: there is no bound.
static int64_t fewest_ports(const struct new_machine *machine)
{
    int64_t least = 0;
    for (guint i = 0; i < machine->rails->len; i++) {
        int64_t ports = switch_ports(&g_array_index(machine->rails, struct new_rail, i));
        if (ports > 0 && (least == 0 || ports < least))
            least = ports;
    }
    return least;
}

static bool cuts_through(const struct new_machine *machine)
{
    const struct new_rail *rail = &g_array_index(machine->rails, struct new_rail, 0);
    int index = rail->box ? param_index(rail->box->table, "discipline") : -1;
    if (index < 0)
        return false;
    char *text = param_value_text(rail->box, &rail->box->table->params[index]);
    bool cuts = strcmp(text, "cut_through") == 0;
    g_free(text);
    return cuts;
}

int new_machine_spines(const struct new_machine *machine)
{
    if (machine->shape == NEW_SHAPE_TREE)
        return 1;
    return machine->shape == NEW_SHAPE_CLOS ? MAX(machine->switches / 3, 1) : 0;
}

int new_machine_leaves(const struct new_machine *machine)
{
    return machine->switches - new_machine_spines(machine);
}

static int divided(int64_t of, int64_t by)
{
    return (int)((of + by - 1) / by);
}

// So many switches that hosts fit their ports, if such a number is known.
static int enough_switches(const struct new_machine *machine, int64_t ports)
{
    bool direct = !g_array_index(machine->rails, struct new_rail, 0).box && machine->hosts == 2;
    if (direct)
        return 0;
    if (ports == 0 || machine->hosts <= ports || ports < 4)
        return 1;
    if (!cuts_through(machine))
        return 1 + divided(machine->hosts, ports - 1);
    // Two thirds of the switches are leaves, with at least half as many links up as hosts.
    for (int switches = 3; switches <= ports + ports / 2; switches++) {
        int spines = switches / 3, leaves = switches - spines;
        int hosts = divided(machine->hosts, leaves);
        if (hosts + spines <= ports && leaves <= ports && hosts <= 2 * spines)
            return switches;
    }
    return 1;
}

// The most links that a switch gets.
static int most_links(const struct new_machine *machine)
{
    int leaves = new_machine_leaves(machine), spines = new_machine_spines(machine);
    int hosts = leaves > 0 ? divided(machine->hosts, leaves) : 0;
    switch (machine->shape) {
    case NEW_SHAPE_TREE:
    case NEW_SHAPE_CLOS:
        return MAX(hosts + spines, leaves);
    case NEW_SHAPE_CHAIN:
    case NEW_SHAPE_RING:
        return hosts + MIN(machine->switches - 1, 2);
    case NEW_SHAPE_AUTO:
    case NEW_SHAPE_STAR:
    case NEW_SHAPE_DIRECT:
        break;
    }
    return hosts;
}

// Gives switches more ports than the testbed's have where that is needed, with a warning.
static void widen_ports(struct new_machine *machine)
{
    int need = most_links(machine);
    bool told = false;
    for (guint i = 0; machine->switches > 0 && i < machine->rails->len; i++) {
        struct new_rail *rail = &g_array_index(machine->rails, struct new_rail, i);
        int64_t ports = switch_ports(rail);
        if (ports == 0 || need <= ports)
            continue;
        rail->ports = need;
        if (told)
            continue;
        int enough = enough_switches(machine, ports);
        char *hint = enough > 1 ? g_strdup_printf("--switches %d fits them", enough) : NULL;
        cli_error(hint,
                  "warning: %d hosts on %d switch%s take %d ports of one, and those of %s have "
                  "%d: written with `ports: %d`",
                  machine->hosts, machine->switches, machine->switches == 1 ? "" : "es", need,
                  machine->testbed->name, (int)ports, need);
        g_free(hint);
        told = true;
    }
}

static enum new_shape usual_shape(const struct new_machine *machine)
{
    if (machine->switches <= 1)
        return machine->switches == 0 ? NEW_SHAPE_DIRECT : NEW_SHAPE_STAR;
    if (machine->switches == 2)
        return NEW_SHAPE_CHAIN;
    return cuts_through(machine) ? NEW_SHAPE_CLOS : NEW_SHAPE_TREE;
}

static const int least_switches[] = {
    [NEW_SHAPE_STAR] = 1, [NEW_SHAPE_CHAIN] = 2, [NEW_SHAPE_RING] = 3,
    [NEW_SHAPE_TREE] = 3, [NEW_SHAPE_CLOS] = 3,
};

// Whether hosts and switches suit the shape; prints an error if not.
static bool shape_is_right(const struct new_machine *machine)
{
    const char *shape =
        machine->shape == NEW_SHAPE_DIRECT ? "back to back" : new_shape_names[machine->shape];
    if (machine->shape == NEW_SHAPE_DIRECT && machine->hosts != 2)
        cli_error("--switches 1, or --hosts 2", "without a switch there are two hosts, not %d",
                  machine->hosts);
    else if (machine->shape == NEW_SHAPE_STAR && machine->switches != 1)
        cli_error("--topology chain, ring, tree or clos", "a star has one switch, not %d",
                  machine->switches);
    else if (machine->shape != NEW_SHAPE_DIRECT &&
             machine->switches < least_switches[machine->shape])
        cli_error(NULL, "--topology %s: it has at least %d switches, not %d", shape,
                  least_switches[machine->shape], machine->switches);
    else if (machine->shape != NEW_SHAPE_DIRECT && new_machine_leaves(machine) > machine->hosts)
        cli_error("take fewer switches, or more hosts",
                  "%d switches (%s) have %d for hosts, of which there are %d", machine->switches,
                  shape, new_machine_leaves(machine), machine->hosts);
    else
        return true;
    return false;
}

static int usual_hosts(const struct new_machine *machine, const struct new_request *request)
{
    int own = (int)machine->testbed->topology.hosts->len;
    int least = request->benchmark ? MAX(request->benchmark->least_ranks, 2) : 2;
    int hosts = own <= MOST_SHOWN_HOSTS ? MAX(own, 2) : USUAL_HOSTS * USUAL_HOSTS;
    return MAX(MAX(hosts, least), MAX(request->ranks, request->switches));
}

bool new_machine_choose(struct new_machine *machine, const struct new_request *request,
                        const struct scenario_schema *schema)
{
    *machine = (struct new_machine){.shape = request->shape};
    char **names = testbeds_by_use(request->stack);
    machine->testbed = request->testbed ? named_testbed(request, names, schema)
                                        : usual_testbed(request, names, schema);
    g_strfreev(names);
    if (!machine->testbed)
        return false;
    machine->rails = rails_of(machine->testbed, request->stack, request->nic);
    machine->as_testbed = request->testbed && request->hosts == 0 && request->switches < 0 &&
                          request->shape == NEW_SHAPE_AUTO && !request->nic;
    machine->hosts = request->hosts > 0 ? request->hosts : usual_hosts(machine, request);
    if (machine->as_testbed) {
        machine->hosts = (int)machine->testbed->topology.hosts->len;
        machine->switches = (int)machine->testbed->topology.switches->len;
        return true;
    }
    bool shaped = request->shape != NEW_SHAPE_AUTO;
    machine->switches = request->switches >= 0 ? request->switches
                        : shaped               ? least_switches[request->shape]
                                               : enough_switches(machine, fewest_ports(machine));
    if (machine->shape == NEW_SHAPE_AUTO)
        machine->shape = usual_shape(machine);
    if (!shape_is_right(machine))
        return false;
    widen_ports(machine);
    return true;
}

void new_machine_clear(struct new_machine *machine)
{
    if (machine->rails)
        g_array_unref(machine->rails);
    new_testbed_free(machine->testbed);
}
