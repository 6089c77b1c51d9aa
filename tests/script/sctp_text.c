// SPDX-License-Identifier: GPL-3.0-or-later
// Reads an SCTP packet of a script.
#include "tests/script/sctp_text.h"

#include <arpa/inet.h>
#include <string.h>

// ---- Life ----

static void item_free(gpointer element)
{
    struct sctp_item *item = element;
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++) {
        if (item->values[i].list)
            g_array_unref(item->values[i].list);
        if (item->values[i].items)
            g_ptr_array_unref(item->values[i].items);
    }
    g_ptr_array_unref(item->tail);
    g_free(item);
}

static GPtrArray *items_new(void)
{
    return g_ptr_array_new_with_free_func(item_free);
}

void sctp_text_free(void *owner)
{
    struct sctp_text *text = owner;
    g_free(text->source);
    g_ptr_array_unref(text->chunks);
    if (text->raw)
        g_array_unref(text->raw);
    g_free(text);
}

void sctp_numbering_clear(struct sctp_numbering *numbers)
{
    if (numbers->cookie)
        g_byte_array_unref(numbers->cookie);
    if (numbers->heartbeat)
        g_byte_array_unref(numbers->heartbeat);
    *numbers = (struct sctp_numbering){0};
}

// ---- Lists ----

static void append(GArray *list, int64_t number)
{
    uint32_t value = (uint32_t)number;
    g_array_append_val(list, value);
}

// The names that stand for numbers in lists.
static bool list_name(struct script_parser *parser, GArray *list)
{
    static const struct {
        const char *name;
        uint32_t value;
    } names[] = {{"IPv4", 5}, {"IPv6", 6}, {"HOSTNAME", 11}};
    const struct script_token *token = script_peek(parser, 0);
    if (token->kind != SCRIPT_WORD)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(names[i].name, token->text) == 0) {
            append(list, names[i].value);
            script_next(parser);
            return true;
        }
    const struct sctp_kind *chunk = sctp_kind_named(token->text, SCTP_A_CHUNK);
    if (!chunk || chunk->type < 0)
        return false;
    append(list, chunk->type);
    script_next(parser);
    return true;
}

// One element: N, start:end, {id, number} or a name.
static void parse_element(struct script_parser *parser, const struct sctp_field *field,
                          GArray *list)
{
    int64_t most = field->width >= 4 ? UINT32_MAX : (INT64_C(1) << (8 * field->width)) - 1;
    bool braces = field->group == 2 && script_take_mark(parser, '{');
    if (list_name(parser, list))
        return;
    append(list, script_expect_integer(parser, "a number", 0, most));
    if (script_wrong(parser) || field->group < 2)
        return;
    script_expect_mark(parser, braces ? ',' : ':');
    if (!script_wrong(parser))
        append(list, script_expect_integer(parser, "a number", 0, most));
    if (!script_wrong(parser) && braces)
        script_expect_mark(parser, '}');
}

// After "[".
static void parse_list(struct script_parser *parser, const struct sctp_field *field,
                       struct sctp_value *value)
{
    value->list = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (script_take_mark(parser, ']'))
        return;
    if (script_take_dots(parser)) {
        value->any = true;
    } else {
        do
            parse_element(parser, field, value->list);
        while (!script_wrong(parser) && script_take_mark(parser, ','));
    }
    if (!script_wrong(parser))
        script_expect_mark(parser, ']');
}

static void parse_string(struct script_parser *parser, struct sctp_value *value)
{
    const struct script_token *token = script_next(parser);
    value->list = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (const char *at = token->text; *at; at++)
        append(value->list, (unsigned char)*at);
}

// ---- Values ----

