// SPDX-License-Identifier: GPL-3.0-or-later
// Sequences of states: lines of the state log in an order.
#include "sim/validate/judge_internal.h"

#include "sim/output/text.h"

// Whether a line matches a check's, which may leave out the end of the line after any word.
static bool matches(const char *pattern, const char *line)
{
    static const char *const ends[] = {"", " *", ":*", ",*"};
    bool same = false;
    for (size_t i = 0; i < G_N_ELEMENTS(ends) && !same; i++) {
        char *whole = g_strconcat(pattern, ends[i], NULL);
        same = g_pattern_match_simple(whole, line);
        g_free(whole);
    }
    return same;
}

static bool matches_any(const GPtrArray *patterns, const char *line)
{
    for (guint i = 0; i < patterns->len; i++)
        if (matches(g_ptr_array_index(patterns, i), line))
            return true;
    return false;
}

// How far the steps were found, and the line instead of the next one.
struct found {
    guint steps;
    const struct logged *last, *instead; // NULL: none
};

// From a line on, which is the first step.
static struct found follow(const struct check *check, const GArray *log, guint from)
{
    struct found found = {1, &g_array_index(log, struct logged, from), NULL};
    for (guint i = from + 1; i < log->len && found.steps < check->steps->len; i++) {
        const struct logged *logged = &g_array_index(log, struct logged, i);
        if (matches(g_ptr_array_index(check->steps, found.steps), logged->line)) {
            found.steps++;
            found.last = logged;
        } else if (matches_any(check->of, logged->line)) {
            found.instead = logged;
            return found;
        }
    }
    return found;
}

// The longest of all beginnings.
static struct found search(const struct check *check, const GArray *log)
{
    struct found best = {0};
    for (guint i = 0; i < log->len && best.steps < check->steps->len; i++) {
        if (!matches(g_ptr_array_index(check->steps, 0), g_array_index(log, struct logged, i).line))
            continue;
        struct found found = follow(check, log, i);
        if (found.steps > best.steps)
            best = found;
        if (check->of->len == 0)
            break; // a later beginning finds no more
    }
    return best;
}

static char *expected_text(const struct check *check)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < check->steps->len; i++)
        g_string_append_printf(out, "%s%s", i ? "; " : "",
                               (const char *)g_ptr_array_index(check->steps, i));
    for (guint i = 0; i < check->of->len; i++)
        g_string_append_printf(out, "%s%s", i ? ", " : ", with no other of ",
                               (const char *)g_ptr_array_index(check->of, i));
    return g_string_free(out, FALSE);
}

static void append_logged(GString *out, const char *before, const struct logged *logged)
{
    g_string_append_printf(out, "%s%s at ", before, logged->line);
    text_append_us(out, logged->when);
    g_string_append(out, " us");
}

void judge_transitions(struct judging *judging)
{
    const struct check *check = judging->check;
    const struct curve *curve = judging_curve(judging);
    char *why = NULL;
    judging->result->expected = expected_text(check);
    const GArray *log = runs_state_log(judging->context->runs, curve, &why);
    if (!log) {
        judging_give_up(judging, why);
        return;
    }
    struct found found = search(check, log);
    bool all = found.steps == check->steps->len;
    GString *out = g_string_new(NULL);
    if (all)
        g_string_append_printf(out, "all %u steps, the last", found.steps);
    else
        g_string_append_printf(out, "%u of %u steps", found.steps, check->steps->len);
    if (found.last)
        append_logged(out, all ? ": " : ", the last: ", found.last);
    if (!all)
        g_string_append_printf(out, "; then not %s",
                               (const char *)g_ptr_array_index(check->steps, found.steps));
    if (!all && found.instead)
        append_logged(out, ", but ", found.instead);
    judging->result->simulated = g_string_free(out, FALSE);
    judging_decide(judging, all);
}
