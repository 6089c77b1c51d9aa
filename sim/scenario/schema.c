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

// The index of a NIC model, or -1.
static int schema_nic(const struct scenario_schema *schema, const char *nic)
{
    for (int i = 0; nic && schema->nics[i]; i++)
        if (strcmp(schema->nics[i], nic) == 0)
            return i;
    return -1;
}

const struct card_rates *scenario_card_rates(const struct scenario_schema *schema, const char *nic)
{
    int index = schema->nic_rates ? schema_nic(schema, nic) : -1;
    return index < 0 ? NULL : schema->nic_rates[index];
}

const char *scenario_card_bus(const struct scenario_schema *schema, const char *nic)
{
    int index = schema->nic_buses ? schema_nic(schema, nic) : -1;
    return index < 0 ? NULL : schema->nic_buses[index];
}

bool scenario_section_is_of(const struct scenario_schema *schema, const char *path,
                            const struct stack_schema *stack)
{
    if (stack->sections && g_strv_contains(stack->sections, path))
        return true;
    for (const struct stack_schema *other = schema->stacks; other->name; other++)
        if (other->sections && g_strv_contains(other->sections, path))
            return false;
    return true;
}
