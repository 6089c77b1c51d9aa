// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/param_kind.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"

#include <string.h>

static struct quantity known_quantity(const char *text, enum quantity_kind kind)
{
    struct quantity value;
    char *error, *hint;
    if (!quantity_parse(text, kind, &value, &error, &hint))
        g_error("parameter table: \"%s\": %s", text, error);
    return value;
}

static bool below(enum quantity_kind kind, struct quantity a, struct quantity b)
{
    return kind == QUANTITY_REAL ? a.real < b.real : a.integer < b.integer;
}

void param_bounds(const struct param *param, const char **least, const char **most)
{
    *least = param->least ? param->least : "0";
    *most = param->most                        ? param->most
            : param->kind == PARAM_PROBABILITY ? "1"
                                               : quantity_most(param_types[param->kind].quantity);
}

static bool check_between(const struct param_reading *reading, enum quantity_kind kind,
                          struct quantity value, const char *least, const char *most)
{
    bool low = below(kind, value, known_quantity(least, kind));
    bool high = most && below(kind, known_quantity(most, kind), value);
    if (!low && !high)
        return true;
    char *text = quantity_format(kind, value);
    char *hint = most ? g_strdup_printf("the range is %s .. %s", least, most)
                      : g_strdup_printf("the least is %s", least);
    diag_add(reading->diags, reading->node->mark, reading->path, hint, "%s is too %s", text,
             low ? "small" : "large");
    g_free(hint);
    g_free(text);
    return false;
}

static bool check_range(const struct param_reading *reading, enum quantity_kind kind,
                        struct quantity value)
{
    const char *least, *most;
    param_bounds(reading->param, &least, &most);
    return check_between(reading, kind, value, least, most);
}

// ---- Numbers ----

static bool read_quantity(const struct param_reading *reading, struct quantity *value)
{
    enum quantity_kind kind = param_types[reading->param->kind].quantity;
    return reader_quantity(reading->node, reading->path, kind, value, reading->diags) &&
           check_range(reading, kind, *value);
}

static bool read_integer(const struct param_reading *reading)
{
    struct quantity value;
    if (!read_quantity(reading, &value))
        return false;
    *(int64_t *)reading->field = value.integer;
    return true;
}

#define MOST_HEX_DIGITS 16

bool param_is_hex(const char *text)
{
    size_t digits =
        text[0] == '0' && text[1] == 'x' ? strspn(text + 2, "0123456789abcdefABCDEF") : 0;
    return digits >= 1 && digits <= MOST_HEX_DIGITS && text[2 + digits] == '\0';
}

static bool read_bits(const struct param_reading *reading)
{
    const char *text = reading->node->kind == NODE_SCALAR ? reading->node->text : NULL;
    if (!text || !param_is_hex(text))
        return read_integer(reading);
    *(uint64_t *)reading->field = g_ascii_strtoull(text, NULL, MOST_HEX_DIGITS);
    return true;
}

static bool read_real(const struct param_reading *reading)
{
    struct quantity value;
    if (!read_quantity(reading, &value))
        return false;
    *(double *)reading->field = value.real;
    return true;
}

// The number of a text such as "1.5 %"; false if it is none.
static bool is_percentage(const char *text, double *percent)
{
    char *end;
    *percent = g_ascii_strtod(text, &end);
    if (end == text)
        return false;
    while (*end == ' ')
        end++;
    return strcmp(end, "%") == 0;
}

// A number, or a percentage.
static bool read_share(const struct param_reading *reading)
{
    double percent;
    if (reading->node->kind != NODE_SCALAR || !reading->node->text ||
        !is_percentage(reading->node->text, &percent))
        return read_real(reading);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    struct node share = *reading->node;
    share.text = g_ascii_dtostr(number, sizeof number, percent / 100);
    share.quoted = false;
    struct param_reading laid = *reading;
    laid.node = &share;
    return read_real(&laid);
}

static char *integer_text(const struct param *param, const void *field)
{
    struct quantity value = {.integer = *(const int64_t *)field};
    return quantity_format(param_types[param->kind].quantity, value);
}

static char *bits_text(const struct param *param, const void *field)
{
    (void)param;
    uint64_t bits = *(const uint64_t *)field;
    return g_strdup_printf(bits < 10 ? "%" G_GUINT64_FORMAT : "0x%" G_GINT64_MODIFIER "x", bits);
}

