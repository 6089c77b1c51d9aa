// SPDX-License-Identifier: GPL-3.0-or-later
// SimGrid's time-independent traces as calls. The lines are those that smpirun 3.32 wrote of
// programs that make these calls; calls that it loses and broken lines are refused.
#include "sim/program/program.h"
#include "sim/recording/recording.h"
#include "tests/support/recording_text.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>
#include <string.h>

// ---- Traces ----

// Reads a single file for all ranks. Lines that begin with a letter are rank 0's.
static struct tried_recording read_text(const char *text)
{
    char *directory = temporary_directory(), *path = temporary_file(directory, "t.txt", text);
    struct tried_recording tried = recording_try(directory, path);
    g_free(path);
    temporary_remove(directory);
    return tried;
}

#define REST "1 init\n1 finalize\n2 init\n2 finalize\n"

// Lines of rank 0 of three, from the second line of the file on.
static char *of_three(const char *lines)
{
    return g_strconcat("0 init\n", lines, "0 finalize\n" REST, NULL);
}

static void expect_calls(const char *lines, const char *calls)
{
    char *trace = of_three(lines);
    tried_recording_has_calls(read_text(trace), 0, calls);
    g_free(trace);
}

// Part of the complaint about lines of rank 0 of three.
static void expect_refused(const char *lines, const char *part)
{
    char *trace = of_three(lines);
    tried_recording_is_refused(read_text(trace), part);
    g_free(trace);
}

// ---- Actions ----

static void test_messages(void)
{
    static const struct recording_pair pairs[] = {
        {"0 send 1 7 10 0\n", "2:send to 1 tag 7 80 B; "},
        {"0 send 1 7 10\n", "2:send to 1 tag 7 10 B; "}, // bytes, after a plain init
        {"0 send 1 7 1e+06 6\n", "2:send to 1 tag 7 1000000 B; "},
        {"0 Ssend 2 8 3 1\n", "2:ssend to 2 tag 8 12 B; "},
        {"0 recv 1 7 10 4\n", "2:recv to 1 tag 7 80 B; "},
        {"0 recv 1 -444 10 4\n", "2:recv to 1 tag -1 80 B; "},
        {"0 send 0 7 1 6\n", "2:send to 0 tag 7 1 B; "},
        {"0 send -333 7 10 0\n", ""}, // to MPI_PROC_NULL: a send has no other meaning of it
        {"0 sendRecv 4 1 2 2 0 1\n", "2:sendrecv to 1 from 2 32 B gets 8 B; "},
        {"0 sendRecv 4 1 2 2\n", "2:sendrecv to 1 from 2 4 B gets 2 B; "},
        {"0 isend 1 9 5 2\n0 wait 0 1 9\n", "2:isend to 1 tag 9 5 B r0; 3:wait w0; "},
        {"0 ISsend 1 9 5 2\n0 wait 0 1 9\n", "2:issend to 1 tag 9 5 B r0; 3:wait w0; "},
        {"0 irecv 2 9 5 2\n0 wait 2 0 9\n", "2:irecv to 2 tag 9 5 B r0; 3:wait w0; "},
        {"0 irecv 2 -444 5 2\n0 wait 2 0 -444\n", "2:irecv to 2 tag -1 5 B r0; 3:wait w0; "},
        {"0 isend -333 3 1 1\n0 wait 0 -333 3\n", ""},
        {"# a comment\n\n0 barrier\n", "4:barrier; "},
        {"0\tbarrier  \r\n", "2:barrier; "},
    };
    EACH_PAIR(expect_calls, pairs);
    tried_recording_has_calls(read_text("0 init 1\n0 send 0 7 10\n0 finalize\n"), 0,
                              "2:send to 0 tag 7 80 B; ");
}

static void test_time(void)
{
    static const struct recording_pair pairs[] = {
        {"0 compute 1.5e9\n", "2:compute 1.5e+09 flop; "},
        {"0 compute 0\n0 sleep 0\n", ""},
        {"0 sleep 0.25\n", "2:compute 0.25 s; "},
        {"0 location a.c 12\n0 comm_size 4\n0 comm_split 3\n0 comm_dup 3\n", ""},
    };
    EACH_PAIR(expect_calls, pairs);
}

