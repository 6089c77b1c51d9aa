// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/via/mvich/mvich.h"

static const struct scenario_section sections[] = {{"mvich", &mvich_table}, {0}};

static const struct scenario_rule mvich_rules[] = {
    {
        .name = "mvich_pool",
        .compares = "the vbufs that MVICH makes at the start with the most that it may make",
        .settings = {"mvich.vbuf_pool", "mvich.vbuf_most"},
        .remedy = "fewer at the start, or a larger vbuf_most",
        .because = "the pool begins above its own limit",
    },
    {
        .name = "mvich_vbuf",
        .compares = "a vbuf with what one descriptor transfers",
        .settings = {"mvich.vbuf", "mvia.largest_transfer"},
        .remedy = "shorter vbufs, or a larger mvia.largest_transfer",
        .because = "a vbuf goes as one descriptor",
    },
    {0},
};

const struct model mvich_model = {
    .name = "via/mvich",
    .stands_on = (const char *const[]){"ethernet", "via/vip", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .rules = mvich_rules,
    .stacks = (const struct stack *const[]){&mvich_stack, NULL},
};
