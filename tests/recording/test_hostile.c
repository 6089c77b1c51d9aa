// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are no recordings, or would take all memory or time to find that out: devices, pipes,
// files without lines or with endless ones, ranks and requests without number, bytes of any kind.
// Each must end with an error and its place.
#include "sim/program/program.h"
#include "sim/recording/recording.h"
#include "sim/recording/text_lines.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define GOOD "0 init\n0 barrier\n0 finalize\n"
#define WHERE ((struct source_mark){"case.yaml", 3, 5})

// Complaints about a recording; "" if it is read. free.
static char *complaints_of(const char *path)
{
    struct diag_list *diags = diag_list_new();
    char *printed;
    size_t length;
    FILE *out = open_memstream(&printed, &length);
    recording_unref(recording_read(path, WHERE, diags));
    diag_print(diags, out);
    diag_list_free(diags);
    fclose(out);
    return printed;
}

static void expect(const char *path, const char *part)
{
    char *complaints = complaints_of(path);
    if (!*part)
        SUITE_SAME_TEXT(complaints, part);
    else
        SUITE_CONTAINS(complaints, part);
    free(complaints);
}

// Of the bytes of a file, in a recording by itself.
static void expect_bytes(const char *bytes, size_t size, const char *part)
{
    char *directory = temporary_directory(), *path = g_build_filename(directory, "t", NULL);
    CU_ASSERT(g_file_set_contents(path, bytes, (gssize)size, NULL));
    expect(path, part);
    g_free(path);
    temporary_remove(directory);
}

static void expect_text(const char *text, const char *part)
{
    expect_bytes(text, strlen(text), part);
}

// ---- What is no regular file ----

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    g_strlcpy(address.sun_path, path, sizeof address.sun_path);
    CU_ASSERT(bind(end, (struct sockaddr *)&address, sizeof address) == 0);
    close(end);
}

// The recording itself, the second file of its list, and a link to either.
static void test_kinds_of_files(void)
{
    char *directory = temporary_directory();
    char *pipe = g_build_filename(directory, "pipe", NULL),
         *socket = g_build_filename(directory, "socket", NULL),
         *loop = g_build_filename(directory, "loop", NULL),
         *link = g_build_filename(directory, "link", NULL);
    CU_ASSERT(mkfifo(pipe, 0600) == 0);
    CU_ASSERT(symlink("loop", loop) == 0);
    CU_ASSERT(symlink("/dev/zero", link) == 0);
    make_socket(socket);
    const struct {
        const char *path, *why;
    } files[] = {
        {"/dev/zero", "it is no regular file"},
        {"/dev/null", "it is no regular file"},
        {"/dev/full", "it is no regular file"},
        {link, "it is no regular file"},
        {pipe, "it is no regular file"},
        {directory, "it is a directory"},
        {"/", "it is a directory"},
        {loop, "Too many levels of symbolic links"},
        {socket, "No such device or address"},
        {"/nowhere", "No such file or directory"},
    };
    g_free(temporary_file(directory, "good", GOOD));
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        char *list = g_strdup_printf("# ranks\ngood\n%s\n", files[i].path),
             *path = temporary_file(directory, "list", list),
             *alone = g_strdup_printf("case.yaml:3:5: error: the recording %s cannot be read: %s",
                                      files[i].path, files[i].why),
             *listed = g_strdup_printf("list:3:1: error: the file that this line names cannot be "
                                       "read: %s",
                                       files[i].why);
        expect(files[i].path, alone);
        expect(path, listed);
        g_free(listed);
        g_free(alone);
        g_free(path);
        g_free(list);
    }
    g_free(loop);
    g_free(link);
    g_free(socket);
    g_free(pipe);
    temporary_remove(directory);
}

// Files below /proc have a size of 0, and so nothing is read of them.
static void test_files_without_size(void)
{
    char *directory = temporary_directory(),
         *list = temporary_file(directory, "list", "/proc/self/maps\n");
    expect("/proc/self/maps", "case.yaml:3:5: error: /proc/self/maps is empty");
    expect(list, "/proc/self/maps: error: there are no calls of rank 0");
    g_free(list);
    temporary_remove(directory);
}

static void test_no_right_to_read(void)
{
    char *directory = temporary_directory(), *path = temporary_file(directory, "t", GOOD);
    CU_ASSERT(chmod(path, 0) == 0);
    if (access(path, R_OK) != 0) // root may read all
        expect(path, "cannot be read: Permission denied");
    g_free(path);
    temporary_remove(directory);
}

// A file that names itself is a list of itself: no call is in it.
static void test_list_of_itself(void)
{
    char *directory = temporary_directory(), *path = temporary_file(directory, "t", "t\n");
    expect(path, "t:1:1: error: this is no call");
    g_free(path);
    temporary_remove(directory);
}

// ---- Lines ----

// A text of `count` times a piece, between others. g_free.
static char *many(const char *before, const char *piece, size_t count, const char *after)
{
    GString *text = g_string_new(before);
    for (size_t i = 0; i < count; i++)
        g_string_append(text, piece);
    g_string_append(text, after);
    return g_string_free(text, FALSE);
}

