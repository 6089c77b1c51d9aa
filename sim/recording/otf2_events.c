// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a rank, as calls.
#include "sim/recording/otf2_calls.h"

#include <math.h>
#include <string.h>

#define EVENT_MOST_BYTES (UINT64_C(1) << 50)
#define PS_PER_S 1e12

// ---- Time ----

void otf2_end_work(struct otf2_calls *calls, OTF2_TimeStamp now)
{
    if (calls->begun && !calls->paused && now > calls->since)
        calls->ticks += now - calls->since;
    calls->since = now;
}

void otf2_put_work(struct otf2_calls *calls, uint64_t event)
{
    struct recorded_call call = recorded_call(OP_COMPUTE, otf2_line(event));
    call.work = round((double)calls->ticks / (double)calls->archive->resolution * PS_PER_S);
    calls->ticks = 0;
    if (call.work > 0)
        otf2_put(calls, &call);
}

// While recording is off, the program's work is not to be replayed.
static OTF2_CallbackCode on_measurement(OTF2_LocationRef location, OTF2_TimeStamp time,
                                        uint64_t event, void *owner, OTF2_AttributeList *attributes,
                                        OTF2_MeasurementMode mode)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)attributes;
    if (calls->depth == 0)
        otf2_end_work(calls, time);
    calls->paused = mode == OTF2_MEASUREMENT_OFF;
    return OTF2_CALLBACK_SUCCESS;
}

// The time in which the tracer wrote its buffer is not the program's.
static OTF2_CallbackCode on_flush(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                  void *owner, OTF2_AttributeList *attributes, OTF2_TimeStamp stop)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)attributes;
    if (calls->depth == 0 && stop > time) {
        otf2_end_work(calls, time);
        calls->since = stop;
    }
    return OTF2_CALLBACK_SUCCESS;
}

// ---- Messages ----

bool otf2_expects(struct otf2_calls *calls, const char *record, unsigned kinds)
{
    const struct otf2_current *current = &calls->current;
    if (calls->depth > 0 && kinds >> current->function->region->kind & 1)
        return true;
    if (calls->depth == 0)
        return otf2_fail(calls, "functions of MPI must be recorded, too",
                         "a record %s outside of any call", record);
    return otf2_fail(calls, NULL, "a record %s in %s", record, current->function->name);
}

// The message of a record; `there` is false after an error.
static struct otf2_message message_of(struct otf2_calls *calls, uint32_t peer,
                                      OTF2_CommRef reference, uint32_t tag, uint64_t length)
{
    struct otf2_message message = {.event = calls->event};
    struct otf2_communicator *communicator =
        otf2_communicator(calls->archive, reference, calls->rank, calls->event);
    if (!communicator)
        return message;
    int member = peer < (uint32_t)INT_MAX ? (int)peer : -1;
    if (communicator->global_ranks && member >= 0)
        member = otf2_member(communicator, member);
    if (member < 0 || member >= otf2_members(communicator))
        otf2_fail(calls, NULL, "%u is no rank of communicator %s of %d", peer, communicator->name,
                  otf2_members(communicator));
    else if (tag > INT_MAX || length > EVENT_MOST_BYTES)
        otf2_fail(calls, NULL, "a message with tag %u of %" G_GUINT64_FORMAT " B", tag, length);
    else
        message =
            (struct otf2_message){true,   calls->event, otf2_number(calls->archive, communicator),
                                  member, (int64_t)tag, (int64_t)length};
    return message;
}

struct recorded_call otf2_call(const struct otf2_calls *calls, enum op_code code,
                               const struct otf2_message *message)
{
    struct recorded_call call = recorded_call(code, otf2_line(calls->current.event));
    call.communicator = message->communicator;
    call.peer = message->peer;
    call.tag = message->tag;
    call.size = message->size;
    return call;
}

// Keeps the message until the call is left; it has one of each direction at most.
static bool keep_message(struct otf2_calls *calls, struct otf2_message *place,
                         const struct otf2_message *message)
{
    if (message->there && place->there)
        return otf2_fail(calls, NULL, "a second message in %s", calls->current.function->name);
    *place = *message;
    return message->there;
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                 void *owner, OTF2_AttributeList *attributes, uint32_t receiver,
                                 OTF2_CommRef communicator, uint32_t tag, uint64_t length)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    if (!otf2_expects(calls, "of a send that blocks", OTF2_ONE(SEND) | OTF2_ONE(SENDRECV)))
        return OTF2_CALLBACK_INTERRUPT;
    const struct otf2_message message = message_of(calls, receiver, communicator, tag, length);
    return otf2_over(calls, keep_message(calls, &calls->current.sent, &message));
}

