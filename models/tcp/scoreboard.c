// SPDX-License-Identifier: GPL-3.0-or-later
// The sender's knowledge of the segments in the network: acknowledged selectively, lost,
// retransmitted (RFC 2018, 5.1; RFC 3517, 4). Segments that were never sent are skipped.
#include "models/tcp/stack.h"

#define LOST_DUPLICATES 3 // RFC 3517: DupThresh

bool tcp_scoreboard_mark(const struct cpu_context *context, struct tcp_socket *socket,
                         const struct tcp_segment *segment)
{
    bool news = false;
    for (int i = 0; i < segment->sack_count && socket->sack; i++) {
        int64_t from = segment->acknowledgment + segment->sack[i].from;
        int64_t to = segment->acknowledgment + segment->sack[i].to;
        if (to > socket->snd.nxt)
            continue;
        for (struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next) {
            if (at->sequence >= to)
                break;
            if (at->sacked || at->sequence < from || tcp_buffer_end(at) > to)
                continue;
            at->sacked = news = true;
            if (!socket->extra)
                continue;
            socket->extra->rack.sacked++;
            tcp_rack_delivered(context, socket, at);
        }
        socket->recovery.high_sack = MAX(socket->recovery.high_sack, to);
    }
    return news;
}

// A recovery has ended: segments still under way count as such.
void tcp_scoreboard_clear(struct tcp_socket *socket)
{
    for (struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next)
        at->lost = at->retransmitted = false;
}

// RFC 3517, 4: IsLost. A segment is lost if enough blocks, or enough bytes, above it have arrived.
void tcp_scoreboard_find_lost(struct tcp_socket *socket)
{
    int64_t bytes = 0;
    int segments = 0;
    struct tcp_buffer *last = socket->snd.unsent ? socket->snd.unsent->previous : socket->snd.last;
    for (struct tcp_buffer *at = last; at; at = at->previous) {
        if (at->sacked) {
            bytes += at->length;
            // Of adjacent blocks the segments count: each stands for an acknowledgment.
            segments++;
        } else if (segments >= LOST_DUPLICATES || bytes > (LOST_DUPLICATES - 1) * socket->snd.mss) {
            at->lost = true;
        }
    }
}

// RFC 3517, 4: SetPipe.
int64_t tcp_scoreboard_pipe(const struct tcp_socket *socket)
{
    int64_t pipe = 0;
    for (const struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next)
        if (!at->sacked)
            pipe += (!at->lost + at->retransmitted) * tcp_amount(socket, 1, at->length + at->fin);
    return pipe;
}

int64_t tcp_scoreboard_sacked(const struct tcp_socket *socket)
{
    int64_t count = 0;
    for (const struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next)
        count += at->sacked * tcp_amount(socket, 1, at->length);
    return count;
}

// A segment that was retransmitted in this recovery is not again: HighRxt, kept segment by segment.
struct tcp_buffer *tcp_scoreboard_next(const struct tcp_socket *socket, bool last_resort)
{
    for (struct tcp_buffer *at = socket->snd.first; at != socket->snd.unsent; at = at->next) {
        if (at->sacked || at->retransmitted)
            continue;
        if (at->lost || (last_resort && at->sequence < socket->recovery.high_sack))
            return at;
    }
    return NULL;
}
