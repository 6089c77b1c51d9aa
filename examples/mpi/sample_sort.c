// SPDX-License-Identifier: GPL-3.0-or-later
// Sample sort: each rank sorts its keys and gives samples of them, which all ranks gather and
// take the same splitters from; then all exchange the numbers of keys (alltoall), exchange the keys
// (alltoallv), and sort those received.
//
//     smpicc -O2 sample_sort.c -o sample_sort        (or mpicc)
//     sample_sort [KEYS_PER_RANK [SAMPLES_PER_RANK]]
//
// At the end each rank must be sorted, begin where the one below it ends, and count and sum of all
// keys must be what they were.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

static int *integers(long count)
{
    int *values = calloc((size_t)(count ? count : 1), sizeof *values);
    if (!values)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return values;
}

// Keys that crowd at the low end: the product of two numbers of 15 bits (Knuth's MMIX generator).
static void draw(int *keys, int count, int rank)
{
    unsigned long long state = 0x9e3779b97f4a7c15ull * (unsigned)(rank + 1);
    for (int i = 0; i < count; i++) {
        int factor[2];
        for (int j = 0; j < 2; j++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            factor[j] = (int)(state >> 49);
        }
        keys[i] = factor[0] * factor[1];
    }
}

// Puts into counts[i] how many of the sorted keys belong to rank i: those up to its splitter, and
// the rest to the last rank.
static void divide(const int *keys, int count, const int *splitters, int ranks, int *counts)
{
    int rank = 0;
    for (int i = 0; i < count; i++) {
        while (rank < ranks - 1 && keys[i] > splitters[rank])
            rank++;
        counts[rank]++;
    }
}

static int offsets(const int *counts, int ranks, int *offset)
{
    int sum = 0;
    for (int i = 0; i < ranks; i++) {
        offset[i] = sum;
        sum += counts[i];
    }
    return sum;
}

static long sum_of(const int *keys, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += keys[i];
    return sum;
}

// Whether the rank's keys are in order, and none is less than the greatest key of the ranks below.
static int in_order(const int *keys, int count, int rank, int ranks)
{
    int below = -1, fine = 1;
    if (rank > 0)
        MPI_Recv(&below, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) {
        fine = fine && below <= keys[i];
        below = keys[i];
    }
    if (rank < ranks - 1)
        MPI_Send(&below, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    return fine;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int count = argc > 1 ? atoi(argv[1]) : 16384, samples = argc > 2 ? atoi(argv[2]) : 64;
    if (count < 1 || samples < 1 || samples > count) {
        if (rank == 0)
            fprintf(stderr, "sample_sort: %d samples of %d keys\n", samples, count);
        MPI_Finalize();
        return EXIT_FAILURE;
    }
    int *keys = integers(count), *own = integers(samples), *all = integers((long)samples * ranks);
    int *splitters = integers(ranks), *sends = integers(ranks), *takes = integers(ranks);
    int *send_at = integers(ranks), *take_at = integers(ranks);
    draw(keys, count, rank);
    long before[2] = {count, sum_of(keys, count)}, was[2], after[2], is[2];

    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    qsort(keys, (size_t)count, sizeof *keys, compare);
    for (int i = 0; i < samples; i++)
        own[i] = keys[(long)count * i / samples];
    MPI_Allgather(own, samples, MPI_INT, all, samples, MPI_INT, MPI_COMM_WORLD);
    qsort(all, (size_t)samples * (size_t)ranks, sizeof *all, compare);
    for (int i = 0; i < ranks - 1; i++)
        splitters[i] = all[samples * (i + 1)];

    divide(keys, count, splitters, ranks, sends);
    MPI_Alltoall(sends, 1, MPI_INT, takes, 1, MPI_INT, MPI_COMM_WORLD);
    offsets(sends, ranks, send_at);
    int taken = offsets(takes, ranks, take_at);
    int *sorted = integers(taken);
    MPI_Alltoallv(keys, sends, send_at, MPI_INT, sorted, takes, take_at, MPI_INT, MPI_COMM_WORLD);
    qsort(sorted, (size_t)taken, sizeof *sorted, compare);
    double seconds = MPI_Wtime() - began;

    after[0] = taken;
    after[1] = sum_of(sorted, taken);
    int fine = in_order(sorted, taken, rank, ranks), right;
    MPI_Allreduce(before, was, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(after, is, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    fine = fine && was[0] == is[0] && was[1] == is[1];
    MPI_Allreduce(&fine, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sample_sort: %ld keys, sum %ld: %s\n%.6f s\n", is[0], is[1],
               right ? "right" : "WRONG", seconds);
    MPI_Finalize();
    return !right;
}
