// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/steps.h"

#include "sim/scenario/placement.h"

// Point to point and collectives, of all ranks and of each communicator.
#define SPACES_OF_GROUP 2

int steps_context(int space)
{
    return mpi_context_id(space / SPACES_OF_GROUP,
                          space % SPACES_OF_GROUP ? CONTEXT_COLLECTIVE : CONTEXT_POINT_TO_POINT);
}

// A request that has been started and not waited for.
struct open_request {
    enum flat_kind kind;    // FLAT_SEND, FLAT_RECV or FLAT_PROBE
    int peer, tag, context; // mpi_context_id
    const struct mpi_group *group;
    int64_t size;
    double sending;             // s: for which a send goes on that is waited for at once
    bool buffered, synchronous; // a send: done for the plugin; in the synchronous mode
};

// Where a rank stands.
struct standing {
    struct flat_op op;     // the latest one
    bool began;            // there is one
    GArray *open;          // struct open_request
    GArray *unused;        // guint: places in it that no request has
    GHashTable *places;    // 1 + place in it, by number of the request
    GArray *awaited;       // uint32_t: of the wait under way
    uint32_t sent;         // request of the send that the latest operation started; 0: none
    bool waits;            // the latest operation is a wait
    double busy;           // s that its processor works before `held`
    double after;          // s after it
    struct flow_step held; // the step after that work
    bool holds;
};

struct steps {
    const struct scenario_case *test_case;
    const struct flow_cluster *machine;
    const struct flow_curve *curve;
    const struct mpi_library_config *library;
    struct op_source *source; // own; NULL: not its own
    struct flatten *flatten;
    struct standing *ranks;
    struct steps_books books;
    char *wrong;
};

// ---- Costs ----

static int host_of(const struct steps *steps, int rank)
{
    return placement_host(steps->test_case->workload.placement, rank);
}

static bool is_local(const struct steps *steps, int rank, int peer)
{
    return peer != RANK_ANY && host_of(steps, rank) == host_of(steps, peer);
}

static double copy_seconds(const struct steps *steps, int rank, int64_t bytes)
{
    const struct host *host = flow_cluster_host(steps->machine, host_of(steps, rank));
    return time_to_s(memory_copy_time(&host->config.memory, host->cores[0], bytes, COPY_WARM));
}

static double reduce_seconds(const struct steps *steps, int rank, int64_t bytes)
{
    const struct host *host = flow_cluster_host(steps->machine, host_of(steps, rank));
    return steps->library
               ? time_to_s(cpu_cost_of_bytes(host->cores[0], steps->library->reduce_kib, bytes))
               : 0;
}

// ---- Steps ----

static int space_of(const struct flat_op *op)
{
    int group = op->group ? op->group->number : 0;
    return group * SPACES_OF_GROUP + (op->context == CONTEXT_COLLECTIVE);
}

static struct flow_step message_step(enum flow_step_kind kind, const struct flat_op *op)
{
    G_STATIC_ASSERT(FLOW_ANY == RANK_ANY && FLOW_ANY == TAG_ANY);
    return (struct flow_step){.kind = kind,
                              .peer = op->peer,
                              .tag = op->tag,
                              .space = space_of(op),
                              .request = op->request};
}

static void hold(struct standing *at, struct flow_step step)
{
    at->held = step;
    at->holds = true;
}

// ---- Requests ----

static struct open_request *open_at(const struct standing *at, uint32_t number)
{
    gsize place = GPOINTER_TO_SIZE(g_hash_table_lookup(at->places, GUINT_TO_POINTER(number)));
    g_assert(place > 0);
    return &g_array_index(at->open, struct open_request, place - 1);
}

static void open_request(struct standing *at, double sending, bool buffered)
{
    const struct flat_op *op = &at->op;
    guint place = at->open->len;
    if (at->unused->len > 0) {
        place = g_array_index(at->unused, guint, at->unused->len - 1);
        g_array_set_size(at->unused, at->unused->len - 1);
    } else {
        g_array_set_size(at->open, place + 1);
    }
    g_array_index(at->open, struct open_request, place) =
        (struct open_request){.kind = op->kind,
                              .peer = op->peer,
                              .tag = op->tag,
                              .context = steps_context(space_of(op)),
                              .group = op->group,
                              .size = op->size,
                              .sending = sending,
                              .buffered = buffered,
                              .synchronous = op->synchronous};
    g_hash_table_insert(at->places, GUINT_TO_POINTER(op->request), GSIZE_TO_POINTER(place + 1));
}

