// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cases/case_check.h"

#include "tests/cases/case_outcome.h"

#include <stdio.h>
#include <string.h>

// ---- Facts ----

static char *books(const struct series_result *result)
{
    const struct ledger_totals *totals = &result->ledger;
    if (totals->misordered + totals->duplicated > 0)
        return g_strdup("misordered");
    return g_strdup(result->ledger_balanced ? "balanced" : "not balanced");
}

static char *fact_value(const struct case_outcome *outcome, const struct case_fact *fact)
{
    const struct program_run *run = outcome->run;
    if (strcmp(fact->what, "refused") == 0)
        return g_strdup(outcome->complaints);
    if (!run)
        return g_strdup_printf("refused: %s", outcome->complaints);
    if (strcmp(fact->what, "status") == 0)
        return g_strdup(sim_status_name(run->result->status));
    if (strcmp(fact->what, "books") == 0)
        return books(run->result);
    if (strcmp(fact->what, "ledger") == 0)
        return program_ledger_text(run);
    if (strcmp(fact->what, "reason") == 0)
        return program_reason(run, fact->name);
    return g_strdup_printf("%" G_GINT64_FORMAT, program_counter(run, fact->name));
}

// A failure is "fail FILE:LINE: expected X, got Y": begin_failure, X, ", got ", Y, end_failure.
static void begin_failure(const struct case_file *file, int line)
{
    printf("fail %s:%d: expected ", file->path, MAX(line, 1));
}

static bool end_failure(const struct case_file *file)
{
    printf("%s\n", file->with->str);
    return false;
}

// "12" is "12" and "10+"; other texts are the same or not.
static bool is_whole(const char *value, const char *expected)
{
    if (!g_str_has_suffix(expected, "+"))
        return strcmp(value, expected) == 0;
    return g_ascii_strtoll(value, NULL, 10) >= g_ascii_strtoll(expected, NULL, 10);
}

static bool check_fact(const struct case_file *file, const struct case_outcome *outcome,
                       const struct case_fact *fact)
{
    char *value = g_strchomp(fact_value(outcome, fact));
    bool good = fact->whole ? is_whole(value, fact->text) : strstr(value, fact->text) != NULL;
    if (!good) {
        char *why = outcome->run ? program_reason(outcome->run, "text") : g_strdup("");
        begin_failure(file, fact->line);
        printf("%s%s%s %c %s, got %s%s%s", fact->what, *fact->name ? " " : "", fact->name,
               fact->whole ? '=' : '~', *fact->text ? fact->text : "nothing",
               *value ? value : "nothing", *why ? ": " : "", why);
        end_failure(file);
        g_free(why);
    }
    g_free(value);
    return good;
}

// ---- Transitions ----

static double ms(sim_time when)
{
    return time_to_us(when) / 1000;
}

static bool in_time(const struct case_expectation *expectation, sim_time when)
{
    return when >= expectation->from && when <= expectation->to;
}

// Something that contains the text, of a place, in time.
static bool is_like(const struct program_line *line, const char *place,
                    const struct case_expectation *expectation)
{
    return strcmp(line->where, place) == 0 && in_time(expectation, line->when) &&
           strstr(line->text, expectation->text);
}

static void print_expectation(const struct case_expectation *expectation)
{
    printf("%s", expectation->text);
    if (expectation->from > 0)
        printf(" not before %.6f ms", ms(expectation->from));
    if (expectation->to < TIME_NEVER)
        printf(" not after %.6f ms", ms(expectation->to));
}

static bool check_next(const struct case_file *file, const struct case_expectation *expectation,
                       const struct program_line *line)
{
    if (line && strcmp(line->text, expectation->text) == 0 && in_time(expectation, line->when))
        return true;
    begin_failure(file, expectation->line);
    print_expectation(expectation);
    if (line)
        printf(", got %s at %.6f ms", line->text, ms(line->when));
    else
        printf(", got nothing more");
    return end_failure(file);
}

static bool check_count(const struct case_file *file, const struct case_block *block,
                        const struct case_expectation *expectation, const struct program_run *run)
{
    int count = 0;
    for (guint i = 0; i < run->lines->len; i++)
        count += is_like(g_ptr_array_index(run->lines, i), block->place, expectation);
    if (count == expectation->count || (expectation->at_least && count > expectation->count))
        return true;
    begin_failure(file, expectation->line);
    printf("%d%s x ", expectation->count, expectation->at_least ? "+" : "");
    print_expectation(expectation);
    printf(", got %d", count);
    return end_failure(file);
}

// Each of these happens, at whatever place, after the one before it; others may happen between.
static bool check_order(const struct case_file *file, const struct case_block *block,
                        const struct program_run *run)
{
    guint at = 0;
    for (guint i = 0; i < block->expected->len; i++) {
        const struct case_expectation *expectation =
            &g_array_index(block->expected, struct case_expectation, i);
        while (at < run->lines->len &&
               !is_like(g_ptr_array_index(run->lines, at), expectation->place, expectation))
            at++;
        if (at++ < run->lines->len)
            continue;
        begin_failure(file, expectation->line);
        printf("%s: ", expectation->place);
        print_expectation(expectation);
        printf(" after these, got nothing like it");
        return end_failure(file);
    }
    return true;
}

static bool check_block(const struct case_file *file, const struct case_block *block,
                        const struct program_run *run)
{
    guint at = 0;
    if (block->kind == CASE_ORDER)
        return check_order(file, block, run);
    for (guint i = 0; i < block->expected->len; i++) {
        const struct case_expectation *expectation =
            &g_array_index(block->expected, struct case_expectation, i);
        if (!(expectation->counted
                  ? check_count(file, block, expectation, run)
                  : check_next(file, expectation, case_next_line(file, block, run, &at))))
            return false;
    }
    const struct program_line *more = block->listed ? case_next_line(file, block, run, &at) : NULL;
    if (!more)
        return true;
    begin_failure(file, block->end);
    printf("nothing more, got %s at %.6f ms", more->text, ms(more->when));
    return end_failure(file);
}

bool case_check(const struct case_file *file)
{
    struct case_outcome outcome = case_outcome_of(file);
    bool good = true;
    for (guint i = 0; good && i < file->facts->len; i++)
        good = check_fact(file, &outcome, &g_array_index(file->facts, struct case_fact, i));
    for (guint i = 0; good && outcome.run && i < file->blocks->len; i++)
        good = check_block(file, g_ptr_array_index(file->blocks, i), outcome.run);
    case_outcome_free(&outcome);
    return good;
}
