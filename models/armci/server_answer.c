// SPDX-License-Identifier: GPL-3.0-or-later
// The data server's answers to clients: written into their memory by GM, or within the node.
#include "models/armci/server.h"

static void answer_event(struct engine *engine, struct event *event)
{
    struct armci_answer *answer = container_of(event, struct armci_answer, event);
    (void)engine;
    armci_client_written(answer->client, &answer->flag);
    pool_give(&answer->server->answers, answer);
}

void armci_server_sent(struct cpu_context *context, struct gm_port *port, void *callback_context,
                       enum gm_status status)
{
    const struct armci_server *server = callback_context;
    (void)context;
    (void)port;
    if (status != GM_SUCCESS)
        sim_fail(server->job->sim, SIM_FAILED, "send_failed", NULL, "%s: GM gave up a response",
                 server->name);
}

bool armci_server_answer(struct cpu_context *context, struct armci_server *server, int client,
                         const struct armci_flag *flag)
{
    struct armci_client *to = armci_client_at(server->job, client);
    bool here = to->process->host == server->host;
    if (here) {
        struct armci_answer *answer = pool_take(&server->answers);
        *answer = (struct armci_answer){.server = server, .client = to, .flag = *flag};
        event_init(&answer->event, answer_event);
        cpu_post(context, &answer->event);
        return true;
    }
    if (gm_send_tokens(server->responses) == 0)
        return false;
    struct gm_message send = {
        .address = server->answer_address,
        .length = server->config->flag,
        .header = server->config->flag,
        .target_host = to->process->host->index,
        .target_port = gm_port_number(to->port),
        .content = armci_flag_new(server->job, flag),
        .callback = armci_server_sent,
        .callback_context = server,
    };
    ++*server->sends;
    gm_directed_send_with_callback(context, server->responses, &send, to->landing);
    return true;
}

void armci_server_reply(struct cpu_context *context, struct armci_server *server, int client,
                        uint32_t number, int64_t value)
{
    server->answer = (struct armci_flag){
        .kind = ARMCI_FLAG_ANSWER, .client = client, .number = number, .value = value};
    server->answer_client = client;
    if (armci_server_answer(context, server, client, &server->answer))
        armci_server_done(context, server);
    else
        armci_server_enter(context, server, ARMCI_SERVER_ANSWER);
}
