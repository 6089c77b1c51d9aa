// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of the API, in the caller's context: pack, forward, dispatch, then the library (thesis
// 002, 3.3.3 and 5.3).
#include "models/portals/internal.h"

const struct stage portals_api_stage = {"Portals API", STAGE_LIBRARY};

// From the program into the library's code.
static void call_enter(struct cpu_context *context, const struct portals_ni *ni,
                       struct message_ref message)
{
    const struct portals_config *config = ni->config;
    cpu_spend_for(context, config->api, &portals_api_stage, message);
    if (!ni->nal->kernel)
        return;
    cpu_spend_for(context, ni->process->host->config.kernel.system_call, &stage_trap, message);
    cpu_spend_for(context, config->dispatch, &portals_stage, message);
}

// A call's error, as the programs of the thesis take it: they abort.
static bool fail(const struct mpi_request *request, const char *call, const char *error,
                 const char *what)
{
    sim_fail(
        request->process->sim, SIM_FAILED, "portals_call",
        json_pack("{s:i, s:s, s:s}", "rank", request->process->rank, "call", call, "error", error),
        "rank %d: %s fails with %s: %s", request->process->rank, call, error, what);
    return false;
}

static bool fail_name(const struct mpi_request *request, const char *call, const char *error,
                      const char *name, const char *what)
{
    char *text = g_strdup_printf("%s %s", name, what);
    fail(request, call, error, text);
    g_free(text);
    return false;
}

static bool fail_full(const struct mpi_request *request, const char *call, int64_t granted,
                      const char *what, const char *setting)
{
    char *text = g_strdup_printf("all %" G_GINT64_FORMAT " %s are in use (portals.%s)", granted,
                                 what, setting);
    fail(request, call, "PTL_NOSPACE", text);
    g_free(text);
    return false;
}

// ---- Put and get ----

static const char *status_name(enum portals_status status)
{
    static const char *const names[] = {
        [PORTALS_OK] = "PTL_OK",         [PORTALS_NO_SPACE] = "PTL_NOSPACE",
        [PORTALS_INV_MD] = "PTL_INV_MD", [PORTALS_INV_HANDLE] = "PTL_INV_HANDLE",
        [PORTALS_REFUSED] = "EACCES",    [PORTALS_FAILED] = "PTL_FAIL"};
    return names[status];
}

// The descriptor of a put or get: that of the name, or what the program has bound before to the
// memory of the operation, with the queue of the name.
static struct portals_md *descriptor(const struct mpi_request *request, const char *call)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    const struct portals_transfer_arguments *arguments = request->arguments;
    if (arguments->md) {
        struct portals_md *md = portals_md_find(&ni->tables, arguments->md);
        if (!md)
            fail_name(request, call, "PTL_INV_MD", arguments->md, "is no descriptor now");
        else if (md->threshold == 0)
            fail_name(request, call, "PTL_INV_MD", arguments->md, "has used up its threshold");
        else if (request->size > md->length)
            fail_name(request, call, "PTL_INV_MD", arguments->md, "is shorter than the operation");
        else
            return md;
        return NULL;
    }
    struct portals_eq *eq = portals_eq_find(&ni->tables, arguments->eq);
    if (!eq) {
        fail_name(request, call, "PTL_INV_EQ", arguments->eq, "is no event queue (equeue)");
        return NULL;
    }
    return portals_md_unnamed(&ni->tables, eq);
}

bool portals_call_transfer(struct cpu_context *context, struct mpi_request *request, bool *heard)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    const struct portals_transfer_arguments *arguments = request->arguments;
    bool put = portals_is(request, PORTALS_OPERATION_PUT);
    const char *call = put ? "PtlPut" : "PtlGet";
    const struct mpi_process *peer = request->process->peers[request->peer];
    call_enter(context, ni, request->message);
    portals_enter_library(context, ni, ni->config->put, request->message);
    if (!ni->called)
        cpu_spend_for(context, ni->config->first, &portals_stage, request->message);
    ni->called = true;
    struct portals_md *md = descriptor(request, call);
    if (!md)
        return false;
    *heard = md->eq != NULL;
    int64_t address = arguments->md ? md->start : request->address;
    struct portals_header header = {
        .kind = put ? PORTALS_PUT : PORTALS_GET,
        .ack = put && arguments->ack,
        .from = ni->id,
        .to = {peer->host->index,
               (int32_t)(arguments->pid == OPERATION_ANY ? portals_ni_of(peer)->id.pid
                                                         : arguments->pid)},
        .portal = (int32_t)arguments->portal,
        .match_bits = (uint64_t)arguments->match_bits,
        .header_data = (uint64_t)arguments->header_data,
        .length = request->size,
        .offset = arguments->offset,
        .request = *heard ? request->number : 0,
        .local = address,
        .message = request->message,
    };
    enum portals_status status =
        portals_send(context, ni, md, &header, address, *heard ? request : NULL);
    return status == PORTALS_OK ||
           fail(request, call, status_name(status), "the network layer does not carry it");
}

// ---- Entries and descriptors ----

