// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // wait4
#include "bench/process.h"

#include "bench/bench.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void G_GNUC_NORETURN become_worker(bench_work_fn *work, void *owner, int out)
{
    json_t *found = work(owner);
    _exit(found && json_dumpfd(found, out, 0) == 0 ? 0 : 1);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / G_USEC_PER_SEC;
}

json_t *bench_process(bench_work_fn *work, void *owner, struct bench_usage *usage)
{
    *usage = (struct bench_usage){0};
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return NULL;
    fflush(NULL); // or the child might write the buffers' contents again
    gint64 start = g_get_monotonic_time();
    pid_t child = fork();
    if (child == 0)
        become_worker(work, owner, ends[1]);
    close(ends[1]);
    json_t *found = child > 0 ? json_loadfd(ends[0], 0, NULL) : NULL;
    close(ends[0]);
    struct rusage used = {0};
    while (child > 0 && wait4(child, &status, 0, &used) < 0 && errno == EINTR)
        ;
    *usage = (struct bench_usage){
        .wall_s = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC,
        .cpu_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
        .bytes = (int64_t)used.ru_maxrss * 1024,
    };
    return found;
}
