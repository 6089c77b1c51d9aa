// SPDX-License-Identifier: GPL-3.0-or-later
// The output of commands on sweeps, from a database, and their exit codes.
#include "sim/cli/sweep.h"

#include "sim/core/shown.h"
#include "sim/outcome/outcome_report.h"
#include "sim/output/json.h"

enum cli_exit sweep_exit(const json_t *report)
{
    const json_t *ends = json_object_get(report, "ends");
    return json_integer_value(json_object_get(ends, "crashed")) ||
                   json_integer_value(json_object_get(ends, "lost"))
               ? CLI_CHECK_FAILED
               : CLI_DONE;
}

void sweep_print_csv(const struct outcome *outcome, bool means)
{
    GString *text = means ? outcome_means_csv(outcome) : outcome_csv(outcome);
    fwrite(text->str, 1, text->len, stdout);
    g_string_free(text, TRUE);
}

enum cli_exit sweep_print(struct store *store, bool csv, const char *format)
{
    GError *error = NULL;
    struct outcome *outcome = outcome_read(store, &error);
    if (!outcome) {
        return cli_refuse(error);
    }
    json_t *report = outcome_report_json(outcome);
    enum cli_exit code = sweep_exit(report);
    if (csv || g_strcmp0(format, "csv") == 0) {
        sweep_print_csv(outcome, !csv);
    } else {
        bool json = g_strcmp0(format, "json") == 0;
        char *text = json ? document_text(json_incref(report)) : outcome_report_text(outcome);
        if (json)
            shown_print(text, SHOWN_TEXT, stdout);
        else
            cli_print_text(text);
        g_free(text);
    }
    json_decref(report);
    outcome_free(outcome);
    return code;
}
