// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the bytes of a packet that the script sends.
#include "models/sctp_cmt/wire/codec.h"
#include "tests/script/sctp_text.h"

#include <string.h>

#define CHECKSUM_AT 8

struct maker {
    GByteArray *bytes;
    struct sctp_numbering *numbers;
    struct script_report *report;
};

static void put(struct maker *maker, uint32_t number, int width)
{
    for (int i = width - 1; i >= 0; i--) {
        uint8_t byte = (uint8_t)(number >> (8 * i));
        g_byte_array_append(maker->bytes, &byte, 1);
    }
}

static void put_zeros(struct maker *maker, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(maker, 0, 1);
}

static void put_at(struct maker *maker, guint at, uint32_t number, int width)
{
    for (int i = 0; i < width; i++)
        maker->bytes->data[at + (guint)i] = (uint8_t)(number >> (8 * (width - 1 - i)));
}

static void missing(struct maker *maker, const struct sctp_item *item, const char *what)
{
    script_fail(maker->report, item->line, "expected %s of %s in what the script sends, got ...",
                what, item->kind->name);
}

// A number of the script as the host shall see it: its own TSNs are mapped.
static uint32_t live(const struct maker *maker, const struct sctp_field *field, int64_t number)
{
    uint32_t value = (uint32_t)number;
    return field->space == SCTP_TSN_OF_RECEIVER ? value + maker->numbers->tsn : value;
}

// ---- Fields ----

static const struct sctp_value *list_after(const struct sctp_item *item, int at, int nth)
{
    for (int i = at; i < SCTP_TEXT_FIELDS; i++)
        if (item->kind->fields[i].form == SCTP_FIELD_LIST && nth-- == 0)
            return &item->values[i];
    return NULL;
}

// The counts of several lists stand before the first of them.
static uint32_t count_of(const struct sctp_item *item, int at)
{
    int nth = 0;
    for (int i = 0; i < at; i++)
        nth += item->kind->fields[i].form == SCTP_FIELD_COUNT;
    const struct sctp_value *list = list_after(item, at, nth);
    int group = 1;
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++)
        if (list == &item->values[i])
            group = item->kind->fields[i].group;
    return list && list->list ? list->list->len / (guint)group : 0;
}

// The value of a list of bytes that the script leaves open: what the host has sent, or nothing.
static const GByteArray *captured(const struct maker *maker, const struct sctp_item *item)
{
    if (item->kind->family == SCTP_A_CHUNK && item->kind->type == 10)
        return maker->numbers->cookie;
    if (item->kind->family == SCTP_A_PARAMETER && item->kind->type == 1)
        return maker->numbers->heartbeat;
    return NULL;
}

static void put_list(struct maker *maker, const struct sctp_item *item, int at)
{
    const struct sctp_field *field = &item->kind->fields[at];
    const struct sctp_value *value = &item->values[at];
    if (value->any && field->width > 1) {
        missing(maker, item, field->name);
        return;
    }
    if (value->any || (!value->given && captured(maker, item))) {
        const GByteArray *bytes = captured(maker, item);
        if (bytes)
            g_byte_array_append(maker->bytes, bytes->data, bytes->len);
        return;
    }
    for (guint i = 0; value->list && i < value->list->len; i++)
        put(maker, live(maker, field, g_array_index(value->list, uint32_t, i)), field->width);
}

static void put_item(struct maker *maker, const struct sctp_item *item);

static void put_items(struct maker *maker, const GPtrArray *items)
{
    for (guint i = 0; items && i < items->len; i++) {
        while (maker->bytes->len % 4 != 0)
            put(maker, 0, 1);
        put_item(maker, g_ptr_array_index(items, i));
    }
}

static void put_field(struct maker *maker, const struct sctp_item *item, int at)
{
    const struct sctp_field *field = &item->kind->fields[at];
    const struct sctp_value *value = &item->values[at];
    switch (field->form) {
    case SCTP_FIELD_NUMBER:
        if (value->any || !value->given)
            missing(maker, item, field->name);
        put(maker, live(maker, field, value->number), field->width);
        return;
    case SCTP_FIELD_RESERVED:
        put(maker, 0, field->width);
        return;
    case SCTP_FIELD_COUNT:
        put(maker, count_of(item, at), field->width);
        return;
    case SCTP_FIELD_LIST:
    case SCTP_FIELD_ADDRESS:
        put_list(maker, item, at);
        return;
    case SCTP_FIELD_ITEMS:
    case SCTP_FIELD_ITEM:
        if (value->any)
            missing(maker, item, field->name);
        put_items(maker, value->items);
        return;
    case SCTP_FIELD_NONE:
    case SCTP_FIELD_FLAGS:
    case SCTP_FIELD_TYPE:
    case SCTP_FIELD_LENGTH:
        return;
    }
}

// ---- Items ----

// The value of the field of a form, or NULL.
static const struct sctp_value *value_of(const struct sctp_item *item, enum sctp_form form)
{
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++)
        if (item->kind->fields[i].form == form)
            return &item->values[i];
    return NULL;
}

static void put_header(struct maker *maker, const struct sctp_item *item)
{
    const struct sctp_value *type = value_of(item, SCTP_FIELD_TYPE);
    const struct sctp_value *flags = value_of(item, SCTP_FIELD_FLAGS);
    if (type && type->any)
        missing(maker, item, "the type");
    uint32_t number = type ? (uint32_t)type->number : (uint32_t)item->kind->type;
    if (item->kind->family == SCTP_A_CHUNK) {
        put(maker, number, 1);
        put(maker, flags ? (uint32_t)flags->number : 0, 1);
    } else {
        put(maker, number, 2);
    }
    put(maker, 0, 2);
}

