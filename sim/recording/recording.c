// SPDX-License-Identifier: GPL-3.0-or-later
// The scratch file of a recording: the calls of each rank as a stream of bytes, cut into blocks of
// BLOCK_BYTES. A block begins with the number of the rank's next one.
#include "sim/recording/recording.h"

#include "sim/core/intern.h"
#include "sim/program/communicator.h"
#include "sim/recording/call_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 1024
#define BLOCK_ROOM (BLOCK_BYTES - (int)sizeof(int64_t))

struct rank_stream {
    int64_t first; // block
    uint64_t calls;
    uint64_t hash;    // of its calls, not of where they are
    const char *file; // interned; NULL: the recording's
};

// Where the first call of an operation is.
struct first_call {
    bool there;
    int rank, line;
};

#define OPERATIONS_MOST 96

struct recording {
    gint references;
    const char *path, *format;
    int ranks;
    enum recorded_work work;
    bool computes;
    int scratch; // file
    struct rank_stream *streams;
    struct first_call first[OPERATIONS_MOST]; // by enum op_code
    GPtrArray *communicators;
};

// ---- The recording ----

struct recording *recording_ref(struct recording *recording)
{
    recording->references++;
    return recording;
}

void recording_unref(struct recording *recording)
{
    if (!recording || --recording->references > 0)
        return;
    if (recording->scratch >= 0)
        close(recording->scratch);
    if (recording->communicators)
        g_ptr_array_free(recording->communicators, TRUE);
    g_free(recording->streams);
    g_free(recording);
}

int recording_ranks(const struct recording *recording)
{
    return recording->ranks;
}

const char *recording_path(const struct recording *recording)
{
    return recording->path;
}

const char *recording_format(const struct recording *recording)
{
    return recording->format;
}

enum recorded_work recording_work(const struct recording *recording)
{
    return recording->work;
}

bool recording_computes(const struct recording *recording)
{
    return recording->computes;
}

uint64_t recording_calls(const struct recording *recording, int rank)
{
    return recording->streams[rank].calls;
}

bool recording_first(const struct recording *recording, enum op_code code, int *rank, int *line)
{
    const struct first_call *first = &recording->first[code];
    *rank = first->rank;
    *line = first->line;
    return first->there;
}

// FNV-1a.
#define HASH_START UINT64_C(0xcbf29ce484222325)

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t recording_identity(const struct recording *recording)
{
    uint64_t hash = HASH_START;
    for (int rank = 0; rank < recording->ranks; rank++)
        hash = hash_bytes(hash, &recording->streams[rank].hash, sizeof(uint64_t));
    for (guint i = 0; recording->communicators && i < recording->communicators->len; i++) {
        const struct communicator *one = g_ptr_array_index(recording->communicators, i);
        for (guint k = 0; k < one->groups->len; k++) {
            const GArray *ranks = g_ptr_array_index(one->groups, k);
            hash = hash_bytes(hash, ranks->data, ranks->len * sizeof(int));
        }
    }
    return hash;
}

const GPtrArray *recording_communicators(const struct recording *recording)
{
    return recording->communicators;
}

const char *recording_file(const struct recording *recording, int rank)
{
    const char *file = recording->streams[rank].file;
    return file ? file : recording->path;
}

// ---- Building ----

// The last block of a rank, which is being filled.
struct filling {
    unsigned char *bytes; // NULL: the rank has no call yet
    int64_t number;
    int used; // of its room
};

struct recording_builder {
    struct recording *recording;
    struct filling *filling; // by rank
    int64_t blocks;          // numbers that are given out
    GByteArray *call;        // the bytes of one
    int *last_lines;         // by rank
    int problem;             // errno; 0: none
};

// A file that has no name, in the directory for such files.
static int scratch_open(void)
{
    char *name = g_build_filename(g_get_tmp_dir(), "netsim-recording-XXXXXX", NULL);
    int file = g_mkstemp(name);
    if (file >= 0)
        unlink(name);
    g_free(name);
    return file;
}

struct recording_builder *recording_builder_new(const char *path, const char *format, int ranks,
                                                enum recorded_work work)
{
    struct recording_builder *builder = g_new0(struct recording_builder, 1);
    struct recording *recording = g_new0(struct recording, 1);
    *recording = (struct recording){.references = 1,
                                    .path = intern_text(path),
                                    .format = format,
                                    .ranks = ranks,
                                    .work = work,
                                    .scratch = scratch_open(),
                                    .streams = g_new0(struct rank_stream, ranks)};
    builder->recording = recording;
    builder->problem = recording->scratch < 0 ? errno : 0;
    builder->filling = g_new0(struct filling, ranks);
    builder->last_lines = g_new0(int, ranks);
    builder->call = g_byte_array_new();
    return builder;
}