static json_t *bits_schema(const struct param *param)
{
    (void)param;
    return json_pack("{s:[{s:s, s:i}, {s:s, s:s}]}", "anyOf", "type", "integer", "minimum", 0,
                     "type", "string", "pattern", "^0x[0-9a-fA-F]{1,16}$");
}

static char *real_text(const struct param *param, const void *field)
{
    struct quantity value = {.real = *(const double *)field};
    return quantity_format(param_types[param->kind].quantity, value);
}

static json_t *integer_json(const void *field)
{
    return json_integer(*(const int64_t *)field);
}

static json_t *real_json(const void *field)
{
    return json_real(*(const double *)field);
}

// JSON Schema of a plain number with its range.
static json_t *number_schema(const struct param *param)
{
    enum quantity_kind kind = param_types[param->kind].quantity;
    bool real = kind == QUANTITY_REAL;
    const char *least, *most;
    param_bounds(param, &least, &most);
    json_t *schema = json_pack("{s:s}", "type", real ? "number" : "integer");
    const char *const keys[] = {"minimum", "maximum"}, *const texts[] = {least, most};
    for (int i = 0; i < 2; i++) {
        struct quantity bound = texts[i] ? known_quantity(texts[i], kind) : (struct quantity){0};
        if (texts[i])
            json_object_set_new(schema, keys[i],
                                real ? json_real(bound.real) : json_integer(bound.integer));
    }
    return schema;
}

static json_t *share_schema(const struct param *param)
{
    return json_pack("{s:[o, {s:s, s:s}]}", "anyOf", number_schema(param), "type", "string",
                     "pattern", "^[0-9]+([.][0-9]+)? *%$");
}

static json_t *pattern_schema(enum quantity_kind kind)
{
    char *pattern = quantity_pattern(kind);
    json_t *schema = json_pack("{s:s, s:s}", "type", "string", "pattern", pattern);
    g_free(pattern);
    return schema;
}

// Text with a unit, or a plain 0.
static json_t *quantity_schema(const struct param *param)
{
    return json_pack("{s:[o, {s:i}]}", "anyOf", pattern_schema(param_types[param->kind].quantity),
                     "const", 0);
}

// ---- Costs: a duration, or cycles ----

static bool read_cost(const struct param_reading *reading)
{
    const struct node *node = reading->node;
    bool cycles = node->kind == NODE_SCALAR && node->text && g_str_has_suffix(node->text, "cycles");
    struct cost *cost = reading->field;
    struct quantity value;
    if (!cycles) {
        if (!read_quantity(reading, &value))
            return false;
        *cost = (struct cost){.time = value.integer};
        return true;
    }
    if (!reader_quantity(node, reading->path, QUANTITY_CYCLES, &value, reading->diags) ||
        !check_between(reading, QUANTITY_CYCLES, value, "0", quantity_most(QUANTITY_CYCLES)))
        return false;
    *cost = (struct cost){.cycles = value.integer};
    return true;
}

static char *cost_text(const struct param *param, const void *field)
{
    (void)param;
    const struct cost *cost = field;
    struct quantity value = {.integer = cost->cycles ? cost->cycles : cost->time};
    return quantity_format(cost->cycles ? QUANTITY_CYCLES : QUANTITY_DURATION, value);
}

static json_t *cost_schema(const struct param *param)
{
    (void)param;
    return json_pack("{s:[o, o, {s:i}]}", "anyOf", pattern_schema(QUANTITY_DURATION),
                     pattern_schema(QUANTITY_CYCLES), "const", 0);
}

// ---- Words ----

static bool read_bool(const struct param_reading *reading)
{
    static const char *const words[] = {"false", "true", NULL};
    static const char *const loose[] = {"no", "off", "yes", "on", NULL};
    const struct node *node = reading->node;
    const char *text = reader_text(node, reading->path, "true or false", reading->diags);
    if (!text)
        return false;
    if (!node->quoted && g_strv_contains(words, text)) {
        *(bool *)reading->field = text[0] == 't';
        return true;
    }
    char *word = g_ascii_strdown(text, -1);
    const char *near = g_strv_contains(loose, word) ? words[word[0] == 'y' || word[1] == 'n']
                                                    : diag_nearest(word, words);
    char *hint = near ? g_strdup_printf("write %s", near) : NULL;
    diag_add(reading->diags, node->mark, reading->path, hint,
             "true or false is expected here, not \"%.40s\"", text);
    g_free(hint);
    g_free(word);
    return false;
}

