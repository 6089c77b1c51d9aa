// SPDX-License-Identifier: GPL-3.0-or-later
// Workers as processes of this machine. Each is forked from the master when everything has been
// read, so it knows all pieces of work, and receives through a socket the number of the next one.
//
//   master to worker   int32_t: the item; the end of the stream: no more items
//   worker to master   uint32_t: length, and so many bytes: the text
#include "sim/campaign/workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_JOBS 1024

struct worker {
    pid_t pid; // 0: none
    int socket;
    int item;       // -1: none
    gint64 started; // the item, monotonic microseconds
    GByteArray *received;
};

struct workers {
    const struct work *work;
    struct worker *list;
    int count;
    int next, done; // in work->items
    int signals;    // descriptor of workers_watch
    sigset_t old_mask;
};

GQuark workers_error_quark(void)
{
    return g_quark_from_static_string("netsim-workers-error");
}

static bool fail(GError **error, const char *what)
{
    g_set_error(error, WORKERS_ERROR, WORKERS_ERROR_SYSTEM, "%s: %s", what, g_strerror(errno));
    return false;
}

// ---- In the worker ----

static bool read_all(int fd, void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = read(fd, (char *)bytes + done, length - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        // No SIGPIPE: a master that is gone shows in the result.
        ssize_t put = send(fd, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static void serve(const struct work *work, int fd)
{
    int32_t item;
    while (read_all(fd, &item, sizeof item)) {
        char *text = work->perform(work->owner, item);
        uint32_t length = (uint32_t)strlen(text);
        bool sent = write_all(fd, &length, sizeof length) && write_all(fd, text, length);
        g_free(text);
        if (!sent)
            return;
    }
}

// Becomes a worker; does not return. The master ends it, also when a terminal sends a signal to
// both.
static void become_worker(const struct workers *workers, int fd, pid_t master)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != master)
        _exit(0);
    sigprocmask(SIG_SETMASK, &workers->old_mask, NULL);
    close(workers->signals);
    // A worker must not hold open the others' sockets: their end is how they learn of the end.
    for (int i = 0; i < workers->count; i++)
        if (workers->list[i].pid)
            close(workers->list[i].socket);
    serve(workers->work, fd);
    _exit(0);
}

// ---- In the master ----

static bool start(struct workers *workers, struct worker *worker, GError **error)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(error, "no socket for a worker");
    fflush(NULL); // or the worker might write the buffers' contents again
    pid_t master = getpid(), pid = fork();
    if (pid < 0) {
        fail(error, "no process for a worker");
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (pid == 0) {
        close(ends[0]);
        become_worker(workers, ends[1], master);
    }
    close(ends[1]);
    worker->pid = pid;
    worker->socket = ends[0];
    worker->item = -1;
    g_byte_array_set_size(worker->received, 0);
    return true;
}

// Ends a worker. Returns its status as of waitpid.
static int leave(struct worker *worker, bool by_force)
{
    int status = 0;
    if (by_force)
        kill(worker->pid, SIGKILL);
    close(worker->socket);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        ;
    worker->pid = 0;
    worker->item = -1;
    return status;
}

// Gives a worker its next item, or lets it go if there is none. A worker that is dead already will
// be noticed by the end of its stream.
static bool give(struct workers *workers, struct worker *worker, GError **error)
{
    if (workers->next == workers->work->count) {
        if (worker->pid)
            leave(worker, false);
        return true;
    }
    if (!worker->pid && !start(workers, worker, error))
        return false;
    int32_t item = workers->work->items[workers->next++];
    worker->item = item;
    worker->started = g_get_monotonic_time();
    write_all(worker->socket, &item, sizeof item);
    return true;
}

static bool worker_finished(struct workers *workers, struct worker *worker, const char *text,
                            const char *crash, GError **error)
{
    int item = worker->item;
    worker->item = -1;
    workers->done++;
    return workers->work->finished(workers->work->owner, item, text, crash, error);
}

static bool crashed(struct workers *workers, struct worker *worker, bool too_long, GError **error)
{
    int item = worker->item;
    int status = leave(worker, too_long);
    char *crash = NULL;
    if (too_long)
        crash = g_strdup_printf("it was still running after %d s", workers->work->time_limit_s);
    else if (WIFSIGNALED(status))
        crash = g_strdup_printf("signal %d (%s) ended the process", WTERMSIG(status),
                                g_strsignal(WTERMSIG(status)));
    else
        crash = g_strdup_printf("the process ended by itself with %d", WEXITSTATUS(status));
    worker->item = item;
    bool good = worker_finished(workers, worker, NULL, crash, error);
    g_free(crash);
    return good && give(workers, worker, error);
}

// The text of a message that is complete, which the caller frees; else NULL.
static char *complete_text(const GByteArray *received)
{
    uint32_t length;
    if (received->len < sizeof length)
        return NULL;
    memcpy(&length, received->data, sizeof length);
    if (received->len < sizeof length + length)
        return NULL;
    return g_strndup((const char *)received->data + sizeof length, length);
}

static bool receive(struct workers *workers, struct worker *worker, GError **error)
{
    guint8 bytes[65536];
    ssize_t got = recv(worker->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (got <= 0)
        return crashed(workers, worker, false, error);
    g_byte_array_append(worker->received, bytes, (guint)got);
    char *text = complete_text(worker->received);
    if (!text)
        return true;
    g_byte_array_set_size(worker->received, 0);
    bool good = worker_finished(workers, worker, text, NULL, error);
    g_free(text);
    return good && give(workers, worker, error);
}

static bool too_long(const struct workers *workers, const struct worker *worker)
{
    gint64 limit = (gint64)workers->work->time_limit_s * G_USEC_PER_SEC;
    return limit && worker->item >= 0 && g_get_monotonic_time() - worker->started > limit;
}

// ---- Signals ----

int workers_watch(sigset_t *old)
{
    struct sigaction hangup;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGQUIT);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, old);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool workers_interrupted(int signals, int done, int count, GError **error)
{
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof signal) != sizeof signal)
        return false;
    g_set_error(error, WORKERS_ERROR, WORKERS_ERROR_INTERRUPTED + (int)signal.ssi_signo,
                "interrupted (%s) after %d of %d; what was finished is kept",
                g_strsignal((gint)signal.ssi_signo), done, count);
    return true;
}

