// SPDX-License-Identifier: GPL-3.0-or-later
// Half the round trip between ranks 0 and 1, for smpirun: each argument is a size; prints
// "SIZE SECONDS". No message of another kind is under way meanwhile.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM 3
#define ROUNDS 10

static void round_trip(char *buffer, int size, int rank)
{
    int other = 1 - rank;
    if (rank == 0)
        MPI_Send(buffer, size, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer, size, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(buffer, size, MPI_BYTE, other, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc && rank < 2; i++) {
        int size = (int)strtol(argv[i], NULL, 10);
        char *buffer = malloc((size_t)size + 1);
        double start = 0;
        for (int round = -WARM; round <= ROUNDS; round++) {
            // The last one of all is not timed: nothing follows the others too soon.
            if (round == 0)
                start = MPI_Wtime();
            if (round == ROUNDS && rank == 0)
                printf("%d %.10f\n", size, (MPI_Wtime() - start) / (2 * ROUNDS));
            round_trip(buffer, size, rank);
        }
        free(buffer);
    }
    MPI_Finalize();
    return 0;
}
