// SPDX-License-Identifier: GPL-3.0-or-later
// Fences, the atomic read-modify-write of a word, and mutexes (thesis 001, 2.3), at the client.
//
// A data server does requests in the order in which they arrive, and those of one client arrive in
// the order in which they were sent. So a fence is a request that is answered when all before it
// have been done; one for all nodes asks them one after the other.
#include "models/armci/client.h"
#include "models/armci/operations.h"
#include "models/armci/server.h"

void armci_unfenced_set(struct armci_client *client, int host, bool unfenced)
{
    *(bool *)sparse_at(&client->unfenced, host) = unfenced;
}

static bool is_unfenced(const struct armci_client *client, int host)
{
    const bool *unfenced = sparse_peek(&client->unfenced, host);
    return unfenced && *unfenced;
}

// The next node that the fence has to ask; job->hosts: none is left.
static int next_host(const struct armci_client *client, const struct mpi_request *request, int host)
{
    int hosts = client->job->hosts;
    if (request->peer != RANK_ANY) {
        int wanted = armci_server_of(client, request->peer)->host->index;
        return host <= wanted && is_unfenced(client, wanted) ? wanted : hosts;
    }
    while (host < hosts && !is_unfenced(client, host))
        host++;
    return host;
}

static enum armci_step fence(struct cpu_context *context, struct armci_client *client,
                             struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    r->host = next_host(client, request, r->host);
    if (r->host == client->job->hosts)
        return ARMCI_ENDS;
    armci_enter(context, request, ARMCI_PACKREQ, "%s", client->job->servers[r->host]->name);
    return ARMCI_GOES_ON;
}

static enum armci_step begin(struct cpu_context *context, struct armci_client *client,
                             struct mpi_request *request)
{
    if (armci_kind_of(request) == ARMCI_FENCE)
        return fence(context, client, request);
    if (armci_kind_of(request) == ARMCI_FETCH_ADD && armci_same_node(client, request->peer)) {
        cpu_spend(context, client->config->atomic, &armci_stage);
        armci_enter(context, request, ARMCI_SHARED, "fetched %" G_GINT64_FORMAT,
                    armci_server_add(armci_server_of(client, request->peer), request->peer));
        return ARMCI_ENDS;
    }
    armci_enter(context, request, ARMCI_PACKREQ, NULL);
    return ARMCI_GOES_ON;
}

static enum armci_step fence_ask(struct cpu_context *context, struct armci_client *client,
                                 struct mpi_request *request)
{
    enum armci_kind kind = armci_kind_of(request);
    bool here = kind != ARMCI_FENCE && armci_same_node(client, request->peer);
    if (!here && !armci_may_send(client))
        return ARMCI_WAITS;
    cpu_spend(context, client->config->request, &armci_stage);
    struct armci_message *message = armci_message_new(client, kind, request, 0);
    message->message = MESSAGE_NONE;
    if (kind == ARMCI_FENCE)
        message->target = client->job->servers[armci_request_of(request)->host]->first_rank;
    client->answer.kind = ARMCI_FLAG_NONE;
    armci_enter(context, request, ARMCI_REQUEST, "%s", armci_kind_name(kind));
    if (here)
        armci_server_hand(context, armci_server_of(client, request->peer), message);
    else
        armci_send(context, client, message, NULL);
    return kind == ARMCI_UNLOCK ? ARMCI_ENDS : ARMCI_GOES_ON; // nothing answers an unlock
}

static enum armci_step fence_answered(struct cpu_context *context, struct armci_client *client,
                                      struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    if (client->answer.kind == ARMCI_FLAG_NONE)
        return ARMCI_WAITS;
    if (armci_kind_of(request) != ARMCI_FENCE) {
        char text[48];
        g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, client->answer.value);
        mpi_trace(context, request, "XMIT", "answer", text);
        return ARMCI_ENDS;
    }
    armci_unfenced_set(client, r->host, false);
    return fence(context, client, request);
}

enum armci_step armci_synchronise_step(struct cpu_context *context, struct armci_client *client,
                                       struct mpi_request *request)
{
    switch ((enum armci_state)request->machine.state) {
    case ARMCI_START:
        return begin(context, client, request);
    case ARMCI_PACKREQ:
        return fence_ask(context, client, request);
    case ARMCI_REQUEST:
        return fence_answered(context, client, request);
    case ARMCI_QUEUED:
    case ARMCI_BUFFER:
    case ARMCI_COPYS:
    case ARMCI_XMIT:
    case ARMCI_ACKS:
    case ARMCI_REGISTERING:
    case ARMCI_DIRECT:
    case ARMCI_COPYC:
    case ARMCI_SHARED:
    case ARMCI_DONE:
        break;
    }
    g_assert_not_reached();
}
