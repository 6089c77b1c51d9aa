// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/armci/armci.h"
#include "models/armci/benchmarks.h"
#include "models/armci/operations.h"
#include "models/armci/server.h"

static bool buffers_broken(const struct scenario_case *test_case,
                           const struct scenario_schema *schema, const struct scenario_rule *rule,
                           struct rule_finding *finding)
{
    int64_t buffers =
        rule_setting(test_case, rule->settings[0]) + rule_setting(test_case, rule->settings[1]);
    int64_t tokens = rule_setting(test_case, rule->settings[2]);
    (void)schema;
    return buffers > tokens &&
           rule_says(finding,
                     "%" G_GINT64_FORMAT " receive buffers of a data server are more than a port's "
                     "receive tokens (gm.receive_tokens, %" G_GINT64_FORMAT ")",
                     buffers, tokens);
}

static const struct scenario_rule armci_rules[] = {
    {
        .name = "armci_send_tokens",
        .compares = "the send tokens of ARMCI with those of its port",
        .settings = {"armci.send_tokens", "gm.send_tokens"},
        .remedy = "fewer of them, or a larger gm.send_tokens",
        .because = "they are those of one port",
    },
    {
        .name = "armci_receive_buffers",
        .compares = "the receive buffers of ARMCI's data server with the receive tokens of a port",
        .settings = {"armci.large_buffers", "armci.small_buffers", "gm.receive_tokens"},
        .remedy = "fewer of them, or a larger gm.receive_tokens",
        .broken = buffers_broken,
    },
    {0},
};

static const struct machine_kind *const armci_machines[] = {&armci_request_machine,
                                                            &armci_server_machine, NULL};

const struct model armci_model = {
    .name = "armci",
    .stands_on = (const char *const[]){"myrinet_gm/lanai", "myrinet_gm/gm", "mpich_gm", NULL},
    .sections = (const struct scenario_section *const[]){armci_sections, NULL},
    .rules = armci_rules,
    .stacks = (const struct stack *const[]){&armci_stack, NULL},
    .benchmarks = armci_benchmarks,
    .operations = armci_operations,
    .machines = armci_machines,
};
