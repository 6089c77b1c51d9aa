// SPDX-License-Identifier: GPL-3.0-or-later
// The VDMA handler over true cards: slices, credits, channels, the self-connection, alignment and
// what a transfer takes (thesis 002, 2.2.2 and 5.2.2).
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include "models/intercept/vdma/handler_align.h"
#include "sim/run/run.h"

#include <math.h>
#include <string.h>

#define MIB VDMA_SLICE

// A card in PCI-X at 66 MHz, as in system 1 of thesis 002, 6.1, about. Software costs nothing but
// what the card and the handler take.
#define LINK                                                                                       \
    "link: {rate: 2 Gb/s, propagation: 325 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"
#define HOST                                                                                       \
    "nic: intercept\n" LINK "host:\n"                                                              \
    "  processor: {cores: 2, clock: 1 GHz}\n"                                                      \
    "  memory: {copy_uncached: 700 MB/s, cache: 512 KiB}\n"                                        \
    "  bus: {clock: 66.666667 MHz, width: 8 B, rate: 533.333333 MB/s, read_burst: 64 B,\n"         \
    "        read_setup: 63.3, write_burst: 256 B, write_setup: 9.5}\n"
#define PAIR                                                                                       \
    HOST "links: [{from: node0, to: node1, count: 3}]\nvdma_handler: {self_connect: false}\n"
#define LOOP HOST "links: [{from: node0, to: node0, count: 3}]\n"
static struct test_program pair(const char *ops)
{
    return (struct test_program){
        .ranks = 2, .machine = PAIR, .stack = "intercept_vdma", .ops = {ops}};
}

static struct test_program looped(const char *ops)
{
    return (struct test_program){
        .ranks = 1, .machine = LOOP, .stack = "intercept_vdma", .ops = {ops}};
}

static double time_us(const struct program_run *run)
{
    const struct result_value *value =
        &g_array_index(run->result->values, struct result_value, run->result->values->len - 1);
    for (guint i = 0; i < run->result->values->len; i++) {
        const struct result_value *at = &g_array_index(run->result->values, struct result_value, i);
        if (at->rank == 0)
            value = at;
    }
    return value->value;
}

// Runs one transfer; returns its time in us and, unless NULL, counters.
static double transfer(struct test_program program, int64_t *slices, int64_t *gets, int64_t *copies)
{
    struct program_run *run = program_run_good(&program);
    double time = time_us(run);
    if (slices)
        *slices = program_counter(run, "VDMA handler: slices received");
    if (gets)
        *gets = program_counter(run, "VDMA handler: GET sent");
    if (copies)
        *copies = program_counter(run, "VDMA handler: slices copied");
    program_run_free(run);
    return time;
}

// ---- Slices ----

// icpt.cfg.vdma_slice, icpt.vdma.packet_counter: a GET and an interrupt for each slice, whatever is
// prepared ahead.
static void test_slices(void)
{
    static const struct {
        int64_t bytes, slices;
    } rows[] = {{24, 1},  {512, 1},     {4096, 1},    {MIB - 8, 1},
                {MIB, 1}, {MIB + 8, 2}, {5 * MIB, 5}, {5 * MIB + 24, 6}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int ahead = 0; ahead <= 3; ahead++) {
            char *ops = g_strdup_printf("{vdma_write: {to: 1, size: %d B}}", (int)rows[i].bytes);
            char *set = g_strdup_printf("vdma_handler.ahead=%d", ahead);
            struct test_program program = pair(ops);
            int64_t slices, gets;
            program.sets[0] = set;
            transfer(program, &slices, &gets, NULL);
            SUITE_SAME_INTEGER(slices, rows[i].slices);
            SUITE_SAME_INTEGER(gets, rows[i].slices);
            g_free(set);
            g_free(ops);
        }
}

