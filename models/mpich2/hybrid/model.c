// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpich2/hybrid/hybrid.h"

static const struct scenario_section sections[] = {{"ch3_hybrid", &ch3_hybrid_table}, {NULL, NULL}};

static bool receive_broken(const struct scenario_case *test_case,
                           const struct scenario_schema *schema, const struct scenario_rule *rule,
                           struct rule_finding *finding)
{
    int64_t buffer = rule_setting(test_case, rule->settings[0]);
    int64_t receives = rule_setting(test_case, rule->settings[1]);
    (void)schema;
    if (buffer / receives >= CH3_HYBRID_ENVELOPE_BYTES)
        return false;
    finding->remedy = g_strdup_printf("ch3_hybrid.buffer of %" G_GINT64_FORMAT
                                      " B, or a smaller ch3_hybrid.receives",
                                      receives * CH3_HYBRID_ENVELOPE_BYTES);
    return rule_says(finding,
                     "%" G_GINT64_FORMAT " receives share %" G_GINT64_FORMAT
                     " B, and an envelope has %d B",
                     receives, buffer, CH3_HYBRID_ENVELOPE_BYTES);
}

static const struct scenario_rule ch3_hybrid_rules[] = {
    {
        .name = "hybrid_receive",
        .compares = "the memory of a receive of ch3:hybrid with its longest envelope",
        .settings = {"ch3_hybrid.buffer", "ch3_hybrid.receives"},
        .remedy = "a larger buffer, or fewer receives",
        .broken = receive_broken,
    },
    {
        .name = "hybrid_receives",
        .compares = "the receives of ch3:hybrid with the depth of iWARP's receive queue",
        .settings = {"ch3_hybrid.receives", "iwarp.queue_depth"},
        .remedy = "fewer receives, or a larger iwarp.queue_depth",
        .because = "all receives are posted to one receive queue",
    },
    {0},
};

static const struct machine_kind *const ch3_hybrid_machines[] = {&ch3_hybrid_vc_machine, NULL};

const struct model ch3_hybrid_model = {
    .name = "mpich2/hybrid",
    .stands_on = (const char *const[]){"ethernet", "inet", "sctp_cmt/wire", "sctp_cmt/sctp",
                                       "iwarp", "mpich2/ch3", "mpich2/sctp", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .operations = ch3_rma_operations,
    .rules = ch3_hybrid_rules,
    .machines = ch3_hybrid_machines,
    .stacks = (const struct stack *const[]){&ch3_hybrid_stack, NULL},
};
