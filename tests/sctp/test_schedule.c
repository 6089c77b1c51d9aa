// SPDX-License-Identifier: GPL-3.0-or-later
// Where new data go (thesis 004, 2.2, 3.2.4): without CMT, and the schedulers of CMT. Windows and
// flights of an idle association are set by hand and asked about.
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#define MTU 1500

struct question {
    int after;     // number of the path that was served last in this round; 0: it starts
    GString *text; // paths in the order of the answers
    int most;      // answers
    bool sends;    // a packet goes to each
    bool rounds;   // begins again at the end of a round, until one is empty
};

static struct sctp_path *path(const struct world *world, int number)
{
    return &sctp_node_association(world, 0)->paths[number - 1];
}

static void ask(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct question *question = argument;
    struct sctp_association *association = node->host->associations->pdata[0];
    struct sctp_path *after = question->after ? &association->paths[question->after - 1] : NULL;
    bool moved = false;
    for (int i = 0; i < question->most; i++) {
        after = sctp_schedule(context, association, after);
        g_string_append_c(question->text, after ? (char)('1' + after->number) : '-');
        if (!after && !(question->rounds && moved))
            break;
        moved = after != NULL;
        if (after && question->sends) {
            after->flight += MTU;
            association->out.flight += MTU;
        }
    }
}

static void expect(struct world *world, struct question question, const char *answers)
{
    question.text = g_string_new(NULL);
    question.most = question.most ? question.most : 20;
    sctp_world_call(world, 0, ask, &question);
    SUITE_SAME_TEXT(question.text->str, answers);
    g_string_free(question.text, TRUE);
}

static void empty(const struct world *world)
{
    struct sctp_association *association = sctp_node_association(world, 0);
    association->out.flight = 0;
    for (int i = 0; i < association->path_count; i++)
        association->paths[i].flight = 0;
}

static void windows(const struct world *world, int first, int second, int third)
{
    path(world, 1)->cc.cwnd = (int64_t)first * MTU;
    path(world, 2)->cc.cwnd = (int64_t)second * MTU;
    path(world, 3)->cc.cwnd = (int64_t)third * MTU;
}

static struct world *three_paths(const char *scheduler)
{
    char *set = g_strdup_printf("sctp.cmt_scheduler=%s", scheduler);
    struct world *world = sctp_world(2, 3,
                                     (const char *const[]){"sctp.profile=s2007", "sctp.cmt=true",
                                                           "sctp.heartbeats=false", set, NULL},
                                     NULL);
    g_free(set);
    sctp_world_up(world);
    windows(world, 2, 3, 1);
    return world;
}

// The BSD stack: every round begins with the primary. Packets alternate until a window is full.
static void test_head(void)
{
    struct world *world = three_paths("head");
    expect(world, (struct question){.sends = true, .rounds = true}, "123-12-2--");
    empty(world);
    expect(world, (struct question){.most = 1}, "1");
    expect(world, (struct question){.most = 1}, "1"); // and again
    expect(world, (struct question){.after = 1, .most = 1}, "2");
    sctp_node_association(world, 0)->primary = path(world, 2);
    expect(world, (struct question){.sends = true}, "213-");
    world_free(world);
}

static void test_round_robin(void)
{
    struct world *world = three_paths("round_robin");
    expect(world, (struct question){.sends = true}, "123122-");
    empty(world);
    // A new round goes on where the last one stopped.
    expect(world, (struct question){.most = 1}, "3");
    expect(world, (struct question){.most = 1}, "1");
    expect(world, (struct question){.most = 1}, "2");
    world_free(world);
}

// ns-2: a window is filled before the next path gets any.
static void test_fill(void)
{
    struct world *world = three_paths("fill");
    expect(world, (struct question){.sends = true}, "112223-");
    empty(world);
    expect(world, (struct question){.sends = true}, "112223-");
    empty(world);
    expect(world, (struct question){.most = 1}, "1");
    expect(world, (struct question){.most = 1}, "2");
    world_free(world);
}

// A path that is not ACTIVE gets nothing while another one is, whatever the scheduler.
static void test_states(void)
{
    static const char *const schedulers[] = {"head", "round_robin", "fill"};
    static const enum sctp_path_state states[] = {SCTP_PATH_UNCONFIRMED, SCTP_PATH_PF,
                                                  SCTP_PATH_INACTIVE};
    for (size_t i = 0; i < G_N_ELEMENTS(schedulers); i++) {
        struct world *world = three_paths(schedulers[i]);
        for (size_t k = 0; k < G_N_ELEMENTS(states); k++) {
            empty(world);
            path(world, 1)->machine.state = path(world, 3)->machine.state = states[k];
            expect(world, (struct question){.sends = true}, i == 0 ? "2-" : "222-");
        }
        world_free(world);
    }
}

// Without CMT the primary alone, however full the others are; its alternate while it isn't ACTIVE.
static void test_single(void)
{
    struct world *world = sctp_world(
        2, 3, (const char *const[]){"sctp.profile=s2007", "sctp.heartbeats=false", NULL}, NULL);
    sctp_world_up(world);
    windows(world, 2, 3, 1);
    expect(world, (struct question){.sends = true, .rounds = true}, "1-1--");
    empty(world);
    path(world, 1)->machine.state = SCTP_PATH_INACTIVE;
    expect(world, (struct question){.sends = true, .rounds = true}, "2-2-2--");
    empty(world);
    path(world, 2)->machine.state = SCTP_PATH_PF;
    expect(world, (struct question){.sends = true, .rounds = true}, "3--");
    world_free(world);
}

// ---- Buffer splitting ----

static void test_splitting(void)
{
    static const struct {
        const char *set;
        int64_t peer_rwnd, flight; // the largest flight of path 1 that may grow
    } rows[] = {
        {"none", 0, INT64_MAX},
        {"send", 0, 300000 / 3},
        // (peer_rwnd + flight of all) / 3 >= flight.
        {"receive", 60000, 30000},
        {"both", 60000, 30000},
        {"both", 900000, 300000 / 3},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *set = g_strdup_printf("sctp.cmt_splitting=%s", rows[i].set);
        struct world *world =
            sctp_world(2, 3,
                       (const char *const[]){"sctp.profile=s2007", "sctp.cmt=true",
                                             "sctp.send_buffer=300000 B", set, NULL},
                       NULL);
        g_free(set);
        sctp_world_up(world);
        struct sctp_association *association = sctp_node_association(world, 0);
        association->out.peer_rwnd = rows[i].peer_rwnd;
        int64_t flight = rows[i].flight == INT64_MAX ? 1 << 30 : rows[i].flight;
        association->out.flight = path(world, 1)->flight = flight;
        CU_ASSERT(sctp_split_allows(path(world, 1)));
        association->out.flight = path(world, 1)->flight = flight + 3;
        CU_ASSERT(sctp_split_allows(path(world, 1)) == (rows[i].flight == INT64_MAX));
        CU_ASSERT(sctp_split_allows(path(world, 2)));
        empty(world);
        world_free(world);
    }
}

static const struct suite_case cases[] = {
    {"head", test_head},
    {"round robin", test_round_robin},
    {"fill", test_fill},
    {"only ACTIVE paths", test_states},
    {"without CMT", test_single},
    {"buffer splitting", test_splitting},
    {0},
};

int main(void)
{
    return suite_run("sctp: schedulers", cases);
}
