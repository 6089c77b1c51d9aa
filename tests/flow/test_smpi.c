// SPDX-License-Identifier: GPL-3.0-or-later
// The factors of curves that are known, and what SMPI makes of factors.
#include "sim/flow/smpi.h"

#include "sim/flow/pieces.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#define RATE 12.5e6 // bytes/s
#define EAGER 32768

// A stack with frames of `frame` bytes that have 40 bytes of headers: the time of a message.
static struct flow_curve_point stack_at(int64_t size, int64_t eager, double frame)
{
    double wire = (double)size + 40 * fmax(1, ceil((double)size / frame)) + 1e-6 * (double)size;
    double first = fmin((double)size, frame); // that the switch stores before it sends it on
    struct flow_curve_point point = {.size = size, .wire = wire};
    if (size <= eager) {
        point.send = 9e-6 + 2e-9 * (double)size;
        point.receive = 16e-6 + 4e-9 * (double)size;
        point.latency = 11e-6 + first / RATE;
    } else {
        point.send = 14e-6;
        point.receive = 8e-6;
        point.latency = 130e-6 + first / RATE;
    }
    point.one_way = point.send + point.latency + wire / RATE + point.receive;
    return point;
}

static struct flow_curve *stack_curve(int64_t eager, double frame)
{
    struct flow_curve *curve = g_new0(struct flow_curve, 1);
    *curve =
        (struct flow_curve){.points = g_array_new(FALSE, FALSE, sizeof(struct flow_curve_point)),
                            .eager = eager,
                            .links = 2,
                            .rate = RATE};
    for (int64_t size = 0; size <= 1 << 22; size = size < 16 ? size + 1 : size + size / 16) {
        struct flow_curve_point point = stack_at(size, eager, frame);
        g_array_append_val(curve->points, point);
        if (size <= eager && size + size / 16 > eager && eager < 1 << 22) {
            point = stack_at(eager, eager, frame);
            if (size < eager)
                g_array_append_val(curve->points, point);
            point = stack_at(eager + 1, eager, frame);
            g_array_append_val(curve->points, point);
        }
    }
    return curve;
}

static void curve_free(struct flow_curve *curve)
{
    g_array_unref(curve->points);
    g_free(curve);
}

static void test_every_size_is_within_the_tolerance(void)
{
    static const double tolerances[] = {0.03, 0.01, 0.002};
    static const int64_t eagers[] = {EAGER, 200, 131072, -1, INT64_MAX};

    for (size_t e = 0; e < G_N_ELEMENTS(eagers); e++) {
        struct flow_curve *curve = stack_curve(eagers[e], 1460);
        guint pieces = 0;
        for (size_t t = 0; t < G_N_ELEMENTS(tolerances); t++) {
            struct smpi_model *model = smpi_fit(curve, tolerances[t]);
            int64_t size;
            double worst = smpi_worst(model, curve, &size);
            CU_ASSERT(fabs(worst) <= tolerances[t] + 1e-9);
            CU_ASSERT(size >= 1 && size <= 1 << 22);
            CU_ASSERT(model->pieces->len >= pieces);
            pieces = model->pieces->len;
            smpi_free(model);
        }
        curve_free(curve);
    }
}

// The worst deviation is that of the sizes between the points as well.
static void test_the_worst_is_the_worst(void)
{
    struct flow_curve *curve = stack_curve(EAGER, 1460);
    struct smpi_model *model = smpi_fit(curve, 0.03);
    int64_t at;
    double worst = smpi_worst(model, curve, &at), seen = 0;
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct piece_point));
    for (guint i = 0; i < curve->points->len; i++) {
        const struct flow_curve_point *point =
            &g_array_index(curve->points, struct flow_curve_point, i);
        struct piece_point value = {point->size, point->one_way};
        g_array_append_val(points, value);
    }
    for (int64_t size = 1; size <= 1 << 17; size++) {
        double truth =
            pieces_curve_at((struct piece_point *)(void *)points->data, (int)points->len, size);
        seen = fmax(seen, fabs(smpi_one_way(model, size) / truth - 1));
    }
    CU_ASSERT(seen <= fabs(worst) + 1e-12);
    g_array_unref(points);
    smpi_free(model);
    curve_free(curve);
}

static struct smpi_factor factor_of(const GArray *factors, guint nth)
{
    return g_array_index(factors, struct smpi_factor, nth);
}

