// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/describe_machine.h"

#include "sim/core/machine.h"
#include "sim/flow/flow_device.h"
#include "sim/model/model.h"
#include "sim/output/json.h"
#include "sim/output/text.h"

#include <glib/gstdio.h>
#include <string.h>

#define STATE_COLUMN 24

// As state logs have it.
static const char *logged_name(const struct machine_state *state)
{
    return state->name ? state->name : "-";
}

// ---- Text ----

// The process that could end a wait.
static const char *const holder_names[] = {[HELD_HERE] = "itself", [HELD_BY_PEER] = "its peer"};

static void append_wait_text(GString *out, const struct machine_state *state)
{
    if (!state->wait.text)
        return;
    g_string_append_printf(out, "; waits for %s", state->wait.text);
    if (holder_names[state->holder])
        g_string_append_printf(out, ", held by %s", holder_names[state->holder]);
}

static void append_machine_text(GString *out, const struct machine_kind *kind)
{
    g_string_append_printf(out, "%s: %s (%s)\n", kind->name, kind->title, kind->source);
    for (unsigned from = 0; from < kind->count; from++) {
        g_string_append(out, "  ");
        text_append_left(out, logged_name(&kind->states[from]), STATE_COLUMN);
        const char *lead = " -> ";
        for (unsigned to = 0; to < kind->count; to++)
            if (machine_may(kind, from, to)) {
                g_string_append_printf(out, "%s%s", lead, kind->states[to].name);
                lead = ", ";
            }
        append_wait_text(out, &kind->states[from]);
        g_string_append_c(out, '\n');
    }
}

// ---- Markdown ----

static bool has_waits(const struct machine_kind *kind)
{
    for (unsigned state = 0; state < kind->count; state++)
        if (kind->states[state].wait.text)
            return true;
    return false;
}

static void append_waits_markdown(GString *out, const struct machine_kind *kind)
{
    g_string_append(out, "\n| state | waits for | held by |\n|---|---|---|\n");
    for (unsigned i = 0; i < kind->count; i++) {
        const struct machine_state *state = &kind->states[i];
        if (state->wait.text)
            g_string_append_printf(out, "| %s | %s | %s |\n", state->name, state->wait.text,
                                   holder_names[state->holder] ? holder_names[state->holder] : "");
    }
}

// States have numbers as their ids, since names may have blanks. A state without a name is the
// diagram's start.
static void append_machine_markdown(GString *out, const struct machine_kind *kind)
{
    bool named = kind->states[0].name;
    const char *logged = kind->logged ? kind->logged : kind->name;
    g_string_append_printf(out, "\n## %s\n\n", kind->title);
    if (*logged)
        g_string_append_printf(out, "In state logs `%s`. ", logged);
    else
        g_string_append(out, "Not in state logs. ");
    g_string_append_printf(out, "Source: %s.\n\n", kind->source);
    g_string_append(out, "```mermaid\nstateDiagram-v2\n");
    for (unsigned state = named ? 0 : 1; state < kind->count; state++)
        g_string_append_printf(out, "    state \"%s\" as s%u\n", kind->states[state].name, state);
    if (named)
        g_string_append(out, "    [*] --> s0\n");
    for (unsigned from = 0; from < kind->count; from++)
        for (unsigned to = 0; to < kind->count; to++)
            if (machine_may(kind, from, to) && !kind->states[from].name)
                g_string_append_printf(out, "    [*] --> s%u\n", to);
            else if (machine_may(kind, from, to))
                g_string_append_printf(out, "    s%u --> s%u\n", from, to);
    g_string_append(out, "```\n");
    if (has_waits(kind))
        append_waits_markdown(out, kind);
}

// ---- Graphviz ----

static void append_machine_dot(GString *out, const struct machine_kind *kind)
{
    g_string_append_printf(out, "digraph \"%s\" {\n", kind->name);
    g_string_append_printf(out, "    label=\"%s\\n%s\"; labelloc=t;\n", kind->title, kind->source);
    g_string_append(out, "    node [shape=box, style=rounded, fontname=Helvetica];\n");
    for (unsigned state = 0; state < kind->count; state++)
        if (kind->states[state].name)
            g_string_append_printf(out, "    s%u [label=\"%s\"];\n", state,
                                   kind->states[state].name);
        else
            g_string_append_printf(out, "    s%u [shape=point];\n", state);
    for (unsigned from = 0; from < kind->count; from++)
        for (unsigned to = 0; to < kind->count; to++)
            if (machine_may(kind, from, to))
                g_string_append_printf(out, "    s%u -> s%u;\n", from, to);
    g_string_append(out, "}\n");
}

// Has Graphviz draw what a file holds. Returns the SVG, which the caller frees, or NULL.
static char *draw_file(const char *path)
{
    const char *arguments[] = {"dot", "-Tsvg", path, NULL};
    char *svg = NULL;
    int status;
    if (!g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &svg, NULL,
                      &status, NULL))
        return NULL;
    if (!g_spawn_check_wait_status(status, NULL))
        g_clear_pointer(&svg, g_free);
    return svg;
}

