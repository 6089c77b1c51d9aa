// SPDX-License-Identifier: GPL-3.0-or-later
// A YAML document as a tree for the configuration compiler. Every node knows its place in the file.
//
// node_load reads one file. node_merge overlays one tree on another, such as a scenario on its
// testbed. node_set sets one value at a path, as --set does.
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
    100000 // after expansion of aliases, with all included files: stops an anchor bomb
#define NODE_MAX_INCLUDES 100

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    struct source_mark mark;     // of the value
    struct source_mark key_mark; // of its key, if it is in a map
    char *text;                  // scalar: its text; NULL is YAML's null (empty, ~)
    bool quoted;                 // scalar: written in quotes, thus a string and never a number
    char *key;                   // its key, if it is in a map
    GPtrArray *children;         // list and map: struct node *, in the order of the file
};

// Reads the first document of a file and the files it includes: the key `include` of any map (a
// path or a list of paths, relative to the file) inserts that file's keys; the map's own keys win.
// Anchors and aliases are copied out. Duplicate keys, more than one document, a file that includes
// itself and all syntax errors are diagnosed. Returns NULL after an error. The caller frees it with
// node_free.
struct node *node_load(const char *file, struct diag_list *diags);

// Like node_load, and calls `each` with the tree of every file whose keys come to stand at the top,
// with what it includes laid in, before it is laid under the keys of the file that includes it:
// last with the outermost. `each` may change the tree, and returns false after an error.
typedef bool node_file_fn(void *owner, struct node **tree, struct diag_list *diags);
struct node *node_load_each(const char *file, node_file_fn *each, void *owner,
                            struct diag_list *diags);

// From now on node_load reads this text, which ends with a null byte and must outlive it, in place
// of a file called `name`: that of standard input, which can be read only once. Includes are
// relative to the current directory.
void node_keep_text(const char *name, const char *text, size_t length);

// Like node_load, but from memory; `name` is the file in marks, and includes are resolved relative
// to `directory` (NULL: includes are refused).
struct node *node_parse(const char *text, size_t length, const char *name, const char *directory,
                        struct diag_list *diags);

void node_free(struct node *node);
struct node *node_copy(const struct node *node);

// Return an empty map, an empty list, or a scalar (text NULL: null) with `mark`.
struct node *node_new_map(struct source_mark mark);
struct node *node_new_list(struct source_mark mark);
struct node *node_new_scalar(struct source_mark mark, const char *text);

// Returns the value of `key` in a map, or NULL if it has none.
struct node *node_get(const struct node *map, const char *key);

// Removes `key` from a map and returns its value, or NULL if it has none.
struct node *node_take(struct node *map, const char *key);

// True for NULL and for YAML's null.
bool node_is_null(const struct node *node);

// Returns a new tree: `base` overlaid by `over`. Maps are merged key by key, anything else is
// replaced. Either may be NULL.
struct node *node_merge(const struct node *base, const struct node *over);

// Puts a copy of `value` at `path` ("host.memory.copy_hot", "links[0].rate"), creating maps along
// it. A map is merged with an existing one; anything else replaces the old value. Returns false and
// adds a diagnostic at the value's mark if the path does not fit the tree.
bool node_put(struct node **root, const char *path, const struct node *value,
              struct diag_list *diags);

// Removes the key at `path` with all that is under it, as `--set PATH=` does. Returns false if it
// is not there, or if the path ends at an item of a list.
bool node_unset(struct node *root, const char *path);

// node_put of a YAML text, as --set does. The new nodes' mark is {origin, 0, 0}. Only syntax is
// checked here: returns false and adds a diagnostic if it is wrong.
bool node_set(struct node **root, const char *path, const char *value, const char *origin,
              struct diag_list *diags);

// Number of nodes in a tree.
size_t node_count(const struct node *node);

// A tree as YAML-like one-line text for messages; the caller frees it.
char *node_text(const struct node *node);

// A tree as JSON, new reference: plain numbers and booleans stay such, everything else is text.
json_t *node_json(const struct node *node);

#endif
