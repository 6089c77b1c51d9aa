// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/portals/tables.h"

#include <glib.h>

const char *const portals_event_names[PORTALS_EVENT_KINDS + 1] = {
    [PORTALS_GET_START] = "get_start",     [PORTALS_GET_END] = "get_end",
    [PORTALS_GET_FAIL] = "get_fail",       [PORTALS_PUT_START] = "put_start",
    [PORTALS_PUT_END] = "put_end",         [PORTALS_PUT_FAIL] = "put_fail",
    [PORTALS_REPLY_START] = "reply_start", [PORTALS_REPLY_END] = "reply_end",
    [PORTALS_REPLY_FAIL] = "reply_fail",   [PORTALS_EVENT_ACK] = "ack",
    [PORTALS_SEND_START] = "send_start",   [PORTALS_SEND_END] = "send_end",
    [PORTALS_SEND_FAIL] = "send_fail",     [PORTALS_UNLINK] = "unlink",
    [PORTALS_EVENT_KINDS] = NULL,
};

void portals_tables_init(struct portals_tables *tables, const struct portals_limits *asked)
{
    struct portals_limits granted = {
        .entries = MIN(asked->entries, PORTALS_MOST_ENTRIES),
        .descriptors = MIN(asked->descriptors, PORTALS_MOST_DESCRIPTORS),
        .queues = MIN(asked->queues, PORTALS_MOST_QUEUES),
        .access = 0, // entry 0 is there without being counted
        .table = MIN(asked->table, PORTALS_MOST_TABLE),
    };
    *tables = (struct portals_tables){
        .asked = *asked,
        .granted = granted,
        .table = g_new0(struct portals_me *, granted.table),
        .mes = g_new0(struct portals_me, granted.entries),
        .mds = g_new0(struct portals_md, granted.descriptors + granted.queues),
        .eqs = g_new0(struct portals_eq, granted.queues),
    };
}

void portals_tables_clear(struct portals_tables *tables)
{
    for (int64_t i = 0; i < tables->granted.queues; i++)
        g_free(tables->eqs[i].ring);
    g_free(tables->table);
    g_free(tables->mes);
    g_free(tables->mds);
    g_free(tables->eqs);
    *tables = (struct portals_tables){0};
}

// ---- Event queues ----

struct portals_eq *portals_eq_new(struct portals_tables *tables, const char *name, int64_t slots)
{
    for (int64_t i = 0; i < tables->granted.queues; i++) {
        struct portals_eq *eq = &tables->eqs[i];
        if (eq->used)
            continue;
        *eq = (struct portals_eq){.name = name, .used = true, .size = 1};
        while (eq->size < slots)
            eq->size *= 2;
        eq->ring = g_new0(struct portals_event, eq->size);
        return eq;
    }
    return NULL;
}

struct portals_eq *portals_eq_find(const struct portals_tables *tables, const char *name)
{
    for (int64_t i = 0; i < tables->granted.queues; i++)
        if (tables->eqs[i].used && tables->eqs[i].name == name)
            return &tables->eqs[i];
    return NULL;
}

bool portals_eq_write(struct portals_eq *eq, const struct portals_event *event)
{
    eq->ring[eq->written++ % eq->size] = *event;
    return eq->written - eq->taken > eq->size;
}

enum portals_eq_got portals_eq_get(struct portals_eq *eq, sim_time now, struct portals_event *event)
{
    uint64_t oldest = eq->written > eq->size ? eq->written - eq->size : 0;
    uint64_t next = MAX(oldest, eq->taken);
    if (next == eq->written || eq->ring[next % eq->size].time > now)
        return PORTALS_EQ_EMPTY;
    bool lost = next != eq->taken;
    *event = eq->ring[next % eq->size];
    eq->taken = next + 1;
    return lost ? PORTALS_EQ_DROPPED : PORTALS_EQ_EVENT;
}

// ---- Match entries ----

