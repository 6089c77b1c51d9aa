// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the bytes of a packet with what a script expects, and prints them as a script would have
// them.
#include "models/sctp_cmt/wire/chunk.h"
#include "tests/script/sctp_text.h"

#include <arpa/inet.h>
#include <string.h>

#define HEADER 4 // of chunks, parameters and causes

// Bytes that are being read.
struct part {
    const uint8_t *at;
    uint32_t left;
};

static uint32_t take(struct part *part, int width)
{
    uint32_t number = 0;
    for (int i = 0; i < width && part->left > 0; i++, part->at++, part->left--)
        number = number << 8 | *part->at;
    return number;
}

// A chunk, parameter or cause: its header, and the bytes in it.
struct unit {
    int type, flags;
    uint32_t length;
    struct part body;
};

// Takes the next one, and the padding after it. Returns false at the end.
static bool take_unit(struct part *part, enum sctp_family family, struct unit *unit)
{
    if (part->left < HEADER)
        return false;
    const uint8_t *at = part->at;
    *unit = (struct unit){
        .type = family == SCTP_A_CHUNK ? at[0] : at[0] << 8 | at[1],
        .flags = family == SCTP_A_CHUNK ? at[1] : 0,
        .length = (uint32_t)at[2] << 8 | at[3],
    };
    uint32_t whole = MIN(MAX(unit->length, HEADER), part->left);
    unit->body = (struct part){at + HEADER, whole - HEADER};
    uint32_t padded = MIN((whole + 3) & ~3u, part->left);
    part->at += padded;
    part->left -= padded;
    return true;
}

// ---- Numbers ----

struct view {
    struct sctp_numbering *numbers;
    bool from_host; // whose packet it is
    bool learning;  // the host's first numbers: they fit whatever they are
    GString *why;   // NULL: prints
};

static bool differs(const struct view *view, const char *what)
{
    if (view->why->len == 0)
        g_string_append(view->why, what);
    return false;
}

static uint32_t said_number(const struct view *view, const struct sctp_field *field, uint32_t live)
{
    const struct sctp_numbering *numbers = view->numbers;
    bool of_host =
        view->from_host ? field->space == SCTP_TSN_OF_SENDER : field->space == SCTP_TSN_OF_RECEIVER;
    if (of_host)
        return live - numbers->tsn;
    if (field->space == SCTP_TAG_OF_SENDER && view->from_host)
        for (int i = numbers->tag_count - 1; i >= 0; i--)
            if (numbers->live_tags[i] == live)
                return numbers->script_tags[i];
    return live;
}

// ---- Comparing ----

static bool match_item(const struct view *view, const struct sctp_item *item, struct unit unit);

static bool match_items(const struct view *view, const GPtrArray *items, enum sctp_family family,
                        struct part *part, const char *what)
{
    struct unit unit;
    for (guint i = 0; i < items->len; i++) {
        const struct sctp_item *item = g_ptr_array_index(items, i);
        if (!take_unit(part, family, &unit))
            return differs(view, item->kind->name);
        if (!match_item(view, item, unit))
            return false;
    }
    return part->left < HEADER || differs(view, what);
}

static bool match_number(const struct view *view, const struct sctp_field *field,
                         const struct sctp_value *value, struct part *part)
{
    uint32_t number = take(part, field->width);
    bool own = view->learning &&
               (field->space == SCTP_TAG_OF_SENDER || field->space == SCTP_TSN_OF_SENDER);
    if (!value->given || value->any || own ||
        said_number(view, field, number) == (uint32_t)value->number)
        return true;
    return differs(view, field->name);
}

