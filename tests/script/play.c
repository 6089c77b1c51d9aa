// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/script/world.h"

#include <stdio.h>
#include <string.h>

// The host has handled an inbound packet or a call after this, but for its timers.
#define SETTLE (2 * TIME_US)
#define SHARE 100 // of the time since the event before: the tolerance at least
#define MOST_SNIFFED 10000
#define LONGEST (3600 * TIME_S) // that an outbound packet of any time is waited for

struct sniffed {
    sim_time when;
    void *packet;
};

struct run {
    struct script_built built;
    struct script_options options;
    const struct script_protocol *protocol;
    const struct script_event *event;
    struct script_report *report;
    bool verbose;
    sim_time last;  // time of the event before, from which relative times count
    sim_time until; // of the current event, latest
    GQueue sniffed; // struct sniffed *: sent, and not yet expected
    struct event alarm;
    bool rung, called;
    struct script_result result;
};

static double seconds(sim_time time)
{
    return (double)time / (double)TIME_S;
}

static sim_time now(const struct run *run)
{
    return sim_now(run->built.world.sim);
}

// ---- The engine ----

static void alarm_event(struct engine *engine, struct event *event)
{
    container_of(event, struct run, alarm)->rung = true;
    engine_stop(engine);
}

// Runs to a time; before it only if the host sends something and `sent` is set.
static void run_until(struct run *run, sim_time when, bool sent)
{
    struct engine *engine = run->built.world.sim->engine;
    run->rung = false;
    engine_reschedule(engine, &run->alarm, MAX(when, now(run)));
    while (!run->rung && !(sent && run->sniffed.length > 0))
        engine_run(engine, TIME_NEVER);
    engine_cancel(engine, &run->alarm);
}

static void peer_receive(void *owner, struct packet *packet)
{
    struct run *run = owner;
    struct script_world *world = &run->built.world;
    struct sniffed *sniffed = g_new0(struct sniffed, 1);
    *sniffed = (struct sniffed){now(run), run->protocol->sniff(world, packet)};
    packet_free(world->cluster->network, packet);
    g_queue_push_tail(&run->sniffed, sniffed);
    if (run->sniffed.length > MOST_SNIFFED) {
        script_fail(run->report, run->event ? run->event->line : 1,
                    "expected at most %d packets that no event has expected, got more",
                    MOST_SNIFFED);
        run->rung = true;
    }
    if (run->verbose) {
        char *text = run->protocol->sniffed_text(world, sniffed->packet);
        fprintf(stderr, "  %.6f > %s\n", seconds(sniffed->when), text);
        g_free(text);
    }
    engine_stop(world->sim->engine);
}

static void sniffed_free(gpointer element)
{
    struct sniffed *sniffed = element;
    g_free(sniffed->packet);
    g_free(sniffed);
}

// ---- Events ----

static void inbound(struct run *run)
{
    struct script_world *world = &run->built.world;
    struct packet *packet = run->protocol->inject(world, run->event, run->report);
    if (!packet)
        return;
    if (run->verbose)
        fprintf(stderr, "  %.6f < line %d\n", seconds(now(run)), run->event->line);
    network_send(world->cluster->network, packet, NULL);
    run_until(run, now(run) + SETTLE, false);
}

static enum cpu_next task_run(struct cpu_context *context, struct cpu_task *task)
{
    struct script_world *world = container_of(task, struct script_world, task);
    struct script_built *built = container_of(world, struct script_built, world);
    struct run *run = container_of(built, struct run, built);
    if (run->called || !run->event || run->event->kind != SCRIPT_CALL)
        return CPU_SLEEP;
    run->called = true;
    run->result = run->protocol->call(world, context, run->event, run->report);
    return CPU_SLEEP;
}

// "-1 EAGAIN"
static char *result_text(int64_t value, const char *error)
{
    return g_strdup_printf("%" G_GINT64_FORMAT "%s%s", value, error ? " " : "", error ? error : "");
}

static bool same_error(const char *expected, const char *is)
{
    bool again = g_strcmp0(expected, "EWOULDBLOCK") == 0; // another name of EAGAIN
    return g_strcmp0(again ? "EAGAIN" : expected, is) == 0;
}

static void check_result(struct run *run)
{
    const struct script_call *call = &run->event->call;
    const struct script_result *is = &run->result;
    int64_t value;
    if (call->result->kind == SCRIPT_VALUE_DOTS && !call->error)
        return;
    if (!script_number(call->result, run->protocol->constants, &value)) {
        script_unsupported(run->report, run->event->line, "%s with such a result", call->name);
        return;
    }
    bool any_error = value == -1 && !call->error; // a bare -1 stands for each of them
    if (value == is->value && (any_error || same_error(call->error, is->error)))
        return;
    char *expected = result_text(value, call->error), *got = result_text(is->value, is->error);
    script_fail(run->report, run->event->line, "expected %s = %s, got %s", call->name, expected,
                got);
    g_free(expected);
    g_free(got);
}

