// SPDX-License-Identifier: GPL-3.0-or-later
// netsim's machine (struct flow_machine) as a platform of SimGrid: one zone whose routes netsim is
// asked for, and a network model whose latency is netsim's curve. A flow shares its links by
// max-min fairness; nothing of SimGrid's own protocol model (windows, factors, cross traffic) is
// left.
//
// SimGrid counts in whole bytes and SMPI adds an envelope to each message. So that a flow has
// exactly netsim's bytes, SimGrid's byte is a fraction of a byte here, and the envelope is part of
// them.
#ifndef NETSIM_FLOW_SIMGRID_MACHINE_HPP
#define NETSIM_FLOW_SIMGRID_MACHINE_HPP

#include "sim/flow/plugin.h"

#include <simgrid/s4u/Host.hpp>
#include <string>
#include <vector>

constexpr double UNITS_PER_BYTE = 16; // SimGrid's bytes in one of netsim's
constexpr double ENVELOPE = 16;       // units that SMPI adds to each message

// Options of SimGrid that the machine and its players need, as on a command line.
std::vector<std::string> machine_options();

// Builds the machine in the engine that there is. `machine` must outlive it. Returns its hosts.
std::vector<simgrid::s4u::Host *> machine_make(const flow_machine *machine);

#endif
