// SPDX-License-Identifier: GPL-3.0-or-later
// The anchor of an OTF2 archive, as far as its length bounds its content: the library reads as many
// properties as are announced, wherever the file ends.
//
//   byte 0     a mark, 'B': numbers are little-endian
//   byte 2     "OTF2" and a null byte, the version of the anchor (1 byte), 38 bytes of numbers
//   byte 46    three texts that end with a null byte
//   then       the number of properties (4 bytes) if the version is 2 or more
#include "sim/recording/otf2.h"

#include <string.h>

#define VERSION_AT 7
#define TEXTS_AT 46
#define ANCHOR_MOST_BYTES (1 << 20)

// Where the texts end; NULL: they do not.
static const char *after_texts(const char *at, const char *end)
{
    for (int i = 0; i < 3 && at; i++) {
        const char *null = memchr(at, '\0', (size_t)(end - at));
        at = null ? null + 1 : NULL;
    }
    return at;
}

bool otf2_anchor_sound(const char *path)
{
    char *bytes;
    gsize length;
    if (!g_file_get_contents(path, &bytes, &length, NULL))
        return true; // the library reports the error
    bool sound = length > TEXTS_AT && length <= ANCHOR_MOST_BYTES;
    const char *end = bytes + length, *at = sound ? after_texts(bytes + TEXTS_AT, end) : NULL;
    guint32 properties = 0;
    bool counts = at && bytes[VERSION_AT] != 1;
    sound = at && (!counts || end - at >= (ptrdiff_t)sizeof properties);
    if (sound && counts) {
        memcpy(&properties, at, sizeof properties);
        properties = bytes[1] == 'B' ? GUINT32_FROM_LE(properties) : GUINT32_FROM_BE(properties);
    }
    g_free(bytes);
    return sound && properties <= length / 2; // a property has two texts
}
