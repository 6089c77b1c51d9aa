// SPDX-License-Identifier: GPL-3.0-or-later
// ARMCI's operations as requests of a process: one after the other, each by the steps of its kind.
#include "models/armci/client.h"

#include "models/armci/operations.h"
#include "models/armci/server.h"
#include "sim/mpi/startup.h"

// ---- What arrives in memory ----

static void client_tick_event(struct engine *engine, struct event *event)
{
    struct armci_client *client = container_of(event, struct armci_client, tick);
    (void)engine;
    cpu_wake(&client->process->task);
}

// Data of a direct get are in their last place.
static void client_area_written(void *owner, const struct gm_write *write)
{
    struct armci_client *client = owner;
    const struct armci_flag *flag = write->content;
    if (!flag)
        return;
    if (flag->kind == ARMCI_FLAG_DIRECT)
        ledger_deliver(client->process->sim->ledger, write->message, write->offset,
                       write->length - write->header);
    armci_client_written(client, flag);
    armci_flag_seen(client->job, flag);
}

// ---- The device ----

static enum mpi_progress start_mpich(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    (void)peer;
    mpich_startup(context, mpich_of(process));
    return PROGRESS_NOTHING;
}

static const struct mpi_startup_step startup[] = {{.run = start_mpich}, {0}};

static void client_start(struct cpu_context *context, struct mpi_request *request)
{
    struct armci_client *client = request->process->device;
    struct armci_request *r = armci_request_of(request);
    if (request->kind != REQUEST_OPERATION) {
        mpich_start(context, &client->mpich, request);
        return;
    }
    *r = (struct armci_request){0};
    mpi_enter_untraced(request, ARMCI_QUEUED);
    enum armci_kind kind = armci_kind_of(request);
    r->step = kind == ARMCI_GET                               ? armci_get_step
              : kind == ARMCI_PUT || kind == ARMCI_ACCUMULATE ? armci_put_step
                                                              : armci_synchronise_step;
    mpi_queue_append(&client->queue, request);
}

// A step of the operation that is under way; false if there is none or it has to wait.
static bool step(struct cpu_context *context, struct armci_client *client)
{
    if (!client->current) {
        client->current = mpi_queue_pop(&client->queue);
        if (!client->current)
            return false;
        armci_enter(context, client->current, ARMCI_START, NULL);
        cpu_spend(context, client->config->call, &armci_stage);
    }
    struct mpi_request *request = client->current;
    switch (armci_request_of(request)->step(context, client, request)) {
    case ARMCI_GOES_ON:
        return true;
    case ARMCI_ENDS:
        armci_enter(context, request, ARMCI_DONE, NULL);
        client->current = NULL;
        mpi_request_done(context, request);
        return true;
    case ARMCI_WAITS:
        break;
    case ARMCI_THROUGH_BUFFERS: // put.c takes it
        g_assert_not_reached();
    }
    return false;
}

static void sleep(struct cpu_context *context, struct armci_client *client)
{
    sim_time turn = client->current ? mpich_iprobe_turn(&client->mpich) +
                                          cpu_cost(context->cpu, client->config->look)
                                    : mpich_check_turn(&client->mpich);
    client->asleep = true;
    client->asleep_since = context->now;
    client->turn = turn;
    gm_poll(context, client->port, turn);
}

static enum mpi_progress advance(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking)
{
    struct armci_client *client = process->device;
    client->asleep = false;
    engine_cancel(process->sim->engine, &client->tick);
    if (!client->mpich.checking && step(context, client))
        return PROGRESS_EVENT;
    if (!client->mpich.checking && client->current)
        cpu_spend(context, client->config->look, &armci_stage);
    enum mpi_progress progress = client->current ? mpich_iprobe(context, &client->mpich)
                                                 : mpich_check(context, &client->mpich, blocking);
    if (progress != PROGRESS_NOTHING || !blocking)
        return progress;
    sleep(context, client);
    return PROGRESS_BLOCKED;
}

static void destroy(struct cpu_context *context, struct mpi_request *request)
{
    (void)context;
    (void)request; // its resources are freed when it is done
}

