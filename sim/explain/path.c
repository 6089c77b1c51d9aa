// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/path.h"

#include "sim/core/intern.h"

#include <string.h>

// How good a guess it is that a piece had to wait for the end of another. 0: it is none.
enum {
    CAUSE_ELSEWHERE = 20, // on another lane of the host, switch or link
    CAUSE_DELAY = 3,      // more, for a latency: things happen when one ends
    CAUSE_MESSAGE = 10,   // more, for the same message
    CAUSE_BEHIND_GAP = 10,
    CAUSE_TURN = 50,  // the lane was taken until then
    CAUSE_CHAIN = 60, // a latency that follows what it belongs to, or vice versa
};

#define BEHIND "behind others"

// So many pieces may go on at one time on a lane: frames on a link, each with its latencies.
#define MOST_OVERLAPS 64

struct walk {
    const struct record *record;
    sim_time from, at; // the start of the interval; how far the walk is
    guint lane;        // of the piece that begins at `at`
    guint piece;
    bool started;             // there is such a piece; else the interval ends on `lane`
    bool joined;              // `at` is when its packet came to wait for the lane
    const struct sleep *wait; // in which the walk is, or after which; or NULL
    path_part_fn *part;
    void *owner;
};

struct found {
    guint lane, piece;
    int score;
};

static const struct piece *piece_at(const struct lane_record *lane, guint index)
{
    return &g_array_index(lane->pieces, struct piece, index);
}

