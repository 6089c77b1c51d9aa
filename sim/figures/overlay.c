// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/overlay.h"

#include "sim/figures/document.h"

#include <stdbool.h>
#include <string.h>

static const char *overlay_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

// Calls `visit` for each of the series of a document.
static void each_series(const json_t *document, void (*visit)(void *owner, json_t *series),
                        void *owner)
{
    size_t i, k;
    const json_t *panel;
    json_t *series;
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        json_array_foreach(json_object_get(panel, "series"), k, series)
        {
            visit(owner, series);
        }
    }
}

// ---- Names ----

// The known names of series.
struct overlay_names {
    GHashTable *parts;  // name -> how many documents have it
    GHashTable *stacks; // name of a simulated one -> its stack
    GHashTable *here;   // the names of the document that is being read
    const char *label;  // of that document
};

static void note_name(void *owner, json_t *series)
{
    struct overlay_names *names = owner;
    char *name = g_strdup(overlay_text_of(series, "name"));
    if (!json_is_true(json_object_get(series, "measured"))) {
        const char *stack = json_string_value(json_object_get(series, "stack"));
        g_hash_table_insert(names->stacks, g_strdup(name), g_strdup(stack ? stack : name));
    }
    if (g_hash_table_contains(names->here, name)) {
        g_free(name);
        return;
    }
    int count = GPOINTER_TO_INT(g_hash_table_lookup(names->parts, name));
    g_hash_table_insert(names->parts, g_strdup(name), GINT_TO_POINTER(count + 1));
    g_hash_table_add(names->here, name);
}

static void rename_series(void *owner, json_t *series)
{
    const struct overlay_names *names = owner;
    const char *name = overlay_text_of(series, "name");
    const char *stack = g_hash_table_lookup(names->stacks, name);
    if (json_is_true(json_object_get(series, "measured")) && stack)
        json_object_set_new(series, "stack", json_string(stack));
    if (GPOINTER_TO_INT(g_hash_table_lookup(names->parts, name)) < 2)
        return;
    char *longer = g_strdup_printf("%s (%s)", name, names->label);
    json_object_set_new(series, "name", json_string(longer));
    g_free(longer);
}

static void tell_names_apart(const struct overlay_part *parts, guint count)
{
    struct overlay_names names = {
        .parts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .stacks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    for (guint i = 0; i < count; i++) {
        g_hash_table_remove_all(names.here);
        each_series(parts[i].document, note_name, &names);
    }
    for (guint i = 0; i < count; i++) {
        names.label = parts[i].label;
        each_series(parts[i].document, rename_series, &names);
    }
    g_hash_table_unref(names.here);
    g_hash_table_unref(names.stacks);
    g_hash_table_unref(names.parts);
}

// ---- Panels ----

static bool same_axis(const json_t *a, const json_t *b)
{
    return strcmp(overlay_text_of(a, "label"), overlay_text_of(b, "label")) == 0 &&
           strcmp(overlay_text_of(a, "unit"), overlay_text_of(b, "unit")) == 0;
}

static bool same_panel(const json_t *a, const json_t *b)
{
    return strcmp(overlay_text_of(a, "kind"), overlay_text_of(b, "kind")) == 0 &&
           strcmp(overlay_text_of(a, "title"), overlay_text_of(b, "title")) == 0 &&
           same_axis(json_object_get(a, "x"), json_object_get(b, "x")) &&
           same_axis(json_object_get(a, "y"), json_object_get(b, "y"));
}

// Puts the panels of a document into those that have their axes, or after them.
static void add_panels(json_t *panels, const json_t *document)
{
    size_t i, k;
    json_t *panel, *known;
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        json_t *found = NULL;
        json_array_foreach(panels, k, known)
        {
            if (!found && same_panel(known, panel))
                found = known;
        }
        if (found)
            json_array_extend(json_object_get(found, "series"), json_object_get(panel, "series"));
        else
            json_array_append(panels, panel);
    }
}

// ---- Notes and names of the whole ----

static bool contains(const json_t *list, const char *text)
{
    size_t index;
    const json_t *one;
    json_array_foreach(list, index, one)
    {
        if (strcmp(json_string_value(one), text) == 0)
            return true;
    }
    return false;
}

// Adds the notes of a part: once if several documents have it, else with the name of its document.
static void add_notes(json_t *notes, const struct overlay_part *parts, guint count, guint part)
{
    size_t index;
    const json_t *note;
    json_array_foreach(json_object_get(parts[part].document, "notes"), index, note)
    {
        const char *text = json_string_value(note);
        guint saying = 0;
        for (guint i = 0; i < count; i++)
            saying += contains(json_object_get(parts[i].document, "notes"), text);
        char *longer =
            saying > 1 ? g_strdup(text) : g_strdup_printf("%s (%s)", text, parts[part].label);
        if (!contains(notes, longer))
            json_array_append_new(notes, json_string(longer));
        g_free(longer);
    }
}

// The different texts of a member, joined.
static char *joined(const struct overlay_part *parts, guint count, const char *key,
                    const char *between)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
        const char *one = key ? overlay_text_of(parts[i].document, key) : parts[i].label;
        bool known = false;
        for (guint k = 0; k < i; k++)
            known = known || strcmp(one, key ? overlay_text_of(parts[k].document, key)
                                             : parts[k].label) == 0;
        if (!known)
            g_string_append_printf(text, "%s%s", text->len > 0 ? between : "", one);
    }
    return g_string_free(text, FALSE);
}

json_t *overlay_document(const struct overlay_part *parts, guint count)
{
    json_t *panels = json_array(), *notes = json_array();
    int lost = 0;
    tell_names_apart(parts, count);
    for (guint i = 0; i < count; i++) {
        add_panels(panels, parts[i].document);
        add_notes(notes, parts, count, i);
        lost += figure_lost(parts[i].document);
    }
    char *title = joined(parts, count, "title", ", "), *file = joined(parts, count, NULL, "+");
    json_t *document =
        json_pack("{s:i,s:s,s:n,s:s,s:s,s:n,s:o,s:o}", "figure", 1, "id", file, "number", "file",
                  file, "title", title, "source", "notes", notes, "panels", panels);
    figure_set_lost(document, lost);
    g_free(file);
    g_free(title);
    return document;
}
