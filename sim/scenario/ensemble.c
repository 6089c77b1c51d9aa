// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/ensemble.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/keys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define FAULT_COLUMN "fault"
#define DRAW_COLUMN "draw"
#define COMMAND "netsim calibrate "

// ---- Lines ----

// A line's fields, with the column at which each begins.
struct ensemble_fields {
    GPtrArray *texts; // char *
    GArray *columns;  // int, from 1
};

static struct ensemble_fields fields_new(void)
{
    return (struct ensemble_fields){g_ptr_array_new_with_free_func(g_free),
                                    g_array_new(FALSE, FALSE, sizeof(int))};
}

static void fields_clear(struct ensemble_fields *fields)
{
    g_ptr_array_unref(fields->texts);
    g_array_unref(fields->columns);
}

// The field at `at`, which moves past it; one in quotes has them doubled inside.
static char *take_field(const char **at)
{
    GString *text = g_string_new(NULL);
    bool quoted = **at == '"';
    *at += quoted;
    for (; **at && (quoted || **at != ','); ++*at) {
        if (quoted && **at == '"' && *++*at != '"')
            break;
        g_string_append_c(text, **at);
    }
    while (**at && **at != ',') // what follows the closing quote
        g_string_append_c(text, *(*at)++);
    return g_strstrip(g_string_free(text, FALSE));
}

static void split_line(struct ensemble_fields *fields, const char *line)
{
    g_ptr_array_set_size(fields->texts, 0);
    g_array_set_size(fields->columns, 0);
    for (const char *at = line;; at++) {
        int column = (int)(at - line) + 1;
        g_array_append_val(fields->columns, column);
        g_ptr_array_add(fields->texts, take_field(&at));
        if (!*at)
            return;
    }
}

static const char *field_at(const struct ensemble_fields *fields, guint index)
{
    return g_ptr_array_index(fields->texts, index);
}

static int column_at(const struct ensemble_fields *fields, guint index)
{
    return g_array_index(fields->columns, int, index);
}

// ---- A file ----

// While a file is read.
struct ensemble_reading {
    struct ensemble *ensemble;
    const struct scenario_schema *schema;
    struct ensemble_fields fields;
    struct source_mark mark; // of the line
    bool with_fault;
    struct diag_list *diags;
};

static void free_row(void *data)
{
    struct ensemble_row *row = data;
    g_strfreev(row->values);
    g_free(row->columns);
    g_free(row->fault);
    g_free(row);
}

void ensemble_free(struct ensemble *ensemble)
{
    if (!ensemble)
        return;
    g_free(ensemble->command);
    g_ptr_array_unref(ensemble->paths);
    g_array_unref(ensemble->columns);
    g_hash_table_unref(ensemble->rows);
    g_free(ensemble);
}

// The table that has the parameters at a section's path, or at `link` or `switch`; NULL: none.
static const struct param_table *ensemble_table(const struct scenario_schema *schema,
                                                const char *section)
{
    if (strcmp(section, "link") == 0)
        return schema->link_table;
    if (strcmp(section, "switch") == 0)
        return schema->switch_table;
    for (const struct scenario_section *one = schema->sections; one->path; one++)
        if (strcmp(one->path, section) == 0)
            return one->table;
    return NULL;
}

// Whether a path is that of a parameter; complains.
static bool path_is_right(const struct ensemble_reading *reading, const char *path,
                          struct source_mark mark)
{
    const struct ensemble *ensemble = reading->ensemble;
    if (ensemble_column(ensemble, path) >= 0) {
        diag_add(reading->diags, mark, path, NULL, "there is a second column of this name");
        return false;
    }
    if (!reading->schema)
        return true;
    const char *dot = strrchr(path, '.');
    char *section = g_strndup(path, dot ? (gsize)(dot - path) : 0);
    const struct param_table *table = ensemble_table(reading->schema, section);
    bool good = dot && table && param_index(table, dot + 1) >= 0;
    g_free(section);
    if (!good && keys_path_exists(reading->schema, path, mark, reading->diags))
        diag_add(reading->diags, mark, path, "`netsim list parameters` shows all",
                 "is no parameter of a model");
    return good;
}

