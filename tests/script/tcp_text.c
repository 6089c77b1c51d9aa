// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/script/tcp_text.h"

#include <string.h>

#define MOST_PAYLOAD 65535

static const struct {
    char letter;
    int flag;
} letters[] = {{'S', TCP_SYN}, {'F', TCP_FIN}, {'P', TCP_PSH}, {'R', TCP_RST}, {'.', TCP_ACK}};

// ---- Reading ----

static void parse_letters(struct script_parser *parser, struct tcp_text *text)
{
    const struct script_token *token = script_peek(parser, 0);
    for (const char *at = token->text; *at; at++) {
        size_t i = 0;
        while (i < G_N_ELEMENTS(letters) && letters[i].letter != *at)
            i++;
        if (strchr("EWU", *at)) {
            script_unsupported(parser->report, token->line, "TCP flag %c", *at);
            return;
        }
        if (i == G_N_ELEMENTS(letters)) {
            script_expected(parser, "flags of TCP (S F P R .)");
            return;
        }
        text->flags |= letters[i].flag;
    }
    script_next(parser);
}

static void parse_flags(struct script_parser *parser, struct tcp_text *text)
{
    const struct script_token *token = script_peek(parser, 0);
    if (token->kind == SCRIPT_INTEGER && script_is_mark(script_peek(parser, 1), '>')) {
        script_unsupported(parser->report, token->line, "ports of a packet");
        return;
    }
    if (script_take_mark(parser, '-'))
        return;
    if (token->kind == SCRIPT_WORD)
        parse_letters(parser, text);
    else if (!script_is_mark(token, '.'))
        script_expected(parser, "flags of TCP (S F P R .)");
    if (!script_wrong(parser) && script_take_mark(parser, '.'))
        text->flags |= TCP_ACK;
}

static int64_t parse_number(struct script_parser *parser, const char *what)
{
    return script_wrong(parser) ? 0 : script_expect_integer(parser, what, 0, UINT32_MAX);
}

static void expect_mark(struct script_parser *parser, char mark)
{
    if (!script_wrong(parser))
        script_expect_mark(parser, mark);
}

static void parse_sequence(struct script_parser *parser, struct tcp_text *text)
{
    int line = script_peek(parser, 0)->line;
    text->sequence = parse_number(parser, "a sequence number");
    expect_mark(parser, ':');
    int64_t end = parse_number(parser, "the sequence number after the segment");
    expect_mark(parser, '(');
    text->payload =
        script_wrong(parser) ? 0 : script_expect_integer(parser, "a length", 0, MOST_PAYLOAD);
    expect_mark(parser, ')');
    if (!script_wrong(parser) && (uint32_t)(text->sequence + text->payload) != (uint32_t)end)
        script_fail(parser->report, line,
                    "expected sequence numbers that agree with the length, got %" G_GINT64_FORMAT
                    ":%" G_GINT64_FORMAT "(%" G_GINT64_FORMAT ")",
                    text->sequence, end, text->payload);
}

static void parse_blocks(struct script_parser *parser, struct tcp_text *text)
{
    while (!script_wrong(parser) && script_peek(parser, 0)->kind == SCRIPT_INTEGER) {
        if (text->sack_count == TCP_SACK_BLOCKS) {
            script_fail(parser->report, script_peek(parser, 0)->line,
                        "expected at most %d SACK blocks, got more", TCP_SACK_BLOCKS);
            return;
        }
        uint32_t *block = text->sack[text->sack_count++];
        block[0] = (uint32_t)parse_number(parser, "the start of a SACK block");
        expect_mark(parser, ':');
        block[1] = (uint32_t)parse_number(parser, "the end of a SACK block");
    }
    if (text->sack_count == 0)
        script_expected(parser, "a SACK block");
}

static void parse_timestamp(struct script_parser *parser, struct tcp_text *text)
{
    text->options |= TCP_OPTION_TIMESTAMP;
    if (!script_take_word(parser, "val"))
        script_expected(parser, "val");
    if (!script_wrong(parser) && script_take_dots(parser))
        text->any_time = true;
    else
        text->timestamp = (uint32_t)parse_number(parser, "a timestamp");
    if (!script_wrong(parser) && !script_take_word(parser, "ecr"))
        script_expected(parser, "ecr");
    text->echo = (uint32_t)parse_number(parser, "a timestamp");
}

