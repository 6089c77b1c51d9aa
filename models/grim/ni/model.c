// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/grim/ni/ni_internal.h"

static const struct machine_kind *const ni_machines[] = {
    &grim_message_machine,  &grim_receiver_machine, &grim_incoming_machine,
    &grim_firmware_machine, &grim_control_machine,  NULL};

const struct model grim_ni_model = {
    .name = "grim/ni",
    .stands_on = (const char *const[]){"myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){grim_ni_sections, NULL},
    .cards = (const struct card[]){{"lanai4", GRIM_CARD, NULL, &lanai_rates, .bus = "pci"},
                                   {"lanai9", GRIM_CARD, NULL, &lanai9_rates, .bus = "pci"},
                                   {0}},
    .machines = ni_machines,
};