// The names of the columns.
static bool read_names(struct ensemble_reading *reading)
{
    const struct ensemble_fields *fields = &reading->fields;
    struct ensemble *ensemble = reading->ensemble;
    guint count = fields->texts->len;
    reading->with_fault = count > 1 && strcmp(field_at(fields, count - 1), FAULT_COLUMN) == 0;
    count -= reading->with_fault;
    bool good = strcmp(field_at(fields, 0), DRAW_COLUMN) == 0 && count > 1;
    if (!good)
        diag_add(reading->diags, reading->mark, NULL,
                 "the first line that is no comment is draw,PATH,PATH,...",
                 "these are no columns of an ensemble of draws");
    if (good && count - 1 > ENSEMBLE_MOST_PATHS) {
        diag_add(reading->diags, reading->mark, NULL, NULL, "there are more than %d paths",
                 ENSEMBLE_MOST_PATHS);
        return false;
    }
    for (guint i = 1; good && i < count; i++) {
        struct source_mark mark = reading->mark;
        int column = mark.column = column_at(fields, i);
        good = path_is_right(reading, field_at(fields, i), mark);
        g_ptr_array_add(ensemble->paths, g_strdup(field_at(fields, i)));
        g_array_append_val(ensemble->columns, column);
    }
    ensemble->line = reading->mark.line;
    return good;
}

// The number of a row's draw; -1 after a complaint.
static int64_t read_number(const struct ensemble_reading *reading)
{
    const char *text = field_at(&reading->fields, 0);
    char *end;
    gint64 number = g_ascii_strtoll(text, &end, 10);
    if (g_ascii_isdigit(*text) && !*end && number <= DRAW_MOST)
        return number;
    diag_add(reading->diags, reading->mark, DRAW_COLUMN, NULL,
             "\"%.40s\" is no number of a draw, 0 to %d", text, DRAW_MOST);
    return -1;
}

// The values of a row, all or none. False after a complaint.
static bool read_row_values(const struct ensemble_reading *reading, struct ensemble_row *row)
{
    const struct ensemble_fields *fields = &reading->fields;
    guint count = reading->ensemble->paths->len, given = 0;
    row->values = g_new0(char *, count + 1);
    row->columns = g_new0(int, count);
    for (guint i = 0; i < count; i++) {
        row->values[i] = g_strdup(field_at(fields, i + 1));
        row->columns[i] = column_at(fields, i + 1);
        given += *row->values[i] != '\0';
    }
    if (given == 0)
        g_clear_pointer(&row->values, g_strfreev);
    struct source_mark mark = reading->mark;
    for (guint i = 0; given > 0 && i < count; i++) {
        if (*row->values[i])
            continue;
        mark.column = row->columns[i];
        diag_add(reading->diags, mark, g_ptr_array_index(reading->ensemble->paths, i), NULL,
                 "the value is missing");
        return false;
    }
    const char *fault = reading->with_fault ? field_at(fields, count + 1) : "";
    row->fault = *fault ? g_strdup(fault) : NULL;
    if (row->values && row->fault)
        diag_add(reading->diags, mark, FAULT_COLUMN, NULL, "a draw has values, or a fault");
    return !row->values || !row->fault;
}

static bool read_row(struct ensemble_reading *reading)
{
    struct ensemble *ensemble = reading->ensemble;
    guint expected = ensemble->paths->len + 1 + reading->with_fault;
    guint count = reading->fields.texts->len;
    if (count != expected) {
        diag_add(reading->diags, reading->mark, NULL, NULL,
                 "the row has %u values, and the head names %u columns", count, expected);
        return false;
    }
    int64_t number = read_number(reading);
    if (number < 0)
        return false;
    const struct ensemble_row *before = ensemble_row_of(ensemble, number);
    if (before) {
        diag_add(reading->diags, reading->mark, DRAW_COLUMN, NULL,
                 "draw %" G_GINT64_FORMAT " is there already, in line %d", number, before->line);
        return false;
    }
    struct ensemble_row *row = g_new0(struct ensemble_row, 1);
    row->line = reading->mark.line;
    g_hash_table_insert(ensemble->rows, g_memdup2(&number, sizeof number), row);
    ensemble->last = MAX(ensemble->last, number);
    return read_row_values(reading, row);
}