static void parse_flags(struct script_parser *parser, const struct sctp_field *field,
                        struct sctp_value *value)
{
    const struct script_token *token = script_peek(parser, 0);
    if (token->kind != SCRIPT_WORD) {
        value->number = script_expect_integer(parser, "flags", 0, 255);
        return;
    }
    size_t bits = strlen(field->letters);
    for (const char *at = token->text; *at; at++) {
        const char *letter = strchr(field->letters, *at);
        if (!letter || bits == 0) {
            script_expected(parser, "flags");
            return;
        }
        value->number |= INT64_C(1) << (bits - 1 - (size_t)(letter - field->letters));
    }
    script_next(parser);
}

static void parse_type(struct script_parser *parser, enum sctp_family family,
                       struct sctp_value *value)
{
    const struct script_token *token = script_peek(parser, 0);
    const struct sctp_kind *named =
        token->kind == SCRIPT_WORD ? sctp_kind_named(token->text, family) : NULL;
    if (!named || named->type < 0) {
        value->number =
            script_expect_integer(parser, "a type", 0, family == SCTP_A_CHUNK ? 255 : 65535);
        return;
    }
    value->number = named->type;
    script_next(parser);
}

// The simulated hosts are not where a script has itself and its peer.
static const char *simulated_address(const char *address)
{
    static const char *const pairs[][2] = {{"192.168.0.1", "10.0.0.1"}, {"192.0.2.1", "10.0.0.2"}};
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        if (strcmp(pairs[i][0], address) == 0)
            return pairs[i][1];
    return address;
}

static void parse_address(struct script_parser *parser, const struct sctp_field *field,
                          struct sctp_value *value)
{
    const struct script_token *token = script_peek(parser, 0);
    uint8_t bytes[16];
    bool ipv4 = field->group == 4;
    if (token->kind != SCRIPT_ADDRESS ||
        inet_pton(ipv4 ? AF_INET : AF_INET6, simulated_address(token->text), bytes) != 1) {
        script_expected(parser, ipv4 ? "an IPv4 address" : "an IPv6 address");
        return;
    }
    script_next(parser);
    value->list = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (int i = 0; i < field->group; i++)
        append(value->list, bytes[i]);
}

static struct sctp_item *parse_item(struct script_parser *parser, enum sctp_family family);

static void parse_items(struct script_parser *parser, enum sctp_family family, GPtrArray *items)
{
    do
        g_ptr_array_add(items, parse_item(parser, family));
    while (!script_wrong(parser) && script_take_mark(parser, ','));
}

static void parse_nested(struct script_parser *parser, const struct sctp_field *field,
                         struct sctp_value *value)
{
    value->items = items_new();
    if (field->form == SCTP_FIELD_ITEM) {
        bool chunk = strcmp(field->name, "chk") == 0;
        g_ptr_array_add(value->items, parse_item(parser, chunk ? SCTP_A_CHUNK : SCTP_A_PARAMETER));
        return;
    }
    script_expect_mark(parser, '[');
    if (script_wrong(parser) || script_take_mark(parser, ']'))
        return;
    if (script_take_dots(parser))
        value->any = true;
    else
        parse_items(parser, SCTP_A_PARAMETER, value->items);
    if (!script_wrong(parser))
        script_expect_mark(parser, ']');
}

static void parse_value(struct script_parser *parser, const struct sctp_kind *kind,
                        const struct sctp_field *field, struct sctp_value *value)
{
    value->given = true;
    if (script_take_dots(parser)) {
        value->any = true;
        return;
    }
    switch (field->form) {
    case SCTP_FIELD_FLAGS:
        parse_flags(parser, field, value);
        return;
    case SCTP_FIELD_TYPE:
        parse_type(parser, kind->family, value);
        return;
    case SCTP_FIELD_LENGTH:
        value->number = script_expect_integer(parser, "a length", 0, SCTP_TEXT_LONGEST);
        return;
    case SCTP_FIELD_NUMBER:
        value->number = script_expect_integer(
            parser, "a number", 0,
            field->width == 4 ? UINT32_MAX : (INT64_C(1) << (8 * field->width)) - 1);
        return;
    case SCTP_FIELD_LIST:
        if (script_take_mark(parser, '['))
            parse_list(parser, field, value);
        else if (field->width == 1 && script_peek(parser, 0)->kind == SCRIPT_STRING)
            parse_string(parser, value);
        else
            script_expected(parser, "\"[\"");
        return;
    case SCTP_FIELD_ADDRESS:
        parse_address(parser, field, value);
        return;
    case SCTP_FIELD_ITEMS:
    case SCTP_FIELD_ITEM:
        parse_nested(parser, field, value);
        return;
    case SCTP_FIELD_NONE:
    case SCTP_FIELD_RESERVED:
    case SCTP_FIELD_COUNT:
        return;
    }
}

