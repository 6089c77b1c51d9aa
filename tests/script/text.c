// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/script/text.h"

#include <arpa/inet.h>
#include <string.h>

// ---- Reports ----

static void complain(struct script_report *report, enum script_verdict verdict, int line,
                     const char *format, va_list arguments)
{
    if (report->verdict != SCRIPT_PASS)
        return;
    report->verdict = verdict;
    report->line = line;
    report->text = g_strdup_vprintf(format, arguments);
}

void script_fail(struct script_report *report, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(report, SCRIPT_FAIL, line, format, arguments);
    va_end(arguments);
}

void script_unsupported(struct script_report *report, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(report, SCRIPT_UNSUPPORTED, line, format, arguments);
    va_end(arguments);
}

void script_report_clear(struct script_report *report)
{
    g_free(report->text);
    *report = (struct script_report){0};
}

// ---- Reading ----

struct reader {
    const char *text;
    size_t length, at;
    int line;
    bool line_begins; // only blanks since the last line feed
    const char *const *defined;
    GArray *tokens;
    GArray *taken; // bool: whether the branch of each open #ifdef is read
    struct script_report *report;
};

static int peek(const struct reader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;
    return at < reader->length ? (unsigned char)reader->text[at] : -1;
}

static bool begins(const struct reader *reader, const char *with)
{
    size_t length = strlen(with);
    return reader->length - reader->at >= length &&
           memcmp(reader->text + reader->at, with, length) == 0;
}

static void step(struct reader *reader)
{
    if (peek(reader, 0) == '\n') {
        reader->line++;
        reader->line_begins = true;
    }
    reader->at++;
}

static void to_line_end(struct reader *reader)
{
    while (peek(reader, 0) >= 0 && peek(reader, 0) != '\n')
        step(reader);
}

static void append(struct reader *reader, struct script_token token, size_t from, size_t to)
{
    token.text = g_strndup(reader->text + from, to - from);
    token.from = from;
    token.to = to;
    g_array_append_val(reader->tokens, token);
}

// The text between the token's first characters and `close`. Returns false if nothing closes it.
static bool delimited(struct reader *reader, enum script_token_kind kind, size_t open,
                      const char *close)
{
    struct script_token token = {.kind = kind, .line = reader->line};
    size_t from = reader->at + open;
    for (reader->at = from; peek(reader, 0) >= 0; step(reader)) {
        if (kind == SCRIPT_STRING && peek(reader, 0) == '\n')
            break;
        if (!begins(reader, close))
            continue;
        append(reader, token, from, reader->at);
        reader->at += strlen(close);
        return true;
    }
    script_fail(reader->report, token.line, "expected %s before the end of the %s, got %s", close,
                kind == SCRIPT_STRING ? "line" : "script",
                peek(reader, 0) < 0 ? "the end of the script" : "the end of the line");
    return false;
}

// ---- Preprocessor lines ----

static bool skipping(const struct reader *reader)
{
    for (guint i = 0; i < reader->taken->len; i++)
        if (!g_array_index(reader->taken, bool, i))
            return true;
    return false;
}

static void directive_if(struct reader *reader, const char *name, bool wanted)
{
    if (name[0] == '\0')
        script_fail(reader->report, reader->line, "expected a name after #if%sdef, got nothing",
                    wanted ? "" : "n");
    bool taken = g_strv_contains(reader->defined, name) == wanted;
    g_array_append_val(reader->taken, taken);
}

static void directive_other(struct reader *reader, const char *word)
{
    GArray *taken = reader->taken;
    bool is_else = strcmp(word, "else") == 0;
    if (!is_else && strcmp(word, "endif") != 0) {
        if (!skipping(reader))
            script_unsupported(reader->report, reader->line, "#%s", word);
    } else if (taken->len == 0) {
        script_fail(reader->report, reader->line, "expected an #ifdef before it, got #%s", word);
    } else if (is_else) {
        bool *last = &g_array_index(taken, bool, taken->len - 1);
        *last = !*last;
    } else {
        g_array_set_size(taken, taken->len - 1);
    }
}

