// SPDX-License-Identifier: GPL-3.0-or-later
// Flows as a device of sim/mpi: messages have MPI's rules from there (arrival.h), a stack's own
// costs by their size (flow_costs.h), and share links by max-min fairness (share.h).
//
//   - A send keeps its processor busy for `send`; then its bytes queue at its host's
//     card, which sends message after message, and share the links of their route.
//   - An eager message arrives `latency` after its last byte, in the queue of its process, which
//     handles it when the library makes progress, for `receive`.
//   - A longer one, or one of a synchronous send, asks first: the question and its answer are
//     messages of nothing, handled by the two processes in MPI calls, and then its bytes follow.
//   - Within a host a message takes its latency only.
#ifndef NETSIM_FLOW_FLOW_DEVICE_H
#define NETSIM_FLOW_FLOW_DEVICE_H

#include "sim/flow/flow_costs.h"
#include "sim/model/job.h"

struct flow_device;

// The states of its requests.
extern const struct machine_kind flow_request_machine;

// A stack that plays the messages of a case on flows (run_options.stack). The case must outlive it.
// The caller frees it with flow_device_free.
struct flow_device *flow_device_new(const struct registry *registry,
                                    const struct scenario_case *test_case);
void flow_device_free(struct flow_device *device);

const struct stack *flow_device_stack(const struct flow_device *device);
const struct flow_costs *flow_device_costs(const struct flow_device *device);

#endif
