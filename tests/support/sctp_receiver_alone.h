// SPDX-License-Identifier: GPL-3.0-or-later
//
// These are definitions, which a test program includes once: in the library of the tests' support
// they would take the place of the neighbours in every program.
#ifndef NETSIM_TESTS_SUPPORT_SCTP_RECEIVER_ALONE_H
#define NETSIM_TESTS_SUPPORT_SCTP_RECEIVER_ALONE_H

#include "tests/support/sctp_receiver.h"

#include "sim/core/fifo.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_WRAP 0xfffffff0u

static struct sctp_receiver *receiver_of(const struct sctp_association *association)
{
    return container_of(association->host, struct sctp_receiver, stack);
}

static uint32_t counted(const struct sctp_receiver *receiver, uint32_t tsn)
{
    return tsn - receiver->first_tsn + 1;
}

// ---- What is around it ----

const struct stage sctp_stage = {"SCTP", STAGE_KERNEL};

static void separate(GString *text)
{
    if (text->len > 0)
        g_string_append(text, "; ");
}

static void show_sack(struct sctp_receiver *receiver, const struct sctp_chunk *chunk)
{
    const struct sctp_sack *sack = &chunk->sack;
    const struct sctp_gap *gaps = sctp_sack_gaps(sack);
    const uint32_t *duplicates = sctp_sack_duplicates(sack);
    uint32_t cum = counted(receiver, sack->cum_tsn);
    g_string_append_printf(receiver->sent, "SACK %u", cum);
    for (int i = 0; i < sack->gap_count; i++) {
        g_string_append_printf(receiver->sent, "%s%u", i ? " " : " [", cum + gaps[i].start);
        if (gaps[i].end != gaps[i].start)
            g_string_append_printf(receiver->sent, "-%u", cum + gaps[i].end);
    }
    if (sack->gap_count > 0)
        g_string_append_c(receiver->sent, ']');
    if (sack->duplicate_count > 0)
        g_string_append(receiver->sent, " dup");
    for (int i = 0; i < sack->duplicate_count; i++)
        g_string_append_printf(receiver->sent, " %u", counted(receiver, duplicates[i]));
    if (chunk->flags)
        g_string_append_printf(receiver->sent, " flags 0x%02x", chunk->flags);
    if (receiver->shows_windows)
        g_string_append_printf(receiver->sent, " a_rwnd %u", sack->a_rwnd);
    int expected = SCTP_SACK_HEADER + 4 * (sack->gap_count + sack->duplicate_count);
    SUITE_SAME_INTEGER(chunk->length, expected);
}

static void show(struct sctp_receiver *receiver, const char *where, struct sctp_chunk *chunk)
{
    separate(receiver->sent);
    g_string_append_printf(receiver->sent, "%s:", where);
    if (chunk->type == SCTP_SACK)
        show_sack(receiver, chunk);
    else
        g_string_append(receiver->sent, sctp_chunk_name(chunk->type));
    sctp_chunk_free(&receiver->stack.pools, chunk);
}

void sctp_control_queue(struct sctp_path *path, struct sctp_chunk *chunk)
{
    FIFO_APPEND(path->control_head, path->control_tail, chunk, next);
}

void sctp_output(struct cpu_context *context, struct sctp_association *association)
{
    (void)context;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        while (path->control_head) {
            struct sctp_chunk *chunk = path->control_head;
            path->control_head = chunk->next;
            show(receiver_of(association), i == 0 ? "0" : "1", chunk);
        }
    }
}

static void send_due(struct cpu_context *context, struct sctp_association *association)
{
    if (association->due & SCTP_DUE_OUTPUT)
        sctp_output(context, association);
    association->due = 0;
}

static void sack_delay_run(struct cpu_context *context, void *owner)
{
    sctp_sack_delay_expired(context, owner);
    send_due(context, owner);
}

static void reopened_run(struct cpu_context *context, void *owner)
{
    (void)context, (void)owner;
}

