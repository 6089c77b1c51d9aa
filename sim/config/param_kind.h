// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of parameters: how a field of each is read, shown, described and freed. param.c knows
// no kind by name.
#ifndef NETSIM_CONFIG_PARAM_KIND_H
#define NETSIM_CONFIG_PARAM_KIND_H

#include "sim/config/param.h"
#include "sim/config/quantity.h"

struct param_map;

// A value being read.
struct param_reading {
    const struct param *param;
    const struct node *node;
    const char *path; // of the value
    void *field;
    struct diag_list *diags;
    const struct param_map *map; // the map that it is in; NULL: a table of parameters
};

struct param_type {
    bool number;
    enum quantity_kind quantity; // of numbers
    bool list;                   // its default is YAML, not a plain text
    const char *units;           // for documentation; NULL: the quantity's
    bool (*read)(const struct param_reading *reading);
    char *(*text)(const struct param *param, const void *field);
    json_t *(*json)(const void *field); // NULL: the text
    void (*clear)(void *field);         // NULL: nothing to free
    json_t *(*schema)(const struct param *param);
};

// Whether a text is a number of at most 64 bits in hexadecimal, "0x1f".
bool param_is_hex(const char *text);

extern const struct param_type param_types[]; // by enum param_kind

// The range of a number as text; *most may be NULL.
void param_bounds(const struct param *param, const char **least, const char **most);

#endif
