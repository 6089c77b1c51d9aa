// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/manifest.h"

#include "sim/output/file.h"
#include "sim/output/json.h"
#include "sim/output/text.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/utsname.h>

#define MANIFEST "manifest.json"
#define RESULTS "results.csv"
#define EXECUTION "execution" // the last member, which differs from run to run

static json_t *manifest_string(const char *text)
{
    if (!text)
        return json_null();
    char *valid = g_utf8_make_valid(text, -1);
    json_t *string = json_string(valid);
    g_free(valid);
    return string;
}

static json_t *manifest_host(void)
{
    json_t *host = json_object();
    struct utsname name;
    if (uname(&name) == 0) {
        json_object_set_new(host, "name", manifest_string(name.nodename));
        json_object_set_new(host, "system", manifest_string(name.sysname));
        json_object_set_new(host, "release", manifest_string(name.release));
        json_object_set_new(host, "machine", manifest_string(name.machine));
    }
    json_object_set_new(host, "cpus", json_integer(g_get_num_processors()));
    return host;
}

static json_t *manifest_time(gint64 microseconds)
{
    GDateTime *seconds = g_date_time_new_from_unix_utc(microseconds / G_USEC_PER_SEC);
    GDateTime *time = g_date_time_add(seconds, microseconds % G_USEC_PER_SEC);
    char *text = g_date_time_format_iso8601(time);
    json_t *string = json_string(text);
    g_free(text);
    g_date_time_unref(time);
    g_date_time_unref(seconds);
    return string;
}

static json_t *manifest_execution_json(const struct result *result,
                                       const struct manifest_execution *execution)
{
    json_t *object = json_object(), *command = json_array(), *wall = json_array();
    for (int i = 0; i < execution->argc; i++)
        json_array_append_new(command, manifest_string(execution->argv[i]));
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        json_array_append_new(wall, json_real(series->wall_s));
    }
    char *directory = g_get_current_dir();
    json_object_set_new(object, "started", manifest_time(execution->started));
    json_object_set_new(object, "wall_s", json_real(result_wall_s(result)));
    json_object_set_new(object, "series_wall_s", wall);
    json_object_set_new(object, "command", command);
    json_object_set_new(object, "directory", manifest_string(directory));
    json_object_set_new(object, "host", manifest_host());
    if (json_array_size(execution->files) > 0)
        json_object_set(object, "files", execution->files);
    g_free(directory);
    return object;
}

// Each series of the run and how it ended; the case holds every parameter with value and
// origin.
static json_t *manifest_series(const struct scenario *scenario, const struct result *result)
{
    json_t *list = json_array();
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *one = g_ptr_array_index(result->series, i);
        json_t *series = series_outcome_json(one);
        if (one->number < (int)scenario->cases->len)
            json_object_set_new(
                series, "case",
                scenario_case_json(g_ptr_array_index(scenario->cases, one->number)));
        json_array_append_new(list, series);
    }
    return list;
}

// The files that only some runs have, and the members of "results" that name them.
static const struct {
    const char *member, *file;
} manifest_extras[MANIFEST_EXTRAS] = {
    [MANIFEST_SAMPLES] = {"samples", "samples.csv"},
    [MANIFEST_LINKS] = {"links", "links.csv"},
    [MANIFEST_LINKS_BY_SIZE] = {"links_by_size", "links_by_size.csv"},
};

const char *manifest_extra_file(enum manifest_extra extra)
{
    return manifest_extras[extra].file;
}

// Whether each of them is written for a series.
static bool manifest_has_extra(const struct series_result *series, enum manifest_extra extra)
{
    const void *const has[MANIFEST_EXTRAS] = {series->samples, series->links, series->link_sizes};
    return has[extra] != NULL;
}

// The manifest's description of the results.
static json_t *manifest_results(const struct result *result, const char *csv)
{
    char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, csv, -1);
    json_t *results = json_pack("{s:s, s:s}", "file", RESULTS, "sha256", digest);
    g_free(digest);
    for (int extra = 0; extra < MANIFEST_EXTRAS; extra++)
        for (guint i = 0; i < result->series->len; i++)
            if (manifest_has_extra(g_ptr_array_index(result->series, i),
                                   (enum manifest_extra)extra))
                json_object_set_new(results, manifest_extras[extra].member,
                                    json_string(manifest_extras[extra].file));
    return results;
}

// Removes those of the files that the run before has left in a directory and this one has not.
static void manifest_remove_stale(const char *directory, const json_t *before,
                                  const GString *const *texts)
{
    for (int extra = 0; extra < MANIFEST_EXTRAS; extra++) {
        if (texts[extra] || !json_object_get(before, manifest_extras[extra].member))
            continue;
        char *old = g_build_filename(directory, manifest_extras[extra].file, NULL);
        g_unlink(old);
        g_free(old);
    }
}

