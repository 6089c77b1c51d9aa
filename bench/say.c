// SPDX-License-Identifier: GPL-3.0-or-later
// Used by every measurement: a clock, and a message on what is being measured.
#include "bench/bench.h"

#include <stdarg.h>

double bench_seconds(void)
{
    return (double)g_get_monotonic_time() / G_USEC_PER_SEC;
}

void bench_say(const struct bench_options *options, const char *format, ...)
{
    if (!options->say)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    options->say(text);
    g_free(text);
}