// Of which request a line speaks; numbers are used again.
static void test_requests(void)
{
    static const struct recording_pair pairs[] = {
        {"0 isend 1 1 1 6\n0 isend 1 2 1 6\n0 wait 0 1 2\n0 isend 1 3 1 6\n0 wait 0 1 1\n"
         "0 wait 0 1 3\n",
         "2:isend to 1 tag 1 1 B r0; 3:isend to 1 tag 2 1 B r1; 4:wait w1; 5:isend to 1 tag 3 1 B "
         "r1; 6:wait w0; 7:wait w1; "},
        // Two that are alike: the first; one of any tag is not taken for one that has the tag.
        {"0 isend 1 1 1 6\n0 isend 1 1 2 6\n0 wait 0 1 1\n0 wait 0 1 1\n",
         "2:isend to 1 tag 1 1 B r0; 3:isend to 1 tag 1 2 B r1; 4:wait w0; 5:wait w1; "},
        {"0 irecv 1 -444 1 6\n0 irecv 1 5 1 6\n0 wait 1 0 5\n0 wait 1 0 -444\n",
         "2:irecv to 1 tag -1 1 B r0; 3:irecv to 1 tag 5 1 B r1; 4:wait w1; 5:wait w0; "},
        // A wait may name the tag that arrived; a receive of just that tag goes before.
        {"0 irecv 1 -444 1 6\n0 wait 1 0 7\n", "2:irecv to 1 tag -1 1 B r0; 3:wait w0; "},
        {"0 irecv 1 -444 1 6\n0 irecv 1 7 1 6\n0 wait 1 0 7\n0 wait 1 0 7\n",
         "2:irecv to 1 tag -1 1 B r0; 3:irecv to 1 tag 7 1 B r1; 4:wait w1; 5:wait w0; "},
        {"0 isend 1 1 1 6\n0 irecv 1 1 1 6\n0 waitall 2\n",
         "2:isend to 1 tag 1 1 B r0; 3:irecv to 1 tag 1 1 B r1; 4:waitall all; "},
        // Of an array that has a null request, too.
        {"0 isend 1 3 1 1\n0 waitall 2\n", "2:isend to 1 tag 3 4 B r0; 3:waitall all; "},
        {"0 isend 1 3 1 1\n0 waitall 0\n0 wait 0 1 3\n", "2:isend to 1 tag 3 4 B r0; 4:wait w0; "},
        // A request that no call waits for ends at the end.
        {"0 isend 1 3 1 1\n", "2:isend to 1 tag 3 4 B r0; 3:waitall all; "},
    };
    EACH_PAIR(expect_calls, pairs);
}

