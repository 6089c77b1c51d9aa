// SPDX-License-Identifier: GPL-3.0-or-later
// Packets that could not be sent when they were due. The kernel thread sends them before any data,
// oldest first, by TX-CB 2: by which one the thesis does not say (5.3.2).
#include "models/intercept/p3/p3_internal.h"

bool p3_send_postponed(struct cpu_context *context, struct p3_process *process)
{
    struct p3_postponed *first = process->postponed;
    if (!first || process->full)
        return false;
    bool sent = first->send ? p3_send_rts(context, process, first->send, P3_TX_THREAD)
                            : p3_answer_send(context, process, first->receive, first->kind);
    if (!sent)
        return false;
    process->postponed = first->next;
    pool_give(&process->postpones, first);
    return true;
}