// count: elements of the list; -1: to the end.
static bool match_list(const struct view *view, const struct sctp_field *field,
                       const struct sctp_value *value, struct part *part, int64_t count)
{
    uint32_t width = (uint32_t)field->width;
    int64_t numbers = count < 0 ? part->left / width : count * field->group;
    bool any = !value->given || value->any;
    if (!any && numbers != (value->list ? value->list->len : 0))
        return differs(view, field->name);
    if (numbers * width > part->left)
        return differs(view, field->name);
    for (int64_t i = 0; i < numbers; i++) {
        uint32_t number = said_number(view, field, take(part, field->width));
        if (!any && number != g_array_index(value->list, uint32_t, i))
            return differs(view, field->name);
    }
    return true;
}

struct counts {
    uint32_t values[SCTP_TEXT_FIELDS];
    int read, used;
};

static bool match_field(const struct view *view, const struct sctp_item *item, int at,
                        const struct unit *unit, struct part *part, struct counts *counts)
{
    const struct sctp_field *field = &item->kind->fields[at];
    const struct sctp_value *value = &item->values[at];
    bool any = !value->given || value->any;
    switch (field->form) {
    case SCTP_FIELD_NONE:
        return true;
    case SCTP_FIELD_FLAGS:
        return any || unit->flags == value->number || differs(view, field->name);
    case SCTP_FIELD_TYPE:
        return any || unit->type == value->number || differs(view, field->name);
    case SCTP_FIELD_LENGTH:
        return any || unit->length == value->number || differs(view, field->name);
    case SCTP_FIELD_NUMBER:
        return match_number(view, field, value, part);
    case SCTP_FIELD_RESERVED:
        take(part, field->width);
        return true;
    case SCTP_FIELD_COUNT:
        counts->values[counts->read++] = take(part, field->width);
        return true;
    case SCTP_FIELD_LIST:
    case SCTP_FIELD_ADDRESS:
        return match_list(view, field, value, part,
                          counts->used < counts->read ? (int64_t)counts->values[counts->used++]
                                                      : -1);
    case SCTP_FIELD_ITEMS:
    case SCTP_FIELD_ITEM:
        return any ||
               match_items(view, value->items,
                           g_strcmp0(field->name, "chk") == 0 ? SCTP_A_CHUNK : SCTP_A_PARAMETER,
                           part, field->name);
    }
    return true;
}

// Bytes that the fields before the tail need.
static uint32_t fixed_bytes(const struct sctp_kind *kind)
{
    uint32_t bytes = 0;
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++) {
        enum sctp_form form = kind->fields[i].form;
        if (form == SCTP_FIELD_NUMBER || form == SCTP_FIELD_RESERVED || form == SCTP_FIELD_COUNT)
            bytes += (uint32_t)kind->fields[i].width;
    }
    return bytes;
}

static bool match_item(const struct view *view, const struct sctp_item *item, struct unit unit)
{
    struct part part = unit.body;
    struct counts counts = {{0}, 0, 0};
    if (item->kind->type >= 0 && item->kind->type != unit.type)
        return differs(view, item->kind->name);
    if (item->any)
        return true;
    if (part.left < fixed_bytes(item->kind))
        return differs(view, "the length");
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++)
        if (!match_field(view, item, i, &unit, &part, &counts))
            return false;
    if (item->kind->tail == SCTP_A_CHUNK || item->any_tail)
        return true;
    return match_items(view, item->tail, item->kind->tail, &part, "the parameters");
}

// ---- The host's tags and TSNs ----

static const struct sctp_value *value_in(const struct sctp_item *item, enum sctp_space space)
{
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++)
        if (item->kind->fields[i].space == space)
            return &item->values[i];
    return NULL;
}

static void note_tag(struct sctp_numbering *numbers, uint32_t script, uint32_t live)
{
    int at = numbers->tag_count;
    if (at == (int)G_N_ELEMENTS(numbers->live_tags)) {
        at--;
        memmove(numbers->live_tags, numbers->live_tags + 1, (size_t)at * sizeof(uint32_t));
        memmove(numbers->script_tags, numbers->script_tags + 1, (size_t)at * sizeof(uint32_t));
    } else {
        numbers->tag_count++;
    }
    numbers->script_tags[at] = script;
    numbers->live_tags[at] = live;
}