// A test's result is not recorded. If nothing waits for its request later, its last test succeeded.
static void test_tests(void)
{
    static const struct recording_pair pairs[] = {
        // A loop that polls, twice, and the calls made only when the message has arrived.
        {"0 irecv 1 5 1 6\n0 test 1 0 5\n0 test 1 0 5\n0 send 1 6 1 6\n"
         "0 irecv 1 5 1 6\n0 test 1 0 5\n0 send 1 6 1 6\n",
         "2:irecv to 1 tag 5 1 B r0; 3:test w0; 4:wait w0; 5:send to 1 tag 6 1 B; "
         "6:irecv to 1 tag 5 1 B r0; 7:wait w0; 8:send to 1 tag 6 1 B; "},
        {"0 irecv 1 5 1 6\n0 test 1 0 5\n0 wait 1 0 5\n",
         "2:irecv to 1 tag 5 1 B r0; 3:test w0; 4:wait w0; "},
        {"0 irecv 1 -444 1 6\n0 test 1 0 -444\n0 wait 1 0 -444\n",
         "2:irecv to 1 tag -1 1 B r0; 3:test w0; 4:wait w0; "},
        {"0 irecv 1 -444 1 6\n0 test 1 0 7\n0 wait 1 0 7\n",
         "2:irecv to 1 tag -1 1 B r0; 3:test w0; 4:wait w0; "},
        // Two others are waited for, and then the one that was tested: not for all at once.
        {"0 irecv 1 1 1 6\n0 test 1 0 1\n0 irecv 1 2 1 6\n0 irecv 1 3 1 6\n0 waitall 2\n"
         "0 send 1 4 1 6\n0 wait 1 0 1\n",
         "2:irecv to 1 tag 1 1 B r0; 3:test w0; 4:irecv to 1 tag 2 1 B r1; "
         "5:irecv to 1 tag 3 1 B r2; 6:waitall w1 w2; 7:send to 1 tag 4 1 B; 8:wait w0; "},
        {"0 irecv 1 1 1 6\n0 test 1 0 1\n0 irecv 1 2 1 6\n0 waitall 1\n",
         "2:irecv to 1 tag 1 1 B r0; 3:wait w0; 4:irecv to 1 tag 2 1 B r0; 5:waitall all; "},
        {"0 irecv 1 1 1 6\n0 test 1 0 1\n0 irecv 1 2 1 6\n0 waitall 2\n",
         "2:irecv to 1 tag 1 1 B r0; 3:test w0; 4:irecv to 1 tag 2 1 B r1; 5:waitall all; "},
    };
    EACH_PAIR(expect_calls, pairs);
}

static void test_collectives(void)
{
    static const struct recording_pair pairs[] = {
        {"0 barrier\n", "2:barrier; "},
        {"0 bcast 9 1 0 \n", "2:bcast 72 B root 1; "},
        {"0 bcast 9\n", "2:bcast 9 B; "},
        {"0 reduce 8 0 1 0 \n", "2:reduce 64 B root 1; "},
        {"0 reduce 8 100 1 0\n", "2:reduce 64 B root 1; 2:compute 100 flop; "},
        {"0 allreduce 7 0 0 \n", "2:allreduce 56 B; "},
        {"0 allreduce 7 5\n", "2:allreduce 7 B; 2:compute 5 flop; "},
        {"0 scan 2 0 1 \n", "2:scan 8 B; "},
        {"0 exscan 2 0 1 \n", "2:exscan 8 B; "},
        {"0 alltoall 3 3 1 1\n", "2:alltoall 12 B; "},
        {"0 allgather 4 4 1 1\n", "2:allgather 16 B; "},
        {"0 allgather 0 1 1\n", "2:allgather; "}, // the tracer leaves 0 received elements out
        {"0 allgatherv 1 1 2 3 1 1\n", "2:allgatherv 24 B [4,8,12]; "},
        {"0 reducescatter 1 2 3 0 1\n", "2:reduce_scatter 24 B [4,8,12]; "},
        {"0 alltoallv 10 1 2 3 4 1 1 1 1 1\n", "2:alltoallv 24 B [4,8,12] [4,4,4]; "},
    };
    EACH_PAIR(expect_calls, pairs);
}