static const struct inet_timer_kind receiver_timers[SCTP_TIMERS] = {
    [SCTP_SACK_DELAY] = {.wait = {"delayed SACK", STAGE_FOR_ACK},
                         .stage = &sctp_stage,
                         .run = sack_delay_run},
    [SCTP_REOPENED] = {.wait = {"probe of the peer", STAGE_FOR_WINDOW},
                       .stage = &sctp_stage,
                       .run = reopened_run},
};

struct sctp_path *sctp_path_alternate(struct sctp_path *path)
{
    struct sctp_path *other = &path->association->paths[1 - path->number];
    return other->machine.state == SCTP_PATH_ACTIVE ? other : path;
}

struct sctp_chunk *sctp_cause_chunk(struct sctp_pools *pools, enum sctp_chunk_type type,
                                    enum sctp_cause cause, const void *info, uint32_t info_bytes)
{
    struct sctp_chunk *chunk = sctp_chunk_new(pools, (uint8_t)type, 0);
    chunk->bytes = sctp_bytes_new(pools, 4 + info_bytes);
    sctp_tlv_append(chunk->bytes, cause, info, info_bytes);
    return chunk;
}

void sctp_fail(struct sctp_association *association, enum sctp_cause cause, const void *info,
               uint32_t info_bytes, enum sctp_result error)
{
    struct sctp_receiver *receiver = receiver_of(association);
    (void)info, (void)info_bytes, (void)error;
    receiver->aborts++;
    receiver->cause = cause;
    association->machine.state = SCTP_CLOSED;
}

void sctp_shutdown_data_arrived(struct cpu_context *context, struct sctp_association *association)
{
    (void)context;
    receiver_of(association)->shutdowns++;
}

static void free_incoming(struct sctp_receiver *receiver, struct sctp_incoming *incoming)
{
    sctp_message_free(incoming->message);
    pool_give(&receiver->stack.incoming, incoming);
}

static void show_delivered(struct sctp_receiver *receiver, const struct sctp_incoming *incoming)
{
    char *ssn = incoming->unordered ? g_strdup("u") : g_strdup_printf("%d", incoming->ssn);
    if (receiver->delivered->len > 0)
        g_string_append_c(receiver->delivered, ' ');
    g_string_append_printf(receiver->delivered, "%s%d.%s:%d%s", incoming->begins ? "" : "+",
                           incoming->stream, ssn, (int)incoming->bytes, incoming->ends ? "" : "+");
    g_free(ssn);
}

void sctp_deliver(struct cpu_context *context, struct sctp_association *association,
                  struct sctp_incoming *incoming)
{
    struct sctp_receiver *receiver = receiver_of(association);
    (void)context;
    if (!receiver->reader)
        show_delivered(receiver, incoming);
    g_queue_push_tail(&receiver->unread, incoming);
}

// ---- Its life ----

static struct host *host_of(struct sim *sim)
{
    struct host_config config = {
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
    };
    return host_new(sim, 0, "node0", &config);
}

static void read_config(struct sctp_receiver *receiver, const char *section)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = node_parse(section, strlen(section), "t.yaml", NULL, diags);
    receiver->values = param_read(&sctp_table, map, "sctp", diags);
    char *complaints = fake_complaints(diags);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    node_free(map);
    diag_list_free(diags);
}

static void make_stack(struct sctp_receiver *receiver)
{
    struct sctp_host *stack = &receiver->stack;
    const struct sctp_config *config = receiver->values->values;
    receiver->sim = sim_new(1, NULL);
    receiver->host = host_of(receiver->sim);
    receiver->inet = (struct inet_host){
        .sim = receiver->sim,
        .host = receiver->host,
        .config = &config->inet,
    };
    inet_timers_init(&receiver->inet);
    stack->sim = receiver->sim;
    stack->host = receiver->host;
    stack->inet = &receiver->inet;
    stack->config = config;
    stack->timers = receiver_timers;
    sctp_pools_init(&stack->pools);
    pool_init(&stack->incoming, sizeof(struct sctp_incoming));
    stack->count.sacks_sent = sim_counter(receiver->sim, "sctp sacks");
    stack->count.duplicates = sim_counter(receiver->sim, "sctp duplicates");
    stack->count.dropped_for_window = sim_counter(receiver->sim, "sctp dropped");
}

