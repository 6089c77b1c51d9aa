// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of stacks, measured by packets: the sums of their parts, and the places of their points.
#include "sim/flow/curve.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <math.h>

#define MACHINE                                                                                    \
    "schema: 1\nname: t\nhosts: [{name: node, count: 3}]\nswitches: [{name: switch}]\n"            \
    "links: [{from: node, to: switch}]\nnic: eepro100\nstack: %s\n%s"                              \
    "workload: {ranks: %d, program: [{ranks: all, do: [barrier]}]}\n"

static struct flow_curve *curve_of(const char *stack, const char *more, int ranks,
                                   const char *const *sets)
{
    char *text = g_strdup_printf(MACHINE, stack, more, ranks), *error = NULL;
    struct compiled compiled = compiled_new(text, sets);
    struct flow_curve *curve =
        flow_curve_measure(&model_registry, compiled.test_case, NULL, &error);
    SUITE_SAME_TEXT(error ? error : "", "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(curve);
    compiled_free(&compiled);
    g_free(text);
    return curve;
}

static const struct flow_curve_point *point_at(const GArray *points, guint i)
{
    return &g_array_index(points, struct flow_curve_point, i);
}

// Half a round trip is the sum of its parts; sizes and wire grow strictly; no part is negative.
static void check_points(const GArray *points, double rate)
{
    for (guint i = 0; i < points->len; i++) {
        const struct flow_curve_point *at = point_at(points, i);
        double wire = rate > 0 ? at->wire / rate : 0;
        double sum = at->send + at->latency + wire + at->receive;
        CU_ASSERT(at->send >= 0 && at->receive >= 0 && at->latency >= 0);
        CU_ASSERT(fabs(sum - at->one_way) < 1e-12 + 1e-3 * at->one_way);
        CU_ASSERT(at->wire >= (double)at->size);
        CU_ASSERT(i == 0 || at->size > point_at(points, i - 1)->size);
        CU_ASSERT(i == 0 || at->wire >= point_at(points, i - 1)->wire + 1.0 / 16);
    }
}

static void test_parts_and_order(void)
{
    static const char *const stacks[] = {"lam_via", "mvich", "lam_tcp", "mpich_p4", "openmpi_tcp"};
    for (size_t i = 0; i < G_N_ELEMENTS(stacks); i++) {
        struct flow_curve *curve = curve_of(stacks[i], "", 3, NULL);
        check_points(curve->points, curve->rate);
        SUITE_SAME_INTEGER(point_at(curve->points, 0)->size, 0);
        SUITE_SAME_INTEGER(point_at(curve->points, curve->points->len - 1)->size, 4 << 20);
        SUITE_SAME_INTEGER(curve->links, 2);
        CU_ASSERT(curve->rate == 12.5e6);
        CU_ASSERT(curve->frame > 1500 && curve->frame < 1540); // of Ethernet
        CU_ASSERT_PTR_NULL(curve->local);
        flow_curve_free(curve);
    }
}

// The largest message that is sent before its receiver has asked for it has the size of the stack's
// own parameter.
static void test_the_eager_limit_is_found(void)
{
    static const struct {
        const char *stack, *set;
        int64_t eager;
    } cases[] = {
        {"lam_via", NULL, 32768},
        {"lam_tcp", NULL, 65536},
        {"lam_tcp", "lam_tcp.short=1000 B", 1000},
        {"lam_tcp", "lam_tcp.short=12345 B", 12345},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const sets[] = {cases[i].set, NULL};
        struct flow_curve *curve = curve_of(cases[i].stack, "", 2, sets);
        SUITE_SAME_INTEGER(curve->eager, cases[i].eager);
        bool next = false;
        for (guint k = 1; k < curve->points->len; k++)
            next = next || (point_at(curve->points, k - 1)->size == curve->eager &&
                            point_at(curve->points, k)->size == curve->eager + 1);
        CU_ASSERT(next); // both sides of the limit are points
        flow_curve_free(curve);
    }
}

static void test_between_and_beyond_points(void)
{
    struct flow_curve *curve = curve_of("lam_via", "", 2, NULL);
    const GArray *points = curve->points;
    for (guint i = 0; i + 1 < points->len; i++) {
        const struct flow_curve_point *a = point_at(points, i), *b = point_at(points, i + 1);
        struct flow_curve_point at = flow_curve_at(curve, a->size, false);
        SUITE_SAME_INTEGER(at.size, a->size);
        CU_ASSERT(fabs(at.one_way - a->one_way) < 1e-12 && fabs(at.wire - a->wire) < 1e-6);
        CU_ASSERT(fabs(flow_curve_latency(curve, at.wire, false) - a->latency) < 1e-9);
        at = flow_curve_at(curve, a->size + (b->size - a->size) / 2, false);
        CU_ASSERT(at.one_way >= MIN(a->one_way, b->one_way) &&
                  at.one_way <= MAX(a->one_way, b->one_way));
    }
    // The wire carries at its rate, however long the message is.
    struct flow_curve_point far = flow_curve_at(curve, INT64_C(64) << 20, false);
    CU_ASSERT(far.one_way > 16 * 0.352 && far.one_way < 16 * 0.353);
    flow_curve_free(curve);
}

// Two processors of each host have a rank: those have a curve of their own, which no link has to do
// with.
static void test_ranks_on_one_host(void)
{
    static const char *const myrinet[] = {
        "links=[{from: node, to: switch, rate: 1280 Mb/s, propagation: 15 ns, preamble: 0 B, "
        "gap: 1 B, least_frame: 0 B}]",
        "switch={discipline: cut_through, ports: 16, latency: 150 ns, header: 1 B, "
        "route_bytes: 1 B}",
        "nic=lanai7", "host.processor.cores=2", NULL};
    struct flow_curve *curve = curve_of("armci", "", 6, myrinet);
    CU_ASSERT_PTR_NOT_NULL_FATAL(curve->local);
    check_points(curve->points, curve->rate);
    check_points(curve->local, 0);
    CU_ASSERT(curve->rate == 160e6);
    SUITE_SAME_INTEGER(curve->most, 16384); // the modelled MPICH-GM: eager messages only
    SUITE_CONTAINS(curve->beyond, "mpich_gm.eager");
    CU_ASSERT(flow_curve_at(curve, 64, true).one_way < flow_curve_at(curve, 64, false).one_way);
    flow_curve_free(curve);
}

static void test_refusals(void)
{
    static const char text[] = "schema: 1\nname: t\nhosts: [{name: node, count: 2}]\n"
                               "links: [{from: node0, to: node1}]\nnic: eepro100\nstack: tcp\n"
                               "workload: {benchmark: native.pingpong}\n";
    char *error = NULL;
    struct compiled compiled = compiled_new(text, NULL);
    CU_ASSERT_PTR_NULL(flow_curve_measure(&model_registry, compiled.test_case, NULL, &error));
    SUITE_SAME_TEXT(error, "the stack tcp is no MPI library");
    g_free(error);
    compiled_free(&compiled);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the parts of each point are its time", test_parts_and_order},
        {"the eager limit is found", test_the_eager_limit_is_found},
        {"between and beyond points", test_between_and_beyond_points},
        {"ranks on one host", test_ranks_on_one_host},
        {"what is no MPI library has no curve", test_refusals},
        {0},
    };
    return suite_run("flow: curves of stacks", cases);
}
