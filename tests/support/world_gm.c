// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_gm.h"

#include "sim/model/stack.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <string.h>

const char gm_pair[] =
    "schema: 1\n"
    "name: t\n"
    "stack: gm\n"
    "nic: lanai7\n"
    "what_if: card_rate\n"
    "host:\n"
    "  processor: {cores: 2, clock: 1 GHz}\n"
    "  memory: {page: 4 KiB, pin_page: 509 ns, unpin_page: 307 ns, pin_limit: 1 MiB}\n"
    "  bus: {clock: 1 GHz, rate: 100 MB/s, read_setup: 200, write_setup: 200}\n"
    "  kernel: {system_call: 521 ns, interrupt_entry: 2003 ns, interrupt_exit: 1009 ns,\n"
    "           wake_process: 1013 ns, switch_process: 4001 ns, process_set: 0 B,\n"
    "           block_process: 2011 ns,\n"
    "           interrupt_latency: 1507 ns, interrupt_ack: 307 ns, interrupt_unmask: 211 ns,\n"
    "           wake_other: 1103 ns}\n"
    "lanai7: {clock: 50 MHz, sram: 1 MiB, dispatch: 0 ns, idle_turn: 0 ns, timer_tick: 0 ns,\n"
    "         read_setup: 700 ns, write_setup: 300 ns, bus_hold: 1 KiB, send_latency: 130 ns,\n"
    "         receive_latency: 170 ns, write_word: 110 ns}\n"
    "gm: {send: 401 ns, provide: 203 ns, receive_check: 31 ns, receive_event: 149 ns,\n"
    "     callback: 61 ns, register_call: 2017 ns, interrupt: 1501 ns,\n"
    "     timer: 61 cycles, finish_rdma: 51 cycles, finish_recv: 151 cycles,\n"
    "     finish_sdma: 41 cycles, finish_send: 31 cycles, start_send: 59 cycles,\n"
    "     start_sdma: 121 cycles, start_rdma: 79 cycles, poll: 83 cycles,\n"
    "     free_record: 13 cycles, resend_record: 17 cycles}\n"
    "gm_native: {buffer: 1 B, receive_buffers: 1, poll_turn: 1 ns}\n"
    "hosts: [{name: node, count: 2}]\n"
    "switches: [{name: switch}]\n"
    "link: {rate: 2000 Mb/s, propagation: 50 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"
    "links: [{from: node, to: switch}]\n"
    "switch: {discipline: cut_through, latency: 150 ns, header: 1 B, route_bytes: 1 B}\n"
    "workload: {benchmark: native.pingpong, sizes: [1 B], repetitions: 10}\n";

void gm_check(const struct world *world)
{
    struct ledger_totals totals = ledger_totals(world->sim->ledger);
    CU_ASSERT_EQUAL(world->sim->status, SIM_COMPLETED);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    SUITE_SAME_INTEGER((long long)totals.delivered, (long long)totals.messages);
    CU_ASSERT_EQUAL(totals.lost + totals.open + totals.duplicated + totals.misordered, 0);
}

// ---- Jobs ----

// Of one send.
struct ticket {
    struct gm_end *end;
    int64_t number;
};

static void sent_callback(struct cpu_context *context, struct gm_port *port, void *callback_context,
                          enum gm_status status)
{
    struct ticket *ticket = callback_context;
    struct gm_returned returned = {status, ticket->number, context->now};
    CU_ASSERT_PTR_EQUAL(port, ticket->end->port);
    g_array_append_val(ticket->end->returned, returned);
}

// Messages of a port to a port with one priority stay in order.
static uint64_t flow_of(const struct gm_end *from, const struct gm_send_job *send)
{
    uint64_t ends = (uint64_t)(from->host * 64 + from->number) << 32 |
                    (uint64_t)(send->to->host * 64 + send->to->number) << 2;
    return ends | (uint64_t)send->priority << 1 | (uint64_t)send->directed;
}

static bool send_job(struct cpu_context *context, void *process, void *argument)
{
    struct gm_end *end = process;
    const struct gm_send_job *send = argument;
    if (gm_send_tokens(end->port) == 0)
        return false;
    struct ticket *ticket = world_keep(end->process.world, g_new0(struct ticket, 1));
    ticket->end = end;
    ticket->number = end->sends++;
    struct gm_message message = {
        .address = send->address ? send->address : GM_WORLD_MEMORY,
        .length = send->header + send->bytes,
        .header = send->header,
        .size = send->size >= 0 ? send->size : gm_min_size_for_length(send->header + send->bytes),
        .priority = send->priority,
        .target_host = send->to->host,
        .target_port = send->to->number,
        .message = ledger_open(end->process.world->sim->ledger, end->host, send->to->host,
                               send->bytes, flow_of(end, send)),
        .callback = sent_callback,
        .callback_context = ticket,
    };
    int64_t remote = send->remote ? send->remote : GM_WORLD_MEMORY;
    if (send->directed)
        gm_directed_send_with_callback(context, end->port, &message, remote);
    else
        gm_send_with_callback(context, end->port, &message);
    return true;
}

