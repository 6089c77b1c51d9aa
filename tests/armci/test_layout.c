// SPDX-License-Identifier: GPL-3.0-or-later
// How data are cut into pieces. Divisions that can be counted by hand, and for random layouts what
// must hold for each: all bytes once and in order, no piece too long, rows cut only if one alone is
// too long for a piece.
#include "models/armci/armci.h"
#include "models/armci/layout.h"
#include "tests/support/suite.h"

#include <glib.h>

static struct data_layout contiguous(int64_t bytes)
{
    return (struct data_layout){.kind = DATA_CONTIGUOUS, .bytes = bytes};
}

static struct data_layout strided(int levels, const int64_t *counts)
{
    struct data_layout layout = {.kind = DATA_STRIDED, .levels = levels, .bytes = 1};
    for (int i = 0; i <= levels; i++) {
        layout.counts[i] = counts[i];
        layout.bytes *= counts[i];
    }
    return layout;
}

static char *pieces_text(const struct data_layout *layout, int64_t limit)
{
    struct armci_pieces pieces;
    struct armci_piece piece;
    GString *text = g_string_new(NULL);
    armci_pieces_init(&pieces, layout, layout->bytes, limit);
    while (armci_pieces_next(&pieces, &piece))
        g_string_append_printf(text,
                               "%" G_GINT64_FORMAT "+%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT " ",
                               piece.offset, piece.bytes, piece.blocks);
    return g_strchomp(g_string_free(text, FALSE));
}