int workers_signal_of(const GError *error)
{
    return error && error->domain == WORKERS_ERROR && error->code > WORKERS_ERROR_INTERRUPTED
               ? error->code - WORKERS_ERROR_INTERRUPTED
               : 0;
}

// ---- The whole ----

// Waits for the first event and handles all pending ones.
static bool step(struct workers *workers, struct pollfd *waits, GError **error)
{
    for (int i = 0; i < workers->count; i++)
        waits[i] = (struct pollfd){workers->list[i].pid ? workers->list[i].socket : -1, POLLIN, 0};
    waits[workers->count] = (struct pollfd){workers->signals, POLLIN, 0};
    if (poll(waits, (nfds_t)workers->count + 1, WORKERS_IDLE_MS) < 0 && errno != EINTR)
        return fail(error, "poll");
    if (waits[workers->count].revents &&
        workers_interrupted(workers->signals, workers->done, workers->work->count, error))
        return false;
    for (int i = 0; i < workers->count; i++) {
        struct worker *worker = &workers->list[i];
        if (waits[i].revents && !receive(workers, worker, error))
            return false;
        if (too_long(workers, worker) && !crashed(workers, worker, true, error))
            return false;
    }
    return workers->work->idle(workers->work->owner, error);
}

static bool run_all(struct workers *workers, GError **error)
{
    struct pollfd *waits = g_new0(struct pollfd, workers->count + 1);
    bool good = true;
    for (int i = 0; good && i < workers->count; i++)
        good = give(workers, &workers->list[i], error);
    while (good && workers->done < workers->work->count)
        good = step(workers, waits, error);
    for (int i = 0; i < workers->count; i++)
        if (workers->list[i].pid)
            leave(&workers->list[i], true);
    g_free(waits);
    return good;
}

static bool run_processes(const struct work *work, int jobs, GError **error)
{
    struct workers workers = {.work = work, .count = MIN(MIN(jobs, work->count), MOST_JOBS)};
    workers.signals = workers_watch(&workers.old_mask);
    bool good = workers.signals >= 0 || fail(error, "signalfd");
    workers.list = g_new0(struct worker, workers.count);
    for (int i = 0; i < workers.count; i++)
        workers.list[i] = (struct worker){.item = -1, .received = g_byte_array_new()};
    good = good && run_all(&workers, error);
    for (int i = 0; i < workers.count; i++)
        g_byte_array_unref(workers.list[i].received);
    g_free(workers.list);
    if (workers.signals >= 0)
        close(workers.signals);
    sigprocmask(SIG_SETMASK, &workers.old_mask, NULL);
    return good;
}

struct costly_item {
    double cost;
    int item, place;
};

static int compare_costs(const void *a, const void *b)
{
    const struct costly_item *left = a, *right = b;
    int dearer = (left->cost < right->cost) - (left->cost > right->cost);
    return dearer ? dearer : (left->place > right->place) - (left->place < right->place);
}

void workers_longest_first(int *items, int count, double (*cost)(void *owner, int item),
                           void *owner)
{
    struct costly_item *sorted = g_new(struct costly_item, count);
    for (int i = 0; i < count; i++)
        sorted[i] = (struct costly_item){cost(owner, items[i]), items[i], i};
    if (count > 0)
        qsort(sorted, (size_t)count, sizeof *sorted, compare_costs);
    for (int i = 0; i < count; i++)
        items[i] = sorted[i].item;
    g_free(sorted);
}

bool workers_run(const struct work *work, int jobs, GError **error)
{
    if (jobs <= 0)
        jobs = (int)g_get_num_processors();
    return work->count == 0 || run_processes(work, jobs, error);
}

// ---- One item ----

struct single {
    const struct work *work;
    char *text, *crash;
};

static char *perform_single(void *owner, int item)
{
    const struct work *work = ((const struct single *)owner)->work;
    return work->perform(work->owner, item);
}

static bool finished_single(void *owner, int item, const char *text, const char *crash,
                            GError **error)
{
    struct single *single = owner;
    (void)item;
    (void)error;
    single->text = g_strdup(text);
    single->crash = g_strdup(crash);
    return true;
}

static bool idle_single(void *owner, GError **error)
{
    (void)owner;
    (void)error;
    return true;
}

char *workers_do_one(const struct work *work, int item, char **crash)
{
    struct single single = {.work = work};
    struct work one = {
        .items = &item,
        .count = 1,
        .time_limit_s = work->time_limit_s,
        .owner = &single,
        .perform = perform_single,
        .finished = finished_single,
        .idle = idle_single,
    };
    GError *error = NULL;
    if (!run_processes(&one, 1, &error)) {
        if (workers_signal_of(error)) {
            signal(SIGTERM, SIG_DFL);
            raise(SIGTERM);
        }
        single.crash = g_strdup(error->message);
        g_error_free(error);
    }
    *crash = single.crash;
    return single.text;
}
