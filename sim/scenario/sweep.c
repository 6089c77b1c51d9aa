// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/sweep.h"

#include "sim/config/param_map.h"
#include "sim/config/quantity.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/scenario/keys.h"

#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 10000 // of an axis
#define ARGUMENT "--set " // how the name of an argument begins, where a file's would stand

static void free_value(void *data)
{
    struct sweep_value *value = data;
    g_free(value->text);
    g_free(value);
}

static void free_axis(void *data)
{
    struct sweep_axis *axis = data;
    g_free(axis->path);
    g_ptr_array_unref(axis->values);
    g_free(axis);
}

static struct sweep_axis *axis_new(const char *path, struct source_mark mark)
{
    struct sweep_axis *axis = g_new0(struct sweep_axis, 1);
    axis->path = g_strdup(path);
    axis->mark = mark;
    axis->values = g_ptr_array_new_with_free_func(free_value);
    return axis;
}

static void add_value(struct sweep_axis *axis, const char *text, struct source_mark mark)
{
    struct sweep_value *value = g_new(struct sweep_value, 1);
    *value = (struct sweep_value){g_strdup(text), mark};
    g_ptr_array_add(axis->values, value);
}

struct sweep *sweep_new(void)
{
    struct sweep *sweep = g_new0(struct sweep, 1);
    sweep->axes = g_ptr_array_new_with_free_func(free_axis);
    return sweep;
}

struct sweep *sweep_copy(const struct sweep *sweep)
{
    struct sweep *copy = sweep_new();
    copy->mode = sweep->mode;
    copy->seeds = sweep->seeds;
    copy->draws = sweep->draws;
    for (guint i = 0; i < sweep->axes->len; i++) {
        const struct sweep_axis *from = sweep_axis_at(sweep, (int)i);
        struct sweep_axis *axis = axis_new(from->path, from->mark);
        for (guint k = 0; k < from->values->len; k++)
            add_value(axis, sweep_value_at(from, (int)k)->text, sweep_value_at(from, (int)k)->mark);
        g_ptr_array_add(copy->axes, axis);
    }
    return copy;
}

void sweep_free(struct sweep *sweep)
{
    if (!sweep)
        return;
    g_ptr_array_unref(sweep->axes);
    g_free(sweep);
}

const struct sweep_axis *sweep_axis_at(const struct sweep *sweep, int axis)
{
    return g_ptr_array_index(sweep->axes, axis);
}

const struct sweep_value *sweep_value_at(const struct sweep_axis *axis, int value)
{
    return g_ptr_array_index(axis->values, value);
}

// ---- Ranges ----

// Kinds that a range may be of. A plain number is a count if it can be.
static const enum quantity_kind range_kinds[] = {
    QUANTITY_COUNT,     QUANTITY_SIZE,      QUANTITY_DURATION,  QUANTITY_CYCLES, QUANTITY_BIT_RATE,
    QUANTITY_BYTE_RATE, QUANTITY_FREQUENCY, QUANTITY_FLOP_RATE, QUANTITY_REAL};

static bool parses(const char *text, enum quantity_kind kind, struct quantity *value)
{
    char *error, *hint;
    bool good = quantity_parse(text, kind, value, &error, &hint);
    g_free(error);
    g_free(hint);
    return good;
}

// Whether the text is "A .. B" with two numbers of one kind.
static bool is_range(const char *text, enum quantity_kind *kind, struct quantity *first,
                     struct quantity *last)
{
    const char *dots = strstr(text, "..");
    if (!dots)
        return false;
    char *low = g_strstrip(g_strndup(text, (gsize)(dots - text)));
    char *high = g_strstrip(g_strdup(dots + 2));
    bool found = false;
    for (size_t i = 0; !found && i < G_N_ELEMENTS(range_kinds); i++) {
        *kind = range_kinds[i];
        found = parses(low, *kind, first) && parses(high, *kind, last);
    }
    g_free(low);
    g_free(high);
    return found;
}

static void add_quantity(struct sweep_axis *axis, enum quantity_kind kind, struct quantity value,
                         struct source_mark mark)
{
    char *text = quantity_format(kind, value);
    add_value(axis, text, mark);
    g_free(text);
}