// Whether both are of one scenario, with the same settings and seed.
static bool manifest_is_alike(const json_t *manifest, const json_t *before)
{
    const json_t *new = json_object_get(manifest, "series"),
                 *old = json_object_get(before, "series");
    bool same = json_equal(json_object_get(before, "seed"), json_object_get(manifest, "seed")) &&
                json_array_size(old) == json_array_size(new);
    for (size_t i = 0; same && i < json_array_size(new); i++)
        same = json_equal(json_object_get(json_array_get(new, i), "case"),
                          json_object_get(json_array_get(old, i), "case"));
    return same;
}

// Whether two manifests are equal up to what the execution adds at their end. Then they need not be
// parsed, which takes longer than a short run.
static bool texts_alike(const char *text, const char *before)
{
    const char *execution = strstr(text, "\n  \"" EXECUTION "\": ");
    return execution && before && strncmp(text, before, (size_t)(execution - text)) == 0;
}

bool manifest_write(const char *directory, json_t *manifest, const char *csv,
                    const GString *const extras[MANIFEST_EXTRAS], bool *other, GError **error)
{
    char *json = document_text(json_incref(manifest)), *old = NULL;
    char *path = g_build_filename(directory, MANIFEST, NULL);
    bool alike = g_file_get_contents(path, &old, NULL, NULL) && texts_alike(json, old);
    json_t *before = old && !alike ? json_loads(old, 0, NULL) : NULL;
    *other = before && !manifest_is_alike(manifest, before);
    // The manifest first: whatever happens between the two, it names the results it goes with.
    struct file_text texts[2 + MANIFEST_EXTRAS] = {{MANIFEST, json, strlen(json)},
                                                   {RESULTS, csv, strlen(csv)}};
    int count = 2;
    for (int extra = 0; extra < MANIFEST_EXTRAS; extra++)
        if (extras[extra])
            texts[count++] = (struct file_text){manifest_extras[extra].file, extras[extra]->str,
                                                extras[extra]->len};
    bool written = file_put_all(directory, texts, count, error);
    if (written)
        manifest_remove_stale(directory, json_object_get(before, "results"), extras);
    json_decref(before);
    g_free(old);
    g_free(path);
    g_free(json);
    return written;
}

bool manifest_is_of(const json_t *manifest, const char *directory, const char *csv, GError **error)
{
    const json_t *results = json_object_get(manifest, "results");
    const char *named = json_string_value(json_object_get(results, "sha256"));
    const char *fingerprint = json_string_value(json_object_get(manifest, "fingerprint"));
    // The text of a file: what is shown of it must not end within a character.
    char *start = named ? g_utf8_make_valid(named, (gssize)MIN(strlen(named), 12)) : NULL;
    char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, csv, -1);
    bool same = !named || strcmp(named, digest) == 0;
    if (!same)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s: " RESULTS " (SHA-256 %.12s...) is not of the run of " MANIFEST
                    " (fingerprint %s, results %s...): one of them was changed, or a run was "
                    "ended while it put them there; run it again, or name " RESULTS " alone",
                    directory, digest, fingerprint ? fingerprint : "unknown", start);
    g_free(digest);
    g_free(start);
    return same;
}

json_t *manifest_json(const struct scenario *scenario, const struct result *result,
                      const struct manifest_execution *execution, const char *csv)
{
    struct ledger_totals totals = result_ledger(result);
    char *fingerprint = text_fingerprint(result_fingerprint(result));
    json_t *manifest = json_object();
    json_object_set_new(manifest, "manifest", json_integer(MANIFEST_SCHEMA));
    json_object_set_new(manifest, "program", json_string("netsim"));
    json_object_set_new(manifest, "version", manifest_string(execution->version));
    json_object_set_new(manifest, "scenario", manifest_string(scenario->name));
    json_object_set_new(manifest, "description", manifest_string(scenario->description));
    json_object_set_new(manifest, "file", manifest_string(scenario->file));
    json_object_set_new(manifest, "seed", json_integer((json_int_t)result->seed));
    if (scenario->draw)
        json_object_set_new(manifest, "draw", json_integer((json_int_t)scenario->draw));
    json_object_set_new(manifest, "status", json_string(sim_status_name(result_status(result))));
    json_object_set_new(manifest, "fingerprint", json_string(fingerprint));
    json_object_set_new(manifest, "events", json_integer((json_int_t)result_events(result)));
    json_object_set_new(manifest, "ledger", ledger_json(&totals));
    json_object_set_new(manifest, "results", manifest_results(result, csv));
    json_object_set_new(manifest, "series", manifest_series(scenario, result));
    json_object_set_new(manifest, EXECUTION, manifest_execution_json(result, execution));
    g_free(fingerprint);
    return manifest;
}
