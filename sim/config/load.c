// SPDX-License-Identifier: GPL-3.0-or-later
// From YAML files to trees: libyaml's events become nodes, aliases are copied out, then included
// files are laid in.
#include "sim/config/node.h"

#include "sim/core/intern.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

// The state that all files of one load share.
struct load {
    struct diag_list *diags;
    int nodes, includes; // how many there are so far
    GPtrArray *chain;    // char *: real paths of the files that are being read, outermost first
    bool failed;         // something was diagnosed
    node_file_fn *each;  // NULL: none
    void *owner;         // of each
};

// One file, or one text.
struct document {
    struct load *load;
    const char *file; // interned
    yaml_parser_t parser;
    GHashTable *anchors; // name -> struct node *, complete ones only
    GPtrArray *keys;     // struct node *: kept, since an anchor may name a key
    GString *path;       // of the node that is being read
};

static bool document_fails(struct document *document, struct source_mark mark, const char *hint,
                           const char *format, ...) G_GNUC_PRINTF(4, 5);

static bool document_fails(struct document *document, struct source_mark mark, const char *hint,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    diag_add(document->load->diags, mark, document->path->str, hint, "%s", message);
    g_free(message);
    document->load->failed = true;
    return false;
}

static struct source_mark mark_of(const struct document *document, yaml_mark_t mark)
{
    return (struct source_mark){document->file, (int)mark.line + 1, (int)mark.column + 1};
}

// ---- Nodes from events ----

// Counts one more node at `depth`; false if that is too many or too deep.
static bool account(struct document *document, int depth, struct source_mark mark)
{
    struct load *load = document->load;
    if (depth > NODE_MAX_DEPTH)
        return document_fails(document, mark, NULL, "nested more than %d levels deep",
                              NODE_MAX_DEPTH);
    if (++load->nodes > NODE_MAX_NODES)
        return document_fails(document, mark, "aliases and included files count in full",
                              "more than %d values", NODE_MAX_NODES);
    return true;
}

// Where libyaml's reader stopped: it knows the byte only.
static struct source_mark mark_of_byte(const struct document *document, const char *text,
                                       size_t offset)
{
    struct source_mark mark = {document->file, 1, 1};
    for (size_t i = 0; i < offset; i++) {
        bool line = text[i] == '\n', first_byte = ((unsigned char)text[i] & 0xc0) != 0x80;
        mark.line += line;
        mark.column = line ? 1 : mark.column + first_byte;
    }
    return mark;
}

static bool next_event(struct document *document, yaml_event_t *event)
{
    yaml_parser_t *parser = &document->parser;
    if (yaml_parser_parse(parser, event))
        return true;
    const char *problem = parser->problem ? parser->problem : "out of memory";
    if (parser->error == YAML_READER_ERROR) {
        const char *text = (const char *)parser->input.string.start;
        size_t length = (size_t)(parser->input.string.end - parser->input.string.start);
        struct source_mark mark = mark_of_byte(document, text, MIN(parser->problem_offset, length));
        return document_fails(document, mark, "the file must be UTF-8 text", "not YAML: %s",
                              problem);
    }
    struct source_mark mark = mark_of(document, parser->problem_mark);
    bool token = strstr(problem, "cannot start any token") != NULL;
    const char *hint = token ? "YAML is indented with blanks, never tabs; a text that starts "
                               "with @, ` or % needs quotes"
                             : NULL;
    return document_fails(document, mark, hint, "not YAML: %s%s%s", problem,
                          parser->context ? " " : "", parser->context ? parser->context : "");
}

static struct node *read_node(struct document *document, yaml_event_t *event, int depth);

// Only !!str has a meaning here: text that is no number.
static bool check_tag(struct document *document, const yaml_char_t *tag, struct source_mark mark)
{
    if (!tag || strcmp((const char *)tag, YAML_STR_TAG) == 0 || strcmp((const char *)tag, "!") == 0)
        return true;
    return document_fails(document, mark, "write the value without it",
                          "tags such as %s are not supported", (const char *)tag);
}

static bool means_null(const char *text)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    return g_strv_contains(nulls, text);
}