// ---- Items ----

// Returns true if the next words are a field of the item.
static bool parse_field(struct script_parser *parser, struct sctp_item *item)
{
    const struct script_token *token = script_peek(parser, 0);
    if (token->kind != SCRIPT_WORD || !script_is_mark(script_peek(parser, 1), '='))
        return false;
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++) {
        const struct sctp_field *field = &item->kind->fields[i];
        if (!field->name || strcmp(field->name, token->text) != 0)
            continue;
        if (item->values[i].given) {
            script_fail(parser->report, token->line, "expected %s once, got it again", token->text);
            return true;
        }
        script_next(parser);
        script_next(parser);
        parse_value(parser, item->kind, field, &item->values[i]);
        return true;
    }
    return false;
}

static void parse_part(struct script_parser *parser, struct sctp_item *item)
{
    if (parse_field(parser, item))
        return;
    if (script_take_dots(parser)) {
        item->any_tail = true;
        return;
    }
    if (item->kind->tail == SCTP_A_CHUNK)
        script_expected(parser, "a field");
    else
        g_ptr_array_add(item->tail, parse_item(parser, item->kind->tail));
}

// Fields that the item must have.
static void check_fields(struct script_parser *parser, const struct sctp_item *item)
{
    for (int i = 0; i < SCTP_TEXT_FIELDS && !script_wrong(parser); i++) {
        const struct sctp_field *field = &item->kind->fields[i];
        bool may_lack = field->form == SCTP_FIELD_LENGTH || field->form == SCTP_FIELD_FLAGS ||
                        (field->form == SCTP_FIELD_LIST && field->width == 1);
        if (field->name && !item->values[i].given && !may_lack)
            script_fail(parser->report, item->line, "expected %s of %s, got none", field->name,
                        item->kind->name);
    }
}

static struct sctp_item *parse_item(struct script_parser *parser, enum sctp_family family)
{
    static const char *const what[] = {"a chunk", "a parameter", "a cause"};
    const struct script_token *token = script_peek(parser, 0);
    struct sctp_item *item = g_new0(struct sctp_item, 1);
    item->line = token->line;
    item->tail = items_new();
    item->kind = token->kind == SCRIPT_WORD ? sctp_kind_named(token->text, family) : NULL;
    if (++parser->depth > SCRIPT_DEPTH)
        script_fail(parser->report, token->line, "expected items in items to %d levels, got more",
                    SCRIPT_DEPTH);
    else if (!item->kind && token->kind == SCRIPT_WORD)
        script_unsupported(parser->report, token->line, "%s %.40s", what[family], token->text);
    else if (!item->kind)
        script_expected(parser, what[family]);
    else if (item->kind->unsupported)
        script_unsupported(parser->report, token->line, "%s %s", what[family], token->text);
    if (!item->kind)
        item->kind = sctp_kind_any(family);
    if (!script_wrong(parser)) {
        script_next(parser);
        script_expect_mark(parser, '[');
    }
    if (!script_wrong(parser) && script_peek(parser, 0)->kind == SCRIPT_DOTS &&
        script_is_mark(script_peek(parser, 1), ']')) {
        script_next(parser);
        item->any = true;
    }
    if (!script_wrong(parser) && !script_is_mark(script_peek(parser, 0), ']'))
        do
            parse_part(parser, item);
        while (!script_wrong(parser) && script_take_mark(parser, ','));
    if (!script_wrong(parser))
        script_expect_mark(parser, ']');
    if (!script_wrong(parser) && !item->any)
        check_fields(parser, item);
    parser->depth--;
    return item;
}

