// SPDX-License-Identifier: GPL-3.0-or-later
// ACKs and NACKs (thesis 003, 4.2.3). They go over the same link as messages. An answer that finds
// the link busy, or others waiting, is queued, and goes as soon as the link is free, before any
// message.
//
// Without the queue the card takes no message, and frees no receive buffer, before its answer has
// left: which closes a circle between two cards whose buffers are full and whose links are held by
// messages to each other (Fig. 4.5a). So it is with an answer that finds the queue full.
#include "models/grim/ni/ni_internal.h"

static const struct stage send_control_stage = {"send control", STAGE_NIC};

static void send_answer(struct cpu_context *context, struct grim_ni *ni,
                        const struct grim_answer *answer)
{
    ni_spend(context, ni, ni->fabric->config.control, &send_control_stage, MESSAGE_NONE);
    ni_start_send(context, ni, ni_packet(ni, answer->to, &answer->header, GRIM_CONTROL_BYTES), true,
                  answer->to->name);
    ni_trace(ni, context->now, ni->name, "control", answer->header.sequence,
             grim_type_name(answer->header.type), "sent", NULL);
}

static void close_card(struct cpu_context *context, struct grim_ni *ni)
{
    if (ni->closed)
        return;
    ni->closed = true;
    ni_trace(ni, context->now, ni->name, "control", 0, "open", "closed", NULL);
}

static void open_card(struct cpu_context *context, struct grim_ni *ni)
{
    ni->closed = false;
    ni_trace(ni, context->now, ni->name, "control", 0, "closed", "open", NULL);
    for (int i = 0; i < ni->withheld_count; i++)
        lanai_post_buffer(ni->card, ni->withheld[i], context->now);
    ni->withheld_count = 0;
    if (ni->arrived)
        lanai_ready(ni->card, GRIM_RECEIVED);
}

static void queue_answer(struct cpu_context *context, struct grim_ni *ni,
                         const struct grim_answer *answer)
{
    int64_t entries = ni->fabric->config.control_entries;
    ni->answers[(ni->answers_first + ni->answers_count++) % entries] = *answer;
    (*ni->fabric->queued_answers)++;
    ni_trace(ni, context->now, ni->name, "control", answer->header.sequence,
             grim_type_name(answer->header.type), "queued", NULL);
}

void ni_answer(struct cpu_context *context, struct grim_ni *ni, enum grim_type type,
               const struct grim_message *message, struct grim_ni *to)
{
    const struct grim_ni_config *config = &ni->fabric->config;
    struct grim_answer answer = {
        .header = {.id = GRIM_ID,
                   .token = message->token,
                   .sequence = message->sequence,
                   .type = type,
                   .source = message->source},
        .to = to,
    };
    g_assert(!ni->has_late);
    if (!ni->sending && ni->answers_count == 0) {
        send_answer(context, ni, &answer);
        if (!config->control_queue)
            close_card(context, ni);
    } else if (config->control_queue && ni->answers_count < config->control_entries) {
        queue_answer(context, ni, &answer);
    } else {
        ni->late = answer;
        ni->has_late = true;
        close_card(context, ni);
    }
}

bool ni_control_next(struct cpu_context *context, struct grim_ni *ni)
{
    if (ni->sending)
        return true;
    if (ni->answers_count > 0) {
        struct grim_answer answer = ni->answers[ni->answers_first];
        ni->answers_first = (ni->answers_first + 1) % ni->fabric->config.control_entries;
        ni->answers_count--;
        send_answer(context, ni, &answer);
        if (ni->has_late) {
            ni->has_late = false;
            queue_answer(context, ni, &ni->late);
            open_card(context, ni);
        }
        return true;
    }
    if (!ni->has_late)
        return false;
    ni->has_late = false;
    send_answer(context, ni, &ni->late);
    return true;
}

void ni_control_left(struct cpu_context *context, struct grim_ni *ni)
{
    if (ni->closed && !ni->has_late)
        open_card(context, ni);
}