static struct node *read_scalar(struct document *document, const yaml_event_t *event)
{
    struct source_mark mark = mark_of(document, event->start_mark);
    if (!check_tag(document, event->data.scalar.tag, mark))
        return NULL;
    const char *text = (const char *)event->data.scalar.value;
    bool quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || event->data.scalar.tag;
    if (strlen(text) != event->data.scalar.length) {
        document_fails(document, mark, NULL, "a text may not contain the character NUL");
        return NULL;
    }
    struct node *node = node_new_scalar(mark, quoted || !means_null(text) ? text : NULL);
    node->quoted = quoted;
    return node;
}

// Counts the nodes that an alias stands for, as if they were written out: this stops an anchor
// bomb.
static bool account_tree(struct document *document, const struct node *node, int depth,
                         struct source_mark alias)
{
    if (!account(document, depth, alias))
        return false;
    for (guint i = 0; node->children && i < node->children->len; i++)
        if (!account_tree(document, g_ptr_array_index(node->children, i), depth + 1, alias))
            return false;
    return true;
}

static struct node *read_alias(struct document *document, const yaml_event_t *event, int depth)
{
    const char *name = (const char *)event->data.alias.anchor;
    struct source_mark mark = mark_of(document, event->start_mark);
    const struct node *anchored = g_hash_table_lookup(document->anchors, name);
    if (!anchored) {
        document_fails(document, mark, "an anchor must be complete before it is used",
                       "there is no anchor &%s before this alias", name);
        return NULL;
    }
    if (!account_tree(document, anchored, depth, mark))
        return NULL;
    struct node *copy = node_copy(anchored);
    g_clear_pointer(&copy->key, g_free);
    return copy;
}

// Reads the next node unless it is the end of the list or map. False after an error.
static bool read_next(struct document *document, yaml_event_type_t end, int depth,
                      struct node **node)
{
    yaml_event_t event;
    *node = NULL;
    if (!next_event(document, &event))
        return false;
    bool ended = event.type == end;
    if (!ended)
        *node = read_node(document, &event, depth);
    yaml_event_delete(&event);
    return ended || *node;
}

static bool read_items(struct document *document, struct node *list, int depth)
{
    size_t outer = document->path->len;
    for (;;) {
        struct node *item;
        g_string_append_printf(document->path, "[%u]", list->children->len);
        if (!read_next(document, YAML_SEQUENCE_END_EVENT, depth, &item))
            return false;
        g_string_truncate(document->path, outer);
        if (!item)
            return true;
        g_ptr_array_add(list->children, item);
    }
}

#define KEY_CHARACTERS G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "._-[]"

static bool check_key(struct document *document, const struct node *key)
{
    if (key->kind != NODE_SCALAR || !key->text)
        return document_fails(document, key->mark, NULL, "a key must be a plain text");
    if (strcmp(key->text, "<<") == 0)
        return document_fails(document, key->mark, "use include: FILE, or an alias for each value",
                              "the merge key << is not supported");
    // The text is not shown: a file that is included by mistake, or is another user's, may hold
    // anything.
    if (key->text[strspn(key->text, KEY_CHARACTERS)])
        return document_fails(document, key->mark,
                              "a key has letters, digits, and . _ - [ ]; is this file meant?",
                              "this can be no key");
    return true;
}

static void give_key(struct document *document, const struct node *key, struct node *value,
                     GHashTable *seen)
{
    const struct node *first = g_hash_table_lookup(seen, key->text);
    if (first)
        document_fails(document, key->mark, NULL, "duplicate key, first given in line %d column %d",
                       first->key_mark.line, first->key_mark.column);
    value->key = g_strdup(key->text);
    value->key_mark = key->mark;
    if (!first)
        g_hash_table_insert(seen, value->key, value);
}

