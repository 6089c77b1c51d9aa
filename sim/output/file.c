// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // O_TMPFILE
#include "sim/output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40 // as the kernel follows

struct file {
    FILE *stream; // over the descriptor (stream_new)
    int descriptor;
    int problem;  // errno of the first write that failed; 0: none has
    char *path;   // as it was asked for, for messages
    char *place;  // where it goes at the end; NULL: it is written to as it is
    char *beside; // its name until then; NULL: it has none
};

static void set_error(GError **error, const char *path, const char *what, int number)
{
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(number), "%s: %s: %s", path,
                what, g_strerror(number));
}

// ---- Where a path leads ----

// The path that a link leads to; the caller frees it. NULL if `path` is no link, or one of /proc,
// which names an open file and no place.
static char *link_target(const char *path)
{
    char *target = g_file_read_link(path, NULL);
    if (!target || g_path_is_absolute(target))
        return target;
    char *directory = g_path_get_dirname(path);
    char *joined = g_build_filename(directory, target, NULL);
    g_free(directory);
    g_free(target);
    return joined;
}

static bool is_of_proc(const char *path)
{
    char *directory = g_path_get_dirname(path);
    char *real = realpath(directory, NULL);
    bool is = real && (strcmp(real, "/proc") == 0 || g_str_has_prefix(real, "/proc/"));
    free(real);
    g_free(directory);
    return is;
}

// The place of a regular file that is there or can be made; NULL if `path` leads to something else,
// which is written to as it is. The caller frees it.
static char *place_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return NULL;
    char *place = g_strdup(path);
    for (int i = 0; place && i < MOST_LINKS; i++) {
        char *target = link_target(place);
        if (!target)
            break;
        if (is_of_proc(place))
            g_clear_pointer(&target, g_free);
        g_free(place);
        place = target;
    }
    return place;
}

// ---- Writing ----

static char *name_beside(const char *place, int number)
{
    char *directory = g_path_get_dirname(place);
    char *beside = g_strdup_printf("%s/.netsim-%d-%d", directory, (int)getpid(), number);
    g_free(directory);
    return beside;
}

// A descriptor of a file without a name in the directory of `place`; -1 if there is none to be had.
static int open_nameless(const char *place)
{
    if (g_access("/proc/self/fd", X_OK) != 0) // what gives it a name later
        return -1;
    char *directory = g_path_get_dirname(place);
    int descriptor = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    g_free(directory);
    return descriptor;
}

static int open_beside(const char *place, char **beside)
{
    int descriptor = -1;
    for (int number = 0; descriptor < 0; number++) {
        *beside = name_beside(place, number);
        descriptor = open(*beside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            break;
        g_free(*beside);
    }
    if (descriptor < 0) {
        int problem = errno;
        g_clear_pointer(beside, g_free);
        errno = problem;
    }
    return descriptor;
}

// Gives the new file the permissions of the file that it replaces. A failure is ignored.
static void keep_mode(const struct file *file)
{
    struct stat status;
    if (file->place && stat(file->place, &status) == 0 &&
        fchmod(file->descriptor, status.st_mode & 0777) != 0)
        errno = 0;
}

// ---- The stream ----
//
// A caller need not check each write: the first failure is kept with its reason, which stdio
// forgets once the buffer is full in the middle of a file.

static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
    struct file *file = cookie;
    size_t written = 0;
    while (written < size) {
        ssize_t count = write(file->descriptor, data + written, size - written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            file->problem = file->problem ? file->problem : errno;
            break;
        }
        written += (size_t)count;
    }
    return (ssize_t)written;
}

static int stream_close(void *cookie)
{
    struct file *file = cookie;
    return close(file->descriptor);
}

static FILE *stream_new(struct file *file)
{
    return fopencookie(file, "w",
                       (cookie_io_functions_t){.write = stream_write, .close = stream_close});
}

