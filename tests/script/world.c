// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/script/world.h"

#include "models/ethernet/nics.h"
#include "sim/run/schema.h"

#include <string.h>

#define TOLERANCE (4 * TIME_MS)

// Options of the packetdrill family that mean nothing in this world: its addresses and ports are
// those of the simulator, and nothing of a real host is set up.
static const char *const ignored[] = {
    "local_ip", "remote_ip",         "gateway_ip",   "netmask_ip",  "bind_port",
    "speed",    "connect_port",      "code_command", "code_format", "init_scripts",
    "verbose",  "tolerance_percent", NULL,
};

// ---- Options ----

const char *script_option(const struct script *script, const char *name)
{
    for (guint i = 0; i < script->options->len; i++) {
        const char *option = g_ptr_array_index(script->options, i);
        size_t length = strlen(name);
        if (strncmp(option, name, length) == 0 && option[length] == '=')
            return option + length + 1;
    }
    return NULL;
}

static void read_tolerance(const char *value, int line, struct script_options *options,
                           struct script_report *report)
{
    char *end;
    gint64 usecs = g_ascii_strtoll(value, &end, 10);
    if (end == value || *end != '\0' || usecs < 0 || usecs > 1000000000)
        script_fail(report, line, "expected microseconds after --tolerance_usecs=, got %.40s",
                    value);
    options->tolerance = usecs * TIME_US;
    options->tolerance_given = true;
}

static void read_option(const struct script_protocol *protocol, const char *name, const char *value,
                        int line, struct script_options *options, struct script_report *report)
{
    const char *const *more = protocol->more_options ? protocol->more_options : ignored;
    if (strcmp(name, "tolerance_usecs") == 0)
        read_tolerance(value, line, options, report);
    else if (strcmp(name, "set") == 0)
        g_ptr_array_add(options->sets, g_strdup(value));
    else if (strcmp(name, "mtu") == 0)
        g_ptr_array_add(options->sets, g_strdup_printf("%s=%s B", protocol->mtu, value));
    else if (strcmp(name, "ip_version") == 0 && strcmp(value, "ipv4") == 0)
        return;
    else if (!g_strv_contains(ignored, name) && !g_strv_contains(more, name))
        script_unsupported(report, line, "--%s=%.40s", name, value);
}

void script_options_read(const struct script_protocol *protocol,
                         const struct script_settings *settings, const struct script *script,
                         struct script_options *options, struct script_report *report)
{
    *options = (struct script_options){.tolerance = TOLERANCE, .capture = settings->capture};
    options->sets = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < script->options->len; i++) {
        char **pair = g_strsplit(g_ptr_array_index(script->options, i), "=", 2);
        read_option(protocol, pair[0] ? pair[0] : "", pair[0] && pair[1] ? pair[1] : "",
                    g_array_index(script->option_lines, int, i), options, report);
        g_strfreev(pair);
    }
    for (const char *const *set = settings->sets; set && *set; set++)
        g_ptr_array_add(options->sets, g_strdup(*set));
    g_ptr_array_add(options->sets, NULL);
}

void script_options_clear(struct script_options *options)
{
    g_ptr_array_unref(options->sets);
}

// ---- The scenario ----

static char *first_error(const struct diag_list *diags)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    g_assert(file);
    diag_print(diags, file);
    fclose(file);
    char *line = g_strdelimit(g_strdup(text), "\n", ' ');
    free(text);
    return line;
}

bool script_world_build(struct script_built *built, const struct script_protocol *protocol,
                        const char *profile, const struct script_options *options,
                        struct script_report *report)
{
    struct diag_list *diags = diag_list_new();
    struct scenario_options how = {.sets = (const char *const *)options->sets->pdata,
                                   .allow_unused = true};
    char **parts = g_strsplit(protocol->scenario, "%s", 2);
    char *text = g_strconcat(parts[0], parts[1] ? profile : "", parts[1] ? parts[1] : "", NULL);
    *built = (struct script_built){.schema = registry_schema(protocol->registry)};
    built->scenario =
        scenario_parse(text, strlen(text), "script.yaml", NULL, built->schema, &how, diags);
    g_strfreev(parts);
    g_free(text);
    if (!built->scenario) {
        char *error = first_error(diags);
        script_fail(report, 1, "expected settings that the host takes, got: %s", error);
        g_free(error);
        diag_list_free(diags);
        return false;
    }
    diag_list_free(diags);
    struct script_world *world = &built->world;
    world->protocol = protocol;
    world->test_case = g_ptr_array_index(built->scenario->cases, 0);
    world->sim = sim_new(built->scenario->seed, NULL);
    world->sim->capture = options->capture;
    world->cluster = cluster_new(world->sim, world->test_case);
    ethernet_add_nics(world->cluster, world->test_case);
    world->station = network_station(world->cluster->network, 0, 0);
    world->peer = network_station(world->cluster->network, 1, 0);
    return true;
}

void script_world_clear(struct script_built *built)
{
    if (built->world.cluster) {
        cluster_free(built->world.cluster);
        sim_free(built->world.sim);
    }
    if (built->scenario)
        scenario_free(built->scenario);
    registry_schema_free(built->schema);
}