static bool read_pairs(struct document *document, struct node *map, int depth, GHashTable *seen)
{
    size_t outer = document->path->len;
    for (;;) {
        struct node *key, *value;
        if (!read_next(document, YAML_MAPPING_END_EVENT, depth, &key))
            return false;
        if (!key)
            return true;
        g_ptr_array_add(document->keys, key);
        if (!check_key(document, key))
            return false;
        g_string_append_printf(document->path, "%s%s", outer ? "." : "", key->text);
        if (!read_next(document, YAML_NO_EVENT, depth, &value) || !value)
            return false;
        give_key(document, key, value, seen);
        g_ptr_array_add(map->children, value);
        g_string_truncate(document->path, outer);
    }
}

static struct node *read_collection(struct document *document, const yaml_event_t *event, int depth)
{
    struct source_mark mark = mark_of(document, event->start_mark);
    bool is_map = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag =
        is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    if (!check_tag(document, tag, mark))
        return NULL;
    struct node *node = is_map ? node_new_map(mark) : node_new_list(mark);
    bool good;
    if (is_map) {
        GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
        good = read_pairs(document, node, depth + 1, seen);
        g_hash_table_destroy(seen);
    } else {
        good = read_items(document, node, depth + 1);
    }
    if (good)
        return node;
    node_free(node);
    return NULL;
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

static struct node *read_node(struct document *document, yaml_event_t *event, int depth)
{
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(document, event, depth);
    if (!account(document, depth, mark_of(document, event->start_mark)))
        return NULL;
    struct node *node = event->type == YAML_SCALAR_EVENT ? read_scalar(document, event)
                                                         : read_collection(document, event, depth);
    const char *anchor = (const char *)anchor_of(event);
    if (node && anchor)
        g_hash_table_insert(document->anchors, g_strdup(anchor), node);
    return node;
}

// Reads an event at the top of a stream: the root of its only document, or its begin or end.
static bool read_top(struct document *document, yaml_event_t *event, int depth, struct node **root)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return !*root || document_fails(document, mark_of(document, event->start_mark),
                                        "write one file for each", "a second document starts here");
    case YAML_STREAM_END_EVENT:
        return *root || document_fails(document, (struct source_mark){document->file, 1, 1}, NULL,
                                       "the file is empty");
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return true;
    default:
        *root = read_node(document, event, depth);
        return *root;
    }
}

static struct node *read_stream(struct document *document, int depth)
{
    struct node *root = NULL;
    bool good = true, ended = false;
    while (good && !ended) {
        yaml_event_t event;
        good = next_event(document, &event);
        if (!good)
            break;
        ended = event.type == YAML_STREAM_END_EVENT;
        good = read_top(document, &event, depth, &root);
        yaml_event_delete(&event);
    }
    if (good)
        return root;
    node_free(root);
    return NULL;
}

static void free_key(void *key)
{
    node_free(key);
}

static struct node *read_document(struct load *load, const char *text, size_t length,
                                  const char *name, int depth)
{
    struct document document = {.load = load, .file = intern_text(name)};
    document.path = g_string_new(NULL);
    struct node *root = NULL;
    if (length > NODE_MAX_FILE_BYTES) {
        document_fails(&document, (struct source_mark){.file = document.file}, NULL,
                       "the file is larger than %d bytes", NODE_MAX_FILE_BYTES);
    } else if (yaml_parser_initialize(&document.parser)) {
        document.anchors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        document.keys = g_ptr_array_new_with_free_func(free_key);
        yaml_parser_set_input_string(&document.parser, (const unsigned char *)text, length);
        root = read_stream(&document, depth);
        yaml_parser_delete(&document.parser);
        g_hash_table_destroy(document.anchors);
        g_ptr_array_free(document.keys, TRUE);
    }
    g_string_free(document.path, TRUE);
    return root;
}

// ---- Files, and files in files ----

static struct node *load_file(struct load *load, const char *file, struct source_mark from,
                              int depth);