void gm_end_send(struct gm_end *end, const struct gm_send_job *send)
{
    world_do_at(end, send->at, send_job,
                world_keep(end->process.world, g_memdup2(send, sizeof *send)));
}

void gm_end_send_to(struct gm_end *end, struct gm_end *to, int64_t bytes, int count)
{
    for (int i = 0; i < count; i++)
        gm_end_send(end, &(struct gm_send_job){.to = to, .bytes = bytes, .size = -1});
}

static bool provide_job(struct cpu_context *context, void *process, void *size)
{
    struct gm_end *end = process;
    return gm_provide_receive_buffer(context, end->port, GM_WORLD_MEMORY, GPOINTER_TO_INT(size), 0);
}

void gm_end_provide(struct gm_end *end, int size, int count, sim_time at)
{
    for (int i = 0; i < count; i++)
        world_do_at(end, at, provide_job, GINT_TO_POINTER(size));
}

// ---- The process ----

static void take_message(struct cpu_context *context, struct gm_end *end, struct gm_event *event)
{
    struct ledger *ledger = end->process.world->sim->ledger;
    struct gm_received received = {*event, context->now};
    g_array_append_val(end->received, received);
    ledger_match(ledger, event->message);
    ledger_deliver(ledger, event->message, event->offset, event->length - event->header);
    ledger_complete(ledger, event->message);
    cpu_spend_time(context, end->work, stage_called("work", STAGE_LIBRARY));
    if (!end->keeps)
        gm_provide_receive_buffer(context, end->port, event->buffer, event->size, 0);
}

static enum cpu_next listen(struct cpu_context *context, void *process)
{
    struct gm_end *end = process;
    struct gm_event event;
    if (end->deaf)
        return CPU_SLEEP;
    switch (gm_receive(context, end->port, &event)) {
    case GM_NO_EVENT:
        if (end->blocks)
            gm_block(context, end->port);
        else
            gm_poll(context, end->port, end->poll_turn);
        return CPU_SLEEP;
    case GM_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        take_message(context, end, &event);
        break;
    case GM_SENT_EVENT:
    case GM_ALARM_EVENT:
        gm_unknown(context, end->port, &event);
        break;
    }
    return CPU_AGAIN;
}

static void written(void *owner, const struct gm_write *write)
{
    struct gm_end *end = owner;
    struct ledger *ledger = end->process.world->sim->ledger;
    struct gm_written_note note = {*write, sim_now(end->process.world->sim)};
    g_array_append_val(end->written, note);
    ledger_match(ledger, write->message);
    ledger_deliver(ledger, write->message, write->offset, write->length - write->header);
    ledger_complete(ledger, write->message);
}

static void build(struct world *world)
{
    world->state = gm_fabric_new(world->cluster, world->test_case);
}

static void free_fabric(struct world *world)
{
    gm_fabric_free(world->state);
}

static void end_close(void *process)
{
    struct gm_end *end = process;
    g_array_unref(end->received);
    g_array_unref(end->returned);
    g_array_unref(end->written);
}

const struct world_provider world_gm = {
    .process_bytes = sizeof(struct gm_end),
    .starts_in_run = true,
    .build = build,
    .idle = listen,
    .close = end_close,
    .free = free_fabric,
};

struct gm_fabric *gm_fabric(const struct world *world)
{
    return world->state;
}

struct gm_end *gm_end_new(struct world *world, int host, int number)
{
    struct gm_end *end =
        world_process_new(world, host_process_core(world->cluster->hosts[host], 0));
    end->host = host;
    end->number = number;
    end->poll_turn = 100 * TIME_NS;
    end->received = g_array_new(FALSE, FALSE, sizeof(struct gm_received));
    end->returned = g_array_new(FALSE, FALSE, sizeof(struct gm_returned));
    end->written = g_array_new(FALSE, FALSE, sizeof(struct gm_written_note));
    end->port = gm_open(gm_fabric(world), host, number, "process", &end->process.task);
    g_assert(end->port);
    gm_dma_memory(end->port, GM_WORLD_MEMORY, GM_WORLD_BYTES - GM_WORLD_OUTSIDE);
    gm_on_write(end->port, written, end);
    return end;
}

// ---- What has come of it ----

struct gm_received *gm_end_received(struct gm_end *end, guint i)
{
    g_assert(i < end->received->len);
    return &g_array_index(end->received, struct gm_received, i);
}

struct gm_returned *gm_end_returned(struct gm_end *end, guint i)
{
    g_assert(i < end->returned->len);
    return &g_array_index(end->returned, struct gm_returned, i);
}

int gm_end_count(const struct gm_end *end, enum gm_status status)
{
    int count = 0;
    for (guint i = 0; i < end->returned->len; i++)
        count += g_array_index(end->returned, struct gm_returned, i).status == status;
    return count;
}

const struct gm_connection *gm_world_connection(const struct gm_card *card, int host)
{
    const struct gm_connection *const *slot = sparse_peek(&card->connections, host);
    return slot ? *slot : NULL;
}
