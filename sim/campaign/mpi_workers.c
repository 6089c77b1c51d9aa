// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/mpi_workers.h"

#ifndef NETSIM_MPI

void mpi_workers_start(void) {}

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

void mpi_workers_start(void)
{
    // Open MPI, and what MPICH's Hydra and Slurm with PMI or PMIx set. A job of one needs no MPI.
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"};
    bool several = g_getenv("PMIX_RANK") && g_getenv("SLURM_NTASKS") &&
                   g_ascii_strtoll(g_getenv("SLURM_NTASKS"), NULL, 10) > 1;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        const char *size = g_getenv(sizes[i]);
        several |= size && g_ascii_strtoll(size, NULL, 10) > 1;
    }
    if (!several || started())
        return;
    MPI_Init(NULL, NULL);
    atexit(finish);
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

static void give(struct master *master, int rank)
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
    give(master, status.MPI_SOURCE);
    master->done++;
    bool good = master->work->finished(master->work->owner, item, text, NULL, error);
    g_free(text);
    return good;
}

static bool interrupted(const struct master *master, GError **error)
{
    struct signalfd_siginfo signal;
    if (read(master->signals, &signal, sizeof signal) != sizeof signal)
        return false;
    g_set_error(error, WORKERS_ERROR, WORKERS_ERROR_INTERRUPTED,
                "interrupted after %d of %d; what was finished is kept", master->done,
                master->work->count);
    return true;
}

static bool hand_out(struct master *master, int size, GError **error)
{
    gint64 idled = 0;
    bool good = true;
    for (int rank = 1; rank < size; rank++)
        give(master, rank);
    while (good && master->done < master->work->count) {
        bool any;
        good = take(master, &any, error) && !interrupted(master, error);
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
    sigset_t signals, old;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &old);
    master.signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
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
        char *text = work->perform(work->owner, item);
        MPI_Send(text, (int)strlen(text), MPI_CHAR, 0, TAG_TEXT, MPI_COMM_WORLD);
        g_free(text);
    }
}

#endif
