// SPDX-License-Identifier: GPL-3.0-or-later
// Matching and the tables of a Portals interface, without time or network (thesis 002, 3.2).
#include "models/portals/match.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <string.h>

static struct portals_tables tables;
static struct portals_eq *queue;

static void begin(int64_t limit)
{
    portals_tables_init(&tables, &(struct portals_limits){limit, limit, limit, 0, limit});
    queue = portals_eq_new(&tables, NULL, 10);
}

static void end(void)
{
    portals_tables_clear(&tables);
}

static struct portals_me *entry(int portal, uint64_t bits, uint64_t ignore)
{
    struct portals_me like = {.from = {PORTALS_ANY, PORTALS_ANY},
                              .match_bits = bits,
                              .ignore_bits = ignore,
                              .portal = portal,
                              .unlink = true};
    return portals_me_attach(&tables, &like, PORTALS_AT_END, NULL);
}

static struct portals_md *memory(struct portals_me *me, int64_t length, int64_t threshold,
                                 unsigned options)
{
    struct portals_md like = {.start = 1000,
                              .length = length,
                              .threshold = threshold,
                              .options = options,
                              .most_offset = PORTALS_INFINITE,
                              .unlink = true,
                              .eq = queue};
    return portals_md_attach(&tables, &like, me);
}

static struct portals_header message(enum portals_kind kind, int portal, uint64_t bits,
                                     int64_t length)
{
    return (struct portals_header){.kind = (uint8_t)kind,
                                   .from = {3, 5},
                                   .portal = portal,
                                   .match_bits = bits,
                                   .length = length};
}

static struct portals_match put(int portal, uint64_t bits, int64_t length)
{
    struct portals_header header = message(PORTALS_PUT, portal, bits, length);
    struct portals_match match = portals_match(&tables, &header);
    if (match.md)
        portals_match_use(&tables, &match);
    return match;
}

static void expect(struct portals_match match, const struct portals_md *md, int64_t mlength,
                   int64_t offset)
{
    CU_ASSERT_PTR_EQUAL(match.md, md);
    SUITE_SAME_INTEGER(match.refusal, PORTALS_ACCEPTED);
    SUITE_SAME_INTEGER(match.mlength, mlength);
    SUITE_SAME_INTEGER(match.offset, offset);
}

static void expect_refused(struct portals_match match, enum portals_refusal refusal)
{
    CU_ASSERT_PTR_NULL(match.md);
    SUITE_SAME_INTEGER(match.refusal, refusal);
}

// ---- Which entry ----

static void test_bits(void)
{
    begin(10);
    struct portals_md *exact = memory(entry(2, 0x12, 0), 100, PORTALS_INFINITE, PORTALS_OP_PUT);
    struct portals_md *some = memory(entry(2, 0x1200, 0xff), 100, PORTALS_INFINITE, PORTALS_OP_PUT);
    struct portals_md *all =
        memory(entry(3, 0, ~UINT64_C(0)), 100, PORTALS_INFINITE, PORTALS_OP_PUT);
    struct portals_md *high =
        memory(entry(4, UINT64_C(1) << 63, 0), 9, PORTALS_INFINITE, PORTALS_OP_PUT);
    expect(put(2, 0x12, 8), exact, 8, 0);
    expect(put(2, 0x12ab, 8), some, 8, 0);
    expect_refused(put(2, 0x13, 8), PORTALS_NO_MATCH);
    expect_refused(put(2, 0x13ab, 8), PORTALS_NO_MATCH);
    expect(put(3, 0x1234567812345678, 8), all, 8, 0);
    expect(put(4, UINT64_C(1) << 63, 1), high, 1, 0);
    expect_refused(put(4, 0, 1), PORTALS_NO_MATCH);
    expect_refused(put(5, 0, 1), PORTALS_NO_MATCH);
    expect_refused(put(10, 0, 1), PORTALS_NO_PORTAL);
    expect_refused(put(-1, 0, 1), PORTALS_NO_PORTAL);
    SUITE_SAME_INTEGER(put(2, 0x13, 8).scanned, 2);
    SUITE_SAME_INTEGER(put(2, 0x12, 8).scanned, 1);
    end();
}

