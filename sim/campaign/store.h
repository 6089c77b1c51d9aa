// SPDX-License-Identifier: GPL-3.0-or-later
// The database of a campaign: one SQLite file, which only the parent process writes. Its tables are
// described in docs/scenarios.md, "Sweeps".
//
// It holds no times and no host names: the same work leaves the same rows, whichever process did it
// and in whatever order. Writes are collected into transactions, which store_commit ends; a killed
// program leaves no trace of uncommitted rows.
#ifndef NETSIM_CAMPAIGN_STORE_H
#define NETSIM_CAMPAIGN_STORE_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define STORE_VERSION 1

// The status of a case that killed its process or was still running after the time limit. As this
// does not depend on the case alone (memory may have been short), such a case is run again.
#define STORE_CRASHED "crashed"

struct store;
struct sqlite3;
struct sqlite3_stmt;

// Errors of the database, code 0.
GQuark store_error_quark(void);
#define STORE_ERROR store_error_quark()

// Opens a database, creating it if it is missing; NULL opens one in memory. Returns NULL and sets
// *error if that fails, if the file was not written by this program and version, or if it is
// damaged. All of its contents are checked here (store_check.c), so that readers need not check
// again.
struct store *store_open(const char *path, GError **error);
// Like store_open, but for reading only; the file must exist.
struct store *store_open_existing(const char *path, GError **error);
void store_close(struct store *store); // uncommitted rows are lost

// Whether a case has a result that need not be computed again (not "crashed").
bool store_has(struct store *store, const char *key);

// The result of a case (an object of series_json without "name") as a new reference; NULL if the
// case has none.
json_t *store_result(struct store *store, const char *key);

struct store_case {
    const char *key, *source, *stack, *definition;
    uint64_t seed;
};

// Stores a case with its result, replacing an older result.
bool store_put(struct store *store, const struct store_case *of, const json_t *result,
               GError **error);

// ---- For other users of the database ----

// The connection, for the statements of sweeps (points.c, outcome.c), and the database's name in
// messages.
struct sqlite3 *store_connection(struct store *store);
const char *store_name(const struct store *store);

// Begins a transaction unless one is under way. Returns true if one is under way afterwards.
bool store_begin(struct store *store, GError **error);
bool store_commit(struct store *store, GError **error);
// The time (g_get_monotonic_time, microseconds) at which the current transaction began; 0: none.
gint64 store_began(const struct store *store);

// Binds a copy of the text, or NULL, to the statement's parameter of this number, from 1.
void store_bind_text(struct sqlite3_stmt *statement, int parameter, const char *text);
// Runs statements without results. Returns false and sets *error on failure.
bool store_execute(struct store *store, const char *sql, GError **error);
// Sets *error from the connection's last error: "PATH: what: why". Returns false.
bool store_fail(struct store *store, const char *what, GError **error);

// Adds all cases and results of another database. A case that both contain must have the same
// result in both, or be "crashed" in one of them; otherwise returns false, and *error names the
// case.
bool store_merge(struct store *store, struct store *from, GError **error);

// The SQL that creates the tables.
extern const char store_layout[];

// ---- Soundness (store_check.c) ----

// Returns false and sets *error, with table and row, if the database contains anything that this
// program does not write: other tables; cells of another type, out of range or not UTF-8; documents
// that are not JSON or not what their table demands; rows that refer to no row of another table; a
// sweep whose points are not exactly those that its axes span. A database may come from another
// machine: the whole file is checked once, so that no reader needs to check again.
bool store_is_sound(struct store *store, GError **error);

#endif