// A real number starts above 0; whole ones may start at 0, and go on with 1 of a unit that has a
// smallest piece.
static void sweep_add_range(struct sweep_axis *axis, const char *text, enum quantity_kind kind,
                            struct quantity first, struct quantity last, struct source_mark mark,
                            struct diag_list *diags)
{
    bool real = kind == QUANTITY_REAL;
    bool has_one = kind == QUANTITY_COUNT || kind == QUANTITY_SIZE || kind == QUANTITY_CYCLES;
    if (real ? first.real > last.real : first.integer > last.integer) {
        diag_add(diags, mark, axis->path, "write the smaller value first",
                 "\"%.60s\": the range is empty", text);
        return;
    }
    if (real ? first.real <= 0 : first.integer < !has_one) {
        diag_add(diags, mark, axis->path, "list the values instead",
                 "\"%.60s\": doubling never leaves what it starts from", text);
        return;
    }
    if (!real && first.integer == 0 && last.integer > 0) {
        add_quantity(axis, kind, first, mark);
        first.integer = 1;
    }
    while (real ? first.real < last.real : first.integer < last.integer) {
        add_quantity(axis, kind, first, mark);
        first.real *= 2.0;
        first.integer = first.integer > INT64_MAX / 2 ? INT64_MAX : first.integer * 2;
    }
    add_quantity(axis, kind, last, mark);
}

// Adds a value as it is written, or those of the range that it is.
static void add_text(struct sweep_axis *axis, const char *text, struct source_mark mark,
                     struct diag_list *diags)
{
    enum quantity_kind kind;
    struct quantity first = {0}, last = {0};
    if (strcmp(axis->path, "workload.sizes") != 0 && is_range(text, &kind, &first, &last))
        sweep_add_range(axis, text, kind, first, last, mark, diags);
    else
        add_value(axis, text, mark);
}

// ---- Axes ----

// Puts an axis in, in the place of one of the same path that the scenario has. Two arguments of one
// path are refused, as which of them is meant is unknown.
static void put_axis(struct sweep *sweep, struct sweep_axis *axis, struct diag_list *diags)
{
    for (guint i = 0; i < sweep->axes->len; i++) {
        const struct sweep_axis *old = sweep_axis_at(sweep, (int)i);
        if (strcmp(old->path, axis->path) != 0)
            continue;
        if (old->mark.file && g_str_has_prefix(old->mark.file, ARGUMENT))
            diag_add(diags, axis->mark, axis->path, "give all values in one, after commas",
                     "the axis is there twice");
        free_axis(sweep->axes->pdata[i]);
        sweep->axes->pdata[i] = axis;
        return;
    }
    g_ptr_array_add(sweep->axes, axis);
}

// The same value twice is a slip, and would count twice in means.
static void check_axis(const struct sweep_axis *axis, struct diag_list *diags)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    if (axis->values->len > MOST_VALUES)
        diag_add(diags, axis->mark, axis->path, NULL, "%u values are more than the %d of an axis",
                 axis->values->len, MOST_VALUES);
    for (guint i = 0; i < axis->values->len && axis->values->len <= MOST_VALUES; i++) {
        const struct sweep_value *value = sweep_value_at(axis, (int)i);
        if (!g_hash_table_add(seen, value->text))
            diag_add(diags, value->mark, axis->path, NULL, "the value \"%.60s\" is there twice",
                     value->text);
    }
    g_hash_table_unref(seen);
}

// A node as the text that --set would read back as the same.
static char *value_text(const struct node *node)
{
    if (node->kind != NODE_SCALAR || !node->quoted)
        return node_text(node);
    json_t *string = json_string(node->text);
    char *json = json_dumps(string, JSON_ENCODE_ANY), *text = g_strdup(json);
    json_decref(string);
    free(json);
    return text;
}

static void read_value(struct sweep_axis *axis, const struct node *node, struct diag_list *diags)
{
    if (node_is_null(node)) {
        diag_add(diags, node->mark, axis->path, NULL, "a value is missing");
        return;
    }
    char *text = value_text(node);
    if (node->kind == NODE_SCALAR && !node->quoted)
        add_text(axis, text, node->mark, diags);
    else
        add_value(axis, text, node->mark);
    g_free(text);
}

static void read_axis(struct sweep *sweep, const struct node *node,
                      const struct scenario_schema *schema, struct diag_list *diags)
{
    if (!keys_path_exists(schema, node->key, node->key_mark, diags))
        return;
    struct sweep_axis *axis = axis_new(node->key, node->key_mark);
    if (node->kind != NODE_LIST)
        read_value(axis, node, diags);
    for (guint i = 0; node->kind == NODE_LIST && i < node->children->len; i++)
        read_value(axis, g_ptr_array_index(node->children, i), diags);
    if (node->kind == NODE_LIST && node->children->len == 0)
        diag_add(diags, node->mark, node->key, NULL, "the list of values is empty");
    check_axis(axis, diags);
    put_axis(sweep, axis, diags);
}

static bool read_axes(const struct param_reading *reading)
{
    const struct node *axes = reading->node;
    if (!reader_is(axes, NODE_MAP, reading->path, "a map of paths", reading->diags))
        return false;
    for (guint i = 0; i < axes->children->len; i++)
        read_axis(reading->map->values, g_ptr_array_index(axes->children, i), reading->map->context,
                  reading->diags);
    return true;
}