static void test_source(void)
{
    static const struct {
        struct portals_id wanted;
        bool fits;
    } samples[] = {
        {{PORTALS_ANY, PORTALS_ANY}, true},
        {{3, PORTALS_ANY}, true},
        {{PORTALS_ANY, 5}, true},
        {{3, 5}, true},
        {{3, 4}, false},
        {{4, PORTALS_ANY}, false},
        {{PORTALS_ANY, 6}, false},
    };
    struct portals_header header = message(PORTALS_PUT, 0, 7, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct portals_me me = {.from = samples[i].wanted, .match_bits = 7};
        CU_ASSERT_EQUAL(portals_me_fits(&me, &header), samples[i].fits);
    }
}

static void test_order(void)
{
    begin(10);
    struct portals_me like = {.from = {PORTALS_ANY, PORTALS_ANY}, .portal = 1};
    struct portals_me *middle = entry(1, 0, 0);
    struct portals_me *first = portals_me_attach(&tables, &like, PORTALS_BEFORE, middle);
    struct portals_me *third = portals_me_attach(&tables, &like, PORTALS_AFTER, middle);
    struct portals_me *last = entry(1, 0, 0);
    like.portal = 7; // the new entry has its neighbour's portal
    struct portals_me *second = portals_me_attach(&tables, &like, PORTALS_AFTER, first);
    const struct portals_me *const order[] = {first, second, middle, third, last};
    const struct portals_me *me = tables.table[1];
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++, me = me ? me->next : NULL)
        CU_ASSERT_PTR_EQUAL(me, order[i]);
    CU_ASSERT_PTR_NULL(me);
    struct portals_md *taken = memory(second, 10, PORTALS_INFINITE, PORTALS_OP_PUT);
    memory(last, 10, PORTALS_INFINITE, PORTALS_OP_PUT);
    expect(put(1, 0, 4), taken, 4, 0); // the first has no descriptor yet
    portals_me_unlink(&tables, second);
    CU_ASSERT_PTR_EQUAL(first->next, middle);
    end();
}

// ---- What the first descriptor takes ----

static void test_first_descriptor(void)
{
    begin(10);
    struct portals_me *me = entry(1, 0, 0);
    struct portals_md *first = memory(me, 10, 1, PORTALS_OP_PUT);
    struct portals_md *second = memory(me, 100, PORTALS_INFINITE, PORTALS_OP_PUT);
    memory(entry(1, 0, 0), 1000, PORTALS_INFINITE, PORTALS_OP_PUT);
    // Neither the second of the entry nor the next entry is asked.
    expect_refused(put(1, 0, 50), PORTALS_TOO_LONG);
    expect(put(1, 0, 10), first, 10, 0);
    // The first is unlinked, although its operation is under way; the entry stays.
    expect(put(1, 0, 50), second, 50, 0);
    CU_ASSERT_TRUE(first->used);
    CU_ASSERT_TRUE(portals_md_release(&tables, first));
    CU_ASSERT_FALSE(first->used);
    CU_ASSERT_FALSE(portals_md_release(&tables, second));
    end();
}

static void test_threshold(void)
{
    begin(10);
    struct portals_me *me = entry(1, 0, 0);
    struct portals_md *md = memory(me, 100, 2, PORTALS_OP_PUT);
    md->unlink = false;
    expect(put(1, 0, 1), md, 1, 0);
    expect(put(1, 0, 1), md, 1, 1);
    expect_refused(put(1, 0, 1), PORTALS_INACTIVE); // it stays, used up
    CU_ASSERT_FALSE(portals_md_release(&tables, md));
    CU_ASSERT_FALSE(portals_md_release(&tables, md));
    portals_me_unlink(&tables, me);
    CU_ASSERT_FALSE(me->used);
    CU_ASSERT_FALSE(md->used);
    // With the flag, the entry goes as well, unless it is retained.
    me = entry(1, 0, 0);
    md = memory(me, 100, 1, PORTALS_OP_PUT);
    put(1, 0, 1);
    CU_ASSERT_FALSE(me->used);
    expect_refused(put(1, 0, 1), PORTALS_NO_MATCH);
    me = entry(1, 0, 0);
    me->unlink = false;
    memory(me, 100, 1, PORTALS_OP_PUT);
    put(1, 0, 1);
    CU_ASSERT_TRUE(me->used);
    struct portals_md *next = memory(me, 100, 1, PORTALS_OP_PUT);
    expect(put(1, 0, 7), next, 7, 0);
    end();
}

