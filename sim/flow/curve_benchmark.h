// SPDX-License-Identifier: GPL-3.0-or-later
// A curve's one-way times as the PingPong benchmark has them, with its own repetitions. Where a
// message's time depends on those before it (a card that holds interrupts off, a timer), they
// differ by some percent from those of few repetitions.
#ifndef NETSIM_FLOW_CURVE_BENCHMARK_H
#define NETSIM_FLOW_CURVE_BENCHMARK_H

#include "sim/flow/curve.h"

#define CURVE_BENCHMARK "pmb.pingpong"

// Replaces the curve's points by those of the benchmark: at its default sizes, at four per octave,
// on both sides of the eager limit, and wherever a line between two of them would miss a point by
// more than a percent. The processors' and the wire's parts of a message's time stay as in the
// curve. A stack without the benchmark keeps its curve. Returns false with *error (g_free) if a run
// fails. watch: as of flow_curve_measure.
bool curve_benchmark(const struct registry *registry, const struct scenario_case *test_case,
                     struct flow_curve *curve, const struct curve_watch *watch, char **error);

#endif