// The first piece of a lane that ends at `when` or later.
static guint first_ending(const struct lane_record *lane, sim_time when)
{
    guint low = 0, high = lane->pieces->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (piece_at(lane, middle)->to < when)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_processor(const struct lane_record *lane)
{
    return lane->slices->len > 0;
}

static bool share_message(const struct piece *a, const struct piece *b)
{
    return a->message.generation != 0 && message_same(a->message, b->message);
}

static const struct slice_span *slice_of(const struct lane_record *lane, const struct piece *piece)
{
    return piece->slice ? &g_array_index(lane->slices, struct slice_span, piece->slice - 1) : NULL;
}

// "behind others at switch->node1"
static const char *link_stage(const char *what, const struct lane_record *lane)
{
    char *text = g_strconcat(what, lane->link, NULL);
    const char *stage = intern_text(text);
    g_free(text);
    return stage;
}

// The piece's stage as reports name it: a processor's work and latencies by their own name; else
// what kind of resource was taken, also by a gap.
static struct stage told_stage(const struct lane_record *lane, const struct piece *piece)
{
    if (piece->kind == PIECE_DELAY || is_processor(lane))
        return *piece->stage;
    if (lane_is_link(lane))
        return (struct stage){"serialisation", STAGE_WIRE};
    return (struct stage){stage_class_name(piece->stage->class), piece->stage->class};
}

// A wait that no work explains: what a process of the walk's host slept for at `at`, if one did.
static struct path_part waiting(const struct walk *walk)
{
    const struct lane_record *own = record_lane(walk->record, walk->lane);
    const char *what = NULL;
    enum wait_class class = WAIT_OTHER;
    for (guint i = walk->record->sleeps->len; i-- > 0 && !what;) {
        const struct sleep *sleep = &g_array_index(walk->record->sleeps, struct sleep, i);
        if (sleep->from >= walk->at || sleep->to < walk->at ||
            !lanes_related(own, record_lane(walk->record, sleep->lane)))
            continue;
        what = sleep->what;
        class = sleep->wait;
    }
    const struct stage *stage = &wait_stages[class];
    struct path_part part = {stage->name, .class = stage->class, .bare = class != WAIT_OTHER};
    if (part.bare || !what)
        return part;
    char *name = g_strdup_printf("%s for %s", stage->name, what);
    part.stage = intern_text(name);
    g_free(name);
    return part;
}

// The path was in the part's stage from `from` on; NULL: it waited. own_work: of the process that
// waited, which then did something else.
static void tell_on(struct walk *walk, const struct path_part *told, bool own_work, sim_time from)
{
    sim_time start = MIN(MAX(from, walk->from), walk->at);
    while (start < walk->at) {
        if (walk->wait && walk->at <= walk->wait->from)
            walk->wait = NULL;
        struct path_part part = told ? *told : waiting(walk);
        part.at = walk->lane + 1;
        part.from = start;
        part.to = walk->at;
        if (walk->wait && walk->at > walk->wait->to) {
            part.from = MAX(start, walk->wait->to);
        } else if (walk->wait) {
            part.from = MAX(start, walk->wait->from);
            part.held = own_work ? WAIT_OTHER : walk->wait->wait;
        }
        walk->part(walk->owner, &part);
        walk->at = part.from;
    }
}

static void tell_wait(struct walk *walk, sim_time from)
{
    tell_on(walk, NULL, false, from);
}

// The link that a packet took which is held back on another one; NULL: not known.
static const struct lane_record *way_ahead(const struct walk *walk, const struct lane_record *link,
                                           const struct piece *stall)
{
    for (guint i = 0; i < walk->record->lanes->len; i++) {
        const struct lane_record *next = record_lane(walk->record, i);
        if (!lane_is_link(next) || next->ends[0] != link->ends[1])
            continue;
        // Its tail is not on that link before it has left the one where it was held back.
        for (guint k = first_ending(next, stall->to); k < next->pieces->len; k++) {
            const struct piece *piece = piece_at(next, k);
            if (piece->from >= stall->to)
                break;
            if (piece->kind == PIECE_WORK && message_same(piece->message, stall->message) &&
                piece->sender == stall->sender)
                return next;
        }
    }
    return NULL;
}

static void tell_piece(struct walk *walk, guint lane, const struct piece *piece, sim_time from)
{
    const struct lane_record *record = record_lane(walk->record, lane);
    const struct slice_span *slice = slice_of(record, piece);
    bool own_work = walk->wait && walk->wait->lane == lane && slice &&
                    slice->class == RECORD_CLASSES - 1 && piece->kind != PIECE_DELAY;
    struct stage stage = told_stage(record, piece);
    struct path_part part = {
        .stage = stage.name,
        .class = stage.class,
        .bare = piece->stage && stage_is_wait(piece->stage),
        .lane = piece->kind == PIECE_DELAY ? 0 : lane + 1,
    };
    if (lane_is_link(record) && piece->kind != PIECE_DELAY)
        part.message = piece->message;
    if (piece->kind == PIECE_STALL) {
        const struct lane_record *ahead = way_ahead(walk, record, piece);
        part.stage = link_stage(BEHIND " at ", ahead ? ahead : record);
        part.class = STAGE_BEHIND;
        part.by = link_stage("held back on ", record);
    }
    tell_on(walk, &part, own_work, from);
}

// Behind others at the walk's link; `what` and `who`: its holder.
static void tell_behind(struct walk *walk, const char *what, const char *who, sim_time from)
{
    char *by = g_strconcat(what, who, NULL);
    struct path_part part = {
        .stage = link_stage(BEHIND " at ", record_lane(walk->record, walk->lane)),
        .class = STAGE_BEHIND,
        .by = intern_text(by),
        .lane = walk->lane + 1,
    };
    g_free(by);
    tell_on(walk, &part, false, from);
}

// The wait that ended in the handler which the walk is in, if there was one: from there on back the
// message was held up.
static void look_for_wait(struct walk *walk)
{
    const struct lane_record *lane = record_lane(walk->record, walk->lane);
    const struct slice_span *slice = slice_of(lane, piece_at(lane, walk->piece));
    if (!slice || (walk->wait && walk->at > walk->wait->from))
        return;
    guint low = 0, high = lane->waits->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(lane->waits, struct sleep, middle).to <= walk->at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return;
    const struct sleep *wait = &g_array_index(lane->waits, struct sleep, low - 1);
    if (wait->to >= slice->from)
        walk->wait = wait;
}

// ---- Who comes into question ----

// A piece of the same lane that ended when the walk's piece began.
static int score_same_lane(const struct lane_record *lane, const struct piece *piece,
                           const struct piece *cause)
{
    if (piece->kind == PIECE_DELAY || cause->kind == PIECE_DELAY) {
        if (message_same(piece->message, cause->message) && cause->kind != PIECE_GAP)
            return CAUSE_CHAIN;
        return is_processor(lane) ? CAUSE_ELSEWHERE : 0;
    }
    const struct slice_span *mine = slice_of(lane, piece), *other = slice_of(lane, cause);
    if (mine && other && other->class > mine->class)
        return 0; // it was interrupted
    return CAUSE_TURN;
}

static int score_of(const struct walk *walk, guint lane, const struct piece *cause)
{
    const struct lane_record *own = record_lane(walk->record, walk->lane);
    const struct piece *piece = walk->started ? piece_at(own, walk->piece) : NULL;
    if (lane == walk->lane && walk->joined && cause->kind != PIECE_DELAY)
        return 0; // it was another host's turn
    if (lane == walk->lane)
        return piece ? score_same_lane(own, piece, cause) : CAUSE_TURN;
    int score = cause->kind == PIECE_GAP ? CAUSE_BEHIND_GAP : CAUSE_ELSEWHERE;
    if (cause->kind == PIECE_DELAY)
        score += CAUSE_DELAY;
    if (piece && share_message(piece, cause))
        score += CAUSE_MESSAGE;
    return score;
}

static bool comes_into_question(const struct walk *walk, guint lane)
{
    const struct lane_record *other = record_lane(walk->record, lane);
    // Lanes of packets that wait for a link hold no work.
    return other->kind != TRACE_QUEUE &&
           lanes_related(record_lane(walk->record, walk->lane), other);
}

// The best of the pieces that ended at `at`; like those below it finds nothing, or more than `best`
// has.
static bool find_ended(const struct walk *walk, struct found *best)
{
    for (guint i = 0; i < walk->record->lanes->len; i++) {
        if (!comes_into_question(walk, i))
            continue;
        const struct lane_record *lane = record_lane(walk->record, i);
        for (guint k = first_ending(lane, walk->at);
             k < lane->pieces->len && piece_at(lane, k)->to == walk->at; k++) {
            int score = score_of(walk, i, piece_at(lane, k));
            if (score > best->score)
                *best = (struct found){i, k, score};
        }
    }
    return best->score > 0;
}

// The best of those that went on: a packet's head on the wire before, or the frame that drained a
// FIFO.
static bool find_under_way(const struct walk *walk, struct found *best)
{
    const struct lane_record *own = record_lane(walk->record, walk->lane);
    if (!walk->started || (is_processor(own) && piece_at(own, walk->piece)->kind == PIECE_WORK))
        return false;
    const struct piece *piece = piece_at(own, walk->piece);
    for (guint i = 0; i < walk->record->lanes->len; i++) {
        const struct lane_record *lane = record_lane(walk->record, i);
        if (!comes_into_question(walk, i) || is_processor(lane))
            continue;
        guint first = first_ending(lane, walk->at + 1);
        for (guint k = first; k < lane->pieces->len && k < first + MOST_OVERLAPS; k++) {
            const struct piece *other = piece_at(lane, k);
            if (other->from >= walk->at || other->kind != PIECE_WORK)
                continue;
            int score = share_message(piece, other) ? 2 : lane_is_link(lane) ? 1 : 0;
            score = 2 * score + (score > 0 && i == walk->lane);
            if (score > best->score)
                *best = (struct found){i, k, score};
        }
    }
    return best->score > 0;
}

// The piece that ended last before `at`.
static bool find_last(const struct walk *walk, struct found *best)
{
    sim_time last = walk->from;
    for (guint i = 0; i < walk->record->lanes->len; i++) {
        if (!comes_into_question(walk, i))
            continue;
        const struct lane_record *lane = record_lane(walk->record, i);
        guint next = first_ending(lane, walk->at);
        if (next == 0 || piece_at(lane, next - 1)->to <= last)
            continue;
        last = piece_at(lane, next - 1)->to;
        *best = (struct found){i, next - 1, 1};
    }
    return best->score > 0;
}

// ---- Steps ----

// To where the piece's own handler was before: over what interrupted it. False at the handler's
// start, which `at` is then.
static bool step_within_slice(struct walk *walk)
{
    const struct lane_record *lane = record_lane(walk->record, walk->lane);
    const struct piece *piece = piece_at(lane, walk->piece);
    const struct slice_span *slice = slice_of(lane, piece);
    if (!slice || piece->kind != PIECE_WORK)
        return false;
    for (guint k = walk->piece; k-- > 0 && piece_at(lane, k)->to > slice->from;) {
        const struct piece *before = piece_at(lane, k);
        if (before->kind != PIECE_WORK)
            continue;
        if (before->slice == piece->slice) {
            tell_wait(walk, before->to);
            walk->piece = k;
            return true;
        }
        tell_wait(walk, before->to);
        tell_piece(walk, walk->lane, before, MAX(before->from, slice->from));
    }
    tell_wait(walk, slice->from);
    return false;
}

// How the packet that got the link at `when` waited for it.
static struct packet_wait wait_of(const struct lane_record *lane, sim_time when)
{
    guint low = 0, high = lane->queued->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(lane->queued, struct packet_wait, middle).to < when)
            low = middle + 1;
        else
            high = middle;
    }
    struct packet_wait none = {when, when, when};
    if (low == lane->queued->len)
        return none;
    struct packet_wait wait = g_array_index(lane->queued, struct packet_wait, low);
    return wait.to == when ? wait : none;
}