static void directive(struct reader *reader)
{
    size_t from = reader->at + 1;
    to_line_end(reader);
    char *line = g_strndup(reader->text + from, reader->at - from);
    char *comment = strstr(line, "//");
    if (comment)
        *comment = '\0';
    char **words = g_strsplit_set(g_strstrip(line), " \t", 2);
    const char *word = words[0] ? words[0] : "";
    const char *name = words[0] && words[1] ? g_strstrip(words[1]) : "";
    if (strcmp(word, "ifdef") == 0)
        directive_if(reader, name, true);
    else if (strcmp(word, "ifndef") == 0)
        directive_if(reader, name, false);
    else
        directive_other(reader, word);
    g_strfreev(words);
    g_free(line);
}

// ---- Numbers and words ----

static bool is_word(int character)
{
    return g_ascii_isalnum((gchar)character) || character == '_';
}

static size_t span(const struct reader *reader, size_t ahead, bool hexadecimal)
{
    size_t count = 0;
    while (peek(reader, ahead + count) >= 0 &&
           (hexadecimal ? g_ascii_isxdigit((gchar)peek(reader, ahead + count))
                        : g_ascii_isdigit((gchar)peek(reader, ahead + count))))
        count++;
    return count;
}

// 192.0.2.1; returns its length, or 0.
static size_t address_length(const struct reader *reader)
{
    size_t length = 0;
    for (int part = 0; part < 4; part++) {
        size_t digits = span(reader, length, false);
        if (digits == 0 || digits > 3)
            return 0;
        length += digits;
        if (part < 3 && peek(reader, length++) != '.')
            return 0;
    }
    return length;
}

// 2001:db8::1, ::1 or ::ffff:192.0.2.1; returns its length, or 0.
static size_t ipv6_length(const struct reader *reader)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    size_t length = 0;
    int colons = 0;
    for (int next = peek(reader, 0); next == ':' || next == '.' || g_ascii_isxdigit((gchar)next);
         next = peek(reader, ++length))
        colons += next == ':';
    if (colons < 2 || length >= sizeof text)
        return 0;
    memcpy(text, reader->text + reader->at, length);
    for (; length > 0; length--) { // a colon of the grammar may follow it
        text[length] = '\0';
        if (inet_pton(AF_INET6, text, &address) == 1)
            return length;
    }
    return 0;
}

static void address_token(struct reader *reader, size_t length)
{
    append(reader, (struct script_token){.kind = SCRIPT_ADDRESS, .line = reader->line}, reader->at,
           reader->at + length);
    reader->at += length;
}

static void integer_token(struct reader *reader, size_t length, int base)
{
    struct script_token token = {.kind = SCRIPT_INTEGER, .line = reader->line};
    size_t from = reader->at;
    reader->at += length;
    append(reader, token, from, reader->at);
    struct script_token *last =
        &g_array_index(reader->tokens, struct script_token, reader->tokens->len - 1);
    const char *digits = base == 16 ? last->text + 2 : last->text;
    if (strlen(digits) > 16)
        script_fail(reader->report, reader->line, "expected a number of at most 64 bits, got %s",
                    last->text);
    else
        last->integer = base == 16 ? (int64_t)g_ascii_strtoull(digits, NULL, 16)
                                   : g_ascii_strtoll(digits, NULL, 10);
    last->real = (double)last->integer;
}

static void number(struct reader *reader)
{
    size_t sign = peek(reader, 0) == '-';
    size_t address = address_length(reader);
    if (address > 0) {
        address_token(reader, address);
        return;
    }
    if (sign == 0 && peek(reader, 0) == '0' && (peek(reader, 1) | 0x20) == 'x' &&
        span(reader, 2, true) > 0) {
        integer_token(reader, 2 + span(reader, 2, true), 16);
        return;
    }
    size_t length = sign + span(reader, sign, false);
    size_t fraction = peek(reader, length) == '.' ? span(reader, length + 1, false) : 0;
    if (fraction == 0) {
        integer_token(reader, length, 10);
        return;
    }
    length += 1 + fraction;
    append(reader, (struct script_token){.kind = SCRIPT_FLOAT, .line = reader->line}, reader->at,
           reader->at + length);
    reader->at += length;
    struct script_token *last =
        &g_array_index(reader->tokens, struct script_token, reader->tokens->len - 1);
    last->real = g_ascii_strtod(last->text, NULL);
}

