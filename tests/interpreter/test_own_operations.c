// SPDX-License-Identifier: GPL-3.0-or-later
// A model's own operations: a made-up fabric that matches by bits on its card brings a put with
// keys of its own, and calls that no other library has. Nothing below sim/ depends on them; they
// are read from YAML, checked, evaluated for each call and handed to the device as the model's own
// structs.
#include "sim/output/failure.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"
#include "sim/scenario/json_schema.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

// ---- The model's operations ----

enum portal_code { PORTAL_PUT, PORTAL_ATTACH, PORTAL_WAIT_EVENTS };

enum portal_ack { PORTAL_ACK_NONE, PORTAL_ACK_ASKED };
static const char *const acks[] = {"none", "asked", NULL};

struct portal_put {
    struct operation_arguments common;
    int64_t match_bits, portal, offset, header_data;
    int ack;
};

struct portal_attach {
    struct operation_arguments common;
    int64_t portal, match_bits, ignore_bits;
    int source;
    sim_time patience;
    bool unlink;
    const char *queue;
};

struct portal_events {
    struct operation_arguments common;
    int64_t count;
};

#define P struct portal_put
#define A struct portal_attach

static const struct operation_key put_keys[] = {
    OPERATION_KEY_TO,
    OPERATION_KEY_SIZE,
    OPERATION_KEY_BUFFER,
    {.param = PARAM(P, match_bits, PARAM_COUNT, .doc = "what the target matches by")},
    {.param = PARAM(P, portal, PARAM_COUNT, .fallback = "0", .most = "63", .doc = "its index")},
    {.param = PARAM(P, offset, PARAM_SIZE, .fallback = "0 B", .doc = "in the target's memory")},
    {.param = PARAM(P, ack, PARAM_CHOICE, .fallback = "none", .choices = acks,
                    .doc = "whether the target answers")},
    {.param = PARAM(P, header_data, PARAM_BITS, .fallback = "0", .doc = "of the program"),
     .report = "header_data"},
    OPERATION_KEY_REQUEST,
    {.param = {.name = NULL}}};

static const struct operation_key attach_keys[] = {
    {.param = PARAM(A, portal, PARAM_COUNT, .least = "1", .most = "63", .doc = "its index")},
    {.param = PARAM(A, match_bits, PARAM_COUNT, .fallback = "0", .doc = "of messages")},
    {.param = PARAM(A, ignore_bits, PARAM_COUNT, .fallback = "", .doc = "that need not match")},
    {.param = PARAM(A, source, PARAM_COUNT, .fallback = "any", .doc = "of messages"),
     .form = OPERATION_RANK,
     .word = "any"},
    {.param =
         PARAM(A, patience, PARAM_DURATION, .fallback = "1 ms", .most = "1 s", .doc = "how long")},
    {.param = PARAM(A, unlink, PARAM_BOOL, .fallback = "false", .doc = "after the first")},
    {.param = PARAM(A, queue, PARAM_STRING, .fallback = "", .doc = "of events"),
     .form = OPERATION_NAME},
    {.param = {.name = NULL}}};

static const struct operation_key events_keys[] = {
    {.param = PARAM(struct portal_events, count, PARAM_COUNT, .doc = "how many")},
    {.param = {.name = NULL}}};

static bool complete_attach(struct operation_arguments *arguments, char **error)
{
    const struct portal_attach *attach = (const struct portal_attach *)(const void *)arguments;
    if (!attach->unlink || attach->queue)
        return true;
    *error = g_strdup("what unlinks itself needs a queue");
    return false;
}

static const struct operation_kind portal_operations[] = {
    [PORTAL_PUT] = {.name = "put",
                    .doc = "a put that the target's card matches",
                    .keys = put_keys,
                    .size = sizeof(struct portal_put),
                    .code = PORTAL_PUT,
                    .moves = OPERATION_TO_PEER},
    [PORTAL_ATTACH] = {.name = "attach",
                       .doc = "an entry of a match list",
                       .keys = attach_keys,
                       .size = sizeof(struct portal_attach),
                       .code = PORTAL_ATTACH,
                       .complete = complete_attach},
    [PORTAL_WAIT_EVENTS] = {.name = "events",
                            .doc = "waits for events",
                            .keys = events_keys,
                            .size = sizeof(struct portal_events),
                            .code = PORTAL_WAIT_EVENTS,
                            .plain = true},
    {.name = NULL}};

