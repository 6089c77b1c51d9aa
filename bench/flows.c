// SPDX-License-Identifier: GPL-3.0-or-later
// Thousands of ranks on flows: one allreduce of MPICH over TCP, in a fat tree and in a network of
// leaves and spines, on netsim's device; for comparison, the same on SimGrid's SMPI, and in SimGrid
// without netsim (simgrid_allreduce.cc).
#include "bench/outside.h"
#include "bench/process.h"

#include "sim/flow/flow.h"

#include <string.h>

#define FLOWS_STACK "mpich_p4"

static const struct flows_size {
    const char *network;
    int ranks;             // one on each host
    const char *topology;  // as in a scenario
    const char *down, *up; // of SimGrid's fat tree, per level; NULL: not compared
} flows_sizes[] = {
    {"fat tree", 1024,
     "hosts: [{name: node, count: 1024}]\nswitches: [{name: leaf, count: 128}, "
     "{name: middle, count: 128}, {name: core, count: 64}]\n"
     "links:\n  - {from: node, to: leaf, split: 128}\n"
     "  - {from: leaf, to: middle, split: 16, deal: true}\n"
     "  - {from: middle, to: core, split: 8}\n",
     "8,8,16", "1,8,8"},
    {"leaves and spines", 1024,
     "hosts: [{name: node, count: 1024}]\nswitches: [{name: leaf, count: 32}, "
     "{name: spine, count: 8}]\nlinks:\n  - {from: node, to: leaf, split: 32}\n"
     "  - {from: leaf, to: spine, rate: 10 Gb/s}\n",
     "32,32", "1,8"},
    {"fat tree", 4096,
     "hosts: [{name: node, count: 4096}]\nswitches: [{name: leaf, count: 256}, "
     "{name: middle, count: 256}, {name: core, count: 256}]\n"
     "links:\n  - {from: node, to: leaf, split: 256}\n"
     "  - {from: leaf, to: middle, split: 16, deal: true}\n"
     "  - {from: middle, to: core, split: 16}\n",
     "16,16,16", "1,16,16"},
    {"leaves and spines", 4096,
     "hosts: [{name: node, count: 4096}]\nswitches: [{name: leaf, count: 128}, "
     "{name: spine, count: 8}]\nlinks:\n  - {from: node, to: leaf, split: 128}\n"
     "  - {from: leaf, to: spine, rate: 10 Gb/s}\n",
     "32,128", "1,8"},
    {"fat tree", 10000,
     "hosts: [{name: node, count: 10000}]\nswitches: [{name: leaf, count: 500}, "
     "{name: middle, count: 500}, {name: core, count: 400}]\n"
     "links:\n  - {from: node, to: leaf, split: 500}\n"
     "  - {from: leaf, to: middle, split: 25, deal: true}\n"
     "  - {from: middle, to: core, split: 20}\n",
     "20,20,25", "1,20,20"},
    {"leaves and spines", 10000,
     "hosts: [{name: node, count: 10000}]\nswitches: [{name: leaf, count: 250}, "
     "{name: spine, count: 20}]\nlinks:\n  - {from: node, to: leaf, split: 250}\n"
     "  - {from: leaf, to: spine, rate: 10 Gb/s}\n",
     "40,250", "1,20"},
    {"fat tree", 100000,
     "hosts: [{name: node, count: 100000}]\nswitches: [{name: leaf, count: 2000}, "
     "{name: middle, count: 2000}, {name: core, count: 1000}]\n"
     "links:\n  - {from: node, to: leaf, split: 2000}\n"
     "  - {from: leaf, to: middle, split: 40, deal: true}\n"
     "  - {from: middle, to: core, split: 50}\n",
     NULL, NULL},
};

#define QUICK_SIZES 2 // the first ones

struct flows {
    const struct bench_options *options;
    const struct flows_size *size;
    const char *player;                  // as the key `flow` has it
    bool plays_smpi;                     // there is the plugin, to compare with
    const struct bench_outside *simgrid; // NULL: there is none
};

static struct scenario *flows_scenario(const struct flows *flows)
{
    char *text = g_strdup_printf(
        "schema: 1\nname: flows\nfidelity: flow\nflow: %s\nstack: " FLOWS_STACK "\nnic: em82547gi\n"
        "link: {rate: 1 Gb/s}\nswitch: {ports: 0}\n%s"
        "workload: {ranks: %d, program: [{ranks: all, do: [{allreduce: {size: 64 KiB}}]}]}\n",
        flows->player, flows->size->topology, flows->size->ranks);
    struct scenario *scenario = bench_scenario(flows->options, text);
    g_free(text);
    return scenario;
}

