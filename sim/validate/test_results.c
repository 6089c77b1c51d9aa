// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/test_results.h"

#include <string.h>

#define BUILD_PROPERTY "netsim.build"

struct test_results {
    GHashTable *outcomes; // char *, the test's name -> enum test_outcome
    char *build;          // as in the file; NULL: not there
    char *lack;
    char *current; // while reading: the test
};

// ---- Reading ----

static const char *attribute(const char **names, const char **values, const char *wanted)
{
    for (; *names; names++, values++)
        if (strcmp(*names, wanted) == 0)
            return *values;
    return NULL;
}

// Of several outcomes of one name the worst counts.
static void record(struct test_results *results, const char *name, enum test_outcome outcome)
{
    enum test_outcome known = GPOINTER_TO_INT(g_hash_table_lookup(results->outcomes, name));
    if (outcome > known)
        g_hash_table_insert(results->outcomes, g_strdup(name), GINT_TO_POINTER(outcome));
}

static void begin_case(struct test_results *results, const char *name, const char *status)
{
    static const char *const not_run[] = {"notrun", "disabled", NULL};
    g_free(results->current);
    results->current = g_strdup(name);
    if (!name)
        return;
    if (status && g_strv_contains(not_run, status))
        record(results, name, TEST_SKIPPED);
    else
        record(results, name, g_strcmp0(status, "fail") == 0 ? TEST_FAILED : TEST_PASSED);
}

static void on_start(GMarkupParseContext *context, const char *element, const char **names,
                     const char **values, gpointer owner, GError **error)
{
    (void)context, (void)error;
    struct test_results *results = owner;
    if (strcmp(element, "property") == 0 &&
        g_strcmp0(attribute(names, values, "name"), BUILD_PROPERTY) == 0) {
        g_free(results->build);
        results->build = g_strdup(attribute(names, values, "value"));
    } else if (strcmp(element, "testcase") == 0) {
        begin_case(results, attribute(names, values, "name"), attribute(names, values, "status"));
    } else if (results->current && strcmp(element, "skipped") == 0) {
        g_hash_table_insert(results->outcomes, g_strdup(results->current),
                            GINT_TO_POINTER(TEST_SKIPPED));
    } else if (results->current &&
               (strcmp(element, "failure") == 0 || strcmp(element, "error") == 0)) {
        record(results, results->current, TEST_FAILED);
    }
}

static void on_end(GMarkupParseContext *context, const char *element, gpointer owner,
                   GError **error)
{
    (void)context, (void)error;
    struct test_results *results = owner;
    if (strcmp(element, "testcase") == 0)
        g_clear_pointer(&results->current, g_free);
}

static bool parse(struct test_results *results, const char *text, gsize length, GError **error)
{
    static const GMarkupParser parser = {.start_element = on_start, .end_element = on_end};
    GMarkupParseContext *context =
        g_markup_parse_context_new(&parser, (GMarkupParseFlags)0, results, NULL);
    bool good = g_markup_parse_context_parse(context, text, (gssize)length, error) &&
                g_markup_parse_context_end_parse(context, error);
    g_markup_parse_context_free(context);
    return good;
}

struct test_results *test_results_load(const char *file, const char *build)
{
    struct test_results *results = g_new0(struct test_results, 1);
    results->outcomes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GError *error = NULL;
    char *text = NULL;
    gsize length;
    if (!file || !g_file_test(file, G_FILE_TEST_EXISTS))
        results->lack = g_strdup("the tests of this build were not run");
    else if (!g_file_get_contents(file, &text, &length, &error) ||
             !parse(results, text, length, &error))
        results->lack =
            g_strdup_printf("the results of the tests can't be read: %s", error->message);
    else if (g_strcmp0(results->build, build) != 0)
        results->lack = g_strdup("the results of the tests are those of another build");
    if (results->lack)
        g_hash_table_remove_all(results->outcomes);
    g_clear_error(&error);
    g_free(text);
    return results;
}

void test_results_free(struct test_results *results)
{
    if (!results)
        return;
    g_hash_table_destroy(results->outcomes);
    g_free(results->build);
    g_free(results->lack);
    g_free(results->current);
    g_free(results);
}

// ---- Asking ----

const char *test_results_lack(const struct test_results *results)
{
    return results->lack;
}

// The caller frees it; NULL if it is not a test's source.
static char *test_name(const char *source)
{
    char **parts = g_strsplit(source, "/", -1), *name = NULL;
    if (g_strv_length(parts) == 3 && g_str_has_prefix(parts[2], "test_")) {
        name = g_strconcat("test_", parts[1], parts[2] + strlen("test"), NULL);
        if (g_str_has_suffix(name, ".c"))
            name[strlen(name) - strlen(".c")] = '\0';
    } else if (g_strv_length(parts) == 4 && g_str_has_suffix(parts[3], ".case")) {
        name = g_strconcat("test_", parts[1], "_", parts[2], NULL);
    }
    g_strfreev(parts);
    return name;
}

enum test_outcome test_results_of(const struct test_results *results, const char *source)
{
    char *name = test_name(source);
    gpointer outcome = name ? g_hash_table_lookup(results->outcomes, name) : NULL;
    g_free(name);
    return outcome ? GPOINTER_TO_INT(outcome) : TEST_NOT_RUN;
}