// Prints the machine that the text in Graphviz's language describes. Returns false after a
// complaint.
static bool print_svg(const char *dot)
{
    char *path = NULL, *svg = NULL;
    int file = g_file_open_tmp("netsim-XXXXXX.dot", &path, NULL);
    if (file >= 0) {
        g_close(file, NULL);
        svg = g_file_set_contents(path, dot, -1, NULL) ? draw_file(path) : NULL;
        g_unlink(path);
    }
    if (svg)
        fputs(svg, stdout);
    else
        cli_error("install graphviz, or take --format dot", "Graphviz has not drawn the machine");
    bool drawn = svg != NULL;
    g_free(svg);
    g_free(path);
    return drawn;
}

// ---- JSON ----

static json_t *state_json(const struct machine_state *state, json_t *next)
{
    json_t *json = json_pack("{s:s, s:o}", "name", logged_name(state), "next", next);
    if (state->wait.text)
        json_object_set_new(json, "waits_for", json_string(state->wait.text));
    if (state->wait.text && holder_names[state->holder])
        json_object_set_new(json, "held_by", json_string(holder_names[state->holder]));
    return json;
}

static json_t *machine_json(const struct machine_kind *kind)
{
    json_t *states = json_array();
    for (unsigned from = 0; from < kind->count; from++) {
        json_t *next = json_array();
        for (unsigned to = 0; to < kind->count; to++)
            if (machine_may(kind, from, to))
                json_array_append_new(next, json_string(kind->states[to].name));
        json_array_append_new(states, state_json(&kind->states[from], next));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "name", kind->name, "title", kind->title, "source",
                     kind->source, "states", states);
}

static void append_machines_json(GString *out, const GPtrArray *machines)
{
    json_t *list = json_array();
    for (guint i = 0; i < machines->len; i++)
        json_array_append_new(list, machine_json(g_ptr_array_index(machines, i)));
    char *text = document_text(json_pack("{s:o}", "machines", list));
    g_string_append(out, text);
    g_free(text);
}

// ---- The command ----

static void (*const append_one[])(GString *out, const struct machine_kind *kind) = {
    [DESCRIBE_TEXT] = append_machine_text,
    [DESCRIBE_MARKDOWN] = append_machine_markdown,
    [DESCRIBE_DOT] = append_machine_dot,
    [DESCRIBE_SVG] = append_machine_dot,
};

#define PAGE_HEAD                                                                                  \
    "# State machines\n\n"                                                                         \
    "Made by `netsim describe machine --format markdown` from the tables in the sources.\n"        \
    "A step that a table lacks ends the program, so a run takes no others. `--log-states FILE`\n"  \
    "writes the steps of a run.\n"

static GString *machines_document(const GPtrArray *machines, enum describe_format format)
{
    GString *out = g_string_new(NULL);
    if (format == DESCRIBE_JSON) {
        append_machines_json(out, machines);
        return out;
    }
    if (format == DESCRIBE_MARKDOWN && machines->len > 1)
        g_string_append(out, PAGE_HEAD);
    for (guint i = 0; i < machines->len; i++)
        append_one[format](out, g_ptr_array_index(machines, i));
    return out;
}

// Keeps the machines of that name in state logs, or of that title. Returns false after a complaint
// if there is none.
static bool choose_machines(GPtrArray *machines, const char *name)
{
    GPtrArray *names = g_ptr_array_new();
    guint kept = 0;
    for (guint i = 0; i < machines->len; i++) {
        const struct machine_kind *kind = g_ptr_array_index(machines, i);
        g_ptr_array_add(names, (gpointer)kind->name);
        if (strcmp(kind->name, name) == 0 || strcmp(kind->title, name) == 0)
            g_ptr_array_index(machines, kept++) = (gpointer)kind;
    }
    g_ptr_array_add(names, NULL);
    g_ptr_array_set_size(machines, (gint)kept);
    char *hint = kept ? NULL : cli_did_you_mean(name, (const char *const *)names->pdata);
    if (!kept)
        cli_error(hint ? hint : "`netsim describe machine` prints them all",
                  "no machine is called `%s'", name);
    g_free(hint);
    g_ptr_array_unref(names);
    return kept > 0;
}

enum cli_exit describe_machines(char *const *words, enum describe_format format)
{
    GPtrArray *machines = registry_machines(&model_registry);
    g_ptr_array_add(machines, (gpointer)&flow_request_machine);
    char *name = g_strjoinv(" ", (char **)words);
    bool good = !*name || choose_machines(machines, name);
    if (good && format == DESCRIBE_SVG && machines->len > 1) {
        cli_error("netsim describe machine TITLE --format svg", "one SVG shows one machine");
        good = false;
    }
    GString *out = machines_document(machines, format);
    if (good && format == DESCRIBE_SVG)
        good = print_svg(out->str);
    else if (good && format == DESCRIBE_TEXT)
        cli_print_text(out->str);
    else if (good)
        fputs(out->str, stdout);
    g_string_free(out, TRUE);
    g_free(name);
    g_ptr_array_unref(machines);
    return good ? CLI_DONE : CLI_BAD_INPUT;
}
