// SPDX-License-Identifier: GPL-3.0-or-later
// Series in processes, of the kind that sweeps have (sim/campaign/workers.h). A process returns its
// result as a text; its output to a sink goes to a file without a name, which the parent has opened
// and puts into the sink in the scenario's order.
#include "sim/cli/run.h"

#include "sim/campaign/workers.h"
#include "sim/flow/flow.h"
#include "sim/measure/result_text.h"
#include "sim/run/estimate.h"
#include "sim/run/run.h"

#include <string.h>
#include <sys/mman.h>

// In memory that all processes share: how far a series is.
struct how_far {
    double done; // 0 .. 1
    char detail[96];
};

struct series_piece {
    FILE *parts[RECORD_KINDS]; // of the recorders' files; NULL: none
    struct series_result *result;
    char *mistake; // why a part of it is not whole; NULL or "": all are
};

struct parallel {
    const struct run_parallel *run;
    struct series_piece *pieces; // one for each of the series
    struct how_far *how_far;
    int count, finished;
    struct run_ending ending;
};

static const struct scenario_case *case_at(const struct parallel *parallel, int item)
{
    return g_ptr_array_index(parallel->run->scenario->cases, (guint)item);
}

// ---- In a process ----

static void note_progress(void *owner, int item, double done, const char *detail)
{
    struct how_far *how_far = owner;
    how_far[item].done = done;
    g_strlcpy(how_far[item].detail, detail, sizeof how_far[item].detail);
}

// Completes the parts of a series. The first that is not whole, on one line; NULL: all are. The
// caller frees it.
static char *parts_close(struct recorders *parts)
{
    char **mistakes = recorders_close(parts);
    char *first = mistakes ? g_strdelimit(g_strdup(mistakes[0]), "\n", ' ') : NULL;
    g_strfreev(mistakes);
    return first;
}

// Returns a line with the reason why a part is not whole (empty: all are), and the result.
static char *perform(void *owner, int item)
{
    const struct parallel *parallel = owner;
    struct recorders parts;
    recorders_part(parallel->run->recorders, parallel->pieces[item].parts, &parts);
    recorders_begin(&parts, item, case_at(parallel, item)->name);
    struct run_options options = {
        .link_sizes = true,
        .capture = parts.capture,
        .trace = parts.trace,
        .progress = parallel->how_far ? note_progress : NULL,
        .progress_owner = parallel->how_far,
        .stop_at = parallel->run->stop_at,
        .time_limit_s = parallel->run->limits->seconds,
        .wall_end = parallel->run->limits->end,
    };
    struct series_result *result = flow_or_packets(&model_registry, case_at(parallel, item), item,
                                                   parallel->run->scenario->seed, &options);
    recorders_end(&parts, true);
    char *mistake = parts_close(&parts);
    char *found = result_text_of(result);
    char *text = g_strconcat(mistake ? mistake : "", "\n", found, NULL);
    series_result_free(result);
    g_free(mistake);
    g_free(found);
    return text;
}

// ---- In the parent ----

static bool finished(void *owner, int item, const char *text, const char *crash, GError **error)
{
    struct parallel *parallel = owner;
    const struct scenario_case *test_case = case_at(parallel, item);
    (void)error;
    parallel->finished++;
    if (parallel->how_far)
        parallel->how_far[item].done = 1.0;
    if (crash) {
        cli_error(NULL, "%s: %s", test_case->name, crash);
        parallel->ending.crashed = true;
        return true;
    }
    const char *found = strchr(text, '\n') + 1;
    struct series_piece *piece = &parallel->pieces[item];
    piece->mistake = g_strndup(text, (gsize)(found - text) - 1);
    piece->result = result_text_read(found, test_case->name, test_case->stack->name);
    piece->result->number = item;
    return true;
}

// Shows how far all series are together, and the progress of one that is under way.
static bool show_series_progress(void *owner, GError **error)
{
    const struct parallel *parallel = owner;
    (void)error;
    if (!parallel->how_far)
        return true;
    double done = 0.0;
    const char *detail = "";
    for (int i = 0; i < parallel->count; i++) {
        const struct how_far *one = &parallel->how_far[i];
        done += one->done;
        if (!*detail && one->done < 1.0)
            detail = *one->detail ? one->detail : case_at(parallel, i)->name;
    }
    char *text =
        g_strdup_printf("%d of %d series, %s", parallel->finished, parallel->count, detail);
    progress_update(parallel->run->progress, 0, done, text);
    g_free(text);
    return true;
}