struct sctp_receiver *sctp_receiver_new(const char *section)
{
    struct sctp_receiver *receiver = g_new0(struct sctp_receiver, 1);
    read_config(receiver, section);
    make_stack(receiver);
    struct sctp_association *association = g_new0(struct sctp_association, 1);
    receiver->association = association;
    association->host = &receiver->stack;
    association->machine.state = SCTP_ESTABLISHED;
    association->settings = receiver->stack.config->settings;
    association->paths = g_new0(struct sctp_path, SCTP_MOST_PATHS);
    association->path_count = 2;
    association->primary = association->paths;
    for (int i = 0; i < 2; i++)
        association->paths[i] = (struct sctp_path){
            .association = association,
            .number = i,
            .remote = 10 + i,
            .mtu = receiver->stack.config->inet.mtu,
            .machine = {SCTP_PATH_ACTIVE},
        };
    receiver->first_tsn = NEAR_WRAP;
    receiver->sent = g_string_new(NULL);
    receiver->delivered = g_string_new(NULL);
    g_queue_init(&receiver->unread);
    sctp_in_init(association, receiver->first_tsn, 4);
    return receiver;
}

void sctp_receiver_free(struct sctp_receiver *receiver)
{
    struct sctp_incoming *incoming;
    while ((incoming = g_queue_pop_head(&receiver->unread)))
        free_incoming(receiver, incoming);
    sctp_in_clear(receiver->association);
    // Nothing is left of what was held.
    SUITE_SAME_INTEGER((long long)receiver->stack.incoming.in_use, 0);
    SUITE_SAME_INTEGER((long long)receiver->stack.pools.chunks.in_use, 0);
    g_free(receiver->association->paths);
    g_free(receiver->association);
    sctp_pools_clear(&receiver->stack.pools);
    pool_clear(&receiver->stack.incoming);
    inet_timers_clear(&receiver->inet);
    host_free(receiver->host);
    sim_free(receiver->sim);
    param_values_free(receiver->values);
    g_string_free(receiver->sent, TRUE);
    g_string_free(receiver->delivered, TRUE);
    g_free(receiver);
}

struct cpu_context sctp_receiver_context(const struct sctp_receiver *receiver)
{
    return (struct cpu_context){.cpu = receiver->host->cores[0], .now = receiver->now};
}

// ---- What happens to it ----

void sctp_receiver_data(struct sctp_receiver *receiver, int path, uint8_t flags,
                        const struct sctp_data *data)
{
    struct cpu_context context = sctp_receiver_context(receiver);
    struct sctp_chunk chunk = {.type = SCTP_DATA, .flags = flags, .data = *data};
    if (receiver->association->machine.state == SCTP_CLOSED)
        return;
    chunk.length = (uint16_t)(SCTP_DATA_HEADER + data->bytes);
    chunk.data.tsn = receiver->first_tsn + data->tsn - 1;
    sctp_data_arrived(&context, receiver->association, &receiver->association->paths[path], &chunk);
}

void sctp_receiver_done(struct sctp_receiver *receiver)
{
    struct cpu_context context = sctp_receiver_context(receiver);
    sctp_in_packet_done(&context, receiver->association);
    sctp_output(&context, receiver->association);
}

static uint8_t flags_of(const char *letters)
{
    static const char names[] = "EBUI";
    uint8_t flags = 0;
    bool fragment = strpbrk(letters, "BME");
    for (int i = 0; names[i]; i++)
        if (strchr(letters, names[i]))
            flags |= (uint8_t)(1 << i);
    return fragment ? flags : flags | SCTP_DATA_BEGIN | SCTP_DATA_END;
}

