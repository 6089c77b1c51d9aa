// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/portals_fake.h"

#include "models/portals/benchmarks.h"
#include "models/portals/library.h"
#include "sim/model/job.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"

#include <stdio.h>
#include <string.h>

#define KEPT_EVENTS 16

struct fake_packet {
    struct fake_packet *next;
    sim_time time;
    struct portals_header header;
    struct portals_transfer *ends; // of the receiver of the packet; NULL: it brings the header
    struct portals_transfer *sent; // of its sender
    struct fake *from;
};

struct fake {
    struct portals_ni ni; // first
    struct cpu_task thread;
    struct fake_packet *head, *tail;
};

static GString *outcome; // of the run under way

static struct fake *fake_of(const struct portals_ni *ni, int nid)
{
    return ni->process->peers[nid]->device;
}

static void post(struct cpu_context *context, struct fake *to, struct fake_packet like)
{
    struct fake_packet *packet = g_new(struct fake_packet, 1);
    *packet = like;
    packet->time = context->now;
    FIFO_APPEND(to->head, to->tail, packet, next);
    cpu_post_wake(context, &to->thread);
}

// ---- The network layer ----

static enum portals_status fake_send(struct cpu_context *context, struct portals_ni *ni,
                                     struct portals_transfer *transfer)
{
    static const struct wait end = {"its end", WAIT_ACK};
    g_assert(transfer->segments == (transfer->length > 0));
    if (transfer->length > PORTALS_FAKE_MOST)
        return PORTALS_REFUSED;
    post(context, fake_of(ni, transfer->header.to.nid),
         (struct fake_packet){
             .header = transfer->header, .sent = transfer, .from = (struct fake *)(void *)ni});
    portals_transfer_waits(transfer, &end);
    return PORTALS_OK;
}

static void fake_receive(struct cpu_context *context, struct portals_ni *ni, void *arriving,
                         struct portals_transfer *transfer)
{
    const struct fake_packet *packet = arriving;
    bool bad = transfer && transfer->length == PORTALS_FAKE_BAD;
    if (transfer && !bad)
        ledger_deliver(ni->process->sim->ledger, transfer->header.message, 0, transfer->length);
    post(context, packet->from, (struct fake_packet){.ends = packet->sent});
    if (transfer)
        portals_finalize(context, ni, transfer, bad ? PORTALS_FAILED : PORTALS_OK);
}

static char *fake_waits_for(const struct portals_ni *ni, const struct portals_transfer *transfer)
{
    (void)ni;
    return g_strdup_printf("the end of %" G_GINT64_FORMAT " B from node %d", transfer->length,
                           transfer->header.to.nid);
}

#define FAKE_NAL(kernel_)                                                                          \
    {                                                                                              \
        .name = "fake", .kernel = (kernel_), .send = fake_send, .receive = fake_receive,           \
        .waits_for = fake_waits_for                                                                \
    }

static const struct portals_nal fake_nal = FAKE_NAL(true), fake_user_nal = FAKE_NAL(false);

static enum cpu_next fake_run(struct cpu_context *context, struct cpu_task *task)
{
    struct fake *fake = container_of(task, struct fake, thread);
    struct fake_packet *packet = fake->head;
    if (!packet || packet->time > context->now)
        return CPU_SLEEP;
    fake->head = packet->next;
    if (packet->ends)
        portals_finalize(context, &fake->ni, packet->ends,
                         packet->ends->length == PORTALS_FAKE_BAD + 1 ? PORTALS_FAILED
                                                                      : PORTALS_OK);
    else if (packet->header.to.pid == portals_ni_id(&fake->ni).pid)
        portals_parse(context, &fake->ni, &packet->header, packet);
    g_free(packet);
    return CPU_AGAIN;
}

// ---- The stack ----

static void init_over(const struct job *job, struct mpi_process *process,
                      const struct portals_nal *nal)
{
    struct fake *fake = process->device;
    portals_ni_init(&fake->ni, process, scenario_section_values(job->test_case, "portals"), nal,
                    fake);
    cpu_task_init(&fake->thread, process->host->cores[0], CPU_KERNEL, fake_run);
}

static void process_init(struct job *job, struct mpi_process *process)
{
    init_over(job, process, &fake_nal);
}

static void user_process_init(struct job *job, struct mpi_process *process)
{
    init_over(job, process, &fake_user_nal);
}

