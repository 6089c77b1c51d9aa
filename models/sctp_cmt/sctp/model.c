// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/ethernet/nics.h"
#include "models/sctp_cmt/sctp/association.h"
#include "models/sctp_cmt/sctp/sctp.h"

static const struct scenario_rule sctp_rules[] = {
    ETHERNET_RULES("sctp", "sctp.mtu"),
    {
        .name = "sctp_path_mtu",
        .compares = "the MTUs of the interfaces at the ends of a path of SCTP",
        .settings = {"sctp.mtu"},
        .remedy = "one mtu for the cards of a network",
        .physics = true,
        .broken = ethernet_path_mtu_broken,
    },
    {0},
};

static const struct machine_kind *const sctp_machines[] = {
    &sctp_association_machine, &sctp_path_machine, &sctp_congestion_machine,
    &sctp_receiver_machine,    &sctp_rwnd_machine, NULL};

const struct model sctp_model = {
    .name = "sctp_cmt/sctp",
    .stands_on = (const char *const[]){"ethernet", "inet", "sctp_cmt/wire", NULL},
    .sections = (const struct scenario_section *const[]){sctp_sections, NULL},
    .rules = sctp_rules,
    .machines = sctp_machines,
};
