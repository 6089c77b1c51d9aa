// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of the NAS benchmarks as trees: their totals are those of references/nas.yaml, which
// come from another writing, and every message has its receive, of all classes and many ranks.
#include "sim/config/node.h"
#include "sim/model/model.h"
#include "sim/source/program_source.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#define MOST_RANKS 64

static const char *const codes[] = {"nas.bt", "nas.cg", "nas.ep", "nas.ft",
                                    "nas.is", "nas.lu", "nas.mg", "nas.sp"};
static const char *const classes[] = {"S", "W", "A", "B", "C"};

// A program with its workload, and whether the benchmark runs on that many ranks.
struct made {
    struct workload workload;
    struct program *program; // NULL: it does not
};

static struct made make(const char *name, const char *class, int ranks, int64_t iterations)
{
    const struct benchmark *benchmark = registry_benchmark(&model_registry, name);
    struct diag_list *diags = diag_list_new();
    char *yaml = g_strdup_printf("class: %s", class);
    struct node *map = node_parse(yaml, strlen(yaml), "test", NULL, diags);
    struct made made = {
        .workload = {
            .benchmark = &benchmark->schema,
            .ranks = ranks,
            .sizes = g_array_new(FALSE, TRUE, sizeof(int64_t)),
            .parameters = param_read(benchmark->schema.parameters, map, "workload", diags),
            .repetitions = iterations,
        }};
    g_array_set_size(made.workload.sizes, 1);
    CU_ASSERT_FALSE(diag_any(diags));
    char *refused = benchmark->schema.refusal(made.workload.parameters->values, ranks);
    if (!refused)
        made.program = benchmark_program(benchmark, &made.workload);
    g_free(refused);
    g_free(yaml);
    node_free(map);
    diag_list_free(diags);
    return made;
}

static void clear(struct made *made)
{
    param_values_free(made->workload.parameters);
    g_array_free(made->workload.sizes, TRUE);
    if (made->program)
        program_free(made->program);
}

// ---- Totals ----

struct totals {
    int64_t messages, bytes;
    int64_t calls[OP_CODES], sizes[OP_CODES];
};

static void add_body(struct totals *totals, const GPtrArray *body, int64_t times)
{
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        int64_t size = op_common(op)->size;
        if (op_is(op, OP_LOOP)) {
            add_body(totals, op->body,
                     times * ((const struct loop_arguments *)op->arguments)->count);
        } else if (op_is(op, OP_SEND) || op_is(op, OP_ISEND)) {
            totals->messages += times;
            totals->bytes += times * size;
        } else if (op->kind->class == CALL_COLLECTIVE) {
            ptrdiff_t code = op->kind - operation_table;
            totals->calls[code] += times;
            totals->sizes[code] += times * (op_is(op, OP_BARRIER) ? 0 : size);
        }
    }
}

static int64_t number(const struct node *map, const char *key)
{
    const struct node *node = node_get(map, key);
    return node ? strtoll(node->text, NULL, 10) : 0;
}

// Calls and bytes of a collective; none if the row does not name it.
static void expect_collective(const struct node *row, const struct totals *totals,
                              enum op_code code, int ranks)
{
    const struct node *pair = node_get(row, operation_table[code].name);
    int64_t expected[2] = {0, 0};
    for (guint i = 0; pair && i < 2; i++)
        expected[i] =
            strtoll(((const struct node *)g_ptr_array_index(pair->children, i))->text, NULL, 10);
    SUITE_SAME_INTEGER(totals->calls[code], expected[0] * ranks);
    SUITE_SAME_INTEGER(totals->sizes[code], expected[1] * ranks);
}

static void expect_row(const struct node *row)
{
    char *name = g_strconcat("nas.", node_get(row, "code")->text, NULL);
    int ranks = (int)number(row, "ranks");
    struct made made = make(name, node_get(row, "class")->text, ranks, 0);
    struct totals totals = {0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(made.program);
    for (guint i = 0; i < made.program->parts->len; i++)
        add_body(&totals,
                 ((const struct program_part *)g_ptr_array_index(made.program->parts, i))->body, 1);
    if (!SUITE_SAME_INTEGER(totals.messages, number(row, "messages")) ||
        !SUITE_SAME_INTEGER(totals.bytes, number(row, "bytes")))
        fprintf(stderr, "%s %s on %d ranks\n", name, node_get(row, "class")->text, ranks);
    for (int code = 0; code < OP_CODES; code++)
        if (operation_table[code].class == CALL_COLLECTIVE)
            expect_collective(row, &totals, (enum op_code)code, ranks);
    clear(&made);
    g_free(name);
}

static void test_totals(void)
{
    char *file = g_build_filename(g_getenv("NETSIM_SOURCE_DIR"), "references", "nas.yaml", NULL);
    struct diag_list *diags = diag_list_new();
    struct node *tree = node_load(file, diags);
    diag_print(diags, stderr);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tree);
    const struct node *rows = node_get(tree, "counted");
    CU_ASSERT_TRUE(rows->children->len > 200);
    for (guint i = 0; i < rows->children->len; i++)
        expect_row(g_ptr_array_index(rows->children, i));
    node_free(tree);
    diag_list_free(diags);
    g_free(file);
}

