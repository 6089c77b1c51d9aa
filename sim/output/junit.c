// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/junit.h"

#include <glib.h>
#include <stdbool.h>

// Checks share runs, so that none has a duration of its own; some servers demand one.
#define NO_TIME "0"

struct junit_case {
    char *class_name, *name;
    enum junit_outcome outcome;
    char *type, *message;
};

struct junit_suite {
    char *name;
    GPtrArray *cases; // struct junit_case *
};

struct junit {
    GPtrArray *suites; // struct junit_suite *
};

// ---- Create and free ----

static void junit_case_free(gpointer data)
{
    struct junit_case *one = data;
    g_free(one->class_name);
    g_free(one->name);
    g_free(one->type);
    g_free(one->message);
    g_free(one);
}

static void junit_suite_free(gpointer data)
{
    struct junit_suite *suite = data;
    g_free(suite->name);
    g_ptr_array_unref(suite->cases);
    g_free(suite);
}

struct junit *junit_new(void)
{
    struct junit *junit = g_new0(struct junit, 1);
    junit->suites = g_ptr_array_new_with_free_func(junit_suite_free);
    return junit;
}

void junit_free(struct junit *junit)
{
    g_ptr_array_unref(junit->suites);
    g_free(junit);
}

static struct junit_suite *junit_suite_named(struct junit *junit, const char *name)
{
    for (guint i = 0; i < junit->suites->len; i++) {
        struct junit_suite *suite = g_ptr_array_index(junit->suites, i);
        if (g_str_equal(suite->name, name))
            return suite;
    }
    struct junit_suite *suite = g_new0(struct junit_suite, 1);
    suite->name = g_strdup(name);
    suite->cases = g_ptr_array_new_with_free_func(junit_case_free);
    g_ptr_array_add(junit->suites, suite);
    return suite;
}

void junit_add(struct junit *junit, const char *suite, const char *class_name, const char *name,
               enum junit_outcome outcome, const char *type, const char *message)
{
    struct junit_case *one = g_new0(struct junit_case, 1);
    one->class_name = g_strdup(class_name);
    one->name = g_strdup(name);
    one->outcome = outcome;
    one->type = g_strdup(type);
    one->message = g_strdup(message ? message : "");
    g_ptr_array_add(junit_suite_named(junit, suite)->cases, one);
}

// ---- Text ----

// Escapes text for XML 1.0 and replaces characters that the standard excludes by blanks.
static void append_xml(GString *out, const char *text)
{
    char *valid = g_utf8_make_valid(text, -1);
    GString *plain = g_string_new(NULL);
    for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        bool taken = character >= ' ' && character != 0xFFFE && character != 0xFFFF;
        g_string_append_unichar(plain, taken ? character : ' ');
    }
    char *escaped = g_markup_escape_text(plain->str, -1);
    g_string_append(out, escaped);
    g_free(escaped);
    g_string_free(plain, TRUE);
    g_free(valid);
}

static void append_attribute(GString *out, const char *name, const char *text)
{
    g_string_append_printf(out, " %s=\"", name);
    append_xml(out, text);
    g_string_append_c(out, '"');
}

// Some servers show a failure's attribute, some its text; of a skipped case, the attribute.
static void append_junit_outcome(GString *out, const struct junit_case *one)
{
    if (one->outcome == JUNIT_FAILED) {
        g_string_append(out, "      <failure");
        append_attribute(out, "message", one->message);
        append_attribute(out, "type", one->type ? one->type : "failed");
        g_string_append_c(out, '>');
        append_xml(out, one->message);
        g_string_append(out, "</failure>\n");
    } else {
        g_string_append(out, "      <skipped");
        append_attribute(out, "message", one->message);
        g_string_append(out, "/>\n");
    }
}

static void append_junit_case(GString *out, const struct junit_case *one)
{
    g_string_append(out, "    <testcase");
    append_attribute(out, "classname", one->class_name);
    append_attribute(out, "name", one->name);
    append_attribute(out, "time", NO_TIME);
    if (one->outcome == JUNIT_PASSED) {
        g_string_append(out, "/>\n");
        return;
    }
    g_string_append(out, ">\n");
    append_junit_outcome(out, one);
    g_string_append(out, "    </testcase>\n");
}

static int count_outcomes(const struct junit_suite *suite, enum junit_outcome outcome)
{
    int count = 0;
    for (guint i = 0; i < suite->cases->len; i++)
        count +=
            ((const struct junit_case *)g_ptr_array_index(suite->cases, i))->outcome == outcome;
    return count;
}

static void append_counts(GString *out, int tests, int failures, int skipped)
{
    g_string_append_printf(
        out, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"" NO_TIME "\">\n",
        tests, failures, skipped);
}

static void append_junit_suite(GString *out, const struct junit_suite *suite)
{
    g_string_append(out, "  <testsuite");
    append_attribute(out, "name", suite->name);
    append_counts(out, (int)suite->cases->len, count_outcomes(suite, JUNIT_FAILED),
                  count_outcomes(suite, JUNIT_SKIPPED));
    for (guint i = 0; i < suite->cases->len; i++)
        append_junit_case(out, g_ptr_array_index(suite->cases, i));
    g_string_append(out, "  </testsuite>\n");
}

char *junit_text(const struct junit *junit)
{
    int tests = 0, failures = 0, skipped = 0;
    for (guint i = 0; i < junit->suites->len; i++) {
        const struct junit_suite *suite = g_ptr_array_index(junit->suites, i);
        tests += (int)suite->cases->len;
        failures += count_outcomes(suite, JUNIT_FAILED);
        skipped += count_outcomes(suite, JUNIT_SKIPPED);
    }
    GString *out = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    g_string_append(out, "<testsuites name=\"netsim\"");
    append_counts(out, tests, failures, skipped);
    for (guint i = 0; i < junit->suites->len; i++)
        append_junit_suite(out, g_ptr_array_index(junit->suites, i));
    g_string_append(out, "</testsuites>\n");
    return g_string_free(out, FALSE);
}
