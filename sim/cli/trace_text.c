// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a recording, for people.
#include "sim/cli/trace.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS 5 // that are named

// ---- Values ----

static double work_unit(const struct trace_report *report)
{
    return recording_work(report->recording) == RECORDED_TIME ? 1e-12 : 0;
}

double trace_seconds_per_unit(const struct trace_report *report)
{
    return report->speed > 0 ? 1 / (double)report->speed : work_unit(report);
}

double trace_rank_work(const struct profile_rank *rank)
{
    return rank->work;
}

double trace_rank_seconds(const struct profile_rank *rank)
{
    return rank->seconds;
}

double trace_rank_messages(const struct profile_rank *rank)
{
    return (double)rank->messages;
}

double trace_rank_bytes(const struct profile_rank *rank)
{
    return (double)rank->bytes;
}

double trace_rank_peers(const struct profile_rank *rank)
{
    return rank->peers;
}

struct trace_spread trace_spread(const struct trace_report *report,
                                 double (*value)(const struct profile_rank *rank))
{
    const struct recorded_profile *profile = report->profile;
    struct trace_spread spread = {.least = value(&profile->rank[0]),
                                  .most = value(&profile->rank[0])};
    for (int rank = 0; rank < profile->ranks; rank++) {
        double one = value(&profile->rank[rank]);
        spread.mean += one / profile->ranks;
        if (one < spread.least) {
            spread.least = one;
            spread.least_rank = rank;
        }
        if (one > spread.most) {
            spread.most = one;
            spread.most_rank = rank;
        }
    }
    return spread;
}

double trace_imbalance(const struct trace_spread *spread)
{
    return spread->most > 0 ? spread->most / spread->mean - 1 : 0;
}

static bool is_collective(int code)
{
    return operation_table[code].class == CALL_COLLECTIVE;
}

void trace_collectives(const struct recorded_profile *profile, uint64_t *calls, int64_t *bytes)
{
    *calls = 0;
    *bytes = 0;
    for (int code = 0; code < OP_CODES; code++)
        if (is_collective(code)) {
            *calls += profile->operations[code].calls;
            *bytes = traffic_sum(*bytes, profile->operations[code].bytes);
        }
}

void trace_classes(const struct recorded_profile *profile, bool collectives, uint64_t *classes)
{
    memset(classes, 0, sizeof(uint64_t) * SIZE_CLASSES);
    for (int code = 0; code < OP_CODES; code++)
        if (collectives ? is_collective(code) : profile_sends((enum op_code)code))
            size_counts_classes(&profile->operations[code].sizes, classes);
}

// ---- Numbers ----

// A number with a prefix of its unit: "5.625 MiB", "1.439 Gflop". The result is in `text`.
#define NUMBER_BYTES 40
static const char *scaled(char *text, double value, double step, const char *const *units)
{
    int unit = 0;
    while (value >= step && units[unit + 1]) {
        value /= step;
        unit++;
    }
    g_snprintf(text, NUMBER_BYTES, "%.4g %s", value, units[unit]);
    return text;
}

static const char *bytes_text(char *text, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", NULL};
    return scaled(text, bytes, 1024, units);
}

static const char *flops_text(char *text, double flops)
{
    static const char *const units[] = {"flop", "kflop", "Mflop", "Gflop", "Tflop", "Pflop", NULL};
    return scaled(text, flops, 1000, units);
}

static const char *seconds_text(char *text, double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", NULL};
    if (seconds < 1)
        return scaled(text, seconds * 1e9, 1000, units);
    g_snprintf(text, NUMBER_BYTES, "%.4g s", seconds);
    return text;
}

