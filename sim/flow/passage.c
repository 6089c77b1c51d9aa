// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/passage.h"

#include "sim/core/fifo.h"
#include "sim/flow/flow_costs.h"

#include <math.h>

static const struct stage flow_stage = {"flow", STAGE_WIRE};
static const struct stage line_stage = {"distance of interrupts", STAGE_NIC};
static const struct stage latency_stage = {"latency of the stack", STAGE_KERNEL};

struct passage_card {
    struct passage *busy;        // of several frames; NULL: none
    struct passage *head, *tail; // of those that wait
    sim_time until;              // it is busy with a piece
    sim_time express;            // until which single frames occupy it
    trace_lane lane;
};

struct passages {
    struct sim *sim;
    const struct passages_ops *ops;
    struct flow_links *links;
    struct share *share;
    struct event settle;
    struct passage_card *cards; // by host
    sim_time *occupied;         // by link: until when, by single frames
    double transfer;
    struct flow_pace pace;
    struct paced_card *paced; // by host and rail
    struct flow_route measured;
};

static sim_time seconds(double time)
{
    return (sim_time)llround(time * (double)TIME_S);
}

// Longer routes are looked up each time.
static struct flow_route route_of(const struct passage *passage)
{
    struct flow_route route = passage->route;
    if (route.count > PASSAGE_LINKS)
        return flow_links_route(passage->passages->links, passage->from, passage->to);
    route.links = passage->links;
    return route;
}

static void keep_route(struct passage *passage)
{
    passage->route = flow_links_route(passage->passages->links, passage->from, passage->to);
    for (int i = 0; i < MIN(passage->route.count, PASSAGE_LINKS); i++)
        passage->links[i] = passage->route.links[i];
}

static struct passage_card *card_of(const struct passage *passage)
{
    return &passage->passages->cards[passage->from];
}

static bool is_single(const struct passage *passage)
{
    return passage->wire <= COSTS_ONE_FRAME * passage->frame;
}

// The latency on its route: that of the measured one, but for the times of links and switches.
static sim_time latency_on(const struct passage *passage, const struct flow_route *route)
{
    const struct flow_route *measured = &passage->passages->measured;
    double frame = MIN(passage->wire, passage->frame);
    double more =
        measured->count > 0 ? flow_route_way(route, frame) - flow_route_way(measured, frame) : 0;
    return MAX(passage->latency + seconds(more), 0);
}

// The time of its bytes on the card's link.
static sim_time card_time(const struct passage *passage, const struct flow_route *route)
{
    const struct flow_links *links = passage->passages->links;
    return seconds(passage->wire * flow_links_direction(links, route->links[0])->each);
}

static void passage_arrives(struct engine *engine, struct event *event)
{
    struct passage *passage = container_of(event, struct passage, event);
    (void)engine;
    passage->passages->ops->arrived(passage);
}

static struct paced_card *paced_card(const struct passage *passage, int host)
{
    const struct passages *passages = passage->passages;
    int rails = passages->pace.rails;
    return &passages->paced[host * rails + (int)(passage->number % (uint32_t)rails)];
}

// Returns when it arrives instead of at `when`, as its receiver's card keeps a distance.
static sim_time arrival_paced(struct passage *passage, sim_time when)
{
    struct passages *passages = passage->passages;
    sim_time asked = MAX(when - passage->after, sim_now(passages->sim));
    if (passage->spread > 0)
        flow_pace_received(&passages->pace, paced_card(passage, passage->to),
                           MAX(asked - passage->spread, 0));
    sim_time line = flow_pace_received(&passages->pace, paced_card(passage, passage->to), asked);
    if (!passage->waits_for_line)
        return when;
    trace_delay(passages->sim->trace, passages->cards[passage->to].lane, &line_stage, asked, line,
                passage->message);
    return line + passage->after;
}

static void schedule_arrival(struct passage *passage, sim_time from, sim_time when)
{
    struct sim *sim = passage->passages->sim;
    if (passage->passages->pace.distance > 0)
        when = arrival_paced(passage, when);
    trace_delay(sim->trace, card_of(passage)->lane, &latency_stage, from, when, passage->message);
    passage->event.run = passage_arrives;
    engine_schedule(sim->engine, &passage->event, when);
}

// ---- Single frames ----

static void passage_has_left(struct engine *engine, struct event *event)
{
    struct passage *passage = container_of(event, struct passage, card);
    (void)engine;
    passage->passages->ops->left(passage);
}

static void single_goes_on(struct engine *engine, struct event *event);

