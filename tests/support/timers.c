// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/timers.h"

#include "tests/support/suite.h"

#include <string.h>

void expect_timer(struct sim *sim, const char *counter, long long count, const char *wait)
{
    const struct sim_counter *found = g_hash_table_lookup(sim->counters, counter);
    bool awaited = !wait;
    for (unsigned i = 0; wait && i < MIN(sim->wait_count, SIM_WAITS); i++)
        awaited |= strcmp(sim->waits[i].what, wait) == 0;
    CU_ASSERT(awaited);
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    SUITE_SAME_INTEGER(found->value, count);
    CU_ASSERT_EQUAL(found->loss, LOSS_TIMEOUT);
}
