// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/nas/nas.h"

static const char *const class_names[] = {"S", "W", "A", "B", "C", NULL};

#define N struct nas_config
#define CLASS                                                                                      \
    PARAM(N, class, PARAM_CHOICE, .fallback = "A", .choices = class_names,                         \
          .doc = "size of the problem", .source = "chosen: the class that most publications have")
#define RATE(rate_, source_)                                                                       \
    PARAM(N, rate, PARAM_REAL, .fallback = (rate_), .least = "0.001", .most = "1000000",           \
          .doc = "10^6 operations per second of a rank, as the code counts them: all "             \
                 "computation",                                                                    \
          .source = (source_))

// For a Pentium 4 of 3.2 GHz. The codes that thesis 004 has run: the heights of the bars of
// its figure 4.8, read off to one digit; they do not depend on the network.
#define READ_OFF "estimated: from the scale of thesis 004, figure 4.8, to one digit"
#define PRIOR "assumed: between LU and SP, as in published results of such processors"

#define CODE(code, rate_, source_)                                                                 \
    static const struct param code##_params[] = {CLASS, RATE(rate_, source_), {0}};                \
    static const struct param_table code##_table = PARAM_TABLE(                                    \
        N, code##_params, .name = "nas." #code, .doc = "class and speed of nas." #code);           \
    static void code##_program(struct program *program, const struct workload *workload)           \
    {                                                                                              \
        nas_build(&nas_##code, program, workload);                                                 \
    }                                                                                              \
    static double code##_benchmark_operations(const struct workload *workload)                     \
    {                                                                                              \
        const struct nas_config *config = workload->parameters->values;                            \
        return nas_##code.operations(config->class, benchmark_repetitions(workload, 0));           \
    }                                                                                              \
    static int64_t code##_benchmark_iterations(const void *parameters, int64_t size)               \
    {                                                                                              \
        (void)size;                                                                                \
        return nas_##code.iterations[((const N *)parameters)->class];                              \
    }                                                                                              \
    static char *code##_benchmark_refusal(const void *parameters, int ranks)                       \
    {                                                                                              \
        return nas_##code.refusal(((const N *)parameters)->class, ranks);                          \
    }

static void nas_build(const struct nas_code *code, struct program *program,
                      const struct workload *workload)
{
    const struct nas_config *config = workload->parameters->values;
    for (int rank = 0; rank < workload->ranks; rank++) {
        struct program_part *part = program_add_part(program);
        g_array_append_val(part->ranks, rank);
        struct nas nas = {
            .program = program,
            .body = part->body,
            .rank = rank,
            .ranks = workload->ranks,
            .class = (enum nas_class)config->class,
            .iterations = benchmark_repetitions(workload, 0),
            .rate = config->rate * 1e6,
        };
        code->build(&nas);
    }
}

CODE(bt, "700", READ_OFF)
CODE(cg, "200", PRIOR)
CODE(ep, "11", READ_OFF)
CODE(ft, "400", PRIOR)
CODE(is, "30", READ_OFF)
CODE(lu, "700", READ_OFF)
CODE(mg, "300", READ_OFF)
CODE(sp, "200", READ_OFF)

#define BENCHMARK(code, doc_, peers_)                                                              \
    {                                                                                              \
        .schema = {.name = "nas." #code,                                                           \
                   .doc = doc_ ", of the NAS Parallel Benchmarks 3.3",                             \
                   .least_ranks = 1,                                                               \
                   .rank_per_host = true,                                                          \
                   .metrics = BENCHMARK_OPERATIONS_METRICS,                                        \
                   .sizeless = true,                                                               \
                   .overlapping = true,                                                            \
                   .peers = (peers_),                                                              \
                   .repetitions_for = code##_benchmark_iterations,                                 \
                   .refusal = code##_benchmark_refusal,                                            \
                   .parameters = &code##_table},                                                   \
        .report = {.all_ranks = true, .operations = code##_benchmark_operations},                  \
        .build = code##_program                                                                    \
    }

static const struct benchmark nas_benchmarks[] = {
    BENCHMARK(bt, "block tridiagonal solver, a square number of ranks", BENCHMARK_PEERS_FEW),
    BENCHMARK(cg, "conjugate gradient", BENCHMARK_PEERS_FEW),
    BENCHMARK(ep, "random numbers, embarrassingly parallel", BENCHMARK_PEERS_FEW),
    BENCHMARK(ft, "Fourier transform of a cube", BENCHMARK_PEERS_ALL),
    BENCHMARK(is, "sort of integers", BENCHMARK_PEERS_ALL),
    BENCHMARK(lu, "lower-upper solver in wavefronts", BENCHMARK_PEERS_FEW),
    BENCHMARK(mg, "multigrid", BENCHMARK_PEERS_FEW),
    BENCHMARK(sp, "scalar pentadiagonal solver, a square number of ranks", BENCHMARK_PEERS_FEW),
    {.schema = {.name = NULL}},
};

const struct model nas_model = {
    .name = "nas",
    .benchmarks = nas_benchmarks,
};