static void take_comment(struct ensemble *ensemble, const char *line)
{
    const char *command = strstr(line, COMMAND);
    if (command && !ensemble->command)
        ensemble->command = g_strdup(command);
}

// Reads lines until one is wrong.
static bool read_lines(struct ensemble_reading *reading, char *text)
{
    bool good = true;
    for (char *line = text, *next; good && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        reading->mark.line++;
        reading->mark.column = 1;
        g_strchomp(line);
        if (*line == '#')
            take_comment(reading->ensemble, line);
        if (!*line || *line == '#')
            continue;
        split_line(&reading->fields, line);
        good = reading->ensemble->paths->len ? read_row(reading) : read_names(reading);
    }
    if (good && reading->ensemble->paths->len == 0) {
        reading->mark.line = reading->mark.column = 0;
        diag_add(reading->diags, reading->mark, NULL, NULL, "the file has no columns");
    }
    return good && reading->ensemble->paths->len > 0;
}

// The file's text; NULL after a complaint.
static char *file_text(const char *file, struct source_mark from, struct diag_list *diags)
{
    struct stat status;
    char *text = NULL;
    gsize length = 0;
    const char *why = NULL;
    if (stat(file, &status) != 0)
        why = g_strerror(errno);
    else if (!S_ISREG(status.st_mode))
        why = "it is no regular file";
    else if (status.st_size > ENSEMBLE_MOST_BYTES)
        why = "it is too large";
    else if (!g_file_get_contents(file, &text, &length, NULL))
        why = g_strerror(errno);
    else if (!g_utf8_validate(text, (gssize)length, NULL))
        why = "it is no text";
    if (!why)
        return text;
    diag_add(diags, from, ENSEMBLE_KEY,
             "`netsim calibrate SCENARIO --fit ... --to ... --draws N --out FILE` makes one",
             "cannot read %s: %s", file, why);
    g_free(text);
    return NULL;
}

struct ensemble *ensemble_load(const char *file, const struct scenario_schema *schema,
                               struct source_mark from, struct diag_list *diags)
{
    struct source_mark mark = {.file = intern_text(file)};
    char *text = file_text(file, from.file ? from : mark, diags);
    if (!text)
        return NULL;
    struct ensemble *ensemble = g_new0(struct ensemble, 1);
    ensemble->file = mark.file;
    ensemble->paths = g_ptr_array_new_with_free_func(g_free);
    ensemble->columns = g_array_new(FALSE, FALSE, sizeof(int));
    ensemble->rows = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_row);
    struct ensemble_reading reading = {ensemble, schema, fields_new(), mark, false, diags};
    bool good = read_lines(&reading, text);
    fields_clear(&reading.fields);
    g_free(text);
    if (good)
        return ensemble;
    ensemble_free(ensemble);
    return NULL;
}

const struct ensemble_row *ensemble_row_of(const struct ensemble *ensemble, int64_t draw)
{
    return g_hash_table_lookup(ensemble->rows, &draw);
}

int ensemble_column(const struct ensemble *ensemble, const char *path)
{
    for (guint i = 0; i < ensemble->paths->len; i++)
        if (strcmp(g_ptr_array_index(ensemble->paths, i), path) == 0)
            return (int)i;
    return -1;
}

// ---- Files of a compilation ----

static void free_ensemble(void *data)
{
    ensemble_free(data);
}

void ensemble_shelf_init(struct ensemble_shelf *shelf, const struct scenario_schema *schema)
{
    shelf->schema = schema;
    shelf->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_ensemble);
}

void ensemble_shelf_clear(struct ensemble_shelf *shelf)
{
    g_hash_table_unref(shelf->files);
}