struct file *file_begin(const char *path, GError **error)
{
    struct file *file = g_new0(struct file, 1);
    file->path = g_strdup(path);
    file->place = place_of(path);
    int descriptor = -1;
    // A file that may not be written is not replaced either.
    if (file->place && g_access(file->place, F_OK) == 0 && g_access(file->place, W_OK) != 0) {
        set_error(error, path, "cannot be written", errno);
        file_drop(file);
        return NULL;
    }
    if (file->place)
        descriptor = open_nameless(file->place);
    if (descriptor < 0)
        descriptor = file->place ? open_beside(file->place, &file->beside)
                                 : open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    file->descriptor = descriptor;
    if (descriptor >= 0)
        file->stream = stream_new(file);
    if (file->stream) {
        keep_mode(file);
        return file;
    }
    set_error(error, path, "cannot be written", errno);
    if (descriptor >= 0)
        close(descriptor);
    file_drop(file);
    return NULL;
}

FILE *file_stream(const struct file *file)
{
    return file->stream;
}

FILE *file_part(const struct file *file, GError **error)
{
    char *directory = g_path_get_dirname(file->place ? file->place : "/dev/null");
    int descriptor =
        file->place ? open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600) : -1;
    FILE *part = descriptor >= 0 ? fdopen(descriptor, "w+") : tmpfile();
    if (!part)
        set_error(error, file->path, "a part of it cannot be written", errno);
    if (!part && descriptor >= 0)
        close(descriptor);
    g_free(directory);
    return part;
}

bool file_part_is_whole(FILE *part, GError **error)
{
    errno = 0;
    if (fflush(part) == 0 && !ferror(part))
        return true;
    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno),
                "a part of a file could not be written or read whole: %s",
                g_strerror(errno ? errno : EIO));
    return false;
}

void file_drop(struct file *file)
{
    if (!file)
        return;
    if (file->stream)
        fclose(file->stream);
    if (file->beside)
        unlink(file->beside);
    g_free(file->beside);
    g_free(file->place);
    g_free(file->path);
    g_free(file);
}

// Always false.
static bool is_cut(const struct file *file, GError **error)
{
    int number = file->problem ? file->problem : errno;
    set_error(error, file->path, "could not be written whole", number ? number : EIO);
    return false;
}

static void put(struct file *file, const char *text, size_t length)
{
    fwrite(text, 1, length, file->stream);
}

// Gives an unnamed file a name next to its place.
static bool name_it(struct file *file)
{
    char *open_file = g_strdup_printf("/proc/self/fd/%d", file->descriptor);
    bool named = false;
    for (int number = 0; !named; number++) {
        g_free(file->beside);
        file->beside = name_beside(file->place, number);
        named = linkat(AT_FDCWD, open_file, AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) == 0;
        if (!named && errno != EEXIST)
            break;
    }
    int problem = errno;
    if (!named)
        g_clear_pointer(&file->beside, g_free);
    g_free(open_file);
    errno = problem;
    return named;
}

// All that can fail but for the renaming. Keeps the file also if it fails.
static bool file_settle(struct file *file)
{
    errno = 0;
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    if (good && file->place && !file->beside)
        good = name_it(file);
    FILE *stream = file->stream;
    file->stream = NULL;
    int problem = errno;
    if (fclose(stream) == 0)
        errno = problem;
    else
        good = false;
    return good;
}

static bool take_place(struct file *file)
{
    if (file->place && rename(file->beside, file->place) != 0)
        return false;
    g_clear_pointer(&file->beside, g_free);
    return true;
}

bool file_end(struct file *file, GError **error)
{
    bool good = (file_settle(file) && take_place(file)) || is_cut(file, error);
    file_drop(file);
    return good;
}

bool file_put(const char *path, const char *text, size_t length, GError **error)
{
    struct file *file = file_begin(path, error);
    if (!file)
        return false;
    put(file, text, length);
    return file_end(file, error);
}

static void drop(void *file)
{
    file_drop(file);
}

bool file_put_all(const char *directory, const struct file_text *texts, int count, GError **error)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(drop);
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        char *path = g_build_filename(directory, texts[i].name, NULL);
        struct file *file = file_begin(path, error);
        g_free(path);
        good = file;
        if (!file)
            break;
        g_ptr_array_add(files, file);
        put(file, texts[i].text, texts[i].length);
        good = file_settle(file) || is_cut(file, error);
    }
    for (guint i = 0; good && i < files->len; i++) {
        struct file *file = g_ptr_array_index(files, i);
        good = take_place(file);
        if (!good)
            set_error(error, file->path, "cannot be put in its place", errno);
    }
    g_ptr_array_unref(files);
    return good;
}

