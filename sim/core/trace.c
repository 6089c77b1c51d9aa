// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/trace.h"

#include <stdarg.h>

void trace_values_once(struct trace *trace, trace_values *values, struct trace_values_info info,
                       const char *format, ...)
{
    if (*values)
        return;
    va_list words;
    va_start(words, format);
    char *name = g_strdup_vprintf(format, words);
    va_end(words);
    info.name = name;
    *values = trace_values_new(trace, &info);
    g_free(name);
}
