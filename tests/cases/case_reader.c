// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cases/case_reader.h"

#include "sim/config/quantity.h"

#include <string.h>

bool case_reader_fail(struct case_reader *reader, const char *what, const char *text)
{
    struct case_file *file = reader->file;
    if (!file->error)
        file->error = g_strdup_printf("%s:%d: %s \"%s\"", file->path, reader->line, what, text);
    return false;
}

static const char *keep(struct case_reader *reader, const char *text)
{
    return g_string_chunk_insert(reader->file->strings, text);
}

// ---- Operations ----

// "send to: 1, size: 1 KiB" is {send: {to: 1, size: 1 KiB}}, "compute 100 ms" is {compute: 100 ms},
// "4 x OP" a loop; what begins with a brace is as in a scenario.
static void add_operation(GString *ops, const char *text)
{
    char *end;
    guint64 times = g_ascii_strtoull(text, &end, 10);
    if (ops->len > 0)
        g_string_append(ops, ", ");
    if (end != text && g_str_has_prefix(end, " x ")) {
        GString *inner = g_string_new(NULL);
        add_operation(inner, end + strlen(" x "));
        g_string_append_printf(ops, "{loop: {count: %u, do: [%s]}}", (unsigned)times, inner->str);
        g_string_free(inner, TRUE);
        return;
    }
    const char *rest = strchr(text, ' ');
    if (!rest || text[0] == '{')
        g_string_append(ops, text);
    else if (strstr(rest, ": "))
        g_string_append_printf(ops, "{%.*s: {%s}}", (int)(rest - text), text, rest + 1);
    else
        g_string_append_printf(ops, "{%.*s: %s}", (int)(rest - text), text, rest + 1);
}

static bool read_operations(struct case_reader *reader, const char *text)
{
    struct case_block *block = reader->block;
    if (block->kind >= CASE_PLACE || block->expected->len > 0 || block->listed)
        return case_reader_fail(
            reader, "an operation stands below a rank, before what is expected of it:", text);
    char **ops = g_strsplit(text, ";", -1);
    for (char **op = ops; *op; op++)
        if (*g_strstrip(*op))
            add_operation(block->ops, *op);
    g_strfreev(ops);
    return true;
}

// ---- Expectations ----

static bool read_time(const char *text, sim_time *time)
{
    struct quantity value;
    char *error = NULL, *hint = NULL;
    bool good = *text == '\0' || quantity_parse(text, QUANTITY_DURATION, &value, &error, &hint);
    if (good && *text)
        *time = value.integer;
    g_free(error);
    g_free(hint);
    return good;
}

// "[20 ms .. 30 ms] TEXT": returns TEXT, or NULL if the times can't be read.
static const char *read_window(struct case_expectation *expectation, const char *text)
{
    const char *close = strchr(text, ']');
    if (*text != '[')
        return text;
    if (!close)
        return NULL;
    char *inside = g_strndup(text + 1, (gsize)(close - text - 1));
    char **bounds = g_strsplit(inside, "..", -1);
    bool good = g_strv_length(bounds) == 2 &&
                read_time(g_strstrip(bounds[0]), &expectation->from) &&
                read_time(g_strstrip(bounds[1]), &expectation->to);
    g_strfreev(bounds);
    g_free(inside);
    return good ? close + 1 + strspn(close + 1, " ") : NULL;
}

// "rank 0: TEXT": leaves TEXT in *text.
static bool split_place(struct case_reader *reader, const char **text, const char **place)
{
    const char *colon = strstr(*text, ": ");
    if (!colon)
        return false;
    *place = g_string_chunk_insert_len(reader->file->strings, *text, colon - *text);
    *text = colon + strlen(": ");
    return true;
}

static bool read_expectation(struct case_reader *reader, const char *text)
{
    struct case_block *block = reader->block;
    struct case_expectation expectation = {
        .line = reader->line, .counted = *text == '=', .to = TIME_NEVER};
    if (block->kind == CASE_ALL)
        return case_reader_fail(reader,
                                "what is expected stands below one rank, not below all:", text);
    block->listed |= *text == '>';
    const char *rest = text + 1 + strspn(text + 1, " ");
    if (!expectation.counted && (*rest == '\0' || strcmp(rest, "nothing") == 0))
        return true;
    if (expectation.counted) {
        char *end;
        expectation.count = (int)g_ascii_strtoull(rest, &end, 10);
        expectation.at_least = *end == '+';
        end += expectation.at_least;
        if (end == rest)
            return case_reader_fail(reader, "= N TEXT says how often there is a text:", text);
        rest = end + strspn(end, " ");
    }
    rest = read_window(&expectation, rest);
    if (!rest || !*rest)
        return case_reader_fail(reader,
                                "times are written [FROM .. TO], before a transition:", text);
    if (block->kind == CASE_ORDER && !split_place(reader, &rest, &expectation.place))
        return case_reader_fail(reader, "in order, a line is > PLACE: TEXT:", text);
    expectation.text = keep(reader, rest);
    g_array_append_val(block->expected, expectation);
    return true;
}

