// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/mpi_workers.h"

// The number of processes that the launcher reports to have started, or 1: mpirun of Open
// MPI, and what MPICH's Hydra and Slurm with PMI or PMIx set.
static int launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"};
    gint64 most = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        const char *size = g_getenv(sizes[i]);
        most = MAX(most, size ? g_ascii_strtoll(size, NULL, 10) : 1);
    }
    if (g_getenv("PMIX_RANK") && g_getenv("SLURM_NTASKS"))
        most = MAX(most, g_ascii_strtoll(g_getenv("SLURM_NTASKS"), NULL, 10));
    return (int)MIN(most, G_MAXINT);
}

int mpi_workers_launched(bool *first)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    const char *rank = NULL, *tasks = g_getenv("SLURM_STEP_NUM_TASKS");
    for (size_t i = 0; i < G_N_ELEMENTS(ranks) && !rank; i++)
        rank = g_getenv(ranks[i]);
    *first = !rank || g_ascii_strtoll(rank, NULL, 10) == 0;
    gint64 most = g_getenv("SLURM_PROCID") && tasks ? g_ascii_strtoll(tasks, NULL, 10) : 1;
    return MAX(launched(), (int)MIN(most, G_MAXINT));
}

#ifndef NETSIM_MPI

bool mpi_workers_start(GError **error)
{
    if (launched() < 2)
        return true;
    g_set_error(error, WORKERS_ERROR, WORKERS_ERROR_SYSTEM,
                "this is one of %d ranks, but netsim was built without MPI", launched());
    return false;
}

int mpi_workers_size(void)
{
    return 1;
}

int mpi_workers_rank(void)
{
    return 0;
}

bool mpi_workers_agree(bool good, const char *digest, bool *quiet)
{
    (void)digest;
    *quiet = false;
    return good;
}

bool mpi_workers_run(const struct work *work, GError **error)
{
    (void)work;
    (void)error;
    g_assert_not_reached();
}

void mpi_workers_give_up(int exit_code)
{
    (void)exit_code;
}

void mpi_workers_serve(const struct work *work)
{
    (void)work;
    g_assert_not_reached();
}

#else

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define TAG_ITEM 1 // to a worker: its number, or NO_ITEM
#define TAG_TEXT 2 // to rank 0: what came of it
#define NO_ITEM (-1)

// The first byte of a text: what follows is the result, or how the process ended without one.
#define IS_RESULT '+'
#define IS_CRASH '-'

// How long rank 0 sleeps between looks: MPI can only be asked. Far less than the shortest case is
// worth sending.
#define LOOK_US 200

static bool started(void)
{
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized;
}

static void finish(void)
{
    if (started())
        MPI_Finalize();
}

bool mpi_workers_start(GError **error)
{
    int size = 0;
    if (launched() < 2 || started())
        return true;
    MPI_Init(NULL, NULL);
    atexit(finish);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        return true;
    g_set_error(error, WORKERS_ERROR, WORKERS_ERROR_SYSTEM,
                "this is one of %d ranks, which don't know each other: netsim was built with "
                "another MPI than this launcher's",
                launched());
    return false;
}

int mpi_workers_size(void)
{
    int size = 1;
    if (started())
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int mpi_workers_rank(void)
{
    int rank = 0;
    if (started())
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

bool mpi_workers_agree(bool good, const char *digest, bool *quiet)
{
    *quiet = false;
    if (mpi_workers_size() == 1)
        return good;
    char theirs[65] = "";
    int first = good, mine, all;
    if (good)
        g_strlcpy(theirs, digest, sizeof theirs);
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(theirs, sizeof theirs, MPI_CHAR, 0, MPI_COMM_WORLD);
    *quiet = !first && mpi_workers_rank() > 0;
    mine = good && strcmp(theirs, digest) == 0;
    if (first && good && !mine)
        g_printerr("netsim: rank %d has read other files than rank 0, or is another build\n",
                   mpi_workers_rank());
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

// ---- Rank 0 ----

struct master {
    const struct work *work;
    int *items; // of each rank; NO_ITEM: it has none
    int next, done;
    int signals;
};

static void give_item(struct master *master, int rank)
{
    int item = NO_ITEM;
    if (master->next < master->work->count)
        item = master->work->items[master->next++];
    master->items[rank] = item;
    MPI_Send(&item, 1, MPI_INT, rank, TAG_ITEM, MPI_COMM_WORLD);
}

// Takes a result that has come; false in *any if there is none.
static bool take(struct master *master, bool *any, GError **error)
{
    MPI_Status status;
    int here = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_TEXT, MPI_COMM_WORLD, &here, &status);
    *any = here;
    if (!here)
        return true;
    MPI_Get_count(&status, MPI_CHAR, &length);
    char *text = g_malloc((gsize)length + 1);
    MPI_Recv(text, length, MPI_CHAR, status.MPI_SOURCE, TAG_TEXT, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    text[length] = '\0';
    int item = master->items[status.MPI_SOURCE];
    give_item(master, status.MPI_SOURCE);
    master->done++;
    bool crashed = *text != IS_RESULT;
    bool good = master->work->finished(master->work->owner, item, crashed ? NULL : text + 1,
                                       crashed ? text + 1 : NULL, error);
    g_free(text);
    return good;
}

static bool hand_out(struct master *master, int size, GError **error)
{
    gint64 idled = 0;
    bool good = true;
    for (int rank = 1; rank < size; rank++)
        give_item(master, rank);
    while (good && master->done < master->work->count) {
        bool any;
        good = take(master, &any, error) &&
               !workers_interrupted(master->signals, master->done, master->work->count, error);
        if (!good || any)
            continue;
        gint64 now = g_get_monotonic_time();
        if (now - idled > WORKERS_IDLE_MS * 1000) {
            idled = now;
            good = master->work->idle(master->work->owner, error);
        }
        g_usleep(LOOK_US);
    }
    return good;
}

bool mpi_workers_run(const struct work *work, GError **error)
{
    int size = mpi_workers_size();
    struct master master = {.work = work, .items = g_new(int, size)};
    sigset_t old;
    master.signals = workers_watch(&old);
    bool good = hand_out(&master, size, error);
    if (master.signals >= 0)
        close(master.signals);
    sigprocmask(SIG_SETMASK, &old, NULL);
    g_free(master.items);
    return good;
}

void mpi_workers_give_up(int exit_code)
{
    if (mpi_workers_size() > 1)
        MPI_Abort(MPI_COMM_WORLD, exit_code);
}

// ---- The others ----

void mpi_workers_serve(const struct work *work)
{
    for (;;) {
        int item;
        MPI_Recv(&item, 1, MPI_INT, 0, TAG_ITEM, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (item == NO_ITEM)
            return;
        char *crash = NULL, *text = workers_do_one(work, item, &crash);
        char *message = g_strdup_printf("%c%s", text ? IS_RESULT : IS_CRASH, text ? text : crash);
        MPI_Send(message, (int)strlen(message), MPI_CHAR, 0, TAG_TEXT, MPI_COMM_WORLD);
        g_free(message);
        g_free(text);
        g_free(crash);
    }
}

#endif