// Operations that are under way when their descriptor goes.
static void test_under_way(void)
{
    begin(10);
    struct portals_me *me = entry(1, 0, 0);
    struct portals_md *md = memory(me, 100, PORTALS_INFINITE, PORTALS_OP_PUT);
    md->name = "in";
    CU_ASSERT_PTR_EQUAL(portals_md_find(&tables, md->name), md);
    put(1, 0, 1);
    put(1, 0, 1);
    portals_me_unlink(&tables, me);
    CU_ASSERT_TRUE(md->used); // no other entry gets it meanwhile
    CU_ASSERT_PTR_NULL(portals_md_find(&tables, md->name));
    CU_ASSERT_FALSE(portals_md_release(&tables, md));
    CU_ASSERT_TRUE(md->used);
    CU_ASSERT_FALSE(portals_md_release(&tables, md)); // the program unlinked it: no event
    CU_ASSERT_FALSE(md->used);
    end();
}

static void test_offsets(void)
{
    begin(10);
    struct portals_md *local = memory(entry(1, 0, 0), 100, PORTALS_INFINITE, PORTALS_OP_PUT);
    struct portals_md *remote = memory(entry(2, 0, 0), 100, PORTALS_INFINITE,
                                       PORTALS_OP_PUT | PORTALS_MANAGE_REMOTE | PORTALS_TRUNCATE);
    struct portals_header header = message(PORTALS_PUT, 1, 0, 30);
    header.offset = 64; // without a meaning at the local one
    for (int i = 0; i < 3; i++) {
        struct portals_match match = portals_match(&tables, &header);
        expect(match, local, 30, 30 * i);
        portals_match_use(&tables, &match);
    }
    expect_refused(portals_match(&tables, &header), PORTALS_TOO_LONG);
    header.portal = 2;
    expect(portals_match(&tables, &header), remote, 30, 64);
    header.length = 37;
    expect(portals_match(&tables, &header), remote, 36, 64);
    header.offset = 200;
    expect(portals_match(&tables, &header), remote, 0, 200);
    // Its own offset beyond the largest: it takes no more, even of 0 bytes.
    local->most_offset = 89;
    header = message(PORTALS_PUT, 1, 0, 0);
    expect_refused(portals_match(&tables, &header), PORTALS_INACTIVE);
    local->most_offset = 90;
    expect(portals_match(&tables, &header), local, 0, 90);
    end();
}

static void test_truncation(void)
{
    begin(10);
    struct portals_md *md =
        memory(entry(1, 0, 0), 100, PORTALS_INFINITE, PORTALS_OP_PUT | PORTALS_TRUNCATE);
    expect(put(1, 0, 60), md, 60, 0);
    expect(put(1, 0, 60), md, 40, 60);
    expect(put(1, 0, 60), md, 0, 100);
    expect(put(1, 0, 0), md, 0, 100);
    end();
}

static void test_options(void)
{
    begin(10);
    struct portals_md *puts = memory(entry(1, 0, 0), 100, PORTALS_INFINITE, PORTALS_OP_PUT);
    struct portals_md *gets = memory(entry(2, 0, 0), 100, PORTALS_INFINITE, PORTALS_OP_GET);
    struct portals_header get = message(PORTALS_GET, 1, 0, 10);
    expect(put(1, 0, 10), puts, 10, 0);
    expect_refused(portals_match(&tables, &get), PORTALS_NOT_OPEN);
    expect_refused(put(2, 0, 10), PORTALS_NOT_OPEN);
    get.portal = 2;
    expect(portals_match(&tables, &get), gets, 10, 0);
    end();
}

// ---- Limits ----

