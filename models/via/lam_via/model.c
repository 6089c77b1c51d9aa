// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/via/lam_via/rpi.h"

static const struct scenario_section sections[] = {{"lam_via", &rpi_table}, {0}};

static const struct scenario_rule lam_via_rules[] = {
    {
        .name = "lam_via_short",
        .compares = "a short message of the VIA RPI with what one descriptor transfers",
        .settings = {"lam_via.short", "mvia.largest_transfer"},
        .remedy = "a smaller lam_via.short, or a larger mvia.largest_transfer",
        .because = "a short message goes as one descriptor",
    },
    {0},
};

const struct model lam_via_model = {
    .name = "via/lam_via",
    .stands_on = (const char *const[]){"ethernet", "via/vip", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .rules = lam_via_rules,
    .stacks = (const struct stack *const[]){&lam_via_stack, NULL},
};
