// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/vdma/handler_internal.h"
#include "models/intercept/vdma/raw.h"

#include "sim/model/job.h"

// Of a process, as allocated among 1,024: 6 kB of its card, 11 kB of the eight channels of its four
// links with their repeaters, 4 kB of the handler with its pools.
#define PROCESS_BYTES 21000

#define ROUTE_BYTES 64 // of a pair, by plane: 32 B, and two places of the route table

static void init(struct job *job)
{
    struct vdma_state *state = job->state;
    state->config = scenario_section_values(job->test_case, "vdma_handler");
    state->hosts = job->cluster->host_count;
    state->handlers = g_new0(struct vdma_handler *, state->hosts);
    for (int i = 0; i < state->hosts; i++)
        state->handlers[i] = vdma_handler_new(job->cluster, i, state->config, false);
}

static void process_init(struct job *job, struct mpi_process *process)
{
    struct vdma_state *state = job->state;
    struct vdma_process *raw = process->device;
    raw->process = process;
    raw->state = state;
    raw->handler = state->handlers[process->host->index];
    vdma_handler_set_client(raw->handler, &vdma_raw_client, raw);
}

static void clear(struct job *job)
{
    struct vdma_state *state = job->state;
    for (int i = 0; i < state->hosts; i++)
        vdma_handler_free(state->handlers[i]);
    g_free(state->handlers);
}

// Appends a clause, which is freed; NULL: nothing.
static void add_problem(GString *text, char *clause)
{
    if (clause)
        g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", clause);
    g_free(clause);
}

// The waits of the handlers, and of the cards below them.
static char *blocked(const struct job *job)
{
    const struct vdma_state *state = job->state;
    GString *text = g_string_new(NULL);
    for (int i = 0; i < state->hosts; i++) {
        char *waits = vdma_handler_waits(state->handlers[i]);
        if (waits)
            add_problem(text, g_strdup_printf("%s's VDMA handler waits for %s",
                                              job->cluster->hosts[i]->name, waits));
        g_free(waits);
    }
    for (int i = 0; i < state->hosts; i++)
        add_problem(text, intercept_describe(intercept_nic(job->cluster, i)));
    return g_string_free(text, text->len == 0);
}

// INIT_VDMA connects all with all: a process posts all requests at once, and all others call it.
static struct stack_footprint footprint(const struct scenario_case *test_case)
{
    (void)test_case;
    return (struct stack_footprint){
        .process = (int64_t)sizeof(struct vdma_process) + PROCESS_BYTES,
        .pair = (int64_t)(sizeof(struct vdma_peer) + sizeof(struct vdma_request)) +
                intercept_peer_footprint() + (INTERCEPT_PLANES - 1) * ROUTE_BYTES};
}

static const char *const operations[] = {"vdma_write", "vdma_read", NULL};

const struct stack vdma_stack = {
    .schema =
        {
            .name = "intercept_vdma",
            .doc = "raw VDMA over Intercept: processes that use the driver's VDMA handler",
            .benchmarks = (const char *const[]){"vdma.transfer", "program", NULL},
            .sections = (const char *const[]){"intercept", "vdma_handler", NULL},
            .operations = operations,
            .check = intercept_check_planes,
            .footprint = footprint,
            .one_process_per_host = true,
            .cards = STACK_CARDS_ALL,
        },
    .card = INTERCEPT_CARD,
    .device = &vdma_raw_ops,
    .state_size = sizeof(struct vdma_state),
    .process_size = sizeof(struct vdma_process),
    .init = init,
    .process_init = process_init,
    .clear = clear,
    .frames = &intercept_capture_link,
    .blocked = blocked,
};