static void word(struct reader *reader)
{
    size_t from = reader->at;
    while (peek(reader, 0) >= 0 && is_word(peek(reader, 0)))
        reader->at++;
    append(reader, (struct script_token){.kind = SCRIPT_WORD, .line = reader->line}, from,
           reader->at);
}

// ---- Tokens ----

static bool comment(struct reader *reader)
{
    if (begins(reader, "//")) {
        to_line_end(reader);
        return true;
    }
    if (!begins(reader, "/*"))
        return false;
    int line = reader->line;
    for (reader->at += 2; peek(reader, 0) >= 0 && !begins(reader, "*/");)
        step(reader);
    if (peek(reader, 0) < 0)
        script_fail(reader->report, line, "expected */ after /*, got the end of the script");
    else
        reader->at += 2;
    return true;
}

static void option(struct reader *reader)
{
    size_t from = reader->at + 2;
    to_line_end(reader);
    size_t to = reader->at;
    while (to > from && g_ascii_isspace(reader->text[to - 1]))
        to--;
    append(reader, (struct script_token){.kind = SCRIPT_OPTION, .line = reader->line}, from, to);
}

static void mark(struct reader *reader)
{
    struct script_token token = {
        .kind = SCRIPT_MARK, .line = reader->line, .mark = (char)peek(reader, 0)};
    if (!g_ascii_isprint(token.mark))
        script_fail(reader->report, reader->line, "expected printable text, got byte 0x%02x",
                    (unsigned char)token.mark);
    append(reader, token, reader->at, reader->at + 1);
    reader->at++;
}

static void token(struct reader *reader)
{
    bool line_begins = reader->line_begins;
    int first = peek(reader, 0), second = peek(reader, 1);
    size_t ipv6 = ipv6_length(reader);
    reader->line_begins = false;
    if (line_begins && begins(reader, "--"))
        option(reader);
    else if (first == '`')
        delimited(reader, SCRIPT_SHELL, 1, "`");
    else if (begins(reader, "%{"))
        delimited(reader, SCRIPT_CODE, 2, "}%");
    else if (first == '"')
        delimited(reader, SCRIPT_STRING, 1, "\"");
    else if (begins(reader, "...")) {
        append(reader, (struct script_token){.kind = SCRIPT_DOTS, .line = reader->line}, reader->at,
               reader->at + 3);
        reader->at += 3;
    } else if (ipv6 > 0)
        address_token(reader, ipv6);
    else if (g_ascii_isdigit((gchar)first) ||
             ((first == '.' || first == '-') && second >= 0 && g_ascii_isdigit((gchar)second)))
        number(reader);
    else if (is_word(first))
        word(reader);
    else
        mark(reader);
}

static void read_one(struct reader *reader)
{
    int next = peek(reader, 0);
    if (next == ' ' || next == '\t' || next == '\r' || next == '\n')
        step(reader);
    else if (next == '#' && reader->line_begins)
        directive(reader);
    else if (skipping(reader))
        to_line_end(reader);
    else if (!comment(reader))
        token(reader);
}

static void token_clear(gpointer element)
{
    g_free(((struct script_token *)element)->text);
}

GArray *script_tokens(const char *text, size_t length, const char *const *defined,
                      struct script_report *report)
{
    struct reader reader = {
        .text = text,
        .length = length,
        .line = 1,
        .line_begins = true,
        .defined = defined,
        .tokens = g_array_new(FALSE, FALSE, sizeof(struct script_token)),
        .taken = g_array_new(FALSE, FALSE, sizeof(bool)),
        .report = report,
    };
    g_array_set_clear_func(reader.tokens, token_clear);
    while (peek(&reader, 0) >= 0 && report->verdict == SCRIPT_PASS)
        read_one(&reader);
    if (reader.taken->len > 0)
        script_fail(report, reader.line, "expected #endif, got the end of the script");
    append(&reader, (struct script_token){.kind = SCRIPT_END, .line = reader.line}, length, length);
    g_array_unref(reader.taken);
    return reader.tokens;
}
