// SPDX-License-Identifier: GPL-3.0-or-later
// The books of handlers: names, integers, an endpoint's tables.
#include "models/grim/endpoint/handlers.h"
#include "sim/core/intern.h"
#include "tests/support/suite.h"

#include <glib.h>

#define NAME(text) intern_text(text)

// grim.am.registration: each string has one integer in the whole cluster, whichever host submits
// it.
static void server_table(void)
{
    struct grim_names *names = grim_names_new();
    int64_t first = grim_names_submit(names, NAME("work"));
    int64_t second = grim_names_submit(names, NAME("stop"));
    SUITE_SAME_INTEGER(first, GRIM_FIRST_ID);
    SUITE_SAME_INTEGER(second, GRIM_FIRST_ID + 1);
    SUITE_SAME_INTEGER(grim_names_submit(names, NAME("work")), first);
    SUITE_SAME_INTEGER(grim_names_find(names, NAME("stop")), second);
    SUITE_SAME_INTEGER(grim_names_find(names, NAME("other")), GRIM_NO_ID);
    SUITE_SAME_INTEGER(grim_names_count(names), 2);
    SUITE_SAME_INTEGER(grim_names_bytes(names, 2), 2 * (4 + 1 + 4));
    grim_names_free(names);
}

// Local registration alone makes no handler known; the published integer does.
static void endpoint_tables(void)
{
    struct grim_handlers *handlers = grim_handlers_new();
    enum grim_function function;
    CU_ASSERT_TRUE(grim_handlers_add(handlers, NAME("reply"), GRIM_REPLY));
    CU_ASSERT_FALSE(grim_handlers_add(handlers, NAME("reply"), GRIM_NOTHING));
    SUITE_SAME_INTEGER(grim_handlers_count(handlers), 1);
    SUITE_SAME_INTEGER(grim_handlers_id(handlers, NAME("reply")), GRIM_NO_ID);
    CU_ASSERT_FALSE(grim_handlers_function(handlers, 20, &function));
    grim_handlers_learn(handlers, NAME("reply"), 20);
    grim_handlers_learn(handlers, NAME("foreign"), 21);
    SUITE_SAME_INTEGER(grim_handlers_id(handlers, NAME("reply")), 20);
    CU_ASSERT_TRUE(grim_handlers_function(handlers, 20, &function));
    CU_ASSERT_EQUAL(function, GRIM_REPLY);
    CU_ASSERT_FALSE(grim_handlers_function(handlers, 21, &function)); // known, but not here
    SUITE_SAME_TEXT(grim_handlers_name_of(handlers, 21), "foreign");
    grim_handlers_free(handlers);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.am.registration: the server's table", server_table},
        {"an endpoint's tables", endpoint_tables},
        {0},
    };
    return suite_run("grim: handlers", cases);
}
