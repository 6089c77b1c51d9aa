// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // memfd_create
#include "sim/output/python.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The modules that must be installed. They are only searched for, as loading them takes half a
// second. The current directory is not searched, as the scripts do not; but, unlike with -I,
// the user's own packages are.
#define HAS_MATPLOTLIB                                                                             \
    "import sys\n"                                                                                 \
    "sys.path[:] = [path for path in sys.path if path]\n"                                          \
    "import importlib.util\n"                                                                      \
    "sys.exit(importlib.util.find_spec('matplotlib') is None)"

static bool has_matplotlib(const char *python)
{
    char *arguments[] = {(char *)python, (char[]){"-c"}, (char[]){HAS_MATPLOTLIB}, NULL};
    int status = 0;
    GSpawnFlags flags =
        G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL;
    return g_spawn_sync(NULL, arguments, NULL, flags, NULL, NULL, NULL, NULL, &status, NULL) &&
           g_spawn_check_wait_status(status, NULL);
}

char *python_find(GError **error)
{
    const char *given = g_getenv("NETSIM_PYTHON");
    const char *const places[] = {"python3", "/usr/bin/python3"};
    if (given && *given) {
        if (has_matplotlib(given))
            return g_strdup(given);
        g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
                    "NETSIM_PYTHON=%s is no Python with matplotlib, which draws the pictures",
                    given);
        return NULL;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++)
        if (has_matplotlib(places[i]))
            return g_strdup(places[i]);
    g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT,
                "no python3 with matplotlib was found, which draws the pictures; Debian has it as "
                "python3-matplotlib (sudo apt-get install python3-matplotlib)");
    return NULL;
}

static void read_lines(int descriptor, python_line_fn *line, void *owner)
{
    FILE *output = fdopen(descriptor, "r");
    if (!output)
        return;
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&text, &room, output)) > 0) {
        if (text[length - 1] == '\n')
            text[length - 1] = '\0';
        if (line)
            line(owner, text);
    }
    free(text);
    fclose(output);
}

// The status that g_spawn_async_with_pipes leaves to be collected.
struct ending {
    GMainLoop *loop;
    int status;
};

static void on_exit_of_child(GPid pid, gint status, gpointer data)
{
    struct ending *ending = data;
    ending->status = status;
    g_spawn_close_pid(pid);
    g_main_loop_quit(ending->loop);
}

static int wait_for(GPid pid)
{
    struct ending ending = {.loop = g_main_loop_new(NULL, FALSE)};
    g_child_watch_add(pid, on_exit_of_child, &ending);
    g_main_loop_run(ending.loop);
    g_main_loop_unref(ending.loop);
    return ending.status;
}

// A descriptor from which a text can be read, without a file to remove. -1 and *error.
static int open_input(const char *text, GError **error)
{
    size_t length = text ? strlen(text) : 0, done = 0;
    int descriptor = memfd_create("netsim", MFD_CLOEXEC);
    ssize_t put = 0;
    while (descriptor >= 0 && done < length &&
           (put = write(descriptor, text + done, length - done)) > 0)
        done += (size_t)put;
    if (descriptor >= 0 && done == length && lseek(descriptor, 0, SEEK_SET) == 0)
        return descriptor;
    g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
                "no memory for what the pictures are drawn from: %s", g_strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

bool python_run(const struct python_call *call, GError **error)
{
    int input = open_input(call->input, error), output, status = 0;
    if (input < 0)
        return false;
    char *path = g_build_filename(call->data_dir, "plots", call->script, NULL);
    GPtrArray *command = g_ptr_array_new();
    g_ptr_array_add(command, (gpointer)call->python);
    g_ptr_array_add(command, (gpointer) "-B"); // no __pycache__ in an installed tree
    g_ptr_array_add(command, path);
    for (const char *const *argument = call->arguments; *argument; argument++)
        g_ptr_array_add(command, (gpointer)*argument);
    g_ptr_array_add(command, NULL);
    GPid pid;
    bool started = g_spawn_async_with_pipes_and_fds(NULL, (const char *const *)command->pdata, NULL,
                                                    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                                    NULL, NULL, input, -1, -1, NULL, NULL, 0, &pid,
                                                    NULL, &output, NULL, error);
    close(input);
    if (started) {
        read_lines(output, call->line, call->owner);
        status = wait_for(pid);
    }
    bool drawn = started && g_spawn_check_wait_status(status, NULL);
    if (started && !drawn)
        g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
                    "%s did not end well; what it said stands above", path);
    g_ptr_array_unref(command);
    g_free(path);
    return drawn;
}
