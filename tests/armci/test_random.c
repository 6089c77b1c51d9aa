// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs over ARMCI, with all variants of put and get, all schemes of buffers, and links
// that lose packets: they end, every byte is in its last place once and in order, no client has two
// sends out, and an equal run is equal.
//
// NETSIM_RANDOM_PROGRAMS sets how many are tried, NETSIM_RANDOM_FIRST the first seed (1).
#include "sim/core/intern.h"
#include "tests/support/armci_run.h"
#include "tests/support/one_sided_reference.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SETS 20

struct generator {
    GRand *random;
    int ranks;
    int buffer; // bytes
    char *sets[MOST_SETS];
    int set_count;
};

static int pick(struct generator *generator, int from, int below)
{
    return g_rand_int_range(generator->random, from, below);
}

static void set(struct generator *generator, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void set(struct generator *generator, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_assert(generator->set_count < MOST_SETS);
    generator->sets[generator->set_count++] = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

static void set_choice(struct generator *generator, const char *path, const char *const *choices,
                       int count)
{
    set(generator, "%s=%s", path, choices[pick(generator, 0, count)]);
}

static void make_sets(struct generator *generator)
{
    static const char *const puts[] = {"sequential", "pipelined", "direct"};
    static const char *const gets[] = {"sequential", "server_split", "client_packing", "direct"};
    static const char *const schemes[] = {"fixed", "dynamic"};
    static const char *const returns[] = {"after_last_ack", "after_last_send"};
    static const char *const chunks[] = {"buffer", "armci_2001"};
    static const char *const truths[] = {"true", "false"};
    generator->buffer = pick(generator, 1000, 20000);
    set(generator, "armci.buffer=%d B", generator->buffer);
    set(generator, "armci.region=%d B", pick(generator, 2000, 60000));
    set_choice(generator, "armci.put", puts, 3);
    set_choice(generator, "armci.get", gets, 4);
    set_choice(generator, "armci.buffer_scheme", schemes, 2);
    set_choice(generator, "armci.put_returns", returns, 2);
    set_choice(generator, "armci.get_chunk", chunks, 2);
    set_choice(generator, "armci.even_out", truths, 2);
    set_choice(generator, "gm.registration", truths, 2);
    set(generator, "armci.send_buffers=%d", pick(generator, 1, 5));
    set(generator, "armci.get_buffers=%d", pick(generator, 1, 4));
    set(generator, "armci.large_buffers=%d", pick(generator, 1, 4));
    set(generator, "armci.small_buffers=%d", pick(generator, 1, 6));
    set(generator, "armci.small=%d B", pick(generator, 400, 9000));
    set(generator, "armci.server_ports=%d", pick(generator, 1, 3));
    set(generator, "host.processor.cores=%d", pick(generator, 1, 3));
    set(generator, "host.memory.pin_limit=%d B", pick(generator, 20000, 200000));
    if (pick(generator, 0, 3) == 0)
        set(generator, "link.drop_nth=[%d, %d]", pick(generator, 1, 20), pick(generator, 20, 60));
}

// ---- Programs ----

static void append_data(struct generator *generator, GString *ops)
{
    int room = 8 * generator->buffer;
    switch (pick(generator, 0, 5)) {
    case 0:
        g_string_append_printf(ops, "size: %d B", pick(generator, 0, 40));
        return;
    case 1:
    case 2:
        g_string_append_printf(ops, "size: %d B", pick(generator, 0, room));
        return;
    case 3: {
        int row = pick(generator, 1, generator->buffer * 3 / 2),
            rows = pick(generator, 1, MAX(2, MIN(30, room / row))),
            planes = pick(generator, 1, MAX(2, MIN(6, room / row / rows)));
        g_string_append_printf(ops, "strided: {counts: [%d B, %d, %d], strides: [%d B, %d B]}", row,
                               rows, planes, 2 * row, 2 * row * rows);
        return;
    }
    default:
        g_string_append_printf(
            ops, "segments: [{bytes: %d B, count: %d}, {bytes: %d B, count: %d}]",
            pick(generator, 1, generator->buffer / 3), pick(generator, 1, 8),
            pick(generator, 1, generator->buffer * 3 / 2), pick(generator, 1, 3));
    }
}

static void append_op(struct generator *generator, GString *ops, int number)
{
    static const char *const transfers[] = {"put", "accumulate", "get"};
    int peer = pick(generator, 0, generator->ranks), what = pick(generator, 0, 14);
    if (ops->len > 0)
        g_string_append(ops, ", ");
    if (what < 9) {
        g_string_append_printf(ops, "{%s: {%s: %d, ", transfers[what % 3],
                               what % 3 == 2 ? "from" : "to", peer);
        append_data(generator, ops);
        if (pick(generator, 0, 3) == 0)
            g_string_append_printf(ops, ", request: r%d", number);
        g_string_append(ops, "}}");
    } else if (what == 9) {
        g_string_append_printf(ops, "{fetch_add: %d}", peer);
    } else if (what == 10) {
        g_string_append_printf(ops, "{lock: %d}, {put: {to: %d, size: 9 B}}, {unlock: %d}", peer,
                               peer, peer);
    } else if (what == 11) {
        g_string_append_printf(ops, "{fence: %d}", peer);
    } else if (what == 12) {
        g_string_append(ops, "{fence: all}");
    } else {
        g_string_append_printf(ops, "{compute: %d us}", pick(generator, 1, 3000));
    }
}

static char *random_ops(struct generator *generator)
{
    GString *ops = g_string_new(NULL);
    for (int i = pick(generator, 1, 9); i > 0; i--)
        append_op(generator, ops, i);
    g_string_append(ops, ", {waitall: all}, barrier, ");
    for (int i = pick(generator, 11, 15); i > 10; i--) {
        GString *one = g_string_new(NULL);
        append_op(generator, one, i);
        g_string_append_printf(ops, "%s, ", one->str);
        g_string_free(one, TRUE);
    }
    g_string_append(ops, "{waitall: all}, {fence: all}, barrier");
    return g_string_free(ops, FALSE);
}

// ---- Runs ----

static bool is_right(const struct program_run *run)
{
    const struct series_result *result = run->result;
    return result->status == SIM_COMPLETED && result->ledger_balanced &&
           result->ledger.misordered == 0 && result->ledger.duplicated == 0 &&
           program_counter(run, "ARMCI: most sends of a client without acknowledgement") <= 1;
}

// Of the answers to n requests for a rank's word each of 0 .. n - 1 arrived once.
static bool words_counted(const struct call_log *log, const struct program_run *run)
{
    int asked[TEST_MOST_RANKS] = {0};
    int64_t sum = 0;
    for (guint i = 0; i < log->entries->len; i++) {
        const struct logged *entry = &g_array_index(log->entries, struct logged, i);
        if (logged_is(entry, "fetch_add") && entry->what == OBSERVED_START)
            sum += asked[entry->peer]++;
    }
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        const char *answer = strstr(line->text, "answer "),
                   *fetched = strstr(line->text, "fetched ");
        if (!g_str_has_prefix(line->text, "fetch_add["))
            continue;
        if (answer || fetched)
            sum -= g_ascii_strtoll(
                answer ? answer + strlen("answer ") : fetched + strlen("fetched "), NULL, 10);
    }
    return sum == 0;
}

static bool is_as_told(const struct call_log *log, const struct program_run *run)
{
    struct one_sided check = {.log = log,
                              .whole = run->result->status == SIM_COMPLETED,
                              .gets_wait = true,
                              .in_order = true,
                              .complaints = g_string_new(NULL)};
    one_sided_check(&check);
    bool right = check.complaints->len == 0 && words_counted(log, run);
    if (!right)
        fprintf(stderr, "\n%swords %s\n", check.complaints->str,
                words_counted(log, run) ? "right" : "wrong");
    g_string_free(check.complaints, TRUE);
    return right;
}

static void complain(const struct test_program *program, guint32 seed,
                     const struct program_run *run)
{
    char *reason = run->result->reason ? json_dumps(run->result->reason, JSON_INDENT(1)) : NULL;
    fprintf(stderr, "\nprogram %u: %s %s\n", seed, sim_status_name(run->result->status),
            reason ? reason : "");
    for (guint i = 0; run->result->ledger_report && i < run->result->ledger_report->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(run->result->ledger_report, i));
    for (int i = 0; program->sets[i]; i++)
        fprintf(stderr, "%s\n", program->sets[i]);
    for (int rank = 0; rank < program->ranks; rank++)
        fprintf(stderr, "rank %d: %s\n", rank, program->ops[rank]);
    free(reason);
}

static bool try_program(guint32 seed, GHashTable *reached)
{
    struct generator generator = {.random = g_rand_new_with_seed(seed)};
    generator.ranks = pick(&generator, 2, 6);
    struct test_program program = {.ranks = generator.ranks,
                                   .hosts = pick(&generator, 2, generator.ranks + 1)};
    make_sets(&generator);
    for (int i = 0; i < generator.set_count; i++)
        program.sets[i] = generator.sets[i];
    for (int rank = 0; rank < program.ranks; rank++)
        program.ops[rank] = random_ops(&generator);
    struct call_log *log = call_log_new();
    struct program_run *run = armci_run_observed(&program, &log->observer),
                       *again = armci_run(&program);
    bool right = is_right(run) && is_as_told(log, run) &&
                 run->result->fingerprint == again->result->fingerprint &&
                 run->lines->len == again->lines->len;
    if (!right)
        complain(&program, seed, run);
    const char *name;
    json_t *value;
    json_object_foreach(run->result->counters, name, value) if (json_integer_value(value) > 0)
        g_hash_table_add(reached, (char *)intern_text(name));
    program_run_free(run);
    program_run_free(again);
    call_log_free(log);
    for (int rank = 0; rank < program.ranks; rank++)
        g_free((char *)(uintptr_t)program.ops[rank]);
    for (int i = 0; i < generator.set_count; i++)
        g_free(generator.sets[i]);
    g_rand_free(generator.random);
    return right;
}

static guint32 from_environment(const char *name, guint32 fallback)
{
    const char *text = g_getenv(name);
    return text ? (guint32)g_ascii_strtoull(text, NULL, 10) : fallback;
}

static void test_programs(void)
{
    static const char *const wanted[] = {
        "ARMCI: waits for all slots", "ARMCI: requests that fragmentation held up",
        "ARMCI: requests stored while a data server was busy", "ARMCI: interrupts of data servers"};
    GHashTable *reached = g_hash_table_new(g_str_hash, g_str_equal);
    guint32 first = from_environment("NETSIM_RANDOM_FIRST", 1),
            count = from_environment("NETSIM_RANDOM_PROGRAMS", 200);
    for (guint32 seed = first; seed < first + count; seed++)
        CU_ASSERT(try_program(seed, reached));
    for (size_t i = 0; i < G_N_ELEMENTS(wanted) && count >= 200; i++)
        if (!g_hash_table_contains(reached, wanted[i]))
            SUITE_SAME_TEXT("", wanted[i]); // the programs would show little
    g_hash_table_destroy(reached);
}

int main(void)
{
    static const struct suite_case cases[] = {{"random programs", test_programs}, {0}};
    return suite_run("armci: random programs", cases);
}