static bool load_fails(struct load *load, struct source_mark mark, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static bool load_fails(struct load *load, struct source_mark mark, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    diag_add(load->diags, mark, mark.line ? "include" : NULL, NULL, "%s", message);
    g_free(message);
    load->failed = true;
    return false;
}

// Lays the file that `item` names over *base.
static bool include_one(struct load *load, const struct node *item, const char *directory,
                        int depth, struct node **base)
{
    if (item->kind != NODE_SCALAR || !item->text)
        return load_fails(load, item->mark, "the name of a file is expected");
    if (!directory)
        return load_fails(load, item->mark, "no file can be included here");
    if (++load->includes > NODE_MAX_INCLUDES)
        return load_fails(load, item->mark, "more than %d files are included", NODE_MAX_INCLUDES);
    char *file = g_path_is_absolute(item->text) || strcmp(directory, ".") == 0
                     ? g_strdup(item->text)
                     : g_build_filename(directory, item->text, NULL);
    struct node *tree = load_file(load, file, item->mark, depth);
    g_free(file);
    if (tree && tree->kind != NODE_MAP)
        load_fails(load, item->mark, "an included file must hold a map");
    struct node *merged = node_merge(*base, tree);
    node_free(tree);
    node_free(*base);
    *base = merged;
    return !load->failed;
}

// Replaces the `include` keys in and below `node` by the files' contents.
static bool expand_includes(struct load *load, struct node *node, const char *directory, int depth)
{
    for (guint i = 0; node->children && i < node->children->len; i++)
        if (!expand_includes(load, g_ptr_array_index(node->children, i), directory, depth + 1))
            return false;
    struct node *include = node_take(node, "include");
    if (!include)
        return true;
    struct node *base = NULL;
    bool good = true;
    if (include->kind != NODE_LIST)
        good = include_one(load, include, directory, depth, &base);
    for (guint i = 0; good && include->kind == NODE_LIST && i < include->children->len; i++)
        good = include_one(load, g_ptr_array_index(include->children, i), directory, depth, &base);
    if (good && base) {
        struct node *merged = node_merge(base, node);
        GPtrArray *own = node->children;
        node->children = merged->children;
        merged->children = own;
        node_free(merged);
    }
    node_free(base);
    node_free(include);
    return good;
}

// Opens a file; one that another file names must be a regular one, since others may never end or
// never begin. NULL and *why (a text that stays) if it can't be read. *room: its size, of another
// than a regular one SIZE_MAX.
static FILE *open_file(const char *file, bool named, size_t *room, const char **why)
{
    struct stat status = {0};
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | (named ? O_NONBLOCK : 0));
    *why = NULL;
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        *why = g_strerror(errno);
    else if (S_ISDIR(status.st_mode))
        *why = g_strerror(EISDIR);
    else if (named && !S_ISREG(status.st_mode))
        *why = "it is no regular file";
    FILE *stream = *why ? NULL : fdopen(descriptor, "rb");
    if (!stream && !*why)
        *why = g_strerror(errno);
    if (!stream && descriptor >= 0)
        close(descriptor);
    if (stream)
        *room = S_ISREG(status.st_mode) ? (size_t)status.st_size : SIZE_MAX;
    return stream;
}

static struct {
    const char *name, *text; // NULL: none
    size_t length;
} kept_text;

void node_keep_text(const char *name, const char *text, size_t length)
{
    kept_text.name = name;
    kept_text.text = text;
    kept_text.length = length;
}

static bool text_is_kept(const char *file)
{
    return kept_text.name && strcmp(file, kept_text.name) == 0;
}

// The file's text, at most a byte more than allowed; NULL and *why if it can't be read. Of a
// regular file no more is read than its size: some files of /proc have size 0 and never end.
static char *read_text(const char *file, bool named, size_t *length, const char **why)
{
    size_t room;
    if (text_is_kept(file)) {
        *length = kept_text.length;
        return g_memdup2(kept_text.text, kept_text.length + 1);
    }
    FILE *stream = open_file(file, named, &room, why);
    if (!stream)
        return NULL;
    room = MIN(room, NODE_MAX_FILE_BYTES + 1);
    char *text = g_malloc(room + 1);
    *length = fread(text, 1, room, stream);
    if (ferror(stream))
        *why = g_strerror(errno);
    fclose(stream);
    if (!*why)
        return text;
    g_free(text);
    return NULL;
}

