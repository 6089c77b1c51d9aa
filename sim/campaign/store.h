// SPDX-License-Identifier: GPL-3.0-or-later
// The database of a campaign: one SQLite file, which only the parent process writes. Its tables are
// described in docs/scenarios.md, "Sweeps".
//
// It holds no times and no names of machines: the same work leaves the same rows, whoever did it in
// whatever order. Writing is collected into transactions, which store_commit ends; what a killed
// program had not committed is simply not there.
#ifndef NETSIM_CAMPAIGN_STORE_H
#define NETSIM_CAMPAIGN_STORE_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define STORE_VERSION 1

// How a case that killed its process, or was still running after its time, is recorded. It is no
// property of the case alone (memory may have been short), so it does not keep the case from being
// run again.
#define STORE_CRASHED "crashed"

struct store;
struct sqlite3;

// Errors of the database, code 0.
GQuark store_error_quark(void);
#define STORE_ERROR store_error_quark()

// Opens a database and makes it if it is missing; NULL is one in memory. NULL and *error if that
// fails, if the file is no database of this program and version, or if it is damaged: all that is
// in it is looked at (store_check.h), so who reads it need not ask again.
struct store *store_open(const char *path, GError **error);
// The same for reading only; the file must be there.
struct store *store_open_existing(const char *path, GError **error);
void store_close(struct store *store); // what was not committed is lost

// Whether a case has a result that stands.
bool store_has(struct store *store, const char *key);

// Its result (an object of series_json without "name"), new reference; NULL if there is none.
json_t *store_result(struct store *store, const char *key);

struct store_case {
    const char *key, *source, *stack, *definition;
    uint64_t seed;
};

// Puts a case with its result, replacing an older one.
bool store_put(struct store *store, const struct store_case *of, const json_t *result,
               GError **error);

// ---- For what else is kept there ----

// The connection, for the statements of sweeps (points.c, outcome.c); what the database is called.
struct sqlite3 *store_connection(struct store *store);
const char *store_name(const struct store *store);

// Begins a transaction if none is under way. True if it is.
bool store_begin(struct store *store, GError **error);
bool store_commit(struct store *store, GError **error);
// Microseconds (g_get_monotonic_time) at which the transaction under way began; 0: there is none.
gint64 store_began(const struct store *store);

// Runs statements without results. False and *error.
bool store_execute(struct store *store, const char *sql, GError **error);
// *error from the connection's last error: "PATH: what: why". Returns false.
bool store_fail(struct store *store, const char *what, GError **error);

// Adds all cases and results of another database. One that both have must be the same in both, or
// one of them "crashed"; otherwise false and *error names it.
bool store_merge(struct store *store, struct store *from, GError **error);

// Whether the database is still sound, after rows of another have come into it; else *error.
bool store_is_sound(struct store *store, GError **error);

#endif
