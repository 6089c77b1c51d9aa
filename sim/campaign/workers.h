// SPDX-License-Identifier: GPL-3.0-or-later
// The workers of a campaign: processes of this machine (workers.c), or the ranks of an MPI job
// (mpi_workers.c). Each worker takes one piece of work at a time and returns a text. Results do not
// depend on which worker did what.
#ifndef NETSIM_CAMPAIGN_WORKERS_H
#define NETSIM_CAMPAIGN_WORKERS_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

struct work {
    const int *items; // items to do, in the order in which they are started
    int count;
    int time_limit_s; // wall-clock limit per item, seconds; 0: none
    void *owner;
    // Worker: does an item and returns the text (g_free) that the master receives.
    char *(*perform)(void *owner, int item);
    // Master: an item has ended with this text. If its worker has died, text is NULL and `crash`
    // describes how. Returns false and sets *error if the result can't be kept: the work ends.
    bool (*finished)(void *owner, int item, const char *text, const char *crash, GError **error);
    // Master: called at least every WORKERS_IDLE_MS while work is under way.
    bool (*idle)(void *owner, GError **error);
};

#define WORKERS_IDLE_MS 100

// A signal that ended the work is added to WORKERS_ERROR_INTERRUPTED: the sum is the exit code that
// shells report for a program ended by that signal.
enum workers_error { WORKERS_ERROR_SYSTEM, WORKERS_ERROR_INTERRUPTED = 128 };
GQuark workers_error_quark(void);
#define WORKERS_ERROR workers_error_quark()

// Does all of the work in `jobs` processes (0: one per processor that may be used). A process that
// dies is replaced. Returns false and sets *error if the master could not keep a result, or after
// SIGINT, SIGTERM, SIGQUIT or SIGHUP (unless ignored, as under nohup); items under way are then
// abandoned.
bool workers_run(const struct work *work, int jobs, GError **error);

// Sorts items by their cost, the dearest first, so that no long one begins when the others are
// almost done; items of one cost keep their order.
void workers_longest_first(int *items, int count, double (*cost)(void *owner, int item),
                           void *owner);

// Does one item in a process of its own, within the time limit. Returns its text, or NULL and in
// *crash how the process ended; the caller frees both. Uses only perform, owner and time_limit_s of
// `work`. The signals of workers_run end the calling process.
char *workers_do_one(const struct work *work, int item, char **crash);

// The signal that ended the work according to this error; 0: the cause was no signal.
int workers_signal_of(const GError *error);

// ---- For workers.c and mpi_workers.c ----

// Begins to watch for these signals and stores the previous signal mask in *old. Returns the
// descriptor for workers_interrupted, or -1 after a failure.
int workers_watch(sigset_t *old);

// Whether a signal has arrived; if so, *error names it and how much of the work was done.
bool workers_interrupted(int signals, int done, int count, GError **error);

#endif
