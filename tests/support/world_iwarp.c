// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_iwarp.h"

#include "sim/core/diag.h"
#include "tests/support/suite.h"

#define PORT 6000

static struct iwarp_node *owner_of(void *process, struct iwarp_world *world)
{
    for (int i = 0; i < world->count; i++)
        if (world->nodes[i].node == process)
            return &world->nodes[i];
    return NULL;
}

struct iwarp_config iwarp_world_defaults(void)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read(&iwarp_table, NULL, "iwarp", diags);
    struct iwarp_config config = *(struct iwarp_config *)values->values;
    param_values_free(values);
    diag_list_free(diags);
    return config;
}

// ---- Jobs ----

struct call {
    struct iwarp_world *world;
    iwarp_call_fn *run;
    void *argument;
};

static bool call_job(struct cpu_context *context, void *process, void *argument)
{
    struct call *call = argument;
    call->run(context, owner_of(process, call->world), call->argument);
    return true;
}

void iwarp_call(struct iwarp_world *world, int node, iwarp_call_fn *run, void *argument)
{
    struct call *call = world_keep(world->world, g_new0(struct call, 1));
    *call = (struct call){world, run, argument};
    world_do(world->nodes[node].node, call_job, call);
}

struct posting {
    struct iwarp_work_request request;
    int qp;
};

static void post(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    const struct posting *posting = argument;
    enum iwarp_operation operation = posting->request.operation;
    struct iwarp_qp *qp = node->qps[posting->qp];
    bool receives = operation == IWARP_RECEIVE || operation == IWARP_READ;
    enum iwarp_result result = receives ? iwarp_qp_post_rq(context, qp, &posting->request)
                                        : iwarp_qp_post_sq(context, qp, &posting->request);
    g_array_append_val(node->results, result);
}

void iwarp_post(struct iwarp_world *world, int node, int qp,
                const struct iwarp_work_request *request)
{
    struct posting *posting = world_keep(world->world, g_new0(struct posting, 1));
    *posting = (struct posting){*request, qp};
    iwarp_call(world, node, post, posting);
}

struct polling {
    struct iwarp_world *world;
    int entries, placed;
};

static bool poll_job(struct cpu_context *context, void *process, void *argument)
{
    const struct polling *polling = argument;
    struct iwarp_node *node = owner_of(process, polling->world);
    struct iwarp_completion completion;
    if ((int)node->entries->len >= polling->entries && node->placed >= polling->placed)
        return true;
    node->polls++;
    switch (iwarp_cq_poll(context, node->cq, &completion)) {
    case IWARP_POLL_ENTRY:
        g_array_append_val(node->entries, completion);
        break;
    case IWARP_POLL_PROGRESS:
        break;
    case IWARP_POLL_NOTHING:
        node->nothing++;
        if (iwarp_cq_block(context, node->cq) == IWARP_AGAIN)
            return false;
    }
    cpu_post_wake(context, &node->node->process.task);
    return false;
}

void iwarp_poll(struct iwarp_world *world, int node, int entries, int placed)
{
    struct polling *polling = world_keep(world->world, g_new0(struct polling, 1));
    *polling = (struct polling){world, entries, placed};
    world_do(world->nodes[node].node, poll_job, polling);
}

void iwarp_run(struct iwarp_world *world, sim_time time)
{
    sctp_run_until(world->world, sim_now(world->world->sim) + time);
}

// ---- Set-up ----

static void placed(struct cpu_context *context, const struct iwarp_qp *qp,
                   enum iwarp_operation operation, struct message_ref message)
{
    struct iwarp_node *node = iwarp_qp_owner(qp);
    struct ledger *ledger = node->rnic->user.sim->ledger;
    (void)context, (void)operation;
    node->placed++;
    ledger_match(ledger, message);
    ledger_complete(ledger, message);
}

static void open_rnic(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    const struct cluster *cluster = node->world->world->cluster;
    struct host *host = cluster->hosts[node->number];
    const struct iwarp_user user = {
        .sim = node->world->world->sim,
        .host = host,
        .name = host->name,
        .task = &node->node->process.task,
        .thread_core = host_process_core(host, 1),
        .placed = placed,
    };
    (void)argument;
    node->rnic = iwarp_rnic_open(context, &node->world->config, &user);
    node->domain = iwarp_pd_allocate(context, node->rnic);
    node->cq = iwarp_cq_create(context, node->rnic);
    node->stag = iwarp_memory_register(context, node->rnic, node->domain, IWARP_WORLD_ADDRESS,
                                       IWARP_WORLD_MEMORY);
    const struct iwarp_qp_attributes attributes = {node->cq, node->cq, node->domain, node};
    for (int i = 0; i < (node->number == 0 ? node->world->count - 1 : 1); i++)
        node->qps[i] = iwarp_qp_create(context, node->rnic, &attributes);
    if (node->number == 0)
        return;
    node->listener.sctp =
        sctp_socket_new(context, node->node->host, SCTP_ONE_TO_ONE, &node->node->process.task);
    sctp_socket_settings(node->listener.sctp)->no_delay = true;
    sctp_bind(context, node->listener.sctp, PORT, 0);
    sctp_listen(context, node->listener.sctp);
}

