// SPDX-License-Identifier: GPL-3.0-or-later
// An open database; for store.c and store_open.c only.
#ifndef NETSIM_CAMPAIGN_STORE_INTERNAL_H
#define NETSIM_CAMPAIGN_STORE_INTERNAL_H

#include "sim/campaign/store.h"

#include <sqlite3.h>

struct store {
    sqlite3 *connection;
    char *name; // for messages
    gint64 began;
    sqlite3_stmt *has, *result, *put_case, *put_result, *drop_values, *put_value;
};

#endif
