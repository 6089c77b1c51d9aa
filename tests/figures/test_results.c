// SPDX-License-Identifier: GPL-3.0-or-later
// Directories of runs read back, and the files of a gallery, to the letter.
#include "sim/figures/gallery.h"
#include "sim/figures/results.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>
#include <string.h>

#define TABLE                                                                                      \
    "series,rank,size,metric,value\nA,all,1,t_us,2\nA,all,1,b_MB_per_s,3\nA,all,8,t_us,4\n"        \
    "A,all,0,t_us,1\nA,2,8,t_us,5\nA,all,,drops,7\nB,0,,t_us,9\n"
#define MANIFEST                                                                                   \
    "{'scenario': 's', 'x': 1, 'series': [{'name': 'A', 'stack': 'gm', 'status': 'completed', "    \
    "'ledger': {'balanced': false}, 'events': 5, 'counts': 'hosts'}, {'name': 'B', 'status': "     \
    "'failed', 'reason': {'text': 'it broke'}}]}"

// The contents of a manifest (with single quotes) and a table, or the complaint about them.
static char *read_back(const char *manifest, const char *table)
{
    GError *error = NULL;
    char *directory = temporary_directory();
    char *quoted = g_strdelimit(g_strdup(manifest), "'", '"');
    g_free(temporary_file(directory, "manifest.json", quoted));
    if (table)
        g_free(temporary_file(directory, "results.csv", table));
    json_t *result = results_read(directory, &error);
    CU_ASSERT_EQUAL(result == NULL, error != NULL);
    char *dumped = result ? json_dumps(result, JSON_REAL_PRECISION(6)) : NULL;
    char *told = g_strdelimit(g_strdup(dumped ? dumped : error->message), "\"", '\'');
    char **parts = g_strsplit(told, directory, -1), *plain = g_strjoinv("DIR", parts);
    g_strfreev(parts);
    g_free(told);
    free(dumped);
    json_decref(result);
    g_clear_error(&error);
    g_free(quoted);
    temporary_remove(directory);
    return plain;
}