// An INIT of the host, or an INIT-ACK: what it calls itself from now on, or will once the script
// has echoed the cookie.
static void learn_init(struct sctp_numbering *numbers, const struct sctp_item *item,
                       const struct unit *unit)
{
    if (item->any || unit->body.left < 16)
        return;
    const struct sctp_value *tag = value_in(item, SCTP_TAG_OF_SENDER);
    const struct sctp_value *tsn = value_in(item, SCTP_TSN_OF_SENDER);
    uint32_t live_tag = sctp_get32(unit->body.at), live_tsn = sctp_get32(unit->body.at + 12);
    uint32_t offset = tsn->any ? 0 : live_tsn - (uint32_t)tsn->number;
    if (!tag->any)
        note_tag(numbers, (uint32_t)tag->number, live_tag);
    if (unit->type == SCTP_INIT_ACK) {
        numbers->offered = true;
        numbers->offer_tag = live_tag;
        numbers->offer_tsn = offset;
    }
    if (unit->type == SCTP_INIT || !numbers->known) {
        numbers->known = true;
        numbers->live_tag = live_tag;
        numbers->tsn = offset;
        numbers->tsn_open = tsn->any;
    }
}

// The host's first DATA, if the script has left its INIT's TSN open.
static void learn_data(struct sctp_numbering *numbers, const struct sctp_item *item,
                       const struct unit *unit)
{
    const struct sctp_value *tsn = value_in(item, SCTP_TSN_OF_SENDER);
    if (!numbers->tsn_open || unit->type != SCTP_DATA || unit->body.left < 4 || !tsn ||
        !tsn->given || tsn->any)
        return;
    numbers->tsn = sctp_get32(unit->body.at) - (uint32_t)tsn->number;
    numbers->tsn_open = false;
}

static void keep(GByteArray **into, const struct part *from)
{
    if (*into)
        g_byte_array_unref(*into);
    *into = g_byte_array_new();
    g_byte_array_append(*into, from->at, from->left);
}

static void learn_parameters(struct sctp_numbering *numbers, const struct unit *unit)
{
    uint32_t fixed = unit->type == SCTP_INIT_ACK ? 16 : 0;
    if (unit->body.left < fixed)
        return;
    struct part part = {unit->body.at + fixed, unit->body.left - fixed};
    struct unit parameter;
    while (take_unit(&part, SCTP_A_PARAMETER, &parameter))
        if (unit->type == SCTP_INIT_ACK && parameter.type == SCTP_STATE_COOKIE)
            keep(&numbers->cookie, &parameter.body);
        else if (unit->type == SCTP_HEARTBEAT && parameter.type == SCTP_HEARTBEAT_INFO)
            keep(&numbers->heartbeat, &parameter.body);
}

static void learn(struct sctp_numbering *numbers, const struct sctp_item *item,
                  const struct unit *unit)
{
    if (unit->type == SCTP_INIT || unit->type == SCTP_INIT_ACK)
        learn_init(numbers, item, unit);
    if (unit->type == SCTP_INIT_ACK || unit->type == SCTP_HEARTBEAT)
        learn_parameters(numbers, unit);
    if (unit->type == SCTP_COOKIE_ACK && numbers->offered) { // the association of that cookie
        numbers->offered = false;
        numbers->live_tag = numbers->offer_tag;
        numbers->tsn = numbers->offer_tsn;
    }
}

// ---- Packets ----

