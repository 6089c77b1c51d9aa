// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/schema.h"

#include <string.h>

const char *scenario_section_card(const struct scenario_schema *schema, const char *path)
{
    for (int i = 0; schema->nics[i]; i++) {
        const char *card = schema->nics[i];
        char *end = g_strconcat("_", card, NULL);
        bool is = strcmp(path, card) == 0 || g_str_has_suffix(path, end);
        g_free(end);
        if (is)
            return card;
    }
    return NULL;
}

const struct card_rates *scenario_card_rates(const struct scenario_schema *schema, const char *nic)
{
    for (int i = 0; schema->nic_rates && nic && schema->nics[i]; i++)
        if (strcmp(schema->nics[i], nic) == 0)
            return schema->nic_rates[i];
    return NULL;
}
