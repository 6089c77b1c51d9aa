// SPDX-License-Identifier: GPL-3.0-or-later
// Who does the work of a campaign: processes of this machine (workers.c), or the ranks of an MPI
// job (mpi_workers.c). Both take pieces of work one at a time, each when it has done the one
// before, and hand back a text. Which worker does what leaves no trace.
#ifndef NETSIM_CAMPAIGN_WORKERS_H
#define NETSIM_CAMPAIGN_WORKERS_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

struct work {
    const int *items; // to be done, in this order of starting
    int count;
    int time_limit_s; // of one piece, on the clock on the wall; 0: none
    void *owner;
    // Worker: does an item; the text it returns (g_free) is what the master is told.
    char *(*perform)(void *owner, int item);
    // Master: an item has ended with this text; or its worker has died, which `crash` describes and
    // then text is NULL. False and *error if that can't be kept: the work ends.
    bool (*finished)(void *owner, int item, const char *text, const char *crash, GError **error);
    // Master: called at least every WORKERS_IDLE_MS while there is work.
    bool (*idle)(void *owner, GError **error);
};

#define WORKERS_IDLE_MS 100

// A signal that ended the work is added to WORKERS_ERROR_INTERRUPTED: the sum is what shells call
// the exit code of a program that it ended.
enum workers_error { WORKERS_ERROR_SYSTEM, WORKERS_ERROR_INTERRUPTED = 128 };
GQuark workers_error_quark(void);
#define WORKERS_ERROR workers_error_quark()

// Does all of the work in `jobs` processes (0: one for each processor that may be used). A process
// that dies is replaced. Returns false and *error if the master could not keep a result, or after
// SIGINT, SIGTERM, SIGQUIT or SIGHUP (unless that is ignored, as under nohup); what was being done
// then is given up.
bool workers_run(const struct work *work, int jobs, GError **error);

// Does one item in a process of its own, within the time limit. Returns its text, or NULL and
// *crash how the process ended without one; the caller frees both. Of work only perform, owner and
// time_limit_s are used. The signals of workers_run end the calling process.
char *workers_do_one(const struct work *work, int item, char **crash);

// The signal that an error says has ended the work; 0: it was something else.
int workers_signal_of(const GError *error);

// ---- For workers.c and mpi_workers.c ----

// Begins to watch for these signals: returns the descriptor that workers_interrupted looks at, -1
// after a failure. What the mask was goes to *old.
int workers_watch(sigset_t *old);

// Whether a signal has come; *error then says so, and how far the work was.
bool workers_interrupted(int signals, int done, int count, GError **error);

#endif