// icpt.vdma.one_active: slices that are prepared ahead hide the software between them, and no more;
// a card receives one at a time.
static void test_ahead(void)
{
    struct test_program program = pair("{vdma_write: {to: 1, size: 8 MiB}}");
    double times[4];
    for (int ahead = 0; ahead <= 3; ahead++) {
        char *set = g_strdup_printf("vdma_handler.ahead=%d", ahead);
        program.sets[0] = set;
        times[ahead] = transfer(program, NULL, NULL, NULL);
        g_free(set);
    }
    double reads = 8.0 * MIB / 64 * (0.12 + 63.3 * 0.015);
    CU_ASSERT_TRUE(times[1] < times[0]);
    CU_ASSERT_TRUE(times[3] < times[0]);
    CU_ASSERT_TRUE(times[3] > reads);
    CU_ASSERT_TRUE(times[0] - times[3] < 8 * 100);
}

static int count_at(const struct program_run *run, const char *where, const char *part)
{
    int count = 0;
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        count += strcmp(line->where, where) == 0 && strstr(line->text, part) != NULL;
    }
    return count;
}

// Both read from one another with all that may be prepared ahead, and more transfers than there are
// channels: the one that is kept for sending lets all end.
static void test_channels(void)
{
#define READS(peer)                                                                                \
    "{vdma_read: {from: " peer ", size: 3 MiB, request: a}}, "                                     \
    "{vdma_read: {from: " peer ", size: 2 MiB, request: b}}, "                                     \
    "{vdma_read: {from: " peer ", size: 4 MiB, request: c}}, "                                     \
    "{vdma_write: {to: " peer ", size: 24 B, request: d}}, "                                       \
    "{wait: a}, {wait: b}, {wait: c}, {wait: d}"
    struct test_program program = pair(READS("1"));
    program.ops[1] = READS("0");
    program.sets[0] = "vdma_handler.ahead=3";
    struct program_run *run = program_run_good(&program);
    SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: slices received"), 20);
    CU_ASSERT_TRUE(count_at(run, "node0 VDMA handler", "channel[2] FREE -> RECEIVES") > 0);
    program_run_free(run);
#undef READS
}

// ---- Credits ----

// Invariant: a handler never sends more messages than it has credit for, and credits return.
static void test_credits(void)
{
    struct test_program program =
        pair("{loop: {count: 40, do: [{vdma_write: {to: 1, size: 24 B}}]}}");
    static const char *const settings[][2] = {{"32", "16"}, {"1", "1"}, {"4", "3"}};
    double times[3];
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        char *credits = g_strdup_printf("vdma_handler.credits=%s", settings[i][0]);
        char *update = g_strdup_printf("vdma_handler.credit_update=%s", settings[i][1]);
        program.sets[0] = credits;
        program.sets[1] = update;
        struct program_run *run = program_run_good(&program);
        int64_t each = g_ascii_strtoll(settings[i][1], NULL, 10);
        // node0 sends 40 PUTs, node1 40 GETs and 40 DONEs.
        SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: CREDIT sent"),
                           40 / each + 80 / each);
        SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: CONNECT sent"), 2);
        times[i] = time_us(run);
        program_run_free(run);
        g_free(update);
        g_free(credits);
    }
    // icpt.design.credit_hides_latency: with enough of them no message waits.
    CU_ASSERT_TRUE(times[0] < times[1]);
}

// Messages wait at 0 and go when credit comes: five writes at once with one credit.
static void test_no_credit(void)
{
#define WRITE(name) "{vdma_write: {to: 1, size: 24 B, request: " name "}}, "
    struct test_program program = pair(WRITE("a") WRITE("b") WRITE("c") WRITE("d") WRITE(
        "e") "{wait: a}, {wait: b}, {wait: c}, {wait: d}, {wait: e}");
    program.sets[0] = "vdma_handler.credits=1";
    program.sets[1] = "vdma_handler.credit_update=1";
    struct program_run *run = program_run_good(&program);
    CU_ASSERT_TRUE(count_at(run, "node0 VDMA handler", "connection[1] CONNECTED -> no credit") > 0);
    SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: slices received"), 5);
    program_run_free(run);
#undef WRITE
}

