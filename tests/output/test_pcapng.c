// SPDX-License-Identifier: GPL-3.0-or-later
// A capture file, byte by byte: section, interfaces, frames and comments as the format (pcapng) has
// them.
#include "sim/output/pcapng.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

#include <string.h>

static const struct capture_link ethernet = {1, "Ethernet"}, private_link = {147, "P"};

// A file as words of 32 bits in the order of this machine, in hexadecimal, a block a line.
static char *words_of(const char *path)
{
    char *bytes;
    gsize length;
    CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &bytes, &length, NULL));
    SUITE_SAME_INTEGER((long long)(length % 4), 0);
    GString *out = g_string_new(NULL);
    gsize end = 0;
    for (gsize at = 0; at + 4 <= length; at += 4) {
        uint32_t word, total = 0;
        if (at == end) {
            memcpy(&total, bytes + at + 4, sizeof total);
            end = at + total;
            g_string_append(out, at ? "\n" : "");
        }
        memcpy(&word, bytes + at, sizeof word);
        g_string_append_printf(out, "%x ", word);
    }
    SUITE_SAME_INTEGER((long long)end, (long long)length);
    g_free(bytes);
    return g_string_free(out, FALSE);
}

static void expect(const char *directory, const char *expected)
{
    char *path = g_build_filename(directory, "c.pcapng", NULL), *words = words_of(path);
    SUITE_SAME_TEXT(words, expected);
    g_free(words);
    g_free(path);
}

static struct pcapng *open_in(const char *directory, const char *comment)
{
    char *path = g_build_filename(directory, "c.pcapng", NULL);
    struct pcapng *pcapng = pcapng_open(path, comment, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(pcapng);
    g_free(path);
    return pcapng;
}

static void test_frames(void)
{
    static const uint8_t bytes[] = {1, 2, 3, 4, 5};
    struct capture_frame frame = {
        .direction = CAPTURE_OUT, .when = 1234567999, .bytes = bytes, .length = 60};
    char *directory = sample_directory();
    struct pcapng *pcapng = open_in(directory, "A");
    int first = pcapng_interface(pcapng, "eth0", &ethernet, 100000000, 0);
    int second = pcapng_interface(pcapng, "node1", &private_link, 0x123456789abcdef, 4);
    SUITE_SAME_INTEGER(first, 0);
    SUITE_SAME_INTEGER(second, 1);
    pcapng_write(pcapng, pcapng_block(first, &frame, 4));
    frame.direction = CAPTURE_IN;
    frame.when = 5000 * TIME_S;
    frame.length = 5;
    GByteArray *block = pcapng_block(second, &frame, 5);
    pcapng_comment(block, "xyz");
    pcapng_comment(block, "12345");
    pcapng_write(pcapng, block);
    CU_ASSERT_TRUE(pcapng_close(pcapng, NULL));
    expect(directory,
           "a0d0d0a 34 1a2b3c4d 1 ffffffff ffffffff 10001 41 60004 7374656e 6d69 0 34 \n"
           "1 40 1 0 40002 30687465 80003 65687445 74656e72 80008 5f5e100 0 10009 9 0 40 \n"
           "1 40 93 4 50002 65646f6e 31 10003 50 80008 89abcdef 1234567 10009 9 0 40 \n"
           "6 30 0 0 12d687 4 3c 4030201 40002 2 0 30 \n"
           "6 48 1 48c 27395000 5 5 4030201 5 40002 1 30001 7a7978 50001 34333231 35 0 48 ");
    sample_remove(directory);
}

// A capture without frames is valid; a dropped file does not exist.
static void test_nothing(void)
{
    char *directory = sample_directory();
    CU_ASSERT_TRUE(pcapng_close(open_in(directory, ""), NULL));
    expect(directory, "a0d0d0a 30 1a2b3c4d 1 ffffffff ffffffff 1 60004 7374656e 6d69 0 30 ");
    sample_remove(directory);
    directory = sample_directory();
    struct pcapng *pcapng = open_in(directory, "A");
    pcapng_interface(pcapng, "x", &ethernet, 1, 0);
    pcapng_drop(pcapng);
    pcapng_drop(NULL);
    CU_ASSERT_TRUE(pcapng_close(NULL, NULL));
    char *path = g_build_filename(directory, "c.pcapng", NULL);
    CU_ASSERT_FALSE(g_file_test(path, G_FILE_TEST_EXISTS));
    g_free(path);
    sample_remove(directory);
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(pcapng_open("/dev/null/x", "", &error));
    SUITE_CONTAINS(error->message, "/dev/null/x");
    g_clear_error(&error);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"frames", test_frames},
        {"nothing", test_nothing},
        {0},
    };
    return suite_run("output: capture files", cases);
}