// A curve of two lines, without frames: its factors are those that it was made of.
static void test_the_parts_of_a_line_are_found_again(void)
{
    struct flow_curve *curve = stack_curve(EAGER, 1e9);
    for (guint i = 0; i < curve->points->len; i++) {
        struct flow_curve_point *point = &g_array_index(curve->points, struct flow_curve_point, i);
        point->latency = point->size <= EAGER ? 11e-6 : 130e-6;
        point->one_way = point->send + point->latency + point->wire / RATE + point->receive;
    }
    struct smpi_model *model = smpi_fit(curve, 0.01);
    SUITE_SAME_INTEGER(model->pieces->len, 2);
    // Of the 40 bytes of headers SMPI's envelope is 16: the others are in the latency.
    CU_ASSERT_DOUBLE_EQUAL(model->latency, 11e-6 + 24 / RATE, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(factor_of(model->lat, 0).base, 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(factor_of(model->bw, 0).base, 1, 1e-5);
    double sender = factor_of(model->send, 0).base + 1000 * factor_of(model->send, 0).per_byte;
    double receiver =
        factor_of(model->receive, 0).base + 1000 * factor_of(model->receive, 0).per_byte;
    CU_ASSERT_DOUBLE_EQUAL(sender + receiver, 25e-6 + 6e-6, 2e-8);
    CU_ASSERT(sender > 0.3 * (sender + receiver) && sender < 0.4 * (sender + receiver));
    SUITE_SAME_INTEGER(factor_of(model->send, 1).above, EAGER);
    CU_ASSERT(factor_of(model->send, 1).base == 0 && factor_of(model->send, 1).per_byte == 0);
    SUITE_SAME_INTEGER(factor_of(model->lat, 1).above, EAGER + 16);
    CU_ASSERT_DOUBLE_EQUAL(factor_of(model->lat, 1).base * model->latency, 152e-6 + 24 / RATE,
                           1e-8);
    smpi_free(model);
    curve_free(curve);
}

static void add(GArray **factors, int64_t above, double base, double per_byte)
{
    struct smpi_factor factor = {above, base, per_byte};
    if (!*factors)
        *factors = g_array_new(FALSE, FALSE, sizeof(struct smpi_factor));
    g_array_append_val(*factors, factor);
}

// Times that smpirun of SimGrid 3.32 printed for this platform and these factors, a route of 20 us
// and 12.5 MB/s: a threshold belongs to the sizes below it, and is compared with the envelope for
// the network and without it for the processors.
static void test_smpi_looks_factors_up_as_it_does(void)
{
    static const struct {
        int64_t size;
        double seconds;
    } seen[] = {{1, 0.000062722},    {1000, 0.000224560}, {1001, 0.000429444},
                {2000, 0.000753120}, {2001, 0.000315147}, {3000, 0.000421707}};
    struct smpi_model *model = g_new0(struct smpi_model, 1);
    *model = (struct smpi_model){.eager = 2000, .latency = 20e-6, .rate = RATE};
    model->pieces = g_array_new(FALSE, FALSE, sizeof(struct flow_piece));
    add(&model->send, 0, 1e-5, 1e-9);
    add(&model->send, 1000, 2e-5, 2e-9);
    add(&model->send, 2000, 0, 0);
    add(&model->receive, 0, 3e-5, 1e-9);
    add(&model->receive, 1000, 4e-5, 2e-9);
    add(&model->receive, 2000, 0, 0);
    add(&model->lat, 0, 1, 0);
    add(&model->lat, 1016, 2, 0);
    add(&model->lat, 2016, 5, 0);
    add(&model->bw, 0, 0.5, 0);
    add(&model->bw, 1016, 0.25, 0);
    add(&model->bw, 2016, 0.75, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(seen); i++)
        CU_ASSERT_DOUBLE_EQUAL(smpi_one_way(model, seen[i].size), seen[i].seconds, 1e-9);
    char *send = smpi_text(model->send, true), *bw = smpi_text(model->bw, false);
    SUITE_SAME_TEXT(send, "0:1e-05:1e-09;1000:2e-05:2e-09;2000:0:0");
    SUITE_SAME_TEXT(bw, "0:0.5;1016:0.25;2016:0.75");
    g_free(send);
    g_free(bw);
    smpi_free(model);
}

static const char *value_of(const GArray *options, const char *name)
{
    for (guint i = 0; i < options->len; i++) {
        const struct smpi_option *option = &g_array_index(options, struct smpi_option, i);
        if (strcmp(option->name, name) == 0)
            return option->value;
    }
    return "(none)";
}

static void test_thresholds_are_the_first_sizes_beyond_the_limit(void)
{
    static const struct {
        int64_t eager;
        const char *threshold, *send;
    } cases[] = {
        {EAGER, "32769", ";32768:0:0"}, {-1, "0", "0:0:0"}, {INT64_MAX, "2147483647", ":"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct flow_curve *curve = stack_curve(cases[i].eager, 1460);
        struct smpi_model *model = smpi_fit(curve, 0.03);
        GArray *options = smpi_options(model);
        SUITE_SAME_TEXT(value_of(options, "smpi/async-small-thresh"), cases[i].threshold);
        SUITE_SAME_TEXT(value_of(options, "smpi/send-is-detached-thresh"), cases[i].threshold);
        SUITE_CONTAINS(value_of(options, "smpi/os"), cases[i].send);
        SUITE_SAME_TEXT(value_of(options, "smpi/os"), value_of(options, "smpi/ois"));
        SUITE_SAME_TEXT(value_of(options, "network/crosstraffic"), "no");
        g_array_unref(options);
        smpi_free(model);
        curve_free(curve);
    }
}

// No processor works for less than nothing, and no latency or rate is negative.
static void test_parts_are_not_negative(void)
{
    static const double frames[] = {512, 1460, 9000};
    for (size_t i = 0; i < G_N_ELEMENTS(frames); i++) {
        struct flow_curve *curve = stack_curve(EAGER, frames[i]);
        struct smpi_model *model = smpi_fit(curve, 0.005);
        for (int64_t size = 0; size <= EAGER; size++) {
            struct smpi_model bare = *model;
            GArray *none = NULL;
            add(&none, 0, 0, 0);
            bare.send = bare.receive = none;
            // The processors' part is the network's remainder of the piece.
            const struct flow_piece *piece = pieces_at(model->pieces, size);
            double left = piece->base + piece->slope * (double)size - smpi_one_way(&bare, size);
            if (left < -1e-12)
                CU_FAIL("the processors have less than nothing");
            g_array_unref(none);
        }
        for (guint k = 0; k < model->lat->len; k++) {
            CU_ASSERT(factor_of(model->lat, k).base >= 0);
            CU_ASSERT(factor_of(model->bw, k).base > 0);
        }
        CU_ASSERT(model->latency > 0);
        smpi_free(model);
        curve_free(curve);
    }
}

// Within a host the smallest and the largest message are right, whatever lies between them.
static void test_loopback_is_right_at_both_ends(void)
{
    struct flow_curve *curve = stack_curve(EAGER, 1460);
    struct smpi_model *model = smpi_fit(curve, 0.03);
    double latency, rate, worst;
    curve->local = g_array_new(FALSE, FALSE, sizeof(struct flow_curve_point));
    for (int64_t size = 0; size <= 1 << 22; size = size ? 2 * size : 1) {
        struct flow_curve_point point = {.size = size, .one_way = 90e-6 + 3e-9 * (double)size};
        g_array_append_val(curve->local, point);
    }
    smpi_loopback(model, curve, &latency, &rate, &worst);
    model->latency = latency;
    model->rate = rate;
    CU_ASSERT_DOUBLE_EQUAL(smpi_one_way(model, 1) / 90e-6, 1, 1e-2);
    CU_ASSERT_DOUBLE_EQUAL(smpi_one_way(model, 1 << 22) / (90e-6 + 3e-9 * (1 << 22)), 1, 1e-6);
    CU_ASSERT(fabs(worst) > 0.01);
    // One that is faster than the processors' part has a link without a latency.
    for (guint i = 0; i < curve->local->len; i++)
        g_array_index(curve->local, struct flow_curve_point, i).one_way *= 1e-3;
    smpi_loopback(model, curve, &latency, &rate, &worst);
    CU_ASSERT(latency == 0 && rate > 0 && isfinite(rate) && worst > 0);
    smpi_free(model);
    g_array_unref(curve->local);
    curve_free(curve);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"every size is within the tolerance", test_every_size_is_within_the_tolerance},
        {"the worst is the worst", test_the_worst_is_the_worst},
        {"the parts of a line are found again", test_the_parts_of_a_line_are_found_again},
        {"SMPI looks factors up as it does", test_smpi_looks_factors_up_as_it_does},
        {"thresholds are the first sizes beyond the limit",
         test_thresholds_are_the_first_sizes_beyond_the_limit},
        {"parts are not negative", test_parts_are_not_negative},
        {"loopback is right at both ends", test_loopback_is_right_at_both_ends},
        {0},
    };
    return suite_run("flow: factors of SMPI", cases);
}
