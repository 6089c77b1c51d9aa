// SPDX-License-Identifier: GPL-3.0-or-later
// The stack `portals`: the Portals library over this NAL, one process per host (thesis 002, 5.2.5).
#include "models/intercept/p3/stack.h"

#include "models/intercept/p3/handler_cb.h"
#include "models/intercept/p3/long.h"
#include "sim/model/job.h"
#include "sim/program/program.h"

#define MOST_TOLD 4 // of processes, and of each one's waits, in a report's sentence
// Of a process, as allocated among 1,024: 6 kB of its card, 11 kB of the eight channels of its four
// links with their repeaters, 9 kB of the first blocks of pools, 6 kB of tables.
#define PROCESS_BYTES 32000
#define PEER_BYTES 256 // of a peer that it talks to, with a handler's connection

// A process.
struct rank {
    struct portals_ni ni; // first: portals_ops
    struct p3_process p3;
};

struct p3_stack {
    struct vdma_handler **handlers; // by host
};

const struct scenario_section p3_sections[] = {{"p3", &p3_table}, {NULL, NULL}};

// ---- Checks ----

// A thread that polls never gives its processor away.
static void check_cores(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct p3_config *config = scenario_section_values(test_case, "p3");
    const GArray *hosts = test_case->topology.hosts;
    for (guint i = 0; config->poll && i < hosts->len; i++) {
        const struct processor_config *processor =
            scenario_host_values(test_case, (int)i, "host.processor");
        if (processor->cores > 1)
            continue;
        scenario_complain(test_case, diags, "p3", "poll", "host.processor.cores: 2",
                          "the polling thread of %s needs a processor besides the process's",
                          g_array_index(hosts, struct topology_node, i).name);
        return;
    }
}

// A Portals header goes with a first byte of data, or alone, in one message of the handler's.
static void check_headers(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct portals_config *portals = scenario_section_values(test_case, "portals");
    const struct vdma_handler_config *handler = scenario_section_values(test_case, "vdma_handler");
    const struct p3_sizes sizes =
        p3_sizes(scenario_section_values(test_case, "p3"), portals->header);
    if (handler->header + sizes.rts_header < INTERCEPT_SM_BYTES)
        return;
    scenario_conflict(test_case, diags,
                      (const char *const[]){"vdma_handler.header", "portals.header", NULL},
                      "a smaller vdma_handler.header or portals.header",
                      "headers of %" G_GINT64_FORMAT " B and %" G_GINT64_FORMAT
                      " B leave no room in a message of %d B",
                      handler->header, sizes.rts_header, INTERCEPT_SM_BYTES);
}

static void check_case(const struct scenario_case *test_case, struct diag_list *diags)
{
    intercept_check_planes(test_case, diags);
    check_cores(test_case, diags);
    check_headers(test_case, diags);
}

static struct stack_footprint footprint(const struct scenario_case *test_case)
{
    (void)test_case;
    return (struct stack_footprint){.process = (int64_t)sizeof(struct rank) + PROCESS_BYTES,
                                    .peer = PEER_BYTES,
                                    .message_events = 45,
                                    .packet_events = 30};
}

// ---- Create and free ----

static void init(struct job *job)
{
    struct p3_stack *stack = job->state;
    stack->handlers = g_new0(struct vdma_handler *, job->cluster->host_count);
    for (int host = 0; host < job->cluster->host_count; host++)
        stack->handlers[host] = vdma_handler_new(
            job->cluster, host, scenario_section_values(job->test_case, "vdma_handler"), true);
}