struct portals_me *portals_me_attach(struct portals_tables *tables, const struct portals_me *like,
                                     enum portals_position position, struct portals_me *other)
{
    struct portals_me *me = NULL;
    for (int64_t i = 0; i < tables->granted.entries && !me; i++)
        if (!tables->mes[i].used)
            me = &tables->mes[i];
    if (!me)
        return NULL;
    *me = *like;
    me->used = true;
    me->mds = NULL;
    if (position != PORTALS_AT_END)
        me->portal = other->portal;
    struct portals_me **at = &tables->table[me->portal];
    while (*at && (position == PORTALS_AT_END || *at != other))
        at = &(*at)->next;
    if (position == PORTALS_AFTER)
        at = &other->next;
    me->next = *at;
    *at = me;
    return me;
}

struct portals_me *portals_me_find(const struct portals_tables *tables, const char *name)
{
    for (int64_t i = 0; i < tables->granted.entries; i++)
        if (tables->mes[i].used && tables->mes[i].name == name)
            return &tables->mes[i];
    return NULL;
}

static void me_remove(struct portals_tables *tables, struct portals_me *me)
{
    struct portals_me **at = &tables->table[me->portal];
    while (*at != me)
        at = &(*at)->next;
    *at = me->next;
    me->used = false;
}

void portals_me_unlink(struct portals_tables *tables, struct portals_me *me)
{
    me->unlink = false; // it goes here, not with its last descriptor
    while (me->mds)
        portals_md_unlink(tables, me->mds);
    me_remove(tables, me);
}

// ---- Memory descriptors ----

struct portals_md *portals_md_attach(struct portals_tables *tables, const struct portals_md *like,
                                     struct portals_me *me)
{
    struct portals_md *md = NULL;
    for (int64_t i = 0; i < tables->granted.descriptors && !md; i++)
        if (!tables->mds[i].used)
            md = &tables->mds[i];
    if (!md)
        return NULL;
    *md = *like;
    md->used = true;
    md->me = me;
    md->next = NULL;
    if (!me)
        return md;
    struct portals_md **at = &me->mds;
    while (*at)
        at = &(*at)->next;
    *at = md;
    return md;
}

struct portals_md *portals_md_find(const struct portals_tables *tables, const char *name)
{
    for (int64_t i = 0; i < tables->granted.descriptors; i++)
        if (tables->mds[i].used && !tables->mds[i].dead && tables->mds[i].name == name)
            return &tables->mds[i];
    return NULL;
}

struct portals_md *portals_md_unnamed(struct portals_tables *tables, struct portals_eq *eq)
{
    struct portals_md *md = &tables->mds[tables->granted.descriptors + (eq - tables->eqs)];
    if (!md->used)
        *md = (struct portals_md){
            .used = true,
            .length = INT64_MAX,
            .most_offset = PORTALS_INFINITE,
            .threshold = PORTALS_INFINITE,
            .eq = eq,
        };
    return md;
}

// Takes no more operations: out of its entry, which goes with its last descriptor if it unlinks
// itself.
static void md_retire(struct portals_tables *tables, struct portals_md *md)
{
    struct portals_me *me = md->me;
    md->dead = true;
    md->me = NULL;
    if (!me)
        return;
    struct portals_md **at = &me->mds;
    while (*at != md)
        at = &(*at)->next;
    *at = md->next;
    if (!me->mds && me->unlink)
        me_remove(tables, me);
}

void portals_md_unlink(struct portals_tables *tables, struct portals_md *md)
{
    md->unlink = false;
    md_retire(tables, md);
    md->used = md->pending > 0;
}

void portals_md_use(struct portals_tables *tables, struct portals_md *md)
{
    md->pending++;
    if (md->threshold != PORTALS_INFINITE)
        md->threshold--;
    if (md->threshold == 0 && md->unlink)
        md_retire(tables, md);
}

bool portals_md_release(struct portals_tables *tables, struct portals_md *md)
{
    (void)tables;
    md->pending--;
    if (!md->dead || md->pending > 0)
        return false;
    md->used = false;
    return md->unlink;
}
