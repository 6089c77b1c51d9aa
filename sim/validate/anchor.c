// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/anchor.h"

#include <glib.h>
#include <string.h>

// "## What misses: `x`" is "what-misses-x"; NULL if the line is no heading.
static char *anchor_of_line(const char *line)
{
    size_t level = strspn(line, "#");
    if (level < 1 || level > 6 || line[level] != ' ')
        return NULL;
    char *text = g_strstrip(g_strdup(line + level));
    char *lower = g_utf8_strdown(text, -1);
    GString *anchor = g_string_new(NULL);
    for (const char *at = lower; *at; at = g_utf8_next_char(at)) {
        gunichar character = g_utf8_get_char(at);
        if (character == ' ')
            g_string_append_c(anchor, '-');
        else if (g_unichar_isalnum(character) || character == '-' || character == '_')
            g_string_append_unichar(anchor, character);
    }
    g_free(lower);
    g_free(text);
    return g_string_free(anchor, FALSE);
}

static bool line_has(const char *line, const char *anchor, const char *tag)
{
    char *own = anchor_of_line(line);
    bool found = g_strcmp0(own, anchor) == 0 || strstr(line, tag);
    g_free(own);
    return found;
}

bool anchor_exists(const char *page, const char *anchor)
{
    if (!g_utf8_validate(page, -1, NULL))
        return false;
    char **lines = g_strsplit(page, "\n", -1);
    char *tag = g_strdup_printf("<a id=\"%s\">", anchor);
    bool found = false, code = false;
    for (char **line = lines; *line && !found; line++) {
        if (g_str_has_prefix(*line, "```"))
            code = !code;
        else if (!code)
            found = line_has(*line, anchor, tag);
    }
    g_free(tag);
    g_strfreev(lines);
    return found;
}