static void word(struct sctp_receiver *receiver, int path, const char *text)
{
    char *end;
    struct sctp_data data = {.tsn = (uint32_t)strtoul(text, &end, 10), .bytes = 100};
    data.ssn = (uint16_t)(data.tsn - 1);
    if (*end == 's') {
        data.stream = (uint16_t)strtoul(end + 1, &end, 10);
        data.ssn = (uint16_t)strtoul(end + 1, &end, 10);
    }
    if (*end == ':')
        data.bytes = (uint32_t)strtoul(end + 1, &end, 10);
    sctp_receiver_data(receiver, path, flags_of(end), &data);
}

void sctp_receiver_packet(struct sctp_receiver *receiver, int path, const char *chunks)
{
    char **words = g_strsplit(chunks, " ", -1);
    for (int i = 0; words[i]; i++)
        word(receiver, path, words[i]);
    g_strfreev(words);
    sctp_receiver_done(receiver);
}

void sctp_receiver_forward(struct sctp_receiver *receiver, uint32_t tsn, const uint16_t *streams,
                           int count)
{
    struct cpu_context context = sctp_receiver_context(receiver);
    struct sctp_pools *pools = &receiver->stack.pools;
    struct sctp_chunk *chunk = sctp_chunk_new(pools, SCTP_FORWARD_TSN, 0);
    chunk->forward.cum_tsn = receiver->first_tsn + tsn - 1;
    chunk->forward.streams = sctp_bytes_new(pools, 4 * (uint32_t)count);
    chunk->forward.streams->length = 4 * (uint32_t)count;
    for (int i = 0; i < 2 * count; i++) {
        chunk->forward.streams->data[2 * i] = (uint8_t)(streams[i] >> 8);
        chunk->forward.streams->data[2 * i + 1] = (uint8_t)streams[i];
    }
    sctp_forward_tsn_arrived(&context, receiver->association, chunk);
    sctp_chunk_free(pools, chunk);
    sctp_receiver_done(receiver);
}

void sctp_receiver_wait(struct sctp_receiver *receiver, sim_time time)
{
    receiver->now += time;
    engine_run(receiver->sim->engine, receiver->now);
}

void sctp_receiver_read(struct sctp_receiver *receiver)
{
    struct cpu_context context = sctp_receiver_context(receiver);
    struct sctp_incoming *incoming = g_queue_pop_head(&receiver->unread);
    if (!incoming)
        return;
    int64_t bytes = incoming->bytes, charge = incoming->charge;
    if (receiver->reader)
        receiver->reader(receiver, incoming, receiver->reader_data);
    free_incoming(receiver, incoming);
    sctp_in_read(&context, receiver->association, bytes, charge);
    send_due(&context, receiver->association);
}

void sctp_receiver_sends(struct sctp_receiver *receiver)
{
    struct cpu_context context = sctp_receiver_context(receiver);
    struct sctp_chunk *chunk = sctp_sack_take(&context, receiver->association, false);
    if (chunk)
        show(receiver, "front", chunk);
}

static const char *taken(GString *from)
{
    static char text[4096];
    g_strlcpy(text, from->str, sizeof text);
    g_string_truncate(from, 0);
    return text;
}

const char *sctp_receiver_sent(struct sctp_receiver *receiver)
{
    return taken(receiver->sent);
}

const char *sctp_receiver_delivered(struct sctp_receiver *receiver)
{
    return taken(receiver->delivered);
}

void sctp_receiver_play(const char *section, const struct sctp_step *steps)
{
    struct sctp_receiver *receiver = sctp_receiver_new(section);
    for (; steps->what; steps++) {
        if (steps->what[0] == '+')
            sctp_receiver_wait(receiver, (sim_time)strtol(steps->what + 1, NULL, 10) * TIME_MS);
        else if (steps->what[0] == '>')
            sctp_receiver_sends(receiver);
        else
            sctp_receiver_packet(receiver, 0, steps->what);
        SUITE_SAME_TEXT(sctp_receiver_sent(receiver), steps->sent);
    }
    SUITE_SAME_INTEGER(receiver->aborts, 0);
    sctp_receiver_free(receiver);
}

#endif
