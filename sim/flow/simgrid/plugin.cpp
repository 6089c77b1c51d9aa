// SPDX-License-Identifier: GPL-3.0-or-later
// The plugin's one function: engine, machine and job, and how a run ends.
//
// SimGrid returns only when all actors are gone, which with thousands of them takes longer than
// many a run. Here ranks that have ended stay, and SimGrid finds that no actor can go on: that is
// the end of every run. An exception leads out of it, and the process ends afterwards (child.h).
#include "sim/flow/plugin.h"

#include "sim/flow/simgrid/machine.hpp"
#include "sim/flow/simgrid/player.hpp"

#include <csignal>
#include <cstdio>
#include <exception>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/version.h>

namespace s4u = simgrid::s4u;

// Thrown out of SimGrid's main loop.
struct Over {
};

// Signals that SimGrid takes for itself.
struct Signals {
    Signals()
    {
        for (size_t i = 0; i < COUNT; i++)
            sigaction(numbers[i], nullptr, &before[i]);
    }
    void restore() const
    {
        for (size_t i = 0; i < COUNT; i++)
            sigaction(numbers[i], &before[i], nullptr);
    }

    static constexpr size_t COUNT = 3;
    static constexpr int numbers[COUNT] = {SIGINT, SIGSEGV, SIGBUS};
    struct sigaction before[COUNT];
};

static s4u::Engine *make_engine()
{
    std::vector<std::string> options = {"netsim", "--log=root.thresh:critical"};
    for (const auto &more : {machine_options(), player_options()})
        options.insert(options.end(), more.begin(), more.end());
    std::vector<char *> arguments;
    for (std::string &option : options)
        arguments.push_back(option.data());
    arguments.push_back(nullptr);
    int count = static_cast<int>(options.size());
    Signals signals;
    auto *engine = new s4u::Engine(&count, arguments.data());
    signals.restore();
    return engine;
}

static void run(const flow_machine *machine, const flow_program *program, flow_verdict *verdict)
{
    s4u::Engine *engine = make_engine(); // never deleted: see above
    std::shared_ptr<Job> job = player_start(program, machine_make(machine), verdict);
    s4u::Engine::on_deadlock_cb([] { throw Over(); });
    s4u::Engine::on_time_advance_cb([job](double) {
        if (player_stops(*job))
            throw Over();
    });
    try {
        engine->run();
    } catch (const Over &) {
        player_judge(*job);
    }
}

extern "C" __attribute__((visibility("default"))) void netsim_flow_run(int version,
                                                                       const flow_machine *machine,
                                                                       const flow_program *program,
                                                                       flow_verdict *verdict)
{
    *verdict = {};
    verdict->outcome = FLOW_BROKEN;
    std::snprintf(verdict->simgrid, sizeof verdict->simgrid, "%d.%d", SIMGRID_VERSION_MAJOR,
                  SIMGRID_VERSION_MINOR);
    if (version != FLOW_PLUGIN_VERSION) {
        std::snprintf(verdict->text, sizeof verdict->text,
                      "the plugin for SimGrid is of another version of netsim (%d, not %d)",
                      FLOW_PLUGIN_VERSION, version);
        return;
    }
    if (!program)
        return;
    try {
        std::snprintf(verdict->text, sizeof verdict->text, "SimGrid has ended before the program");
        run(machine, program, verdict);
    } catch (const std::exception &fault) {
        std::snprintf(verdict->text, sizeof verdict->text, "%s", fault.what());
    }
}
