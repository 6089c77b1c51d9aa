// SPDX-License-Identifier: GPL-3.0-or-later
// A YAML document as a tree in which every node knows where it stands: what the configuration
// compiler works on.
//
// node_load reads one file; node_merge lays one tree over another, so that a scenario lies over its
// testbed; node_set puts one value at a path, which is what --set does.
#ifndef NETSIM_CONFIG_NODE_H
#define NETSIM_CONFIG_NODE_H

#include "sim/core/diag.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Limits on input. A file past them is refused with a diagnostic.
#define NODE_MAX_FILE_BYTES (1024 * 1024)
#define NODE_MAX_DEPTH 64
#define NODE_MAX_NODES                                                                             \
    100000 // after aliases are expanded, with all included files: what stops an anchor bomb
#define NODE_MAX_INCLUDES 100

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    struct source_mark mark;     // of the value
    struct source_mark key_mark; // of its key, if it stands in a map
    char *text;                  // scalar: its text; NULL is YAML's null (empty, ~)
    bool quoted;                 // scalar: written in quotes, thus a string and never a number
    char *key;                   // if it stands in a map: its key
    GPtrArray *children;         // list and map: struct node *, in the order of the file
};

// Reads the first document of a file and the files it includes: the key `include` of any map (a
// path or a list of paths, relative to the file) stands for that file's keys, over which the map's
// own keys win. Anchors and aliases are copied out. Duplicate keys, more than one document, a file
// that includes itself and all syntax errors are diagnosed. NULL after an error. Free with
// node_free.
struct node *node_load(const char *file, struct diag_list *diags);

// The same from memory; `name` stands in marks, and includes are resolved relative to `directory`
// (NULL: includes are refused).
struct node *node_parse(const char *text, size_t length, const char *name, const char *directory,
                        struct diag_list *diags);

void node_free(struct node *node);
struct node *node_copy(const struct node *node);

// An empty map, an empty list, or a scalar (text NULL: null), that stands at `mark`.
struct node *node_new_map(struct source_mark mark);
struct node *node_new_list(struct source_mark mark);
struct node *node_new_scalar(struct source_mark mark, const char *text);

// The value of `key` in a map, or NULL.
struct node *node_get(const struct node *map, const char *key);

// Takes `key` out of a map and returns its value, or NULL.
struct node *node_take(struct node *map, const char *key);

// Whether there is nothing: NULL, or YAML's null.
bool node_is_null(const struct node *node);

// A new tree: `over` laid on `base`. Maps are merged key by key, anything else is replaced.
// Either may be NULL.
struct node *node_merge(const struct node *base, const struct node *over);

// Lays a copy of `value` at `path` ("host.memory.copy_hot", "links[0].rate"), creating maps on the
// way; a map is merged with what is there, anything else replaces it. False and a diagnostic at the
// value's place if the path does not fit the tree.
bool node_put(struct node **root, const char *path, const struct node *value,
              struct diag_list *diags);

// node_put of a YAML text, as --set does. The new nodes' mark is {origin, 0, 0}. Only syntax is
// checked here; false and a diagnostic if it is wrong.
bool node_set(struct node **root, const char *path, const char *value, const char *origin,
              struct diag_list *diags);

// How many nodes a tree has.
size_t node_count(const struct node *node);

// A tree as YAML-like one-line text for messages; the caller frees it.
char *node_text(const struct node *node);

// A tree as JSON, new reference: plain numbers and booleans become such, all else is text.
json_t *node_json(const struct node *node);

#endif
