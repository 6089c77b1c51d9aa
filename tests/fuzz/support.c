// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // nftw
#include "tests/fuzz/fuzz.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

const char *fuzz_tree(void)
{
    const char *tree = g_getenv("NETSIM_SOURCE_DIR");
    return tree ? tree : ".";
}

FILE *fuzz_sink(void)
{
    static FILE *sink;
    if (!sink)
        sink = fopen("/dev/null", "w");
    return sink;
}

void fuzz_end(struct diag_list *diags, bool accepted)
{
    g_assert(accepted == !diag_any(diags));
    for (guint i = 0; i < diags->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        g_assert(g_utf8_validate(diag->message, -1, NULL));
        g_assert(!diag->path || g_utf8_validate(diag->path, -1, NULL));
        g_assert(!diag->hint || g_utf8_validate(diag->hint, -1, NULL));
    }
    diag_print(diags, fuzz_sink());
    diag_list_free(diags);
}

void fuzz_end_error(GError *error, bool accepted)
{
    g_assert(accepted == !error);
    g_assert(!error || g_utf8_validate(error->message, -1, NULL));
    g_clear_error(&error);
}

void fuzz_end_text(char *error, bool accepted)
{
    g_assert(accepted == !error);
    g_free(error);
}

void fuzz_json(json_t *json)
{
    char *text = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
    g_assert(text);
    json_t *again = json_loads(text, JSON_DECODE_ANY, NULL);
    g_assert(again && json_equal(again, json));
    json_decref(again);
    json_decref(json);
    free(text);
}

// ---- Files ----

static char *directory;

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    (void)status, (void)flag, (void)walk;
    return remove(path);
}

static void remove_directory(void)
{
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    g_free(directory);
}

const char *fuzz_path(const char *name)
{
    static char path[1024];
    if (!directory) {
        directory = g_dir_make_tmp("netsim-fuzz-XXXXXX", NULL);
        g_assert(directory && atexit(remove_directory) == 0);
    }
    g_snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

void fuzz_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    g_assert(file && fwrite(data, 1, size, file) == size);
    fclose(file);
}

// ---- Inputs ----

char *fuzz_text(const uint8_t *data, size_t size)
{
    return g_strndup((const char *)data, size);
}

unsigned fuzz_kind(const uint8_t **data, size_t *size, unsigned kinds)
{
    unsigned kind = (unsigned)(**data - '0') % kinds;
    (*data)++;
    (*size)--;
    return kind;
}