// The root, and another rank, of lines with two sides.
static void test_rooted(void)
{
    static const struct recording_pair pairs[] = {
        {"0 gather 6 6 0 1 1\n", "2:gather 24 B; "},
        {"0 gather 6 6\n", "2:gather 6 B; "},
        {"0 gather 16 4 0 6 1\n", "2:gather 16 B; "},      // two types of one size
        {"0 gather 0 4 0 1 1\n", "2:gather 16 B; "},       // MPI_IN_PLACE
        {"0 gather 4 1 1 -1\n", "2:gather 16 B root 1; "}, // no root: MPI_DATATYPE_NULL, 0
        {"0 gather 6 2 1 1\n", "2:gather 24 B root 2; "},  // no root: 0
        {"0 gather 6 6 2 1 1\n", "2:gather 24 B root 2; "},
        {"0 gather 0 0 1 1\n", "2:gather; "},
        {"0 gather 4 9 2 1 -1\n", "2:gather 16 B root 2; "},
        {"0 scatter 7 7 0 1 1\n", "2:scatter 28 B; "},
        {"0 scatter 7 0 0 1 -1\n", "2:scatter 28 B; "}, // MPI_IN_PLACE
        {"0 scatter 0 7 1 -1 1\n", "2:scatter 28 B root 1; "},
        {"0 scatter 0 1 1 1\n", "2:scatter root 1; "},
        {"0 gatherv 1 1 2 3 0 1 1\n", "2:gatherv 24 B [4,8,12]; "},
        {"0 gatherv 0 1 2 3 0 1 1\n", "2:gatherv 24 B [4,8,12]; "}, // MPI_IN_PLACE
        {"0 gatherv 0 0 2 0 0 1 1\n", "2:gatherv 8 B [0,8,0]; "},
        {"0 gatherv 2 0 0 0 1 1 -1\n", "2:gatherv 8 B root 1 [8,0,0]; "},
        {"0 scatterv 1 2 3 1 0 1 1\n", "2:scatterv 24 B [4,8,12]; "},
        {"0 scatterv 1 2 3 0 0 1 1\n", "2:scatterv 24 B [4,8,12]; "},
        {"0 scatterv 0 0 0 2 1 -1 1\n", "2:scatterv 8 B root 1 [8,0,0]; "},
    };
    EACH_PAIR(expect_calls, pairs);
}

// The size of every type, as MPI_Type_size returns it, by SimGrid's number.
static void test_types(void)
{
    static const struct {
        int type, bytes;
    } types[] = {
        {0, 8},   {1, 4},   {2, 1},  {3, 2},  {4, 8},   {5, 4},   {6, 1},  {7, 8},   {8, 1},
        {9, 1},   {10, 2},  {11, 4}, {12, 8}, {13, 8},  {14, 16}, {15, 4}, {16, 1},  {17, 1},
        {18, 2},  {19, 4},  {20, 8}, {21, 1}, {22, 2},  {23, 4},  {24, 8}, {25, 8},  {26, 16},
        {27, 32}, {28, 8},  {29, 8}, {30, 8}, {31, 16}, {32, 16}, {33, 8}, {34, 8},  {35, 8},
        {36, 16}, {37, 16}, {38, 4}, {39, 4}, {40, 8},  {41, 16}, {42, 8}, {43, 16}, {44, 16},
        {45, 4},  {46, 2},  {47, 4}, {48, 8}, {49, 16}, {50, 32}, {57, 1}, {59, 8},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        char *line = g_strdup_printf("0 send 1 0 1 %d\n", types[i].type),
             *call = g_strdup_printf("2:send to 1 %d B; ", types[i].bytes);
        expect_calls(line, call);
        g_free(line);
        g_free(call);
    }
    static const char *const others[] = {"51", "52", "53", "54", "55", "56", "58", "60", "1000"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        char *line = g_strdup_printf("0 send 1 0 1 %s\n", others[i]);
        expect_refused(line, "is not known");
        g_free(line);
    }
}

// ---- What the tracer loses ----

// Many calls of a kind that cannot be replayed are one complaint, which names the remedy.
static void test_refused_once(void)
{
    char *trace = of_three("0 waitAny\n0 waitAny\n0 testany\n0 waitAny\n");
    struct tried_recording tried = read_text(trace);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tried.complaints);
    char **parts = g_strsplit(tried.complaints, "waitAny cannot be replayed", -1);
    SUITE_SAME_INTEGER(g_strv_length(parts), 2);
    SUITE_CONTAINS(tried.complaints, "testany cannot be replayed");
    SUITE_CONTAINS(tried.complaints, "record_otf2.sh");
    g_strfreev(parts);
    tried_recording_clear(&tried);
    g_free(trace);
}

