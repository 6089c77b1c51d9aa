// SPDX-License-Identifier: GPL-3.0-or-later
// Runs case files (README.md in this folder) and compares what happened with what they expect.
//
//   test_cases FILE|FOLDER…          a line for each case: "pass FILE", or
//                                    "fail FILE:LINE: expected X, got Y";
//                                    ends with 0 if all pass, else with 1
//   test_cases --print FILE          the file with the transitions that really happened, on stdout;
//                                    writes nothing else
//   test_cases --print-times FILE    the same, with the time of each in a remark
#include "tests/cases/case_file.h"

#include <stdio.h>
#include <string.h>

// What became of a case.
struct outcome {
    struct program_run *run; // NULL: refused
    char *complaints;        // the compiler's
};

static gint by_time(gconstpointer a, gconstpointer b)
{
    const struct program_line *first = *(const struct program_line *const *)a,
                              *second = *(const struct program_line *const *)b;
    return first->when < second->when ? -1 : first->when > second->when;
}

static struct outcome run_case_file(const struct case_file *file)
{
    struct outcome outcome = {0};
    outcome.run = program_run_try(&file->program, 1, &outcome.complaints);
    if (outcome.run)
        g_ptr_array_sort(outcome.run->lines, by_time); // stable
    return outcome;
}

static void outcome_free(struct outcome *outcome)
{
    if (outcome->run)
        program_run_free(outcome->run);
    g_free(outcome->complaints);
}

// ---- Facts ----

static char *books(const struct series_result *result)
{
    const struct ledger_totals *totals = &result->ledger;
    if (totals->misordered + totals->duplicated > 0)
        return g_strdup("misordered");
    return g_strdup(result->ledger_balanced ? "balanced" : "not balanced");
}

static char *fact_value(const struct outcome *outcome, const struct case_fact *fact)
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

static bool check_fact(const struct case_file *file, const struct outcome *outcome,
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

// "show put, data server[1]": a machine, or one of its subjects.
static bool is_shown(const struct case_file *file, const struct program_line *line)
{
    for (char **shown = file->show; shown && *shown; shown++)
        if (strcmp(*shown, line->machine) == 0 ||
            (g_str_has_suffix(*shown, "]") && g_str_has_prefix(line->text, *shown)))
            return true;
    return false;
}

// The next one, from *at on, that the block lists: of its place and of a machine of "show".
static const struct program_line *next_line(const struct case_file *file,
                                            const struct case_block *block,
                                            const struct program_run *run, guint *at)
{
    while (*at < run->lines->len) {
        const struct program_line *line = g_ptr_array_index(run->lines, (*at)++);
        if (strcmp(line->where, block->place) == 0 && is_shown(file, line))
            return line;
    }
    return NULL;
}

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
                  : check_next(file, expectation, next_line(file, block, run, &at))))
            return false;
    }
    const struct program_line *more = block->listed ? next_line(file, block, run, &at) : NULL;
    if (!more)
        return true;
    begin_failure(file, block->end);
    printf("nothing more, got %s at %.6f ms", more->text, ms(more->when));
    return end_failure(file);
}

static bool check_variant(const struct case_file *file)
{
    struct outcome outcome = run_case_file(file);
    bool good = true;
    for (guint i = 0; good && i < file->facts->len; i++)
        good = check_fact(file, &outcome, &g_array_index(file->facts, struct case_fact, i));
    for (guint i = 0; good && outcome.run && i < file->blocks->len; i++)
        good = check_block(file, g_ptr_array_index(file->blocks, i), outcome.run);
    outcome_free(&outcome);
    return good;
}

static bool check_file(const char *path)
{
    bool good = true;
    for (int variant = 0, variants = 1; good && variant < variants; variant++) {
        struct case_file *file = case_file_read(path, variant);
        if (file->error)
            printf("fail %s\n", file->error);
        good = !file->error && check_variant(file);
        variants = file->variants;
        case_file_free(file);
    }
    if (good)
        printf("pass %s\n", path);
    return good;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Checks all case files of a folder, at least one.
static bool check_folder(const char *path)
{
    GDir *folder = g_dir_open(path, 0, NULL);
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    bool good = true;
    const char *name;
    while ((name = g_dir_read_name(folder)))
        if (g_str_has_suffix(name, ".case"))
            g_ptr_array_add(files, g_build_filename(path, name, NULL));
    g_ptr_array_sort(files, by_name);
    for (guint i = 0; i < files->len; i++)
        good &= check_file(g_ptr_array_index(files, i));
    if (files->len == 0)
        printf("fail %s:1: expected case files, got none\n", path);
    good &= files->len > 0;
    g_ptr_array_unref(files);
    g_dir_close(folder);
    return good;
}

// ---- Printing ----

static void print_happened(const struct case_file *file, const struct case_block *block,
                           const struct program_run *run, bool times)
{
    const struct program_line *line;
    guint at = 0;
    int count = 0;
    for (; (line = next_line(file, block, run, &at)); count++) {
        printf("    > %s", line->text);
        if (times)
            printf(" # at %.6f ms", ms(line->when));
        printf("\n");
    }
    if (count == 0)
        printf("    > nothing\n");
}

static bool is_list(const struct case_block *block)
{
    return block->listed && block->kind != CASE_ORDER;
}

// Where a case lists transitions; if it does so nowhere yet, everywhere.
static bool is_printed(const struct case_file *file, const struct case_block *block)
{
    bool anywhere = false;
    for (guint i = 0; i < file->blocks->len; i++)
        anywhere |= is_list(g_ptr_array_index(file->blocks, i));
    bool can = block->kind == CASE_RANK || block->kind == CASE_PLACE;
    return can && (block->listed || !anywhere);
}

static bool print_file(const char *path, bool times)
{
    struct case_file *file = case_file_read(path, 0);
    if (file->error)
        fprintf(stderr, "%s\n", file->error);
    struct outcome outcome = file->error ? (struct outcome){0} : run_case_file(file);
    if (outcome.complaints && !outcome.run)
        fprintf(stderr, "%s: refused: %s", path, outcome.complaints);
    bool good = outcome.run;
    guint next = 0;
    for (int i = 0; good && file->lines[i] && (file->lines[i][0] || file->lines[i + 1]); i++) {
        const char *text = file->lines[i];
        const struct case_block *block =
            next < file->blocks->len ? g_ptr_array_index(file->blocks, next) : NULL;
        if (text[strspn(text, " ")] != '>' || (block && block->kind == CASE_ORDER))
            printf("%s\n", text);
        if (!block || i + 1 < block->end)
            continue;
        if (is_printed(file, block))
            print_happened(file, block, outcome.run, times);
        next++;
    }
    outcome_free(&outcome);
    case_file_free(file);
    return good;
}

int main(int argc, char **argv)
{
    bool times = argc == 3 && strcmp(argv[1], "--print-times") == 0;
    if (times || (argc == 3 && strcmp(argv[1], "--print") == 0))
        return print_file(argv[2], times) ? 0 : 1;
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: %s FILE|FOLDER... | --print FILE | --print-times FILE\n", argv[0]);
        return 2;
    }
    bool good = true;
    for (int i = 1; i < argc; i++)
        good &=
            g_file_test(argv[i], G_FILE_TEST_IS_DIR) ? check_folder(argv[i]) : check_file(argv[i]);
    return good ? 0 : 1;
}
