// SPDX-License-Identifier: GPL-3.0-or-later
// Received segments: those in order wait for the reader, those after a gap for what is missing;
// and the blocks that selective acknowledgments report (RFC 2018, 4).
#include "models/tcp/stack.h"
#include "sim/core/fifo.h"

// ---- Blocks, the one that changed last first ----

static void blocks_remove(struct tcp_gaps *gaps, int at)
{
    gaps->block_count--;
    for (int i = at; i < gaps->block_count; i++)
        gaps->blocks[i] = gaps->blocks[i + 1];
}

static void blocks_add(struct tcp_gaps *gaps, struct tcp_block block)
{
    for (int i = 0; i < gaps->block_count;) {
        struct tcp_block *other = &gaps->blocks[i];
        if (other->to < block.from || other->from > block.to) {
            i++;
            continue;
        }
        block.from = MIN(block.from, other->from);
        block.to = MAX(block.to, other->to);
        blocks_remove(gaps, i);
        i = 0;
    }
    gaps->block_count = MIN(gaps->block_count + 1, TCP_SACK_BLOCKS);
    for (int i = gaps->block_count - 1; i > 0; i--)
        gaps->blocks[i] = gaps->blocks[i - 1];
    gaps->blocks[0] = block;
}

static void blocks_advance(struct tcp_gaps *gaps, int64_t next)
{
    for (int i = 0; i < gaps->block_count;)
        if (gaps->blocks[i].to <= next)
            blocks_remove(gaps, i);
        else
            i++;
}

// ---- Queues ----

static int64_t arrival_end(const struct tcp_arrival *arrival)
{
    return arrival->sequence + arrival->length;
}

static struct tcp_arrival *arrival_new(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    struct tcp_arrival *arrival = pool_take(&socket->host->arrivals);
    *arrival = (struct tcp_arrival){
        .sequence = segment->sequence,
        .length = segment->payload,
        .truesize = segment->payload,
    };
    if (socket->config->buffer_charge == TCP_CHARGE_TRUESIZE)
        arrival->truesize = inet_truesize(socket->interface, tcp_segment_ip_bytes(segment));
    socket->rcv.buffer.used += arrival->truesize;
    return arrival;
}

static void arrival_free(struct tcp_socket *socket, struct tcp_arrival *arrival)
{
    socket->rcv.buffer.used -= arrival->truesize;
    pool_give(&socket->host->arrivals, arrival);
}

// Appends a segment whose end is new to those in order, without the part that has arrived before.
static void append(struct tcp_socket *socket, struct tcp_arrival *arrival)
{
    int64_t known = socket->rcv.nxt - arrival->sequence;
    arrival->sequence += known;
    arrival->length -= known;
    FIFO_APPEND(socket->rcv.ready_head, socket->rcv.ready_tail, arrival, next);
    socket->rcv.nxt = arrival_end(arrival);
}

static bool close_gaps(struct tcp_socket *socket)
{
    struct tcp_gaps *gaps = socket->rcv.gaps;
    bool closed = false;
    if (!gaps)
        return false;
    while (gaps->head && gaps->head->sequence <= socket->rcv.nxt) {
        struct tcp_arrival *arrival = gaps->head;
        gaps->head = arrival->next;
        closed = true;
        if (arrival_end(arrival) > socket->rcv.nxt)
            append(socket, arrival);
        else
            arrival_free(socket, arrival);
    }
    blocks_advance(gaps, socket->rcv.nxt);
    if (!gaps->head) {
        pool_give(&socket->host->gaps, gaps);
        socket->rcv.gaps = NULL;
    }
    return closed;
}

// Puts a segment among those after a gap. Returns false if it brings nothing new.
static bool insert(struct tcp_socket *socket, struct tcp_arrival *arrival)
{
    struct tcp_arrival **at = &socket->rcv.gaps->head;
    while (*at && (*at)->sequence <= arrival->sequence) {
        if (arrival_end(*at) >= arrival_end(arrival))
            return false;
        at = &(*at)->next;
    }
    // Those that it covers go.
    while (*at && arrival_end(*at) <= arrival_end(arrival)) {
        struct tcp_arrival *covered = *at;
        *at = covered->next;
        arrival_free(socket, covered);
    }
    arrival->next = *at;
    *at = arrival;
    return true;
}

// ---- A segment with data or FIN ----

static void in_order(struct cpu_context *context, struct tcp_socket *socket,
                     const struct tcp_segment *segment)
{
    struct tcp_arrival *arrival = arrival_new(socket, segment);
    int64_t truesize = arrival->truesize;
    append(socket, arrival);
    bool closed = close_gaps(socket);
    socket->host->receiver->data(context, socket, segment, truesize);
    if (closed && !socket->rcv.gaps)
        socket->ack.pingpong = false;
    if (closed)
        socket->ack.quick = MAX(socket->ack.quick, 1); // RFC 2581, 4.2: a gap is filled
}

static void after_gap(struct tcp_socket *socket, const struct tcp_segment *segment)
{
    struct tcp_arrival *arrival = arrival_new(socket, segment);
    tcp_ack_quickly(socket); // also when the gap is filled, for a while
    socket->ack.scheduled = true;
    if (!socket->rcv.gaps) {
        socket->rcv.gaps = pool_take(&socket->host->gaps);
        *socket->rcv.gaps = (struct tcp_gaps){0};
    }
    if (!insert(socket, arrival)) {
        (*socket->host->duplicates_received)++;
        arrival_free(socket, arrival);
        return;
    }
    if (socket->sack)
        blocks_add(socket->rcv.gaps,
                   (struct tcp_block){segment->sequence, segment->sequence + segment->payload});
}

void tcp_reassemble(struct cpu_context *context, struct tcp_socket *socket,
                    const struct packet *packet, const struct tcp_segment *segment)
{
    int64_t end = segment->sequence + segment->payload;
    if ((segment->flags & TCP_FIN) && !socket->rcv.fin_received)
        socket->rcv.fin_at = end;
    if (segment->payload > 0) {
        if (!tcp_merged(socket))
            cpu_spend_for(context, socket->config->receive_data, &tcp_stage, packet->message);
        if (end <= socket->rcv.nxt) {
            (*socket->host->duplicates_received)++;
            tcp_ack_quickly(socket);
            socket->ack.scheduled = true;
        } else if (segment->sequence <= socket->rcv.nxt) {
            in_order(context, socket, segment);
        } else {
            after_gap(socket, segment);
        }
    } else if (segment->flags & TCP_FIN) {
        if (socket->rcv.fin_received)
            tcp_ack_quickly(socket);
        socket->ack.scheduled = true;
    }
    if (socket->rcv.fin_at > 0 && socket->rcv.fin_at == socket->rcv.nxt &&
        !socket->rcv.fin_received)
        tcp_fin_arrived(context, socket);
}
