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

static void trace_answer(const struct cpu_context *context, const struct grim_ni *ni,
                         const struct grim_answer *answer, const char *to)
{
    cpu_trace_event(context,
                    (struct machine_owner){.where = ni->name,
                                           .subject = answer->header.sequence,
                                           .machine = grim_control_machine.name},
                    grim_type_name(answer->header.type), to, NULL);
}

static void send_answer(struct cpu_context *context, struct grim_ni *ni,
                        const struct grim_answer *answer)
{
    ni_spend(context, ni, ni->fabric->config.control, &send_control_stage, MESSAGE_NONE);
    ni_start_send(context, ni, ni_packet(ni, answer->to, &answer->header, GRIM_CONTROL_BYTES), true,
                  answer->to->name);
    trace_answer(context, ni, answer, "sent");
}

static void close_card(struct cpu_context *context, struct grim_ni *ni)
{
    if (!ni_closed(ni))
        cpu_machine_enter(context, &grim_control_machine, &ni->intake, GRIM_CONTROL_CLOSED,
                          (struct machine_owner){.where = ni->name}, NULL);
}

static void open_card(struct cpu_context *context, struct grim_ni *ni)
{
    cpu_machine_enter(context, &grim_control_machine, &ni->intake, GRIM_CONTROL_OPEN,
                      (struct machine_owner){.where = ni->name}, NULL);
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
    trace_answer(context, ni, answer, "queued");
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
    if (ni_closed(ni) && !ni->has_late)
        open_card(context, ni);
}
