// SPDX-License-Identifier: GPL-3.0-or-later
// The document of a page: a part for each run and sweep, and all of them in one picture.
#include "sim/cli/plot.h"
#include "sim/cli/report.h"
#include "sim/cli/sweep.h"

#include <string.h>

// ---- Parts ----

// The results of a word: a directory may hold a run, a sweep or both.
struct page_word {
    const char *word;
    char *run, *database; // NULL: it has none
};

static char *page_path_if_there(const char *directory, const char *name)
{
    char *path = g_build_filename(directory, name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS))
        return path;
    g_free(path);
    return NULL;
}

static bool page_word_init(struct page_word *of, const char *word, GError **error)
{
    *of = (struct page_word){.word = word};
    if (!g_file_test(word, G_FILE_TEST_EXISTS)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                    "%s: no such directory or database; netsim run and netsim sweep write them",
                    word);
        return false;
    }
    if (!g_file_test(word, G_FILE_TEST_IS_DIR)) {
        of->database = g_strdup(word);
        return true;
    }
    char *manifest = page_path_if_there(word, "manifest.json");
    of->run = manifest ? g_strdup(word) : NULL;
    of->database = page_path_if_there(word, SWEEP_DATABASE);
    g_free(manifest);
    if (!of->run && !of->database)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                    "%s: a directory without results: neither the manifest.json of netsim run nor "
                    "the " SWEEP_DATABASE " of netsim sweep",
                    word);
    return of->run || of->database;
}

// Adds a part with its word; takes the part over.
static bool page_add(json_t *parts, json_t *part, const struct page_word *of)
{
    if (!part)
        return false;
    json_object_set_new(part, "word", json_string(of->word));
    json_array_append_new(parts, part);
    return true;
}

static bool page_add_word(json_t *parts, const char *word, const struct page_arguments *arguments,
                          GError **error)
{
    struct page_word of;
    bool good = page_word_init(&of, word, error);
    if (good && of.run)
        good = page_add(parts, page_run(of.run, arguments, error), &of);
    if (good && of.database)
        good = page_add(parts, page_sweep(of.database, error), &of);
    g_free(of.run);
    g_free(of.database);
    return good;
}

// ---- The page ----

// All words in one picture, as netsim plot draws it; NULL: they can't share one.
static json_t *page_together(char *const *words, int count, json_t *notes)
{
    const struct plot_arguments plain = {.quiet = TRUE};
    GError *error = NULL;
    json_t *document = plot_document(words, count, &plain, &error);
    if (!document) {
        char *note = g_strdup_printf("not in one picture: %s",
                                     error ? error->message : "netsim plot refuses it");
        json_array_append_new(notes, json_string(note));
        g_free(note);
    }
    g_clear_error(&error);
    return document;
}

static const char *page_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// The title of the one part, or the scenarios' names.
static char *page_title(const json_t *parts)
{
    if (json_array_size(parts) == 1)
        return g_strdup(page_text(json_array_get(parts, 0), "title"));
    GString *title = g_string_new(NULL);
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    size_t i;
    const json_t *part;
    json_array_foreach(parts, i, part)
    {
        const char *name = page_text(part, "scenario");
        if (name && g_hash_table_add(seen, (gpointer)name))
            g_string_append_printf(title, "%s%s", title->len ? ", " : "", name);
    }
    g_hash_table_unref(seen);
    return g_string_free(title, FALSE);
}

static json_t *page_command(char *const *words, int count)
{
    json_t *command = json_pack("[s, s]", "netsim", "report");
    for (int i = 0; i < count; i++)
        json_array_append_new(command, json_string(words[i]));
    return command;
}

// Results of different programs may differ for that reason alone. Runs have the version, sweeps the
// hash of the sources.
static void page_note_programs(const json_t *parts, json_t *notes)
{
    size_t i, k;
    const json_t *part, *other;
    json_array_foreach(parts, i, part)
    {
        json_array_foreach(parts, k, other)
        {
            if (g_strcmp0(page_text(part, "kind"), page_text(other, "kind")) != 0 ||
                g_strcmp0(page_text(part, "source"), page_text(other, "source")) == 0)
                continue;
            json_array_append_new(
                notes, json_string("the results are of different versions of netsim, and may "
                                   "differ for that reason"));
            return;
        }
    }
}

json_t *page_document(char *const *words, int count, const struct page_arguments *arguments,
                      GError **error)
{
    json_t *parts = json_array(), *notes = json_array(), *page = NULL;
    bool good = true;
    for (int i = 0; good && i < count; i++)
        good = page_add_word(parts, words[i], arguments, error);
    if (good) {
        page_note_programs(parts, notes);
        json_t *together = count > 1 ? page_together(words, count, notes) : NULL;
        char *title = page_title(parts);
        page = json_pack("{s:i, s:s, s:s, s:o, s:O, s:o?, s:O}", "page", 1, "version",
                         NETSIM_VERSION, "title", title, "command", page_command(words, count),
                         "notes", notes, "together", together, "parts", parts);
        g_free(title);
    }
    json_decref(parts);
    json_decref(notes);
    return page;
}