static const char *count_text(char *text, double count)
{
    g_snprintf(text, NUMBER_BYTES, "%.4g", count);
    return text;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

// ---- Calls ----

static void print_operation(const struct profile_operation *operation, const char *name, int width,
                            FILE *out)
{
    static const double shares[] = {0, 0.5, 0.9, 1};
    char text[NUMBER_BYTES];
    fprintf(out, "%-*s %9" G_GUINT64_FORMAT " %5d", width, name, operation->calls,
            operation->ranks);
    if (operation->sized)
        fprintf(out, " %10s", bytes_text(text, (double)operation->bytes));
    for (size_t i = 0; operation->sized && i < G_N_ELEMENTS(shares); i++)
        fprintf(out, " %10s",
                bytes_text(text, (double)size_counts_quantile(&operation->sizes, shares[i])));
    fputc('\n', out);
}

static void print_operations(const struct recorded_profile *profile, FILE *out)
{
    int width = (int)strlen("operation");
    for (int code = 0; code < OP_CODES; code++)
        if (profile->operations[code].calls > 0)
            width = MAX(width, (int)strlen(operation_table[code].name));
    fprintf(out, "%-*s %9s %5s %10s %10s %10s %10s %10s\n", width, "operation", "calls", "ranks",
            "bytes", "least", "median", "90 %", "most");
    for (int code = 0; code < OP_CODES; code++)
        if (profile->operations[code].calls > 0)
            print_operation(&profile->operations[code], operation_table[code].name, width, out);
}

static void print_sizes(const struct recorded_profile *profile, FILE *out)
{
    uint64_t messages[SIZE_CLASSES], collectives[SIZE_CLASSES], any = 0;
    char text[NUMBER_BYTES];
    trace_classes(profile, false, messages);
    trace_classes(profile, true, collectives);
    for (int class = 0; class < SIZE_CLASSES; class ++)
        any += messages[class] + collectives[class];
    if (any == 0)
        return;
    fprintf(out, "\n%-16s %9s %12s\n", "size", "messages", "collectives");
    for (int class = 0; class < SIZE_CLASSES; class ++) {
        if (messages[class] + collectives[class] == 0)
            continue;
        char *size = g_strconcat(class == 0 ? "" : "up to ",
                                 bytes_text(text, (double)size_class_most(class)), NULL);
        fprintf(out, "%-16s %9" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT "\n", size,
                messages[class], collectives[class]);
        g_free(size);
    }
}

// ---- Ranks ----

// "  sent by a rank: 1 KiB (rank 3) to 2 KiB (rank 0), mean 1.5 KiB; the most is 33.3 % above it"
static void print_spread(const char *what, const struct trace_spread *spread, double factor,
                         const char *(*number)(char *text, double value), FILE *out)
{
    char least[NUMBER_BYTES], mean[NUMBER_BYTES], most[NUMBER_BYTES];
    if (spread->least == spread->most) {
        fprintf(out, "  %s: %s each\n", what, number(most, spread->most * factor));
        return;
    }
    fprintf(out, "  %s: %s (rank %d) to %s (rank %d), mean %s; the most is %.1f %% above it\n",
            what, number(least, spread->least * factor), spread->least_rank,
            number(most, spread->most * factor), spread->most_rank,
            number(mean, spread->mean * factor), 100 * trace_imbalance(spread));
}

static void print_rank_value(const struct trace_report *report, const char *what,
                             double (*value)(const struct profile_rank *rank), double factor,
                             const char *(*number)(char *text, double value), FILE *out)
{
    struct trace_spread spread = trace_spread(report, value);
    if (spread.most > 0)
        print_spread(what, &spread, factor, number, out);
}

static void print_work(const struct trace_report *report, FILE *out)
{
    char work[NUMBER_BYTES], time[NUMBER_BYTES];
    double all = 0, per_unit = trace_seconds_per_unit(report);
    bool counts = recording_work(report->recording) == RECORDED_FLOPS;
    for (int rank = 0; rank < report->profile->ranks; rank++)
        all += report->profile->rank[rank].work;
    if (all == 0) {
        fputs("\ncomputation: none\n", out);
    } else if (!counts || report->speed == 0) {
        fprintf(out, "\ncomputation: %s\n",
                counts ? flops_text(work, all) : seconds_text(work, all * per_unit));
    } else {
        fprintf(out, "\ncomputation: %s, %s\n", flops_text(work, all),
                seconds_text(time, all * per_unit));
    }
    if (per_unit > 0)
        print_rank_value(report, "of a rank", trace_rank_work, per_unit, seconds_text, out);
    else
        print_rank_value(report, "of a rank", trace_rank_work, 1, flops_text, out);
    print_rank_value(report, "besides, sleep of a rank", trace_rank_seconds, 1, seconds_text, out);
}

// ---- Messages ----

static void print_matched(const struct recorded_profile *profile, FILE *out)
{
    uint64_t unreceived, unsent;
    if (!recorded_profile_unmatched(profile, &unreceived, &unsent))
        fputs("  whether each message has its receive is not known: some receive from any rank\n",
              out);
    else if (unreceived + unsent == 0)
        fputs("  each message has its receive\n", out);
    else
        fprintf(out,
                "  %" G_GUINT64_FORMAT " message%s without a receive, %" G_GUINT64_FORMAT
                " receive%s without a message: a replay will not end\n",
                unreceived, plural(unreceived), unsent, plural(unsent));
}

static void matrix_sums(const struct traffic *matrix, uint64_t *pairs, uint64_t *messages,
                        int64_t *bytes)
{
    *pairs = *messages = 0;
    *bytes = 0;
    for (int rank = 0; rank < matrix->ranks; rank++) {
        *pairs += matrix->rows[rank]->len;
        for (guint i = 0; i < matrix->rows[rank]->len; i++) {
            *messages += traffic_cell(matrix->rows[rank], i)->messages;
            *bytes = traffic_sum(*bytes, traffic_cell(matrix->rows[rank], i)->bytes);
        }
    }
}

static void print_sums(const struct traffic *matrix, const char *what, FILE *out)
{
    uint64_t pairs, messages;
    int64_t bytes;
    char text[NUMBER_BYTES];
    matrix_sums(matrix, &pairs, &messages, &bytes);
    if (messages == 0)
        fprintf(out, "%s: none\n", what);
    else
        fprintf(out,
                "%s: %" G_GUINT64_FORMAT " message%s, %s, between %" G_GUINT64_FORMAT
                " of %" G_GUINT64_FORMAT " pairs of ranks\n",
                what, messages, plural(messages), bytes_text(text, (double)bytes), pairs,
                (uint64_t)matrix->ranks * (uint64_t)matrix->ranks);
}

struct pair {
    int from;
    struct traffic_cell cell;
};

// The pairs with the most bytes, largest first; of equal ones the first. Returns how many.
static int largest_pairs(const struct traffic *matrix, struct pair *largest)
{
    int count = 0;
    for (int rank = 0; rank < matrix->ranks; rank++)
        for (guint i = 0; i < matrix->rows[rank]->len; i++) {
            struct pair pair = {rank, *traffic_cell(matrix->rows[rank], i)};
            int at = count < MOST_PAIRS ? count++ : MOST_PAIRS;
            for (; at > 0 && largest[at - 1].cell.bytes < pair.cell.bytes; at--)
                if (at < MOST_PAIRS)
                    largest[at] = largest[at - 1];
            if (at < MOST_PAIRS)
                largest[at] = pair;
        }
    return count;
}

static void print_pairs(const struct traffic *matrix, FILE *out)
{
    struct pair largest[MOST_PAIRS];
    int count = largest_pairs(matrix, largest);
    char text[NUMBER_BYTES];
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d to %d: %s", i == 0 ? "  the most: " : ", ", largest[i].from,
                largest[i].cell.peer, bytes_text(text, (double)largest[i].cell.bytes));
    fputs(count > 0 ? "\n" : "", out);
}