// A TX-CB that is full holds messages up, and they go when it has room.
static void test_room(void)
{
    GString *ops = g_string_new(NULL);
    for (int i = 0; i < 30; i++)
        g_string_append_printf(ops, "{vdma_write: {to: 1, size: 24 B, request: r%d}}, ", i);
    for (int i = 0; i < 30; i++)
        g_string_append_printf(ops, "%s{wait: r%d}", i > 0 ? ", " : "", i);
    struct test_program program = pair(ops->str);
    program.sets[0] = "intercept.tx_cb=1 KiB";
    program.sets[1] = "vdma_handler.request=0 us";
    program.sets[2] = "vdma_handler.message=0 us";
    program.sets[3] = "host.bus.read_setup=10000";
    struct program_run *run = program_run_good(&program);
    CU_ASSERT_TRUE(program_counter(run, "Intercept TX-CB full") > 0);
    SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: PUT sent"), 30);
    SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: DONE sent"), 30);
    program_run_free(run);
    g_string_free(ops, TRUE);
}

// ---- Connections ----

// icpt.conn.self_connect_bug: a card that is cabled to itself connects to itself;
// tests/cases/intercept_vdma has the failure of two, and its cure.
static void test_self_connect(void)
{
    struct test_program program = looped("{vdma_read: {from: 0, size: 1 KiB}}");
    struct program_run *run = program_run_good(&program);
    SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: CONNECT sent"), 1);
    SUITE_SAME_INTEGER(count_at(run, "node0 VDMA handler", "-> CONNECTED"), 1);
    program_run_free(run);
}

// With a switch the packet returns, whatever other nodes there are.
static void test_self_switched(void)
{
    struct test_program program = {
        .ranks = 2,
        .machine = HOST "links: [{from: node, to: switch}]\n"
                        "switch: {discipline: cut_through, latency: 300 ns, slack: 1 KiB}\n",
        .stack = "intercept_vdma",
        .ops = {"{vdma_write: {to: 1, size: 1 KiB}}, {vdma_read: {from: 0, size: 64 KiB}}"}};
    struct program_run *run = program_run_good(&program);
    SUITE_SAME_INTEGER(program_counter(run, "VDMA handler: CONNECT sent"), 4);
    SUITE_SAME_INTEGER(count_at(run, "node0 VDMA handler", "-> CONNECTED"), 2);
    program_run_free(run);
}

// A write of a program to itself without a connection to itself is reported.
static void test_unconnected(void)
{
    struct test_program program = pair("{vdma_write: {to: 0, size: 1 KiB}}");
    struct program_run *run = program_run(&program, 1);
    char *text = program_reason(run, "text");
    SUITE_SAME_INTEGER(run->result->status, SIM_DEADLOCK);
    SUITE_CONTAINS(text, "node0's VDMA handler waits for a connection to node0, for which nobody "
                         "has asked (vdma_handler.self_connect)");
    g_free(text);
    program_run_free(run);
}

// ---- Alignment ----

// All displacements of both ends that the card distinguishes, and lengths below and above what it
// can move: every byte comes once, and the sender copies if the displacements differ.
static void test_alignment(void)
{
    static const int lengths[] = {1, 23, 24, 55, 4097};
    for (int a = 0; a < VDMA_ALIGNMENT; a += 3)
        for (int s = 0; s < VDMA_ALIGNMENT; s += 3) {
            GString *ops = g_string_new(NULL);
            int64_t copies, slices, moved = 0;
            for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
                g_string_append_printf(ops,
                                       "%s{vdma_read: {from: 1, size: %d B, offset: %d B, "
                                       "peer_offset: %d B}}",
                                       i > 0 ? ", " : "", lengths[i], a, s);
                moved += vdma_split(a, lengths[i]).middle > 0;
            }
            struct test_program program = pair(ops->str);
            program.sets[0] = "vdma_handler.unaligned=split";
            transfer(program, &slices, NULL, &copies);
            SUITE_SAME_INTEGER(slices, moved);
            SUITE_SAME_INTEGER(copies, a == s ? 0 : moved);
            g_string_free(ops, TRUE);
        }
}

