// SPDX-License-Identifier: GPL-3.0-or-later
// Code that all readers of an OTF2 archive share: errors, and the events of a location.
#include "sim/recording/otf2_calls.h"

// ---- Errors ----

void otf2_complain(struct otf2_archive *archive, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    struct source_mark mark = {archive->path, 0, 0};
    diag_add(archive->diags, mark, NULL, hint, "%s", text);
    g_free(text);
}

void otf2_complain_at(struct otf2_archive *archive, int rank, uint64_t event, const char *hint,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    otf2_complain(archive, hint, "rank %d, event %" G_GUINT64_FORMAT ": %s", rank, event, text);
    g_free(text);
}

bool otf2_fail(struct otf2_calls *calls, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    otf2_complain_at(calls->archive, calls->rank, calls->event, hint, "%s", text);
    g_free(text);
    calls->bad = true;
    return false;
}

// ---- Events ----

OTF2_CallbackCode otf2_over(struct otf2_calls *calls, bool good)
{
    calls->bad = calls->bad || !good;
    return calls->bad ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

struct otf2_calls *otf2_at_event(void *owner, uint64_t event)
{
    struct otf2_calls *calls = owner;
    calls->event = event;
    return calls;
}

int otf2_line(uint64_t event)
{
    return event < INT_MAX ? (int)event : INT_MAX;
}

bool otf2_read_events(struct otf2_archive *archive, OTF2_LocationRef location,
                      OTF2_EvtReaderCallbacks *callbacks, void *owner, int rank,
                      const uint64_t *event)
{
    uint64_t count = 0;
    g_clear_pointer(&archive->problem, g_free);
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(archive->reader, location);
    OTF2_ErrorCode code = OTF2_ERROR_INVALID;
    if (reader &&
        OTF2_Reader_RegisterEvtCallbacks(archive->reader, reader, callbacks, owner) == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllLocalEvents(archive->reader, reader, &count);
    if (code != OTF2_SUCCESS && code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
        otf2_complain_at(archive, rank, *event, "the archive may have been cut off",
                         "what follows cannot be read: %s",
                         archive->problem ? archive->problem : OTF2_Error_GetDescription(code));
    if (reader)
        OTF2_Reader_CloseEvtReader(archive->reader, reader);
    return code == OTF2_SUCCESS || code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
}