// ---- Pairs ----

// A send or receive, as its peers see it.
struct half {
    int source, destination, order;
    int64_t tag, size;
};

static gint compare_halves(gconstpointer a, gconstpointer b)
{
    const struct half *one = a, *other = b;
    int64_t keys[][2] = {{one->source, other->source},
                         {one->destination, other->destination},
                         {one->tag, other->tag},
                         {one->order, other->order}};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void note_call(GArray *sends, GArray *receives, GArray *collectives, int rank,
                      const struct op_call *call)
{
    if (call->kind->class == CALL_COLLECTIVE)
        g_array_append_val(collectives, call->kind);
    if (call->kind->class != CALL_TRANSFER)
        return;
    const struct transfer_arguments *transfer = call->arguments;
    bool receives_it = op_call_is(call, OP_RECV) || op_call_is(call, OP_IRECV);
    struct half half = {.source = receives_it ? transfer->common.peer : rank,
                        .destination = receives_it ? rank : transfer->common.peer,
                        .order = (int)(receives_it ? receives : sends)->len,
                        .tag = transfer->tag,
                        .size = transfer->common.size};
    g_array_append_val(receives_it ? receives : sends, half);
}

// Every message has a receive with its tag and room for it, in the order of both ends.
static bool pairs_up(GArray *sends, GArray *receives)
{
    bool good = sends->len == receives->len;
    g_array_sort(sends, compare_halves);
    g_array_sort(receives, compare_halves);
    for (guint i = 0; good && i < sends->len; i++) {
        const struct half *send = &g_array_index(sends, struct half, i),
                          *receive = &g_array_index(receives, struct half, i);
        good = send->source == receive->source && send->destination == receive->destination &&
               send->tag == receive->tag && send->size <= receive->size && send->size > 0;
    }
    return good;
}

static void expect_pairs(const char *name, const char *class, int ranks)
{
    struct made made = make(name, class, ranks, 2);
    GArray *sends = g_array_new(FALSE, FALSE, sizeof(struct half)),
           *receives = g_array_new(FALSE, FALSE, sizeof(struct half)), *first = NULL;
    if (!made.program) {
        clear(&made);
        g_array_free(sends, TRUE);
        g_array_free(receives, TRUE);
        return;
    }
    struct op_source *source = program_source_new(made.program, ranks);
    for (int rank = 0; rank < ranks; rank++) {
        GArray *collectives = g_array_new(FALSE, FALSE, sizeof(const struct operation_kind *));
        struct op_call call;
        enum source_next next;
        while ((next = source->next(source, rank, &call)) != SOURCE_END) {
            CU_ASSERT_FATAL(next != SOURCE_WRONG);
            if (next == SOURCE_CALL)
                note_call(sends, receives, collectives, rank, &call);
        }
        // All ranks call the same collectives.
        if (first)
            CU_ASSERT_TRUE(first->len == collectives->len && first->len > 0 &&
                           memcmp(first->data, collectives->data,
                                  first->len * sizeof(const struct operation_kind *)) == 0);
        if (first)
            g_array_free(collectives, TRUE);
        else
            first = collectives;
    }
    bool good = pairs_up(sends, receives);
    if (!good)
        fprintf(stderr, "%s %s on %d ranks: messages do not pair up\n", name, class, ranks);
    CU_ASSERT_TRUE(good);
    op_source_free(source);
    g_array_free(first, TRUE);
    g_array_free(sends, TRUE);
    g_array_free(receives, TRUE);
    clear(&made);
}

static void test_pairs(void)
{
    for (size_t code = 0; code < G_N_ELEMENTS(codes); code++)
        for (size_t class = 0; class < G_N_ELEMENTS(classes); class ++)
            for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
                expect_pairs(codes[code], classes[class], ranks);
}

// ---- Keys of IS ----

static const struct collective_arguments *alltoallv_of(const struct program *program, int rank)
{
    const struct program_part *part = g_ptr_array_index(program->parts, rank);
    for (guint i = 0; i < part->body->len; i++)
        if (op_is(g_ptr_array_index(part->body, i), OP_ALLTOALLV))
            return ((const struct op *)g_ptr_array_index(part->body, i))->arguments;
    CU_FAIL_FATAL("no alltoallv");
    return NULL;
}

// Each rank gets the keys that the others send it, sends all of its keys, and about as many to
// each: a bucket at the middle of the range has four times the keys of a mean one.
static void expect_shares(const char *class, int ranks, int64_t keys, int64_t buckets)
{
    struct made made = make("nas.is", class, ranks, 1);
    for (int rank = 0; rank < ranks; rank++) {
        const struct collective_arguments *own = alltoallv_of(made.program, rank);
        int64_t sum = 0, mean = keys * 4 / ranks / ranks;
        for (int peer = 0; peer < ranks; peer++) {
            const struct collective_arguments *other = alltoallv_of(made.program, peer);
            sum += own->blocks[peer];
            SUITE_SAME_INTEGER(own->receive_blocks[peer], other->blocks[rank]);
            CU_ASSERT(llabs(own->blocks[peer] - mean) <= 4 * keys * 4 / ranks / buckets);
        }
        SUITE_SAME_INTEGER(sum, keys * 4 / ranks);
        SUITE_SAME_INTEGER(own->common.size, sum);
    }
    clear(&made);
}

static void test_keys(void)
{
    expect_shares("S", 4, 1 << 16, 512);
    expect_shares("A", 8, 1 << 23, 1024);
    expect_shares("B", 64, 1 << 25, 1024);
}

// ---- Numbers of ranks ----

static void expect_ranks(const char *name, const char *class, int ranks, bool runs)
{
    struct made made = make(name, class, ranks, 1);
    CU_ASSERT_EQUAL(made.program != NULL, runs);
    clear(&made);
}

static void test_ranks(void)
{
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        bool square = false, power = (ranks & (ranks - 1)) == 0;
        for (int i = 1; i <= 8; i++)
            square = square || i * i == ranks;
        expect_ranks("nas.bt", "A", ranks, square);
        expect_ranks("nas.sp", "A", ranks, square);
        expect_ranks("nas.cg", "A", ranks, power);
        expect_ranks("nas.ft", "A", ranks, power);
        expect_ranks("nas.is", "A", ranks, power);
        expect_ranks("nas.lu", "A", ranks, power);
        expect_ranks("nas.mg", "A", ranks, power);
        expect_ranks("nas.ep", "A", ranks, true);
    }
    expect_ranks("nas.bt", "S", 16, true);
    expect_ranks("nas.bt", "S", 25, false); // cells of two points
    expect_ranks("nas.lu", "S", 4, true);
    expect_ranks("nas.lu", "S", 8, false); // three points
    expect_ranks("nas.is", "S", 256, false);
    expect_ranks("nas.ep", "S", 257, false); // more than there are batches
}