static bool match_tag(const struct view *view, const struct sctp_text *text, uint32_t tag,
                      const struct unit *first)
{
    const struct sctp_numbering *numbers = view->numbers;
    if (text->tag_given) {
        for (int i = 0; i < numbers->tag_count; i++)
            if (numbers->script_tags[i] == text->tag && numbers->live_tags[i] == tag)
                return true;
        return tag == text->tag || differs(view, "the verification tag");
    }
    if (first->type == SCTP_INIT)
        return tag == 0 || differs(view, "the verification tag");
    bool reflects = (first->type == SCTP_ABORT || first->type == SCTP_SHUTDOWN_COMPLETE) &&
                    (first->flags & SCTP_REFLECTED);
    if (reflects)
        return tag == numbers->last_tag || differs(view, "the verification tag");
    return tag == numbers->peer_tags[0] || tag == numbers->peer_tags[1] ||
           differs(view, "the verification tag");
}

static bool match_raw(const struct view *view, const struct sctp_text *text,
                      const struct part *part)
{
    if (part->left != text->raw->len)
        return differs(view, "the length");
    for (guint i = 0; i < part->left; i++)
        if (part->at[i] != g_array_index(text->raw, uint32_t, i))
            return differs(view, "a byte");
    return true;
}

bool sctp_text_match(const struct sctp_text *text, struct sctp_numbering *numbers,
                     const uint8_t *bytes, uint32_t length, GString *why)
{
    struct view view = {.numbers = numbers, .from_host = true, .why = why};
    struct part part = {bytes, length};
    struct unit unit;
    if (length < SCTP_COMMON_HEADER)
        return differs(&view, "the common header");
    uint32_t tag = sctp_get32(bytes + 4);
    part.at += SCTP_COMMON_HEADER;
    part.left -= SCTP_COMMON_HEADER;
    if (text->raw)
        return match_raw(&view, text, &part);
    for (guint i = 0; i < text->chunks->len; i++) {
        const struct sctp_item *item = g_ptr_array_index(text->chunks, i);
        if (!take_unit(&part, SCTP_A_CHUNK, &unit))
            return differs(&view, item->kind->name);
        if (i == 0 && !match_tag(&view, text, tag, &unit))
            return false;
        view.learning = unit.type == SCTP_INIT || unit.type == SCTP_INIT_ACK;
        learn_data(numbers, item, &unit);
        if (!match_item(&view, item, unit))
            return false;
        learn(numbers, item, &unit);
    }
    return part.left < HEADER || differs(&view, "a further chunk");
}

// ---- Printing ----

static void print_unit(GString *into, const struct view *view, enum sctp_family family,
                       const struct unit *unit, int depth);

static void print_units(GString *into, const struct view *view, enum sctp_family family,
                        struct part *part, const char *separator, int depth)
{
    struct unit unit;
    for (bool first = true; take_unit(part, family, &unit); first = false) {
        g_string_append(into, first ? "" : separator);
        print_unit(into, view, family, &unit, depth);
    }
}

static void print_flags(GString *into, const struct sctp_field *field, int flags)
{
    size_t bits = strlen(field->letters);
    if (flags == 0 || flags >> bits) {
        g_string_append_printf(into, "%d", flags);
        return;
    }
    for (size_t i = 0; i < bits; i++)
        if (flags >> (bits - 1 - i) & 1)
            g_string_append_c(into, field->letters[i]);
}

#define MOST_BYTES 16 // that are printed of a value

static void print_list(GString *into, const struct view *view, const struct sctp_field *field,
                       struct part *part, int64_t count)
{
    int64_t numbers = count < 0 ? part->left / (uint32_t)field->width : count * field->group;
    if (field->width == 1 && numbers > MOST_BYTES) {
        g_string_append(into, "...");
        part->left = 0;
        return;
    }
    g_string_append_c(into, '[');
    for (int64_t i = 0; i < numbers && part->left > 0; i++) {
        uint32_t number = said_number(view, field, take(part, field->width));
        const char *before = i == 0 ? "" : i % field->group ? ":" : ", ";
        g_string_append_printf(into, field->width == 1 ? "%s0x%02x" : "%s%u", before, number);
    }
    g_string_append_c(into, ']');
}