// The frame is at the link `hop` of its route, at `now`. Where it has to wait at one that is not
// the last, an event goes on from there.
static void single_pass(struct passage *passage, const struct flow_route *route, sim_time now)
{
    struct passages *passages = passage->passages;
    for (; passage->hop < route->count; passage->hop++) {
        uint32_t link = route->links[passage->hop];
        const struct flow_direction *direction = flow_links_direction(passages->links, link);
        sim_time service = seconds(passage->wire * direction->each);
        sim_time start = MAX(now, passages->occupied[link]);
        bool waits = start > now;
        passages->occupied[link] = start + service;
        passage->nominal += start - now;
        now = start + seconds(direction->fixed) + (direction->stores ? service : 0);
        if (waits && passage->hop + 1 < route->count) {
            passage->hop++;
            engine_schedule(passages->sim->engine, &passage->event, now);
            return;
        }
    }
    schedule_arrival(passage, passage->began, MAX(passage->nominal, sim_now(passages->sim)));
}

static void single_goes_on(struct engine *engine, struct event *event)
{
    struct passage *passage = container_of(event, struct passage, event);
    struct flow_route route = route_of(passage);
    single_pass(passage, &route, engine_now(engine));
}

// The part of the passage that it gives the card next.
static double next_piece(const struct passage *passage)
{
    double transfer = passage->passages->transfer, rest = passage->wire - passage->given;
    return transfer > 0 ? MIN(transfer, rest) : rest;
}

// The time of all that others have given the card, and it has not sent yet.
static sim_time ahead_of_single(const struct passages *passages, const struct passage_card *card,
                                double each)
{
    if (!card->busy || passages->transfer <= 0)
        return 0;
    sim_time wait = MAX(card->until - sim_now(passages->sim), 0);
    for (const struct passage *at = card->head; at; at = at->next)
        wait += seconds(next_piece(at) * each);
    return wait;
}

static void start_single(struct passage *passage)
{
    struct passages *passages = passage->passages;
    struct passage_card *card = card_of(passage);
    struct flow_route found = route_of(passage), *route = &found;
    const struct flow_direction *first = flow_links_direction(passages->links, route->links[0]);
    sim_time now = sim_now(passages->sim), service = card_time(passage, route);
    passage->began = MAX(card->express, now + ahead_of_single(passages, card, first->each));
    card->express = passage->began + service;
    passage->nominal = passage->began + service + latency_on(passage, route);
    passage->hop = 1;
    trace_span(passages->sim->trace, card->lane, &flow_stage, passage->began,
               passage->began + service, passage->message);
    passages->ops->begins(passage);
    if (passage->tells_left) {
        event_init(&passage->card, passage_has_left);
        engine_schedule(passages->sim->engine, &passage->card, passage->began + service);
    }
    if (route->count == 1) {
        schedule_arrival(passage, passage->began, passage->nominal);
        return;
    }
    passage->event.run = single_goes_on;
    engine_schedule(passages->sim->engine, &passage->event,
                    passage->began + seconds(first->fixed) + (first->stores ? service : 0));
}

// ---- Several frames ----

static void settle_soon(struct passages *passages)
{
    if (!event_pending(&passages->settle))
        engine_schedule(passages->sim->engine, &passages->settle, sim_now(passages->sim));
}

// Notes what has drained until now, at `rate`.
static void drain(struct passage *passage, double rate)
{
    sim_time now = sim_now(passage->passages->sim);
    passage->left -= rate * time_to_s(now - passage->since);
    passage->since = now;
}

static void schedule_drained(struct passage *passage)
{
    sim_time rest = (sim_time)ceil(MAX(passage->left, 0) / passage->flow.rate * (double)TIME_S);
    engine_reschedule(passage->passages->sim->engine, &passage->event, passage->since + rest);
}

static void rate_changed(void *owner, struct share_flow *flow)
{
    struct passage *passage = container_of(flow, struct passage, flow);
    (void)owner;
    drain(passage, flow->before);
    schedule_drained(passage);
}

static void passages_settle(struct engine *engine, struct event *event)
{
    struct passages *passages = container_of(event, struct passages, settle);
    (void)engine;
    share_settle(passages->share, rate_changed, passages);
}

static void card_sends(struct passage *passage);

static void card_next(struct passage_card *card)
{
    struct passage *next = card->head;
    if (!next)
        return;
    card->head = next->next;
    card_sends(next);
}

