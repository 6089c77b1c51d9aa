// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/intern.h"

#include <glib.h>

const char *intern_text(const char *text)
{
    static GMutex mutex;
    static GStringChunk *strings;
    g_mutex_lock(&mutex);
    if (!strings)
        strings = g_string_chunk_new(4096);
    const char *kept = text ? g_string_chunk_insert_const(strings, text) : NULL;
    g_mutex_unlock(&mutex);
    return kept;
}
