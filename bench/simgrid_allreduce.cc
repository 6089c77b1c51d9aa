// SPDX-License-Identifier: GPL-3.0-or-later
// The allreduce of the flow benchmark in SimGrid used bare: an actor for each rank and its mailboxes, by
// recursive doubling, over SimGrid's own fat tree. `netsim bench` builds and runs it.
//
//     simgrid_allreduce DOWN UP          (20,20,25 1,20,20: per level, from below; one rank on each host)
//
// To be fair to SimGrid: its plainest network model without cross traffic or windows, small stacks, no
// messages on the terminal, and no farewell: the process ends when the last rank has, as SimGrid takes
// long to clear away thousands of actors. There is no MPI in it: no matching by source and tag, no
// protocol of a library, no cost on the hosts. All links have one rate. Prints one line of JSON.

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

namespace
{

constexpr uint64_t kBytes = 65536;
constexpr double kRate = 125e6;   // bytes per second
constexpr double kLatency = 2e-6; // seconds a link

struct Job
{
    int ranks = 0;
    int ended = 0;
    uint64_t messages = 0;
};

std::vector<unsigned>
Numbers(const char* text)
{
    std::vector<unsigned> numbers;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');)
    {
        numbers.push_back(static_cast<unsigned>(std::atoi(part.c_str())));
    }
    return numbers;
}

// A rank's messages of one round come to a mailbox of their own.
s4u::Mailbox*
Box(int rank, int round)
{
    return s4u::Mailbox::by_name(std::to_string(rank) + "." + std::to_string(round));
}

void
Exchange(Job& job, int me, int peer, int round, bool sends, bool receives)
{
    s4u::CommPtr sent;
    if (sends)
    {
        sent = Box(peer, round)->put_async(&job, kBytes);
        job.messages++;
    }
    if (receives)
    {
        Box(me, round)->get<Job>();
    }
    if (sent)
    {
        sent->wait();
    }
}

// Of ranks beyond a power of two, the first ones pair up, and one of each pair takes part.
void
Allreduce(Job& job, int rank)
{
    int power = 1;
    while (2 * power <= job.ranks)
    {
        power *= 2;
    }
    const int extra = job.ranks - power;
    const bool paired = rank < 2 * extra;
    const bool rests = paired && rank % 2 == 0;
    int round = 0;
    if (paired)
    {
        Exchange(job, rank, rank ^ 1, round, rests, !rests);
    }
    const int place = paired ? rank / 2 : rank - extra;
    for (int distance = 1; distance < power; distance *= 2)
    {
        round++;
        const int other = place ^ distance;
        if (!rests)
        {
            Exchange(job, rank, other < extra ? 2 * other + 1 : other + extra, round, true, true);
        }
    }
    if (paired)
    {
        Exchange(job, rank, rank ^ 1, round + 1, !rests, rests);
    }
}

void
Live(Job& job, int rank)
{
    Allreduce(job, rank);
    if (++job.ended < job.ranks)
    {
        return;
    }
    std::printf("{\"messages\": %llu, \"simulated_s\": %.9f}\n",
                static_cast<unsigned long long>(job.messages),
                s4u::Engine::get_clock());
    std::fflush(stdout);
    std::_Exit(0);
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 3)
    {
        std::fprintf(stderr, "usage: simgrid_allreduce DOWN UP\n");
        return 1;
    }
    std::vector<std::string> options = {"simgrid_allreduce",
                                        "--log=root.thresh:critical",
                                        "--cfg=network/model:CM02",
                                        "--cfg=network/TCP-gamma:0",
                                        "--cfg=network/crosstraffic:no",
                                        "--cfg=contexts/stack-size:64"};
    std::vector<char*> arguments;
    for (std::string& option : options)
    {
        arguments.push_back(option.data());
    }
    arguments.push_back(nullptr);
    int count = static_cast<int>(options.size());
    s4u::Engine engine(&count, arguments.data());

    const std::vector<unsigned> down = Numbers(argv[1]);
    const std::vector<unsigned> up = Numbers(argv[2]);
    const std::vector<unsigned> one(down.size(), 1);
    Job job;
    job.ranks = 1;
    for (unsigned number : down)
    {
        job.ranks *= static_cast<int>(number);
    }
    auto host = [](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
        s4u::Host* made = zone->create_host("host" + std::to_string(id), 1e9)->seal();
        return std::make_pair(made->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
    };
    s4u::create_fatTree_zone("machine",
                             nullptr,
                             s4u::FatTreeParams(static_cast<unsigned>(down.size()), down, up, one),
                             s4u::ClusterCallbacks(host),
                             kRate,
                             kLatency,
                             s4u::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
    for (int rank = 0; rank < job.ranks; rank++)
    {
        s4u::Actor::create("rank" + std::to_string(rank),
                           s4u::Host::by_name("host" + std::to_string(rank)),
                           [&job, rank] { Live(job, rank); });
    }
    engine.run();
    return 1; // some rank has not ended
}
