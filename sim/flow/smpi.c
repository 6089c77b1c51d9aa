// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/smpi.h"

#include "sim/flow/pieces.h"

#include <limits.h>
#include <math.h>

#define ENVELOPE 16              // bytes that SMPI adds to each message
#define MOST_EAGER (INT_MAX - 1) // SimGrid's thresholds are int

// ---- The curve's columns ----

// Columns of the curve by size: piece_point arrays of its length.
struct columns {
    int count;
    struct piece_point *one_way, *send, *receive, *wire;
};

static struct columns columns_of(const struct flow_curve *curve)
{
    int count = (int)curve->points->len;
    struct columns columns = {count, g_new(struct piece_point, count),
                              g_new(struct piece_point, count), g_new(struct piece_point, count),
                              g_new(struct piece_point, count)};
    for (int i = 0; i < count; i++) {
        const struct flow_curve_point *point =
            &g_array_index(curve->points, struct flow_curve_point, i);
        columns.one_way[i] = (struct piece_point){point->size, point->one_way};
        columns.send[i] = (struct piece_point){point->size, point->send};
        columns.receive[i] = (struct piece_point){point->size, point->receive};
        columns.wire[i] = (struct piece_point){point->size, point->wire};
    }
    return columns;
}

static void columns_clear(struct columns *columns)
{
    g_free(columns->one_way);
    g_free(columns->send);
    g_free(columns->receive);
    g_free(columns->wire);
}

// ---- Factors ----

static GArray *factors_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(struct smpi_factor));
}

static void factors_add(GArray *factors, int64_t first, double base, double per_byte)
{
    // The first one holds for smaller sizes as well.
    struct smpi_factor factor = {factors->len == 0 ? 0 : first - 1, base, per_byte};
    g_array_append_val(factors, factor);
}

static double factors_at(const GArray *factors, int64_t size)
{
    guint at = 0;
    while (at + 1 < factors->len && size > g_array_index(factors, struct smpi_factor, at + 1).above)
        at++;
    const struct smpi_factor *factor = &g_array_index(factors, struct smpi_factor, at);
    return factor->base + factor->per_byte * (double)size;
}

char *smpi_text(const GArray *factors, bool lines)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < factors->len; i++) {
        const struct smpi_factor *factor = &g_array_index(factors, struct smpi_factor, i);
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT ":%.9g", i > 0 ? ";" : "", factor->above,
                               factor->base);
        if (lines)
            g_string_append_printf(text, ":%.9g", factor->per_byte);
    }
    return g_string_free(text, FALSE);
}

// ---- A piece ----

// A piece's time as SMPI divides it.
struct division {
    double per_byte;    // s on the wire, of the message and the envelope
    double latency;     // s
    double base, slope; // of both processors together, s
    double sender;      // part of it that is the sender's
};

static double line_at(const struct flow_piece *piece, int64_t size)
{
    return piece->base + piece->slope * (double)size;
}

// Bytes on the wire for each byte of the message, around a piece.
static double wire_slope(const struct columns *columns, const struct flow_piece *piece)
{
    const struct piece_point *wire = columns->wire;
    int64_t first = MAX(piece->first - 1, wire[0].size);
    int64_t last = MIN(piece->last + 1, wire[columns->count - 1].size);
    if (last == first)
        return 1;
    double grown =
        pieces_curve_at(wire, columns->count, last) - pieces_curve_at(wire, columns->count, first);
    return grown / (double)(last - first);
}

struct means {
    double apart; // s that neither the processors take nor the bytes at the piece's rate
    double send, receive;
};

static void means_add(struct means *means, const struct columns *columns, double per_byte,
                      int64_t size)
{
    double send = pieces_curve_at(columns->send, columns->count, size);
    double receive = pieces_curve_at(columns->receive, columns->count, size);
    means->send += send;
    means->receive += receive;
    means->apart += pieces_curve_at(columns->one_way, columns->count, size) - send - receive -
                    (double)(size + ENVELOPE) * per_byte;
}

// Sums over the ends of a piece and the points between them; returns how many they are.
static int means_over(struct means *means, const struct columns *columns, double per_byte,
                      const struct flow_piece *piece)
{
    int count = 2;
    means_add(means, columns, per_byte, piece->first);
    means_add(means, columns, per_byte, piece->last);
    for (int i = 0; i < columns->count; i++) {
        int64_t size = columns->one_way[i].size;
        if (size > piece->first && size < piece->last) {
            means_add(means, columns, per_byte, size);
            count++;
        }
    }
    return count;
}

