// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/endpoint/handlers.h"

#include "sim/core/intern.h"

#include <glib.h>
#include <string.h>

#define ID_BYTES 4

const char *grim_nop_name(void)
{
    return intern_text("nop");
}

const char *grim_reply_name(void)
{
    return intern_text("reply");
}

const char *grim_function_name(enum grim_function function)
{
    static const char *const names[] = {
        [GRIM_NOTHING] = "nop",         [GRIM_REPLY] = "reply",
        [GRIM_MPI_DATA] = "MPI data",   [GRIM_MPI_TAKEN] = "MPI taken",
        [GRIM_SUBMIT] = "submit names", [GRIM_PUBLISH] = "publish names",
        [GRIM_ASK] = "ask for a name",  [GRIM_ANSWER] = "answer with an integer",
    };
    return names[function];
}

// ---- The server's table ----

struct grim_names {
    GPtrArray *names; // interned; the n-th has the integer GRIM_FIRST_ID + n
    GHashTable *ids;  // name -> integer
};

struct grim_names *grim_names_new(void)
{
    struct grim_names *names = g_new(struct grim_names, 1);
    names->names = g_ptr_array_new();
    names->ids = g_hash_table_new(g_direct_hash, g_direct_equal);
    return names;
}

void grim_names_free(struct grim_names *names)
{
    if (!names)
        return;
    g_hash_table_destroy(names->ids);
    g_ptr_array_free(names->names, TRUE);
    g_free(names);
}

int64_t grim_names_find(const struct grim_names *names, const char *name)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(names->ids, name)); // GRIM_NO_ID is 0
}

int64_t grim_names_submit(struct grim_names *names, const char *name)
{
    int64_t id = grim_names_find(names, name);
    if (id != GRIM_NO_ID)
        return id;
    id = GRIM_FIRST_ID + (int64_t)names->names->len;
    g_ptr_array_add(names->names, (char *)(uintptr_t)name);
    g_hash_table_insert(names->ids, (char *)(uintptr_t)name, GINT_TO_POINTER((int)id));
    return id;
}

int64_t grim_names_count(const struct grim_names *names)
{
    return names->names->len;
}

const char *grim_names_at(const struct grim_names *names, int64_t place)
{
    return g_ptr_array_index(names->names, (guint)place);
}

static int64_t name_bytes(const char *name)
{
    return (int64_t)strlen(name) + 1 + ID_BYTES;
}

int64_t grim_names_bytes(const struct grim_names *names, int64_t count)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += name_bytes(grim_names_at(names, i));
    return bytes;
}

// ---- An endpoint's tables ----

struct local {
    const char *name; // interned
    enum grim_function function;
};

struct grim_handlers {
    GArray *local;       // struct local
    GHashTable *by_name; // name -> integer, as learned
    GHashTable *by_id;   // integer -> name
};

struct grim_handlers *grim_handlers_new(void)
{
    struct grim_handlers *handlers = g_new(struct grim_handlers, 1);
    handlers->local = g_array_new(FALSE, FALSE, sizeof(struct local));
    handlers->by_name = g_hash_table_new(g_direct_hash, g_direct_equal);
    handlers->by_id = g_hash_table_new(g_direct_hash, g_direct_equal);
    return handlers;
}

void grim_handlers_free(struct grim_handlers *handlers)
{
    if (!handlers)
        return;
    g_hash_table_destroy(handlers->by_id);
    g_hash_table_destroy(handlers->by_name);
    g_array_free(handlers->local, TRUE);
    g_free(handlers);
}

static const struct local *find_local(const struct grim_handlers *handlers, const char *name)
{
    for (guint i = 0; i < handlers->local->len; i++)
        if (g_array_index(handlers->local, struct local, i).name == name)
            return &g_array_index(handlers->local, struct local, i);
    return NULL;
}

bool grim_handlers_add(struct grim_handlers *handlers, const char *name,
                       enum grim_function function)
{
    struct local local = {name, function};
    if (find_local(handlers, name))
        return false;
    g_array_append_val(handlers->local, local);
    return true;
}

int64_t grim_handlers_count(const struct grim_handlers *handlers)
{
    return handlers->local->len;
}

const char *grim_handlers_name(const struct grim_handlers *handlers, int64_t place)
{
    return g_array_index(handlers->local, struct local, (guint)place).name;
}

int64_t grim_handlers_bytes(const struct grim_handlers *handlers)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < grim_handlers_count(handlers); i++)
        bytes += name_bytes(grim_handlers_name(handlers, i));
    return bytes;
}

void grim_handlers_learn(struct grim_handlers *handlers, const char *name, int64_t id)
{
    g_hash_table_insert(handlers->by_name, (char *)(uintptr_t)name, GINT_TO_POINTER((int)id));
    g_hash_table_insert(handlers->by_id, GINT_TO_POINTER((int)id), (char *)(uintptr_t)name);
}

int64_t grim_handlers_id(const struct grim_handlers *handlers, const char *name)
{
    return GPOINTER_TO_INT(g_hash_table_lookup(handlers->by_name, name));
}

const char *grim_handlers_name_of(const struct grim_handlers *handlers, int64_t id)
{
    return g_hash_table_lookup(handlers->by_id, GINT_TO_POINTER((int)id));
}

bool grim_handlers_local(const struct grim_handlers *handlers, const char *name,
                         enum grim_function *function)
{
    const struct local *local = find_local(handlers, name);
    if (local)
        *function = local->function;
    return local != NULL;
}

bool grim_handlers_function(const struct grim_handlers *handlers, int64_t id,
                            enum grim_function *function)
{
    const char *name = grim_handlers_name_of(handlers, id);
    return name && grim_handlers_local(handlers, name, function);
}