// The card has sent a piece.
static void card_is_done(struct engine *engine, struct event *event)
{
    struct passage *passage = container_of(event, struct passage, card);
    struct passages *passages = passage->passages;
    struct passage_card *card = card_of(passage);
    (void)engine;
    card->busy = NULL;
    if (passage->given < passage->wire) {
        FIFO_APPEND(card->head, card->tail, passage, next);
        card_next(card);
        return;
    }
    trace_span(passages->sim->trace, card->lane, &flow_stage, passage->began, card->until,
               passage->message);
    card_next(card);
    if (passage->tells_left)
        passages->ops->left(passage);
}

// All bytes that the card was given are through.
static void has_drained(struct engine *engine, struct event *event)
{
    struct passage *passage = container_of(event, struct passage, event);
    struct passages *passages = passage->passages;
    struct flow_route route = route_of(passage);
    if (route.count > 1) {
        share_leave(passages->share, &passage->flow);
        settle_soon(passages);
    }
    passage->left = 0;
    passage->drains = false;
    if (passage->given < passage->wire)
        return;
    sim_time now = MAX(engine_now(engine), passage->card_until); // a slower card than links
    schedule_arrival(passage, now, now + latency_on(passage, &route));
}

// The links take what the card is given.
static void take_piece(struct passage *passage, double piece, const struct flow_route *route)
{
    struct passages *passages = passage->passages;
    sim_time now = sim_now(passages->sim);
    if (passage->drains && route->count > 1)
        drain(passage, passage->flow.rate);
    passage->left += piece;
    passage->since = now;
    if (route->count == 1) {
        engine_reschedule(passages->sim->engine, &passage->event, passage->card_until);
    } else if (!passage->drains) {
        share_join(passages->share, &passage->flow, route->links + 1, route->count - 1);
        settle_soon(passages);
    } else if (passage->flow.rate > 0) {
        schedule_drained(passage);
    }
    passage->drains = true;
}

static void card_sends(struct passage *passage)
{
    struct passages *passages = passage->passages;
    struct passage_card *card = card_of(passage);
    struct flow_route route = route_of(passage);
    double piece = next_piece(passage);
    bool first = passage->given <= 0;
    const struct flow_direction *link = flow_links_direction(passages->links, route.links[0]);
    card->busy = passage;
    card->until = passage->card_until = sim_now(passages->sim) + seconds(piece * link->each);
    passage->given =
        passage->given + piece < passage->wire ? passage->given + piece : passage->wire;
    event_init(&passage->card, card_is_done);
    engine_schedule(passages->sim->engine, &passage->card, card->until);
    if (first) {
        passage->began = sim_now(passages->sim);
        passage->event.run = has_drained;
    }
    take_piece(passage, piece, &route);
    if (first)
        passages->ops->begins(passage);
}

// ---- All of them ----

void passage_start(struct passages *passages, struct passage *passage)
{
    passage->passages = passages;
    event_init(&passage->event, passage_arrives);
    struct passage_card *card = card_of(passage);
    keep_route(passage);
    if (passages->pace.distance > 0)
        flow_pace_sent(&passages->pace, paced_card(passage, passage->from), sim_now(passages->sim));
    passage->given = passage->left = 0;
    passage->drains = false;
    if (is_single(passage))
        start_single(passage);
    else if (card->busy)
        FIFO_APPEND(card->head, card->tail, passage, next);
    else
        card_sends(passage);
}

void passages_measured(struct passages *passages, int from, int to)
{
    passages->measured = flow_links_route(passages->links, from, to);
}

struct passages *passages_new(struct cluster *cluster, const struct scenario_case *test_case,
                              const struct passages_ops *ops, double transfer,
                              const struct flow_pace *pace)
{
    struct passages *passages = g_new0(struct passages, 1);
    struct flow_links *links = flow_links_new(cluster, test_case);
    *passages = (struct passages){
        .sim = cluster->sim,
        .ops = ops,
        .links = links,
        .share = share_new(flow_links_capacities(links), flow_links_count(links)),
        .cards = g_new0(struct passage_card, cluster->host_count),
        .occupied = g_new0(sim_time, flow_links_count(links) + 1),
        .transfer = transfer,
        .pace = *pace,
        .paced = g_new0(struct paced_card, (gsize)cluster->host_count * (gsize)pace->rails),
    };
    event_init(&passages->settle, passages_settle);
    for (int host = 0; cluster->sim->trace && host < cluster->host_count; host++)
        passages->cards[host].lane =
            trace_lane_new(cluster->sim->trace, cluster->hosts[host]->name, "card");
    return passages;
}

void passages_free(struct passages *passages)
{
    if (!passages)
        return;
    share_free(passages->share);
    flow_links_free(passages->links);
    g_free(passages->cards);
    g_free(passages->paced);
    g_free(passages->occupied);
    g_free(passages);
}
