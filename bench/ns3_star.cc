// SPDX-License-Identifier: GPL-3.0-or-later
// The star benchmark's frames in ns-3: HOSTS hosts on one 100 Mb/s store-and-forward switch, each
// sending 1,460-byte frames to its neighbour at line rate. `netsim bench` builds and runs it.
//
//     ns3_star csma|point-to-point HOSTS SIMULATED-SECONDS [STEP-NS CABLE-NS]
//
// Host I begins I times STEP-NS late, and its cable is I times CABLE-NS longer than 500 ns.
//
// csma is the usual model of switched Ethernet in ns-3: one two-station CSMA channel per cable, and
// a BridgeNetDevice as switch. Such a cable is half duplex, so it delivers fewer of these frames.
// point-to-point is the faster of the two, and the one that is compared: full duplex, cheaper devices,
// no address learning, and a switch that is one pointer from port to port.
//
// To be fair to ns-3: no internet stack, no tracing, no packet printing, no checksums, Debian's optimised
// library, its fastest scheduler; one event per frame makes the load; the clock, of the
// processor, runs around Simulator::Run alone. Prints one line of JSON.

#include <ns3/bridge-module.h>
#include <ns3/core-module.h>
#include <ns3/csma-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace
{

constexpr uint64_t kBitsPerSecond = 100'000'000;
constexpr uint32_t kFrameBytes = 1460; // on the wire, headers included
constexpr uint32_t kQueuePackets = 1000;
constexpr int kCableNs = 500;

uint64_t g_sent;
uint64_t g_received;

// Sends frames without a pause between them.
struct Sender
{
    ns3::Ptr<ns3::NetDevice> device;
    ns3::Address to;
    uint32_t payload; // what the device's headers leave of a frame
    ns3::Time period;

    void
    Send()
    {
        g_sent++;
        device->Send(ns3::Create<ns3::Packet>(payload), to, 0x0800);
        ns3::Simulator::Schedule(period, &Sender::Send, this);
    }
};

bool
Receive(ns3::Ptr<ns3::NetDevice>, ns3::Ptr<const ns3::Packet>, uint16_t, const ns3::Address&)
{
    g_received++;
    return true;
}

// A switch port of the point-to-point star: what arrives here leaves by `out`.
struct Port
{
    ns3::Ptr<ns3::NetDevice> out;

    bool
    Forward(ns3::Ptr<ns3::NetDevice>, ns3::Ptr<const ns3::Packet> packet, uint16_t protocol,
            const ns3::Address&)
    {
        return out->Send(packet->Copy(), out->GetBroadcast(), protocol);
    }
};

// One cable for each host; [host] is the host's end, [switch] the switch's.
struct Star
{
    std::vector<ns3::Ptr<ns3::NetDevice>> hosts;
    ns3::NetDeviceContainer ports;
};

template <class Helper>
Star
Cables(Helper& helper, const ns3::NodeContainer& hosts, const ns3::Ptr<ns3::Node>& hub, int cableNs)
{
    Star star;
    for (uint32_t i = 0; i < hosts.GetN(); i++)
    {
        helper.SetChannelAttribute(
            "Delay", ns3::TimeValue(ns3::NanoSeconds(kCableNs + static_cast<int>(i) * cableNs)));
        const ns3::NetDeviceContainer ends =
            helper.Install(ns3::NodeContainer(hosts.Get(i), hub));
        star.hosts.push_back(ends.Get(0));
        star.ports.Add(ends.Get(1));
    }
    return star;
}

Star
CsmaStar(const ns3::NodeContainer& hosts, const ns3::Ptr<ns3::Node>& hub, int cableNs)
{
    ns3::CsmaHelper helper;
    helper.SetChannelAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(kBitsPerSecond)));
    Star star = Cables(helper, hosts, hub, cableNs);
    ns3::BridgeHelper().Install(hub, star.ports);
    return star;
}

Star
PointToPointStar(const ns3::NodeContainer& hosts,
                 const ns3::Ptr<ns3::Node>& hub,
                 int cableNs,
                 std::vector<Port>& forwarders)
{
    ns3::PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(kBitsPerSecond)));
    Star star = Cables(helper, hosts, hub, cableNs);
    const uint32_t count = hosts.GetN();
    forwarders.resize(count);
    for (uint32_t i = 0; i < count; i++)
    {
        forwarders[i].out = star.ports.Get((i + 1) % count);
        star.ports.Get(i)->SetReceiveCallback(
            ns3::MakeCallback(&Port::Forward, &forwarders[i]));
    }
    return star;
}

} // namespace

int
main(int argc, char** argv)
{
    const bool csma = argc >= 4 && std::strcmp(argv[1], "csma") == 0;
    if ((argc != 4 && argc != 6) || (!csma && std::strcmp(argv[1], "point-to-point") != 0))
    {
        std::fprintf(stderr, "usage: ns3_star csma|point-to-point HOSTS SIMULATED-SECONDS [STEP-NS CABLE-NS]\n");
        return 1;
    }
    const auto count = static_cast<uint32_t>(std::atoi(argv[2]));
    const double duration = std::atof(argv[3]);
    const int stepNs = argc == 6 ? std::atoi(argv[4]) : 0;
    const int cableNs = argc == 6 ? std::atoi(argv[5]) : 0;

    ns3::Config::SetDefault("ns3::DropTailQueue<Packet>::MaxSize",
                            ns3::QueueSizeValue({ns3::QueueSizeUnit::PACKETS, kQueuePackets}));
    ns3::NodeContainer hosts(count);
    const ns3::Ptr<ns3::Node> hub = ns3::CreateObject<ns3::Node>();
    std::vector<Port> forwarders;
    const Star star = csma ? CsmaStar(hosts, hub, cableNs)
                           : PointToPointStar(hosts, hub, cableNs, forwarders);

    // CSMA frames carry 18 bytes of Ethernet header and check sequence, point-to-point ones 2 of PPP.
    const uint32_t payload = kFrameBytes - (csma ? 18 : 2);
    const ns3::Time period = ns3::DataRate(kBitsPerSecond).CalculateBytesTxTime(kFrameBytes);
    std::vector<Sender> senders(count);
    for (uint32_t i = 0; i < count; i++)
    {
        senders[i] = {star.hosts[i], star.hosts[(i + 1) % count]->GetAddress(), payload, period};
        star.hosts[i]->SetReceiveCallback(ns3::MakeCallback(&Receive));
        ns3::Simulator::Schedule(
            ns3::NanoSeconds(static_cast<int>(i) * stepNs), &Sender::Send, &senders[i]);
    }

    ns3::ObjectFactory scheduler;
    scheduler.SetTypeId("ns3::PriorityQueueScheduler");
    ns3::Simulator::SetScheduler(scheduler);
    ns3::Simulator::Stop(ns3::Seconds(duration));
    const std::clock_t start = std::clock(); // of the processor
    ns3::Simulator::Run();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("{\"hosts\": %u, \"sent\": %llu, \"received\": %llu, \"events\": %llu, "
                "\"cpu_s\": %.9f}\n",
                count,
                static_cast<unsigned long long>(g_sent),
                static_cast<unsigned long long>(g_received),
                static_cast<unsigned long long>(ns3::Simulator::GetEventCount()),
                seconds);
    ns3::Simulator::Destroy();
    return 0;
}