static void print_address(GString *into, const struct sctp_field *field, struct part *part)
{
    char text[INET6_ADDRSTRLEN];
    uint8_t bytes[16];
    for (int i = 0; i < field->group; i++)
        bytes[i] = (uint8_t)take(part, 1);
    g_string_append(into,
                    inet_ntop(field->group == 4 ? AF_INET : AF_INET6, bytes, text, sizeof text));
}

static void print_field(GString *into, const struct view *view, const struct sctp_field *field,
                        const struct unit *unit, struct part *part, struct counts *counts,
                        int depth)
{
    if (field->form == SCTP_FIELD_COUNT)
        counts->values[counts->read++] = take(part, field->width);
    else if (field->form == SCTP_FIELD_RESERVED)
        take(part, field->width);
    if (!field->name)
        return;
    g_string_append_printf(into, "%s%s=", into->str[into->len - 1] == '[' ? "" : ", ", field->name);
    switch (field->form) {
    case SCTP_FIELD_FLAGS:
        print_flags(into, field, unit->flags);
        return;
    case SCTP_FIELD_TYPE:
        g_string_append_printf(into, "0x%x", (unsigned)unit->type);
        return;
    case SCTP_FIELD_LENGTH:
        g_string_append_printf(into, "%u", unit->length);
        return;
    case SCTP_FIELD_NUMBER:
        g_string_append_printf(into, "%u", said_number(view, field, take(part, field->width)));
        return;
    case SCTP_FIELD_LIST:
        print_list(into, view, field, part,
                   counts->used < counts->read ? (int64_t)counts->values[counts->used++] : -1);
        return;
    case SCTP_FIELD_ADDRESS:
        print_address(into, field, part);
        return;
    case SCTP_FIELD_ITEMS:
        g_string_append_c(into, '[');
        print_units(into, view, SCTP_A_PARAMETER, part, ", ", depth);
        g_string_append_c(into, ']');
        return;
    case SCTP_FIELD_ITEM:
        print_units(into, view, strcmp(field->name, "chk") == 0 ? SCTP_A_CHUNK : SCTP_A_PARAMETER,
                    part, ", ", depth);
        return;
    case SCTP_FIELD_NONE:
    case SCTP_FIELD_RESERVED:
    case SCTP_FIELD_COUNT:
        return;
    }
}

static void print_unit(GString *into, const struct view *view, enum sctp_family family,
                       const struct unit *unit, int depth)
{
    const struct sctp_kind *kind = sctp_kind_of(unit->type, family);
    struct part part = unit->body;
    struct counts counts = {{0}, 0, 0};
    if (!kind || part.left < fixed_bytes(kind))
        kind = sctp_kind_any(family);
    g_string_append_printf(into, "%s[", kind->name);
    if (depth == SCRIPT_DEPTH) {
        g_string_append(into, "...]");
        return;
    }
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++)
        print_field(into, view, &kind->fields[i], unit, &part, &counts, depth + 1);
    if (kind->tail != SCTP_A_CHUNK && part.left >= HEADER) {
        g_string_append(into, ", ");
        print_units(into, view, kind->tail, &part, ", ", depth + 1);
    }
    g_string_append_c(into, ']');
}

char *sctp_bytes_text(const struct sctp_numbering *numbers, const uint8_t *bytes, uint32_t length,
                      bool from_host)
{
    struct sctp_numbering *no_change = (struct sctp_numbering *)(uintptr_t)numbers;
    struct view view = {.numbers = no_change, .from_host = from_host};
    GString *text = g_string_new("sctp: ");
    struct part part = {bytes, length};
    if (length > SCTP_COMMON_HEADER) {
        part.at += SCTP_COMMON_HEADER;
        part.left -= SCTP_COMMON_HEADER;
        print_units(text, &view, SCTP_A_CHUNK, &part, "; ", 0);
    }
    return g_string_free(text, FALSE);
}
