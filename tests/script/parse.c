// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/script/parse.h"

#include <string.h>

#define MOST_SECONDS 1e6

// ---- Tokens ----

const struct script_token *script_peek(const struct script_parser *parser, guint ahead)
{
    guint at = MIN(parser->at + ahead, parser->tokens->len - 1);
    return &g_array_index(parser->tokens, struct script_token, at);
}

const struct script_token *script_next(struct script_parser *parser)
{
    const struct script_token *token = script_peek(parser, 0);
    parser->at = MIN(parser->at + 1, parser->tokens->len - 1);
    return token;
}

bool script_wrong(const struct script_parser *parser)
{
    return parser->report->verdict != SCRIPT_PASS;
}

bool script_is_mark(const struct script_token *token, char mark)
{
    return token->kind == SCRIPT_MARK && token->mark == mark;
}

bool script_is_word(const struct script_token *token, const char *word)
{
    return token->kind == SCRIPT_WORD && strcmp(token->text, word) == 0;
}

bool script_take_mark(struct script_parser *parser, char mark)
{
    bool is = script_is_mark(script_peek(parser, 0), mark);
    if (is)
        script_next(parser);
    return is;
}

bool script_take_word(struct script_parser *parser, const char *word)
{
    bool is = script_is_word(script_peek(parser, 0), word);
    if (is)
        script_next(parser);
    return is;
}

bool script_take_dots(struct script_parser *parser)
{
    bool is = script_peek(parser, 0)->kind == SCRIPT_DOTS;
    if (is)
        script_next(parser);
    return is;
}

void script_expected(struct script_parser *parser, const char *what)
{
    const struct script_token *token = script_peek(parser, 0);
    if (token->kind == SCRIPT_END)
        script_fail(parser->report, token->line, "expected %s, got the end of the script", what);
    else
        script_fail(parser->report, token->line, "expected %s, got %.40s", what, token->text);
}

void script_expect_mark(struct script_parser *parser, char mark)
{
    const char what[] = {'"', mark, '"', '\0'};
    if (!script_take_mark(parser, mark))
        script_expected(parser, what);
}

int64_t script_expect_integer(struct script_parser *parser, const char *what, int64_t least,
                              int64_t most)
{
    const struct script_token *token = script_peek(parser, 0);
    if (token->kind != SCRIPT_INTEGER) {
        script_expected(parser, what);
        return least;
    }
    if (token->integer < least || token->integer > most) {
        script_fail(parser->report, token->line,
                    "expected %s from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", got %s", what,
                    least, most, token->text);
        return least;
    }
    script_next(parser);
    return token->integer;
}

// ---- Values ----

void script_value_free(struct script_value *value)
{
    if (!value)
        return;
    g_free(value->text);
    g_free(value->field);
    if (value->items)
        g_ptr_array_unref(value->items);
    g_free(value);
}

static void value_clear(gpointer value)
{
    script_value_free(value);
}

static GPtrArray *values_new(void)
{
    return g_ptr_array_new_with_free_func(value_clear);
}

// Values up to a closing mark, which is taken.
static GPtrArray *parse_values(struct script_parser *parser, char close)
{
    GPtrArray *values = values_new();
    if (script_take_mark(parser, close))
        return values;
    do
        g_ptr_array_add(values, script_parse_value(parser));
    while (!script_wrong(parser) && script_take_mark(parser, ','));
    if (!script_wrong(parser))
        script_expect_mark(parser, close);
    return values;
}

// name = value, or name(length) = value.
static bool parse_field(struct script_parser *parser, struct script_value *value)
{
    if (!script_is_mark(script_peek(parser, 0), '='))
        return false;
    script_next(parser);
    struct script_value *is = script_parse_value(parser);
    g_free(is->field);
    is->field = value->text;
    value->text = NULL;
    if (value->items)
        g_ptr_array_unref(value->items);
    *value = *is;
    g_free(is);
    return true;
}

static void parse_name(struct script_parser *parser, struct script_value *value)
{
    value->kind = SCRIPT_VALUE_NAME;
    value->text = g_strdup(script_next(parser)->text);
    if (script_take_mark(parser, '('))
        value->items = parse_values(parser, ')');
    if (!script_wrong(parser))
        parse_field(parser, value);
}

static void parse_one(struct script_parser *parser, struct script_value *value)
{
    const struct script_token *token = script_peek(parser, 0);
    if (token->kind == SCRIPT_INTEGER) {
        value->kind = SCRIPT_VALUE_INTEGER;
        value->integer = script_next(parser)->integer;
    } else if (token->kind == SCRIPT_STRING || token->kind == SCRIPT_ADDRESS) {
        value->kind = token->kind == SCRIPT_STRING ? SCRIPT_VALUE_STRING : SCRIPT_VALUE_ADDRESS;
        value->text = g_strdup(script_next(parser)->text);
        script_take_dots(parser); // of a string that goes on
    } else if (token->kind == SCRIPT_WORD) {
        parse_name(parser, value);
    } else if (script_take_mark(parser, '[')) {
        value->kind = SCRIPT_VALUE_LIST;
        value->items = parse_values(parser, ']');
    } else if (script_take_mark(parser, '{')) {
        value->kind = SCRIPT_VALUE_STRUCT;
        value->items = parse_values(parser, '}');
    } else if (!script_take_dots(parser)) {
        script_expected(parser, "a value");
    }
}

