// SPDX-License-Identifier: GPL-3.0-or-later
// The driver: input, timers and calls of the user mark what is due, and it is done here, at the end
// of each packet, timer and call. (The BSD stack: sctp_chunk_output at the end of
// sctp_common_input_processing and of sctp_timeout_handler.)
#include "models/sctp_cmt/sctp/setup.h"

// In this order; what one marks is done after it.
static const struct due_action {
    uint8_t mark; // enum sctp_due_mark
    void (*run)(struct cpu_context *context, struct sctp_association *association);
} due_actions[] = {
    {SCTP_DUE_ABORT, sctp_association_abort},
    {SCTP_DUE_RETRANSMISSION, sctp_output_timeout},
    {SCTP_DUE_OUTPUT, sctp_output},
    {SCTP_DUE_SEND, sctp_output_of_send},
    {SCTP_DUE_T1, sctp_t1_start},
    {SCTP_DUE_T2, sctp_t2_start},
    {SCTP_DUE_SHUTDOWN, sctp_shutdown_check},
};

void sctp_run_due(struct cpu_context *context, struct sctp_association *association)
{
    while (association->due && !association->ended) {
        const struct due_action *action = due_actions;
        while (!(association->due & action->mark))
            action++;
        association->due &= (uint8_t)~action->mark;
        action->run(context, association);
    }
}
