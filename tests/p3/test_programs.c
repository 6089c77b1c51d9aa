// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs over the stack `portals` on the real card: planes of random lengths, circular
// buffers of random sizes, descriptors that are too short, and each path of messages. Each must
// complete with balanced books: all wanted bytes once and in their place, and messages of a pair
// matched in the order of the calls, whatever links had to repeat.
#include "sim/core/random.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define PROGRAMS 200
#define MIXED 80
#define MOST_PUTS 12

struct trial {
    struct random_stream *random;
    int ranks;
    GString *machine, *ops[TEST_MOST_RANKS];
    int puts[TEST_MOST_RANKS]; // to a rank
    char *switches, *sets[20];
    int set_count;
    bool mixed; // short and long messages, by the handler with few credits
    int64_t credits, credit_update;
};

static int64_t pick(struct random_stream *random, const int64_t *from, uint64_t count)
{
    return from[random_below(random, count)];
}

#define PICK(random, from) pick(random, from, G_N_ELEMENTS(from))

// Two nodes back to back, or three around switches, with one to four planes; some links repeat what
// they corrupt or lose.
static void make_machine(struct trial *trial)
{
    GString *text = trial->machine = g_string_new("nic: intercept\n");
    uint64_t planes = 1 + random_below(trial->random, 4);
    trial->ranks = 2 + (int)random_below(trial->random, 2);
    trial->switches =
        g_strdup_printf("{name: plane, count: %d%s}", (int)planes,
                        trial->mixed ? ", discipline: cut_through, slack: 32 KiB" : "");
    g_string_append(text, "links:\n");
    for (uint64_t plane = 0; plane < planes; plane++) {
        uint64_t length = 100 + random_below(trial->random, 20000);
        if (trial->ranks > 2)
            g_string_append_printf(text, "  - {from: node, to: plane%d, propagation: %d ns}\n",
                                   (int)plane, (int)length);
        else
            g_string_append_printf(text, "  - {from: node0, to: node1, propagation: %d ns}\n",
                                   (int)length);
    }
    static const char *const links[] = {"", ", window: 7",
                                        ", window: 7, corrupt_nth: [2, 9], drop_nth: [20, 21]"};
    g_string_append_printf(text,
                           "link: {rate: 2 Gb/s, preamble: 0 B, gap: 0 B, least_frame: 0 B%s}\n"
                           "host: {processor: {cores: 2, clock: 2200 MHz}}\n",
                           links[random_below(trial->random, G_N_ELEMENTS(links))]);
}