// The unmodified handler refuses: the program goes on, and the books record what was declined.
static void test_refusal(void)
{
    struct test_program program =
        pair("{vdma_write: {to: 1, size: 64 B, offset: 8 B}}, {vdma_write: {to: 1, size: 60 B}}, "
             "{vdma_read: {from: 1, size: 16 B}}, {vdma_write: {to: 1, size: 64 B}}");
    struct program_run *run = program_run_good(&program);
    SUITE_SAME_INTEGER(run->result->ledger.declined, 3);
    SUITE_SAME_INTEGER(run->result->ledger.declined_bytes, 64 + 60 + 16);
    SUITE_SAME_INTEGER(run->result->ledger.delivered, 1);
    SUITE_CONTAINS(g_ptr_array_index(run->result->declined, 0), "VDMA: not aligned to 32 B");
    SUITE_CONTAINS(g_ptr_array_index(run->result->declined, 1), "VDMA: length no multiple of 8 B");
    SUITE_CONTAINS(g_ptr_array_index(run->result->declined, 2), "VDMA: shorter than 24 B");
    program_run_free(run);
}

// ---- Trouble ----

// icpt.firmware.old_alignment: the transfer never ends, and the report names the slice.
static void test_old_firmware(void)
{
    struct test_program program = pair("{vdma_write: {to: 1, size: 64 KiB, offset: 32 B}}");
    program.sets[0] = "intercept.old_firmware=true";
    struct program_run *run = program_run(&program, 1);
    char *text = program_reason(run, "text");
    SUITE_SAME_INTEGER(run->result->status, SIM_DEADLOCK);
    SUITE_CONTAINS(text, "node1's VDMA handler waits for 128 of 128 packets of slice 1 (channel 0) "
                         "from node0");
    SUITE_CONTAINS(text, "the DONE of write 1 from node1");
    SUITE_CONTAINS(text, "intercept.old_firmware");
    g_free(text);
    program_run_free(run);
    program.ops[0] = "{vdma_read: {from: 1, size: 4194312 B, offset: 32 B}}";
    program.sets[1] = "vdma_handler.ahead=1";
    run = program_run(&program, 1);
    text = json_dumps(run->result->reason, 0);
    SUITE_CONTAINS(text,
                   "\"2048 of 2048 packets of slice 1 (channel 0) from node1; 2040 of 2040 packets "
                   "of slice 2 (channel 1) from node1\"");
    free(text);
    program_run_free(run);
}

// All planes go dark: the report names the node whose credit is awaited, and the writes whose DONE
// is missing.
static void test_dark(void)
{
    struct test_program program =
        pair("{compute: 2 ms}, {vdma_write: {to: 1, size: 1 KiB, request: a}}, "
             "{vdma_write: {to: 1, size: 1 KiB, request: b}}, {wait: a}, {wait: b}");
    program.sets[0] = "links[0].down=[{from: 1 ms, to: never}]";
    program.sets[1] = "vdma_handler.credits=1";
    program.sets[2] = "vdma_handler.credit_update=1";
    struct program_run *run = program_run(&program, 1);
    char *text = program_reason(run, "text");
    SUITE_SAME_INTEGER(run->result->status, SIM_DEADLOCK);
    SUITE_CONTAINS(text, "node0's VDMA handler waits for credit from node1 for PUT; the DONE of "
                         "write 1 from node1; the DONE of write 2 from node1");
    g_free(text);
    program_run_free(run);
}

// ---- Times ----

static void same_within(double actual, double expected, double part)
{
    if (fabs(actual - expected) > part * expected)
        SUITE_SAME_INTEGER((long long)actual, (long long)expected);
    else
        CU_PASS("within");
}

// Closed forms: the card's reads bind between two nodes, reads and writes take turns on the one bus
// of a card that is cabled to itself, and what the software takes comes between the slices.
static void test_times(void)
{
    double software = 8 * 85, clock = 0.015;
    double reads = 8.0 * MIB / 64 * (64 / 533.333333 + 63.3 * clock);
    double writes = 8.0 * MIB / 256 * (256 / 533.333333 + 9.5 * clock);
    struct test_program program = pair("{vdma_write: {to: 1, size: 8 MiB}}");
    double two_nodes = transfer(program, NULL, NULL, NULL);
    same_within(two_nodes, reads + software, 0.01);
    program.sets[0] = "vdma_handler.unaligned=split";
    program.ops[0] = "{vdma_write: {to: 1, size: 8 MiB, peer_offset: 4 B}}";
    same_within(transfer(program, NULL, NULL, NULL), reads + software + 8.0 * MIB / 700, 0.01);
    program.ops[0] = "{vdma_write: {to: 1, size: 8 MiB, offset: 4 B, peer_offset: 4 B}}";
    same_within(transfer(program, NULL, NULL, NULL), two_nodes, 0.01);
    program = looped("{vdma_write: {to: 0, size: 8 MiB}}");
    same_within(transfer(program, NULL, NULL, NULL), reads + writes + software, 0.01);
}