// ---- Its device: notes its requests ----

static GString *asked; // by the run under way

static void note_put(const struct mpi_request *request)
{
    const struct portal_put *put = request->arguments;
    g_string_append_printf(asked,
                           "put to %d, %" G_GINT64_FORMAT " B, bits %" G_GINT64_FORMAT
                           ", portal %" G_GINT64_FORMAT ", offset %" G_GINT64_FORMAT
                           ", ack %s, header %" G_GINT64_FORMAT "; ",
                           request->peer, request->size, put->match_bits, put->portal, put->offset,
                           acks[put->ack], put->header_data);
}

static void note_attach(const struct portal_attach *attach)
{
    g_string_append_printf(asked,
                           "attach %" G_GINT64_FORMAT ": bits %" G_GINT64_FORMAT
                           ", ignored %" G_GINT64_FORMAT ", from %d, %" G_GINT64_FORMAT " ps%s, "
                           "queue %s; ",
                           attach->portal, attach->match_bits, attach->ignore_bits, attach->source,
                           attach->patience, attach->unlink ? ", unlinked" : "",
                           attach->queue ? attach->queue : "none");
}

static void portal_start(struct cpu_context *context, struct mpi_request *request)
{
    if (request->kind != REQUEST_OPERATION)
        return;
    switch ((enum portal_code)request->operation->code) {
    case PORTAL_PUT:
        note_put(request);
        ledger_deliver(request->process->sim->ledger, request->message, 0, request->size);
        mpi_message_arrived(context, request->process, request->message);
        break;
    case PORTAL_ATTACH:
        note_attach(request->arguments);
        break;
    case PORTAL_WAIT_EVENTS:
        if (((const struct portal_events *)request->arguments)->count > 99)
            return; // which never arrive
        g_string_append_printf(asked, "%" G_GINT64_FORMAT " events; ",
                               ((const struct portal_events *)request->arguments)->count);
        break;
    }
    mpi_request_done(context, request);
}

static enum mpi_progress portal_advance(struct cpu_context *context, struct mpi_process *process,
                                        bool blocking)
{
    (void)context, (void)process;
    return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
}

// Includes its numbers; the state's row could only have "events".
static json_t *describe_events(const struct mpi_request *request)
{
    const struct portal_events *events = request->arguments;
    return json_pack("{s:o, s:s}", "waits_for",
                     json_sprintf("the last of %" G_GINT64_FORMAT " events (queue %u)",
                                  events->count, request->number),
                     "match_list", "empty");
}

static json_t *describe_queues(const struct mpi_process *process)
{
    return json_pack("{s:[o, s]}", "queues",
                     json_sprintf("message 6 before 7 (reorder queue: %d)", process->rank),
                     "2047 of 2048 packets of slice 3 (channel 1)");
}

static const struct mpi_device_ops portal_ops = {
    .name = "portals",
    .start = portal_start,
    .advance = portal_advance,
    .describe_request = describe_events,
    .describe_process = describe_queues,
};

static const struct stack portal_stack = {
    .schema =
        {
            .name = "portals",
            .doc = "matching on the card",
            .benchmarks = (const char *const[]){"program", NULL},
            .nics = (const char *const[]){NULL},
            .operations = (const char *const[]){"put", "attach", "events", NULL},
        },
    .device = &portal_ops,
};

static const struct model portal_model = {
    .name = "portals",
    .stacks = (const struct stack *const[]){&portal_stack, NULL},
    .operations = portal_operations,
};

// Another model with a put of its own, and a stack without operations.
static const struct operation_key other_keys[] = {
    OPERATION_KEY_TO, OPERATION_KEYS_DATA, {.param = {.name = NULL}}};
static const struct operation_kind other_operations[] = {
    {.name = "put", .doc = "another", .keys = other_keys, .moves = OPERATION_TO_PEER},
    {.name = NULL}};
