// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tcp/stream.h"

#include <glib.h>
#include <string.h>

void tcp_stream_init(struct tcp_stream *stream, struct pool *singles, struct pool *contents)
{
    *stream = (struct tcp_stream){.singles = singles, .contents = contents};
}

static void runs_free(struct tcp_stream *stream)
{
    if (stream->capacity == 1)
        pool_give(stream->singles, stream->runs);
    else
        g_free(stream->runs);
}

void tcp_stream_clear(struct tcp_stream *stream)
{
    runs_free(stream);
    *stream = (struct tcp_stream){0};
}

static struct tcp_stream_run *stream_run(const struct tcp_stream *stream, uint32_t index)
{
    return &stream->runs[index & (stream->capacity - 1)];
}

static void stream_grow(struct tcp_stream *stream)
{
    uint32_t capacity = MAX(1, 2 * stream->capacity);
    struct tcp_stream_run *runs =
        capacity == 1 ? pool_take(stream->singles) : g_new(struct tcp_stream_run, capacity);
    for (uint32_t i = stream->head; i != stream->tail; i++)
        runs[i & (capacity - 1)] = *stream_run(stream, i);
    runs_free(stream);
    stream->runs = runs;
    stream->capacity = capacity;
}

static void stream_open_run(struct tcp_stream *stream, const struct tcp_run *run)
{
    if (stream->tail - stream->head == stream->capacity)
        stream_grow(stream);
    struct tcp_stream_run *entry = stream_run(stream, stream->tail++);
    *entry = (struct tcp_stream_run){
        .start = stream->written,
        .missing = run->length,
        .message = run->message,
        .offset = run->offset,
        .stands_in = run->stands_in,
        .content_length = run->content ? run->content_length : 0,
    };
    g_assert(entry->content_length <= TCP_CONTENT_BYTES);
    if (entry->content_length == 0)
        return;
    entry->content = pool_take(stream->contents);
    memcpy(entry->content, run->content, entry->content_length);
}

void tcp_stream_append(struct tcp_stream *stream, const struct tcp_run *run, int64_t taken,
                       int64_t bytes)
{
    struct tcp_stream_run *last =
        stream->tail == stream->head ? NULL : stream_run(stream, stream->tail - 1);
    if (!last || last->missing == 0) {
        stream_open_run(stream, run);
        last = stream_run(stream, stream->tail - 1);
    }
    // A run that was taken in part goes on: nothing else may be written in between.
    g_assert(last->missing == run->length - taken);
    last->length += bytes;
    last->missing -= bytes;
    stream->written += bytes;
}

void tcp_stream_take(struct tcp_stream *stream, int64_t bytes, struct tcp_piece *piece)
{
    struct tcp_stream_run *run = stream_run(stream, stream->read);
    int64_t done = stream->consumed - run->start;
    g_assert(stream->read != stream->tail && bytes > 0);
    *piece = (struct tcp_piece){
        .length = MIN(bytes, run->length - done),
        .message = run->message,
        .offset = run->offset + done,
    };
    stream->consumed += piece->length;
    piece->ends_run = done + piece->length == run->length && run->missing == 0;
    if (!piece->ends_run)
        return;
    piece->content = run->content;
    piece->content_length = run->content_length;
    stream->read++;
}

void tcp_stream_release(struct tcp_stream *stream)
{
    for (; stream->head != stream->read; stream->head++)
        pool_give(stream->contents, stream_run(stream, stream->head)->content);
    if (stream->head != stream->tail || stream->capacity != 1)
        return;
    runs_free(stream);
    stream->runs = NULL;
    stream->capacity = 0;
}

void tcp_stream_find(const struct tcp_stream *stream, int64_t start, int64_t bytes,
                     struct message_ref *message, int64_t *offset, int64_t *length)
{
    uint32_t low = stream->head, high = stream->tail;
    while (low != high) { // the first run that ends after `start`
        uint32_t middle = low + (high - low) / 2;
        const struct tcp_stream_run *run = stream_run(stream, middle);
        if (run->start + run->length <= start)
            low = middle + 1;
        else
            high = middle;
    }
    *message = MESSAGE_NONE;
    *offset = *length = 0;
    for (; low != stream->tail; low++) {
        const struct tcp_stream_run *run = stream_run(stream, low);
        int64_t from = MAX(start, run->start), to = MIN(start + bytes, run->start + run->length);
        if (from >= to)
            return;
        if (run->message.generation == 0)
            continue;
        *message = run->message;
        *offset = run->stands_in ? 0 : run->offset + from - run->start;
        *length = run->stands_in ? 0 : to - from;
        return;
    }
}
