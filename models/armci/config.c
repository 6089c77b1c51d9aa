// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/armci/armci.h"
#include "models/armci/buffers.h"
#include "models/armci/client.h"

#include "sim/config/reader.h"

// By the rows of armci_put_variants and armci_get_variants.
const char *const armci_put_names[] = {"sequential", "pipelined", "direct", NULL};
const char *const armci_get_names[] = {"sequential", "server_split", "client_packing", "direct",
                                       NULL};

#define A struct armci_config
#define ARMCI_2001 "ARMCI over GM, late 2001"
#define PRIOR "prior: instructions"

static const char *const put_returns[] = {"after_last_ack", "after_last_send", NULL};
static const char *const get_chunks[] = {"buffer", "armci_2001", NULL};

#define BUFFER_PARAMS                                                                              \
    PARAM(A, put, PARAM_CHOICE, .fallback = "pipelined", .choices = armci_put_names,               \
          .doc = "how data are put and accumulated", .source = "thesis 001, 3.2"),                 \
        PARAM(A, get, PARAM_CHOICE, .fallback = "server_split", .choices = armci_get_names,        \
              .doc = "how data are fetched", .source = "thesis 001, 4.2"),                         \
        PARAM(A, buffer, PARAM_SIZE, .fallback = "400000 B", .least = "1 B", .most = "1 GiB",      \
              .doc = "data that a message buffer holds", .source = "thesis 001, 3.2.2 and 5"),     \
        PARAM(A, send_buffers, PARAM_COUNT, .fallback = "2", .least = "1", .most = "1024",         \
              .doc = "send buffers of a client, if put is pipelined",                              \
              .source = "thesis 001, 3.2.2"),                                                      \
        PARAM(A, buffer_scheme, PARAM_CHOICE, .fallback = "fixed",                                 \
              .choices = armci_buffer_scheme_names,                                                \
              .doc = "send buffers by number, or cut from one region on demand",                   \
              .source = "thesis 001, 5.2: the other was not used for what was measured"),          \
        PARAM(A, region, PARAM_SIZE, .fallback = "800256 B", .least = "1 KiB", .most = "1 GiB",    \
              .doc = "buffer_scheme dynamic: registered memory of a client",                       \
              .source = "assumed: as two buffers"),                                                \
        PARAM(A, get_buffers, PARAM_COUNT, .fallback = "2", .least = "1", .most = "1024",          \
              .doc = "buffers of a pipelined get, at the client and at the server",                \
              .source = "thesis 001, 4.2"),                                                        \
        PARAM(A, put_returns, PARAM_CHOICE, .fallback = "after_last_ack", .choices = put_returns,  \
              .doc = "what a pipelined put waits for before it returns",                           \
              .source = "thesis 001, 3.2: a put within one buffer gains nothing",                  \
              .chosen_for = "armci.put.gain_needs_multibuffer")

#define DIVISION_PARAMS                                                                            \
    PARAM(A, even_out, PARAM_BOOL, .fallback = "false",                                            \
          .doc = "few pieces of a contiguous put are made equally long",                           \
          .source = "thesis 001, 3.1: whole buffers; " ARMCI_2001 ": true"),                       \
        PARAM(A, even_whole, PARAM_COUNT, .fallback = "3", .least = "1",                           \
              .doc = "even_out: if there are fewer whole buffers than this",                       \
              .source = ARMCI_2001),                                                               \
        PARAM(A, even_rest, PARAM_SIZE, .fallback = "190000 B",                                    \
              .doc = "even_out: and fewer bytes after them", .source = ARMCI_2001),                \
        PARAM(A, get_chunk, PARAM_CHOICE, .fallback = "buffer", .choices = get_chunks,             \
              .doc = "pieces of a pipelined get: whole buffers, or by its size",                   \
              .source = "thesis 001, 4.3.1: buffers; " ARMCI_2001 ": by size"),                    \
        PARAM(A, chunk_least, PARAM_SIZE, .fallback = "2 KiB",                                     \
              .doc = "get_chunk armci_2001: up to this one piece", .source = ARMCI_2001),          \
        PARAM(A, chunk_halves, PARAM_SIZE, .fallback = "32256 B",                                  \
              .doc = "get_chunk armci_2001: below this two pieces", .source = ARMCI_2001),         \
        PARAM(A, chunk_eighths, PARAM_SIZE, .fallback = "258048 B",                                \
              .doc = "get_chunk armci_2001: below this eight pieces", .source = ARMCI_2001),       \
        PARAM(A, chunk_most, PARAM_SIZE, .fallback = "65408 B", .least = "1 B",                    \
              .doc = "get_chunk armci_2001: else pieces of this", .source = ARMCI_2001),           \
        PARAM(A, chunk_round, PARAM_SIZE, .fallback = "1 KiB", .least = "1 B",                     \
              .doc = "get_chunk armci_2001: halves and eighths are multiples of this",             \
              .source = ARMCI_2001)