static void parse_option(struct script_parser *parser, struct tcp_text *text)
{
    if (script_take_word(parser, "mss")) {
        text->options |= TCP_OPTION_MSS;
        text->mss = script_expect_integer(parser, "a segment size", 0, UINT16_MAX);
    } else if (script_take_word(parser, "wscale")) {
        text->options |= TCP_OPTION_SCALE;
        text->scale = script_expect_integer(parser, "a shift", 0, 255);
    } else if (script_take_word(parser, "sackOK")) {
        text->options |= TCP_OPTION_SACK_PERMITTED;
    } else if (script_take_word(parser, "TS")) {
        parse_timestamp(parser, text);
    } else if (script_take_word(parser, "sack")) {
        parse_blocks(parser, text);
    } else if (!script_take_word(parser, "nop") && !script_take_word(parser, "eol")) {
        const struct script_token *token = script_peek(parser, 0);
        if (token->kind == SCRIPT_WORD)
            script_unsupported(parser->report, token->line, "TCP option %.40s", token->text);
        else
            script_expected(parser, "a TCP option");
    }
}

static void parse_options(struct script_parser *parser, struct tcp_text *text,
                          enum script_event_kind direction)
{
    if (script_peek(parser, 0)->kind == SCRIPT_DOTS && direction == SCRIPT_OUTBOUND) {
        script_next(parser);
        text->any_options = true;
    } else {
        do
            parse_option(parser, text);
        while (!script_wrong(parser) && script_take_mark(parser, ','));
    }
    expect_mark(parser, '>');
}

void *tcp_text_parse(struct script_parser *parser, enum script_event_kind direction)
{
    struct tcp_text *text = g_new0(struct tcp_text, 1);
    text->window = -1;
    parse_flags(parser, text);
    if (!script_wrong(parser))
        parse_sequence(parser, text);
    if (!script_wrong(parser) && script_take_word(parser, "ack"))
        text->acknowledgment = parse_number(parser, "an acknowledgment");
    else if (!script_wrong(parser) && (text->flags & TCP_ACK))
        script_expected(parser, "ack after the flag .");
    if (!script_wrong(parser) && script_take_word(parser, "win"))
        text->window = script_expect_integer(parser, "a window", 0, UINT16_MAX);
    else if (!script_wrong(parser) && direction == SCRIPT_INBOUND)
        script_expected(parser, "win for a packet that the script sends");
    if (!script_wrong(parser) && script_is_word(script_peek(parser, 0), "urg"))
        script_unsupported(parser->report, script_peek(parser, 0)->line, "urg");
    // An event that follows begins with a time, never with this.
    if (!script_wrong(parser) && script_take_mark(parser, '<'))
        parse_options(parser, text, direction);
    return text;
}

// ---- Printing ----

static void print_options(GString *into, const struct tcp_text *text)
{
    if (text->options & TCP_OPTION_MSS)
        g_string_append_printf(into, ",mss %d", (int)text->mss);
    if (text->options & TCP_OPTION_SACK_PERMITTED)
        g_string_append(into, ",sackOK");
    if ((text->options & TCP_OPTION_TIMESTAMP) && text->any_time)
        g_string_append_printf(into, ",TS val ... ecr %u", text->echo);
    else if (text->options & TCP_OPTION_TIMESTAMP)
        g_string_append_printf(into, ",TS val %u ecr %u", text->timestamp, text->echo);
    if (text->options & TCP_OPTION_SCALE)
        g_string_append_printf(into, ",wscale %d", (int)text->scale);
    for (int i = 0; i < text->sack_count; i++)
        g_string_append_printf(into, "%s%u:%u", i ? " " : ",sack ", text->sack[i][0],
                               text->sack[i][1]);
}

char *tcp_text_print(const struct tcp_text *text)
{
    GString *line = g_string_new(NULL), *options = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(letters); i++)
        if (text->flags & letters[i].flag)
            g_string_append_c(line, letters[i].letter);
    if (text->flags == 0)
        g_string_append_c(line, '-');
    g_string_append_printf(line, " %u:%u(%d)", (uint32_t)text->sequence,
                           (uint32_t)(text->sequence + text->payload), (int)text->payload);
    if (text->flags & TCP_ACK)
        g_string_append_printf(line, " ack %u", (uint32_t)text->acknowledgment);
    if (text->window >= 0)
        g_string_append_printf(line, " win %d", (int)text->window);
    print_options(options, text);
    if (text->any_options)
        g_string_append(line, " <...>");
    else if (options->len > 0)
        g_string_append_printf(line, " <%s>", options->str + 1);
    g_string_free(options, TRUE);
    return g_string_free(line, FALSE);
}
