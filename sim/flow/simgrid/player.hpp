// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a program (struct flow_program) under SMPI: an actor per rank takes its steps and makes the
// MPI calls that they are. Messages carry no data.
//
// SMPI's rules where they are not MPI's or not a network's:
// - a message is there for a probe, and for a receive of any source, once it is sent;
// - a send that is not buffered does not overtake, but later buffered ones from the same rank would
//   overtake it at SMPI's mailboxes. Such a one waits for its receive, too.
#ifndef NETSIM_FLOW_SIMGRID_PLAYER_HPP
#define NETSIM_FLOW_SIMGRID_PLAYER_HPP

#include "sim/flow/plugin.h"

#include <memory>
#include <simgrid/s4u/Host.hpp>
#include <string>
#include <vector>

struct Job;

// Options of SMPI that a job needs, as on a command line.
std::vector<std::string> player_options();

// Prepares the program on these hosts in the engine that there is; it runs with the engine. The
// program and the verdict must outlive the job.
std::shared_ptr<Job> player_start(const flow_program *program,
                                  const std::vector<simgrid::s4u::Host *> &hosts,
                                  flow_verdict *verdict);

// Sets the verdict's outcome when no rank can go on.
void player_judge(const Job &job);

// Asks the program whether to stop.
bool player_stops(Job &job);

#endif
