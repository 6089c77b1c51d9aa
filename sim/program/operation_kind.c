// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/program/operation_kind.h"

#include "sim/config/param_kind.h"

#include <string.h>

const struct operation_kind *operation_find(const struct operation_kind *table, const char *name)
{
    for (const struct operation_kind *kind = table; kind && kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

const struct operation_key *operation_key(const struct operation_kind *kind, const char *name)
{
    for (const struct operation_key *key = kind->keys; key && key->param.name; key++)
        if (strcmp(key->param.name, name) == 0)
            return key;
    return NULL;
}

const struct operation_key *operation_plain_key(const struct operation_kind *kind)
{
    const struct operation_key *first = kind->keys;
    bool plain = first && first->param.name &&
                 (first->form != OPERATION_COMMUNICATOR || !first->param.fallback);
    return plain ? first : NULL;
}

bool operation_has_form(const struct operation_kind *kind, enum operation_form form)
{
    for (const struct operation_key *key = kind->keys; key && key->param.name; key++)
        if (key->form == form)
            return true;
    return false;
}

bool operation_of_mpi(const struct operation_kind *kind)
{
    switch (kind->class) {
    case CALL_TRANSFER:
    case CALL_SENDRECV:
    case CALL_COLLECTIVE:
    case CALL_COMMUNICATOR:
    case CALL_PERSISTENT:
    case CALL_REQUEST:
    case CALL_BUFFER:
        return true;
    case CALL_OPERATION:
    case CALL_WAIT:
    case CALL_LOCAL:
    case CALL_MEMORY:
    case CALL_MEASURE:
    case CALL_STREAM:
    case CALL_LOOP:
        break;
    }
    return false;
}

bool operation_key_is_data(const struct operation_kind *kind, const struct operation_key *key)
{
    bool layout = key->form == OPERATION_STRIDED || key->form == OPERATION_SEGMENTS;
    bool size = key->form == OPERATION_VALUE &&
                key->param.offset == offsetof(struct operation_arguments, size);
    return layout || (size && (operation_has_form(kind, OPERATION_STRIDED) ||
                               operation_has_form(kind, OPERATION_SEGMENTS)));
}

int64_t operation_opening_size(const struct operation_kind *kind,
                               const struct operation_arguments *arguments)
{
    const struct operation_opening *opening = &kind->opening;
    if (!opening->collective)
        return OPERATION_ANY;
    return opening->size_of ? opening->size_of(arguments) : opening->size;
}

// ---- Arguments ----

size_t operation_arguments_size(const struct operation_kind *kind)
{
    return MAX(kind->size, sizeof(struct operation_arguments));
}

bool operation_key_computes(const struct operation_key *key)
{
    const struct param_type *type = &param_types[key->param.kind];
    return key->form == OPERATION_RANK ||
           (key->form == OPERATION_VALUE && type->number && type->quantity != QUANTITY_REAL &&
            key->param.kind != PARAM_COST);
}

void operation_store(const struct operation_key *key, void *arguments, int64_t value)
{
    char *field = (char *)arguments + key->param.offset;
    if (key->form == OPERATION_RANK)
        *(int *)(void *)field = (int)value;
    else
        *(int64_t *)(void *)field = value;
}

int64_t operation_number(const struct operation_key *key, const void *arguments)
{
    const char *field = (const char *)arguments + key->param.offset;
    return key->form == OPERATION_RANK ? *(const int *)(const void *)field
                                       : *(const int64_t *)(const void *)field;
}

char *operation_text(const struct operation_key *key, const void *arguments)
{
    const struct param *param = &key->param;
    const void *field = (const char *)arguments + param->offset;
    bool text = key->form == OPERATION_NAME || param->kind == PARAM_STRING;
    if (text)
        return g_strdup(*(const char *const *)field);
    if (operation_key_computes(key) && param->kind != PARAM_BITS &&
        operation_number(key, arguments) == OPERATION_ANY)
        return g_strdup(key->word ? key->word : "");
    if (key->form == OPERATION_RANK)
        return g_strdup_printf("%d", *(const int *)field);
    return key->form == OPERATION_VALUE ? param_types[param->kind].text(param, field) : NULL;
}

// A table's own number.
static int64_t known_number(const struct operation_key *key, const char *text)
{
    struct quantity value;
    char *error, *hint;
    if (!quantity_parse(text, param_types[key->param.kind].quantity, &value, &error, &hint))
        g_error("key %s: \"%s\": %s", key->param.name, text, error);
    return value.integer;
}

static void store_default(const struct operation_key *key, void *arguments)
{
    const struct param *param = &key->param;
    if (!param->fallback)
        return;
    if (operation_key_computes(key)) {
        bool any = !*param->fallback || g_strcmp0(param->fallback, key->word) == 0;
        operation_store(key, arguments, any ? OPERATION_ANY : known_number(key, param->fallback));
    } else if (key->form == OPERATION_VALUE && *param->fallback) {
        struct node *node =
            node_new_scalar((struct source_mark){.file = "default"}, param->fallback);
        struct param_reading reading = {.param = param,
                                        .node = node,
                                        .path = param->name,
                                        .field = (char *)arguments + param->offset,
                                        .diags = diag_list_new()};
        if (!param_types[param->kind].read(&reading))
            g_error("key %s: \"%s\" is no default", param->name, param->fallback);
        diag_list_free(reading.diags);
        node_free(node);
    }
}

void *operation_arguments_new(const struct operation_kind *kind)
{
    struct operation_arguments *arguments = g_malloc0(operation_arguments_size(kind));
    arguments->peer = OPERATION_ANY;
    arguments->buffer = OPERATION_ANY;
    for (const struct operation_key *key = kind->keys; key && key->param.name; key++)
        store_default(key, arguments);
    return arguments;
}

// ---- Ranges ----

void operation_key_bounds(const struct operation_key *key, int ranks, int64_t *least, int64_t *most)
{
    const struct param *param = &key->param;
    *least = param->least ? known_number(key, param->least) : 0;
    *most = key->form == OPERATION_RANK ? ranks - 1
            : param->most               ? known_number(key, param->most)
                                        : quantity_most_value(param_types[param->kind].quantity);
}

char *operation_out_of_range(const struct operation_key *key, int64_t value)
{
    const char *least, *most, *name = key->param.name;
    enum quantity_kind quantity = param_types[key->param.kind].quantity;
    param_bounds(&key->param, &least, &most);
    if (quantity == QUANTITY_COUNT && value < 0 && !key->param.least)
        return g_strdup_printf("%s %" G_GINT64_FORMAT " is negative", name, value);
    if (quantity == QUANTITY_COUNT)
        return value < 0 || !most || value < known_number(key, least)
                   ? g_strdup_printf("%s %" G_GINT64_FORMAT " is below %s, the least", name, value,
                                     least)
                   : g_strdup_printf("%s %" G_GINT64_FORMAT " is above %s, the largest", name,
                                     value, most);
    char *text = quantity_format(quantity, (struct quantity){.integer = value});
    const char *noun = quantity_noun(quantity);
    noun += g_str_has_prefix(noun, "a ") ? 2 : 0;
    char *error = g_strdup_printf("%s is no %s: the range is %s .. %s", text, noun, least, most);
    g_free(text);
    return error;
}
