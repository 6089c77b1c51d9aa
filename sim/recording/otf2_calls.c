// SPDX-License-Identifier: GPL-3.0-or-later
// Regions of MPI as calls: a region's records become a call when the region is left.
#include "sim/recording/otf2_calls.h"

#include <string.h>

// ---- Regions ----

static bool enter_call(struct otf2_calls *calls, OTF2_RegionRef reference,
                       const struct otf2_function *function)
{
    const struct otf2_region *region = function->region;
    struct otf2_current *current = &calls->current;
    g_array_set_size(current->ended, 0);
    g_array_set_size(current->tested, 0);
    g_array_set_size(current->to_each, 0);
    g_array_set_size(current->from_each, 0);
    *current = (struct otf2_current){.function = function,
                                     .reference = reference,
                                     .event = calls->event,
                                     .ended = current->ended,
                                     .tested = current->tested,
                                     .to_each = current->to_each,
                                     .from_each = current->from_each};
    calls->depth = 1;
    if (region->kind == OTF2_KIND_REFUSED)
        return otf2_fail(calls, NULL, "%s cannot be replayed: %s", function->name, region->why);
    if (calls->finalized && region->kind != OTF2_KIND_LOCAL)
        return otf2_fail(calls, NULL, "%s after MPI_Finalize", function->name);
    calls->other_modes |= region->code == OP_SSEND_INIT || region->code == OP_RSEND_INIT;
    return true;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                  void *owner, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef reference)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)attributes;
    const struct otf2_function *function = otf2_function(calls->archive, reference);
    if (!function)
        return otf2_over(calls, otf2_fail(calls, NULL, "region %u is not defined", reference));
    if (!calls->entered) {
        calls->entered = true;
        calls->begun = !calls->archive->initializes;
        calls->since = time;
    }
    if (calls->depth > 0)
        calls->depth++;
    else if (function->region->kind != OTF2_KIND_OUTSIDE) {
        otf2_end_work(calls, time);
        return otf2_over(calls, enter_call(calls, reference, function));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static void put(struct otf2_calls *calls, const struct recorded_call *call)
{
    otf2_put_work(calls, calls->current.event);
    otf2_put(calls, call);
}

// A message to or from MPI_PROC_NULL has no record.
static bool leave_message(struct otf2_calls *calls, const struct otf2_message *message)
{
    struct recorded_call call = otf2_call(calls, calls->current.function->region->code, message);
    if (message->there)
        put(calls, &call);
    return true;
}

static bool leave_sendrecv(struct otf2_calls *calls)
{
    const struct otf2_current *current = &calls->current;
    const struct otf2_message *sent = &current->sent, *received = &current->received;
    struct recorded_call call = otf2_call(calls, current->function->region->code, sent);
    if (!sent->there && !received->there && calls->archive->eztrace)
        return otf2_fail(calls, "EZTrace 2.0 records no messages of it",
                         "the archive does not say what %s sends", current->function->name);
    if (!sent->there || !received->there) {
        call =
            received->there ? otf2_call(calls, OP_RECV, received) : otf2_call(calls, OP_SEND, sent);
    } else if (sent->communicator != received->communicator) {
        return otf2_fail(calls, NULL, "%s in two communicators", current->function->name);
    } else {
        call.source = received->peer;
        call.receive_tag = received->tag;
        call.receive_size = received->size;
    }
    if (sent->there || received->there)
        put(calls, &call);
    return true;
}

static bool leave_call(struct otf2_calls *calls)
{
    struct otf2_current *current = &calls->current;
    switch (current->function->region->kind) {
    case OTF2_KIND_SEND:
        return leave_message(calls, &current->sent);
    case OTF2_KIND_RECV:
        return leave_message(calls, &current->received);
    case OTF2_KIND_SENDRECV:
        return leave_sendrecv(calls);
    case OTF2_KIND_WAIT:
        if (current->ended->len > 0 || current->tested->len > 0)
            otf2_put_work(calls, current->event);
        return otf2_put_wait(calls);
    case OTF2_KIND_COLLECTIVE:
        return current->collected ||
               otf2_fail(calls, NULL, "the archive does not say what %s sends",
                         current->function->name);
    case OTF2_KIND_INIT:
        calls->begun = calls->initialized = true;
        calls->ticks = 0;
        return true;
    case OTF2_KIND_FINALIZE:
        calls->finalized = true;
        otf2_put_work(calls, current->event);
        return true;
    case OTF2_KIND_OUTSIDE:
    case OTF2_KIND_LOCAL:
    case OTF2_KIND_ISEND: // put by their records; a message with MPI_PROC_NULL has none
    case OTF2_KIND_IRECV:
    case OTF2_KIND_START:
    case OTF2_KIND_REFUSED:
        return true;
    }
    g_assert_not_reached();
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t event,
                                  void *owner, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef reference)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)attributes;
    if (calls->depth == 0 || --calls->depth > 0)
        return OTF2_CALLBACK_SUCCESS;
    calls->since = time;
    if (reference != calls->current.reference)
        return otf2_over(calls, otf2_fail(calls, NULL, "region %u is left within %s", reference,
                                          calls->current.function->name));
    return otf2_over(calls, leave_call(calls));
}