// ---- One file under two names ----

// A directory's real path, also of one that is not there yet: the part above it that is, and the
// rest as it is written. The caller frees it.
static char *real_directory(const char *path)
{
    char *above = g_strdup(path), *rest = g_strdup("");
    char *real = realpath(above, NULL);
    while (!real && strcmp(above, ".") != 0 && strcmp(above, "/") != 0) {
        char *name = g_path_get_basename(above), *directory = g_path_get_dirname(above);
        char *longer = g_build_filename(name, rest, NULL);
        g_free(rest);
        g_free(above);
        g_free(name);
        rest = longer;
        above = directory;
        real = realpath(above, NULL);
    }
    char *whole = g_build_filename(real ? real : above, rest, NULL);
    char *canonical = g_canonicalize_filename(whole, NULL);
    free(real);
    g_free(whole);
    g_free(rest);
    g_free(above);
    return canonical;
}

// Returns the identity of a path's file: equal texts are one file. NULL if it is a character
// device, or does not exist.
static char *identity_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return S_ISCHR(status.st_mode)
                   ? NULL
                   : g_strdup_printf("%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    char *place = place_of(path);
    char *directory = place ? g_path_get_dirname(place) : NULL;
    char *name = place ? g_path_get_basename(place) : NULL;
    char *real = directory ? real_directory(directory) : NULL;
    char *identity = name ? g_build_filename(real, name, NULL) : NULL;
    g_free(real);
    g_free(name);
    g_free(directory);
    g_free(place);
    return identity;
}

static bool collide(const struct file_use *one, const struct file_use *other, GError **error)
{
    if (other->written)
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                    "%s %s: this file is written by %s, too; give each its own", one->as, one->path,
                    other->as);
    else
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                    "%s %s: this is the file of %s, which would be overwritten", one->as, one->path,
                    other->as);
    return false;
}

bool file_uses_differ(const struct file_use *uses, int count, GError **error)
{
    GPtrArray *identities = g_ptr_array_new_with_free_func(g_free);
    bool good = true;
    for (int i = 0; i < count; i++)
        g_ptr_array_add(identities, identity_of(uses[i].path));
    for (int i = 0; good && i < count; i++)
        for (int k = 0; good && k < i; k++) {
            const char *one = g_ptr_array_index(identities, i);
            bool same = one && g_strcmp0(one, g_ptr_array_index(identities, k)) == 0;
            if (same && uses[i].written)
                good = collide(&uses[i], &uses[k], error);
            else if (same && uses[k].written)
                good = collide(&uses[k], &uses[i], error);
        }
    g_ptr_array_unref(identities);
    return good;
}

// ---- Directories ----

bool file_check_directory(const char *path, GError **error)
{
    char *at = g_strdup(path);
    while (g_access(at, F_OK) != 0 && errno == ENOENT && strcmp(at, ".") != 0) {
        char *above = g_path_get_dirname(at);
        g_free(at);
        at = above;
    }
    int problem = 0;
    if (g_access(at, W_OK | X_OK) != 0)
        problem = errno;
    else if (!g_file_test(at, G_FILE_TEST_IS_DIR))
        problem = ENOTDIR;
    if (problem)
        set_error(error, path, "cannot be written to", problem);
    g_free(at);
    return problem == 0;
}

bool file_make_directory(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0777) == 0)
        return true;
    set_error(error, path, "cannot be made", errno);
    return false;
}

bool file_ready_directory(const char *path, GError **error)
{
    if (!file_make_directory(path, error))
        return false;
    char *inside = g_build_filename(path, ".netsim", NULL);
    struct file *probe = file_begin(inside, error);
    g_free(inside);
    bool ready = probe;
    file_drop(probe);
    return ready;
}

char *file_results_directory(const char *scenario)
{
    char *name = g_strdelimit(g_strdup(*scenario ? scenario : "_"), G_DIR_SEPARATOR_S, '_');
    if (*name == '.')
        *name = '_';
    char *path = g_build_filename("results", name, NULL);
    g_free(name);
    return path;
}
