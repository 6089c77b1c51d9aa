// SPDX-License-Identifier: GPL-3.0-or-later
// What every reader of the configuration compiler does with a node: check its kind, its keys, read
// a number from it. All complain with the node's place and path.
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

// Complains about every key of a map that is not one of `known` (NULL-terminated).
bool reader_keys(const struct node *map, const char *path, const char *const *known,
                 struct diag_list *diags);

// The same, but the hint for a key that is near none of them may come from `elsewhere`, a
// NULL-terminated list of paths.
bool reader_keys_or(const struct node *map, const char *path, const char *const *known,
                    const char *const *elsewhere, struct diag_list *diags);

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