static const struct stack other_stack = {
    .schema = {.name = "other",
               .doc = "another",
               .benchmarks = (const char *const[]){"program", NULL},
               .nics = (const char *const[]){NULL},
               .operations = (const char *const[]){"put", NULL}},
    .device = &portal_ops,
};
static const struct model other_model = {
    .name = "other",
    .stacks = (const struct stack *const[]){&other_stack, NULL},
    .operations = other_operations,
};

static const struct registry registry = {
    (const struct model *const[]){&portal_model, &other_model, NULL}};

// ---- Running ----

static struct scenario *compile(struct scenario_schema *schema, const char *stack,
                                const char *operations, struct diag_list *diags)
{
    char *text = g_strdup_printf("schema: 1\nname: t\nstack: %s\nhosts: [{name: n, count: 2}]\n"
                                 "links: [{from: n0, to: n1}]\n"
                                 "workload: {ranks: 2, program: [{ranks: all, do: [\n%s]}]}\n",
                                 stack, operations);
    struct scenario *scenario =
        scenario_parse(text, strlen(text), "t.yaml", NULL, schema, NULL, diags);
    g_free(text);
    return scenario;
}

// Runs operations on all ranks; returns the requests to the device, of all of them.
static char *run(const char *operations, bool completes)
{
    struct scenario_schema *schema = registry_schema(&registry);
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = compile(schema, "portals", operations, diags);
    diag_print(diags, stderr);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scenario);
    asked = g_string_new(NULL);
    struct result *result = run_scenario(&registry, scenario, &(struct run_options){0});
    const struct series_result *series = g_ptr_array_index(result->series, 0);
    CU_ASSERT_EQUAL(series->status == SIM_COMPLETED, completes);
    if (!completes) {
        char *reason = json_dumps(series->reason, JSON_COMPACT | JSON_SORT_KEYS);
        g_string_assign(asked, reason);
        free(reason);
    }
    result_free(result);
    scenario_free(scenario);
    diag_list_free(diags);
    registry_schema_free(schema);
    return g_string_free(asked, FALSE);
}

