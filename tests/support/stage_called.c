// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/stage_called.h"

#include "sim/core/intern.h"

#include <glib.h>
#include <string.h>

#define MOST_STAGES 256

const struct stage *stage_called(const char *name, enum stage_class class)
{
    static struct stage stages[MOST_STAGES];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(stages[i].name, name) == 0 && stages[i].class == class)
            return &stages[i];
    g_assert(count < MOST_STAGES);
    stages[count] = (struct stage){intern_text(name), class};
    return &stages[count++];
}
