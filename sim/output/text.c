// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/text.h"

#include "sim/measure/result.h"

#include <math.h>
#include <string.h>

char *text_exact(double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_ascii_formatd(digits, sizeof digits, formats[i], value);
        if (g_ascii_strtod(digits, NULL) == value)
            break;
    }
    return g_strdup(digits);
}

char *text_with_band(double median, double low, double high)
{
    double most = MAX(fabs(low), fabs(high));
    int digits = most > 0.0 ? CLAMP(3 - (int)floor(log10(most)), 0, 9) : 0;
    return g_strdup_printf("%.*f (%.*f .. %.*f)", digits, median, digits, low, digits, high);
}

char *text_grouped(uint64_t value)
{
    char digits[32];
    int length = g_snprintf(digits, sizeof digits, "%" G_GUINT64_FORMAT, value);
    GString *out = g_string_new(NULL);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            g_string_append_c(out, ',');
        g_string_append_c(out, digits[i]);
    }
    return g_string_free(out, FALSE);
}

char *text_scaled(double value)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    size_t step = 0;
    while (value >= 999.5 && step + 1 < G_N_ELEMENTS(prefixes)) {
        value /= 1000.0;
        step++;
    }
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    char format[8], digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_snprintf(format, sizeof format, "%%.%df", decimals);
    g_ascii_formatd(digits, sizeof digits, format, value);
    return g_strconcat(digits, prefixes[step], NULL);
}

void text_append_us(GString *out, sim_time time)
{
    g_string_append_printf(out, "%" G_GINT64_FORMAT ".%06" G_GINT64_FORMAT, time / TIME_US,
                           time % TIME_US);
}

char *text_fingerprint(uint64_t fingerprint)
{
    return g_strdup_printf("%016" G_GINT64_MODIFIER "x", fingerprint);
}

char *text_metric_label(const char *metric)
{
    char *label = g_strdup(metric);
    char *unit = NULL;
    if (g_str_has_suffix(label, "_per_s")) {
        label[strlen(label) - strlen("_per_s")] = '\0';
        unit = strcmp(metric_unit(metric), "1/s") == 0 ? NULL : strrchr(label, '_');
    } else if (*metric_unit(metric)) {
        unit = strrchr(label, '_');
    }
    if (unit)
        *unit = '\0';
    return g_strdelimit(label, "_", ' ');
}

char *text_metric_axis(const char *metric)
{
    char *label = text_metric_label(metric);
    if (strcmp(label, "program") != 0 || !*metric_unit(metric))
        return label;
    g_free(label);
    return g_strdup("program time");
}

bool text_metric_is(const char *metric, const char *name)
{
    char *label = text_metric_label(metric), *words = g_strdelimit(g_strdup(name), "_", ' ');
    const char *last = strrchr(label, ' ');
    bool is = strcmp(metric, name) == 0 || strcmp(label, words) == 0 ||
              (last && strcmp(last + 1, words) == 0);
    g_free(words);
    g_free(label);
    return is;
}

bool text_metric_is_among(const char *metric, const char *const *names)
{
    while (*names && !text_metric_is(metric, *names))
        names++;
    return *names != NULL;
}

bool text_alike(const char *one, const char *other)
{
    while (one && other) {
        one += strspn(one, "0123456789.");
        other += strspn(other, "0123456789.");
        if (*one != *other)
            return false;
        if (!*one)
            return true;
        one++;
        other++;
    }
    return false;
}

int text_width(const char *text)
{
    if (!g_utf8_validate(text, -1, NULL))
        return (int)strlen(text);
    int width = 0;
    for (; *text; text = g_utf8_next_char(text)) {
        gunichar character = g_utf8_get_char(text);
        if (!g_unichar_iszerowidth(character))
            width += g_unichar_iswide(character) ? 2 : 1;
    }
    return width;
}

static void append_blanks(GString *out, int count)
{
    for (int i = 0; i < count; i++)
        g_string_append_c(out, ' ');
}

void text_append_right(GString *out, const char *text, int width)
{
    append_blanks(out, width - text_width(text));
    g_string_append(out, text);
}

void text_append_left(GString *out, const char *text, int width)
{
    g_string_append(out, text);
    append_blanks(out, width - text_width(text));
}

void text_append_wrapped(GString *out, const char *text, int width, int indent)
{
    char **words = g_strsplit_set(text, " \n", -1);
    int column = 0;
    for (char **word = words; *word; word++) {
        if (!**word)
            continue;
        int length = text_width(*word);
        if (column > 0 && column + 1 + length > width) {
            g_string_append_c(out, '\n');
            append_blanks(out, indent);
            column = 0;
        } else if (column > 0) {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, *word);
        column += length;
    }
    g_strfreev(words);
}

void text_append_cell(GString *out, const char *text)
{
    g_string_append(out, " ");
    for (; text && *text; text++) {
        if (*text == '|' || *text == '<' || *text == '*' || *text == '_')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *text == '\n' ? ' ' : *text);
    }
    g_string_append(out, " |");
}