static void set(struct trial *trial, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void set(struct trial *trial, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    trial->sets[trial->set_count++] = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

static void make_mixed_settings(struct trial *trial)
{
    static const char *const thresholds[] = {"computed", "4 KiB", "0 B"};
    trial->credits = 1 + (int64_t)random_below(trial->random, 6);
    trial->credit_update = 1 + (int64_t)random_below(trial->random, (uint64_t)trial->credits);
    set(trial, "p3.threshold=%s", thresholds[random_below(trial->random, 3)]);
    set(trial, "vdma_handler.ahead=%d", (int)random_below(trial->random, 4));
    set(trial, "vdma_handler.copy_buffers=%d", 1 + (int)random_below(trial->random, 3));
    set(trial, "vdma_handler.credits=%d", (int)trial->credits);
    set(trial, "vdma_handler.credit_update=%d", (int)trial->credit_update);
    set(trial, "intercept.striping=%s",
        random_chance(trial->random, 0.3) ? "least_loaded" : "round_robin");
}

// Short and long messages of one pair may pass each other, and are orders of their own.
static void make_settings(struct trial *trial)
{
    static const int64_t grants[] = {16, 16, 1, 2, 5}, tx_cbs[] = {65536, 65536, 1024, 2048},
                         rx_cbs[] = {1048576, 1048576, 4096};
    static const int64_t headers[] = {72, 72, 80, 1, 200};
    static const char *const thresholds[] = {"all", "all", "computed", "0", "5 kB"};
    static const char *const versions[] = {"hybrid", "hybrid", "hybrid", "handler_cb", "vdma"};
    if (trial->mixed) {
        make_mixed_settings(trial);
    } else {
        set(trial, "p3.version=%s", versions[random_below(trial->random, G_N_ELEMENTS(versions))]);
        set(trial, "p3.threshold=%s",
            thresholds[random_below(trial->random, G_N_ELEMENTS(thresholds))]);
    }
    set(trial, "p3.abi=%s", random_chance(trial->random, 0.3) ? "ia64" : "i386");
    set(trial, "portals.header=%d B", (int)PICK(trial->random, headers));
    set(trial, "p3.long_replies=true");
    set(trial, "portals.slots=256"); // none of the events is overwritten
    set(trial, "p3.poll=%s", random_chance(trial->random, 0.5) ? "true" : "false");
    set(trial, "p3.grant=%d", (int)PICK(trial->random, grants));
    set(trial, "intercept.tx_cb=%d B", (int)PICK(trial->random, tx_cbs));
    set(trial, "intercept.rx_cb=%d B", (int)PICK(trial->random, rx_cbs));
}

static void make_attach(struct trial *trial, int rank)
{
    static const int64_t rooms[] = {1048576, 1048576, 50000, 3000, 400};
    int64_t room = PICK(trial->random, rooms) * (trial->mixed ? 16 : 1);
    trial->ops[rank] = g_string_new(NULL);
    g_string_append_printf(trial->ops[rank],
                           "{attach: {size: %d B, name: all, get: true, truncate: true}}, "
                           "{compute: 1 ms}",
                           (int)room);
}

static void make_calls(struct trial *trial, int rank)
{
    static const int64_t sizes[] = {0,    1,    29,   416,   417,    900,     901,
                                    5000, 8160, 8161, 20000, 100003, 1048584, 3145731};
    uint64_t kinds = G_N_ELEMENTS(sizes) - (trial->mixed ? 0 : 3);
    int count = (int)random_below(trial->random, MOST_PUTS + 1);
    for (int i = 0; i < count; i++) {
        int peer = (rank + 1 + (int)random_below(trial->random, (uint64_t)trial->ranks - 1)) %
                   trial->ranks;
        int size = (int)pick(trial->random, sizes, kinds);
        bool get = random_chance(trial->random, 0.15);
        bool ack = !get && random_chance(trial->random, 0.2);
        bool waits = random_chance(trial->random, 0.2);
        trial->puts[peer] += !get;
        g_string_append_printf(trial->ops[rank], ", {%s: {%s: %d, size: %d B%s",
                               get ? "get" : "put", get ? "from" : "to", peer, size,
                               ack ? ", ack: true" : "");
        if (!waits)
            g_string_append_printf(trial->ops[rank], ", request: r%d", i);
        if (trial->mixed)
            g_string_append_printf(trial->ops[rank], ", buffer: %d",
                                   0x1000000 + (int)random_below(trial->random, 100));
        g_string_append(trial->ops[rank], "}}");
    }
    g_string_append(trial->ops[rank], ", {waitall: all}");
}

static struct trial make_trial(uint64_t seed, bool mixed)
{
    struct trial trial = {.random = random_new(seed, mixed ? "mixed" : "programs"), .mixed = mixed};
    make_machine(&trial);
    make_settings(&trial);
    for (int rank = 0; rank < trial.ranks; rank++)
        make_attach(&trial, rank);
    for (int rank = 0; rank < trial.ranks; rank++)
        make_calls(&trial, rank);
    for (int rank = 0; rank < trial.ranks; rank++)
        if (trial.puts[rank] > 0)
            g_string_append_printf(trial.ops[rank], ", {event: {kind: put_end, count: %d}}",
                                   trial.puts[rank]);
    return trial;
}

static void free_trial(struct trial *trial)
{
    for (int i = 0; i < trial->set_count; i++)
        g_free(trial->sets[i]);
    for (int rank = 0; rank < trial->ranks; rank++)
        g_string_free(trial->ops[rank], TRUE);
    g_string_free(trial->machine, TRUE);
    g_free(trial->switches);
    random_free(trial->random);
}

static void tell(const struct trial *trial, uint64_t seed, const char *why)
{
    printf("seed %" G_GUINT64_FORMAT ": %s\n%s", seed, why, trial->machine->str);
    for (int i = 0; i < trial->set_count; i++)
        printf("%s\n", trial->sets[i]);
    for (int rank = 0; rank < trial->ranks; rank++)
        printf("rank %d: %s\n", rank, trial->ops[rank]->str);
}

// ---- Credits ----

struct credit {
    bool connected;
    int64_t left, taken; // messages that a handler may still send to another; that this has taken
};

// A message between handlers, as the one that sends it or the one that takes it reports it.
static void count_message(const struct trial *trial, struct credit credits[][TEST_MOST_RANKS],
                          const struct program_line *line)
{
    int node = line->where[strlen("node")] - '0', peer = line->text[strlen("message[")] - '0';
    bool sent = strstr(line->text, " to node") != NULL;
    struct credit *to_peer = &credits[node][peer], *from_peer = &credits[peer][node];
    bool connects = strstr(line->text, "] CONNECT") != NULL;
    if (!connects && !strstr(line->text, "] CREDIT")) {
        to_peer->left -= sent;
        from_peer->taken += !sent;
        CU_ASSERT_TRUE(to_peer->left >= 0);
    } else if (!sent) {
        to_peer->left += to_peer->connected ? trial->credit_update : trial->credits;
        to_peer->connected = true;
    }
}

// Credits are never negative, and none is lost: the remaining ones and those that the other has
// taken since it last gave some make the first credit (I11).
static void expect_credits(const struct trial *trial, const struct program_run *run)
{
    struct credit credits[TEST_MOST_RANKS][TEST_MOST_RANKS] = {0};
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        if (strcmp(line->machine, "message") == 0)
            count_message(trial, credits, line);
    }
    for (int from = 0; from < trial->ranks; from++)
        for (int to = 0; to < trial->ranks; to++)
            if (credits[from][to].connected)
                SUITE_SAME_INTEGER(credits[from][to].left +
                                       credits[from][to].taken % trial->credit_update,
                                   trial->credits);
}

// Counters, summed over all programs.
static int64_t reordered, postponed, truncated, slices, copied, extensions;

static void try_one(uint64_t seed, bool mixed)
{
    struct trial trial = make_trial(seed, mixed);
    struct test_program program = {.ranks = trial.ranks,
                                   .machine = trial.machine->str,
                                   .switches = trial.switches,
                                   .stack = "portals"};
    for (int i = 0; i < trial.set_count; i++)
        program.sets[i] = trial.sets[i];
    for (int rank = 0; rank < trial.ranks; rank++)
        program.ops[rank] = trial.ops[rank]->str;
    struct program_run *run = program_run(&program, seed);
    char *why = program_reason(run, "text"), *ledger = program_ledger_text(run);
    bool good = run->result->status == SIM_COMPLETED && run->result->ledger_balanced;
    CU_ASSERT_TRUE(good);
    if (!good) {
        tell(&trial, seed, why);
        printf("%s", ledger);
    }
    if (mixed)
        expect_credits(&trial, run);
    reordered += program_counter(run, "RMPP: RTS kept for their turn");
    postponed += program_counter(run, "RMPP: packets postponed");
    truncated += program_counter(run, "Portals: messages truncated");
    slices += program_counter(run, "VDMA handler: slices received");
    copied += program_counter(run, "VDMA handler: slices copied");
    extensions += program_counter(run, "VDMA handler: GET_EXT_REPLY sent");
    g_free(why);
    g_free(ledger);
    program_run_free(run);
    free_trial(&trial);
}

static void test_programs(void)
{
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        try_one(seed, false);
    CU_ASSERT(reordered > 20);
    CU_ASSERT(postponed > 20);
    CU_ASSERT(truncated > 20);
}

// Like test_programs, but with short and long messages of the pairs, which nothing orders, from
// buffers of any displacement.
static void test_mixed(void)
{
    for (uint64_t seed = 1; seed <= MIXED; seed++)
        try_one(seed, true);
    CU_ASSERT(slices > 500 && copied > 200);
    CU_ASSERT(extensions > 200);
}

static const struct suite_case cases[] = {
    {"random programs", test_programs},
    {"short and long messages, any buffers", test_mixed},
    {0},
};

int main(void)
{
    return suite_run("p3: programs", cases);
}