// In a process of its own, from the text to the result.
static json_t *run_netsim(void *owner)
{
    const struct flows *flows = owner;
    struct scenario *scenario = flows_scenario(flows);
    if (!scenario)
        return NULL;
    struct series_result *result = flow_or_packets(
        flows->options->registry, g_ptr_array_index(scenario->cases, 0), 0, scenario->seed, NULL);
    json_t *found = NULL;
    if (result->status == SIM_COMPLETED)
        found = json_pack("{s:I}", "messages", (json_int_t)result->ledger.messages);
    else
        bench_say(flows->options, "flows: %s",
                  json_string_value(json_object_get(result->reason, "text")));
    series_result_free(result);
    scenario_free(scenario);
    return found;
}

static json_t *run_simgrid(void *owner)
{
    const struct flows *flows = owner;
    char *arguments = g_strdup_printf("%s %s", flows->size->down, flows->size->up);
    json_t *found = bench_outside_run(flows->simgrid, arguments);
    g_free(arguments);
    return found;
}

static double messages_per_cpu_s(const json_t *found, const struct bench_usage *usage)
{
    double messages = json_number_value(json_object_get(found, "messages"));
    return usage->cpu_s > 0.0 ? messages / usage->cpu_s : 0.0;
}

// Adds the time of a process: "smpi_cpu_s" and the like. Returns its messages per second.
static double add_usage(json_t *row, const char *prefix, const json_t *found,
                        const struct bench_usage *usage)
{
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"cpu_s", bench_number(found ? usage->cpu_s : 0)},
        {"messages_per_cpu_s", bench_number(messages_per_cpu_s(found, usage))},
        {"bytes", found ? json_integer(usage->bytes) : json_null()},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++) {
        char *name = g_strconcat(prefix, members[i].name, NULL);
        json_object_set_new(row, name, members[i].value);
        g_free(name);
    }
    return messages_per_cpu_s(found, usage);
}

static json_t *flows_row(struct flows *flows)
{
    struct bench_usage own = {0}, smpi = {0}, bare = {0};
    flows->player = "device";
    json_t *found = bench_process(run_netsim, flows, &own);
    flows->player = "simgrid";
    bool compares = flows->size->down != NULL;
    json_t *theirs = flows->plays_smpi && compares ? bench_process(run_netsim, flows, &smpi) : NULL;
    json_t *alone = flows->simgrid && compares ? bench_process(run_simgrid, flows, &bare) : NULL;
    json_t *row =
        json_pack("{s:s, s:i}", "network", flows->size->network, "ranks", flows->size->ranks);
    json_object_set_new(row, "wall_s", bench_number(found ? own.wall_s : 0));
    json_object_set(row, "messages", found ? json_object_get(found, "messages") : json_null());
    double rate = add_usage(row, "", found, &own);
    add_usage(row, "smpi_", theirs, &smpi);
    double bare_rate = add_usage(row, "simgrid_", alone, &bare);
    json_object_set_new(row, "ratio", bench_ratio(rate, bare_rate));
    json_decref(found);
    json_decref(theirs);
    json_decref(alone);
    return row;
}

json_t *bench_flows(const struct bench_options *options)
{
    json_t *results = json_array();
    if (!registry_stack(options->registry, FLOWS_STACK))
        return results;
    char *why = NULL, *version = options->peers ? flow_simgrid_version(&why) : NULL;
    if (options->peers && !version)
        bench_say(options, "flows without SMPI: %s", why);
    struct bench_outside *simgrid =
        options->peers ? bench_outside_new(options, BENCH_SIMGRID_ALLREDUCE) : NULL;
    struct flows flows = {.options = options, .plays_smpi = version != NULL, .simgrid = simgrid};
    size_t count = options->quick ? QUICK_SIZES : G_N_ELEMENTS(flows_sizes);
    for (size_t i = 0; i < count; i++) {
        flows.size = &flows_sizes[i];
        bench_say(options, "flows: %d ranks, %s", flows_sizes[i].ranks, flows_sizes[i].network);
        json_array_append_new(results, flows_row(&flows));
    }
    bench_outside_free(simgrid);
    g_free(why);
    g_free(version);
    return results;
}
