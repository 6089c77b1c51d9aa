// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/flow_pace.h"

#include <string.h>

// ---- The case's ----

static sim_time *pace_value(const struct param_values *values, const char *name)
{
    int index = name ? param_index(values->table, name) : -1;
    return index < 0 ? NULL
                     : (sim_time *)((char *)values->values + values->table->params[index].offset);
}

struct flow_pace flow_pace_of(const struct registry *registry,
                              const struct scenario_case *test_case)
{
    struct flow_pace pace = {0};
    const struct card *card = registry_card(registry, test_case->nic, NULL);
    if (!card || !card->distance)
        return pace;
    const struct param_values *values = scenario_section(test_case, card->name);
    pace.distance = *pace_value(values, card->distance);
    pace.sent_delay = *pace_value(values, card->sent_delay);
    return pace;
}

// A copy of a section with the table's struct.
struct unpaced_section {
    struct param_values values; // first
    sim_time of_table[];        // the table's struct
};

struct param_values *flow_pace_without(const struct registry *registry,
                                       const struct param_values *section)
{
    const struct card *card = registry_card(registry, section->path, NULL);
    if (!card || !card->distance || *pace_value(section, card->distance) == 0)
        return NULL;
    struct unpaced_section *own = g_malloc(sizeof *own + section->table->size);
    own->values = *section;
    own->values.values = own->of_table;
    memcpy(own->of_table, section->values, section->table->size);
    *pace_value(&own->values, card->distance) = 0;
    return &own->values;
}

// ---- Interrupts ----

static sim_time ask(const struct flow_pace *pace, struct paced_card *card, sim_time when)
{
    if (when > card->line)
        card->line = MAX(when, card->line + pace->distance);
    return card->line;
}

static void catch_up(const struct flow_pace *pace, struct paced_card *card, sim_time when)
{
    if (card->asked == 0 || card->asked > when)
        return;
    ask(pace, card, card->asked);
    card->asked = 0;
}

void flow_pace_sent(const struct flow_pace *pace, struct paced_card *card, sim_time when)
{
    catch_up(pace, card, when);
    if (card->asked == 0)
        card->asked = when + pace->sent_delay;
}

sim_time flow_pace_received(const struct flow_pace *pace, struct paced_card *card, sim_time when)
{
    catch_up(pace, card, when);
    return ask(pace, card, when);
}
