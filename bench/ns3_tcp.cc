// SPDX-License-Identifier: GPL-3.0-or-later
// The stream benchmark's path in ns-3: one TCP connection that sends all the time over two gigabit
// links with a switch (a router of no processing time) between them. `netsim bench` builds and runs it.
//
//     ns3_tcp SIMULATED-SECONDS
//
// To be fair to ns-3: point-to-point devices, static routes, no tracing, no packet printing, no
// checksums, buffers as in the benchmark, Debian's optimised library, its fastest scheduler; the clock
// runs around Simulator::Run alone. Packets count when a host's device has received them, those of
// data and those of acknowledgments. Prints one line of JSON.

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace
{

constexpr uint64_t kBitsPerSecond = 1'000'000'000;
constexpr uint32_t kBuffer = 262144;  // bytes, of sender and receiver
constexpr uint32_t kSegment = 1448;   // bytes of data in a packet of 1,500 B with timestamps
constexpr uint32_t kWrite = 8192;     // bytes
constexpr uint16_t kPort = 5001;
constexpr double kDelay = 2e-6;       // seconds a link, the switch's latency in it

uint64_t g_received;

void
Received(ns3::Ptr<const ns3::Packet>)
{
    g_received++;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 2)
    {
        std::fprintf(stderr, "usage: ns3_tcp SIMULATED-SECONDS\n");
        return 1;
    }
    const double duration = std::atof(argv[1]);
    ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(kSegment));
    ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(kBuffer));
    ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(kBuffer));
    ns3::Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                            ns3::TypeIdValue(ns3::TypeId::LookupByName("ns3::TcpNewReno")));

    ns3::NodeContainer nodes(3);
    ns3::PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(kBitsPerSecond)));
    link.SetChannelAttribute("Delay", ns3::TimeValue(ns3::Seconds(kDelay)));
    const ns3::NetDeviceContainer first = link.Install(nodes.Get(0), nodes.Get(1));
    const ns3::NetDeviceContainer second = link.Install(nodes.Get(1), nodes.Get(2));
    ns3::InternetStackHelper().Install(nodes);
    ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(first);
    addresses.NewNetwork();
    const ns3::Ipv4InterfaceContainer far = addresses.Assign(second);
    ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ns3::BulkSendHelper sender("ns3::TcpSocketFactory",
                               ns3::InetSocketAddress(far.GetAddress(1), kPort));
    sender.SetAttribute("MaxBytes", ns3::UintegerValue(0));
    sender.SetAttribute("SendSize", ns3::UintegerValue(kWrite));
    sender.Install(nodes.Get(0)).Start(ns3::Seconds(0));
    ns3::PacketSinkHelper sink("ns3::TcpSocketFactory",
                               ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    sink.Install(nodes.Get(2)).Start(ns3::Seconds(0));
    first.Get(0)->TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&Received));
    second.Get(1)->TraceConnectWithoutContext("MacRx", ns3::MakeCallback(&Received));

    ns3::ObjectFactory scheduler;
    scheduler.SetTypeId("ns3::PriorityQueueScheduler");
    ns3::Simulator::SetScheduler(scheduler);
    ns3::Simulator::Stop(ns3::Seconds(duration));
    const std::clock_t start = std::clock(); // of the processor
    ns3::Simulator::Run();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("{\"received\": %llu, \"events\": %llu, \"cpu_s\": %.9f}\n",
                static_cast<unsigned long long>(g_received),
                static_cast<unsigned long long>(ns3::Simulator::GetEventCount()),
                seconds);
    ns3::Simulator::Destroy();
    return 0;
}