static void process_init(struct job *job, struct mpi_process *process)
{
    const struct p3_stack *stack = job->state;
    struct rank *rank = process->device;
    int host = process->host->index;
    const struct vdma_handler_config *handler =
        scenario_section_values(job->test_case, "vdma_handler");
    portals_ni_init(&rank->ni, process, scenario_section_values(job->test_case, "portals"), &p3_nal,
                    &rank->p3);
    rank->p3 = (struct p3_process){
        .ni = &rank->ni,
        .process = process,
        .sim = job->sim,
        .host = process->host,
        .config = scenario_section_values(job->test_case, "p3"),
        .handler = stack->handlers[host],
        .handler_room = INTERCEPT_SM_BYTES - handler->header,
        .iuca = host,
        .hosts = job->cluster->host_count,
        .host_list = job->cluster->hosts,
    };
    p3_process_init(&rank->p3, intercept_nic(job->cluster, host));
    p3_long_init(&rank->p3, p3_cb_message);
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    struct rank *rank = process->device;
    (void)job;
    p3_long_clear(&rank->p3);
    p3_process_clear(&rank->p3);
    portals_ni_clear(&rank->ni);
}

static void clear(struct job *job)
{
    const struct p3_stack *stack = job->state;
    for (int host = 0; stack->handlers && host < job->cluster->host_count; host++)
        vdma_handler_free(stack->handlers[host]);
    g_free(stack->handlers);
}

// ---- Reports ----

// The first few texts of a list, and how many more there are.
static char *join(GPtrArray *texts, const char *between)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < texts->len && i < MOST_TOLD; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? between : "",
                               (const char *)g_ptr_array_index(texts, i));
    if (texts->len > MOST_TOLD)
        g_string_append_printf(text, "%sand %u more", between, texts->len - MOST_TOLD);
    g_ptr_array_unref(texts);
    return g_string_free(text, FALSE);
}

// Adds "node0 waits for CTS for message 7 from node1". Takes `waits` over.
static void add_waits(GPtrArray *texts, const char *who, char *waits)
{
    if (waits && *waits)
        g_ptr_array_add(texts, g_strdup_printf("%s waits for %s", who, waits));
    g_free(waits);
}

// Those of processes, of handlers' threads and of cards, each a list of its own.
static char *blocked(const struct job *job)
{
    const struct p3_stack *stack = job->state;
    GPtrArray *texts[3], *all = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < 3; i++)
        texts[i] = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < job->ranks; i++) {
        const struct rank *rank = job->processes[i]->device;
        add_waits(texts[0], rank->p3.host->name, join(p3_waits(&rank->p3), ", "));
    }
    for (int host = 0; host < job->cluster->host_count; host++) {
        char *who = g_strdup_printf("%s's VDMA handler", job->cluster->hosts[host]->name);
        char *card = intercept_describe(intercept_nic(job->cluster, host));
        add_waits(texts[1], who, vdma_handler_waits(stack->handlers[host]));
        if (card)
            g_ptr_array_add(texts[2], card);
        g_free(who);
    }
    for (int i = 0; i < 3; i++) {
        bool some = texts[i]->len > 0;
        char *text = join(texts[i], "; ");
        if (some)
            g_ptr_array_add(all, text);
        else
            g_free(text);
    }
    bool nothing = all->len == 0;
    char *text = join(all, "; ");
    if (nothing)
        g_clear_pointer(&text, g_free);
    return text;
}

const struct stack portals_stack = {
    .schema =
        {
            .name = "portals",
            .doc = "Portals 3.2 over Intercept: short messages over circular buffers, long ones "
                   "by VDMA",
            .benchmarks = (const char *const[]){PORTALS_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"p3", "portals", "vdma_handler", "intercept", NULL},
            .operations = (const char *const[]){PORTALS_OPERATIONS, NULL},
            .one_process_per_host = true,
            .cards = STACK_CARDS_ALL,
            .check = check_case,
            .footprint = footprint,
        },
    .card = INTERCEPT_CARD,
    .device = &portals_ops,
    .state_size = sizeof(struct p3_stack),
    .process_size = sizeof(struct rank),
    .init = init,
    .process_init = process_init,
    .process_clear = process_clear,
    .clear = clear,
    .blocked = blocked,
    .frames = &intercept_capture_link,
};