// Both processors' part by the curve.
static double processors_of(const struct columns *columns, int64_t size)
{
    return pieces_curve_at(columns->send, columns->count, size) +
           pieces_curve_at(columns->receive, columns->count, size);
}

static struct division divide_eager(const struct columns *columns, const struct flow_piece *piece,
                                    double rate)
{
    double first = (double)(piece->first + ENVELOPE), last = (double)(piece->last + ENVELOPE);
    double start = line_at(piece, piece->first), end = line_at(piece, piece->last);
    struct division part = {.per_byte = wire_slope(columns, piece) / rate};
    part.per_byte = fmin(part.per_byte, fmin(start / first, end / last));
    struct means means = {0};
    int count = means_over(&means, columns, part.per_byte, piece);
    // The remainder is the processors' time: at least as much as in the curve. It also has what
    // grows within the piece, since the latency can't.
    double most = fmin(start - first * part.per_byte - processors_of(columns, piece->first),
                       end - last * part.per_byte - processors_of(columns, piece->last));
    part.latency = fmax(0, fmin(means.apart / count, most));
    part.base = piece->base - ENVELOPE * part.per_byte - part.latency;
    part.slope = piece->slope - part.per_byte;
    double processors = means.send + means.receive;
    part.sender = processors > 0 ? means.send / processors : 0.5;
    return part;
}

static struct division divide(const struct columns *columns, const struct flow_piece *piece,
                              double rate, bool eager)
{
    if (eager)
        return divide_eager(columns, piece, rate);
    return (struct division){.per_byte = piece->slope,
                             .latency = fmax(0, piece->base - ENVELOPE * piece->slope)};
}

// ---- The model ----

static void add_piece(struct smpi_model *model, const struct flow_piece *piece,
                      const struct division *part)
{
    double receiver = 1 - part->sender;
    int64_t above = piece->first + ENVELOPE;
    factors_add(model->lat, above, part->latency / model->latency, 0);
    factors_add(model->bw, above, 1 / (part->per_byte * model->rate), 0);
    if (piece->first <= model->eager) {
        factors_add(model->send, piece->first, part->base * part->sender,
                    part->slope * part->sender);
        factors_add(model->receive, piece->first, part->base * receiver, part->slope * receiver);
    }
}

struct smpi_model *smpi_fit(const struct flow_curve *curve, double tolerance)
{
    struct columns columns = columns_of(curve);
    const struct piece_point *points = columns.one_way;
    struct smpi_model *model = g_new0(struct smpi_model, 1);
    *model = (struct smpi_model){.send = factors_new(),
                                 .receive = factors_new(),
                                 .lat = factors_new(),
                                 .bw = factors_new(),
                                 .eager = CLAMP(curve->eager, -1, MOST_EAGER),
                                 .rate = curve->rate};
    // A bandwidth factor is a thousand at most.
    struct piece_shape shape = {tolerance, model->eager, 1e-3 / curve->rate, -ENVELOPE};
    model->pieces = pieces_fit(points, columns.count, &shape);
    for (guint i = 0; i < model->pieces->len; i++) {
        const struct flow_piece *piece = &g_array_index(model->pieces, struct flow_piece, i);
        struct division part = divide(&columns, piece, curve->rate, piece->first <= model->eager);
        // The route's latency is that of the first piece, which has the factor 1.
        if (i == 0)
            model->latency = part.latency > 0 ? part.latency : line_at(piece, piece->first) / 4;
        add_piece(model, piece, &part);
    }
    factors_add(model->send, model->eager + 1, 0, 0);
    factors_add(model->receive, model->eager + 1, 0, 0);
    columns_clear(&columns);
    return model;
}

void smpi_free(struct smpi_model *model)
{
    if (!model)
        return;
    g_array_unref(model->pieces);
    g_array_unref(model->send);
    g_array_unref(model->receive);
    g_array_unref(model->lat);
    g_array_unref(model->bw);
    g_free(model);
}

// Both processors' part of a message.
static double processors_at(const struct smpi_model *model, int64_t size)
{
    if (size > model->eager)
        return 0;
    return fmax(0, factors_at(model->send, size)) + fmax(0, factors_at(model->receive, size));
}