static void expect_many(const char *before, const char *piece, size_t count, const char *after,
                        const char *part)
{
    char *text = many(before, piece, count, after);
    expect_text(text, part);
    g_free(text);
}

#define LONGEST ((size_t)TEXT_LINES_LONGEST)

static void test_long_lines(void)
{
    expect_many("0 init\n0 barrier ", " ", LONGEST - 10, "\n0 finalize\n", "");
    expect_many("0 init\n0 barrier ", " ", LONGEST - 9, "\n0 finalize\n",
                "t:2:1: error: the line is longer than 4 MiB");
    expect_many("0 init\n0 fly ", "1 ", LONGEST, "\n0 finalize\n", "is longer than 4 MiB");
    expect_many("0 init\n0 fly ", "1 ", LONGEST / 2 - 10, "\n0 finalize\n",
                "t:2:3: error: \"fly\" is no action");
    expect_many("0 init\n0 send ", "1 ", LONGEST / 2 - 10, "\n0 finalize\n", "and not 3 to 4");
    expect_many("0 init\n# ", "c", LONGEST, "\n0 finalize\n", "is longer than 4 MiB");
    expect_many("", "x", LONGEST + 1, "", "t:1:1: error: the line is longer than 4 MiB");
    expect_many("", "x", 1000000, "", "t:1:1: error: the last line has no end");
    expect_many("", "0", 1000000, " init\n", "do not end with finalize"); // rank 0
    expect_many("0 init\n0 ", "y", 1000000, "\n0 finalize\n",
                "\"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\" is no action");
    expect_many("0 init\n0 compute ", "9", 1000000, "\n0 finalize\n", "is no number of operations");
    expect_many("0 init\n0 send 1 1 ", "9", 1000000, "\n0 finalize\n", "t:2:8: error: rank 1 is");
}

// Each place at which a trace may have been cut off; the part before it is never taken for the
// whole.
static void test_cut_off(void)
{
    static const char whole[] = "0 init\n0 isend 0 1 8 0\n0 irecv 0 1 8 0\n0 waitall 2\n"
                                "0 allreduce 1 0 0\n0 finalize\n";
    expect_text(whole, "");
    for (size_t size = 1; size < strlen(whole); size++)
        expect_bytes(whole, size,
                     whole[size - 1] == '\n'
                         ? "do not end with finalize"
                         : "error: the last line has no end (the file may have been cut off)");
}

static void test_binary(void)
{
    static const char null[] = "0 init\n0 bar\0rier\n0 finalize\n";
    expect_bytes(null, sizeof null - 1, "is of no format that is known");
    expect_bytes("\xff\xfe\x80\n", 4, "cannot be read: No such file");
    expect_text("0 init\n0 \xff\xfe\n0 finalize\n", "t:2:3: error: \"\xef\xbf\xbd");
    expect_text("0 init\r0 finalize\r", "the last line has no end");
    expect_text("0 init\r\n0 barrier\r\n0 finalize\r\n", "");
    expect_text("\xef\xbb\xbf"
                "0 init\n0 finalize\n",
                "cannot be read");                          // a mark of UTF-8 before the rank
    char *text = many("0 init\n", "0 barrier\n", 1000, ""); // beyond the part that is checked first
    size_t size = strlen(text);
    text[size - 5] = '\0';
    expect_bytes(text, size, "t:1001:1: error: the line holds a null byte: this is no text");
    g_free(text);
}

// Bytes of all kinds, from a simple generator: each file is wrong, and refused with a complaint.
static void test_random_bytes(void)
{
    uint32_t state = 1;
    for (int round = 0; round < 200; round++) {
        char bytes[500];
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * 1664525 + 1013904223;
            bytes[i] = "0123456789 \n.-e\xff"[state >> 28];
        }
        expect_bytes(bytes, sizeof bytes, "error: ");
    }
}

// ---- Without number ----

static void test_ranks(void)
{
    expect_text("2000000 init\n2000000 finalize\n",
                "t:1:1: error: rank 2000000 is out of range (0 to 1048575)");
    expect_text("1048576 init\n", "rank 1048576 is out of range");
    expect_text("1048575 init\n1048575 finalize\n", "t: error: there are no calls of rank 0");
    expect_text("18446744073709551616 init\n", "out of range");
    expect_text("4294967296 init\n", "out of range"); // 0, if it were cut to 32 bits
    expect_text("0 init\n0 finalize\n-1 init\n", "t:3:1: error: this is no call");
    GString *text = g_string_new(NULL);
    for (int rank = 0; rank < PROGRAM_MOST_RANKS; rank++)
        g_string_append_printf(text, "%d init\n%d finalize\n", rank, rank);
    expect_text(text->str, "");
    g_string_free(text, TRUE);
    // As many missing files: one error.
    expect_many("", "r\n", PROGRAM_MOST_RANKS, "", "cannot be read: No such file");
}