static char *bool_text(const struct param *param, const void *field)
{
    (void)param;
    return g_strdup(*(const bool *)field ? "true" : "false");
}

static json_t *bool_json(const void *field)
{
    return json_boolean(*(const bool *)field);
}

static json_t *bool_schema(const struct param *param)
{
    (void)param;
    return json_pack("{s:s}", "type", "boolean");
}

static bool read_choice(const struct param_reading *reading)
{
    const char *noun = reading->param->noun ? reading->param->noun : "choice";
    int chosen =
        reader_choice(reading->node, reading->path, noun, reading->param->choices, reading->diags);
    if (chosen < 0)
        return false;
    *(int *)reading->field = chosen;
    return true;
}

static char *choice_text(const struct param *param, const void *field)
{
    return g_strdup(param->choices[*(const int *)field]);
}

static json_t *choice_schema(const struct param *param)
{
    json_t *names = json_array();
    for (const char *const *name = param->choices; *name; name++)
        json_array_append_new(names, json_string(*name));
    return json_pack("{s:o}", "enum", names);
}

static bool read_string(const struct param_reading *reading)
{
    const char *noun = reading->param->noun ? reading->param->noun : "a text";
    const char *text = reader_text(reading->node, reading->path, noun, reading->diags);
    if (!text)
        return false;
    *(const char **)reading->field = intern_text(text);
    return true;
}

static char *string_text(const struct param *param, const void *field)
{
    (void)param;
    return g_strdup(*(const char *const *)field);
}

static json_t *string_schema(const struct param *param)
{
    (void)param;
    return json_pack("{s:s}", "type", "string");
}

// ---- Lists ----

// Calls `read` for each item of a list, or for the value itself if it is none.
static bool each_item(const struct param_reading *reading,
                      bool (*read)(const struct param_reading *item, void *data), void *data)
{
    if (reading->node->kind != NODE_LIST)
        return read(reading, data);
    bool good = true;
    const GPtrArray *items = reading->node->children;
    for (guint i = 0; i < items->len; i++) {
        struct param_reading item = *reading;
        char *path = reader_path_item(reading->path, i);
        item.path = path;
        item.node = g_ptr_array_index(items, i);
        good &= read(&item, data);
        g_free(path);
    }
    return good;
}

static bool read_count_item(const struct param_reading *item, void *data)
{
    struct quantity value;
    if (!reader_quantity(item->node, item->path, QUANTITY_COUNT, &value, item->diags) ||
        !check_range(item, QUANTITY_COUNT, value))
        return false;
    g_array_append_val((GArray *)data, value.integer);
    return true;
}

static int compare_counts(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool read_counts(const struct param_reading *reading)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(int64_t));
    bool good = each_item(reading, read_count_item, values);
    g_array_sort(values, compare_counts);
    for (guint i = 1; good && i < values->len; i++) {
        int64_t value = g_array_index(values, int64_t, i);
        if (value != g_array_index(values, int64_t, i - 1))
            continue;
        diag_add(reading->diags, reading->node->mark, reading->path, NULL,
                 "%" G_GINT64_FORMAT " stands twice in the list", value);
        good = false;
    }
    struct param_counts *counts = reading->field;
    if (good)
        counts->count = (int)values->len;
    gpointer data = g_array_free(values, !good);
    if (good)
        counts->values = data;
    return good;
}

static char *counts_text(const struct param *param, const void *field)
{
    (void)param;
    const struct param_counts *counts = field;
    GString *text = g_string_new("[");
    for (int i = 0; i < counts->count; i++)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? ", " : "", counts->values[i]);
    g_string_append_c(text, ']');
    return g_string_free(text, FALSE);
}

static json_t *counts_json(const void *field)
{
    const struct param_counts *counts = field;
    json_t *list = json_array();
    for (int i = 0; i < counts->count; i++)
        json_array_append_new(list, json_integer(counts->values[i]));
    return list;
}

static void counts_clear(void *field)
{
    struct param_counts *counts = field;
    g_free(counts->values);
    *counts = (struct param_counts){0};
}

