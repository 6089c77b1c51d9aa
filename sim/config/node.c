// SPDX-License-Identifier: GPL-3.0-or-later
// Trees and what can be done with them; load.c makes them from files.
#include "sim/config/node.h"

#include "sim/core/intern.h"

#include <math.h>
#include <string.h>

static void free_child(void *child)
{
    node_free(child);
}

static struct node *node_new(enum node_kind kind, struct source_mark mark)
{
    struct node *node = g_new0(struct node, 1);
    node->kind = kind;
    node->mark = node->key_mark = mark;
    if (kind != NODE_SCALAR)
        node->children = g_ptr_array_new_with_free_func(free_child);
    return node;
}

struct node *node_new_map(struct source_mark mark)
{
    return node_new(NODE_MAP, mark);
}

struct node *node_new_list(struct source_mark mark)
{
    return node_new(NODE_LIST, mark);
}

struct node *node_new_scalar(struct source_mark mark, const char *text)
{
    struct node *node = node_new(NODE_SCALAR, mark);
    node->text = g_strdup(text);
    return node;
}

void node_free(struct node *node)
{
    if (!node)
        return;
    if (node->children)
        g_ptr_array_free(node->children, TRUE);
    g_free(node->text);
    g_free(node->key);
    g_free(node);
}

// The node itself without its children.
static struct node *copy_shallow(const struct node *node)
{
    struct node *copy = g_memdup2(node, sizeof *node);
    copy->text = g_strdup(node->text);
    copy->key = g_strdup(node->key);
    if (node->children)
        copy->children = g_ptr_array_new_with_free_func(free_child);
    return copy;
}

struct node *node_copy(const struct node *node)
{
    if (!node)
        return NULL;
    struct node *copy = copy_shallow(node);
    for (guint i = 0; node->children && i < node->children->len; i++)
        g_ptr_array_add(copy->children, node_copy(g_ptr_array_index(node->children, i)));
    return copy;
}

// ---- Maps ----

static bool find_key(const struct node *map, const char *key, guint *index)
{
    if (!map || map->kind != NODE_MAP)
        return false;
    for (*index = 0; *index < map->children->len; ++*index) {
        const struct node *child = g_ptr_array_index(map->children, *index);
        if (strcmp(child->key, key) == 0)
            return true;
    }
    return false;
}

struct node *node_get(const struct node *map, const char *key)
{
    guint index;
    return find_key(map, key, &index) ? g_ptr_array_index(map->children, index) : NULL;
}

struct node *node_take(struct node *map, const char *key)
{
    guint index;
    return find_key(map, key, &index) ? g_ptr_array_steal_index(map->children, index) : NULL;
}

bool node_is_null(const struct node *node)
{
    return !node || (node->kind == NODE_SCALAR && !node->text);
}

// A value with its source, or with what it is drawn from, is laid over another as a whole: the
// source of the one does not hold for the other.
static bool both_are_sourced(const struct node *base, const struct node *over)
{
    bool sourced = node_get(base, "value") && node_get(base, "source");
    return (sourced || node_get(base, "ensemble")) && node_get(over, "value");
}

struct node *node_merge(const struct node *base, const struct node *over)
{
    if (!base || !over)
        return node_copy(base ? base : over);
    if (base->kind != NODE_MAP || over->kind != NODE_MAP || both_are_sourced(base, over))
        return node_copy(over);
    struct node *merged = copy_shallow(over);
    GHashTable *overlaid = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < over->children->len; i++) {
        struct node *child = g_ptr_array_index(over->children, i);
        g_hash_table_insert(overlaid, child->key, child);
    }
    for (guint i = 0; i < base->children->len; i++) {
        const struct node *child = g_ptr_array_index(base->children, i);
        const struct node *lid = g_hash_table_lookup(overlaid, child->key);
        g_ptr_array_add(merged->children, node_merge(child, lid));
        g_hash_table_remove(overlaid, child->key);
    }
    for (guint i = 0; i < over->children->len; i++) {
        const struct node *child = g_ptr_array_index(over->children, i);
        if (g_hash_table_contains(overlaid, child->key))
            g_ptr_array_add(merged->children, node_copy(child));
    }
    g_hash_table_destroy(overlaid);
    return merged;
}

// ---- Paths ----

// A path while it is followed through a tree.
struct walk {
    const char *path;        // all of it
    const char *at;          // its remainder
    struct source_mark mark; // of the value that is put
    struct diag_list *diags;
};

// Adds an error: the path so far, and what is wrong after it.
static bool walk_fails(const struct walk *walk, const char *wrong)
{
    int done = (int)MIN(walk->at - walk->path, 200);
    diag_add(walk->diags, walk->mark, walk->path, NULL, "behind \"%.*s\" %s", done, walk->path,
             wrong);
    return false;
}

// Steps into "[N]" of *slot.
static bool step_index(struct walk *walk, struct node ***slot)
{
    if (!**slot || (**slot)->kind != NODE_LIST)
        return walk_fails(walk, "a number in brackets stands, but there is no list");
    const char *digits = walk->at + 1;
    char *end;
    guint64 index = g_ascii_strtoull(digits, &end, 10);
    if (!g_ascii_isdigit(*digits) || *end != ']')
        return walk_fails(walk, "a number in brackets is expected");
    GPtrArray *items = (**slot)->children;
    if (index >= items->len) {
        diag_add(walk->diags, walk->mark, walk->path, "numbers start at 0",
                 "the list has only %u items", items->len);
        return false;
    }
    *slot = (struct node **)&items->pdata[index];
    walk->at = end + 1;
    return true;
}

