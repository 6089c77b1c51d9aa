// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/flatten_case.h"

struct flatten *flatten_case(const struct registry *registry, const struct scenario_case *test_case,
                             const struct workload *workload)
{
    const struct workload *asked = workload ? workload : &test_case->workload;
    const struct stack *stack = registry_stack(registry, test_case->stack->name);
    const struct benchmark *benchmark =
        asked->benchmark ? registry_benchmark(registry, asked->benchmark->name) : NULL;
    const struct mpi_library_config *library =
        stack->library_section ? scenario_section_values(test_case, stack->library_section) : NULL;
    struct flatten *flatten = flatten_new(workload_source(benchmark, asked), asked->ranks, library);
    flatten_own_source(flatten);
    return flatten;
}