// A length that the script gives may exceed the content that it lists: zeros follow. A shorter one
// is an error that the host has to detect.
static void put_length(struct maker *maker, const struct sctp_item *item, guint from)
{
    const struct sctp_value *length = value_of(item, SCTP_FIELD_LENGTH);
    uint32_t is = maker->bytes->len - from;
    const struct sctp_value *list = NULL;
    for (int i = 0; i < SCTP_TEXT_FIELDS; i++)
        if (item->kind->fields[i].form == SCTP_FIELD_LIST)
            list = &item->values[i];
    if (length && length->given && !length->any) {
        uint32_t said = (uint32_t)length->number;
        bool open = !list || list->any || !list->given;
        if (said > is)
            put_zeros(maker, said - is);
        else if (open && said < is && said >= 4 && captured(maker, item))
            g_byte_array_set_size(maker->bytes, from + said); // a part of what was captured
        is = said;
    }
    put_at(maker, from + 2, is, 2);
}

static void put_item(struct maker *maker, const struct sctp_item *item)
{
    guint from = maker->bytes->len;
    if (maker->bytes->len > SCTP_TEXT_LONGEST) {
        script_fail(maker->report, item->line, "expected a packet of at most %d B, got more",
                    SCTP_TEXT_LONGEST);
        return;
    }
    put_header(maker, item);
    if (item->any_tail)
        missing(maker, item, "the end");
    for (int i = 0; !item->any && i < SCTP_TEXT_FIELDS; i++)
        put_field(maker, item, i);
    if (item->any && captured(maker, item))
        g_byte_array_append(maker->bytes, captured(maker, item)->data, captured(maker, item)->len);
    else if (item->any && item->kind->family == SCTP_A_CHUNK)
        missing(maker, item, "the fields");
    put_items(maker, item->tail);
    put_length(maker, item, from);
}

// ---- Packets ----

static const struct sctp_item *first_chunk(const struct sctp_text *text, int type)
{
    for (guint i = 0; i < text->chunks->len; i++) {
        const struct sctp_item *item = g_ptr_array_index(text->chunks, i);
        if (item->kind->type == type)
            return item;
    }
    return NULL;
}

static bool reflects(const struct sctp_text *text)
{
    const struct sctp_item *item = first_chunk(text, SCTP_ABORT);
    if (!item)
        item = first_chunk(text, SCTP_SHUTDOWN_COMPLETE);
    const struct sctp_value *flags = item ? value_of(item, SCTP_FIELD_FLAGS) : NULL;
    return flags && (flags->number & SCTP_REFLECTED);
}

// The verification tag (RFC 9260, 8.5).
static uint32_t tag_of(const struct sctp_text *text, const struct sctp_numbering *numbers)
{
    if (text->tag_given) {
        for (int i = numbers->tag_count - 1; i >= 0; i--)
            if (numbers->script_tags[i] == text->tag)
                return numbers->live_tags[i];
        return text->tag;
    }
    if (first_chunk(text, SCTP_INIT) ||
        (text->raw && text->raw->len > 0 && g_array_index(text->raw, uint32_t, 0) == SCTP_INIT))
        return 0;
    if (first_chunk(text, SCTP_COOKIE_ECHO) && numbers->offered)
        return numbers->offer_tag;
    return reflects(text) ? numbers->peer_tags[0] : numbers->live_tag;
}

// The tag that the script announces with an INIT or INIT-ACK, also one of raw bytes.
static void note_own(const struct maker *maker)
{
    struct sctp_numbering *numbers = maker->numbers;
    const uint8_t *chunk = maker->bytes->data + SCTP_COMMON_HEADER;
    if (maker->bytes->len < SCTP_COMMON_HEADER + 8 ||
        (chunk[0] != SCTP_INIT && chunk[0] != SCTP_INIT_ACK))
        return;
    uint32_t tag = sctp_get32(chunk + SCTP_CHUNK_HEADER);
    if (numbers->peer_tags[0] == tag)
        return;
    numbers->peer_tags[1] = numbers->peer_tags[0];
    numbers->peer_tags[0] = tag;
}

GByteArray *sctp_text_bytes(const struct sctp_text *text, struct sctp_numbering *numbers,
                            uint16_t source_port, uint16_t destination_port,
                            struct script_report *report)
{
    struct maker maker = {g_byte_array_new(), numbers, report};
    uint32_t tag = tag_of(text, numbers);
    put(&maker, source_port, 2);
    put(&maker, destination_port, 2);
    put(&maker, tag, 4);
    put(&maker, 0, 4);
    for (guint i = 0; text->raw && i < text->raw->len; i++)
        put(&maker, g_array_index(text->raw, uint32_t, i), 1);
    for (guint i = 0; i < text->chunks->len; i++) {
        put_item(&maker, g_ptr_array_index(text->chunks, i));
        while (maker.bytes->len % 4 != 0)
            put(&maker, 0, 1);
    }
    if (report->verdict != SCRIPT_PASS) {
        g_byte_array_unref(maker.bytes);
        return NULL;
    }
    uint32_t crc = sctp_crc32c(0, maker.bytes->data, maker.bytes->len);
    for (int i = 0; i < 4; i++)
        maker.bytes->data[CHECKSUM_AT + i] =
            (uint8_t)((text->bad_checksum ? ~crc : crc) >> (8 * i));
    note_own(&maker);
    numbers->last_tag = tag;
    return maker.bytes;
}
