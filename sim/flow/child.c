// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // dlmopen, memfd_create, pipe2
#include "sim/flow/child.h"

#include "sim/flow/flow.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLUGIN_FILE "netsim_flow.so"
#define POLL_MS 100
#define GRACE_S 5            // that an interrupted child has
#define MOST_SHOWN_BYTES 400 // of a child's output

#define HOW_TO_INSTALL "fidelity: flow needs SimGrid; type: ./netsim setup simgrid"

// ---- The plugin ----

static char *file_there(char *path)
{
    if (path && access(path, R_OK) == 0)
        return path;
    g_free(path);
    return NULL;
}

static char *beside_program(const char *folder)
{
    char *program = g_file_read_link("/proc/self/exe", NULL);
    if (!program)
        return NULL;
    char *parent = g_path_get_dirname(program);
    char *path = g_build_filename(parent, folder, PLUGIN_FILE, NULL);
    g_free(parent);
    g_free(program);
    return file_there(path);
}

char *child_plugin_path(void)
{
    const char *told = g_getenv("NETSIM_FLOW_PLUGIN");
    if (told)
        return file_there(g_strdup(told));
    char *path = beside_program(".");
    return path ? path : beside_program("../lib/netsim"); // bin/netsim, lib/netsim/...
}

// Returns NULL with *error, static, if it can't be loaded.
//
// DEEPBIND: netsim may be linked with an MPI library whose calls have the names of SimGrid's. That
// is not for dlopen: AddressSanitizer would end the process, as such a library has its own malloc.
// Memory is freed on the side that allocated it: the plugin or netsim.
static flow_plugin_run_fn *load(const char *path, const char **error)
{
    void *plugin = dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void *found = plugin ? dlsym(plugin, FLOW_PLUGIN_RUN) : NULL;
    if (!found) {
        *error = dlerror();
        return NULL;
    }
    flow_plugin_run_fn *run;
    memcpy(&run, &found, sizeof run); // ISO C converts no pointer to a function
    return run;
}

#if defined(__SANITIZE_ADDRESS__)
// The sanitizer's runtime has its own C++ library, which allocates objects that the plugin's copy
// frees.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "alloc_dealloc_mismatch=0";
}
#endif

// ---- In the child ----

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

static void G_GNUC_NORETURN become_child(const char *path, child_work_fn *work, void *owner,
                                         int out, int printed, pid_t parent)
{
    const struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
    const char *error = NULL;
    flow_plugin_run_fn *plugin = load(path, &error);
    if (!plugin) {
        dprintf(STDERR_FILENO, "%s\n", error);
        _exit(1);
    }
    char *text = work(owner, plugin);
    bool sent = write_all(out, text, strlen(text) + 1); // its end shows that it is whole
    g_free(text);
    _exit(sent ? 0 : 1);
}

// ---- In the parent ----

struct child {
    pid_t pid;
    int in;          // its text comes here
    int printed;     // file with its output
    gint64 patience; // until then it may run, monotonic microseconds
    bool interrupted;
    GString *text;
};

static char *failure(const char *what)
{
    return g_strdup_printf("SimGrid's process: %s: %s", what, g_strerror(errno));
}

static bool child_start(struct child *child, const char *path, child_work_fn *work, void *owner,
                        char **error)
{
    int ends[2];
    child->printed = memfd_create("printed", MFD_CLOEXEC);
    if (child->printed < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        *error = failure("no pipe");
        return false;
    }
    fflush(NULL); // or the child might write the buffers' contents again
    pid_t parent = getpid();
    child->pid = fork();
    if (child->pid == 0)
        become_child(path, work, owner, ends[1], child->printed, parent);
    if (child->pid < 0)
        *error = failure("can't be started");
    close(ends[1]);
    child->in = ends[0];
    return child->pid > 0;
}

// Passes an interrupt on; ends a child that does not end by itself afterwards.
static void child_watch(struct child *child, bool (*interrupt)(void *owner), void *owner)
{
    gint64 now = g_get_monotonic_time();
    if (!child->interrupted && interrupt && interrupt(owner)) {
        child->interrupted = true;
        child->patience = now + GRACE_S * G_USEC_PER_SEC;
        kill(child->pid, SIGINT);
    }
    if (now >= child->patience)
        kill(child->pid, SIGKILL);
}

// Reads the child's text to its end.
static void child_read(struct child *child, bool (*interrupt)(void *owner), void *owner)
{
    char buffer[1 << 16];
    for (;;) {
        struct pollfd ready = {.fd = child->in, .events = POLLIN};
        int found = poll(&ready, 1, POLL_MS);
        child_watch(child, interrupt, owner);
        if (found <= 0)
            continue;
        ssize_t got = read(child->in, buffer, sizeof buffer);
        if (got > 0)
            g_string_append_len(child->text, buffer, got);
        else if (got == 0 || errno != EINTR)
            return;
    }
}

// The beginning of the child's output, in one line; the caller frees it.
static char *first_words(const struct child *child)
{
    char bytes[MOST_SHOWN_BYTES + 1];
    ssize_t got = pread(child->printed, bytes, MOST_SHOWN_BYTES, 0);
    bytes[MAX(got, 0)] = 0;
    char *text = g_utf8_make_valid(g_strstrip(bytes), -1);
    g_strdelimit(text, "\n\r\t", ' ');
    return text;
}

static char *end_of(const struct child *child, int status)
{
    char *words = first_words(child), *text;
    const char *colon = *words ? ": " : "";
    if (child->interrupted)
        text = g_strdup("interrupted");
    else if (WIFSIGNALED(status))
        text = g_strdup_printf("signal %d (%s) ended SimGrid's process%s%s", WTERMSIG(status),
                               g_strsignal(WTERMSIG(status)), colon, words);
    else
        text = g_strdup_printf("SimGrid's process ended by itself with %d%s%s", WEXITSTATUS(status),
                               colon, words);
    g_free(words);
    return text;
}

// Waits for the child's end. Returns its text if that is whole.
static char *child_end(struct child *child, char **error)
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    const GString *text = child->text;
    bool whole = text->len > 0 && text->str[text->len - 1] == 0;
    if (!whole)
        *error = end_of(child, status);
    return whole ? g_strdup(text->str) : NULL;
}

char *child_run(child_work_fn *work, void *owner, bool (*interrupt)(void *owner), char **error)
{
    struct child child = {.in = -1, .patience = G_MAXINT64};
    char *path = child_plugin_path(), *text = NULL;
    *error = NULL;
    if (!path) {
        *error = g_strdup(HOW_TO_INSTALL);
        return NULL;
    }
    child.text = g_string_new(NULL);
    if (child_start(&child, path, work, owner, error)) {
        child_read(&child, interrupt, owner);
        text = child_end(&child, error);
    }
    if (child.in >= 0)
        close(child.in);
    if (child.printed >= 0)
        close(child.printed);
    g_string_free(child.text, TRUE);
    g_free(path);
    return text;
}

// ---- The version ----

static char *ask_version(void *owner, flow_plugin_run_fn *plugin)
{
    (void)owner;
    struct flow_verdict verdict;
    plugin(FLOW_PLUGIN_VERSION, NULL, NULL, &verdict);
    return g_strdup(verdict.simgrid);
}

char *flow_simgrid_version(char **why)
{
    return child_run(ask_version, NULL, NULL, why);
}
