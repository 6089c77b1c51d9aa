// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/notes.h"

#include <stdbool.h>
#include <string.h>

void notes_add(json_t *notes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    size_t index;
    json_t *one;
    bool known = false;
    json_array_foreach(notes, index, one)
    {
        known = known || strcmp(json_string_value(one), text) == 0;
    }
    if (!known)
        json_array_append_new(notes, json_string(text));
    g_free(text);
}