// The axes are checked also where a mode or a number of seeds is wrong.
static bool finish_sweep(const struct param_map *map)
{
    if (!node_get(map->node, "axes") && !node_get(map->node, "seeds") &&
        !node_get(map->node, "draws"))
        diag_add(map->diags, map->node->mark, map->path, "write axes: {PATH: [VALUE, ...]}",
                 "a sweep without axes, seeds and draws varies nothing");
    return sweep_check(map->values, map->diags);
}

#define ONE_VALUE                                                                                  \
    "{\"type\": \"string\"}, {\"type\": \"number\"}, {\"type\": \"boolean\"}, {\"type\": "         \
    "\"object\"}"

static const struct param_node axes_form = {
    .read = read_axes,
    .form = "{PATH: [VALUE, ...]}",
    .schema = "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": \"array\", "
              "\"minItems\": 1}, {\"anyOf\": [" ONE_VALUE "]}]}}",
};

static const char *const modes[] = {[SWEEP_PRODUCT] = "product", [SWEEP_ZIP] = "zip", NULL};

static const struct param sweep_rows[] = {
    PARAM(struct sweep, axes, PARAM_NODE, .node = &axes_form, .optional = true,
          .doc = "the parameters to vary, by path, each with its values or a range FROM .. TO"),
    PARAM(struct sweep, mode, PARAM_CHOICE, .fallback = "product", .choices = modes,
          .doc = "all combinations of the axes' values, or the first of each, the second of each "
                 "..."),
    PARAM(struct sweep, seeds, PARAM_COUNT, .optional = true, .least = "1",
          .most = G_STRINGIFY(SWEEP_MOST_SEEDS),
          .doc = "runs of each point, with the seeds 1, 2 ..."),
    PARAM(struct sweep, draws, PARAM_COUNT, .optional = true, .least = "1",
          .most = G_STRINGIFY(SWEEP_MOST_DRAWS),
          .doc = "runs of each point in the draws 1, 2 ... of the uncertain constants, for a band"),
    {.name = NULL},
};

const struct param_table sweep_table =
    PARAM_TABLE(struct sweep, sweep_rows, .name = "sweep", .noun = "{axes: {PATH: [VALUE, ...]}}",
                .doc = "the points of a sweep", .finish = finish_sweep);

void sweep_read(struct sweep *sweep, const struct node *node, const struct scenario_schema *schema,
                struct diag_list *diags)
{
    const struct param_map map = {&sweep_table, node, "sweep", sweep, NULL, schema, diags};
    param_map_read(&map);
}

// ---- Arguments ----

// A place in an argument: "--set ARGUMENT:1:COLUMN".
static struct source_mark sweep_place(const char *file, const char *argument, const char *at)
{
    return (struct source_mark){file, 1, (int)g_utf8_strlen(argument, at - argument) + 1};
}

// The end of the value that starts at `at`: the next comma outside of brackets and quotes, or the
// end. *open is where a bracket or quote starts that is not closed, else NULL.
static const char *value_end(const char *at, const char **open)
{
    const char *brackets[NODE_MAX_DEPTH], *quote = NULL;
    int depth = 0;
    for (; *at; at++) {
        if (quote) {
            if (*at == '\\' && *quote == '"' && at[1])
                at++;
            else if (*at == *quote)
                quote = NULL;
        } else if (*at == '"' || *at == '\'') {
            quote = at;
        } else if ((*at == '[' || *at == '{') && depth < NODE_MAX_DEPTH) {
            brackets[depth++] = at;
        } else if ((*at == ']' || *at == '}') && depth > 0) {
            depth--;
        } else if (*at == ',' && depth == 0) {
            break;
        }
    }
    *open = quote ? quote : depth > 0 ? brackets[depth - 1] : NULL;
    return at;
}

static void add_argument_value(struct sweep_axis *axis, const char *start, const char *end,
                               struct source_mark mark, struct diag_list *diags)
{
    char *text = g_strstrip(g_strndup(start, (gsize)(end - start)));
    bool alone = !*end && axis->values->len == 0;
    if (!*text && alone)
        add_value(axis, "", mark); // unsets the key
    else if (!*text)
        diag_add(diags, mark, axis->path, NULL, "a value is missing");
    else
        add_text(axis, text, mark, diags);
    g_free(text);
}