// NULL after a complaint, of this call or an earlier one.
static const struct ensemble *from_shelf(struct ensemble_shelf *shelf, const char *file,
                                         struct source_mark from, struct diag_list *diags)
{
    gpointer found;
    if (g_hash_table_lookup_extended(shelf->files, file, NULL, &found))
        return found;
    struct ensemble *ensemble = ensemble_load(file, shelf->schema, from, diags);
    g_hash_table_insert(shelf->files, (gpointer)intern_text(file), ensemble);
    return ensemble;
}

// ---- Marks ----

static struct node *node_at_path(struct node *tree, const char *path)
{
    char **keys = g_strsplit(path, ".", -1);
    for (int i = 0; keys[i] && tree; i++)
        tree = node_get(tree, keys[i]);
    g_strfreev(keys);
    return tree;
}

static bool is_from_a_set(const struct node *node)
{
    return node->mark.line == 0 && node->mark.file && g_str_has_prefix(node->mark.file, "--set ");
}

// {value: what was given, ensemble: FILE}, with the source and all other keys of the value.
static bool mark_path(const struct ensemble *ensemble, guint index, struct node **tree,
                      struct diag_list *diags)
{
    const char *path = g_ptr_array_index(ensemble->paths, index);
    struct source_mark mark = {ensemble->file, ensemble->line,
                               g_array_index(ensemble->columns, int, index)};
    struct node *given = node_at_path(*tree, path);
    if (given && is_from_a_set(given))
        return true;
    if (!given && ensemble_row_of(ensemble, 0)) {
        diag_add(diags, mark, path, "name the ensemble where the overlay of its fit is included",
                 "an ensemble of another testbed: this one is not fitted with it");
        return false;
    }
    struct node *map = node_new_map(given ? given->mark : mark);
    if (given && !node_get(given, "value")) {
        struct node *value = node_copy(given);
        g_clear_pointer(&value->key, g_free);
        value->key = g_strdup("value");
        g_ptr_array_add(map->children, value);
        node_unset(*tree, path);
    }
    struct node *file = node_new_scalar(mark, ensemble->file);
    bool good = node_put(&map, ENSEMBLE_KEY, file, diags) && node_put(tree, path, map, diags);
    node_free(file);
    node_free(map);
    return good;
}

// The file that is named at `item`, next to the one that names it.
static bool mark_by_file(struct ensemble_shelf *shelf, const struct node *item, struct node **tree,
                         struct diag_list *diags)
{
    const char *name = reader_text(item, ENSEMBLE_KEY, "the name of a file", diags);
    if (!name)
        return false;
    char *directory = item->mark.line ? g_path_get_dirname(item->mark.file) : g_strdup(".");
    char *file = g_path_is_absolute(name) || strcmp(directory, ".") == 0
                     ? g_strdup(name)
                     : g_build_filename(directory, name, NULL);
    const struct ensemble *ensemble = from_shelf(shelf, file, item->mark, diags);
    bool good = ensemble != NULL;
    for (guint i = 0; good && i < ensemble->paths->len; i++)
        good = mark_path(ensemble, i, tree, diags);
    g_free(file);
    g_free(directory);
    return good;
}

bool ensembles_mark(struct ensemble_shelf *shelf, struct node **tree, struct diag_list *diags)
{
    struct node *names = node_take(*tree, ENSEMBLE_KEY);
    bool good = true;
    if (names && names->kind != NODE_LIST)
        good = mark_by_file(shelf, names, tree, diags);
    for (guint i = 0; names && names->kind == NODE_LIST && i < names->children->len; i++)
        good &= mark_by_file(shelf, g_ptr_array_index(names->children, i), tree, diags);
    node_free(names);
    return good;
}

// ---- Values ----

// The remedy for a draw that has no row.
static char *more_draws(const struct ensemble *ensemble, int64_t draw)
{
    if (!ensemble->command)
        return g_strdup_printf("make the file again with so many draws: netsim calibrate ... "
                               "--draws %" G_GINT64_FORMAT,
                               draw);
    const char *draws = strstr(ensemble->command, " --draws ");
    int kept = draws ? (int)(draws - ensemble->command) : (int)strlen(ensemble->command);
    const char *rest = draws ? draws + strlen(" --draws ") : "";
    return g_strdup_printf("%.*s --draws %" G_GINT64_FORMAT "%s", kept, ensemble->command, draw,
                           rest + strcspn(rest, " "));
}