// ---- Blocks ----

static bool begin_block(struct case_reader *reader, const char *text)
{
    struct case_file *file = reader->file;
    struct case_block *block = g_new0(struct case_block, 1);
    g_ptr_array_add(file->blocks, block);
    block->line = block->end = reader->line;
    block->expected = g_array_new(FALSE, FALSE, sizeof(struct case_expectation));
    block->ops = g_string_new(NULL);
    block->place = keep(reader, text);
    reader->block = block;
    if (g_str_has_prefix(text, "at ")) {
        block->kind = CASE_PLACE;
        block->place += strlen("at ");
    } else if (strcmp(text, "in order") == 0) {
        block->kind = CASE_ORDER;
    } else if (strcmp(text, "rank all") == 0) {
        block->kind = CASE_ALL;
    } else {
        char *end;
        const char *number = text + strlen("rank ");
        block->rank = (int)g_ascii_strtoull(number, &end, 10);
        if (end == number || *end || block->rank >= TEST_MOST_RANKS)
            return case_reader_fail(reader, "not a rank:", text);
        file->program.ranks = MAX(file->program.ranks, block->rank + 1);
    }
    return true;
}

// ---- The lines above the first block ----

static bool read_fact(struct case_reader *reader, const char *text)
{
    static const char *const known[] = {"status",  "books",   "reason", "ledger",
                                        "counter", "refused", NULL};
    char **words = g_strsplit(text, " ", 2);
    const char *whole = strstr(text, " = "), *part = strstr(text, " ~ ");
    const char *at = whole && (!part || whole < part) ? whole : part;
    bool good = at && g_strv_contains(known, words[0]);
    if (good) {
        char *name = g_strndup(text, (gsize)(at - text));
        const char *blank = strchr(name, ' ');
        const char *value = at + strlen(" = ");
        struct case_fact fact = {reader->line, keep(reader, words[0]),
                                 keep(reader, blank ? blank + 1 : ""), at == whole,
                                 keep(reader, strcmp(value, "nothing") == 0 ? "" : value)};
        g_array_append_val(reader->file->facts, fact);
        g_free(name);
    }
    g_strfreev(words);
    return good || case_reader_fail(reader, "what is", text);
}

static bool read_head(struct case_reader *reader, const char *text)
{
    struct case_file *file = reader->file;
    struct test_program *program = &file->program;
    size_t sets = 0;
    while (program->sets[sets])
        sets++;
    if (g_str_has_prefix(text, "set ") && sets + 1 < G_N_ELEMENTS(program->sets))
        program->sets[sets] = keep(reader, text + strlen("set "));
    else if (g_str_has_prefix(text, "ranks "))
        program->ranks = (int)g_ascii_strtoull(text + strlen("ranks "), NULL, 10);
    else if (g_str_has_prefix(text, "hosts "))
        program->hosts = (int)g_ascii_strtoull(text + strlen("hosts "), NULL, 10);
    else if (g_str_has_prefix(text, "show ") && !file->show)
        file->show = g_strsplit(text + strlen("show "), ", ", -1);
    else
        return read_fact(reader, text);
    return true;
}

bool case_reader_line(struct case_reader *reader, char *text)
{
    char *remark = strstr(text, " # ");
    if (remark)
        *remark = '\0';
    g_strstrip(text);
    if (*text == '\0' || *text == '#' || g_str_has_prefix(text, "each "))
        return true;
    if (g_str_has_prefix(text, "rank ") || g_str_has_prefix(text, "at ") ||
        strcmp(text, "in order") == 0)
        return begin_block(reader, text);
    if (!reader->block)
        return read_head(reader, text);
    reader->block->end = reader->line;
    if (*text == '>' || *text == '=')
        return read_expectation(reader, text);
    return read_operations(reader, text);
}
