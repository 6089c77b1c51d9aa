// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/csv_field.h"

#include <stdbool.h>
#include <string.h>

// Whether a text begins, after apostrophes, as a formula does.
static bool is_like_formula(const char *text)
{
    return strchr("=+-@\t\r", text[strspn(text, "'")]) && text[strspn(text, "'")];
}

static bool is_number(const char *text)
{
    char *end;
    g_ascii_strtod(text, &end);
    return end != text && !*end;
}

const char *csv_field_text(const char *field)
{
    return *field == '\'' && is_like_formula(field) ? field + 1 : field;
}

void csv_append_field(GString *out, const char *text)
{
    const char *guard = is_like_formula(text) && !is_number(text) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        g_string_append_printf(out, "%s%s", guard, text);
        return;
    }
    g_string_append_printf(out, "\"%s", guard);
    for (; *text; text++) {
        if (*text == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, *text);
    }
    g_string_append_c(out, '"');
}