static void expect(const struct data_layout *layout, int64_t limit, const char *expected)
{
    char *text = pieces_text(layout, limit);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

static void test_contiguous(void)
{
    struct data_layout layout = contiguous(1548800);
    expect(&layout, 400000, "0+400000/1 400000+400000/1 800000+400000/1 1200000+348800/1");
    layout = contiguous(400000);
    expect(&layout, 400000, "0+400000/1");
    layout = contiguous(0);
    expect(&layout, 400000, "0+0/0");
}

// armci.semantics.strided_chunking: divided by the dimensions, whole slices together.
static void test_strided(void)
{
    int64_t plane[] = {1000, 10}; // ten rows
    struct data_layout layout = strided(1, plane);
    expect(&layout, 10000, "0+10000/10");
    expect(&layout, 4999, "0+4000/4 4000+4000/4 8000+2000/2");
    expect(&layout, 600, // each row is cut
           "0+600/1 600+400/1 1000+600/1 1600+400/1 2000+600/1 2600+400/1 3000+600/1 3600+400/1 "
           "4000+600/1 4600+400/1 5000+600/1 5600+400/1 6000+600/1 6600+400/1 7000+600/1 "
           "7600+400/1 8000+600/1 8600+400/1 9000+600/1 9600+400/1");
    int64_t cube[] = {8, 10, 3}; // three planes of ten rows
    layout = strided(2, cube);
    expect(&layout, 160, "0+160/20 160+80/10");
    expect(&layout, 50, "0+48/6 48+32/4 80+48/6 128+32/4 160+48/6 208+32/4");
}

// ---- What is in the cache ----

#define MOST_BYTES 40
#define MOST_BUFFERS 4
#define MOST_LIMIT 20
#define ADDRESSES (MOST_BYTES + MOST_BUFFERS * MOST_LIMIT)

// The user's memory and the buffers, as a processor touches them that copies the same data again
// and again: for each byte, the greatest number of different ones between two times, itself
// included.
struct touched {
    int64_t now, last[ADDRESSES], user, buffer;
};

static void touch(struct touched *touched, int64_t address, bool counts)
{
    int64_t between = 1;
    for (int64_t i = 0; i < ADDRESSES; i++)
        between += i != address && touched->last[i] > touched->last[address];
    int64_t *most = address < MOST_BYTES ? &touched->user : &touched->buffer;
    if (counts && touched->last[address] > 0)
        *most = MAX(*most, between);
    touched->last[address] = ++touched->now;
}

static struct touched touch_all(int64_t bytes, int64_t buffers, int64_t limit)
{
    struct touched touched = {0};
    int64_t turn = 0;
    for (int round = 0; round < 12; round++)
        for (int64_t from = 0; from < bytes; from += limit, turn = (turn + 1) % buffers)
            for (int64_t i = 0; i < MIN(limit, bytes - from); i++) {
                touch(&touched, from + i, round > 5);
                touch(&touched, MOST_BYTES + turn * MOST_LIMIT + i, round > 5);
            }
    return touched;
}

// A byte of the user's memory is touched again with the next message, and one of a buffer with the
// buffer's next turn. Where a message ends in a shorter piece, data in the rest of a buffer may be
// older than by the formula; never newer by more than a piece.
static void test_reuse(void)
{
    for (int64_t limit = 1; limit <= MOST_LIMIT; limit += 3)
        for (int64_t buffers = 1; buffers <= MOST_BUFFERS; buffers++)
            for (int64_t bytes = 1; bytes <= MOST_BYTES; bytes++) {
                struct touched touched = touch_all(bytes, buffers, limit);
                bool even = bytes % limit == 0 || bytes < limit;
                int64_t user = armci_user_reuse(bytes, buffers, limit),
                        buffer = armci_buffer_reuse(bytes, buffers, limit);
                CU_ASSERT(touched.user <= user);
                if (!even)
                    continue;
                SUITE_SAME_INTEGER(touched.user, user);
                SUITE_SAME_INTEGER(touched.buffer, buffer);
            }
}

// armci.semantics.contiguous_as_strided: no levels, and one count of bytes.
static void test_no_levels(void)
{
    for (int64_t bytes = 1; bytes < 3000; bytes += 37) {
        struct data_layout plain = contiguous(bytes), none = strided(0, &bytes);
        char *one = pieces_text(&plain, 1000), *other = pieces_text(&none, 1000);
        SUITE_SAME_TEXT(other, one);
        CU_ASSERT(armci_layout_contiguous(&none));
        g_free(one);
        g_free(other);
    }
}

static void test_vector(void)
{
    struct data_segments segments[] = {{100, 3}, {1000, 2}, {50, 1}};
    struct data_layout layout = {
        .kind = DATA_VECTOR, .sets = 3, .segments = segments, .bytes = 2350};
    expect(&layout, 2350, "0+2350/6");
    expect(&layout, 1200, "0+300/3 300+1000/1 1300+1050/2");
    // A segment that is too long begins a piece and is cut; its end takes what follows.
    expect(&layout, 600, "0+300/3 300+600/1 900+400/1 1300+600/1 1900+450/2");
}

static void test_descriptors(void)
{
    struct data_segments segments[] = {{100, 3}, {1000, 2}};
    struct data_layout vector = {.kind = DATA_VECTOR, .sets = 2, .segments = segments};
    int64_t cube[] = {8, 10, 3};
    struct data_layout plain = contiguous(9), box = strided(2, cube);
    SUITE_SAME_INTEGER(armci_layout_descriptor(&plain), 8);       // address and bytes
    SUITE_SAME_INTEGER(armci_layout_descriptor(&box), 8 + 4 * 5); // 3 counts, 2 strides
    SUITE_SAME_INTEGER(armci_layout_descriptor(&vector), 8 + 4 * (2 + 3 + 2 + 2));
}

static void test_even(void)
{
    SUITE_SAME_INTEGER(armci_even_limit(500000, 400000, 3, 190000), 250000);
    SUITE_SAME_INTEGER(armci_even_limit(900001, 400000, 3, 190000), 300001);
    SUITE_SAME_INTEGER(armci_even_limit(590000, 400000, 3, 190000), 400000);  // rest not below
    SUITE_SAME_INTEGER(armci_even_limit(1300000, 400000, 3, 190000), 400000); // three whole ones
    SUITE_SAME_INTEGER(armci_even_limit(800000, 400000, 3, 190000), 400000);  // no rest
    SUITE_SAME_INTEGER(armci_even_limit(390000, 400000, 3, 190000), 400000);  // fits
}

static void test_get_limit(void)
{
    struct armci_config config = {.buffer = 400000,
                                  .get_chunk = ARMCI_CHUNK_2001,
                                  .chunk_least = 2048,
                                  .chunk_halves = 32256,
                                  .chunk_eighths = 258048,
                                  .chunk_most = 65408,
                                  .chunk_round = 1024};
    SUITE_SAME_INTEGER(armci_get_limit(&config, 2048), 400000);
    SUITE_SAME_INTEGER(armci_get_limit(&config, 2049), 2048);
    SUITE_SAME_INTEGER(armci_get_limit(&config, 32255), 16384);
    SUITE_SAME_INTEGER(armci_get_limit(&config, 32256), 4096);
    SUITE_SAME_INTEGER(armci_get_limit(&config, 258047), 32768);
    SUITE_SAME_INTEGER(armci_get_limit(&config, 258048), 65408);
    config.get_chunk = ARMCI_CHUNK_BUFFER;
    SUITE_SAME_INTEGER(armci_get_limit(&config, 258048), 400000);
}

// ---- Random layouts ----

static struct data_layout random_layout(GRand *random, struct data_segments *segments)
{
    if (g_rand_boolean(random)) {
        int64_t counts[DATA_LAYOUT_LEVELS + 1];
        int levels = g_rand_int_range(random, 0, 5);
        for (int i = 0; i <= levels; i++)
            counts[i] = g_rand_int_range(random, 1, i ? 9 : 60);
        return strided(levels, counts);
    }
    struct data_layout layout = {
        .kind = DATA_VECTOR, .segments = segments, .sets = g_rand_int_range(random, 1, 6)};
    for (int i = 0; i < layout.sets; i++) {
        segments[i] = (struct data_segments){g_rand_int_range(random, 1, 80),
                                             g_rand_int_range(random, 1, 12)};
        layout.bytes += segments[i].bytes * segments[i].count;
    }
    return layout;
}

static int64_t longest_block(const struct data_layout *layout)
{
    int64_t longest = layout->kind == DATA_STRIDED ? layout->counts[0] : 0;
    for (int i = 0; layout->kind == DATA_VECTOR && i < layout->sets; i++)
        longest = MAX(longest, layout->segments[i].bytes);
    return longest;
}

static void check_pieces(const struct data_layout *layout, int64_t limit)
{
    struct armci_pieces pieces;
    struct armci_piece piece;
    int64_t reached = 0, blocks = 0, count = 0;
    armci_pieces_init(&pieces, layout, layout->bytes, limit);
    while (armci_pieces_next(&pieces, &piece)) {
        SUITE_SAME_INTEGER(piece.offset, reached);
        CU_ASSERT(piece.bytes > 0 && piece.bytes <= limit && piece.blocks > 0);
        reached += piece.bytes;
        blocks += piece.blocks;
        count++;
    }
    SUITE_SAME_INTEGER(reached, layout->bytes);
    SUITE_SAME_INTEGER(count, armci_pieces_count(layout, layout->bytes, limit));
    CU_ASSERT(blocks >= data_layout_blocks(layout));
    if (limit >= longest_block(layout))
        SUITE_SAME_INTEGER(blocks, data_layout_blocks(layout)); // none is cut
    if (limit >= layout->bytes)
        SUITE_SAME_INTEGER(count, 1);
}

static void test_random(void)
{
    GRand *random = g_rand_new_with_seed(7);
    struct data_segments segments[6];
    for (int i = 0; i < 4000; i++) {
        struct data_layout layout = random_layout(random, segments);
        check_pieces(&layout, g_rand_int_range(random, 1, (int)layout.bytes + 100));
    }
    g_rand_free(random);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"contiguous data", test_contiguous},
        {"armci.semantics.strided_chunking", test_strided},
        {"armci.semantics.contiguous_as_strided", test_no_levels},
        {"a vector's segments", test_vector},
        {"descriptors in requests", test_descriptors},
        {"even pieces", test_even},
        {"pieces of a get by its size", test_get_limit},
        {"random layouts", test_random},
        {"what is in the cache", test_reuse},
        {0},
    };
    return suite_run("armci: layout", cases);
}
