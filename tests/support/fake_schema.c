// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_schema.h"

#include "tests/support/fake_operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct param memory_params[] = {
    PARAM(struct fake_memory, copy_hot, PARAM_BYTE_RATE, .fallback = "500 MB/s", .least = "1 B/s",
          .doc = "copy of what lies in the cache", .source = "data sheet"),
    PARAM(struct fake_memory, copy_cold, PARAM_BYTE_RATE, .fallback = "300 MB/s", .least = "1 B/s",
          .doc = "copy of what does not"),
    PARAM(struct fake_memory, cache, PARAM_SIZE, .fallback = "256 KiB", .most = "64 MiB",
          .doc = "size of the cache"),
    PARAM(struct fake_memory, pin, PARAM_COST, .fallback = "2.5 us", .doc = "pinning a page"),
    {0}};

static const struct param bus_params[] = {
    PARAM(struct fake_bus, clock, PARAM_FREQUENCY, .fallback = "33 MHz", .least = "1 Hz",
          .doc = "the bus clock"),
    PARAM(struct fake_bus, width, PARAM_SIZE, .fallback = "4 B", .doc = "bytes a cycle"),
    {0}};

static const char *const policies[] = {"lru", "fifo", NULL};

static const struct param rpi_params[] = {
    PARAM(struct fake_rpi, tiny, PARAM_SIZE, .fallback = "16 KiB", .doc = "largest tiny message"),
    {.name = "short",
     .kind = PARAM_SIZE,
     .offset = offsetof(struct fake_rpi, short_),
     .fallback = "32 KiB",
     .doc = "largest short message"},
    PARAM(struct fake_rpi, area, PARAM_SIZE, .fallback = "64 KiB", .doc = "RDMA area of a peer"),
    PARAM(struct fake_rpi, policy, PARAM_CHOICE, .fallback = "lru", .choices = policies,
          .doc = "who is evicted"),
    PARAM(struct fake_rpi, cache, PARAM_BOOL, .fallback = "true",
          .doc = "whether pages stay pinned"),
    PARAM(struct fake_rpi, label, PARAM_STRING, .fallback = "none", .doc = "any text"),
    {0}};

static void check_rpi(const void *data, const struct param_values *report)
{
    const struct fake_rpi *rpi = data;
    if (rpi->tiny > rpi->short_)
        param_complain(report, "tiny", "make tiny smaller or short larger",
                       "tiny is larger than short (%lld B)", (long long)rpi->short_);
    if (rpi->short_ > rpi->area / 2)
        param_complain(report, "short", "a short message must fit twice",
                       "short is larger than half the area");
    if (strchr(rpi->label, '%'))
        param_complain(report, "label", NULL, "a label without a per cent sign is expected: %s",
                       rpi->label);
}

static const struct param gm_params[] = {
    PARAM(struct fake_gm, tokens, PARAM_COUNT, .least = "1", .most = "1000", .doc = "send tokens"),
    {0}};

static const struct param link_params[] = {
    PARAM(struct fake_link, rate, PARAM_BIT_RATE, .fallback = "100 Mb/s", .least = "1 b/s",
          .doc = "bits a second"),
    PARAM(struct fake_link, delay, PARAM_DURATION, .fallback = "50 ns", .doc = "propagation"),
    PARAM(struct fake_link, loss, PARAM_PROBABILITY, .fallback = "0", .doc = "loss of a packet"),
    PARAM(struct fake_link, drop, PARAM_COUNTS, .fallback = "[]", .least = "1",
          .doc = "packets that are dropped"),
    PARAM(struct fake_link, down, PARAM_WINDOWS, .fallback = "[]", .doc = "when it is down"),
    {0}};

static const struct param switch_params[] = {
    PARAM(struct fake_switch, ports, PARAM_COUNT, .fallback = "8", .doc = "number of ports"),
    PARAM(struct fake_switch, latency, PARAM_DURATION, .fallback = "10 us", .doc = "forwarding"),
    PARAM(struct fake_switch, forwarding, PARAM_BYTE_RATE, .fallback = "1 GB/s", .doc = "fabric"),
    {0}};

static const char *const ways[] = {"forwards", "backwards", NULL};

static const struct param scan_params[] = {
    PARAM(struct fake_scan, window, PARAM_COUNT, .fallback = "4", .least = "1", .most = "64",
          .doc = "messages under way", .source = "assumed"),
    PARAM(struct fake_scan, unit, PARAM_SIZE, .fallback = "8 B", .doc = "size of a message"),
    PARAM(struct fake_scan, way, PARAM_CHOICE, .fallback = "forwards", .choices = ways,
          .doc = "order of the looks"),
    {0}};

const struct param_table fake_scan_table =
    PARAM_TABLE(struct fake_scan, scan_params, .name = "fake.scan", .doc = "the scan's own keys");
const struct param_table fake_memory_table =
    PARAM_TABLE(struct fake_memory, memory_params, .name = "host.memory", .doc = "memory");
const struct param_table fake_bus_table =
    PARAM_TABLE(struct fake_bus, bus_params, .name = "host.bus", .doc = "I/O bus");
const struct param_table fake_rpi_table = PARAM_TABLE(
    struct fake_rpi, rpi_params, .name = "fake_rpi", .doc = "an RPI", .check = check_rpi);
const struct param_table fake_gm_table =
    PARAM_TABLE(struct fake_gm, gm_params, .name = "fake_gm", .doc = "another wire");