// Like test_times, but on the buses of the other machines of thesis 002, 6.1 and 6.2: PCI-X at 133
// MHz with reads of 256 B, and a slot of 500 MB/s with reads of 1 KiB.
static void test_buses(void)
{
    static const struct {
        const char *rate;
        double bytes_per_us;
        int burst;
    } rows[] = {{"1066.666667 MB/s", 1066.666667, 256}, {"500 MB/s", 500, 1024}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *rate = g_strdup_printf("host.bus.rate=%s", rows[i].rate);
        char *burst = g_strdup_printf("host.bus.read_burst=%d B", rows[i].burst);
        double clock = 0.0075, software = 8 * 85,
               reads = 8.0 * MIB / rows[i].burst *
                       (rows[i].burst / rows[i].bytes_per_us + 63.3 * clock),
               writes = 8.0 * MIB / 256 * (256 / rows[i].bytes_per_us + 9.5 * clock);
        struct test_program programs[] = {pair("{vdma_write: {to: 1, size: 8 MiB}}"),
                                          looped("{vdma_write: {to: 0, size: 8 MiB}}")};
        for (int k = 0; k < 2; k++) {
            programs[k].sets[0] = "host.bus.clock=133.333333 MHz";
            programs[k].sets[1] = rate;
            programs[k].sets[2] = burst;
            same_within(transfer(programs[k], NULL, NULL, NULL),
                        reads + (k == 1 ? writes : 0) + software, 0.01);
        }
        g_free(burst);
        g_free(rate);
    }
}

// One plane of 2 Gb/s carries 512 of 532 B, which a fast bus does not hold up.
static void test_plane(void)
{
    struct test_program program = pair("{vdma_write: {to: 1, size: 8 MiB}}");
    program.sets[0] = "intercept.plane_mask=1";
    program.sets[1] = "host.bus.read_burst=4096 B";
    program.sets[2] = "host.bus.read_setup=10";
    same_within(transfer(program, NULL, NULL, NULL), 8.0 * MIB / 250 * 532 / 512 + 8 * 85, 0.01);
}

// The benchmark runs on one rank per host and measures as the operation does.
static void test_benchmark(void)
{
    for (int hosts = 1; hosts <= 2; hosts++) {
        char *text = g_strdup_printf(
            "schema: 1\nname: t\nstack: intercept_vdma\nhosts: [{name: node, count: %d}]\n%s"
            "workload: {benchmark: vdma.transfer, sizes: 1 MiB, repetitions: 2}\n",
            hosts, hosts == 1 ? LOOP : PAIR);
        struct compiled compiled = compiled_new(text, NULL);
        SUITE_SAME_INTEGER(compiled.test_case->workload.ranks, hosts);
        struct series_result *result =
            run_case(&model_registry, compiled.test_case, 0, 1, &(struct run_options){0});
        SUITE_SAME_INTEGER(result->status, SIM_COMPLETED);
        double time = g_array_index(result->values, struct result_value, 0).value;
        CU_ASSERT_TRUE(hosts == 1 ? time > 20000 && time < 20400 : time > 17500 && time < 17700);
        series_result_free(result);
        compiled_free(&compiled);
        g_free(text);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a GET and an interrupt per slice", test_slices},
        {"slices ahead", test_ahead},
        {"all channels taken", test_channels},
        {"credit updates", test_credits},
        {"no credit", test_no_credit},
        {"no room", test_room},
        {"connection to itself", test_self_connect},
        {"connection to itself through a switch", test_self_switched},
        {"no connection", test_unconnected},
        {"all alignments", test_alignment},
        {"refusals", test_refusal},
        {"old firmware", test_old_firmware},
        {"dark planes", test_dark},
        {"closed forms", test_times},
        {"closed forms of other buses", test_buses},
        {"one plane", test_plane},
        {"benchmark", test_benchmark},
        {0},
    };
    return suite_run("vdma: handler", cases);
}