static bool attach_entry(const struct mpi_request *request, struct portals_me **me)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    const struct portals_descriptor_arguments *arguments = request->arguments;
    static const char call[] = "PtlMEAttach";
    int64_t granted = ni->tables.granted.table;
    struct portals_me *other = NULL;
    if (arguments->portal >= granted) {
        char *text = g_strdup_printf("the portal table has indexes 0 .. %" G_GINT64_FORMAT
                                     ", not %" G_GINT64_FORMAT " (portals.table)",
                                     granted - 1, arguments->portal);
        fail(request, call, "PTL_INV_PTINDEX", text);
        g_free(text);
        return false;
    }
    if (arguments->other && !(other = portals_me_find(&ni->tables, arguments->other)))
        return fail_name(request, call, "PTL_INV_ME", arguments->other, "is no entry now");
    if (arguments->name && portals_me_find(&ni->tables, arguments->name))
        return fail_name(request, call, "PTL_INUSE", arguments->name,
                         "is an entry already (detach ends one)");
    struct mpi_process *const *peers = request->process->peers;
    struct portals_me like = {
        .name = arguments->name,
        .unlink = !arguments->retain,
        .from = {request->peer == OPERATION_ANY ? PORTALS_ANY : peers[request->peer]->host->index,
                 (int32_t)arguments->from_pid},
        .match_bits = (uint64_t)arguments->match_bits,
        .ignore_bits = (uint64_t)arguments->ignore_bits,
        .portal = (int32_t)arguments->portal,
    };
    *me = portals_me_attach(&ni->tables, &like, (enum portals_position)arguments->position, other);
    return *me || fail_full(request, call, ni->tables.granted.entries, "match entries", "entries");
}

// Attaches (or binds, without an entry) the descriptor that the arguments describe.
static bool add_descriptor(const struct mpi_request *request, const char *call,
                           struct portals_me *me, unsigned options)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    const struct portals_descriptor_arguments *arguments = request->arguments;
    struct portals_eq *eq = portals_eq_find(&ni->tables, arguments->eq);
    if (!eq)
        return fail_name(request, call, "PTL_INV_EQ", arguments->eq, "is no event queue (equeue)");
    if (arguments->name && portals_md_find(&ni->tables, arguments->name))
        return fail_name(request, call, "PTL_INUSE", arguments->name,
                         "is a descriptor already (detach ends one)");
    struct portals_md like = {
        .name = arguments->name,
        .unlink = arguments->unlink,
        .options = options,
        .start = request->address,
        .length = request->size,
        .most_offset = me && arguments->most_offset != OPERATION_ANY ? arguments->most_offset
                                                                     : PORTALS_INFINITE,
        .threshold = arguments->threshold,
        .eq = arguments->events ? eq : NULL,
    };
    return portals_md_attach(&ni->tables, &like, me) ||
           fail_full(request, call, ni->tables.granted.descriptors, "memory descriptors",
                     "descriptors");
}

static unsigned options_of(const struct portals_descriptor_arguments *arguments)
{
    return (arguments->put ? PORTALS_OP_PUT : 0U) | (arguments->get ? PORTALS_OP_GET : 0U) |
           (arguments->manage_remote ? PORTALS_MANAGE_REMOTE : 0U) |
           (arguments->truncate ? PORTALS_TRUNCATE : 0U) |
           (arguments->ack_disable ? PORTALS_ACK_DISABLE : 0U);
}

// A call on the tables.
static void enter_tables(struct cpu_context *context, const struct portals_ni *ni)
{
    call_enter(context, ni, MESSAGE_NONE);
    cpu_spend(context, ni->config->attach, &portals_stage);
}

bool portals_call_attach(struct cpu_context *context, struct mpi_request *request)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    const struct portals_descriptor_arguments *arguments = request->arguments;
    struct portals_me *me = NULL;
    if (arguments->entry) {
        me = portals_me_find(&ni->tables, arguments->entry);
        if (!me)
            return fail_name(request, "PtlMDAttach", "PTL_INV_ME", arguments->entry,
                             "is no entry now");
    } else {
        enter_tables(context, ni);
        if (!attach_entry(request, &me))
            return false;
    }
    enter_tables(context, ni);
    return add_descriptor(request, "PtlMDAttach", me, options_of(arguments));
}

bool portals_call_bind(struct cpu_context *context, struct mpi_request *request)
{
    enter_tables(context, portals_ni_of(request->process));
    return add_descriptor(request, "PtlMDBind", NULL, 0);
}

// Whether the bytes of a descriptor are being sent or filled in.
static bool in_use(const struct portals_ni *ni, const struct portals_md *md)
{
    const struct portals_message *message = ni->open;
    while (message && message->md != md)
        message = message->next;
    return message != NULL;
}

// An entry goes whatever is under way, as in the reference library of May 2003; a descriptor by
// itself does not.
bool portals_call_detach(struct cpu_context *context, struct mpi_request *request)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    const char *name = ((const struct portals_detach_arguments *)request->arguments)->name;
    struct portals_me *me = portals_me_find(&ni->tables, name);
    struct portals_md *md = portals_md_find(&ni->tables, name);
    enter_tables(context, ni);
    if (me)
        portals_me_unlink(&ni->tables, me);
    else if (md && in_use(ni, md))
        return fail_name(request, "PtlMDUnlink", "PTL_MD_INUSE", name, "has a transfer under way");
    else if (md)
        portals_md_unlink(&ni->tables, md);
    else
        return fail_name(request, "PtlMEUnlink", "PTL_INV_ME", name,
                         "is neither an entry nor a descriptor now");
    return true;
}

bool portals_call_equeue(struct cpu_context *context, struct mpi_request *request)
{
    struct portals_ni *ni = portals_ni_of(request->process);
    const struct portals_equeue_arguments *arguments = request->arguments;
    enter_tables(context, ni);
    if (portals_eq_find(&ni->tables, arguments->name))
        return fail_name(request, "PtlEQAlloc", "PTL_INUSE", arguments->name,
                         "is an event queue already");
    return portals_eq_new(&ni->tables, arguments->name, arguments->slots) ||
           fail_full(request, "PtlEQAlloc", ni->tables.granted.queues, "event queues", "queues");
}