// One item, or a list of such.
static json_t *list_schema(json_t *item)
{
    return json_pack("{s:[O, {s:s, s:o}]}", "anyOf", item, "type", "array", "items", item);
}

static json_t *counts_schema(const struct param *param)
{
    struct param count = {.kind = PARAM_COUNT, .least = param->least, .most = param->most};
    return list_schema(number_schema(&count));
}

#define NEVER "never" // the end of a time span without an end

static bool read_window_end(const struct param_reading *item, const char *key, sim_time *time)
{
    const struct node *node = node_get(item->node, key);
    if (!node) {
        diag_add(item->diags, item->node->mark, item->path, NULL, "the key %s is missing", key);
        return false;
    }
    if (strcmp(key, "to") == 0 && node->kind == NODE_SCALAR && g_strcmp0(node->text, NEVER) == 0) {
        *time = TIME_NEVER;
        return true;
    }
    char *path = reader_path(item->path, key);
    struct quantity value = {0};
    bool good = reader_quantity(node, path, QUANTITY_DURATION, &value, item->diags);
    if (good && value.integer < 0) {
        diag_add(item->diags, node->mark, path, NULL, "a time is not negative");
        good = false;
    }
    *time = value.integer;
    g_free(path);
    return good;
}

static bool read_window_item(const struct param_reading *item, void *data)
{
    static const char *const keys[] = {"from", "to", NULL};
    if (!reader_is(item->node, NODE_MAP, item->path, "{from: TIME, to: TIME}", item->diags) ||
        !reader_keys(item->node, item->path, keys, item->diags))
        return false;
    struct param_window window;
    bool from = read_window_end(item, "from", &window.from);
    if (!read_window_end(item, "to", &window.to) || !from)
        return false;
    if (window.from >= window.to) {
        diag_add(item->diags, item->node->mark, item->path, NULL, "it ends before it starts");
        return false;
    }
    g_array_append_val((GArray *)data, window);
    return true;
}

static int compare_windows(const void *a, const void *b)
{
    return compare_counts(&((const struct param_window *)a)->from,
                          &((const struct param_window *)b)->from);
}

static bool read_windows(const struct param_reading *reading)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(struct param_window));
    bool good = each_item(reading, read_window_item, values);
    g_array_sort(values, compare_windows);
    for (guint i = 1; good && i < values->len; i++) {
        if (g_array_index(values, struct param_window, i - 1).to <=
            g_array_index(values, struct param_window, i).from)
            continue;
        diag_add(reading->diags, reading->node->mark, reading->path, NULL,
                 "two of the time spans overlap");
        good = false;
    }
    struct param_windows *windows = reading->field;
    if (good)
        windows->count = (int)values->len;
    gpointer data = g_array_free(values, !good);
    if (good)
        windows->values = data;
    return good;
}

static char *windows_text(const struct param *param, const void *field)
{
    (void)param;
    const struct param_windows *windows = field;
    GString *text = g_string_new("[");
    for (int i = 0; i < windows->count; i++) {
        const struct param_window *window = &windows->values[i];
        char *from = quantity_format(QUANTITY_DURATION, (struct quantity){.integer = window->from});
        char *to =
            window->to == TIME_NEVER
                ? g_strdup(NEVER)
                : quantity_format(QUANTITY_DURATION, (struct quantity){.integer = window->to});
        g_string_append_printf(text, "%s{from: %s, to: %s}", i ? ", " : "", from, to);
        g_free(from);
        g_free(to);
    }
    g_string_append_c(text, ']');
    return g_string_free(text, FALSE);
}

static void windows_clear(void *field)
{
    struct param_windows *windows = field;
    g_free(windows->values);
    *windows = (struct param_windows){0};
}

static json_t *windows_schema(const struct param *param)
{
    (void)param;
    struct param time = {.kind = PARAM_DURATION};
    json_t *to = json_pack("{s:[o, {s:s}]}", "anyOf", quantity_schema(&time), "const", NEVER);
    json_t *item = json_pack("{s:s, s:{s:o, s:o}, s:[s, s], s:b}", "type", "object", "properties",
                             "from", quantity_schema(&time), "to", to, "required", "from", "to",
                             "additionalProperties", 0);
    return list_schema(item);
}

static bool read_name_item(const struct param_reading *item, void *data)
{
    const char *noun = item->param->noun ? item->param->noun : "a name";
    const char *text = reader_text(item->node, item->path, noun, item->diags);
    if (!text)
        return false;
    const char *name = intern_text(text);
    g_array_append_val((GArray *)data, name);
    return true;
}

