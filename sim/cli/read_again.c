// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/read_again.h"

#include "sim/config/quantity.h"

#include <string.h>

struct scenario *cli_read_again(void *owner, GPtrArray *more, char **why)
{
    const struct cli_reader *reader = owner;
    GPtrArray *sets = g_ptr_array_new();
    for (int i = 0; reader->sets && reader->sets[i]; i++)
        g_ptr_array_add(sets, reader->sets[i]);
    for (guint i = 0; i < more->len; i++)
        g_ptr_array_add(sets, g_ptr_array_index(more, i));
    g_ptr_array_add(sets, NULL);
    struct scenario *scenario =
        cli_scenario_quietly(reader->schema, reader->file, (char **)sets->pdata, reader->seed, why);
    g_ptr_array_unref(sets);
    return scenario;
}

bool cli_size_read(const char *text, int64_t *size)
{
    char *error = NULL, *hint = NULL;
    struct quantity quantity;
    bool plain = *text && !text[strspn(text, "0123456789")];
    char *bytes = g_strconcat(text, plain ? " B" : NULL, NULL);
    bool good = quantity_parse(bytes, QUANTITY_SIZE, &quantity, &error, &hint);
    g_free(bytes);
    if (good && quantity.integer < 0) {
        good = false;
        error = g_strdup("a size is not negative");
    }
    if (good)
        *size = quantity.integer;
    else
        cli_error(hint, "--size %s: %s", text, error);
    g_free(error);
    g_free(hint);
    return good;
}
