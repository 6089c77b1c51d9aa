// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/shown.h"

#include <stdbool.h>

// Marks that change the direction of the text after them.
static bool turns(gunichar character)
{
    return (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

void shown_append(GString *out, const char *text, enum shown_as as)
{
    while (*text) {
        gunichar character = g_utf8_get_char_validated(text, -1);
        if (character == (gunichar)-1 || character == (gunichar)-2) {
            g_string_append_printf(out, "\\x%02x", (unsigned)(guchar)*text++);
            continue;
        }
        const char *next = g_utf8_next_char(text);
        if ((character == '\n' || character == '\t') && as == SHOWN_TEXT)
            g_string_append_c(out, *text);
        else if (character < 0x20 || (character >= 0x7f && character < 0xa0))
            g_string_append_printf(out, "\\x%02x", character);
        else if (turns(character))
            g_string_append_printf(out, "\\u%04x", character);
        else
            g_string_append_len(out, text, next - text);
        text = next;
    }
}

void shown_print(const char *text, enum shown_as as, FILE *out)
{
    GString *shown = g_string_new(NULL);
    shown_append(shown, text, as);
    fwrite(shown->str, 1, shown->len, out);
    g_string_free(shown, TRUE);
}