static void close_request(struct steps *steps, struct standing *at, uint32_t number)
{
    const struct open_request *request = open_at(at, number);
    guint place = (guint)(request - &g_array_index(at->open, struct open_request, 0));
    if (request->kind == FLAT_RECV) {
        steps->books.received++;
        steps->books.received_bytes += (uint64_t)request->size;
    }
    g_array_append_val(at->unused, place);
    g_hash_table_remove(at->places, GUINT_TO_POINTER(number));
}

// The plugin waits for sends and receives; a probe's own step has waited. For the plugin a buffered
// send ends when it begins, but a blocking call returns when its card is done with it.
static void wait_for(struct steps *steps, struct standing *at, uint32_t sent)
{
    at->waits = true;
    g_array_set_size(at->awaited, 0);
    for (int i = 0; i < at->op.awaited_count; i++) {
        const struct open_request *request = open_at(at, at->op.awaited[i]);
        if (request->kind == FLAT_RECV)
            at->after += flow_curve_at(steps->curve, request->size, false).receive;
        if (at->op.awaited_count == 1 && at->op.awaited[i] == sent)
            at->after += request->sending;
        if (request->kind != FLAT_PROBE)
            g_array_append_val(at->awaited, at->op.awaited[i]);
    }
    if (at->awaited->len > 0)
        hold(at, (struct flow_step){.kind = FLOW_WAIT,
                                    .awaited = &g_array_index(at->awaited, uint32_t, 0),
                                    .awaited_count = (int)at->awaited->len});
}

// Waits for one of them; steps_took gets which. A probe is none of the program's requests.
static void wait_for_one(struct standing *at)
{
    g_array_set_size(at->awaited, 0);
    g_array_append_vals(at->awaited, at->op.awaited, (guint)at->op.awaited_count);
    hold(at, (struct flow_step){.kind = FLOW_WAITANY,
                                .awaited = &g_array_index(at->awaited, uint32_t, 0),
                                .awaited_count = (int)at->awaited->len});
}

void steps_took(struct steps *steps, int rank, int which)
{
    struct standing *at = &steps->ranks[rank];
    uint32_t number = g_array_index(at->awaited, uint32_t, which);
    const struct open_request *request = open_at(at, number);
    if (request->kind == FLAT_RECV)
        at->busy += flow_curve_at(steps->curve, request->size, false).receive;
    close_request(steps, at, number);
    flatten_took(steps->flatten, rank, which);
}

static void end_wait(struct steps *steps, struct standing *at)
{
    for (int i = 0; at->waits && i < at->op.awaited_count; i++)
        close_request(steps, at, at->op.awaited[i]);
    at->waits = false;
}

// ---- Operations ----

// "FILE:2:5: recv"
static char *place_of(const struct op_call *call)
{
    const struct source_mark *mark = call->mark;
    return mark->line == 0 ? g_strdup(call->kind->name)
                           : g_strdup_printf("%s:%d:%d: %s", mark->file, mark->line, mark->column,
                                             call->kind->name);
}

static void refuse(struct steps *steps, int rank, struct standing *at, const char *why)
{
    char *place = place_of(at->op.call);
    if (!steps->wrong)
        steps->wrong = g_strdup_printf("%s, rank %d: %s", place, rank, why);
    g_free(place);
    hold(at, (struct flow_step){.kind = FLOW_END});
}

static void send(struct steps *steps, int rank, struct standing *at)
{
    const struct flat_op *op = &at->op;
    if (op->size > steps->curve->most) {
        refuse(steps, rank, at, steps->curve->beyond);
        return;
    }
    struct flow_curve_point point =
        flow_curve_at(steps->curve, op->size, is_local(steps, rank, op->peer));
    struct flow_step step = message_step(FLOW_SEND, op);
    step.bytes = MAX(point.wire, 1);
    step.buffered = !op->synchronous && op->size <= steps->curve->eager;
    step.size = op->size;
    open_request(at, step.buffered ? point.sending : 0, step.buffered);
    at->sent = op->request;
    at->busy += point.send;
    steps->books.sent++;
    steps->books.sent_bytes += (uint64_t)op->size;
    hold(at, step);
}

