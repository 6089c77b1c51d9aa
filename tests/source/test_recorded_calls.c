// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of a source as those of a recording: an OTF2 archive that is replayed becomes a TI
// trace of the same calls, whose work is its time at the given speed; what no recording has is
// refused.
#include "sim/recording/ti_write.h"
#include "sim/source/recorded_calls.h"
#include "sim/source/recording_source.h"
#include "tests/support/otf2_author.h"
#include "tests/support/recording_text.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>

// A replay of an archive, written as the TI trace of a rank; or why it cannot be. free.
static char *replay_as_ti(const struct otf2_given *given, int rank, int64_t speed)
{
    const struct replay_config config = {.time_scale = 1};
    char *directory = temporary_directory(), *archive = g_build_filename(directory, "a", NULL);
    char *path = otf2_write(archive, given), *text;
    size_t length;
    struct tried_recording tried = recording_try(archive, path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tried.recording);
    struct recorded_calls calls = {.source = recording_source_new(tried.recording, &config),
                                   .ranks = given->ranks,
                                   .speed = speed};
    struct recorded_call call;
    enum source_next next;
    const char *why = NULL;
    FILE *out = open_memstream(&text, &length);
    struct ti_writer *writer = ti_writer_new(out, rank, given->ranks);
    while ((next = recorded_calls_next(&calls, rank, &call)) == SOURCE_CALL)
        CU_ASSERT(ti_writer_put(writer, &call, &why));
    int line;
    bool good = next == SOURCE_END && ti_writer_end(writer, &why, &line);
    CU_ASSERT(good == (next == SOURCE_END));
    if (!good)
        fprintf(out, "%s: %s", calls.from.kind->name, calls.why);
    ti_writer_free(writer);
    fclose(out);
    op_source_free(calls.source);
    tried_recording_clear(&tried);
    g_free(path);
    g_free(archive);
    temporary_remove(directory);
    return text;
}

static void expect_text(const struct otf2_given *given, int64_t speed, const char *expected)
{
    char *text = replay_as_ti(given, 0, speed);
    SUITE_SAME_TEXT(text, expected);
    free(text);
}

static void test_archive(void)
{
    const struct otf2_given given = {
        .ranks = 2,
        .events = {"main{ +5000000 MPI_Isend{ isend 1 0 7 4000 1 } MPI_Wait{ sent 1 } }",
                   "main{ MPI_Recv{ recv 0 0 7 4000 } }"}};
    expect_text(&given, 1000000000,
                "0 init\n0 compute 5000000\n0 isend 1 7 4000 6\n0 wait 0 1 7\n0 finalize\n");
    expect_text(&given, 1,
                "0 init\n0 compute 0.005\n0 isend 1 7 4000 6\n0 wait 0 1 7\n0 finalize\n");
}

// An archive can have them, and TI traces cannot.
static void test_communicators(void)
{
    const struct otf2_given given = {
        .ranks = 2,
        .events = {"main{ MPI_Send{ send 1 1 7 4000 } }", "main{ MPI_Recv{ recv 0 1 7 4000 } }"},
        .comms = {[1] = {.name = "pair", .members = "0 1"}}};
    expect_text(&given, 1000000000, "0 init\nsend: communicators cannot be recorded");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"an archive as a TI trace", test_archive},
        {"communicators", test_communicators},
        {NULL, NULL},
    };
    return suite_run("workload: calls as those of a recording", cases);
}