struct script_value *script_parse_value(struct script_parser *parser)
{
    struct script_value *value = g_new0(struct script_value, 1);
    value->line = script_peek(parser, 0)->line;
    if (++parser->depth > SCRIPT_DEPTH)
        script_fail(parser->report, value->line, "expected values in values to %d levels, got more",
                    SCRIPT_DEPTH);
    if (!script_wrong(parser))
        parse_one(parser, value);
    if (!script_wrong(parser) && script_take_mark(parser, '|')) {
        struct script_value *both = g_new0(struct script_value, 1);
        *both = (struct script_value){
            .kind = SCRIPT_VALUE_OR, .line = value->line, .items = values_new()};
        both->field = g_steal_pointer(&value->field);
        g_ptr_array_add(both->items, value);
        g_ptr_array_add(both->items, script_parse_value(parser));
        value = both;
    }
    parser->depth--;
    return value;
}

const struct script_value *script_field(const struct script_value *value, const char *name)
{
    for (guint i = 0; value->items && i < value->items->len; i++) {
        const struct script_value *item = g_ptr_array_index(value->items, i);
        if (g_strcmp0(item->field, name) == 0)
            return item;
    }
    return NULL;
}

static bool constant(const char *name, const struct script_constant *constants, int64_t *number)
{
    for (; constants->name; constants++)
        if (strcmp(constants->name, name) == 0) {
            *number = constants->value;
            return true;
        }
    return false;
}

bool script_number(const struct script_value *value, const struct script_constant *constants,
                   int64_t *number)
{
    *number = 0;
    if (value->kind == SCRIPT_VALUE_INTEGER) {
        *number = value->integer;
        return true;
    }
    if (value->kind == SCRIPT_VALUE_NAME && value->items && value->items->len == 1 &&
        (strcmp(value->text, "htons") == 0 || strcmp(value->text, "htonl") == 0))
        return script_number(g_ptr_array_index(value->items, 0), constants, number);
    if (value->kind == SCRIPT_VALUE_NAME && !value->items)
        return constant(value->text, constants, number);
    if (value->kind != SCRIPT_VALUE_OR)
        return false;
    for (guint i = 0; i < value->items->len; i++) {
        int64_t part;
        if (!script_number(g_ptr_array_index(value->items, i), constants, &part))
            return false;
        *number |= part;
    }
    return true;
}

// ---- Events ----

static void event_free(gpointer element, void (*packet_free)(void *))
{
    struct script_event *event = element;
    g_free(event->source);
    g_free(event->destination);
    if (event->packet)
        packet_free(event->packet);
    g_free(event->shell);
    g_free(event->call.name);
    g_free(event->call.error);
    if (event->call.arguments)
        g_ptr_array_unref(event->call.arguments);
    script_value_free(event->call.result);
    g_free(event);
}

static sim_time parse_seconds(struct script_parser *parser)
{
    const struct script_token *token = script_peek(parser, 0);
    bool number = token->kind == SCRIPT_INTEGER || token->kind == SCRIPT_FLOAT;
    if (!number || token->real < 0 || token->real > MOST_SECONDS) {
        script_expected(parser, "a time in seconds");
        return 0;
    }
    script_next(parser);
    return (sim_time)(token->real * 1e6 + 0.5) * TIME_US;
}

static void parse_time(struct script_parser *parser, struct script_time *time)
{
    if (script_take_mark(parser, '*')) {
        time->any = true;
        return;
    }
    time->relative = script_take_mark(parser, '+');
    time->from = time->to = parse_seconds(parser);
    if (script_wrong(parser) || !script_take_mark(parser, '~'))
        return;
    time->range = true;
    bool relative = script_take_mark(parser, '+');
    if (relative != time->relative) {
        script_fail(parser->report, script_peek(parser, 0)->line,
                    "expected both ends of a range of times relative, or none, got one");
        return;
    }
    time->to = parse_seconds(parser);
    if (time->to < time->from)
        script_fail(parser->report, script_peek(parser, 0)->line,
                    "expected a range of times that ends after its start, got one that does not");
}

// The text of an error in brackets, which may hold anything.
static void skip_note(struct script_parser *parser)
{
    int open = 1;
    while (open > 0 && script_peek(parser, 0)->kind != SCRIPT_END) {
        const struct script_token *token = script_next(parser);
        open += script_is_mark(token, '(') - script_is_mark(token, ')');
    }
    if (open > 0)
        script_expected(parser, "\")\" after the text of an error");
}