static void print_messages(const struct trace_report *report, FILE *out)
{
    const struct recorded_profile *profile = report->profile;
    uint64_t collectives;
    int64_t bytes;
    char text[NUMBER_BYTES];
    trace_collectives(profile, &collectives, &bytes);
    fputc('\n', out);
    print_sums(&profile->sent, "point to point", out);
    print_rank_value(report, "sent by a rank", trace_rank_bytes, 1, bytes_text, out);
    print_rank_value(report, "messages of a rank", trace_rank_messages, 1, count_text, out);
    print_rank_value(report, "ranks that a rank sends to", trace_rank_peers, 1, count_text, out);
    print_pairs(&profile->sent, out);
    print_matched(profile, out);
    fprintf(out, "\ncollectives: %" G_GUINT64_FORMAT " call%s, whose callers give %s\n",
            collectives, plural(collectives), bytes_text(text, (double)bytes));
    if (!report->unfolded)
        return;
    char *what = g_strconcat("all messages, collectives as ", report->unfolded, NULL);
    print_sums(report->matrix, what, out);
    print_pairs(report->matrix, out);
    g_free(what);
}

void trace_print(const struct trace_report *report, FILE *out)
{
    const struct recorded_profile *profile = report->profile;
    fprintf(out, "%s: %s, %d rank%s, %" G_GUINT64_FORMAT " call%s\n\n",
            recording_path(report->recording), recording_format(report->recording), profile->ranks,
            plural((uint64_t)profile->ranks), profile->calls, plural(profile->calls));
    print_operations(profile, out);
    print_sizes(profile, out);
    print_messages(report, out);
    print_work(report, out);
}