static void block_write(struct recording_builder *builder, struct filling *filling, int64_t next)
{
    unsigned char block[BLOCK_BYTES] = {0};
    memcpy(block, &next, sizeof next);
    memcpy(block + sizeof next, filling->bytes, (size_t)filling->used);
    ssize_t written = builder->problem ? 0
                                       : pwrite(builder->recording->scratch, block, sizeof block,
                                                filling->number * BLOCK_BYTES);
    if (written < (ssize_t)sizeof block && !builder->problem)
        builder->problem = written < 0 ? errno : ENOSPC;
    filling->number = next;
    filling->used = 0;
}

static void stream_append(struct recording_builder *builder, int rank, const unsigned char *bytes,
                          int count)
{
    struct filling *filling = &builder->filling[rank];
    if (!filling->bytes) {
        filling->bytes = g_malloc(BLOCK_ROOM);
        filling->number = builder->recording->streams[rank].first = builder->blocks++;
    }
    while (count > 0) {
        if (filling->used == BLOCK_ROOM)
            block_write(builder, filling, builder->blocks++);
        int now = MIN(count, BLOCK_ROOM - filling->used);
        memcpy(filling->bytes + filling->used, bytes, (size_t)now);
        filling->used += now;
        bytes += now;
        count -= now;
    }
}

void recording_builder_put(struct recording_builder *builder, int rank,
                           const struct recorded_call *call)
{
    struct recording *recording = builder->recording;
    struct first_call *first = &recording->first[call->code];
    if (!first->there)
        *first = (struct first_call){true, rank, call->line};
    g_byte_array_set_size(builder->call, 0);
    guint place = call_bytes_write(builder->call, call, builder->last_lines[rank]);
    builder->last_lines[rank] = call->line;
    stream_append(builder, rank, builder->call->data, (int)builder->call->len);
    struct rank_stream *stream = &recording->streams[rank];
    stream->hash = hash_bytes(stream->calls == 0 ? HASH_START : stream->hash,
                              builder->call->data + place, builder->call->len - place);
    stream->calls++;
    recording->computes = recording->computes || call->work > 0;
}

void recording_builder_file(struct recording_builder *builder, int rank, const char *file)
{
    builder->recording->streams[rank].file = intern_text(file);
}

void recording_builder_communicators(struct recording_builder *builder, GPtrArray *communicators)
{
    builder->recording->communicators = communicators;
}

struct recording *recording_builder_end(struct recording_builder *builder, bool good, char **error)
{
    struct recording *recording = builder->recording;
    *error = NULL;
    for (int rank = 0; rank < recording->ranks; rank++) {
        struct filling *filling = &builder->filling[rank];
        if (filling->bytes && good)
            block_write(builder, filling, -1);
        g_free(filling->bytes);
    }
    if (good && builder->problem) {
        *error = g_strdup_printf("the recording's scratch file in %s cannot be written: %s",
                                 g_get_tmp_dir(), g_strerror(builder->problem));
        good = false;
    }
    if (!good)
        g_clear_pointer(&recording, recording_unref);
    g_byte_array_unref(builder->call);
    g_free(builder->filling);
    g_free(builder->last_lines);
    g_free(builder);
    return recording;
}

// ---- Taking the calls ----

struct recording_cursor {
    struct recording *recording;
    struct call_reader reader;
    uint64_t left;      // calls
    int64_t next_block; // -1: none
    unsigned char block[BLOCK_BYTES];
};
G_STATIC_ASSERT(sizeof(struct recording_cursor) <= RECORDING_CURSOR_BYTES);

// The next block's bytes. A block that can't be read has no calls: the written bytes are there,
// unless the disk fails.
static bool block_read(void *owner, const unsigned char **from, const unsigned char **to)
{
    struct recording_cursor *cursor = owner;
    if (cursor->next_block < 0)
        return false;
    ssize_t got = pread(cursor->recording->scratch, cursor->block, BLOCK_BYTES,
                        cursor->next_block * BLOCK_BYTES);
    if (got != BLOCK_BYTES)
        g_error("the scratch file of the recording %s cannot be read: %s", cursor->recording->path,
                g_strerror(got < 0 ? errno : EIO));
    memcpy(&cursor->next_block, cursor->block, sizeof cursor->next_block);
    *from = cursor->block + sizeof cursor->next_block;
    *to = cursor->block + BLOCK_BYTES;
    return true;
}

struct recording_cursor *recording_cursor_new(struct recording *recording, int rank)
{
    struct recording_cursor *cursor = g_new(struct recording_cursor, 1);
    cursor->recording = recording_ref(recording);
    cursor->left = recording->streams[rank].calls;
    cursor->next_block = cursor->left > 0 ? recording->streams[rank].first : -1;
    call_reader_init(&cursor->reader, block_read, cursor);
    return cursor;
}

void recording_cursor_free(struct recording_cursor *cursor)
{
    if (!cursor)
        return;
    call_reader_clear(&cursor->reader);
    recording_unref(cursor->recording);
    g_free(cursor);
}

bool recording_cursor_next(struct recording_cursor *cursor, struct recorded_call *call)
{
    if (cursor->left == 0)
        return false;
    cursor->left--;
    call_bytes_read(&cursor->reader, call);
    return true;
}
