// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a page that is a sweep: its pictures over each axis, its report, its means.
#include "sim/cli/report.h"

#include "sim/campaign/store.h"
#include "sim/figures/swept.h"
#include "sim/outcome/outcome_report.h"

#include <string.h>

#define PAGE_MOST_AXES 4 // with pictures of their own

static bool page_add_swept(json_t *pictures, const char *title, const char *database, const char *x,
                           GError **error)
{
    const struct choice_words words = {.x = x};
    struct choice *choice = choice_new(&words, error);
    json_t *document = choice ? swept_document(database, choice, false, error) : NULL;
    if (document && json_array_size(json_object_get(document, "panels")) > 0)
        json_array_append_new(pictures,
                              json_pack("{s:s, s:O}", "title", title, "document", document));
    bool good = document != NULL;
    json_decref(document);
    if (choice)
        choice_free(choice);
    return good;
}

// The picture that netsim plot chooses, and lines over each axis that changes something.
static json_t *page_swept_pictures(const char *database, const struct outcome *outcome,
                                   const json_t *report, GError **error)
{
    json_t *pictures = json_array(), *axes = json_object_get(report, "axes"), *axis;
    bool good = page_add_swept(pictures, "what does most", database, NULL, error);
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        const char *name = json_string_value(json_object_get(axis, "name"));
        if (!good || i >= PAGE_MOST_AXES || outcome_axis_at(outcome, (int)i)->values->len < 2 ||
            json_is_true(json_object_get(axis, "changed_nothing")))
            continue;
        char *title = g_strdup_printf("over %s", name);
        page_add_swept(pictures, title, database, name, NULL); // an axis may be none of a picture's
        g_free(title);
    }
    if (!good)
        g_clear_pointer(&pictures, json_decref);
    return pictures;
}

// A command that makes this sweep, as databases keep none; NULL if its parameters vary together.
static char *page_sweep_command(const struct outcome *outcome, const json_t *report)
{
    if (outcome->axes->len != outcome->parameters->len)
        return NULL;
    GString *text = g_string_new("netsim sweep ");
    char *scenario = g_shell_quote(outcome->scenario);
    g_string_append(text, scenario);
    g_free(scenario);
    for (guint i = 0; i < outcome->axes->len; i++) {
        const struct outcome_axis *axis = outcome_axis_at(outcome, (int)i);
        g_ptr_array_add(axis->values, NULL);
        char *values = g_strjoinv(",", (char **)axis->values->pdata);
        g_ptr_array_set_size(axis->values, (int)axis->values->len - 1);
        char *set = g_strdup_printf("%s=%s", axis->name, values), *quoted = g_shell_quote(set);
        g_string_append_printf(text, " --set %s", quoted);
        g_free(quoted);
        g_free(set);
        g_free(values);
    }
    size_t seeds = json_array_size(json_object_get(report, "seeds"));
    size_t draws = json_array_size(json_object_get(report, "draws"));
    if (seeds > 1)
        g_string_append_printf(text, " --seeds %zu", seeds);
    if (draws > 0)
        g_string_append_printf(text, " --draws %zu", draws);
    return g_string_free(text, FALSE);
}

static json_t *page_swept_tables(const struct outcome *outcome, const char *database)
{
    GString *csv = outcome_means_csv(outcome);
    json_t *tables = json_array(), *table = page_table("values", database, csv->str);
    if (table)
        json_array_append_new(tables, table);
    g_string_free(csv, TRUE);
    return tables;
}

json_t *page_sweep(const char *database, GError **error)
{
    struct store *store = store_open_existing(database, error);
    struct outcome *outcome = store ? outcome_read(store, error) : NULL;
    json_t *part = NULL;
    if (outcome) {
        json_t *report = outcome_report_json(outcome);
        json_t *pictures = page_swept_pictures(database, outcome, report, error);
        char *command = page_sweep_command(outcome, report);
        const char *title = outcome->description ? outcome->description : outcome->scenario;
        if (pictures)
            part = json_pack("{s:s, s:s, s:s, s:s, s:s, s:O, s:o, s:s?, s:[]}", "kind", "sweep",
                             "label", outcome->scenario, "scenario", outcome->scenario, "title",
                             title, "source", outcome->source, "report", report, "tables",
                             page_swept_tables(outcome, database), "command", command, "notes");
        if (part)
            json_object_set(part, "pictures", pictures);
        json_decref(pictures);
        json_decref(report);
        g_free(command);
        outcome_free(outcome);
    }
    store_close(store);
    return part;
}