static void complain_no_row(const struct ensemble *ensemble, int64_t draw, struct diag_list *diags)
{
    char *hint = more_draws(ensemble, draw);
    struct source_mark mark = {.file = ensemble->file};
    diag_add(diags, mark, ENSEMBLE_KEY, hint,
             "the ensemble has no draw %" G_GINT64_FORMAT "; its last is %" G_GINT64_FORMAT, draw,
             ensemble->last);
    g_free(hint);
}

// Whether row 0, if there is one, has the value that a run without draws has.
static bool is_of_this_fit(const struct ensemble *ensemble, int column, const char *now,
                           struct source_mark at, struct diag_list *diags)
{
    const struct ensemble_row *row = ensemble_row_of(ensemble, 0);
    if (!row || !row->values || strcmp(row->values[column], now) == 0)
        return true;
    struct source_mark mark = {ensemble->file, row->line, row->columns[column]};
    diag_add(diags, mark, g_ptr_array_index(ensemble->paths, (guint)column),
             ensemble->command ? ensemble->command : "make the file again",
             "an ensemble of another fit: it is of %s, and %s has %s", row->values[column],
             at.file ? at.file : "the testbed", now);
    return false;
}

const char *ensemble_value(struct ensemble_shelf *shelf, const char *file, const char *path,
                           int64_t draw, const char *now, struct source_mark at,
                           struct source_mark *place, struct diag_list *diags)
{
    const struct ensemble *ensemble = from_shelf(shelf, file, (struct source_mark){0}, diags);
    int column = ensemble ? ensemble_column(ensemble, path) : -1;
    if (column < 0) {
        if (ensemble)
            diag_add(diags, (struct source_mark){.file = file}, path, NULL,
                     "the ensemble does not have this parameter");
        return NULL;
    }
    const struct ensemble_row *row = ensemble_row_of(ensemble, draw);
    if (!is_of_this_fit(ensemble, column, now, at, diags))
        return NULL;
    if (!row) {
        complain_no_row(ensemble, draw, diags);
        return NULL;
    }
    *place = (struct source_mark){ensemble->file, row->line, row->columns[column]};
    if (row->values)
        return row->values[column];
    place->column = 1;
    diag_add(diags, *place, ENSEMBLE_KEY, NULL, "draw %" G_GINT64_FORMAT " has no values%s%s", draw,
             row->fault ? ": " : "", row->fault ? row->fault : "");
    return NULL;
}

// ---- Writing ----

void ensemble_append_head(GString *out, const char *comments, const char *const *paths,
                          bool with_fault)
{
    char **lines = g_strsplit(comments, "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(out, "#%s%s\n", **line ? " " : "", *line);
    g_strfreev(lines);
    g_string_append(out, DRAW_COLUMN);
    for (; *paths; paths++)
        g_string_append_printf(out, ",%s", *paths);
    g_string_append_printf(out, "%s\n", with_fault ? "," FAULT_COLUMN : "");
}

// A field, in quotes and on one line.
static void append_fault(GString *out, const char *fault)
{
    g_string_append_c(out, '"');
    for (const char *c = fault; *c; c++)
        g_string_append_printf(out, "%s%c", *c == '"' ? "\"" : "", *c == '\n' ? ' ' : *c);
    g_string_append_c(out, '"');
}

void ensemble_append_row(GString *out, int64_t draw, size_t paths, const char *const *values,
                         bool with_fault, const char *fault)
{
    g_string_append_printf(out, "%" G_GINT64_FORMAT, draw);
    for (size_t i = 0; i < paths; i++)
        g_string_append_printf(out, ",%s", values ? values[i] : "");
    g_string_append(out, with_fault ? "," : "");
    if (with_fault && fault)
        append_fault(out, fault);
    g_string_append_c(out, '\n');
}
