// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/json_check.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

// The kinds of members.
enum form { TEXT, TEXT_OR_NULL, COUNT, COUNT_OR_NULL, RANK, NUMBER, LIST, OBJECT, OBJECT_OR_NULL };

struct member {
    const char *name;
    enum form form;
    bool must; // be there
};

// More than this is no count of anything, and the sum over all series of a run does not overflow.
#define MOST (G_GINT64_CONSTANT(1) << 54)

static const struct member of_series[] = {
    {"name", TEXT, false},        {"stack", TEXT, false},
    {"counts", TEXT, false},      {"status", TEXT, true},
    {"fingerprint", TEXT, false}, {"reason", OBJECT_OR_NULL, false},
    {"events", COUNT, false},     {"simulated_s", NUMBER, false},
    {"ledger", OBJECT, false},    {"points", LIST, false},
    {"values", LIST, false},      {"fidelity", TEXT, false},
    {"note", TEXT, false},        {0}};
static const struct member of_reason[] = {
    {"kind", TEXT_OR_NULL, false}, {"text", TEXT_OR_NULL, false}, {0}};
static const struct member of_ledger[] = {
    {"messages", COUNT, false},   {"bytes", COUNT, false},          {"delivered", COUNT, false},
    {"declined", COUNT, false},   {"declined_bytes", COUNT, false}, {"lost", COUNT, false},
    {"duplicated", COUNT, false}, {"misordered", COUNT, false},     {0}};
static const struct member of_point[] = {{"size_bytes", COUNT, true}, {0}};
static const struct member of_value[] = {{"metric", TEXT, true},
                                         {"rank", RANK, false},
                                         {"size_bytes", COUNT_OR_NULL, false},
                                         {"value", NUMBER, false},
                                         {0}};

static bool is_count(const json_t *value, json_int_t most)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= most;
}

static bool fits(const json_t *value, enum form form)
{
    switch (form) {
    case TEXT:
        return json_is_string(value);
    case TEXT_OR_NULL:
        return json_is_string(value) || json_is_null(value);
    case COUNT:
        return is_count(value, MOST);
    case COUNT_OR_NULL:
        return json_is_null(value) || is_count(value, MOST);
    case RANK:
        return json_is_null(value) || is_count(value, G_MAXINT);
    case NUMBER:
        return json_is_number(value) || json_is_null(value); // JSON has no infinity
    case LIST:
        return json_is_array(value);
    case OBJECT:
        return json_is_object(value);
    case OBJECT_OR_NULL:
        return json_is_object(value) || json_is_null(value);
    }
    return false;
}

static const char *const nouns[] = {
    [TEXT] = "a text",
    [TEXT_OR_NULL] = "a text or null",
    [COUNT] = "a whole number from 0 on",
    [COUNT_OR_NULL] = "a whole number from 0 on, or null,",
    [RANK] = "a rank or null",
    [NUMBER] = "a number or null",
    [LIST] = "a list",
    [OBJECT] = "an object",
    [OBJECT_OR_NULL] = "an object or null",
};

// Returns what is wrong with an object's members; `path` ends in a dot, or is empty.
static char *members_problem(const json_t *object, const struct member *members, const char *path)
{
    if (!json_is_object(object))
        return g_strdup_printf("%.*s%san object is expected", (int)strlen(path) - (*path != '\0'),
                               path, *path ? ": " : "");
    for (; members->name; members++) {
        const json_t *value = json_object_get(object, members->name);
        if (value ? !fits(value, members->form) : members->must)
            return g_strdup_printf("%s%s: %s is expected", path, members->name,
                                   nouns[members->form]);
    }
    return NULL;
}

// A point's other members are metrics.
static char *point_problem(const json_t *point, const char *path)
{
    char *problem = members_problem(point, of_point, path);
    const char *metric;
    json_t *value;
    json_object_foreach((json_t *)point, metric, value)
    {
        if (!problem && strcmp(metric, "size_bytes") != 0 && !fits(value, NUMBER))
            problem = g_strdup_printf("%s%s: a number or null is expected", path, metric);
    }
    return problem;
}

static char *value_problem(const json_t *value, const char *path)
{
    return members_problem(value, of_value, path);
}

static char *items_problem(const json_t *series, const char *list,
                           char *(*one)(const json_t *, const char *))
{
    const json_t *item;
    char *problem = NULL;
    size_t i;
    json_array_foreach(json_object_get(series, list), i, item)
    {
        char *path = g_strdup_printf("%s[%zu].", list, i);
        problem = one(item, path);
        g_free(path);
        if (problem)
            break;
    }
    return problem;
}

char *series_problem_json(const json_t *series)
{
    char *problem = members_problem(series, of_series, "");
    const json_t *reason = json_object_get(series, "reason");
    const json_t *ledger = json_object_get(series, "ledger");
    if (!problem && json_is_object(reason))
        problem = members_problem(reason, of_reason, "reason.");
    if (!problem && ledger)
        problem = members_problem(ledger, of_ledger, "ledger.");
    if (!problem)
        problem = items_problem(series, "points", point_problem);
    return problem ? problem : items_problem(series, "values", value_problem);
}

// Of one series among others: that it has a name, which none before it has (name -> index).
static char *name_problem(const json_t *series, size_t index, json_t *names)
{
    const char *name = json_string_value(json_object_get(series, "name"));
    if (!name)
        return g_strdup("name: a text is expected");
    const json_t *first = json_object_get(names, name);
    if (first)
        return g_strdup_printf("name: series[%" JSON_INTEGER_FORMAT "] has the same",
                               json_integer_value(first));
    json_object_set_new(names, name, json_integer((json_int_t)index));
    return NULL;
}

char *json_unread_problem(const char *path, const json_error_t *error)
{
    const char *quoted = strstr(error->text, " near '");
    int length = quoted ? (int)(quoted - error->text) : (int)strlen(error->text);
    return g_strdup_printf("%s:%d:%d: %.*s", path, MAX(error->line, 0), MAX(error->column, 0),
                           length, error->text);
}

char *json_document_problem(const json_t *document)
{
    const json_t *list = json_object_get(document, "series"), *one;
    if (!json_is_array(list))
        return g_strdup("this is no result of netsim: it has no list of series");
    json_t *names = json_object();
    char *problem = NULL, *place = NULL;
    size_t i;
    json_array_foreach(list, i, one)
    {
        problem = series_problem_json(one);
        if (!problem)
            problem = name_problem(one, i, names);
        if (problem)
            break;
    }
    if (problem)
        place = g_strdup_printf("series[%zu]: %s", i, problem);
    g_free(problem);
    json_decref(names);
    return place;
}
