// SPDX-License-Identifier: GPL-3.0-or-later
// Another machine, for tests: preloaded into a program, it gives it another host name, kernel,
// number of processors, size of memory and date. test_other_machine.py compiles it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define OTHER_NAME "elsewhere-17"
#define OTHER_CPUS 7
#define OTHER_PAGES 7500 // 30 MB: one small simulation fits, and not three
#define OTHER_SECONDS (9L * 365 * 86400)

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc has reserved names
int uname(struct utsname *name)
{
    memset(name, 0, sizeof *name);
    strcpy(name->sysname, "Hurd");
    strcpy(name->nodename, OTHER_NAME);
    strcpy(name->release, "7.8.9-other-arch1");
    strcpy(name->version, "#1 other");
    strcpy(name->machine, "riscv64");
    return 0;
}

int gethostname(char *name, size_t size)
{
    strncpy(name, OTHER_NAME, size);
    return 0;
}

long sysconf(int what)
{
    switch (what) {
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF:
        return OTHER_CPUS;
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES:
        return OTHER_PAGES;
    default:
        return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(what);
    }
}

int get_nprocs(void)
{
    return OTHER_CPUS;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    CPU_ZERO_S(size, set);
    for (int i = 0; i < OTHER_CPUS; i++)
        CPU_SET_S(i, size, set);
    return 0;
}

// The date, and not the clocks that durations and time-outs are measured with.
int clock_gettime(clockid_t clock, struct timespec *now)
{
    int done =
        ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec += OTHER_SECONDS;
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &time);
    *now = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