// The last packet on the link, or its gap, that ended at `when` or before; NULL: none.
static const struct piece *before_on_link(const struct lane_record *lane, sim_time when)
{
    for (guint k = first_ending(lane, when + 1); k-- > 0;)
        if (piece_at(lane, k)->kind != PIECE_DELAY)
            return piece_at(lane, k);
    return NULL;
}

// The sender of a packet, or of the packet before a gap; NULL: it is not known.
static const char *sender_of(const struct lane_record *lane, const struct piece *piece)
{
    while (piece && piece->kind == PIECE_GAP)
        piece = before_on_link(lane, piece->from);
    return piece ? piece->sender : NULL;
}

// The link was free, but not granted to the packet: another one to another port was before it, the
// switch handled it, or the far end had no place.
static void tell_free(struct walk *walk, const struct packet_wait *wait, bool after_own,
                      sim_time from)
{
    static const struct path_part in_switch = {.stage = "switch", .class = STAGE_SWITCH};
    const struct lane_record *lane = record_lane(walk->record, walk->lane);
    if (walk->at > wait->asked)
        tell_behind(walk, "no place at ", lane->ends[1], MAX(from, wait->asked));
    if (walk->at > from && after_own)
        tell_on(walk, &in_switch, false, from);
    else if (walk->at > from)
        tell_behind(walk, "packets to other ports", "", from);
}