static void test_read(void)
{
    static const char *const samples[][3] = {
        {MANIFEST, TABLE,
         "{'scenario': 's', 'series': [{'name': 'A', 'stack': 'gm', 'counts': 'hosts', 'status': "
         "'lost', 'reason': {'kind': 'messages_lost', 'text': 'the ledger is not balanced'}, "
         "'points': [{'size_bytes': 1, 't_us': 2.0, 'b_MB_per_s': 3.0}, {'size_bytes': 8, 't_us': "
         "4.0}, {'size_bytes': 0, 't_us': 1.0}], 'values': [{'metric': 't_us', 'rank': 2, "
         "'size_bytes': 8, 'unit': 'us', 'value': 5.0}, {'metric': 'drops', 'rank': null, "
         "'size_bytes': null, 'unit': '', 'value': 7.0}]}, {'name': 'B', 'status': 'failed', "
         "'reason': {'text': 'it broke'}, 'points': [], 'values': [{'metric': 't_us', 'rank': 0, "
         "'size_bytes': null, 'unit': 'us', 'value': 9.0}]}]}"},
        {MANIFEST, "series,size,metric,value\nA,1,t,2\nC,1,t,2\n",
         "DIR/results.csv: the manifest beside it has no series 'C'"},
        {MANIFEST, "series,size\n",
         "DIR/results.csv:1: the columns series, size, metric and value are expected here"},
        {"{'series': []}", TABLE,
         "DIR/manifest.json: this is no manifest of a run: it names no scenario"},
        {"{'scenario': 's', 'series': [5]}", TABLE,
         "DIR/manifest.json: series[0]: an object is expected"},
        {"{", TABLE, "DIR/manifest.json:1:1: string or '}' expected near end of file"},
        {"{'scenario': 's', 'series': [], 'results': {'sha256': '12'}}",
         "series,size,metric,value\n",
         "DIR: results.csv (SHA-256 494586efab6c...) is not of the run of manifest.json "
         "(fingerprint unknown, results 12...): one of them was changed, or a run was ended while "
         "it put them there; run it again, or name results.csv alone"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *told = read_back(samples[i][0], samples[i][1]);
        SUITE_SAME_TEXT(told, samples[i][2]);
        g_free(told);
    }
    char *told = read_back(MANIFEST, NULL);
    SUITE_CONTAINS(told, "DIR/results.csv");
    g_free(told);
}

static char *content(const char *directory, const char *name)
{
    char *path = g_build_filename(directory, "data", name, NULL), *text = NULL;
    CU_ASSERT_TRUE(g_file_get_contents(path, &text, NULL, NULL));
    g_free(path);
    return text ? g_strdelimit(text, "\"", '\'') : NULL;
}

static void same_content(const char *directory, const char *name, const char *expected)
{
    char *text = content(directory, name);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

static void test_gallery(void)
{
    struct diag_list *diags = diag_list_new();
    GPtrArray *specs = figure_specs_parse(
        "schema: 1\nabout: who wrote it\nfigures:\n"
        "- {id: a, number: \"1\", file: a, title: t, source: s, claims: [c, d], panels: []}\n"
        "- {id: b, file: b, title: t, source: s, panels: []}\n",
        "f.yaml", diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(specs);
    GPtrArray *documents = g_ptr_array_new();
    json_t *first = json_pack("{s:i}", "x", 1), *second = json_pack("{s:i}", "y", 2);
    json_t *scorecard =
        json_pack("{s:[{s:s, s:s}], s:i}", "claims", "id", "d", "verdict", "holds", "totals", 7);
    g_ptr_array_add(documents, first);
    g_ptr_array_add(documents, second);
    char *directory = temporary_directory();
    GError *error = NULL;
    CU_ASSERT_TRUE(gallery_write(directory, specs, documents, scorecard, NULL, &error));
    same_content(directory, "a.json", "{\n  'x': 1\n}\n");
    same_content(directory, "b.json", "{\n  'y': 2\n}\n");
    char *path = g_build_filename(directory, "data", "gallery.json", NULL);
    json_t *list = json_load_file(path, 0, NULL);
    CU_ASSERT_TRUE(json_is_string(json_object_get(list, "version")));
    json_object_del(list, "version");
    char *dumped = json_dumps(list, 0), *plain = g_strdelimit(g_strdup(dumped), "\"", '\'');
    SUITE_SAME_TEXT(
        plain, "{'gallery': 1, 'totals': 7, 'no_verdicts': null, 'figures': [{'id': 'a', "
               "'number': '1', 'source': 's', 'about': 'who wrote it', 'claims': [{'id': 'c'}, "
               "{'id': 'd', 'verdict': 'holds'}]}, {'id': 'b', 'number': null, 'source': 's', "
               "'about': 'who wrote it', 'claims': []}]}");
    json_decref(list);
    g_free(path);
    g_free(plain);
    free(dumped);
    CU_ASSERT_TRUE(gallery_write(directory, specs, documents, NULL, "too slow", &error));
    char *text = content(directory, "gallery.json");
    SUITE_CONTAINS(text, "'totals': null,\n  'no_verdicts': 'too slow'");
    SUITE_CONTAINS(text, "'id': 'd'\n");
    CU_ASSERT_FALSE(gallery_write("/dev/null/x", specs, documents, NULL, NULL, &error));
    CU_ASSERT_PTR_NOT_NULL(error);
    g_clear_error(&error);
    g_free(text);
    temporary_remove(directory);
    json_decref(first);
    json_decref(second);
    json_decref(scorecard);
    g_ptr_array_unref(documents);
    g_ptr_array_unref(specs);
    diag_list_free(diags);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"directories of runs", test_read},
        {"the files of a gallery", test_gallery},
        {0},
    };
    return suite_run("figures: results and galleries", cases);
}