const struct param_table fake_link_table =
    PARAM_TABLE(struct fake_link, link_params, .name = "link", .doc = "a link");
const struct param_table fake_switch_table =
    PARAM_TABLE(struct fake_switch, switch_params, .name = "switch", .doc = "a switch");

static const struct scenario_section sections[] = {{"host.memory", &fake_memory_table},
                                                   {"host.bus", &fake_bus_table},
                                                   {"fake_rpi", &fake_rpi_table},
                                                   {"fake_gm", &fake_gm_table},
                                                   {0}};

static const char *const all_benchmarks[] = {"pmb.pingpong", "pmb.bcast", "program", NULL};
static const char *const pingpong_only[] = {"pmb.pingpong", NULL};
static const char *const nics[] = {"eepro100", "tulip", "lanai", NULL};
static const char *const ethernet[] = {"eepro100", "tulip", NULL};
static const char *const myrinet[] = {"lanai", NULL};
static const char *const rpi_sections[] = {"fake_rpi", NULL};
static const char *const gm_sections[] = {"fake_gm", NULL};

static const char *const scan_only[] = {"fake.scan", "program", NULL};
static const char *const some_operations[] = {"put", "fence", "poll", NULL};

static const struct stack_schema stacks[] = {{.name = "lam_fake",
                                              .doc = "an MPI over Ethernet",
                                              .benchmarks = all_benchmarks,
                                              .cards = STACK_CARDS_ALL,
                                              .nics = ethernet,
                                              .sections = rpi_sections,
                                              .one_process_per_host = true},
                                             {.name = "fake_gm",
                                              .doc = "an MPI over Myrinet",
                                              .benchmarks = pingpong_only,
                                              .cards = STACK_CARDS_ALL,
                                              .nics = myrinet,
                                              .sections = gm_sections},
                                             {.name = "fake_put",
                                              .doc = "one-sided transfers alone",
                                              .benchmarks = scan_only,
                                              .cards = STACK_CARDS_ALL,
                                              .nics = myrinet,
                                              .sections = rpi_sections,
                                              .operations = some_operations,
                                              .own = fake_operations},
                                             {0}};

static const struct benchmark_schema benchmarks[] = {
    {.name = "pmb.pingpong",
     .doc = "half a round trip",
     .least_ranks = 2,
     .most_ranks = 2,
     .metrics = "latency_us"},
    {.name = "pmb.bcast", .doc = "one to all", .least_ranks = 2, .metrics = "latency_us"},
    {.name = "fake.scan",
     .doc = "a look at each channel",
     .least_ranks = 1,
     .metrics = "scan_us",
     .counts = "channels",
     .sizes = "1 .. 32",
     .parameters = &fake_scan_table},
    {0}};

static const struct operation_kind *const operation_tables[] = {fake_operations, NULL};

const struct scenario_schema fake_schema = {.sections = sections,
                                            .link_table = &fake_link_table,
                                            .bus_table = &fake_bus_table,
                                            .switch_table = &fake_switch_table,
                                            .stacks = stacks,
                                            .benchmarks = benchmarks,
                                            .operations = operation_tables,
                                            .nics = nics};

char *fake_complaints(const struct diag_list *diags)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    diag_print(diags, stream);
    fclose(stream);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

static char *finish(struct scenario *made, struct scenario **scenario, struct diag_list *diags)
{
    char *text = fake_complaints(diags);
    diag_list_free(diags);
    if (scenario)
        *scenario = made;
    else
        scenario_free(made);
    return text;
}

char *fake_compile(const char *text, const char *const *sets, struct scenario **scenario)
{
    struct diag_list *diags = diag_list_new();
    struct scenario_options options = {.sets = sets};
    struct scenario *made =
        scenario_parse(text, strlen(text), "t.yaml", NULL, &fake_schema, &options, diags);
    return finish(made, scenario, diags);
}

char *fake_load(const char *file, const struct scenario_options *options,
                struct scenario **scenario)
{
    struct diag_list *diags = diag_list_new();
    struct scenario *made = scenario_load(file, &fake_schema, options, diags);
    return finish(made, scenario, diags);
}

struct fake_topology fake_topology(const char *text)
{
    struct fake_topology read = {0};
    struct diag_list *diags = diag_list_new();
    struct node *tree = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    g_assert(tree);
    topology_read(&read.topology, tree, &fake_schema, diags);
    read.complaints = fake_complaints(diags);
    node_free(tree);
    diag_list_free(diags);
    return read;
}

void fake_topology_clear(struct fake_topology *read)
{
    topology_clear(&read->topology);
    g_free(read->complaints);
}

static void add_end(GString *text, const struct topology *topology,
                    const struct topology_link *link, int end)
{
    const struct topology_card *card = topology_link_card(topology, link, end);
    g_string_append(text, topology_node_name(topology, topology_link_node(link, end)));
    if (card)
        g_string_append_printf(text, ".%s", card->name);
    if (link->idle[end])
        g_string_append_c(text, '*');
}

char *fake_topology_links(const struct fake_topology *read)
{
    const struct topology *topology = &read->topology;
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        g_string_append(text, i ? " " : "");
        add_end(text, topology, link, 0);
        g_string_append_c(text, '-');
        add_end(text, topology, link, 1);
    }
    return g_string_free(text, FALSE);
}
