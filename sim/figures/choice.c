// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/choice.h"

#include "sim/config/quantity.h"
#include "sim/measure/result.h"
#include "sim/output/text.h"

#include <string.h>

// Names that the user may choose among: series or metrics.
struct choice_names {
    const char *what;                               // "series"
    const char *option;                             // "--series"
    bool (*is)(const char *name, const char *word); // whether a user's word means a name
    char **chosen;                                  // NULL: all
    bool *met;                                      // of the chosen ones: whether it exists
    GPtrArray *known;                               // char *: what there is, as first met
};

struct size_range {
    int64_t low, high;
};

struct choice {
    struct choice_words words;
    struct choice_names series, metrics;
    GArray *sizes; // struct size_range; empty: all
};

// The axes of a picture, and the scales that a user may give them.
static const char *const axis_names[] = {"x", "y"};

// ---- Names ----

static bool is_same(const char *name, const char *word)
{
    return strcmp(name, word) == 0;
}

static void names_init(struct choice_names *names, struct choice_names as, char **chosen)
{
    *names = as;
    names->chosen = chosen;
    names->met = g_new0(bool, chosen ? g_strv_length(chosen) + 1 : 1);
    names->known = g_ptr_array_new_with_free_func(g_free);
}

static void names_clear(struct choice_names *names)
{
    g_free(names->met);
    g_ptr_array_unref(names->known);
}

// Whether a name is chosen.
static bool names_take(struct choice_names *names, const char *name)
{
    if (!g_ptr_array_find_with_equal_func(names->known, name, g_str_equal, NULL))
        g_ptr_array_add(names->known, g_strdup(name));
    bool taken = !names->chosen;
    for (int i = 0; names->chosen && names->chosen[i]; i++)
        if (names->is(name, names->chosen[i]))
            taken = names->met[i] = true;
    return taken;
}

static bool names_check(const struct choice_names *names, GError **error)
{
    for (int i = 0; names->chosen && names->chosen[i]; i++) {
        if (names->met[i])
            continue;
        GString *list = g_string_new(NULL);
        for (guint k = 0; k < names->known->len; k++)
            g_string_append_printf(list, "%s%s", k ? ", " : "",
                                   (char *)g_ptr_array_index(names->known, k));
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s %s: there is no such %s here (%s)",
                    names->option, names->chosen[i], names->what,
                    list->len > 0 ? list->str : "nothing was measured");
        g_string_free(list, TRUE);
        return false;
    }
    return true;
}

// ---- Sizes ----

// A size with its unit, or a number of bytes.
static bool read_size(const char *given, const char *text, int64_t *size, GError **error)
{
    struct quantity quantity;
    char *problem = NULL, *hint = NULL;
    bool plain = *text && !text[strspn(text, "0123456789")];
    char *bytes = g_strconcat(text, plain ? " B" : NULL, NULL);
    bool good = quantity_parse(bytes, QUANTITY_SIZE, &quantity, &problem, &hint);
    g_free(bytes);
    if (good && quantity.integer < 0) {
        good = false;
        problem = g_strdup("a size is not negative");
    }
    if (good)
        *size = quantity.integer;
    else
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "--size %s: %s%s%s%s", given, problem,
                    hint ? " (" : "", hint ? hint : "", hint ? ")" : "");
    g_free(problem);
    g_free(hint);
    return good;
}

// "64 KiB" or "1 KiB..1 MiB".
static bool choice_read_range(const char *given, GArray *ranges, GError **error)
{
    char **ends = g_strsplit(given, "..", 2);
    struct size_range range = {0};
    bool good = read_size(given, g_strstrip(ends[0]), &range.low, error);
    range.high = range.low;
    if (good && ends[0] && ends[1])
        good = read_size(given, g_strstrip(ends[1]), &range.high, error);
    if (good && range.high < range.low) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "--size %s: the range goes from the larger to the smaller size", given);
        good = false;
    }
    if (good)
        g_array_append_val(ranges, range);
    g_strfreev(ends);
    return good;
}

bool choice_takes_size(const struct choice *choice, int64_t size)
{
    bool taken = choice->sizes->len == 0;
    for (guint i = 0; i < choice->sizes->len; i++) {
        const struct size_range *range = &g_array_index(choice->sizes, struct size_range, i);
        taken = taken || (range->low <= size && size <= range->high);
    }
    return taken;
}

// ---- Making one ----

