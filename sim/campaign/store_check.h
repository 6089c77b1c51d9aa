// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a database that somebody else may have had in hands is sound as a whole: looked at once,
// when it is opened, so that nobody who reads it need ask again.
#ifndef NETSIM_CAMPAIGN_STORE_CHECK_H
#define NETSIM_CAMPAIGN_STORE_CHECK_H

#include "sim/campaign/store.h"

// False and *error, with table and row, if there is anything that this program does not write:
// other tables; cells of another type, out of range or not UTF-8; documents that are not JSON, or
// not what their table says; rows that belong to none of another table; a sweep that has not just
// the points that its axes span. `layout` is the SQL that makes the tables.
bool store_check(struct store *store, const char *layout, GError **error);

#endif