// A file that is no list of files, of a user with the right to read files that others may not: none
// of it is printed, and there is one error.
static void test_foreign_file(void)
{
    char *directory = temporary_directory();
    char *path = temporary_file(directory, "shadow", "root:$6$secret:1::\nother:$6$secret:2::\n");
    char *complaints = complaints_of(path);
    SUITE_CONTAINS(complaints, "shadow:1:1: error: the file that this line names cannot be read");
    CU_ASSERT_PTR_NULL(strstr(complaints, "secret"));
    CU_ASSERT_PTR_NULL(strstr(complaints, "shadow:2"));
    free(complaints);
    g_free(path);
    temporary_remove(directory);
}

static void test_numbers(void)
{
    static const struct {
        const char *line, *part;
    } lines[] = {
        {"0 send 0 1 9223372036854775807 0", "count 9223372036854775807 is out of range"},
        {"0 send 0 1 18446744073709551617 0", "is out of range"},
        {"0 send 0 1 1152921504606846977 0", "is out of range"}, // x 8 B is 8 B in 64 bits
        {"0 send 0 1 1e308 0", "is out of range"},
        {"0 send 0 1 -0.5 0", "is no whole number"},
        {"0 send 0 1 0x10 0", ""},
        {"0 send 0 1 -0 0", ""},
        {"0 send 0 4294967297 1 0", "tag 4294967297 is out of range"},
        {"0 send 0 -4294967740 1 0", "tag -4294967740 is out of range"}, // -444 in 32 bits
        {"0 send 4294967296 1 1 0", "rank 4294967296 is out of range"},
        {"0 recv 0 1 1 4294967296", "datatype 4294967296 is out of range"},
        {"0 recv 0 1 1 4294967295", "datatype 4294967295 is out of range"}, // -1 in 32 bits
        {"0 allgatherv 1e15 1e15 0 0", "count 1e15 is out of range"},
        {"0 alltoallv 0 9e15 0 9e15 0 0", "is out of range"},
        {"0 waitall 4294967296", "count 4294967296 is out of range"},
        {"0 waitall -1", "count -1 is out of range"},
        {"0 waitall 2147483647", ""}, // more than are open: all of them
        {"0 compute 1e999", "is no number of operations"},
        {"0 compute -inf", "is no number of operations"},
        {"0 sleep infinity", "is no time"},
        {"0 reduce 1 nan 0 0", "is no"},
        {"0 wait 0 1 4294967296", "out of range"},
        {"0 wait -334 1 0", "rank -334 is out of range"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        char *text = g_strdup_printf("0 init\n%s\n0 finalize\n", lines[i].line);
        expect_text(text, lines[i].part);
        g_free(text);
    }
}

// Requests that are open at once are found by what names them, however many there are, and no
// line takes longer for them: forward, backward, all alike, and none that is asked for.
static void test_many_requests(void)
{
    enum { COUNT = 100000 };
    GString *text = g_string_new("0 init\n");
    for (int i = 0; i < COUNT; i++)
        g_string_append_printf(text, "0 isend 0 %d 1 6\n0 irecv 0 7 1 6\n", i);
    for (int i = 0; i < COUNT; i++)
        g_string_append_printf(text, "0 waitall 0\n0 wait 0 0 %d\n", i % 2 ? i : COUNT - 2 - i);
    g_string_append_printf(text, "0 waitall %d\n0 finalize\n", COUNT);
    expect_text(text->str, "");
    g_string_free(text, TRUE);
    expect_many("0 init\n", "0 irecv 0 1 1 6\n0 test 0 0 1\n", COUNT, "0 finalize\n", "");
    expect_many("0 init\n", "0 irecv 0 1 1 6\n", COUNT, "0 waitall 99999\n0 finalize\n",
                "does not say which 99999 of the 100000 open requests are waited for");
}

// Waits for requests that were never started, or have ended.
static void test_unknown_requests(void)
{
    static const char *const lines[] = {
        "0 wait 0 0 1\n",
        "0 test 0 0 1\n",
        "0 isend 0 1 1 6\n0 wait 0 0 2\n",
        "0 isend 0 1 1 6\n0 waitall 1\n0 wait 0 0 1\n",
        "0 isend 0 1 1 6\n0 wait 0 0 1\n0 test 0 0 1\n",
        "0 send 0 1 1 6\n0 wait 0 0 1\n",
        "0 irecv 0 -444 1 6\n0 wait 0 0 1\n0 wait 0 0 1\n",
        "0 wait -333 0 1\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        char *text = g_strdup_printf("0 init\n%s0 finalize\n", lines[i]);
        expect_text(text, "no such request is open (its start must come before)");
        g_free(text);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"devices, pipes, directories, links", test_kinds_of_files},
        {"files that say they have nothing", test_files_without_size},
        {"no right to read", test_no_right_to_read},
        {"a list of itself", test_list_of_itself},
        {"long lines", test_long_lines},
        {"cut off anywhere", test_cut_off},
        {"binary bytes", test_binary},
        {"a foreign file", test_foreign_file},
        {"random bytes", test_random_bytes},
        {"ranks without number", test_ranks},
        {"numbers without end", test_numbers},
        {"many open requests", test_many_requests},
        {"requests that are not open", test_unknown_requests},
        {NULL, NULL},
    };
    return suite_run("recording: what is none", cases);
}