static bool has_axis(const char *scale, const char *axis)
{
    return scale && strchr(scale, *axis);
}

static bool check_scales(const struct choice_words *words, GError **error)
{
    const char *const given[] = {words->log, words->linear};
    static const char *const options[] = {"--log", "--linear"};
    for (size_t i = 0; i < G_N_ELEMENTS(given); i++)
        if (given[i] && (!*given[i] || given[i][strspn(given[i], "xy")])) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s %s: it must be x, y or xy",
                        options[i], given[i]);
            return false;
        }
    for (size_t i = 0; i < G_N_ELEMENTS(axis_names); i++)
        if (has_axis(words->log, axis_names[i]) && has_axis(words->linear, axis_names[i])) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                        "%s can't be both --log and --linear", axis_names[i]);
            return false;
        }
    return true;
}

struct choice *choice_new(const struct choice_words *words, GError **error)
{
    struct choice *choice = g_new0(struct choice, 1);
    choice->words = *words;
    const struct choice_names series = {.what = "series", .option = "--series", .is = is_same};
    const struct choice_names metrics = {
        .what = "metric", .option = "--metric", .is = text_metric_is};
    names_init(&choice->series, series, words->series);
    names_init(&choice->metrics, metrics, words->metrics);
    choice->sizes = g_array_new(FALSE, FALSE, sizeof(struct size_range));
    bool good = check_scales(words, error);
    for (int i = 0; good && words->sizes && words->sizes[i]; i++)
        good = choice_read_range(words->sizes[i], choice->sizes, error);
    if (good && words->x && g_strcmp0(words->x, words->y) == 0) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "--x %s --y %s: a picture has two different axes", words->x, words->y);
        good = false;
    }
    if (!good)
        g_clear_pointer(&choice, choice_free);
    return choice;
}

void choice_free(struct choice *choice)
{
    if (!choice)
        return;
    names_clear(&choice->series);
    names_clear(&choice->metrics);
    g_array_unref(choice->sizes);
    g_free(choice);
}

const char *choice_x(const struct choice *choice)
{
    return choice->words.x;
}

const char *choice_y(const struct choice *choice)
{
    return choice->words.y;
}

bool choice_names_metrics(const struct choice *choice)
{
    return choice->metrics.chosen != NULL;
}

bool choice_check(const struct choice *choice, GError **error)
{
    return names_check(&choice->series, error) && names_check(&choice->metrics, error);
}

bool choice_takes_series(struct choice *choice, const char *name)
{
    return names_take(&choice->series, name);
}

static bool takes_metric(struct choice *choice, const char *metric)
{
    return names_take(&choice->metrics, metric);
}

// Assembles a metric's name from a picture's label and unit: "latency" in us is latency_us.
bool choice_takes_label(struct choice *choice, const char *label, const char *unit)
{
    char *slash = g_strdup(unit), *at = strstr(slash, "/s");
    if (at)
        *at = '\0';
    char *metric = g_strdup_printf("%s%s%s%s", label, *slash ? "_" : "", slash, at ? "_per_s" : "");
    g_strdelimit(metric, " ", '_');
    bool taken = takes_metric(choice, metric);
    g_free(metric);
    g_free(slash);
    return taken;
}

// ---- Metrics ----

static bool has_unit(const GPtrArray *metrics, const char *unit)
{
    for (guint i = 0; i < metrics->len; i++)
        if (strcmp(metric_unit(g_ptr_array_index(metrics, i)), unit) == 0)
            return true;
    return false;
}

void choice_of_metrics(struct choice *choice, GPtrArray *metrics, json_t *notes)
{
    GPtrArray *kept = g_ptr_array_new();
    GString *others = g_string_new(NULL);
    for (guint i = 0; i < metrics->len; i++) {
        char *metric = g_ptr_array_index(metrics, i);
        if (!takes_metric(choice, metric))
            continue;
        if (choice->metrics.chosen || !has_unit(kept, metric_unit(metric)))
            g_ptr_array_add(kept, metric);
        else
            g_string_append_printf(others, "%s%s", others->len > 0 ? ", " : "", metric);
    }
    g_ptr_array_set_size(metrics, 0);
    g_ptr_array_extend(metrics, kept, NULL, NULL);
    if (others->len > 0) {
        char *note = g_strdup_printf("not drawn: %s (--metric draws them)", others->str);
        json_array_append_new(notes, json_string(note));
        g_free(note);
    }
    g_string_free(others, TRUE);
    g_ptr_array_unref(kept);
}