static void test_limits(void)
{
    begin(3);
    struct portals_me *me[3];
    for (int i = 0; i < 3; i++)
        me[i] = entry(i, 0, 0);
    CU_ASSERT_PTR_NULL(entry(0, 0, 0));
    for (int i = 0; i < 3; i++)
        CU_ASSERT_PTR_NOT_NULL(memory(me[0], 1, PORTALS_INFINITE, PORTALS_OP_PUT));
    CU_ASSERT_PTR_NULL(memory(me[1], 1, PORTALS_INFINITE, PORTALS_OP_PUT));
    portals_me_unlink(&tables, me[0]);
    CU_ASSERT_PTR_NOT_NULL(memory(me[1], 1, PORTALS_INFINITE, PORTALS_OP_PUT));
    CU_ASSERT_PTR_NOT_NULL(portals_eq_new(&tables, "a", 1));
    CU_ASSERT_PTR_NOT_NULL(portals_eq_new(&tables, "b", 1));
    CU_ASSERT_PTR_NULL(portals_eq_new(&tables, "c", 1));
    end();
    portals_tables_init(&tables, &(struct portals_limits){9999, 9999, 9999, 7, 9999});
    SUITE_SAME_INTEGER(tables.granted.entries, PORTALS_MOST_ENTRIES);
    SUITE_SAME_INTEGER(tables.granted.descriptors, PORTALS_MOST_DESCRIPTORS);
    SUITE_SAME_INTEGER(tables.granted.queues, PORTALS_MOST_QUEUES);
    SUITE_SAME_INTEGER(tables.granted.access, 0);
    SUITE_SAME_INTEGER(tables.granted.table, PORTALS_MOST_TABLE);
    SUITE_SAME_INTEGER(tables.asked.entries, 9999);
    end();
}

// ---- Event queues ----

static void write_events(int count, int *next)
{
    for (int i = 0; i < count; i++) {
        struct portals_event event = {.rlength = ++*next, .time = 100};
        bool over = portals_eq_write(queue, &event);
        CU_ASSERT_EQUAL(over, queue->written - queue->taken > 16);
    }
}

static void test_queue(void)
{
    struct portals_event event;
    int next = 0;
    begin(10);
    SUITE_SAME_INTEGER(queue->size, 16); // of 10
    SUITE_SAME_INTEGER(portals_eq_get(queue, 100, &event), PORTALS_EQ_EMPTY);
    write_events(16, &next);
    SUITE_SAME_INTEGER(portals_eq_get(queue, 99, &event), PORTALS_EQ_EMPTY); // not yet written
    for (int i = 1; i <= 16; i++) {
        SUITE_SAME_INTEGER(portals_eq_get(queue, 100, &event), PORTALS_EQ_EVENT);
        SUITE_SAME_INTEGER(event.rlength, i);
    }
    SUITE_SAME_INTEGER(portals_eq_get(queue, 100, &event), PORTALS_EQ_EMPTY);
    write_events(100, &next); // 17 .. 116: 84 of them are lost, which is reported once
    SUITE_SAME_INTEGER(portals_eq_get(queue, 100, &event), PORTALS_EQ_DROPPED);
    SUITE_SAME_INTEGER(event.rlength, 101);
    for (int i = 102; i <= 116; i++) {
        SUITE_SAME_INTEGER(portals_eq_get(queue, 100, &event), PORTALS_EQ_EVENT);
        SUITE_SAME_INTEGER(event.rlength, i);
    }
    SUITE_SAME_INTEGER(portals_eq_get(queue, 100, &event), PORTALS_EQ_EMPTY);
    end();
}

// ---- Against a naive reference ----

#define MODEL_ENTRIES 6
#define MODEL_STEPS 400

// An entry with its only descriptor, as a plain list would hold them.
struct model_entry {
    const struct portals_md *md;
    struct portals_id from;
    uint64_t bits, ignore;
    int portal;
    int64_t length, threshold, offset;
    unsigned options;
};

struct model {
    struct model_entry entries[MODEL_ENTRIES];
    int count;
};

static void model_remove(struct model *model, int at)
{
    memmove(&model->entries[at], &model->entries[at + 1],
            sizeof model->entries[0] * (size_t)(model->count - at - 1));
    model->count--;
}

