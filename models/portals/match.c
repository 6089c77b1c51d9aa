// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/portals/match.h"

#include <glib.h>

const char *const portals_refusals[] = {
    [PORTALS_ACCEPTED] = "accepted",
    [PORTALS_NO_PORTAL] = "Portals: no such portal",
    [PORTALS_NO_MATCH] = "Portals: no entry matches",
    [PORTALS_INACTIVE] = "Portals: the memory descriptor is used up",
    [PORTALS_NOT_OPEN] = "Portals: the memory descriptor is not open for the operation",
    [PORTALS_TOO_LONG] = "Portals: too long, without TRUNCATE",
};

static bool either(int32_t wanted, int32_t given)
{
    return wanted == PORTALS_ANY || wanted == given;
}

bool portals_me_fits(const struct portals_me *me, const struct portals_header *header)
{
    return either(me->from.nid, header->from.nid) && either(me->from.pid, header->from.pid) &&
           ((header->match_bits ^ me->match_bits) & ~me->ignore_bits) == 0;
}

static enum portals_refusal accept(const struct portals_md *md, const struct portals_header *header,
                                   struct portals_match *match)
{
    bool remote = md->options & PORTALS_MANAGE_REMOTE;
    unsigned needed = header->kind == PORTALS_PUT ? PORTALS_OP_PUT : PORTALS_OP_GET;
    match->offset = remote ? header->offset : md->offset;
    int64_t room = MAX(md->length - match->offset, 0);
    match->mlength = MIN(header->length, room);
    if (md->threshold == 0)
        return PORTALS_INACTIVE;
    if (!remote && md->most_offset != PORTALS_INFINITE && md->offset > md->most_offset)
        return PORTALS_INACTIVE;
    if (!(md->options & needed))
        return PORTALS_NOT_OPEN;
    if (header->length > room && !(md->options & PORTALS_TRUNCATE))
        return PORTALS_TOO_LONG;
    return PORTALS_ACCEPTED;
}

struct portals_match portals_match(const struct portals_tables *tables,
                                   const struct portals_header *header)
{
    struct portals_match match = {.refusal = PORTALS_NO_PORTAL};
    if (header->portal < 0 || header->portal >= tables->granted.table)
        return match;
    match.refusal = PORTALS_NO_MATCH;
    for (struct portals_me *me = tables->table[header->portal]; me; me = me->next) {
        match.scanned++;
        if (!me->mds || !portals_me_fits(me, header))
            continue;
        match.refusal = accept(me->mds, header, &match);
        if (match.refusal == PORTALS_ACCEPTED)
            match.md = me->mds;
        return match;
    }
    return match;
}

void portals_match_use(struct portals_tables *tables, const struct portals_match *match)
{
    struct portals_md *md = match->md;
    if (!(md->options & PORTALS_MANAGE_REMOTE))
        md->offset = match->offset + match->mlength;
    portals_md_use(tables, md);
}
