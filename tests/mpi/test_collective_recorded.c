// SPDX-License-Identifier: GPL-3.0-or-later
// Open MPI's collectives against Open MPI: which algorithm its decision functions take
// (open_mpi/points.txt, from its source, compiled), and what each process of a real run sends to
// which, in which order (open_mpi/messages.txt, which open_mpi/record.c wrote).
#include "models/mpi_profiles/profiles.h"
#include "sim/mpi/algorithm.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[COLLECTIVES] = {
    [COLLECTIVE_BARRIER] = "barrier",
    [COLLECTIVE_BCAST] = "bcast",
    [COLLECTIVE_REDUCE] = "reduce",
    [COLLECTIVE_ALLREDUCE] = "allreduce",
    [COLLECTIVE_GATHER] = "gather",
    [COLLECTIVE_SCATTER] = "scatter",
    [COLLECTIVE_ALLGATHER] = "allgather",
    [COLLECTIVE_ALLTOALL] = "alltoall",
    [COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
    [COLLECTIVE_SCAN] = "scan",
    [COLLECTIVE_EXSCAN] = "exscan",
    [COLLECTIVE_GATHERV] = "gatherv",
    [COLLECTIVE_SCATTERV] = "scatterv",
    [COLLECTIVE_ALLGATHERV] = "allgatherv",
    [COLLECTIVE_ALLTOALLV] = "alltoallv",
};

static enum mpi_collective collective_named(const char *name)
{
    for (int i = 0; i < COLLECTIVES; i++)
        if (strcmp(names[i], name) == 0)
            return (enum mpi_collective)i;
    CU_FAIL_FATAL("no such collective");
    return COLLECTIVES;
}

// The lines of a file of open_mpi/ without comments; the caller frees it with g_strfreev.
static char **lines_of(const char *name)
{
    char *path = g_build_filename(g_getenv("NETSIM_SOURCE_DIR"), "tests/mpi/open_mpi", name, NULL);
    char *text = NULL;
    CU_ASSERT_FATAL(g_file_get_contents(path, &text, NULL, NULL));
    char **lines = g_strsplit(text, "\n", -1);
    g_free(text);
    g_free(path);
    return lines;
}

// ---- The points ----

static int check_points(char **words)
{
    enum mpi_collective collective = collective_named(words[0]);
    int ranks = (int)g_ascii_strtoll(words[1], NULL, 10), checked = 0;
    for (char **word = words + 2; *word; word++, checked++) {
        int64_t bytes = g_ascii_strtoll(*word, NULL, 10);
        int wanted = (int)g_ascii_strtoll(strchr(*word, ':') + 1, NULL, 10),
            number = mpi_measured_number(collective, ranks, bytes);
        SUITE_SAME_INTEGER(number, wanted);
        if (number != wanted)
            fprintf(stderr, "%s among %d, %lld B\n", words[0], ranks, (long long)bytes);
    }
    return checked;
}

static void test_points(void)
{
    char **lines = lines_of("points.txt");
    int checked = 0;
    for (char **line = lines; *line; line++) {
        if (**line == '#' || **line == '\0')
            continue;
        char **words = g_strsplit(*line, " ", -1);
        checked += check_points(words);
        g_strfreev(words);
    }
    g_strfreev(lines);
    CU_ASSERT(checked > 1000);
    CU_ASSERT_EQUAL(mpi_measured_number(COLLECTIVE_SCAN, 4, 8), 0);
}

// ---- The messages ----

// Appends what a rank sends, in the words of the file.
static void append_sends(GString *text, const GArray *steps, int rank)
{
    int64_t last = -1;
    bool sends = false;
    for (guint i = 0; i < steps->len; i++) {
        const struct mpi_step *step = &g_array_index(steps, struct mpi_step, i);
        if (step->kind != STEP_SEND)
            continue;
        if (!sends)
            g_string_append_printf(text, " | %d", rank);
        g_string_append_printf(text, " %d", step->peer);
        if (step->size != last)
            g_string_append_printf(text, "*%lld", (long long)step->size);
        last = step->size;
        sends = true;
    }
}

static GString *messages_of(const struct mpi_library_config *library,
                            enum mpi_collective collective, int ranks, int64_t size)
{
    struct mpi_schedule schedule;
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s %d %lld", names[collective], ranks, (long long)size);
    mpi_schedule_init(&schedule);
    for (int rank = 0; rank < ranks; rank++) {
        struct mpi_process process = {.rank = rank, .ranks = ranks, .library = library};
        mpi_collective_build(&schedule, &process, NULL, collective, 0, size);
        append_sends(text, schedule.steps, rank);
    }
    mpi_schedule_clear(&schedule);
    return text;
}

static void test_messages(void)
{
    struct mpi_library_config library;
    char **lines = lines_of("messages.txt");
    int checked = 0;
    topology_defaults(&openmpi5_table, &library);
    for (char **line = lines; *line; line++) {
        if (**line == '\0')
            continue;
        char **words = g_strsplit(*line, " ", 4);
        GString *text = messages_of(&library, collective_named(words[0]),
                                    (int)g_ascii_strtoll(words[1], NULL, 10),
                                    g_ascii_strtoll(words[2], NULL, 10));
        SUITE_SAME_TEXT(text->str, *line);
        g_string_free(text, TRUE);
        g_strfreev(words);
        checked++;
    }
    g_strfreev(lines);
    CU_ASSERT_EQUAL(checked, 650);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"where the algorithm changes", test_points},
        {"who sends what to whom", test_messages},
        {0},
    };
    return suite_run("mpi: Open MPI's collectives as recorded", cases);
}