static OTF2_CallbackCode on_receive(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                    void *owner, OTF2_AttributeList *attributes, uint32_t sender,
                                    OTF2_CommRef communicator, uint32_t tag, uint64_t length)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    if (!otf2_expects(calls, "of a receive that blocks", OTF2_ONE(RECV) | OTF2_ONE(SENDRECV)))
        return OTF2_CALLBACK_INTERRUPT;
    const struct otf2_message message = message_of(calls, sender, communicator, tag, length);
    return otf2_over(calls, keep_message(calls, &calls->current.received, &message));
}

// ---- Requests ----

static bool starts(struct otf2_calls *calls, const char *record, enum otf2_kind kind)
{
    if (!otf2_expects(calls, record, 1u << kind | OTF2_ONE(START)))
        return false;
    bool many = calls->current.function->region->kind == OTF2_KIND_START;
    if (calls->current.started++ > 0 && !many)
        return otf2_fail(calls, NULL, "a second request in %s", calls->current.function->name);
    otf2_put_work(calls, calls->current.event);
    return true;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                  void *owner, OTF2_AttributeList *attributes, uint32_t receiver,
                                  OTF2_CommRef communicator, uint32_t tag, uint64_t length,
                                  uint64_t request)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    if (!starts(calls, "of a send that does not block", OTF2_KIND_ISEND))
        return OTF2_CALLBACK_INTERRUPT;
    const struct otf2_region *region = calls->current.function->region;
    if (region->kind == OTF2_KIND_START && calls->other_modes)
        return otf2_over(calls,
                         otf2_fail(calls, NULL,
                                   "the archive does not say in which mode the request sends: "
                                   "some were made with other modes than MPI_Send_init"));
    const struct otf2_message message = message_of(calls, receiver, communicator, tag, length);
    struct recorded_call call = otf2_call(calls, region->code, &message);
    return otf2_over(calls, message.there && otf2_start_send(calls, request, &call));
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                  void *owner, OTF2_AttributeList *attributes, uint64_t request)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    if (!starts(calls, "of a receive that does not block", OTF2_KIND_IRECV))
        return OTF2_CALLBACK_INTERRUPT;
    struct recorded_call call = recorded_call(OP_IRECV, otf2_line(calls->current.event));
    return otf2_over(calls, otf2_start_receive(calls, request, &call));
}

static OTF2_CallbackCode on_isend_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t event, void *owner, OTF2_AttributeList *attributes,
                                      uint64_t request)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    return otf2_over(calls, otf2_expects(calls, "of the end of a send", OTF2_ONE(WAIT)) &&
                                otf2_end_send(calls, request));
}

static OTF2_CallbackCode on_irecv_end(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t event, void *owner, OTF2_AttributeList *attributes,
                                      uint32_t sender, OTF2_CommRef communicator, uint32_t tag,
                                      uint64_t length, uint64_t request)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    if (!otf2_expects(calls, "of the end of a receive", OTF2_ONE(WAIT)))
        return OTF2_CALLBACK_INTERRUPT;
    const struct otf2_message message = message_of(calls, sender, communicator, tag, length);
    return otf2_over(calls, message.there && otf2_end_receive(calls, request, &message));
}

static OTF2_CallbackCode on_test(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                 void *owner, OTF2_AttributeList *attributes, uint64_t request)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    return otf2_over(calls,
                     otf2_expects(calls, "of a test", OTF2_ONE(WAIT)) && otf2_test(calls, request));
}

static OTF2_CallbackCode on_cancel(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                   void *owner, OTF2_AttributeList *attributes, uint64_t request)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    return otf2_over(calls, otf2_fail(calls, NULL,
                                      "request %" G_GUINT64_FORMAT
                                      " was cancelled: that cannot be replayed",
                                      request));
}

void otf2_register_messages(OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_flush);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_receive);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_isend_end);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv_end);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(callbacks, on_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_cancel);
}