static double one_way_over(const struct smpi_model *model, int64_t size, double latency,
                           double rate)
{
    int64_t bytes = size + ENVELOPE;
    return processors_at(model, size) + latency * factors_at(model->lat, bytes) +
           (double)bytes / (rate * factors_at(model->bw, bytes));
}

double smpi_one_way(const struct smpi_model *model, int64_t size)
{
    return one_way_over(model, size, model->latency, model->rate);
}

double smpi_worst(const struct smpi_model *model, const struct flow_curve *curve, int64_t *size)
{
    struct columns columns = columns_of(curve);
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (int i = 0; i < columns.count; i++)
        g_array_append_val(sizes, columns.one_way[i].size);
    for (guint i = 0; i < model->pieces->len; i++) {
        const struct flow_piece *piece = &g_array_index(model->pieces, struct flow_piece, i);
        g_array_append_val(sizes, piece->first);
        g_array_append_val(sizes, piece->last);
    }
    double worst = 0;
    *size = 1;
    // Both are linear between these sizes.
    for (guint i = 0; i < sizes->len; i++) {
        int64_t each = g_array_index(sizes, int64_t, i);
        double truth = pieces_curve_at(columns.one_way, columns.count, each);
        double deviation = smpi_one_way(model, each) / truth - 1;
        if (each >= 1 && fabs(deviation) > fabs(worst)) {
            worst = deviation;
            *size = each;
        }
    }
    g_array_unref(sizes);
    columns_clear(&columns);
    return worst;
}

void smpi_loopback(const struct smpi_model *model, const struct flow_curve *curve, double *latency,
                   double *rate, double *worst)
{
    const struct flow_curve_point *points =
        (const struct flow_curve_point *)(void *)curve->local->data;
    const struct flow_curve_point *first = &points[points[0].size == 0 && curve->local->len > 1];
    const struct flow_curve_point *last = &points[curve->local->len - 1];
    int64_t few = first->size + ENVELOPE, many = last->size + ENVELOPE;
    *latency = fmax(0, first->one_way - processors_at(model, first->size)) /
               fmax(factors_at(model->lat, few), 1e-9);
    double left =
        last->one_way - processors_at(model, last->size) - *latency * factors_at(model->lat, many);
    *rate = (double)many / (factors_at(model->bw, many) * fmax(left, 1e-12 * (double)many));
    *worst = 0;
    for (const struct flow_curve_point *point = first; point <= last; point++) {
        double deviation = one_way_over(model, point->size, *latency, *rate) / point->one_way - 1;
        if (fabs(deviation) > fabs(*worst))
            *worst = deviation;
    }
}

// ---- Configuration ----

static void option_clear(gpointer option)
{
    g_free(((struct smpi_option *)option)->value);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the list owns it
static void add_option(GArray *options, const char *name, char *value)
{
    struct smpi_option option = {name, value};
    g_array_append_val(options, option);
}

GArray *smpi_options(const struct smpi_model *model)
{
    // Fixed ones: rates are those of the links whatever the latency, a flow takes nothing in the
    // other direction, and reading the clock costs no time.
    static const char *const fixed[][2] = {
        {"network/TCP-gamma", "1e12"},
        {"network/weight-S", "0"},
        {"network/crosstraffic", "no"},
        {"smpi/wtime", "0"},
    };
    GArray *options = g_array_new(FALSE, FALSE, sizeof(struct smpi_option));
    g_array_set_clear_func(options, option_clear);
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        add_option(options, fixed[i][0], g_strdup(fixed[i][1]));
    add_option(options, "smpi/os", smpi_text(model->send, true));
    add_option(options, "smpi/ois", smpi_text(model->send, true));
    add_option(options, "smpi/or", smpi_text(model->receive, true));
    add_option(options, "smpi/lat-factor", smpi_text(model->lat, false));
    add_option(options, "smpi/bw-factor", smpi_text(model->bw, false));
    int64_t beyond = model->eager + 1;
    add_option(options, "smpi/async-small-thresh", g_strdup_printf("%" G_GINT64_FORMAT, beyond));
    add_option(options, "smpi/send-is-detached-thresh",
               g_strdup_printf("%" G_GINT64_FORMAT, beyond));
    return options;
}
