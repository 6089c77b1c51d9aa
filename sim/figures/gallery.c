// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/gallery.h"

#include "sim/output/file.h"
#include "sim/output/json.h"

#include <string.h>

// "6.1", "via.fig.6_1", "via.*", or an id without the name of its system: "fig.6_1".
static bool names(const char *word, const struct figure_spec *figure)
{
    const char *system_end = strchr(figure->id, '.');
    return g_strcmp0(word, figure->number) == 0 || g_pattern_match_simple(word, figure->id) ||
           (system_end && strcmp(word, system_end + 1) == 0);
}

GPtrArray *gallery_select(const GPtrArray *specs, char **words, const char **unknown)
{
    GPtrArray *found = g_ptr_array_new();
    *unknown = NULL;
    for (char **word = words; word && *word; word++) {
        bool any = false;
        for (guint i = 0; i < specs->len; i++)
            any = any || names(*word, g_ptr_array_index(specs, i));
        if (!any)
            *unknown = *word;
    }
    for (guint i = 0; i < specs->len; i++) {
        bool wanted = !words || !*words;
        for (char **word = words; word && *word; word++)
            wanted = wanted || names(*word, g_ptr_array_index(specs, i));
        if (wanted)
            g_ptr_array_add(found, g_ptr_array_index(specs, i));
    }
    if (!*unknown)
        return found;
    g_ptr_array_unref(found);
    return NULL;
}

GPtrArray *gallery_claims(const GPtrArray *figures)
{
    GPtrArray *claims = g_ptr_array_new();
    for (guint i = 0; i < figures->len; i++) {
        const struct figure_spec *figure = g_ptr_array_index(figures, i);
        for (const char *const *claim = figure->claims; *claim; claim++)
            if (!g_ptr_array_find_with_equal_func(claims, *claim, g_str_equal, NULL))
                g_ptr_array_add(claims, (gpointer)*claim);
    }
    g_ptr_array_add(claims, NULL);
    return claims;
}

static bool write_json(const char *folder, const char *name, json_t *document, GError **error)
{
    char *text = document_text(json_incref(document));
    char *path = g_build_filename(folder, name, NULL);
    bool written = file_put(path, text, strlen(text), error);
    g_free(path);
    g_free(text);
    return written;
}

// The scorecard's line on a claim, borrowed, or NULL.
static json_t *verdict_on(json_t *scorecard, const char *claim)
{
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(scorecard, "claims"), index, one)
    {
        if (g_strcmp0(json_string_value(json_object_get(one, "id")), claim) == 0)
            return one;
    }
    return NULL;
}

static json_t *entry_of(const struct figure_spec *figure, json_t *scorecard)
{
    json_t *claims = json_array();
    for (const char *const *claim = figure->claims; *claim; claim++) {
        json_t *verdict = scorecard ? verdict_on(scorecard, *claim) : NULL;
        if (verdict)
            json_array_append(claims, verdict);
        else
            json_array_append_new(claims, json_pack("{s:s}", "id", *claim));
    }
    return json_pack("{s:s,s:s?,s:s,s:s?,s:o}", "id", figure->id, "number", figure->number,
                     "source", figure->source, "about", figure->about, "claims", claims);
}

static json_t *listing(const GPtrArray *figures, json_t *scorecard, const char *no_verdicts)
{
    json_t *entries = json_array();
    for (guint i = 0; i < figures->len; i++)
        json_array_append_new(entries, entry_of(g_ptr_array_index(figures, i), scorecard));
    return json_pack("{s:i,s:s,s:O?,s:s?,s:o}", "gallery", 1, "version", NETSIM_VERSION, "totals",
                     json_object_get(scorecard, "totals"), "no_verdicts", no_verdicts, "figures",
                     entries);
}

bool gallery_write(const char *directory, const GPtrArray *figures, const GPtrArray *documents,
                   json_t *scorecard, const char *no_verdicts, GError **error)
{
    char *folder = g_build_filename(directory, "data", NULL);
    bool good = file_make_directory(folder, error);
    for (guint i = 0; good && i < figures->len; i++) {
        const struct figure_spec *figure = g_ptr_array_index(figures, i);
        char *name = g_strconcat(figure->id, ".json", NULL);
        good = write_json(folder, name, g_ptr_array_index(documents, i), error);
        g_free(name);
    }
    json_t *list = listing(figures, scorecard, no_verdicts);
    good = good && write_json(folder, "gallery.json", list, error);
    json_decref(list);
    g_free(folder);
    return good;
}

bool gallery_draw(const char *directory, const char *python, const char *data_dir,
                  const char *format, python_line_fn *drawn, void *owner, GError **error)
{
    char *list = g_build_filename(directory, "data", "gallery.json", NULL);
    const char *const arguments[] = {"--format", format, "--gallery", "--", list, directory, NULL};
    struct python_call call = {.python = python,
                               .data_dir = data_dir,
                               .script = "draw.py",
                               .arguments = arguments,
                               .line = drawn,
                               .owner = owner};
    bool good = python_run(&call, error);
    g_free(list);
    return good;
}