// "a.yaml includes b.yaml includes a.yaml", from where `real` stands in the chain on.
static char *chain_text(const GPtrArray *chain, const char *real)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < chain->len; i++) {
        const char *link = g_ptr_array_index(chain, i);
        if (!text->len && strcmp(link, real) != 0)
            continue;
        char *name = g_path_get_basename(link);
        g_string_append_printf(text, "%s includes ", name);
        g_free(name);
    }
    char *name = g_path_get_basename(real);
    g_string_append(text, name);
    g_free(name);
    return g_string_free(text, FALSE);
}

// Reads the file that is last in the chain.
static struct node *load_last(struct load *load, const char *file, struct source_mark from,
                              int depth)
{
    size_t length;
    const char *why = NULL;
    char *text = read_text(file, from.line > 0, &length, &why);
    if (!text) {
        load_fails(load, from, "cannot read %s: %s", file, why);
        return NULL;
    }
    struct node *root = read_document(load, text, length, file, depth);
    g_free(text);
    char *directory = g_path_get_dirname(file);
    bool good = root && expand_includes(load, root, directory, depth);
    if (good && depth == 1 && load->each && root->kind == NODE_MAP)
        load->failed |= !load->each(load->owner, &root, load->diags);
    g_free(directory);
    return root;
}

static struct node *load_file(struct load *load, const char *file, struct source_mark from,
                              int depth)
{
    struct stat status;
    char *real = text_is_kept(file) ? strdup(file) : realpath(file, NULL);
    if (!real && stat(file, &status) == 0)
        real = strdup(file); // a pipe below /dev/fd, which has no other name
    if (!real) {
        load_fails(load, from, "cannot read %s: %s", file, g_strerror(errno));
        return NULL;
    }
    struct node *root = NULL;
    if (g_ptr_array_find_with_equal_func(load->chain, real, g_str_equal, NULL)) {
        char *chain = chain_text(load->chain, real);
        load_fails(load, from, "the file includes itself: %s", chain);
        g_free(chain);
    } else {
        g_ptr_array_add(load->chain, real);
        root = load_last(load, file, from, depth);
        g_ptr_array_remove_index(load->chain, load->chain->len - 1);
    }
    free(real);
    return root;
}

// Ends a load: the tree if nothing was wrong.
static struct node *load_end(struct load *load, struct node *root)
{
    g_ptr_array_free(load->chain, TRUE);
    if (!load->failed)
        return root;
    node_free(root);
    return NULL;
}

struct node *node_load_each(const char *file, node_file_fn *each, void *owner,
                            struct diag_list *diags)
{
    struct load load = {.diags = diags, .chain = g_ptr_array_new(), .each = each, .owner = owner};
    struct source_mark nowhere = {.file = intern_text(file)};
    return load_end(&load, load_file(&load, file, nowhere, 1));
}

struct node *node_load(const char *file, struct diag_list *diags)
{
    return node_load_each(file, NULL, NULL, diags);
}

struct node *node_parse(const char *text, size_t length, const char *name, const char *directory,
                        struct diag_list *diags)
{
    struct load load = {.diags = diags, .chain = g_ptr_array_new()};
    struct node *root = read_document(&load, text, length, name, 1);
    if (root)
        expand_includes(&load, root, directory, 1);
    return load_end(&load, root);
}

// ---- Text as a value ----

static void mark_all(struct node *node, struct source_mark mark)
{
    node->mark = node->key_mark = mark;
    for (guint i = 0; node->children && i < node->children->len; i++)
        mark_all(g_ptr_array_index(node->children, i), mark);
}

bool node_set(struct node **root, const char *path, const char *value, const char *origin,
              struct diag_list *diags)
{
    struct source_mark mark = {.file = intern_text(origin)};
    struct diag_list *found = diag_list_new();
    struct node *node = node_parse(value, strlen(value), origin, NULL, found);
    for (guint i = 0; i < found->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(found->items, i);
        diag_add(diags, mark, path, diag->hint, "%s", diag->message);
    }
    diag_list_free(found);
    if (!node)
        return false;
    mark_all(node, mark);
    bool good = node_put(root, path, node, diags);
    node_free(node);
    return good;
}
