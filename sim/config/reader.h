// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that every reader of the configuration compiler needs on a node: check its kind, its
// keys, read a number from it. All report errors with the node's place and path.
#ifndef NETSIM_CONFIG_READER_H
#define NETSIM_CONFIG_READER_H

#include "sim/config/node.h"
#include "sim/config/quantity.h"
#include "sim/core/diag.h"

// The path of a key or of a list's item below `path` (which may be empty); the caller frees it.
char *reader_path(const char *path, const char *key);
char *reader_path_item(const char *path, unsigned index);

// Describes a node for messages: "a list", "a map", "nothing", "text".
const char *reader_noun(const struct node *node);

// Returns true if the node is of the kind; otherwise complains that `expected` was expected.
bool reader_is(const struct node *node, enum node_kind kind, const char *path, const char *expected,
               struct diag_list *diags);

// Returns "did you mean NAME?" for the nearest of a NULL-terminated list, or NULL if none is near.
// The caller frees it.
char *reader_hint(const char *word, const char *const *names);

// A key that has other names in this version. Its row stays for one version: an error for a
// file of the version before names the new keys.
struct reader_renamed {
    const char *old;    // NULL ends a list
    const char *now[3]; // NULL-terminated; of the same section, or the whole path of another's
    const char *note;   // what else is different; NULL: nothing
    const char *until;  // the version that no longer has this row: "0.2.0"
};

// Returns the row of a key in a list (NULL: empty), or NULL if there is none.
const struct reader_renamed *reader_renamed_find(const struct reader_renamed *renamed,
                                                 const char *key);

// Returns "this key is called A and B now"; the caller frees it.
char *reader_renamed_text(const struct reader_renamed *row);

// Complains about `key` of the section `path` if it is in the list `renamed` (NULL: empty), with
// its new names; returns false if it is not.
bool reader_complain_renamed(const struct reader_renamed *renamed, const char *key,
                             const char *path, struct source_mark mark, struct diag_list *diags);

// Complains about every key of a map that is not one of `known` (NULL-terminated).
bool reader_keys(const struct node *map, const char *path, const char *const *known,
                 struct diag_list *diags);

// Like reader_keys, but the hint for a key that is near none of them may be from `elsewhere`, a
// NULL-terminated list of paths (NULL: none), and keys in `renamed` (NULL: none) have new names.
bool reader_keys_or(const struct node *map, const char *path, const char *const *known,
                    const char *const *elsewhere, const struct reader_renamed *renamed,
                    struct diag_list *diags);

// "did you mean PATH?" for the path that ends in the same key ("host.memory.copy_hot" for
// "copy_hot"), else for the nearest, else the keys of its section; or NULL. The caller frees it.
char *reader_path_hint(const char *path, const char *const *paths);

// Returns the text of a non-null scalar, or NULL after a complaint that `expected` was expected.
const char *reader_text(const struct node *node, const char *path, const char *expected,
                        struct diag_list *diags);

// Reads a quantity.
bool reader_quantity(const struct node *node, const char *path, enum quantity_kind kind,
                     struct quantity *value, struct diag_list *diags);

// Reads a whole number in least .. most.
bool reader_count(const struct node *node, const char *path, int64_t least, int64_t most,
                  int64_t *value, struct diag_list *diags);

// Returns the index of a text in a NULL-terminated list, or -1 after a complaint: unknown NOUN
// "text" (did you mean ...?).
int reader_choice(const struct node *node, const char *path, const char *noun,
                  const char *const *names, struct diag_list *diags);

// Returns true if a text is a valid name as in reader_name.
bool reader_is_name(const char *text);

// Returns true if a node's text is a valid name: letters, digits, and -_. inside, at most 64
// characters. Complains otherwise.
bool reader_name(const struct node *node, const char *path, struct diag_list *diags);

#endif