// ---- Computation ----

// Time of computation within the clock, in seconds.
static double computed(const GPtrArray *body, bool *clock)
{
    double seconds = 0;
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        if (op_is(op, OP_MEASURE_START) || op_is(op, OP_MEASURE_STOP))
            *clock = op_is(op, OP_MEASURE_START);
        else if (op_is(op, OP_LOOP))
            seconds += computed(op->body, clock) *
                       (double)((const struct loop_arguments *)op->arguments)->count;
        else if (*clock && op_is(op, OP_COMPUTE))
            seconds += time_to_s(((const struct compute_arguments *)op->arguments)->time);
    }
    return seconds;
}

// Over all ranks, computation takes the operations that the code counts for its Mop/s, at the rate:
// of NPB's formulas, worked out by hand (IS: keys, EP: numbers).
static void test_computation(void)
{
    static const struct {
        const char *name, *class;
        double operations, rate;
    } rows[] = {
        {"nas.bt", "A", 168.3e9, 700e6},  {"nas.bt", "B", 702.2e9, 700e6},
        {"nas.sp", "A", 85.0e9, 200e6},   {"nas.sp", "B", 355.1e9, 200e6},
        {"nas.lu", "A", 119.3e9, 700e6},  {"nas.lu", "B", 498.8e9, 700e6},
        {"nas.mg", "A", 3.89e9, 300e6},   {"nas.mg", "B", 19.46e9, 300e6},
        {"nas.is", "A", 83.9e6, 30e6},    {"nas.is", "B", 335.5e6, 30e6},
        {"nas.cg", "A", 1.4965e9, 200e6}, {"nas.cg", "B", 54.71e9, 200e6},
        {"nas.ft", "A", 7.137e9, 400e6},  {"nas.ft", "B", 92.05e9, 400e6},
        {"nas.ep", "A", 536.9e6, 11e6},   {"nas.ep", "B", 2147.5e6, 11e6},
    };
    static const int ranks[] = {1, 4, 16, 64};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(ranks); j++) {
            struct made made = make(rows[i].name, rows[i].class, ranks[j], 0);
            double seconds = 0;
            for (guint part = 0; part < made.program->parts->len; part++) {
                bool clock = false;
                seconds += computed(
                    ((const struct program_part *)g_ptr_array_index(made.program->parts, part))
                        ->body,
                    &clock);
            }
            double counted = registry_benchmark(&model_registry, rows[i].name)
                                 ->report.operations(&made.workload);
            CU_ASSERT_DOUBLE_EQUAL(counted / rows[i].operations, 1, 1e-3);
            CU_ASSERT_DOUBLE_EQUAL(seconds * rows[i].rate / counted, 1, 1e-6);
            clear(&made);
        }
}

