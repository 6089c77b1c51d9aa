// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/myrinet_gm/gm/gm_config.h"
#include "models/myrinet_gm/gm/gm_internal.h"
#include "models/myrinet_gm/gm/gm_stacks.h"
#include "models/myrinet_gm/lanai/lanai.h"

static bool gm_sram_broken(const struct scenario_case *test_case,
                           const struct scenario_schema *schema, const struct scenario_rule *rule,
                           struct rule_finding *finding)
{
    const struct gm_config *gm = scenario_section_values(test_case, "gm");
    const struct lanai_config *lanai = scenario_section_values(test_case, test_case->nic);
    int64_t needs = gm_sram_bytes(gm, test_case->topology.hosts->len);
    (void)schema;
    (void)rule;
    if (needs <= lanai->sram)
        return false;
    finding->also = g_strconcat(test_case->nic, ".sram", NULL);
    return rule_says(finding,
                     "the MCP, connections with %u hosts, %" G_GINT64_FORMAT
                     " packets and a port take %" G_GINT64_FORMAT
                     " B, and the card's SRAM (%s.sram) has %" G_GINT64_FORMAT " B",
                     test_case->topology.hosts->len, gm->send_buffers + gm->receive_buffers, needs,
                     test_case->nic, lanai->sram);
}

static const struct scenario_rule gm_rules[] = {
    {
        .name = "gm_sram",
        .compares = "what GM keeps on a card with the SRAM of the card",
        .settings = {"gm.send_buffers", "gm.receive_buffers", "gm.mtu", "gm.connection_sram"},
        .remedy = "fewer or shorter packets, or a card with more SRAM",
        .broken = gm_sram_broken,
    },
    {0},
};

static const struct machine_kind *const gm_machines[] = {
    &gm_token_machine, &gm_connection_machine, &gm_stream_machine, &gm_sdma_machine,
    &gm_send_machine,  &gm_recv_machine,       &gm_rdma_machine,   NULL};

const struct model gm_model = {
    .name = "myrinet_gm/gm",
    .stands_on = (const char *const[]){"myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){gm_sections, NULL},
    .rules = gm_rules,
    .stacks = (const struct stack *const[]){&gm_stack, NULL},
    .benchmarks = gm_benchmarks,
    .machines = gm_machines,
};
