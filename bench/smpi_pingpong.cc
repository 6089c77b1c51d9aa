// SPDX-License-Identifier: GPL-3.0-or-later
// The messages benchmark's ping-pongs of 4 B in SMPI, SimGrid's MPI. `netsim bench` builds and runs it.
//
//     smpirun -np 2 -platform smpi_pair.xml smpi_pingpong PINGPONGS
//
// To be fair to SMPI: no tracing, no computation between the calls is timed or simulated
// (smpi/simulate-computation:no), and the clock, of the
// processor, runs around the ping-pongs alone. SMPI runs all ranks in one process, and replaces
// clock_gettime by the simulated time, but not getrusage. Prints one line of JSON.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

namespace
{

double
Seconds()
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

} // namespace

int
main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int count = argc == 2 ? std::atoi(argv[1]) : 0;
    char data[4] = {};
    const double start = Seconds();
    for (int i = 0; i < count; i++)
    {
        if (rank == 0)
        {
            MPI_Send(data, sizeof data, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, sizeof data, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        else
        {
            MPI_Recv(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
    {
        std::printf("{\"received\": %d, \"cpu_s\": %.9f}\n", 2 * count, Seconds() - start);
    }
    MPI_Finalize();
    return 0;
}
