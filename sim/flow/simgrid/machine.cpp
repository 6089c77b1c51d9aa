// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/simgrid/machine.hpp"

#include <algorithm>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Link.hpp>
#include <simgrid/s4u/NetZone.hpp>
#include <stdexcept>

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

constexpr int MOST_LINKS_OF_ROUTE = 256;

// Rate, in units per second, of the link that ranks of one host share: no limit.
constexpr double LOCAL_RATE = 1e24;

// A route of any machine; asked for when a flow starts.
struct Zone : public routing::NetZoneImpl {
    explicit Zone(const flow_machine *described) : NetZoneImpl("machine"), machine(described) {}

    // All latency is in the factor (latency_of): the route's own is 1 s. Max-min weights are the
    // routes' latencies: so all flows weigh the same.
    void get_local_route(const routing::NetPoint *from, const routing::NetPoint *to,
                         routing::Route *route, double *latency) override
    {
        int found[MOST_LINKS_OF_ROUTE];
        *latency += 1;
        int count = machine->route(machine->owner, static_cast<int>(from->id()),
                                   static_cast<int>(to->id()), found, MOST_LINKS_OF_ROUTE);
        for (int i = 0; i < count; i++)
            route->link_list_.push_back(links[static_cast<size_t>(found[i])]->get_impl());
        if (count == 0 && from == to)
            route->link_list_.push_back(local->get_impl());
    }

    const flow_machine *machine;
    std::vector<s4u::Link *> links;
    s4u::Link *local = nullptr;
};

std::vector<std::string> machine_options()
{
    return {
        "--cfg=network/model:CM02",
        "--cfg=network/TCP-gamma:0", // no window
        "--cfg=network/weight-S:0",   "--cfg=network/crosstraffic:no",
        "--cfg=surf/precision:1e-12", // s
    };
}

static double latency_of(const flow_machine *machine, double units, const s4u::Host *from,
                         const s4u::Host *to)
{
    return machine->latency(machine->owner, units / UNITS_PER_BYTE,
                            static_cast<int>(from->get_netpoint()->id()),
                            static_cast<int>(to->get_netpoint()->id()));
}

static s4u::Link *make_link(s4u::NetZone *zone, const flow_link &link, int number)
{
    s4u::Link *made =
        zone->create_link("link" + std::to_string(number), link.rate * UNITS_PER_BYTE);
    if (link.one_by_one)
        made->set_concurrency_limit(1);
    return made->seal();
}

std::vector<s4u::Host *> machine_make(const flow_machine *machine)
{
    auto *zone = new Zone(machine); // the engine's
    s4u::NetZone *face = zone->get_iface();
    std::vector<s4u::Host *> hosts;
    for (int i = 0; i < machine->hosts; i++)
        hosts.push_back(face->create_host("host" + std::to_string(i), 1.0)->seal());
    for (int i = 0; i < machine->links; i++)
        zone->links.push_back(make_link(face, machine->link[i], i));
    zone->local = face->create_link("local", LOCAL_RATE)
                      ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
                      ->seal();
    face->get_network_model()->set_lat_factor_cb(
        [machine](double units, const s4u::Host *from, const s4u::Host *to,
                  const std::vector<s4u::Link *> &, const std::unordered_set<s4u::NetZone *> &) {
            return latency_of(machine, units, from, to);
        });
    face->seal();
    return hosts;
}