// ---- Packets ----

static void parse_prefix_word(struct script_parser *parser, struct sctp_text *text)
{
    if (script_take_word(parser, "bad_crc32c")) {
        text->bad_checksum = true;
    } else if (script_take_word(parser, "tag")) {
        script_expect_mark(parser, '=');
        text->tag_given = true;
        if (!script_wrong(parser))
            text->tag = (uint32_t)script_expect_integer(parser, "a tag", 0, UINT32_MAX);
    } else if (script_peek(parser, 0)->kind == SCRIPT_INTEGER) {
        script_unsupported(parser->report, script_peek(parser, 0)->line, "ports in a packet");
    } else {
        script_expected(parser, "tag or bad_crc32c");
    }
}

static void parse_prefix(struct script_parser *parser, struct sctp_text *text)
{
    if (!script_take_mark(parser, '('))
        return;
    do
        parse_prefix_word(parser, text);
    while (!script_wrong(parser) && script_take_mark(parser, ','));
    if (!script_wrong(parser))
        script_expect_mark(parser, ')');
}

// The packet after "sctp".
static void parse_packet(struct script_parser *parser, struct sctp_text *text)
{
    static const struct sctp_field bytes = {.form = SCTP_FIELD_LIST, .width = 1, .group = 1};
    parse_prefix(parser, text);
    if (!script_wrong(parser))
        script_expect_mark(parser, ':');
    if (script_wrong(parser))
        return;
    if (script_take_mark(parser, '[')) {
        struct sctp_value value = {0};
        parse_list(parser, &bytes, &value);
        text->raw = value.list;
        if (value.any)
            script_expected(parser, "bytes instead of ...");
        return;
    }
    do
        g_ptr_array_add(text->chunks, parse_item(parser, SCTP_A_CHUNK));
    while (!script_wrong(parser) && script_take_mark(parser, ';'));
}

// The words from one token to the next one, in one line.
static char *source_of(const struct script_parser *parser, guint from)
{
    GString *source = g_string_new(NULL);
    for (guint i = from; i < parser->at; i++) {
        const struct script_token *token = &g_array_index(parser->tokens, struct script_token, i);
        const char *quote = token->kind == SCRIPT_STRING ? "\"" : "";
        const struct script_token *next = token + 1; // the last one is the end
        bool blank = script_is_mark(token, ',') || script_is_mark(token, ';') ||
                     (script_is_mark(token, ':') && next->kind != SCRIPT_INTEGER);
        g_string_append_printf(source, "%s%s%s%s", quote, token->text, quote,
                               blank && i + 1 < parser->at ? " " : "");
    }
    return g_string_free(source, FALSE);
}

void *sctp_text_parse(struct script_parser *parser, enum script_event_kind direction)
{
    static const char *const others[] = {"icmp", "udp", "udplite", NULL};
    struct sctp_text *text = g_new0(struct sctp_text, 1);
    const struct script_token *token = script_peek(parser, 0);
    guint from = parser->at;
    text->chunks = items_new();
    (void)direction;
    if (token->kind == SCRIPT_WORD && g_strv_contains(others, token->text))
        script_unsupported(parser->report, token->line, "%s", token->text);
    else if (script_is_mark(token, '['))
        script_unsupported(parser->report, token->line, "fields of IP");
    else if (!script_take_word(parser, "sctp"))
        script_expected(parser, "sctp");
    else
        parse_packet(parser, text);
    if (!script_wrong(parser) && script_is_mark(script_peek(parser, 0), '/'))
        script_unsupported(parser->report, token->line, "SCTP over UDP");
    text->source = source_of(parser, from);
    return text;
}