static void test_lost(void)
{
    static const struct recording_pair pairs[] = {
        {"0 send 1 1 2 -1\n", "t.txt:2:14: error: the trace does not say how large the derived"},
        {"0 bcast 2 0 -1 \n", "t.txt:2:13: error: the trace does not say how large the derived"},
        {"0 gather 4 4 0 -1 1\n", "t.txt:2:16: error: the trace does not say how large"},
        {"0 scatter 4 4 1 1 -1\n", "t.txt:2:19: error: the trace does not say how large"},
        {"0 recv -333 -444 10 0\n",
         "t.txt:2:8: error: -333 stands for MPI_ANY_SOURCE and for MPI_PROC_NULL"},
        {"0 irecv -333 1 10 0\n", "t.txt:2:9: error: -333 stands for MPI_ANY_SOURCE"},
        {"0 sendRecv 4 -333 4 1 0 0\n", "the trace does not say which end is MPI_PROC_NULL"},
        {"0 sendRecv 4 1 4 -333 0 0\n", "the trace does not say which end is MPI_PROC_NULL"},
        {"0 reducescatter 0 0 1 \n",
         "reducescatter has 3 arguments, and not 4 to 5 as on 3 ranks (of MPI_Reduce_scatter_block "
         "the trace does not say how much it sends)"},
        {"0 waitAny 2\n", "t.txt:2:3: error: waitAny cannot be replayed: the trace does not say "
                          "which requests were done"},
        {"0 testsome 2\n", "testsome cannot be replayed"},
        {"0 Start 1 3 4 1\n", "Start cannot be replayed: the trace does not say whether it sends"},
        {"0 Startall\n", "Startall cannot be replayed"},
        {"0 bsend 1 7 0 0\n", "bsend cannot be replayed"},
        {"0 isend 1 1 1 6\n0 isend 1 2 1 6\n0 waitall 1\n",
         "t.txt:4:11: error: the trace does not say which 1 of the 2 open requests"},
    };
    EACH_PAIR(expect_refused, pairs);
    tried_recording_is_refused(
        read_text("0 init\n0 reducescatter 0 0 1 \n0 finalize\n1 init\n1 finalize\n"),
        "does not say how much MPI_Reduce_scatter_block sends");
}

// ---- What is broken ----

