// SPDX-License-Identifier: GPL-3.0-or-later
// Events of OTF2 archives that are no calls of those that are replayed.
#include "sim/recording/otf2_calls.h"

static OTF2_CallbackCode otf2_refuse(void *owner, uint64_t event, const char *what)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    return otf2_over(calls, otf2_fail(calls, NULL, "%s cannot be replayed", what));
}

// The arguments that all callbacks begin with, and those of one.
#define REFUSAL(name, what, ...)                                                                   \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,  \
                                  void *owner, OTF2_AttributeList *attributes, __VA_ARGS__)        \
    {                                                                                              \
        (void)location, (void)time, (void)attributes;                                              \
        return otf2_refuse(owner, event, what);                                                    \
    }

#define UNUSED __attribute__((unused))
#define REFUSED_ONE_SIDED "one-sided communication"
#define REFUSALS_AHEAD "a collective that does not block"

REFUSAL(on_window, REFUSED_ONE_SIDED, UNUSED OTF2_RmaWinRef window)
REFUSAL(on_put, REFUSED_ONE_SIDED, UNUSED OTF2_RmaWinRef window, UNUSED uint32_t remote,
        UNUSED uint64_t bytes, UNUSED uint64_t matching)
REFUSAL(on_atomic, REFUSED_ONE_SIDED, UNUSED OTF2_RmaWinRef window, UNUSED uint32_t remote,
        UNUSED OTF2_RmaAtomicType type, UNUSED uint64_t sent, UNUSED uint64_t received,
        UNUSED uint64_t matching)
REFUSAL(on_sync, REFUSED_ONE_SIDED, UNUSED OTF2_RmaWinRef window, UNUSED uint32_t remote,
        UNUSED OTF2_RmaSyncType type)
REFUSAL(on_group_sync, REFUSED_ONE_SIDED, UNUSED OTF2_RmaSyncLevel level,
        UNUSED OTF2_RmaWinRef window, UNUSED OTF2_GroupRef group)
REFUSAL(on_io, "file access", UNUSED OTF2_IoHandleRef handle, UNUSED OTF2_IoOperationMode mode,
        UNUSED OTF2_IoOperationFlag flags, UNUSED uint64_t bytes, UNUSED uint64_t matching)
REFUSAL(on_request, REFUSALS_AHEAD, UNUSED uint64_t request)
REFUSAL(on_complete, REFUSALS_AHEAD, UNUSED OTF2_CollectiveOp operation,
        UNUSED OTF2_CommRef communicator, UNUSED uint32_t root, UNUSED uint64_t sent,
        UNUSED uint64_t received, UNUSED uint64_t request)
REFUSAL(on_context, "a program whose regions are recorded as calling contexts",
        UNUSED OTF2_CallingContextRef context, UNUSED uint32_t distance)

void otf2_register_refusals(OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(callbacks, on_window);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(callbacks, on_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(callbacks, on_put);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(callbacks, on_atomic);
    OTF2_EvtReaderCallbacks_SetRmaSyncCallback(callbacks, on_sync);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(callbacks, on_group_sync);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(callbacks, on_io);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks, on_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, on_complete);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(callbacks, on_context);
}