static void pieces_close(struct parallel *parallel)
{
    for (int i = 0; i < parallel->count; i++) {
        recorders_close_parts(parallel->pieces[i].parts);
        series_result_free(parallel->pieces[i].result);
        g_free(parallel->pieces[i].mistake);
    }
    g_free(parallel->pieces);
}

// Creates the parts of all series, which the processes then have.
static bool pieces_open(struct parallel *parallel, GError **error)
{
    parallel->pieces = g_new0(struct series_piece, parallel->count);
    for (int i = 0; i < parallel->count; i++)
        if (!recorders_new_parts(parallel->run->recorders, parallel->pieces[i].parts, error))
            return false;
    return true;
}

// Prints the first mistake alone, as of series that run one after the other.
static void tell(struct parallel *parallel, const char *mistake)
{
    if (!parallel->ending.broken)
        cli_error(NULL, "%s", mistake);
    parallel->ending.broken = true;
}

// Adds the finished series to the result, in order.
static void join(struct parallel *parallel, struct result *result)
{
    for (int i = 0; i < parallel->count; i++) {
        struct series_piece *piece = &parallel->pieces[i];
        GError *error = NULL;
        if (!piece->result)
            continue;
        if (*piece->mistake)
            tell(parallel, piece->mistake);
        if (!recorders_join(parallel->run->recorders, piece->parts, &error)) {
            tell(parallel, error->message);
            g_error_free(error);
        }
        g_ptr_array_add(result->series, g_steal_pointer(&piece->result));
    }
}

static gint compare_memory(gconstpointer a, gconstpointer b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left < right) - (left > right);
}

// As many processes as are wanted, or for whose series, the largest, the memory suffices.
static int jobs_that_fit(const struct parallel *parallel)
{
    int wanted = parallel->run->jobs ? parallel->run->jobs : (int)g_get_num_processors(), fit = 0;
    wanted = MIN(wanted, parallel->count);
    GArray *needs = g_array_new(FALSE, FALSE, sizeof(double));
    for (int i = 0; i < parallel->count; i++) {
        double need = estimate_of(case_at(parallel, i)).memory;
        g_array_append_val(needs, need);
    }
    g_array_sort(needs, compare_memory);
    double room = (double)estimate_memory_there();
    while (fit < wanted && (room -= g_array_index(needs, double, fit)) >= 0)
        fit++;
    g_array_unref(needs);
    fit = MAX(fit, 1);
    if (fit < wanted)
        cli_error("`netsim check' says what each needs",
                  "note: %d processes instead of %d: the memory would not hold more series at once",
                  fit, wanted);
    return fit;
}

static double series_cost(void *owner, int item)
{
    return estimate_cost(case_at(owner, item));
}

static void run_pieces(struct parallel *parallel)
{
    int *items = g_new(int, parallel->count);
    for (int i = 0; i < parallel->count; i++)
        items[i] = i;
    workers_longest_first(items, parallel->count, series_cost, parallel);
    const struct work work = {
        .items = items,
        .count = parallel->count,
        .owner = parallel,
        .perform = perform,
        .finished = finished,
        .idle = show_series_progress,
    };
    GError *error = NULL;
    if (!workers_run(&work, jobs_that_fit(parallel), &error)) {
        parallel->ending.signal = workers_signal_of(error);
        parallel->ending.crashed |= !parallel->ending.signal;
        if (!parallel->ending.signal)
            cli_refuse(error);
    }
    g_free(items);
}

struct run_ending run_parallel(const struct run_parallel *run, struct result *result)
{
    struct parallel parallel = {.run = run, .count = (int)run->scenario->cases->len};
    size_t shared = sizeof *parallel.how_far * (size_t)parallel.count;
    GError *error = NULL;
    if (run->progress) {
        parallel.how_far =
            mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (parallel.how_far == MAP_FAILED)
            parallel.how_far = NULL;
    }
    if (pieces_open(&parallel, &error)) {
        run_pieces(&parallel);
        join(&parallel, result);
    } else {
        tell(&parallel, error->message);
        g_error_free(error);
    }
    pieces_close(&parallel);
    if (parallel.how_far)
        munmap(parallel.how_far, shared);
    return parallel.ending;
}