void sweep_add(struct sweep *sweep, const char *argument, const struct scenario_schema *schema,
               struct diag_list *diags)
{
    char *valid = g_utf8_make_valid(argument, -1);
    char *name = g_strdup_printf(ARGUMENT "%s", valid);
    struct source_mark mark = {.file = intern_text(name)};
    const char *equals = strchr(argument, '=');
    bool good = equals && equals > argument && g_utf8_validate(argument, -1, NULL);
    g_free(valid);
    g_free(name);
    if (!good) {
        diag_add(diags, mark, NULL, "write --set PATH=VALUE,VALUE,...", "not an axis of a sweep");
        return;
    }
    char *path = g_strstrip(g_strndup(argument, (gsize)(equals - argument)));
    mark = sweep_place(mark.file, argument, argument);
    if (!keys_path_exists(schema, path, mark, diags)) {
        g_free(path);
        return;
    }
    struct sweep_axis *axis = axis_new(path, mark);
    g_free(path);
    for (const char *at = equals; *at;) {
        const char *start = at + 1, *open;
        start += strspn(start, " \t");
        at = value_end(start, &open);
        if (open)
            diag_add(diags, sweep_place(mark.file, argument, open), axis->path, NULL,
                     "what starts with %c here is not closed", *open);
        else
            add_argument_value(axis, start, at, sweep_place(mark.file, argument, start), diags);
    }
    check_axis(axis, diags);
    put_axis(sweep, axis, diags);
}

// ---- Points ----

static bool check_zip(const struct sweep *sweep, struct diag_list *diags)
{
    bool good = true;
    for (guint i = 1; i < sweep->axes->len; i++) {
        const struct sweep_axis *first = sweep_axis_at(sweep, 0),
                                *axis = sweep_axis_at(sweep, (int)i);
        if (axis->values->len == first->values->len)
            continue;
        diag_add(diags, axis->mark, axis->path, "to zip, give all axes as many values",
                 "%u value%s, but %s has %u", axis->values->len, axis->values->len == 1 ? "" : "s",
                 first->path, first->values->len);
        good = false;
    }
    return good;
}

// An axis and a number of the same thing exclude each other.
static bool check_once(const struct sweep_axis *axis, int64_t number, const char *path,
                       struct diag_list *diags)
{
    if (!number || strcmp(axis->path, path) != 0)
        return true;
    diag_add(diags, axis->mark, axis->path, NULL,
             "an axis of %ss and a number of %ss exclude each other", path, path);
    return false;
}

// The runs of each point.
static int repeats_of(const struct sweep *sweep)
{
    return (int)(MAX(sweep->draws, 1) * MAX(sweep->seeds, 1));
}

bool sweep_check(const struct sweep *sweep, struct diag_list *diags)
{
    bool good = sweep->mode == SWEEP_PRODUCT || check_zip(sweep, diags);
    double points = (double)MAX(sweep->draws, 1) * (double)MAX(sweep->seeds, 1);
    for (guint i = 0; i < sweep->axes->len; i++) {
        const struct sweep_axis *axis = sweep_axis_at(sweep, (int)i);
        if (sweep->mode == SWEEP_PRODUCT || i == 0)
            points *= (double)axis->values->len;
        good &= check_once(axis, sweep->seeds, SWEEP_SEED, diags);
        good &= check_once(axis, sweep->draws, SWEEP_DRAW, diags);
        if (points > SWEEP_MOST_POINTS) {
            diag_add(diags, axis->mark, axis->path, "split the sweep",
                     "%.0f points are more than the %d of a sweep", points, SWEEP_MOST_POINTS);
            return false;
        }
    }
    if (points > SWEEP_MOST_POINTS) { // without an axis
        diag_add(diags, (struct source_mark){0}, "sweep", "fewer draws or seeds",
                 "%.0f runs are more than the %d of a sweep", points, SWEEP_MOST_POINTS);
        return false;
    }
    return good;
}

int sweep_points(const struct sweep *sweep)
{
    int points = repeats_of(sweep);
    for (guint i = 0; i < sweep->axes->len; i++)
        if (sweep->mode == SWEEP_PRODUCT || i == 0)
            points *= (int)sweep_axis_at(sweep, (int)i)->values->len;
    return points;
}

int sweep_point_value(const struct sweep *sweep, int point, int axis)
{
    point /= repeats_of(sweep);
    if (sweep->mode == SWEEP_ZIP)
        return point;
    for (int i = (int)sweep->axes->len - 1; i > axis; i--)
        point /= (int)sweep_axis_at(sweep, i)->values->len;
    return point % (int)sweep_axis_at(sweep, axis)->values->len;
}

int64_t sweep_point_draw(const struct sweep *sweep, int point)
{
    return sweep->draws ? point / MAX(sweep->seeds, 1) % sweep->draws + 1 : 0;
}

uint64_t sweep_point_seed(const struct sweep *sweep, int point)
{
    return sweep->seeds ? (uint64_t)(point % sweep->seeds) + 1 : 0;
}