static bool read_names(const struct param_reading *reading)
{
    GArray *names = g_array_new(TRUE, FALSE, sizeof(char *));
    bool good = each_item(reading, read_name_item, names);
    if (good)
        *(char ***)reading->field = (char **)g_array_free(names, FALSE);
    else
        g_array_free(names, TRUE);
    return good;
}

static char *names_text(const struct param *param, const void *field)
{
    (void)param;
    char **names = *(char **const *)field;
    char *joined = names ? g_strjoinv(", ", names) : g_strdup("");
    char *text = g_strdup_printf("[%s]", joined);
    g_free(joined);
    return text;
}

static void names_clear(void *field)
{
    g_clear_pointer((char ***)field, g_free);
}

static json_t *names_schema(const struct param *param)
{
    return list_schema(string_schema(param));
}

// ---- The kinds ----

#define NUMBER(kind_) .number = true, .quantity = kind_
#define WITH_UNIT(kind_)                                                                           \
    {                                                                                              \
        NUMBER(kind_), .read = read_integer, .text = integer_text, .schema = quantity_schema       \
    }

const struct param_type param_types[] = {
    [PARAM_COUNT] = {NUMBER(QUANTITY_COUNT), .read = read_integer, .text = integer_text,
                     .json = integer_json, .schema = number_schema, .units = "a whole number"},
    [PARAM_BITS] = {NUMBER(QUANTITY_COUNT), .read = read_bits, .text = bits_text,
                    .schema = bits_schema, .units = "64 bits: a whole number, or 0x and digits"},
    [PARAM_REAL] = {NUMBER(QUANTITY_REAL), .read = read_real, .text = real_text, .json = real_json,
                    .schema = number_schema, .units = "a number"},
    [PARAM_PROBABILITY] = {NUMBER(QUANTITY_REAL), .read = read_share, .text = real_text,
                           .json = real_json, .schema = share_schema,
                           .units = "a probability, 0 .. 1 or 0 % .. 100 %"},
    [PARAM_DURATION] = WITH_UNIT(QUANTITY_DURATION),
    [PARAM_COST] = {NUMBER(QUANTITY_DURATION), .read = read_cost, .text = cost_text,
                    .schema = cost_schema,
                    .units = "a duration (ns, us, …), or cycles (36e12 at most)"},
    [PARAM_SIZE] = WITH_UNIT(QUANTITY_SIZE),
    [PARAM_BIT_RATE] = WITH_UNIT(QUANTITY_BIT_RATE),
    [PARAM_BYTE_RATE] = WITH_UNIT(QUANTITY_BYTE_RATE),
    [PARAM_FREQUENCY] = WITH_UNIT(QUANTITY_FREQUENCY),
    [PARAM_FLOP_RATE] = WITH_UNIT(QUANTITY_FLOP_RATE),
    [PARAM_BOOL] = {.read = read_bool,
                    .text = bool_text,
                    .json = bool_json,
                    .schema = bool_schema,
                    .units = "true or false"},
    [PARAM_CHOICE] = {.read = read_choice,
                      .text = choice_text,
                      .schema = choice_schema,
                      .units = "one of the names"},
    [PARAM_STRING] = {.read = read_string,
                      .text = string_text,
                      .schema = string_schema,
                      .units = "text"},
    [PARAM_COUNTS] = {.list = true,
                      .read = read_counts,
                      .text = counts_text,
                      .json = counts_json,
                      .clear = counts_clear,
                      .schema = counts_schema,
                      .units = "a list of whole numbers"},
    [PARAM_WINDOWS] = {.list = true,
                       .read = read_windows,
                       .text = windows_text,
                       .clear = windows_clear,
                       .schema = windows_schema,
                       .units = "a list of {from: TIME, to: TIME}"},
    [PARAM_NAMES] = {.list = true,
                     .read = read_names,
                     .text = names_text,
                     .clear = names_clear,
                     .schema = names_schema,
                     .units = "a name, or a list of names"},
    // Read by param_map_read.
    [PARAM_NODE] = {.units = "of a form of its own"},
    [PARAM_MAP] = {.units = "a map"},
    [PARAM_LIST] = {.units = "a list of maps"},
};
