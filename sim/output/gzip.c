// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // fopencookie
#include "sim/output/gzip.h"

#include <glib.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) // the largest window, and gzip's header
#define GZIP_MEMORY 9

struct gzip {
    FILE *out;
    z_stream stream;
    unsigned char bytes[65536];
};

bool gzip_wanted(const char *path)
{
    return g_str_has_suffix(path, ".gz");
}

// Compresses what the stream has been given; `flush` is Z_NO_FLUSH or, at the end, Z_FINISH.
static bool gzip_compress(struct gzip *gzip, int flush)
{
    do {
        gzip->stream.next_out = gzip->bytes;
        gzip->stream.avail_out = sizeof gzip->bytes;
        int status = deflate(&gzip->stream, flush);
        g_assert(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR);
        size_t length = sizeof gzip->bytes - gzip->stream.avail_out;
        if (length > 0 && fwrite(gzip->bytes, 1, length, gzip->out) != length)
            return false;
    } while (gzip->stream.avail_out == 0);
    return true;
}

static ssize_t gzip_write(void *cookie, const char *data, size_t length)
{
    struct gzip *gzip = cookie;
    gzip->stream.next_in = (unsigned char *)data;
    gzip->stream.avail_in = (uInt)length;
    return gzip_compress(gzip, Z_NO_FLUSH) ? (ssize_t)length : 0;
}

static int gzip_close(void *cookie)
{
    struct gzip *gzip = cookie;
    gzip->stream.avail_in = 0;
    bool good = gzip_compress(gzip, Z_FINISH);
    deflateEnd(&gzip->stream);
    g_free(gzip);
    return good ? 0 : EOF;
}

FILE *gzip_stream(FILE *out)
{
    struct gzip *gzip = g_new0(struct gzip, 1);
    gzip->out = out;
    int status = deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
                              GZIP_MEMORY, Z_DEFAULT_STRATEGY);
    cookie_io_functions_t functions = {.write = gzip_write, .close = gzip_close};
    FILE *stream = status == Z_OK ? fopencookie(gzip, "w", functions) : NULL;
    if (!stream)
        g_error("no memory to compress with");
    return stream;
}