static void make_call(struct run *run)
{
    struct script_world *world = &run->built.world;
    if (run->event->shell && run->protocol->shell)
        run->protocol->shell(world, run->event->shell);
    if (!run->event->call.name)
        return;
    run->called = false;
    cpu_wake(&world->task);
    run_until(run, now(run) + SETTLE, false);
    if (run->verbose)
        fprintf(stderr, "  %.6f   %s = %" G_GINT64_FORMAT " %s\n", seconds(now(run)),
                run->event->call.name, run->result.value,
                run->result.error ? run->result.error : "");
    if (run->report->verdict != SCRIPT_PASS)
        return;
    if (!run->called)
        script_fail(run->report, run->event->line, "expected %s to return, got no end of it",
                    run->event->call.name);
    else
        check_result(run);
}

static void outbound(struct run *run, sim_time from)
{
    struct script_world *world = &run->built.world;
    const struct script_event *event = run->event;
    sim_time tolerance = MAX(run->options.tolerance, (run->until - run->last) / SHARE);
    run_until(run, event->time.any ? now(run) + LONGEST : run->until + tolerance, true);
    struct sniffed *next = g_queue_pop_head(&run->sniffed);
    char *expected = run->protocol->text(world, event);
    if (!next) {
        script_fail(run->report, event->line, "expected %s, got nothing until %.6f s", expected,
                    seconds(now(run)));
        g_free(expected);
        return;
    }
    run->protocol->match(world, event, next->packet, run->report);
    bool early = next->when<from - tolerance, late = next->when> run->until + tolerance;
    if (!event->time.any && (early || late))
        script_fail(run->report, event->line, "expected %s at %.6f s, got it at %.6f s", expected,
                    seconds(early ? from : run->until), seconds(next->when));
    if (event->time.any || event->time.range)
        run->until = next->when;
    g_free(expected);
    sniffed_free(next);
}

static void play_event(struct run *run)
{
    const struct script_time *time = &run->event->time;
    sim_time start = time->relative ? run->last : 0;
    sim_time from = start + time->from;
    run->until = start + time->to;
    if (run->until > TIME_END / 2) {
        script_fail(run->report, run->event->line, "expected a time below %.0f s, got %.0f s",
                    seconds(TIME_END / 2), seconds(run->until));
        return;
    }
    if (run->event->kind == SCRIPT_OUTBOUND) {
        outbound(run, from);
    } else {
        if (time->any) {
            script_fail(run->report, run->event->line,
                        "expected a time for what the script does, got *");
            return;
        }
        run->until = from;
        if (from < run->last)
            script_fail(run->report, run->event->line, "expected a time from %.6f s on, got %.6f s",
                        seconds(run->last), seconds(from));
        run_until(run, from, false);
        if (run->report->verdict != SCRIPT_PASS)
            return;
        if (run->event->kind == SCRIPT_INBOUND)
            inbound(run);
        else
            make_call(run);
    }
    run->last = run->until;
}

// ---- A script ----

// Whether the host has sent more than the script expected.
static void check_rest(struct run *run)
{
    const struct sniffed *next = g_queue_peek_head(&run->sniffed);
    if (!next || next->when >= run->last || !run->event)
        return;
    char *text = run->protocol->sniffed_text(&run->built.world, next->packet);
    script_fail(run->report, run->event->line, "expected no more packets, got %s at %.6f s", text,
                seconds(next->when));
    g_free(text);
}

static void play_events(struct run *run, const struct script *script)
{
    struct script_world *world = &run->built.world;
    struct cpu *core = host_process_core(world->cluster->hosts[0], 0);
    network_attach(world->cluster->network, world->peer, peer_receive, run);
    cpu_task_init(&world->task, core, CPU_USER, task_run);
    event_init(&run->alarm, alarm_event);
    world->host = run->protocol->host_new(world, script);
    for (guint i = 0; i < script->events->len && run->report->verdict == SCRIPT_PASS; i++) {
        run->event = g_ptr_array_index(script->events, i);
        play_event(run);
    }
    if (run->report->verdict == SCRIPT_PASS)
        check_rest(run);
    g_queue_clear_full(&run->sniffed, sniffed_free);
    run->protocol->host_free(world->host);
}

void script_play(const struct script_protocol *protocol, const struct script_settings *settings,
                 const char *text, size_t length, struct script_report *report)
{
    struct run run = {.protocol = protocol, .report = report, .verbose = settings->verbose};
    struct script *script = script_parse(text, length, protocol->defined, protocol->parse,
                                         protocol->packet_free, NULL, report);
    g_queue_init(&run.sniffed);
    script_options_read(protocol, settings, script, &run.options, report);
    if (report->verdict == SCRIPT_PASS) {
        const char *profile = settings->profile    ? settings->profile
                              : protocol->profiles ? protocol->profiles[0]
                                                   : NULL;
        if (script_world_build(&run.built, protocol, profile, &run.options, report))
            play_events(&run, script);
        script_world_clear(&run.built);
    }
    script_options_clear(&run.options);
    script_free(script);
}
