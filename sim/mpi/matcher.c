// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/matcher.h"
#include "sim/core/fifo.h"

#include <string.h>

bool mpi_queue_remove(struct mpi_queue *queue, struct mpi_request *request)
{
    struct mpi_request *before = NULL;
    for (struct mpi_request *at = queue->head; at; before = at, at = at->next) {
        if (at != request)
            continue;
        if (before)
            before->next = at->next;
        else
            queue->head = at->next;
        if (queue->tail == at)
            queue->tail = before;
        return true;
    }
    return false;
}

void mpi_matcher_init(struct mpi_matcher *matcher)
{
    memset(matcher, 0, sizeof *matcher);
    pool_init(&matcher->unexpected_pool, sizeof(struct mpi_unexpected));
}

void mpi_matcher_clear(struct mpi_matcher *matcher)
{
    pool_clear(&matcher->unexpected_pool);
}

void mpi_matcher_post(struct mpi_matcher *matcher, struct mpi_request *request)
{
    mpi_queue_append(&matcher->posted, request);
    matcher->posted_count++;
}

bool mpi_envelope_matches(const struct mpi_envelope *envelope, const struct mpi_request *request)
{
    return envelope->context == request->context &&
           (request->peer == RANK_ANY || request->peer == envelope->source) &&
           (request->tag == TAG_ANY || request->tag == envelope->tag);
}

struct mpi_request *mpi_matcher_find_posted(struct mpi_matcher *matcher,
                                            const struct mpi_envelope *envelope, int *scanned)
{
    struct mpi_request *before = NULL;
    *scanned = 0;
    for (struct mpi_request *at = matcher->posted.head; at; before = at, at = at->next) {
        ++*scanned;
        if (!mpi_envelope_matches(envelope, at))
            continue;
        if (before)
            before->next = at->next;
        else
            matcher->posted.head = at->next;
        if (matcher->posted.tail == at)
            matcher->posted.tail = before;
        matcher->posted_count--;
        return at;
    }
    return NULL;
}

struct mpi_unexpected *mpi_matcher_find_unexpected(struct mpi_matcher *matcher,
                                                   const struct mpi_request *request, int *scanned)
{
    *scanned = 0;
    for (struct mpi_unexpected *at = matcher->unexpected_head; at; at = at->next) {
        ++*scanned;
        if (mpi_envelope_matches(&at->envelope, request))
            return at;
    }
    return NULL;
}

struct mpi_unexpected *mpi_matcher_buffer(struct mpi_matcher *matcher,
                                          const struct mpi_envelope *envelope)
{
    struct mpi_unexpected *message = pool_take(&matcher->unexpected_pool);
    *message = (struct mpi_unexpected){.envelope = *envelope};
    FIFO_APPEND(matcher->unexpected_head, matcher->unexpected_tail, message, next);
    matcher->unexpected_count++;
    return message;
}

void mpi_matcher_remove_unexpected(struct mpi_matcher *matcher, struct mpi_unexpected *message)
{
    struct mpi_unexpected *before = NULL;
    for (struct mpi_unexpected *at = matcher->unexpected_head; at != message; at = at->next)
        before = at;
    if (before)
        before->next = message->next;
    else
        matcher->unexpected_head = message->next;
    if (matcher->unexpected_tail == message)
        matcher->unexpected_tail = before;
    matcher->unexpected_count--;
    pool_give(&matcher->unexpected_pool, message);
}