// Steps into a key of *slot, which becomes a map if it is nothing.
static bool step_key(struct walk *walk, struct node ***slot)
{
    size_t length = strcspn(walk->at, ".[");
    if (length == 0)
        return walk_fails(walk, "a key is expected");
    if (node_is_null(**slot)) {
        struct node *map = node_new_map(walk->mark);
        if (**slot)
            map->key = g_steal_pointer(&(**slot)->key);
        node_free(**slot);
        **slot = map;
    }
    if ((**slot)->kind != NODE_MAP)
        return walk_fails(walk, "a key stands, but there is no map");
    char *key = g_strndup(walk->at, length);
    guint index;
    if (!find_key(**slot, key, &index)) {
        struct node *child = node_new_scalar(walk->mark, NULL);
        child->key = g_strdup(key);
        g_ptr_array_add((**slot)->children, child);
    }
    g_free(key);
    *slot = (struct node **)&(**slot)->children->pdata[index];
    walk->at += length;
    return true;
}

bool node_put(struct node **root, const char *path, const struct node *value,
              struct diag_list *diags)
{
    struct walk walk = {.path = path, .at = path, .mark = value->mark, .diags = diags};
    struct node **slot = root;
    if (!step_key(&walk, &slot))
        return false;
    for (int depth = 2; *walk.at; depth++) {
        if (depth > NODE_MAX_DEPTH)
            return walk_fails(&walk, "the path is too long");
        bool index = *walk.at == '[', key = *walk.at == '.';
        walk.at += key;
        if (!index && !key)
            return walk_fails(&walk, "a dot or bracket is expected");
        if (!(index ? step_index : step_key)(&walk, &slot))
            return false;
    }
    struct node *laid = node_merge(*slot, value);
    g_free(laid->key);
    laid->key = *slot ? g_strdup((*slot)->key) : NULL;
    laid->key_mark = value->key ? value->key_mark : value->mark;
    node_free(*slot);
    *slot = laid;
    return true;
}

bool node_unset(struct node *root, const char *path)
{
    struct node *map = root;
    for (const char *at = path;;) {
        size_t length = strcspn(at, ".[");
        char *key = g_strndup(at, length);
        guint index;
        bool there = map && map->kind == NODE_MAP && find_key(map, key, &index);
        g_free(key);
        if (!there)
            return false;
        at += length;
        if (!*at) {
            g_ptr_array_remove_index(map->children, index);
            return true;
        }
        map = g_ptr_array_index(map->children, index);
        for (char *end; *at == '['; at = end) {
            guint64 item = g_ascii_strtoull(at + 1, &end, 10);
            if (!g_ascii_isdigit(at[1]) || *end++ != ']' || map->kind != NODE_LIST ||
                item >= map->children->len)
                return false;
            map = g_ptr_array_index(map->children, item);
        }
        if (*at++ != '.')
            return false;
    }
}

// ---- Other forms ----

static void append_text(GString *text, const struct node *node)
{
    if (node->kind == NODE_SCALAR) {
        char *quoted = node->quoted ? g_strescape(node->text, NULL) : NULL;
        if (quoted)
            g_string_append_printf(text, "\"%s\"", quoted);
        else
            g_string_append(text, node->text ? node->text : "null");
        g_free(quoted);
        return;
    }
    bool map = node->kind == NODE_MAP;
    g_string_append_c(text, map ? '{' : '[');
    for (guint i = 0; i < node->children->len; i++) {
        const struct node *child = g_ptr_array_index(node->children, i);
        g_string_append(text, i ? ", " : "");
        if (map)
            g_string_append_printf(text, "%s: ", child->key);
        append_text(text, child);
    }
    g_string_append_c(text, map ? '}' : ']');
}

char *node_text(const struct node *node)
{
    GString *text = g_string_new(NULL);
    append_text(text, node);
    return g_string_free(text, FALSE);
}

static json_t *scalar_json(const struct node *node)
{
    if (!node->text)
        return json_null();
    if (node->quoted)
        return json_string(node->text);
    if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)
        return json_boolean(node->text[0] == 't');
    char *end;
    gint64 integer = g_ascii_strtoll(node->text, &end, 10);
    char *canonical = g_strdup_printf("%" G_GINT64_FORMAT, integer);
    bool exact = strcmp(canonical, node->text) == 0;
    g_free(canonical);
    if (exact)
        return json_integer(integer);
    double real = g_ascii_strtod(node->text, &end);
    bool number = strspn(node->text, "+-.0123456789eE") == strlen(node->text) && !*end;
    return number && isfinite(real) ? json_real(real) : json_string(node->text);
}

size_t node_count(const struct node *node)
{
    size_t count = 1;
    for (guint i = 0; node->children && i < node->children->len; i++)
        count += node_count(g_ptr_array_index(node->children, i));
    return count;
}

json_t *node_json(const struct node *node)
{
    if (node->kind == NODE_SCALAR)
        return scalar_json(node);
    json_t *json = node->kind == NODE_MAP ? json_object() : json_array();
    for (guint i = 0; i < node->children->len; i++) {
        const struct node *child = g_ptr_array_index(node->children, i);
        if (node->kind == NODE_MAP)
            json_object_set_new(json, child->key, node_json(child));
        else
            json_array_append_new(json, node_json(child));
    }
    return json;
}