static bool accept_job(struct cpu_context *context, void *process, void *argument)
{
    struct iwarp_node *node = owner_of(process, argument);
    enum iwarp_result result = iwarp_qp_passive_connect(context, node->qps[0], &node->listener);
    if (result == IWARP_AGAIN)
        return false;
    SUITE_SAME_INTEGER(result, IWARP_OK);
    return true;
}

static bool connect_job(struct cpu_context *context, void *process, void *argument)
{
    const struct iwarp_node *peer = argument;
    struct iwarp_node *node = owner_of(process, peer->world);
    int stations[SCTP_MOST_PATHS];
    int count = inet_stations(peer->world->world->cluster, peer->number, stations, SCTP_MOST_PATHS);
    const struct iwarp_address address = {
        .sctp = node->node->host, .stations = stations, .count = count, .port = PORT};
    enum iwarp_result result =
        iwarp_qp_active_connect(context, node->qps[peer->number - 1], &address);
    if (result == IWARP_AGAIN)
        return false;
    SUITE_SAME_INTEGER(result, IWARP_OK);
    return true;
}

static bool all_connected(const struct iwarp_world *world)
{
    for (int i = 1; i < world->count; i++)
        if (iwarp_qp_state(world->nodes[i].qps[0]) != IWARP_QP_RTS ||
            iwarp_qp_state(world->nodes[0].qps[i - 1]) != IWARP_QP_RTS)
            return false;
    return true;
}

struct iwarp_world *iwarp_world_new(int nodes, const char *const *sets,
                                    const struct iwarp_config *config, struct trace *trace)
{
    struct iwarp_world *world = g_new0(struct iwarp_world, 1);
    world->config = config ? *config : iwarp_world_defaults();
    world->world = sctp_world(nodes, 1, sets, trace);
    world->count = nodes;
    for (int i = 0; i < nodes; i++) {
        world->nodes[i] = (struct iwarp_node){
            .world = world,
            .number = i,
            .node = sctp_node(world->world, i),
            .entries = g_array_new(FALSE, FALSE, sizeof(struct iwarp_completion)),
            .results = g_array_new(FALSE, FALSE, sizeof(enum iwarp_result)),
        };
        iwarp_call(world, i, open_rnic, NULL);
        if (i > 0)
            world_do(world->nodes[i].node, accept_job, world);
    }
    for (int i = 1; i < nodes; i++)
        world_do_at(world->nodes[0].node, TIME_S, connect_job, &world->nodes[i]);
    iwarp_run(world, 2 * TIME_S);
    for (int tries = 0; tries < 100 && !all_connected(world); tries++) // packets are lost
        iwarp_run(world, TIME_S);
    CU_ASSERT_FATAL(all_connected(world));
    return world;
}

void iwarp_world_free(struct iwarp_world *world)
{
    network_release(world->world->cluster->network); // its packets refer to what the RNICs sent
    for (int i = 0; i < world->count; i++) {
        iwarp_rnic_free(world->nodes[i].rnic);
        g_array_unref(world->nodes[i].entries);
        g_array_unref(world->nodes[i].results);
    }
    world_free(world->world);
    g_free(world);
}

// ---- Requests ----

struct iwarp_work_request iwarp_request(struct iwarp_world *world, int node, int to,
                                        enum iwarp_operation operation, int64_t offset,
                                        int64_t bytes)
{
    const struct iwarp_node *own = &world->nodes[node];
    struct iwarp_work_request request = {
        .operation = operation,
        .sgl = {{own->stag, IWARP_WORLD_ADDRESS + offset, bytes}},
        .sge_count = 1,
        .remote_address = IWARP_WORLD_ADDRESS + offset,
        .stands_in = bytes == 0,
    };
    if (to < 0)
        return request;
    int source = operation == IWARP_READ ? to : node, target = node + to - source;
    uint64_t flow =
        ((uint64_t)operation * IWARP_WORLD_NODES + (uint64_t)source) * IWARP_WORLD_NODES +
        (uint64_t)target;
    request.remote_stag = world->nodes[to].stag;
    request.message = ledger_open(world->world->sim->ledger, source, target, bytes, flow);
    return request;
}

const struct iwarp_completion *iwarp_entry(const struct iwarp_world *world, int node, int index)
{
    const GArray *entries = world->nodes[node].entries;
    CU_ASSERT_FATAL(index < (int)entries->len);
    return &g_array_index(entries, struct iwarp_completion, index);
}

enum iwarp_result iwarp_result(const struct iwarp_world *world, int node, int index)
{
    const GArray *results = world->nodes[node].results;
    CU_ASSERT_FATAL(index < (int)results->len);
    return g_array_index(results, enum iwarp_result, index);
}