// The descriptor that the message must meet; NULL: refused.
static const struct portals_md *model_match(struct model *model,
                                            const struct portals_header *header, int64_t *mlength,
                                            int64_t *offset)
{
    for (int i = 0; i < model->count; i++) {
        struct model_entry *entry = &model->entries[i];
        bool fits = entry->portal == header->portal;
        fits = fits && (entry->from.nid < 0 || entry->from.nid == header->from.nid);
        fits = fits && (entry->from.pid < 0 || entry->from.pid == header->from.pid);
        for (int bit = 0; bit < 64; bit++)
            if (!(entry->ignore >> bit & 1))
                fits = fits && (entry->bits >> bit & 1) == (header->match_bits >> bit & 1);
        if (!fits)
            continue;
        const struct portals_md *md = entry->md;
        bool remote = entry->options & PORTALS_MANAGE_REMOTE;
        *offset = remote ? header->offset : entry->offset;
        int64_t room = entry->length > *offset ? entry->length - *offset : 0;
        *mlength = header->length < room ? header->length : room;
        if (!(entry->options & (header->kind == PORTALS_PUT ? 1U : 2U)) ||
            (*mlength < header->length && !(entry->options & PORTALS_TRUNCATE)))
            return NULL;
        if (!remote)
            entry->offset += *mlength;
        if (entry->threshold > 0 && --entry->threshold == 0)
            model_remove(model, i);
        return md;
    }
    return NULL;
}

static void model_attach(struct model *model, GRand *random)
{
    struct model_entry made = {
        .from = {g_rand_int_range(random, -1, 2), g_rand_int_range(random, -1, 2)},
        .bits = (uint64_t)g_rand_int_range(random, 0, 4) << 62,
        .ignore = (uint64_t)g_rand_int_range(random, 0, 4) << 62,
        .portal = g_rand_int_range(random, 0, 2),
        .length = g_rand_int_range(random, 0, 40),
        .threshold = g_rand_int_range(random, 0, 4),
        .options = (unsigned)g_rand_int_range(random, 1, 16),
    };
    made.threshold = made.threshold == 0 ? PORTALS_INFINITE : made.threshold;
    int at = g_rand_int_range(random, 0, model->count + 1);
    struct portals_me like = {.from = made.from,
                              .match_bits = made.bits,
                              .ignore_bits = made.ignore,
                              .portal = made.portal,
                              .unlink = true};
    bool last = at == model->count || model->entries[at].portal != made.portal;
    at = last ? model->count : at;
    struct portals_me *me =
        portals_me_attach(&tables, &like, last ? PORTALS_AT_END : PORTALS_BEFORE,
                          last ? NULL : model->entries[at].md->me);
    memmove(&model->entries[at + 1], &model->entries[at],
            sizeof made * (size_t)(model->count++ - at));
    made.md = memory(me, made.length, made.threshold, made.options);
    model->entries[at] = made;
}

static void model_step(struct model *model, GRand *random)
{
    if (model->count < MODEL_ENTRIES && g_rand_int_range(random, 0, 3) == 0) {
        model_attach(model, random);
        return;
    }
    struct portals_header header = {
        .kind = (uint8_t)g_rand_int_range(random, PORTALS_PUT, PORTALS_GET + 1),
        .from = {g_rand_int_range(random, 0, 2), g_rand_int_range(random, 0, 2)},
        .portal = g_rand_int_range(random, 0, 2),
        .match_bits = (uint64_t)g_rand_int_range(random, 0, 4) << 62,
        .length = g_rand_int_range(random, 0, 20),
        .offset = g_rand_int_range(random, 0, 40),
    };
    int64_t mlength = 0, offset = 0;
    struct portals_match match = portals_match(&tables, &header);
    const struct portals_md *md = model_match(model, &header, &mlength, &offset);
    CU_ASSERT_PTR_EQUAL(match.md, md);
    if (!match.md)
        return;
    SUITE_SAME_INTEGER(match.mlength, mlength);
    SUITE_SAME_INTEGER(match.offset, offset);
    portals_match_use(&tables, &match);
    portals_md_release(&tables, match.md);
}

static void test_reference(void)
{
    for (guint32 seed = 1; seed <= 20; seed++) {
        GRand *random = g_rand_new_with_seed(seed);
        struct model model = {.count = 0};
        begin(MODEL_ENTRIES);
        for (int step = 0; step < MODEL_STEPS; step++)
            model_step(&model, random);
        end();
        g_rand_free(random);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"match and ignore bits", test_bits},
        {"source with wildcards", test_source},
        {"order of the entries", test_order},
        {"only the first descriptor counts", test_first_descriptor},
        {"threshold and unlink", test_threshold},
        {"unlinked with operations under way", test_under_way},
        {"offsets", test_offsets},
        {"truncation", test_truncation},
        {"puts and gets", test_options},
        {"limits", test_limits},
        {"event queue", test_queue},
        {"random messages against a plain list", test_reference},
        {0},
    };
    return suite_run("Portals: matching and tables", cases);
}