static void expect(const char *operations, const char *expected)
{
    char *text = run(operations, true);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

static void test_arguments(void)
{
    expect("{put: {to: 1, size: 4 KiB, match_bits: 7}}",
           "put to 1, 4096 B, bits 7, portal 0, offset 0, ack none, header 0; "
           "put to 1, 4096 B, bits 7, portal 0, offset 0, ack none, header 0; ");
    // Expressions of rank, ranks and a loop's counter, in keys of the model's own.
    expect("{loop: {count: 2, as: i, do: [{put: {to: (rank + 1) % ranks, size: 1 KiB * i, "
           "match_bits: 4294967296 + i, portal: 10 * rank + i, offset: 8 B * (i + rank), ack: "
           "asked, header_data: 3}}]}}",
           "put to 1, 0 B, bits 4294967296, portal 0, offset 0, ack asked, header 3; "
           "put to 0, 0 B, bits 4294967296, portal 10, offset 8, ack asked, header 3; "
           "put to 1, 1024 B, bits 4294967297, portal 1, offset 8, ack asked, header 3; "
           "put to 0, 1024 B, bits 4294967297, portal 11, offset 16, ack asked, header 3; ");
    expect("{attach: {portal: 63, ignore_bits: 255, source: 1, patience: 1 us * (1 + rank), queue: "
           "q, unlink: true}}, {attach: {portal: 1, source: any}}, events: 2",
           "attach 63: bits 0, ignored 255, from 1, 1000000 ps, unlinked, queue q; "
           "attach 63: bits 0, ignored 255, from 1, 2000000 ps, unlinked, queue q; "
           "attach 1: bits 0, ignored -1, from -1, 1000000000 ps, queue none; "
           "attach 1: bits 0, ignored -1, from -1, 1000000000 ps, queue none; "
           "2 events; 2 events; ");
}

// A process may be its own peer: the message goes from its rank to its rank.
static void test_to_itself(void)
{
    expect("{loop: {count: 2, do: [{put: {to: rank, size: 1 KiB, match_bits: 7, request: a}}, "
           "wait: a]}}",
           "put to 0, 1024 B, bits 7, portal 0, offset 0, ack none, header 0; "
           "put to 1, 1024 B, bits 7, portal 0, offset 0, ack none, header 0; "
           "put to 0, 1024 B, bits 7, portal 0, offset 0, ack none, header 0; "
           "put to 1, 1024 B, bits 7, portal 0, offset 0, ack none, header 0; ");
}

// 64 bits in hexadecimal, which no whole number of a program reaches, or computed.
static void test_bits(void)
{
    expect("{put: {to: 1, size: 1 B, match_bits: 0, header_data: 0x7fffFFFFffffFFFF}}",
           "put to 1, 1 B, bits 0, portal 0, offset 0, ack none, header 9223372036854775807; "
           "put to 1, 1 B, bits 0, portal 0, offset 0, ack none, header 9223372036854775807; ");
    expect("{put: {to: 1, size: 1 B, match_bits: 0, header_data: 0xffffffffffffffff}}",
           "put to 1, 1 B, bits 0, portal 0, offset 0, ack none, header -1; "
           "put to 1, 1 B, bits 0, portal 0, offset 0, ack none, header -1; ");
    expect("{put: {to: 1, size: 1 B, match_bits: 0, header_data: 16 * rank + 15}}",
           "put to 1, 1 B, bits 0, portal 0, offset 0, ack none, header 15; "
           "put to 1, 1 B, bits 0, portal 0, offset 0, ack none, header 31; ");
}

// A request is waited for as any other.
static void test_requests(void)
{
    expect("{put: {to: 1 - rank, size: 1 B, match_bits: rank, request: a}}, wait: a",
           "put to 1, 1 B, bits 0, portal 0, offset 0, ack none, header 0; "
           "put to 0, 1 B, bits 1, portal 0, offset 0, ack none, header 0; ");
}

static void expect_complaint(const char *stack, const char *operations, const char *part)
{
    struct scenario_schema *schema = registry_schema(&registry);
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = compile(schema, stack, operations, diags);
    CU_ASSERT_PTR_NULL(scenario);
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    diag_print(diags, stream);
    fclose(stream);
    SUITE_CONTAINS(text, part);
    free(text);
    scenario_free(scenario);
    diag_list_free(diags);
    registry_schema_free(schema);
}

static void test_refused(void)
{
    expect_complaint("portals", "{put: {to: 1, size: 1 B}}",
                     "t.yaml:7:7: error: workload.program[0].do[0].put: the key match_bits is "
                     "missing");
    expect_complaint("portals", "{put: {to: 1, size: 1 B, match_bits: 0, portal: 64}}",
                     "t.yaml:7:49: error: workload.program[0].do[0].put.portal: \"64\": the value "
                     "is too large (at most 63)");
    expect_complaint("portals",
                     "{put: {to: 1, size: 1 B, match_bits: 0, header_data: 0x10000000000000000}}",
                     "is not understood");
    expect_complaint("portals", "{attach: {portal: 0}}", "the value is too small (at least 1)");
    expect_complaint("portals", "{attach: {portal: 1, patience: 2 s}}",
                     "the value is too large (at most 1 s)");
    expect_complaint("portals", "{attach: {portal: 1, source: 2}}", "there is no such rank");
    expect_complaint("portals", "{attach: {portal: 1, unlink: maybe}}",
                     "true or false is expected here");
    expect_complaint("portals", "{put: {to: 1, size: 1 B, match_bits: 0, ack: never}}",
                     "put.ack: unknown choice \"never\"");
    expect_complaint("portals", "{attach: {portal: 1, match_bit: 0}}",
                     "attach.match_bit: unknown key (did you mean match_bits?)");
    expect_complaint("portals", "{attach: {portal: 1, unlink: true}}",
                     "attach: what unlinks itself needs a queue");
    expect_complaint("portals", "{atach: {portal: 1}}", "did you mean attach?");
    expect_complaint("portals", "{put: {to: 1, segments: [{bytes: 1 B, count: 1}]}}",
                     "put.segments: unknown key");
    // Each stack has the operations of its own model.
    expect_complaint("other", "{attach: {portal: 1}}", "the stack other has no attach");
    expect_complaint("other", "{put: {to: 1, size: 1 B, match_bits: 0}}",
                     "put.match_bits: unknown key");
    // Without a stack it is not known whose put is meant.
    expect_complaint("otherr", "{put: {to: 1, size: 1 B, match_bits: 0, request: a}}, wait: a",
                     "unknown stack \"otherr\"");
}

// The value of an expression is checked against the key's range, too.
static void test_ranges(void)
{
    static const struct {
        const char *operation, *part;
    } samples[] = {
        {"{put: {to: 1, size: 1 B, match_bits: 0, portal: 64 + rank}}",
         "put, rank 0: portal 64 is above 63, the largest"},
        {"{put: {to: 1, size: 1 B, match_bits: 0 - 1 - rank}}",
         "put, rank 0: match_bits -1 is negative"},
        {"{attach: {portal: rank}}", "attach, rank 0: portal 0 is below 1, the least"},
        {"{attach: {portal: 1, patience: 2 s + rank * 1 s}}",
         "attach, rank 0: 2 s is no duration: the range is 0 .. 1 s"},
        {"{attach: {portal: 1, source: rank - 1}}", "there is no rank -1 (ranks: 0..1)"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *reason = run(samples[i].operation, false);
        SUITE_CONTAINS(reason, samples[i].part);
        g_free(reason);
    }
}

// Reports name the operation, and the keys of its rows.
static void test_reports(void)
{
    char *reason = run("{put: {to: 1, size: 1 B, match_bits: 0}}, events: 100", false);
    SUITE_CONTAINS(reason, "\"kind\":\"events\"");
    g_free(reason);
}

// The device's description of a request replaces the general one, in JSON and in words.
static void test_described_waits(void)
{
    char *reason = run("events: 100, events: 100", false);
    SUITE_CONTAINS(reason, "\"waits_for\":\"the last of 100 events (queue 1)\"");
    CU_ASSERT_PTR_NULL(strstr(reason, "progress"));
    struct series_result *series = series_result_new("s", "portals");
    series->status = SIM_DEADLOCK;
    series->reason = json_loads(reason, 0, NULL);
    GString *text = g_string_new(NULL);
    failure_append(text, series, "", "");
    SUITE_CONTAINS(text->str, "waits for the last of 100 events (queue 1)\n");
    SUITE_CONTAINS(text->str, "      message 6 before 7 (reorder queue: 1)\n"
                              "      2047 of 2048 packets of slice 3 (channel 1)\n");
    g_string_free(text, TRUE);
    series_result_free(series);
    g_free(reason);
}

// The JSON Schema has both puts, and the table's properties of a key.
static void test_schema(void)
{
    struct scenario_schema *schema = registry_schema(&registry);
    json_t *json = scenario_json_schema(schema);
    char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
    SUITE_CONTAINS(text, "\"enum\":[\"none\",\"asked\"]");
    SUITE_CONTAINS(text, "\"required\":[\"to\",\"size\",\"match_bits\"]");
    SUITE_CONTAINS(text, "\"description\":\"an entry of a match list\"");
    SUITE_CONTAINS(text, "a put that the target's card matches");
    free(text);
    json_decref(json);
    registry_schema_free(schema);
}

// As a trace builds them: without YAML, in a table of calls of its own.
static void test_built(void)
{
    GPtrArray *body = op_body_new();
    struct op *put = op_append_kind(body, &portal_operations[PORTAL_PUT]);
    struct portal_put *arguments = put->arguments;
    SUITE_SAME_INTEGER(arguments->common.buffer, OPERATION_ANY);
    SUITE_SAME_INTEGER(arguments->portal, 0);
    SUITE_SAME_INTEGER(arguments->ack, PORTAL_ACK_NONE);
    arguments->match_bits = INT64_C(1) << 60;
    op_set(put, "offset", 4096);
    op_compute(put, "to", "1 - rank");
    SUITE_SAME_INTEGER(arguments->offset, 4096);
    SUITE_SAME_INTEGER(put->computed->len, 1);
    g_ptr_array_unref(body);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"arguments from YAML to the device", test_arguments},
        {"bits", test_bits},
        {"requests", test_requests},
        {"what is refused", test_refused},
        {"ranges of expressions", test_ranges},
        {"a process and itself", test_to_itself},
        {"reports", test_reports},
        {"waits in the device's words", test_described_waits},
        {"the JSON Schema", test_schema},
        {"built without YAML", test_built},
        {0},
    };
    return suite_run("workload: a model's own operations", cases);
}