static void take(struct steps *steps, int rank, struct standing *at)
{
    const struct flat_op *op = &at->op;
    uint32_t sent = at->sent;
    at->sent = 0;
    switch (op->kind) {
    case FLAT_SEND:
        send(steps, rank, at);
        return;
    case FLAT_RECV:
        open_request(at, 0, false);
        hold(at, message_step(FLOW_RECV, op));
        return;
    case FLAT_PROBE:
        open_request(at, 0, false);
        hold(at, message_step(FLOW_PROBE, op));
        return;
    case FLAT_IPROBE: // whose answer changes nothing
        return;
    case FLAT_WAIT:
        wait_for(steps, at, sent);
        return;
    case FLAT_WAITANY:
        wait_for_one(at);
        return;
    case FLAT_COMPUTE:
        at->busy += time_to_s(op->time);
        return;
    case FLAT_COPY:
        at->busy += copy_seconds(steps, rank, op->size);
        return;
    case FLAT_REDUCE:
        at->busy += reduce_seconds(steps, rank, op->size);
        return;
    case FLAT_MEASURE:
        hold(at, (struct flow_step){.kind = FLOW_MARK});
        return;
    case FLAT_OTHER:
        refuse(steps, rank, at, "flows have no such operation");
        return;
    default: // steps for a device
        g_assert_not_reached();
    }
}

void steps_next(struct steps *steps, int rank, struct flow_step *step)
{
    struct standing *at = &steps->ranks[rank];
    while (!at->holds) {
        end_wait(steps, at);
        enum source_next next = flatten_next(steps->flatten, rank, &at->op);
        at->began = at->began || next == SOURCE_CALL;
        if (next == SOURCE_CALL)
            take(steps, rank, at);
        else if (next == SOURCE_WRONG)
            refuse(steps, rank, at, at->op.call->wrong);
        else
            hold(at, (struct flow_step){.kind = FLOW_END});
    }
    if (at->busy > 0) {
        *step = (struct flow_step){.kind = FLOW_BUSY, .seconds = at->busy};
        at->busy = 0;
        return;
    }
    *step = at->held;
    at->holds = false;
    at->busy = at->after;
    at->after = 0;
}

const struct flat_op *steps_op(const struct steps *steps, int rank)
{
    return steps->ranks[rank].began ? &steps->ranks[rank].op : NULL;
}

char *steps_place(const struct steps *steps, int rank)
{
    const struct flat_op *op = steps_op(steps, rank);
    return op ? place_of(op->call) : g_strdup("start of the program");
}

static json_t *wildcard_json(int value)
{
    return value == RANK_ANY ? json_string("any") : json_integer(value);
}

static json_t *request_json(const struct open_request *request, uint32_t number)
{
    static const char *const waits[] = {
        [FLAT_SEND] = "the receiver", [FLAT_RECV] = "a message", [FLAT_PROBE] = "a message"};
    static const char *const names[] = {
        [FLAT_SEND] = "send", [FLAT_RECV] = "recv", [FLAT_PROBE] = "probe"};
    json_t *json =
        json_pack("{s:s, s:i, s:o, s:o}", "kind", names[request->kind], "request", (int)number,
                  "peer", wildcard_json(request->peer), "tag", wildcard_json(request->tag));
    if (request->group)
        json_object_set_new(json, "group", json_string(request->group->name));
    json_object_set_new(json, "size", json_integer(request->size));
    json_object_set_new(json, "waits_for", json_string(waits[request->kind]));
    return json;
}

static int compare_numbers(const void *a, const void *b)
{
    guint one = GPOINTER_TO_UINT(*(void *const *)a), other = GPOINTER_TO_UINT(*(void *const *)b);
    return (one > other) - (one < other);
}

// Whether the rank's latest operation waits for that request.
static bool is_awaited(const struct standing *at, uint32_t number)
{
    if (at->op.kind == FLAT_PROBE)
        return at->op.request == number;
    for (int i = 0; (at->waits || at->op.kind == FLAT_WAITANY) && i < at->op.awaited_count; i++)
        if (at->op.awaited[i] == number)
            return true;
    return false;
}