static void parse_call(struct script_parser *parser, struct script_call *call)
{
    const struct script_token *name = script_next(parser);
    call->name = g_strdup(name->text);
    script_expect_mark(parser, '(');
    call->arguments = script_wrong(parser) ? values_new() : parse_values(parser, ')');
    if (!script_wrong(parser))
        script_expect_mark(parser, '=');
    if (script_wrong(parser))
        return;
    call->result = script_parse_value(parser);
    const struct script_token *error = script_peek(parser, 0);
    if (!script_wrong(parser) && error->kind == SCRIPT_WORD && error->text[0] == 'E')
        call->error = g_strdup(script_next(parser)->text);
    if (!script_wrong(parser) && script_take_mark(parser, '('))
        skip_note(parser);
}

static void parse_addresses(struct script_parser *parser, struct script_event *event)
{
    if (script_is_word(script_peek(parser, 0), "ipv6") ||
        script_is_word(script_peek(parser, 0), "mpls") ||
        script_is_word(script_peek(parser, 0), "gre")) {
        script_unsupported(parser->report, script_peek(parser, 0)->line, "%s",
                           script_peek(parser, 0)->text);
        return;
    }
    bool named = script_take_word(parser, "ipv4");
    if (!named && script_peek(parser, 0)->kind != SCRIPT_ADDRESS)
        return;
    if (script_peek(parser, 0)->kind != SCRIPT_ADDRESS) {
        script_expected(parser, "the address of the packet's source");
        return;
    }
    event->source = g_strdup(script_next(parser)->text);
    script_expect_mark(parser, '>');
    if (script_wrong(parser))
        return;
    if (script_peek(parser, 0)->kind != SCRIPT_ADDRESS) {
        script_expected(parser, "the address of the packet's destination");
        return;
    }
    event->destination = g_strdup(script_next(parser)->text);
    script_take_mark(parser, ':');
}

static void parse_action(struct script_parser *parser, struct script_event *event,
                         script_packet_fn *packet)
{
    const struct script_token *token = script_peek(parser, 0);
    event->line = token->line;
    if (token->kind == SCRIPT_WORD) {
        event->kind = SCRIPT_CALL;
        parse_call(parser, &event->call);
    } else if (script_is_mark(token, '<') || script_is_mark(token, '>')) {
        event->kind = token->mark == '<' ? SCRIPT_INBOUND : SCRIPT_OUTBOUND;
        script_next(parser);
        parse_addresses(parser, event);
        if (!script_wrong(parser))
            event->packet = packet(parser, event->kind);
    } else if (token->kind == SCRIPT_DOTS) {
        script_unsupported(parser->report, token->line, "a call that blocks");
    } else if (token->kind == SCRIPT_CODE) {
        script_unsupported(parser->report, token->line, "code of another language");
    } else {
        script_expected(parser, "<, > or a call");
    }
}

static void parse_event(struct script_parser *parser, struct script *script,
                        script_packet_fn *packet)
{
    struct script_event *event = g_new0(struct script_event, 1);
    g_ptr_array_add(script->events, event);
    if (script_peek(parser, 0)->kind == SCRIPT_SHELL) // without a time: at once
        event->time.relative = true;
    else
        parse_time(parser, &event->time);
    if (script_wrong(parser))
        return;
    if (script_peek(parser, 0)->kind == SCRIPT_SHELL) {
        const struct script_token *token = script_next(parser);
        event->kind = SCRIPT_CALL;
        event->line = token->line;
        event->shell = g_strdup(token->text);
        return;
    }
    parse_action(parser, event, packet);
}

static void parse_options(struct script_parser *parser, struct script *script)
{
    while (script_peek(parser, 0)->kind == SCRIPT_OPTION) {
        const struct script_token *token = script_next(parser);
        g_ptr_array_add(script->options, g_strdup(token->text));
        g_array_append_val(script->option_lines, token->line);
    }
}

struct script *script_parse(const char *text, size_t length, const char *const *defined,
                            script_packet_fn *packet, void (*packet_free)(void *), void *owner,
                            struct script_report *report)
{
    struct script *script = g_new0(struct script, 1);
    script->options = g_ptr_array_new_with_free_func(g_free);
    script->option_lines = g_array_new(FALSE, FALSE, sizeof(int));
    script->events = g_ptr_array_new();
    script->packet_free = packet_free;
    struct script_parser parser = {
        .tokens = script_tokens(text, length, defined, report), .report = report, .owner = owner};
    if (!script_wrong(&parser))
        parse_options(&parser, script);
    while (!script_wrong(&parser) && script_peek(&parser, 0)->kind != SCRIPT_END) {
        parse_event(&parser, script, packet);
    }
    g_array_unref(parser.tokens);
    return script;
}

void script_free(struct script *script)
{
    for (guint i = 0; i < script->events->len; i++)
        event_free(g_ptr_array_index(script->events, i), script->packet_free);
    g_ptr_array_unref(script->events);
    g_ptr_array_unref(script->options);
    g_array_unref(script->option_lines);
    g_free(script);
}
