// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/measure/books.h"

#include <string.h>

// The first line of the report, up to what is not there of the message besides, stands for the
// others.
void books_judge(struct series_result *result)
{
    if (result->status != SIM_COMPLETED || result->ledger_balanced)
        return;
    const struct {
        uint64_t count;
        const char *kind, *what;
    } faults[] = {
        {result->ledger.lost, "messages_lost", "lost"},
        {result->ledger.open, "messages_open", "not completed"},
        {result->ledger.duplicated, "messages_duplicated", "duplicated"},
        {result->ledger.misordered, "messages_misordered", "out of order"},
    };
    const char *kind = NULL;
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        if (faults[i].count == 0)
            continue;
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " %s", kind ? ", " : "",
                               faults[i].count, faults[i].what);
        kind = kind ? kind : faults[i].kind;
    }
    g_string_append_printf(text, " of %" G_GUINT64_FORMAT " messages", result->ledger.messages);
    if (result->ledger_report && result->ledger_report->len > 0) {
        const char *line = g_ptr_array_index(result->ledger_report, 0);
        g_string_append_printf(text, "; %.*s", (int)strcspn(line, ";"), line);
    }
    result->status = SIM_LOST;
    result->reason =
        json_pack("{s:s, s:s}", "kind", kind ? kind : "messages_lost", "text", text->str);
    g_string_free(text, TRUE);
}
