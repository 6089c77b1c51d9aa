// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/curve.h"

static const GArray *curve_points_of(const struct flow_curve *curve, bool local)
{
    return local && curve->local ? curve->local : curve->points;
}

static const struct flow_curve_point *point(const GArray *points, guint i)
{
    return &g_array_index(points, struct flow_curve_point, i);
}

// The first of the two neighbouring points between which, or beyond which, a value lies.
static guint segment(const GArray *points, double value,
                     double (*of)(const struct flow_curve_point *))
{
    guint low = 0, high = points->len - 1;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (of(point(points, middle)) <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double size_of(const struct flow_curve_point *of)
{
    return (double)of->size;
}

static double wire_of(const struct flow_curve_point *of)
{
    return of->wire;
}

static double between(double from, double to, double part)
{
    return from + (to - from) * part;
}

struct flow_curve_point flow_curve_at(const struct flow_curve *curve, int64_t size, bool local)
{
    const GArray *points = curve_points_of(curve, local);
    guint i = segment(points, (double)size, size_of);
    const struct flow_curve_point *a = point(points, i), *b = point(points, i + 1);
    double part = (double)(size - a->size) / (double)(b->size - a->size);
    return (struct flow_curve_point){
        .size = size,
        .one_way = MAX(between(a->one_way, b->one_way, part), 0),
        .send = MAX(between(a->send, b->send, part), 0),
        .sending = MAX(between(a->sending, b->sending, part), 0),
        .receive = MAX(between(a->receive, b->receive, part), 0),
        .wire = between(a->wire, b->wire, part),
        .latency = MAX(between(a->latency, b->latency, part), 0),
    };
}

double flow_curve_latency(const struct flow_curve *curve, double wire, bool local)
{
    const GArray *points = curve_points_of(curve, local);
    guint i = segment(points, wire, wire_of);
    const struct flow_curve_point *a = point(points, i), *b = point(points, i + 1);
    double part = (wire - a->wire) / (b->wire - a->wire);
    return MAX(between(a->latency, b->latency, MAX(part, 0)), 0);
}

void flow_curve_free(struct flow_curve *curve)
{
    if (!curve)
        return;
    if (curve->points)
        g_array_free(curve->points, TRUE);
    if (curve->local)
        g_array_free(curve->local, TRUE);
    g_free(curve->beyond);
    g_free(curve);
}

static json_t *points_json(const GArray *points)
{
    json_t *list = json_array();
    for (guint i = 0; i < points->len; i++) {
        const struct flow_curve_point *one = point(points, i);
        json_array_append_new(list, json_pack("{s:I, s:f, s:f, s:f, s:f, s:f}", "size_bytes",
                                              (json_int_t)one->size, "one_way_us",
                                              one->one_way * 1e6, "send_us", one->send * 1e6,
                                              "receive_us", one->receive * 1e6, "wire_bytes",
                                              one->wire, "latency_us", one->latency * 1e6));
    }
    return list;
}

json_t *flow_curve_json(const struct flow_curve *curve)
{
    json_t *json =
        json_pack("{s:o, s:i, s:f, s:f}", "points", points_json(curve->points), "links",
                  curve->links, "rate_MB_per_s", curve->rate / 1e6, "frame_bytes", curve->frame);
    if (curve->eager < INT64_MAX)
        json_object_set_new(json, "eager_bytes", json_integer(curve->eager));
    if (curve->beyond)
        json_object_set_new(json, "most_bytes", json_integer(curve->most));
    if (curve->local)
        json_object_set_new(json, "local", points_json(curve->local));
    return json;
}