static void test_lines(void)
{
    static const struct recording_pair pairs[] = {
        {"0 fly 1 2\n", "t.txt:2:3: error: \"fly\" is no action that can be replayed"},
        {"0\n", "t.txt:2:1: error: this is no call (RANK ACTION ARGUMENTS)"},
        {"zero barrier\n", "t.txt:2:1: error: this is no call"},
        {"-1 barrier\n", "t.txt:2:1: error: this is no call"},
        {"9999999999999999999999 barrier\n", "t.txt:2:1: error: rank 9999999999999999999999 is"},
        {"0 init\n", "t.txt:2:3: error: init for the second time"},
        {"0 finalize\n", "t.txt:3:3: error: finalize after finalize"},
        {"0 finalize\n0 barrier\n", "t.txt:3:3: error: barrier after finalize"},
        {"0 send 1\n", "t.txt:2:3: error: send has 1 argument, and not 3 to 4 as on 3 ranks"},
        {"0 send 1 2 3 4 5\n", "send has 5 arguments"},
        {"0 send 3 0 1 6\n", "t.txt:2:8: error: rank 3 is out of range (0 to 2)"},
        {"0 send -1 0 1 6\n", "rank -1 is out of range (0 to 2)"},
        {"0 send -333x 0 1 6\n", "\"-333x\" is no whole number"},
        {"0 send x 0 1 6\n", "t.txt:2:8: error: \"x\" is no whole number (rank)"},
        {"0 send 1 -1 1 6\n", "t.txt:2:10: error: tag -1 is out of range"},
        {"0 send 1 -444 1 6\n", "a message is sent with a tag, not with any"},
        {"0 send 1 2147483648 1 6\n", "tag 2147483648 is out of range"},
        {"0 send 1 0 -5 6\n", "t.txt:2:12: error: count -5 is out of range"},
        {"0 send 1 0 1.5 6\n", "\"1.5\" is no whole number (count)"},
        {"0 send 1 0 1e300 6\n", "count 1e300 is out of range"},
        {"0 send 1 0 9e15 14\n", "count 9e15 is out of range"},
        {"0 send 1 0 nan 6\n", "\"nan\" is no whole number"},
        {"0 send 1 0 inf 6\n", "\"inf\" is no whole number"},
        {"0 compute -1\n", "t.txt:2:11: error: \"-1\" is no number of operations"},
        {"0 compute nan\n", "\"nan\" is no number of operations"},
        {"0 compute 1e31\n", "\"1e31\" is no number of operations"},
        {"0 sleep 1e7\n", "\"1e7\" is no time of at most 1e6 s"},
        {"0 wait 0 1 9\n",
         "t.txt:2:8: error: no such request is open (its start must come before)"},
        {"0 isend 1 9 1 6\n0 wait 0 1 9\n0 wait 0 1 9\n", "t.txt:4:8: error: no such request"},
        {"0 isend 1 9 1 6\n0 wait 1 0 9\n", "t.txt:3:8: error: no such request is open"},
        {"0 test 0 1 9\n", "t.txt:2:8: error: no such request is open"},
        {"0 bcast 1 3 6\n", "t.txt:2:11: error: rank 3 is out of range"},
        {"0 gather 4 0 1 1\n", "the root receives nothing, and sends something"},
        {"0 gatherv 3 1 2 3 0 1 1\n", "the root's own block has two sizes"},
        {"0 allgatherv 3 1 2 3 1 1\n", "the rank's own block has two sizes"},
        {"0 alltoallv 10 1 2 3 4 1 1 1 1\n0 alltoallv 1 2\n", "alltoallv has 2 arguments"},
        {"0 gatherv 1 1 2\n", "gatherv has 3 arguments, and not 4 to 7 as on 3 ranks (collectives "
                              "of fewer ranks than all cannot be replayed)"},
    };
    EACH_PAIR(expect_refused, pairs);
}

static void expect_broken(const char *trace, const char *part)
{
    tried_recording_is_refused(read_text(trace), part);
}

static void test_files(void)
{
    static const struct recording_pair pairs[] = {
        {"", "case.yaml:3:5: error: t.txt is empty"},
        {"\n\n# nothing\n", "the recording t.txt has no calls"},
        {"0 init\n0 finalize\n2 init\n2 finalize\n", "t.txt: error: there are no calls of rank 1"},
        {"0 init\n0 barrier\n", "the calls of rank 0 do not end with finalize (the file may have"},
        {"0 barrier\n0 finalize\n", "t.txt:1:3: error: barrier before init"},
        {"0 init\n0 finali", "t.txt:2:1: error: the last line has no end (the file may have been"},
        {"9999999 init\n", "t.txt:1:1: error: rank 9999999 is out of range"},
        {"\x7f"
         "ELF\x01\x02\x03\n",
         "cannot be read"},
        {"{\"json\": 1}\n", "cannot be read"},
    };
    EACH_PAIR(expect_broken, pairs);
    // No more than DIAG_LIMIT errors are printed.
    GString *many = g_string_new("0 init\n");
    for (int i = 0; i < 10000; i++)
        g_string_append(many, "0 fly\n");
    struct tried_recording tried = read_text(many->str);
    CU_ASSERT_PTR_NULL(tried.recording);
    char **lines = g_strsplit(tried.complaints ? tried.complaints : "", "\n", -1);
    CU_ASSERT(g_strv_length(lines) > 1);
    CU_ASSERT(g_strv_length(lines) <= DIAG_LIMIT + 2);
    g_strfreev(lines);
    tried_recording_clear(&tried);
    g_string_free(many, TRUE);
}

// ---- Lists of files ----

struct listed {
    const char *list;
    const char *names[3], *texts[3];
    const char *part; // of the complaint; NULL: it is read
};