static json_t *describe_request(const struct mpi_request *request)
{
    const struct armci_client *client = armci_client_of(request);
    if (request->kind != REQUEST_OPERATION || client->current != request || request->peer < 0)
        return NULL;
    const struct armci_server *server = armci_server_of(client, request->peer);
    json_t *json = json_pack("{s:s}", "held_by", server->name);
    json_object_set_new(json, "server", armci_server_describe(server));
    return json;
}

static json_t *describe_process(const struct mpi_process *process)
{
    const struct armci_client *client = process->device;
    return json_pack("{s:I, s:o}", "armci_sends_out", (json_int_t)client->sends_out, "port",
                     gm_describe(client->port));
}

// Of the MPI library besides ARMCI, whose own operations wait as its calls do.
static const struct mpi_progress_rule mpich_gm_progress = {
    .library = "MPICH 1.2.5 over GM",
    .turn = "MPID_DeviceCheck: events of the port up to and with the first message",
    .source =
        "MPICH-GM 1.2.5.3 (f90a191), mpid/ch_gm: gmpi_priv.c 1021-1112, gmpi_chshort.c 77, 137, "
        "gmpi_chnrndv.c 101, 128-130; src/pt2pt: waitall.c 112-222, testall.c 70-124",
    .send = {MPI_TURNS},
    .test = {MPI_TURN, MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .probe = {MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .waits = MPI_WAITS_LEAVE,
    .in_order = true,
};

const struct mpi_device_ops armci_ops = {
    .name = "ARMCI",
    .arrival = &mpich_gm_arrival,
    .machine = &armci_request_machine,
    .request_size = sizeof(struct armci_request),
    .startup = startup,
    .start = client_start,
    .progress = &mpich_gm_progress,
    .advance = advance,
    .destroy = destroy,
    .describe_request = describe_request,
    .describe_process = describe_process,
};

// ---- Create and free ----

static int64_t is_registered(struct armci_client *client, int64_t bytes)
{
    int64_t address = mpi_process_allocate(client->process, bytes);
    gm_dma_memory(client->port, address, bytes);
    return address;
}

// Send buffers with room for a request's header and descriptors.
static void make_buffers(struct armci_client *client)
{
    const struct armci_config *config = client->config;
    const struct armci_put_variant *variant = &armci_put_variants[config->put];
    bool dynamic = config->buffer_scheme == ARMCI_BUFFERS_DYNAMIC;
    int count = (int)variant->buffers(config);
    int64_t bytes = dynamic ? config->region : count * armci_buffer_bytes(config);
    armci_buffers_init(&client->buffers, &armci_buffer_schemes[config->buffer_scheme],
                       client->process->sim, is_registered(client, bytes), bytes, count);
}

void armci_client_init(struct armci_client *client, struct armci_job *job,
                       struct mpi_process *process, struct gm_port *port,
                       const struct mpich_gm_config *mpich)
{
    const struct armci_config *config = job->config;
    struct sim *sim = process->sim;
    *client = (struct armci_client){
        .job = job,
        .config = config,
        .process = process,
        .port = port,
        .sends = sim_counter(sim, "ARMCI: sends of clients"),
        .most_out = sim_counter(sim, "ARMCI: most sends of a client without acknowledgement"),
    };
    mpich_init(&client->mpich, process, mpich, port, &job->headers, config->send_tokens);
    make_buffers(client);
    client->request_address = is_registered(client, armci_buffer_bytes(config));
    client->flag_address = is_registered(client, config->flag);
    client->landing = is_registered(client, config->flag);
    client->get_address = is_registered(client, config->get_buffers * armci_buffer_bytes(config));
    client->arrived = g_new0(struct armci_flag, config->get_buffers);
    client->landed = g_new0(int64_t, config->get_buffers);
    sparse_init(&client->unfenced, job->hosts, sizeof(bool));
    event_init(&client->tick, client_tick_event);
    gm_on_write(port, client_area_written, client);
}

void armci_client_clear(struct armci_client *client)
{
    armci_buffers_clear(&client->buffers);
    mpich_clear(&client->mpich);
    g_free(client->arrived);
    g_free(client->landed);
    sparse_clear(&client->unfenced);
}