static void tell_events(const struct portals_eq *eq)
{
    uint64_t first = eq->written > eq->size ? eq->written - eq->size : 0;
    for (uint64_t i = MAX(first, eq->written - MIN(eq->written, KEPT_EVENTS)); i < eq->written;
         i++) {
        const struct portals_event *event = &eq->ring[i % eq->size];
        g_string_append_printf(outcome, " %s", portals_event_names[event->kind]);
        if (event->mlength > 0)
            g_string_append_printf(
                outcome, "(%" G_GINT64_FORMAT "+%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT ")",
                event->offset, event->mlength, event->rlength);
    }
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    struct fake *fake = process->device;
    if (outcome && fake->ni.process) {
        g_string_append_printf(outcome, "%d:", process->rank);
        for (int64_t i = 0; i < fake->ni.tables.granted.queues; i++)
            if (fake->ni.tables.eqs[i].used)
                tell_events(&fake->ni.tables.eqs[i]);
        if (fake->ni.dropped > 0)
            g_string_append_printf(outcome, " dropped %d", (int)fake->ni.dropped);
        g_string_append(outcome, "\n");
    }
    for (struct fake_packet *packet = fake->head, *next; packet; packet = next) {
        next = packet->next;
        g_free(packet);
    }
    portals_ni_clear(&fake->ni);
    (void)job;
}

static void clear(struct job *job)
{
    struct ledger_totals totals = ledger_totals(job->sim->ledger);
    if (outcome && totals.declined > 0)
        g_string_append_printf(outcome, "declined %d, %d B\n", (int)totals.declined,
                               (int)totals.declined_bytes);
}

#define STACK(name_, init_)                                                                        \
    {                                                                                              \
        .schema =                                                                                  \
            {                                                                                      \
                .name = (name_),                                                                   \
                .doc = "Portals over a made-up network layer",                                     \
                .benchmarks = (const char *const[]){PORTALS_BENCHMARKS, "program", NULL},          \
                .nics = (const char *const[]){NULL},                                               \
                .sections = (const char *const[]){"portals", NULL},                                \
                .operations = (const char *const[]){PORTALS_OPERATIONS, NULL},                     \
                .one_process_per_host = true,                                                      \
            },                                                                                     \
        .device = &portals_ops, .process_size = sizeof(struct fake), .process_init = (init_),      \
        .process_clear = process_clear, .clear = clear,                                            \
    }

static const struct stack stack = STACK("portals_fake", process_init),
                          user_stack = STACK("portals_fake_user", user_process_init);

static const struct scenario_section sections[] = {{"portals", &portals_table}, {0}};
static const struct model model = {
    .name = "portals_fake",
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .stacks = (const struct stack *const[]){&stack, &user_stack, NULL},
    .benchmarks = portals_benchmarks,
    .operations = portals_operations,
};

const struct registry portals_fake_registry = {(const struct model *const[]){&model, NULL}};

// ---- Runs ----

char *portals_fake_scenario(int ranks, const char *program, const char *sections_)
{
    bool benchmark = strncmp(program, "benchmark", strlen("benchmark")) == 0;
    GString *links = g_string_new(NULL);
    for (int i = 1; i < ranks; i++)
        g_string_append_printf(links, "%s{from: n0, to: n%d}", i > 1 ? ", " : "", i);
    char *text = g_strdup_printf(
        "schema: 1\nname: t\n%shosts: [{name: n, count: %d}]\nlinks: [%s]\n"
        "host: {processor: {cores: 2}, kernel: {system_call: 0.7 us}}\n%sworkload: {%s%s%s}\n",
        strstr(sections_, "stack:") ? "" : "stack: portals_fake\n", ranks, links->str, sections_,
        benchmark ? "" : "program: [", program, benchmark ? "" : "]");
    g_string_free(links, TRUE);
    return text;
}

static char *printed(struct diag_list *diags)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    diag_print(diags, stream);
    fclose(stream);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

// Appends the results of a benchmark.
static void tell_values(const GArray *values)
{
    for (guint i = 0; i < values->len; i++) {
        const struct result_value *value = &g_array_index(values, struct result_value, i);
        if (value->size >= 0)
            g_string_append_printf(outcome, "%s at %" G_GINT64_FORMAT " = %.5g\n", value->metric,
                                   value->size, value->value);
    }
}

char *portals_fake_run(int ranks, const char *program, const char *sections_, char **complaints)
{
    char *text = portals_fake_scenario(ranks, program, sections_);
    struct scenario_schema *schema = registry_schema(&portals_fake_registry);
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario =
        scenario_parse(text, strlen(text), "t.yaml", NULL, schema, NULL, diags);
    *complaints = scenario ? NULL : printed(diags);
    outcome = scenario ? g_string_new(NULL) : NULL;
    if (scenario) {
        struct result *result =
            run_scenario(&portals_fake_registry, scenario, &(struct run_options){0});
        const struct series_result *series = g_ptr_array_index(result->series, 0);
        tell_values(series->values);
        if (series->status != SIM_COMPLETED) {
            char *reason = json_dumps(series->reason, JSON_COMPACT | JSON_SORT_KEYS);
            g_string_assign(outcome, reason);
            free(reason);
        }
        result_free(result);
    }
    scenario_free(scenario);
    diag_list_free(diags);
    registry_schema_free(schema);
    g_free(text);
    char *told = outcome ? g_string_free(outcome, FALSE) : NULL;
    outcome = NULL;
    return told;
}
