// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a database that may come from somebody else. The whole file is checked once, when it is
// opened, so that no reader needs to check again.
#ifndef NETSIM_CAMPAIGN_STORE_CHECK_H
#define NETSIM_CAMPAIGN_STORE_CHECK_H

#include "sim/campaign/store.h"

// Returns false and sets *error, with table and row, if the database contains anything that this
// program does not write: other tables; cells of another type, out of range or not UTF-8; documents
// that are not JSON or not what their table demands; rows that refer to no row of another table; a
// sweep whose points are not exactly those that its axes span. `layout` is the SQL that creates the
// tables.
bool store_check(struct store *store, const char *layout, GError **error);

#endif