void steps_each_open(const struct steps *steps, int rank, steps_request_fn *each, void *owner)
{
    static const enum mpi_request_kind kinds[] = {
        [FLAT_SEND] = REQUEST_SEND, [FLAT_RECV] = REQUEST_RECV, [FLAT_PROBE] = REQUEST_PROBE};
    const struct standing *at = &steps->ranks[rank];
    guint count;
    gpointer *numbers = g_hash_table_get_keys_as_array(at->places, &count);
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (guint i = 0; at->began && i < count; i++) {
        uint32_t number = GPOINTER_TO_UINT(numbers[i]);
        const struct open_request *open = open_at(at, number);
        struct deadlock_request request = {.kind = kinds[open->kind],
                                           .number = (int)number,
                                           .peer = open->peer,
                                           .tag = open->tag,
                                           .context = open->context,
                                           .group = open->group,
                                           .size = open->size,
                                           .waited = is_awaited(at, number),
                                           .needs_peer = true,
                                           .standard = !open->synchronous};
        if (!open->buffered)
            each(owner, &request);
    }
    g_free(numbers);
}

json_t *steps_open_json(const struct steps *steps, int rank)
{
    const struct standing *at = &steps->ranks[rank];
    json_t *list = json_array();
    bool waits = at->waits || at->op.kind == FLAT_WAITANY;
    for (int i = 0; waits && i < at->op.awaited_count; i++)
        json_array_append_new(list,
                              request_json(open_at(at, at->op.awaited[i]), at->op.awaited[i]));
    if (at->began && at->op.kind == FLAT_PROBE)
        json_array_append_new(list, request_json(open_at(at, at->op.request), at->op.request));
    return list;
}

const char *steps_wrong(const struct steps *steps)
{
    return steps->wrong;
}

struct steps_books steps_books(const struct steps *steps)
{
    return steps->books;
}

// ---- All ranks ----

int steps_spaces(const struct registry *registry, const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    const GPtrArray *communicators = workload->recording
                                         ? recording_communicators(workload->recording)
                                     : workload->program ? workload->program->communicators
                                                         : NULL;
    struct program *own = NULL;
    if (workload->benchmark) {
        own = benchmark_program(registry_benchmark(registry, workload->benchmark->name), workload);
        communicators = own->communicators;
    }
    int groups = 1 + (communicators ? (int)communicators->len : 0);
    if (own)
        program_free(own);
    return groups * SPACES_OF_GROUP;
}

struct steps *steps_new(const struct registry *registry, const struct scenario_case *test_case,
                        struct flow_cluster *machine, const struct flow_curve *curve,
                        struct op_source *source)
{
    const struct stack *stack = registry_stack(registry, test_case->stack->name);
    const struct workload *workload = &test_case->workload;
    struct steps *steps = g_new0(struct steps, 1);
    steps->test_case = test_case;
    steps->machine = machine;
    steps->curve = curve;
    if (stack->library_section)
        steps->library = scenario_section_values(test_case, stack->library_section);
    if (!source)
        steps->source = source = workload_source(
            workload->benchmark ? registry_benchmark(registry, workload->benchmark->name) : NULL,
            workload);
    steps->flatten = flatten_new(source, workload->ranks, steps->library);
    flatten_ask(steps->flatten);
    steps->ranks = g_new0(struct standing, workload->ranks);
    for (int rank = 0; rank < workload->ranks; rank++) {
        struct standing *at = &steps->ranks[rank];
        at->open = g_array_new(FALSE, FALSE, sizeof(struct open_request));
        at->unused = g_array_new(FALSE, FALSE, sizeof(guint));
        at->places = g_hash_table_new(NULL, NULL);
        at->awaited = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    }
    return steps;
}

void steps_free(struct steps *steps)
{
    if (!steps)
        return;
    for (int rank = 0; rank < steps->test_case->workload.ranks; rank++) {
        struct standing *at = &steps->ranks[rank];
        g_array_free(at->open, TRUE);
        g_array_free(at->unused, TRUE);
        g_hash_table_unref(at->places);
        g_array_free(at->awaited, TRUE);
    }
    flatten_free(steps->flatten);
    op_source_free(steps->source);
    g_free(steps->ranks);
    g_free(steps->wrong);
    g_free(steps);
}