#define SERVER_PARAMS                                                                              \
    PARAM(A, send_tokens, PARAM_COUNT, .fallback = "1", .least = "1", .most = "1024",              \
          .doc = "send tokens of the port shared with MPICH that are ARMCI's",                     \
          .source = "thesis 001, 3.2.3"),                                                          \
        PARAM(A, server_ports, PARAM_COUNT, .fallback = "2", .least = "1", .most = "2",            \
              .doc = "ports of a data server: one for requests and one for responses, or one",     \
              .source = "thesis 001, 2.3.2"),                                                      \
        PARAM(A, server_stores, PARAM_BOOL, .fallback = "true",                                    \
              .doc = "the server keeps requests that come while it must take events off its port", \
              .source = "thesis 001, 2.3.2: what one port would need"),                            \
        PARAM(A, large_buffers, PARAM_COUNT, .fallback = "2", .least = "1", .most = "1024",        \
              .doc = "receive buffers of the server for data", .source = "thesis 001, 3.2"),       \
        PARAM(A, small_buffers, PARAM_COUNT, .fallback = "16", .least = "1", .most = "4096",       \
              .doc = "receive buffers of the server for small requests", .source = "assumed",      \
              .prior = "8 .. 32"),                                                                 \
        PARAM(A, small, PARAM_SIZE, .fallback = "8 KiB", .least = "256 B", .most = "1 MiB",        \
              .doc = "small receive buffer", .source = "assumed",                                  \
              .prior = "or 4 KiB: 0.25, 16 KiB: 0.25"),                                            \
        PARAM(A, header, PARAM_SIZE, .fallback = "72 B", .least = "32 B", .most = "4 KiB",         \
              .doc = "header of a request", .source = "prior: some 18 words",                      \
              .prior = "56 B .. 96 B"),                                                            \
        PARAM(A, client_descriptor, PARAM_SIZE, .fallback = "16 B", .most = "4 KiB",               \
              .doc = "descriptor of the client's buffer in a request",                             \
              .source = "prior: address, size, port, node"),                                       \
        PARAM(A, flag, PARAM_SIZE, .fallback = "8 B", .least = "1 B", .most = "4 KiB",             \
              .doc = "flag that is written after data or by itself",                               \
              .source = "prior: the least unit of a DMA over 64 bits")

#define COST_PARAMS                                                                                \
    PARAM(A, call, PARAM_COST, .fallback = "400 cycles",                                           \
          .doc = "entering and leaving an ARMCI call", .source = PRIOR),                           \
        PARAM(A, request, PARAM_COST, .fallback = "300 cycles",                                    \
              .doc = "filling in a request's header and descriptors", .source = PRIOR),            \
        PARAM(A, piece, PARAM_COST, .fallback = "200 cycles",                                      \
              .doc = "breaking one more piece off a transfer", .source = PRIOR),                   \
        PARAM(A, block, PARAM_COST, .fallback = "40 cycles",                                       \
              .doc = "each contiguous block that is packed or unpacked, besides its bytes",        \
              .source = PRIOR),                                                                    \
        PARAM(A, look, PARAM_COST, .fallback = "20 cycles", .doc = "one look at a flag in memory", \
              .source = PRIOR),                                                                    \
        PARAM(A, dispatch, PARAM_COST, .fallback = "300 cycles",                                   \
              .doc = "data server: decoding a request", .source = PRIOR),                          \
        PARAM(A, atomic, PARAM_COST, .fallback = "200 cycles",                                     \
              .doc = "read-modify-write of a word under a lock", .source = PRIOR),                 \
        PARAM(A, accumulate_kib, PARAM_COST, .fallback = "640 cycles",                             \
              .doc = "additions of accumulate for each KiB; its pass over memory takes this time " \
                     "or that of its memory accesses, whichever is longer",                        \
              .source = "assumed: a double in five cycles, six of a Pentium II (looked in "        \
                        "ARMCI's faccumulate.f and its comments)")

static const struct param armci_params_table[] = {
    BUFFER_PARAMS, DIVISION_PARAMS, SERVER_PARAMS, COST_PARAMS, {0}};

static void check(const void *values, const struct param_values *report)
{
    const struct armci_config *config = values;
    if (config->small < config->header + config->client_descriptor + 256)
        param_complain(report, "small", "a request without data must fit a small receive buffer",
                       "small receive buffers of %" G_GINT64_FORMAT
                       " B have no room for a header of %" G_GINT64_FORMAT " B and descriptors",
                       config->small, config->header);
    if (config->region < config->header + config->client_descriptor + 512)
        param_complain(report, "region", "it holds at least a header and some data",
                       "a region of %" G_GINT64_FORMAT " B is too small", config->region);
}

static const struct reader_renamed armci_renamed[] = {
    {"accumulate_rate",
     {"accumulate_kib"},
     "a cost for each KiB, in cycles or as a time, instead of a rate",
     "1.1.0"},
    {0},
};

const struct param_table armci_table =
    PARAM_TABLE(struct armci_config, armci_params_table, .name = "armci", .doc = "ARMCI over GM",
                .check = check, .renamed = armci_renamed);

#define ROOM 256 // for the descriptor of a strided section of eight dimensions, and alignment

int64_t armci_buffer_bytes(const struct armci_config *config)
{
    return config->buffer + config->header + config->client_descriptor + ROOM;
}

int64_t armci_put_limit(const struct armci_config *config, int64_t segments)
{
    int64_t room = config->header + config->client_descriptor + ROOM, limit = config->buffer;
    if (config->buffer_scheme == ARMCI_BUFFERS_DYNAMIC)
        limit = MIN(limit, config->region - room);
    if (segments > 0)
        limit = (int64_t)((double)limit * (double)segments / (double)(segments + 4));
    return MAX(1, limit);
}

static int64_t rounded(int64_t bytes, int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

int64_t armci_get_limit(const struct armci_config *config, int64_t bytes)
{
    int64_t chunk = config->chunk_most;
    if (config->get_chunk == ARMCI_CHUNK_BUFFER || bytes <= config->chunk_least)
        return config->buffer;
    if (bytes < config->chunk_halves)
        chunk = rounded((bytes + 1) / 2, config->chunk_round);
    else if (bytes < config->chunk_eighths)
        chunk = rounded((bytes + 7) / 8, config->chunk_round);
    return MIN(chunk, config->buffer);
}