static void expect_list(const struct listed *listed)
{
    char *directory = temporary_directory(), *list = temporary_file(directory, "t", listed->list);
    for (int i = 0; i < 3 && listed->names[i]; i++)
        g_free(temporary_file(directory, listed->names[i], listed->texts[i]));
    struct tried_recording tried = recording_try(directory, list);
    if (tried.recording) {
        SUITE_SAME_INTEGER(recording_ranks(tried.recording), 2);
        CU_ASSERT(g_str_has_suffix(recording_file(tried.recording, 1), listed->names[1]));
    }
    if (listed->part)
        tried_recording_is_refused(tried, listed->part);
    else
        tried_recording_has_calls(tried, 1, "2:barrier; ");
    g_free(list);
    temporary_remove(directory);
}

#define ONE "0 init\n0 barrier\n0 finalize\n"
#define TWO "1 init\n1 barrier\n1 finalize\n"

static void test_lists(void)
{
    static const struct listed lists[] = {
        {"r0.txt\nr1.txt\n", {"r0.txt", "r1.txt"}, {ONE, TWO}, NULL},
        {"d/r0.txt\nd/r1.txt\n", {"d/r0.txt", "d/r1.txt"}, {ONE, TWO}, NULL},
        {"r0.txt\nr1.txt\n",
         {"r0.txt"},
         {ONE},
         "t:2:1: error: the file that this line names cannot be read: No"},
        {"r0.txt\nr1.txt\n",
         {"r0.txt", "r1.txt"},
         {ONE, ONE},
         "r1.txt:1:1: error: a call of rank 0 in the file of rank 1"},
        {"r1.txt\nr0.txt\n",
         {"r0.txt", "r1.txt"},
         {ONE, TWO},
         "r1.txt:1:1: error: a call of rank 1 in the file of rank 0"},
        {"r0.txt\nr1.txt\n",
         {"r0.txt", "r1.txt"},
         {ONE, "1 init\n1 barrier\n"},
         "r1.txt: error: the calls of rank 1 do not end with finalize"},
        {"r0.txt\nr1.txt\n",
         {"r0.txt", "r1.txt"},
         {ONE, ""},
         "r1.txt: error: there are no calls of rank 1"},
        {"r0.txt\nd\n",
         {"r0.txt", "d/x"},
         {ONE, ""},
         "t:2:1: error: the file that this line names cannot be read: it is a directory"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        expect_list(&lists[i]);
}

// A list may name as many ranks as programs may have, and no more; a folder or a missing file is no
// recording.
static void test_many(void)
{
    char *directory = temporary_directory();
    GString *names = g_string_new(NULL);
    for (int i = 0; i <= PROGRAM_MOST_RANKS; i++)
        g_string_append(names, "r\n");
    char *list = temporary_file(directory, "t", names->str);
    char *expected = g_strdup_printf("t:%d:1: error: at most %d ranks can be replayed",
                                     PROGRAM_MOST_RANKS + 1, PROGRAM_MOST_RANKS);
    tried_recording_is_refused(recording_try(directory, list), expected);
    tried_recording_is_refused(recording_try(directory, directory),
                               "cannot be read: it is a directory");
    tried_recording_is_refused(
        recording_try(directory, "/nowhere/t.txt"),
        "case.yaml:3:5: error: the recording /nowhere/t.txt cannot be read: No");
    g_free(expected);
    g_free(list);
    g_string_free(names, TRUE);
    temporary_remove(directory);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"messages", test_messages},
        {"work and sleep", test_time},
        {"which request a line means", test_requests},
        {"what a test found", test_tests},
        {"collectives", test_collectives},
        {"collectives with a root", test_rooted},
        {"sizes of types", test_types},
        {"what the tracer lost is refused", test_lost},
        {"refused once", test_refused_once},
        {"wrong lines", test_lines},
        {"wrong files", test_files},
        {"lists of files", test_lists},
        {"a million ranks, directories, no file", test_many},
        {NULL, NULL},
    };
    return suite_run("recording: TI traces", cases);
}