// At the start of a packet's time on a link: over what it waited for there, to a packet of its own
// host before it, or to when it came.
static void step_behind_others(struct walk *walk)
{
    const struct lane_record *lane = record_lane(walk->record, walk->lane);
    const struct piece *piece = piece_at(lane, walk->piece);
    if (!lane_is_link(lane) || piece->kind != PIECE_WORK || walk->at != piece->from)
        return;
    struct packet_wait wait = wait_of(lane, walk->at);
    sim_time since = MAX(wait.from, walk->from);
    for (;;) {
        const struct piece *before = before_on_link(lane, walk->at);
        bool turn = before && before->to == walk->at;
        const char *sender = sender_of(lane, before);
        bool own = before && sender == piece->sender;
        walk->joined = turn && !own;
        if (walk->at <= since || (turn && own))
            return;
        if (turn)
            tell_behind(walk, "packets of ", sender ? sender : "another host",
                        MAX(before->from, since));
        else
            tell_free(walk, &wait, own, before ? MAX(before->to, since) : since);
    }
}

static void step_to(struct walk *walk, const struct found *found)
{
    const struct lane_record *lane = record_lane(walk->record, found->lane);
    const struct piece *piece = piece_at(lane, found->piece);
    tell_wait(walk, MIN(piece->to, walk->at));
    walk->lane = found->lane;
    walk->piece = found->piece;
    walk->started = true;
    walk->joined = false;
}

void path_walk(const struct record *record, trace_lane lane, sim_time from, sim_time to,
               path_part_fn *part, void *owner)
{
    struct walk walk = {
        .record = record, .from = from, .at = to, .lane = lane - 1, .part = part, .owner = owner};
    while (walk.at > from) {
        struct found found = {0};
        if (walk.started) {
            const struct lane_record *at = record_lane(record, walk.lane);
            const struct piece *piece = piece_at(at, walk.piece);
            look_for_wait(&walk);
            tell_piece(&walk, walk.lane, piece, piece->from);
            if (walk.at <= from || step_within_slice(&walk))
                continue;
            step_behind_others(&walk);
        }
        if (walk.at <= from)
            break;
        if (find_ended(&walk, &found) || find_under_way(&walk, &found) || find_last(&walk, &found))
            step_to(&walk, &found);
        else
            tell_wait(&walk, from);
    }
}
