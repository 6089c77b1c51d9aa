// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of actions, each of which is checked.
#include "sim/recording/ti.h"

#include "sim/config/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ti_complain(const struct ti_line *line, int word, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    struct source_mark mark = line->mark;
    if (word < line->count)
        mark.column = line->words[word].column;
    diag_add(line->reader->diags, mark, NULL, hint, "%s", text);
    g_free(text);
}

// Bytes of a datatype, by SimGrid 3.32's number for it, from its trace of a program that sends one
// of each; ten per line. 0: a type without a number there. 45 is MPI_INTEGER1, which has 4 bytes,
// and 44 MPI_COMPLEX32, which has 16: so they are in SMPI.
static const unsigned char type_bytes[] = {
    8,  4,  1,  2,  8,  4, 1,  8,  1, 1,  // double .. unsigned char
    2,  4,  8,  8,  16, 4, 1,  1,  2, 4,  // unsigned short .. int32
    8,  1,  2,  4,  8,  8, 16, 32, 8, 8,  // int64 .. offset
    8,  16, 16, 8,  8,  8, 16, 16, 4, 4,  // float_int .. real4
    8,  16, 8,  16, 16, 4, 2,  4,  8, 16, // real8 .. integer16
    32, 0,  0,  0,  0,  0, 0,  1,  0, 8   // long_double_int, packed, count
};

bool ti_number(const struct ti_line *line, int word, const char *what, int64_t least, int64_t most,
               int64_t *value)
{
    const char *text = line->words[word].text;
    char *end;
    errno = 0;
    double number = strtod(text, &end); // counts may have been written as 1e+06
    bool whole = *text && *end == '\0' && isfinite(number) && floor(number) == number;
    if (whole && fabs(number) < 9e15)
        *value = (int64_t)number;
    else
        *value = whole && number > 0 ? INT64_MAX : INT64_MIN;
    if (!whole)
        ti_complain(line, word, NULL, "\"%.40s\" is no whole number (%s)", text, what);
    else if (*value < least || *value > most)
        ti_complain(line, word, NULL,
                    "%s %.40s is out of range (%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ")", what,
                    text, least, most);
    return whole && *value >= least && *value <= most;
}

bool ti_amount(const struct ti_line *line, int word, const char *what, double most, double *value)
{
    const char *text = line->words[word].text;
    char *end;
    *value = strtod(text, &end);
    if (*text && *end == '\0' && *value >= 0 && *value <= most)
        return true;
    ti_complain(line, word, NULL, "\"%.40s\" is no %s", text, what);
    return false;
}

bool ti_rank_at(const struct ti_line *line, int word, int *rank)
{
    int64_t value;
    if (!ti_number(line, word, "rank", 0, line->reader->ranks - 1, &value))
        return false;
    *rank = (int)value;
    return true;
}

// Whether the word is that number, as the tracer writes it.
static bool argument_is_text(const struct ti_line *line, int word, int number)
{
    char *end;
    const char *text = line->words[word].text;
    return strtol(text, &end, 10) == number && *text && *end == '\0';
}

bool ti_is_null_or_any(const struct ti_line *line, int word)
{
    return argument_is_text(line, word, TI_NULL_OR_ANY);
}

bool ti_tag_at(const struct ti_line *line, int word, int64_t *tag)
{
    if (argument_is_text(line, word, TI_ANY_TAG)) {
        *tag = OPERATION_ANY;
        return true;
    }
    return ti_number(line, word, "tag", 0, INT32_MAX, tag);
}

bool ti_type_at(const struct ti_line *line, int word, int64_t *bytes)
{
    int64_t type;
    if (word >= line->count) {
        *bytes = ti_state(line)->doubles ? 8 : 1;
        return true;
    }
    if (!ti_number(line, word, "datatype", -1, INT32_MAX, &type))
        return false;
    *bytes = type >= 0 && type < (int64_t)G_N_ELEMENTS(type_bytes) ? type_bytes[type] : 0;
    if (type == -1)
        ti_complain(line, word, "let the program send elements of MPI's own types, or bytes",
                    "the trace does not say how large the derived datatype is");
    else if (*bytes == 0)
        ti_complain(line, word, NULL, "datatype %.40s is not known", line->words[word].text);
    return *bytes > 0;
}

bool ti_bytes_at(const struct ti_line *line, int word, int type, int64_t *bytes)
{
    int64_t element, count;
    return ti_type_at(line, type, &element) &&
           ti_number(line, word, "count", 0, quantity_most_value(QUANTITY_SIZE) / element,
                     &count) &&
           (*bytes = count * element, true);
}

bool ti_root_at(const struct ti_line *line, int word, int *root)
{
    *root = 0;
    return word >= line->count || ti_rank_at(line, word, root);
}

bool ti_blocks_at(const struct ti_line *line, int word, int64_t element, GArray *blocks)
{
    int ranks = line->reader->ranks;
    int64_t most = quantity_most_value(QUANTITY_SIZE) / element / ranks;
    g_array_set_size(blocks, 0);
    for (int i = 0; i < ranks; i++) {
        int64_t count;
        if (!ti_number(line, word + i, "count", 0, most, &count))
            return false;
        count *= element;
        g_array_append_val(blocks, count);
    }
    return true;
}