// ---- Collectives ----

// Bytes to or from a member, in MPI_Alltoallv.
static OTF2_CallbackCode on_parameter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t event, void *owner, OTF2_AttributeList *attributes,
                                      OTF2_ParameterRef parameter, uint64_t value)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    struct otf2_current *current = &calls->current;
    const char *name = otf2_parameter(calls->archive, parameter);
    (void)location, (void)time, (void)attributes;
    if (calls->depth == 0 || current->function->region->code != OP_ALLTOALLV)
        return OTF2_CALLBACK_SUCCESS;
    int64_t bytes = (int64_t)MIN(value, (uint64_t)INT64_MAX);
    if (strcmp(name, OTF2_TO_EACH) == 0)
        g_array_append_val(current->to_each, bytes);
    else if (strcmp(name, OTF2_FROM_EACH) == 0)
        g_array_append_val(current->from_each, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       uint64_t event, void *owner, OTF2_AttributeList *attributes,
                                       OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                       uint32_t root, uint64_t sent, uint64_t received)
{
    struct otf2_calls *calls = otf2_at_event(owner, event);
    (void)location, (void)time, (void)attributes;
    bool local = calls->depth > 0 && calls->current.function->region->kind == OTF2_KIND_LOCAL;
    if (local && operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        return OTF2_CALLBACK_SUCCESS; // as of MPI_Comm_split, which sends nothing of the program's
    if (!otf2_expects(calls, "of a collective", OTF2_ONE(COLLECTIVE)))
        return OTF2_CALLBACK_INTERRUPT;
    const struct otf2_collective collective = {calls->rank,
                                               event,
                                               communicator,
                                               {operation, root, sent, received},
                                               calls->current.to_each,
                                               calls->current.from_each};
    guint place =
        GPOINTER_TO_UINT(g_hash_table_lookup(calls->places, GUINT_TO_POINTER(communicator)));
    struct recorded_call call = recorded_call(OP_BARRIER, otf2_line(calls->current.event));
    if (calls->current.collected)
        return otf2_over(calls, otf2_fail(calls, NULL, "a second collective in %s",
                                          calls->current.function->name));
    if (!otf2_collective_call(calls->archive, &collective, place, calls->blocks, &call))
        return otf2_over(calls, false);
    if (call.code != calls->current.function->region->code)
        return otf2_over(calls, otf2_fail(calls, NULL, "a record of another collective in %s",
                                          calls->current.function->name));
    if (otf2_needs_sums(operation))
        g_hash_table_insert(calls->places, GUINT_TO_POINTER(communicator),
                            GUINT_TO_POINTER(place + 1));
    calls->current.collected = true;
    otf2_put_work(calls, calls->current.event);
    otf2_put(calls, &call);
    return OTF2_CALLBACK_SUCCESS;
}

// ---- A rank ----

static bool ended_well(struct otf2_calls *calls)
{
    if (calls->depth > 0 && calls->current.function->region->kind == OTF2_KIND_FINALIZE)
        leave_call(calls); // the recorder ended within it
    else if (calls->depth > 0)
        return otf2_fail(calls, "the program may have been aborted", "the events end within %s",
                         calls->current.function->name);
    if (calls->initialized && !calls->finalized)
        return otf2_fail(calls, "the program may have been aborted",
                         "the events do not end with MPI_Finalize");
    if (!calls->entered)
        return otf2_fail(calls, NULL, "there are no calls");
    return otf2_finish(calls);
}

bool otf2_read_calls(struct otf2_archive *archive, int rank)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    struct otf2_calls calls = {.archive = archive, .rank = rank};
    OTF2_LocationRef location =
        g_array_index(archive->rank_locations, OTF2_LocationRef, (guint)rank);
    otf2_requests_init(&calls);
    calls.blocks = g_array_new(FALSE, TRUE, sizeof(int64_t));
    calls.places = g_hash_table_new(NULL, NULL);
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(callbacks, on_parameter);
    otf2_register_messages(callbacks);
    otf2_register_refusals(callbacks);
    bool good = otf2_read_events(archive, location, callbacks, &calls, rank, &calls.event) &&
                !calls.bad && ended_well(&calls);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    otf2_requests_clear(&calls);
    g_array_unref(calls.blocks);
    g_hash_table_unref(calls.places);
    return good;
}
