// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/armci/client.h"

#include "models/armci/operations.h"
#include "models/armci/server.h"

#include <stdarg.h>

const struct stage armci_stage = {"ARMCI", STAGE_LIBRARY};

#define SEND_TOKEN                                                                                 \
    {                                                                                              \
        "ARMCI's send token, which MPI_Iprobe brings back", WAIT_CREDIT                            \
    }

// A put goes from BUFFER to ACKS, a get from PackREQ to COPYC; registration is of the direct
// variants. The thesis calls the waits of both for their peer XMIT.
static const struct machine_state request_states[] = {
    MPICH_STATE_ROWS(MACHINE_TO(ARMCI_QUEUED, ARMCI_BUFFER, ARMCI_PACKREQ, ARMCI_SHARED)),
    [ARMCI_QUEUED] = {"queued",
                      {"an operation that was issued before", WAIT_OTHER},
                      HOLDER_UNKNOWN,
                      MACHINE_TO(ARMCI_START)},
    [ARMCI_BUFFER] = {"BUFFER",
                      {"the acknowledgement of an earlier send from the next buffer", WAIT_ACK},
                      HOLDER_UNKNOWN,
                      MACHINE_TO(ARMCI_COPYS)},
    [ARMCI_COPYS] = {"COPYS", SEND_TOKEN, HOLDER_UNKNOWN, MACHINE_TO(ARMCI_XMIT)},
    [ARMCI_XMIT] = {"XMIT",
                    {"the acknowledgement of its send", WAIT_OTHER},
                    HOLDER_UNKNOWN,
                    MACHINE_TO(ARMCI_BUFFER, ARMCI_ACKS, ARMCI_DONE)},
    [ARMCI_ACKS] = {"ACKS",
                    {"the acknowledgements of its last sends", WAIT_OTHER},
                    HOLDER_UNKNOWN,
                    MACHINE_TO(ARMCI_BUFFER, ARMCI_DONE)},
    [ARMCI_PACKREQ] = {"PackREQ", SEND_TOKEN, HOLDER_UNKNOWN,
                       MACHINE_TO(ARMCI_REQUEST, ARMCI_REGISTERING)},
    [ARMCI_REQUEST] = {"XMIT",
                       {"the data server's answer", WAIT_OTHER},
                       HOLDER_UNKNOWN,
                       MACHINE_TO(ARMCI_PACKREQ, ARMCI_REGISTERING, ARMCI_DIRECT, ARMCI_COPYC,
                                  ARMCI_DONE)},
    [ARMCI_REGISTERING] = {"register",
                           {"registration of memory", WAIT_OTHER},
                           HOLDER_UNKNOWN,
                           MACHINE_TO(ARMCI_PACKREQ, ARMCI_REQUEST, ARMCI_DIRECT)},
    [ARMCI_DIRECT] = {"direct", SEND_TOKEN, HOLDER_UNKNOWN, MACHINE_TO(ARMCI_ACKS, ARMCI_DONE)},
    [ARMCI_COPYC] = {"COPYC",
                     {"the next data", WAIT_OTHER},
                     HOLDER_UNKNOWN,
                     MACHINE_TO(ARMCI_COPYC, ARMCI_PACKREQ, ARMCI_DONE)},
    [ARMCI_SHARED] = {"shared", {"nothing", WAIT_OTHER}, HOLDER_UNKNOWN, MACHINE_TO(ARMCI_DONE)},
};

const struct machine_kind armci_request_machine = {
    .name = "request",
    .logged = "send, recv, probe, put, get, accumulate, fetch_add, lock, unlock, fence",
    .title = "Request of ARMCI and of MPICH beside it",
    .source = "thesis 001, figures 3.2, 3.3, 4.1, 4.2",
    .states = request_states,
    .count = G_N_ELEMENTS(request_states),
};

void armci_enter(struct cpu_context *context, struct mpi_request *request, enum armci_state state,
                 const char *detail, ...)
{
    char text[128] = "";
    if (detail && request->process->sim->trace) {
        va_list arguments;
        va_start(arguments, detail);
        g_vsnprintf(text, sizeof text, detail, arguments);
        va_end(arguments);
    }
    mpi_enter(context, request, state, detail ? text : NULL);
}

const struct data_layout *armci_layout_of(struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    const struct operation_arguments *arguments = request->arguments;
    if (arguments && arguments->layout)
        return arguments->layout;
    r->contiguous = (struct data_layout){.kind = DATA_CONTIGUOUS, .bytes = request->size};
    return &r->contiguous;
}

struct armci_server *armci_server_of(const struct armci_client *client, int rank)
{
    return client->job->servers[client->job->processes[rank]->host->index];
}

bool armci_same_node(const struct armci_client *client, int rank)
{
    return client->job->processes[rank]->host == client->process->host;
}

// ---- What arrives in memory ----

void armci_client_written(struct armci_client *client, const struct armci_flag *flag)
{
    struct engine *engine = client->process->sim->engine;
    switch (flag->kind) {
    case ARMCI_FLAG_DATA:
        client->arrived[flag->slot] = *flag;
        break;
    case ARMCI_FLAG_SILENT:
        client->landed[flag->slot] = flag->piece.bytes;
        return; // not polled
    case ARMCI_FLAG_ANSWER:
        client->answer = *flag;
        break;
    case ARMCI_FLAG_DIRECT: // an answer follows the last
    case ARMCI_FLAG_NONE:
    case ARMCI_FLAG_READY:
    case ARMCI_FLAG_REGISTERED:
    case ARMCI_FLAG_REFUSED:
        break;
    }
    if (client->asleep && !event_pending(&client->tick))
        engine_schedule(engine, &client->tick,
                        time_next_tick(client->asleep_since, client->turn, engine_now(engine)));
}