// ---- Results ----

// Those members of a list whose size is chosen.
static json_t *chosen_sizes(const struct choice *choice, const json_t *list)
{
    json_t *kept = json_array(), *one;
    size_t index;
    json_array_foreach(list, index, one)
    {
        const json_t *size = json_object_get(one, "size_bytes");
        if (choice_takes_size(choice, json_is_integer(size) ? json_integer_value(size) : -1))
            json_array_append(kept, one);
    }
    return kept;
}

json_t *choice_of_result(struct choice *choice, json_t *result)
{
    json_t *chosen = json_copy(result), *kept = json_array(), *series;
    size_t index;
    json_array_foreach(json_object_get(result, "series"), index, series)
    {
        if (!choice_takes_series(choice, json_string_value(json_object_get(series, "name"))))
            continue;
        json_t *copy = json_copy(series);
        json_object_set_new(copy, "points",
                            chosen_sizes(choice, json_object_get(series, "points")));
        json_object_set_new(copy, "values",
                            chosen_sizes(choice, json_object_get(series, "values")));
        json_array_append_new(kept, copy);
    }
    json_object_set_new(chosen, "series", kept);
    return chosen;
}

static void clear_end(struct outcome_end *end)
{
    g_free(end->status);
    g_free(end->kind);
    g_free(end->text);
}

// Takes the series that are not chosen out of a sweep; *numbers has the new number of each, or -1.
// The caller frees it.
static void drop_series(struct choice *choice, struct outcome *outcome, int **numbers)
{
    int all = (int)outcome->series->len, kept = 0;
    *numbers = g_new(int, all + 1);
    for (int i = 0; i < all; i++)
        (*numbers)[i] = choice_takes_series(choice, outcome_series_name(outcome, i)) ? kept++ : -1;
    struct outcome_end *ends = g_new0(struct outcome_end, (gsize)outcome->points * kept + 1);
    for (int point = 0; point < outcome->points; point++)
        for (int i = 0; i < all; i++) {
            struct outcome_end *end = &outcome->ends[point * all + i];
            if ((*numbers)[i] >= 0)
                ends[point * kept + (*numbers)[i]] = *end;
            else
                clear_end(end);
        }
    g_free(outcome->ends);
    outcome->ends = ends;
    for (int i = all - 1; i >= 0; i--)
        if ((*numbers)[i] < 0)
            g_ptr_array_remove_index(outcome->series, (guint)i);
}

void choice_of_outcome(struct choice *choice, struct outcome *outcome)
{
    int *numbers;
    drop_series(choice, outcome, &numbers);
    for (guint i = 0; i < outcome->curves->len;) {
        struct outcome_curve *curve = g_ptr_array_index(outcome->curves, i);
        curve->series = numbers[curve->series];
        bool taken = curve->series >= 0 && takes_metric(choice, curve->metric);
        if (taken && choice_takes_size(choice, curve->size))
            i++;
        else
            g_ptr_array_remove_index(outcome->curves, i);
    }
    g_free(numbers);
}

// ---- Documents ----

// Gives all panels of a document that have a scale along an axis this one; false if none has.
static bool set_scale(json_t *document, const char *axis, const char *scale)
{
    bool found = false;
    json_t *panel;
    size_t index;
    json_array_foreach(json_object_get(document, "panels"), index, panel)
    {
        const char *kind = json_string_value(json_object_get(panel, "kind"));
        if (strcmp(kind, "lines") != 0 && (strcmp(kind, "bars") != 0 || *axis == 'x'))
            continue;
        json_object_set_new(json_object_get(panel, axis), "scale", json_string(scale));
        found = true;
    }
    return found;
}

bool choice_finish(const struct choice *choice, json_t *document, GError **error)
{
    const struct choice_words *words = &choice->words;
    if (words->title)
        json_object_set_new(document, "title", json_string(words->title));
    for (size_t i = 0; i < G_N_ELEMENTS(axis_names); i++) {
        const char *axis = axis_names[i];
        const char *scale = has_axis(words->log, axis)      ? "log"
                            : has_axis(words->linear, axis) ? "linear"
                                                            : NULL;
        if (scale && !set_scale(document, axis, scale)) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                        "--%s %s: along %s there are places side by side here, and no scale", scale,
                        axis, axis);
            return false;
        }
    }
    return true;
}