// ---- One rank on four, class A ----

// Sends of each size of rank 0 of four within the clock, in the order of the first of each.
static void note_sizes(GArray *sizes, GArray *counts, const GPtrArray *body, int64_t times,
                       bool *clock)
{
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        int64_t size = op_common(op)->size, one = times;
        if (op_is(op, OP_MEASURE_START) || op_is(op, OP_MEASURE_STOP))
            *clock = op_is(op, OP_MEASURE_START);
        if (op_is(op, OP_LOOP))
            note_sizes(sizes, counts, op->body,
                       times * ((const struct loop_arguments *)op->arguments)->count, clock);
        if (!*clock || !(op_is(op, OP_SEND) || op_is(op, OP_ISEND)))
            continue;
        guint at = 0;
        while (at < sizes->len && g_array_index(sizes, int64_t, at) != size)
            at++;
        if (at == sizes->len) {
            g_array_append_val(sizes, size);
            g_array_append_val(counts, one);
        } else {
            g_array_index(counts, int64_t, at) += one;
        }
    }
}

static void expect_sizes(const char *name, const char *class, int kinds,
                         const int64_t expected[][2])
{
    struct made made = make(name, class, 4, 0);
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t)),
           *counts = g_array_new(FALSE, FALSE, sizeof(int64_t));
    bool clock = false;
    note_sizes(sizes, counts,
               ((const struct program_part *)g_ptr_array_index(made.program->parts, 0))->body, 1,
               &clock);
    SUITE_SAME_INTEGER(sizes->len, kinds);
    for (guint i = 0; i < sizes->len && i < (guint)kinds; i++) {
        SUITE_SAME_INTEGER(g_array_index(sizes, int64_t, i), expected[i][0]);
        SUITE_SAME_INTEGER(g_array_index(counts, int64_t, i), expected[i][1]);
    }
    g_array_free(sizes, TRUE);
    g_array_free(counts, TRUE);
    clear(&made);
}

static void test_four_ranks(void)
{
    expect_sizes("nas.bt", "A", 3,
                 (const int64_t[][2]){{81920, 6 * 200}, {261360, 3 * 200}, {43560, 3 * 200}});
    expect_sizes("nas.bt", "B", 3,
                 (const int64_t[][2]){{208080, 6 * 200}, {648960, 3 * 200}, {108160, 3 * 200}});
    expect_sizes("nas.sp", "A", 3,
                 (const int64_t[][2]){{81920, 6 * 400}, {169136, 3 * 400}, {76880, 3 * 400}});
    expect_sizes("nas.sp", "B", 3,
                 (const int64_t[][2]){{208080, 6 * 400}, {440000, 3 * 400}, {200000, 3 * 400}});
    // The corner of the grid sends in the lower sweep only: 62 planes, two neighbours.
    expect_sizes("nas.lu", "A", 2, (const int64_t[][2]){{1240, 2 * 62 * 250}, {163840, 2 * 250}});
    expect_sizes("nas.lu", "B", 2, (const int64_t[][2]){{2000, 2 * 100 * 250}, {416160, 2 * 250}});
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"totals are those of the closed forms", test_totals},
        {"every message has its receive", test_pairs},
        {"keys of IS", test_keys},
        {"numbers of ranks", test_ranks},
        {"computation is what the codes count", test_computation},
        {"sizes and counts on four ranks", test_four_ranks},
        {0},
    };
    return suite_run("NAS programs", cases);
}
