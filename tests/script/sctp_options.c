// SPDX-License-Identifier: GPL-3.0-or-later
// Socket options of a script (RFC 6458, 8). Features that the model lacks can be switched off, as
// they are.
#include "tests/script/sctp_host.h"

#include <string.h>

// A value of an option: from a struct's field, or what stands alone in brackets.
static bool value_of(const struct sctp_call *call, const char *field, int64_t *number)
{
    const struct script_value *value = script_call_argument(&call->made, 3);
    *number = 0;
    if (!value)
        return false;
    if (value->kind == SCRIPT_VALUE_STRUCT)
        value = field ? script_field(value, field) : NULL;
    else if (value->kind == SCRIPT_VALUE_LIST && value->items->len == 1)
        value = g_ptr_array_index(value->items, 0);
    return value && script_number(value, sctp_script_constants, number);
}

static void set_time(const struct sctp_call *call, const char *field, sim_time *time)
{
    int64_t milliseconds;
    if (value_of(call, field, &milliseconds) && milliseconds > 0)
        *time = MIN(milliseconds, 1000000) * TIME_MS;
}

static void set_count(const struct sctp_call *call, const char *field, int64_t *count)
{
    int64_t number;
    if (value_of(call, field, &number) && number > 0)
        *count = number;
}

// ---- Setting ----

static void set_rto(const struct sctp_call *call, struct sctp_settings *settings)
{
    set_time(call, "srto_initial", &settings->rto_initial);
    set_time(call, "srto_max", &settings->rto_most);
    set_time(call, "srto_min", &settings->rto_least);
}

static void set_init(const struct sctp_call *call, struct sctp_settings *settings)
{
    set_count(call, "sinit_num_ostreams", &settings->streams_out);
    set_count(call, "sinit_max_instreams", &settings->streams_in);
    settings->streams_out = MIN(settings->streams_out, UINT16_MAX); // the fields of INIT
    settings->streams_in = MIN(settings->streams_in, UINT16_MAX);
    set_count(call, "sinit_max_attempts", &settings->init_retries);
    set_time(call, "sinit_max_init_timeo", &settings->init_rto_most);
}

static void set_association(const struct sctp_call *call, struct sctp_settings *settings)
{
    set_count(call, "sasoc_asocmaxrxt", &settings->association_retries);
    set_time(call, "sasoc_cookie_life", &settings->cookie_life);
}

static void set_delay(const struct sctp_call *call, struct sctp_settings *settings)
{
    int64_t frequency;
    set_time(call, "sack_delay", &settings->sack_delay);
    set_count(call, "sack_freq", &settings->sack_frequency);
    if (value_of(call, "sack_freq", &frequency) && frequency == 1)
        settings->sack_delay = 0; // every packet (RFC 6458, 8.1.19)
}

static void set_no_delay(const struct sctp_call *call, struct sctp_settings *settings)
{
    int64_t on;
    if (value_of(call, NULL, &on))
        settings->no_delay = on != 0;
}

static void set_receive_buffer(const struct sctp_call *call, struct sctp_settings *settings)
{
    set_count(call, NULL, &settings->receive_buffer);
}

static void set_send_buffer(const struct sctp_call *call, struct sctp_settings *settings)
{
    struct sctp_association *association = sctp_socket_association(call->fd->socket, 0);
    set_count(call, NULL, &settings->send_buffer);
    if (association && !association->ended)
        association->out.buffer.size = settings->send_buffer;
}

static void set_path(const struct sctp_call *call, struct sctp_settings *settings)
{
    int64_t flags = 0;
    value_of(call, "spp_flags", &flags);
    set_time(call, "spp_hbinterval", &settings->heartbeat_interval);
    set_count(call, "spp_pathmaxrxt", &settings->path_retries);
    if (flags & 1)
        settings->heartbeats = true;
    if (flags & 2)
        settings->heartbeats = false;
}

// Switches of what RFC 9260 does not have, or the model does not: off is what they are.
static const char *const always_off[] = {
    "SCTP_ECN_SUPPORTED",
    "SCTP_PR_SUPPORTED",
    "SCTP_ASCONF_SUPPORTED",
    "SCTP_AUTH_SUPPORTED",
    "SCTP_RECONFIG_SUPPORTED",
    "SCTP_NRSACK_SUPPORTED",
    "SCTP_PKTDROP_SUPPORTED",
    "SCTP_AUTO_ASCONF",
    "SCTP_ENABLE_STREAM_RESET",
    "SCTP_REMOTE_UDP_ENCAPS_PORT",
    "SCTP_INTERLEAVING_SUPPORTED",
    "SCTP_FRAGMENT_INTERLEAVE",
    NULL,
};

static const struct {
    const char *name;
    void (*set)(const struct sctp_call *call, struct sctp_settings *settings);
} settings_options[] = {
    {"SCTP_RTOINFO", set_rto},           {"SCTP_INITMSG", set_init},
    {"SCTP_ASSOCINFO", set_association}, {"SCTP_DELAYED_SACK", set_delay},
    {"SCTP_NODELAY", set_no_delay},      {"SO_RCVBUF", set_receive_buffer},
    {"SO_SNDBUF", set_send_buffer},      {"SCTP_PEER_ADDR_PARAMS", set_path},
};

// Options of a socket hold for its association, too, if it has one.
static void change(const struct sctp_call *call,
                   void (*set)(const struct sctp_call *, struct sctp_settings *))
{
    struct sctp_settings *of = sctp_association_settings(call->fd->socket, 0);
    set(call, sctp_socket_settings(call->fd->socket));
    if (of)
        set(call, of);
}

// The paths that there are already, and a heartbeat on demand.
static void change_paths(const struct sctp_call *call)
{
    struct sctp_association *association = sctp_socket_association(call->fd->socket, 0);
    int64_t flags = 0;
    value_of(call, "spp_flags", &flags);
    for (int i = 0; association && !association->ended && i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (flags & 3)
            path->heartbeats = flags & 1;
        sctp_heartbeat_rearm(call->made.context, path);
        if (flags & 4) {
            sctp_heartbeat_send(call->made.context, path);
            sctp_output(call->made.context, association);
        }
    }
}

static struct script_result set_events(struct sctp_call *call)
{
    static const struct {
        const char *field;
        unsigned event;
    } events[] = {
        {"sctp_data_io_event", SCTP_EVENT_DATA_IO},
        {"sctp_association_event", SCTP_EVENT_ASSOCIATION},
        {"sctp_address_event", SCTP_EVENT_ADDRESS},
        {"sctp_send_failure_event", SCTP_EVENT_SEND_FAILURE},
        {"sctp_peer_error_event", SCTP_EVENT_PEER_ERROR},
        {"sctp_shutdown_event", SCTP_EVENT_SHUTDOWN},
    };
    unsigned wanted = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(events); i++) {
        int64_t on;
        if (value_of(call, events[i].field, &on) && on != 0)
            wanted |= events[i].event;
    }
    sctp_subscribe(call->fd->socket, wanted);
    return script_call_returns(0);
}

// SCTP_EVENT: {se_assoc_id=…, se_type=SCTP_ASSOC_CHANGE, se_on=1}
static struct script_result set_event(struct sctp_call *call)
{
    static const struct {
        const char *name;
        unsigned event;
    } events[] = {
        {"SCTP_ASSOC_CHANGE", SCTP_EVENT_ASSOCIATION},
        {"SCTP_PEER_ADDR_CHANGE", SCTP_EVENT_ADDRESS},
        {"SCTP_SEND_FAILED", SCTP_EVENT_SEND_FAILURE},
        {"SCTP_REMOTE_ERROR", SCTP_EVENT_PEER_ERROR},
        {"SCTP_SHUTDOWN_EVENT", SCTP_EVENT_SHUTDOWN},
    };
    const struct script_value *value = script_call_argument(&call->made, 3);
    const struct script_value *type = value ? script_field(value, "se_type") : NULL;
    int64_t on;
    for (size_t i = 0; i < G_N_ELEMENTS(events) && type && value_of(call, "se_on", &on); i++)
        if (type->text && strcmp(type->text, events[i].name) == 0) {
            unsigned known = call->fd->socket->events;
            sctp_subscribe(call->fd->socket,
                           on ? known | events[i].event : known & ~events[i].event);
            return script_call_returns(0);
        }
    return script_call_unsupported(&call->made, "such an event");
}

static struct script_result set_linger(struct sctp_call *call)
{
    int64_t on = 0, time = 0;
    if (!value_of(call, "onoff", &on) || !value_of(call, "linger", &time))
        return script_call_unsupported(&call->made, "such a value");
    if (on && time > 0)
        return script_call_unsupported(&call->made, "a time to linger");
    call->fd->abortive = on != 0;
    return script_call_returns(0);
}

struct script_result sctp_call_setsockopt(struct sctp_call *call)
{
    const struct script_value *name = script_call_argument(&call->made, 2);
    int64_t value;
    if (!name || name->kind != SCRIPT_VALUE_NAME || !script_call_argument(&call->made, 3))
        return script_call_unsupported(&call->made, "such arguments");
    for (size_t i = 0; i < G_N_ELEMENTS(settings_options); i++)
        if (strcmp(settings_options[i].name, name->text) == 0) {
            change(call, settings_options[i].set);
            if (settings_options[i].set == set_path)
                change_paths(call);
            return script_call_returns(0);
        }
    if (strcmp(name->text, "SO_REUSEADDR") == 0)
        return script_call_returns(0);
    if (strcmp(name->text, "SCTP_EVENTS") == 0)
        return set_events(call);
    if (strcmp(name->text, "SCTP_EVENT") == 0)
        return set_event(call);
    if (strcmp(name->text, "SO_LINGER") == 0)
        return set_linger(call);
    bool given = value_of(call, "assoc_value", &value);
    if (g_strv_contains(always_off, name->text) && given && value == 0)
        return script_call_returns(0);
    return script_call_unsupported(&call->made, name->text);
}

// ---- Asking ----

static struct script_result get_status(struct sctp_call *call, const struct script_value *value)
{
    struct sctp_status status;
    if (!sctp_status(call->fd->socket, 0, &status))
        return script_call_fails("EINVAL");
    const struct script_value *state = script_field(value, "sstat_state");
    char *is = g_strdelimit(g_strconcat("SCTP_", status.state, NULL), "-", '_');
    if (state && state->kind == SCRIPT_VALUE_NAME && strcmp(state->text, is) != 0)
        script_fail(call->made.report, call->made.event->line,
                    "expected sstat_state to be %s, got %s", state->text, is);
    g_free(is);
    sctp_call_expect(call, value, "sstat_rwnd", status.peer_rwnd);
    sctp_call_expect(call, value, "sstat_unackdata", status.unacked);
    sctp_call_expect(call, value, "sstat_penddata", status.pending);
    sctp_call_expect(call, value, "sstat_instrms", status.streams_in);
    sctp_call_expect(call, value, "sstat_outstrms", status.streams_out);
    sctp_call_expect(call, value, "sstat_fragmentation_point", status.fragment_point);
    return script_call_returns(0);
}

static struct script_result get_rto(struct sctp_call *call, const struct script_value *value)
{
    const struct sctp_settings *of = sctp_association_settings(call->fd->socket, 0);
    if (!of)
        of = sctp_socket_settings(call->fd->socket);
    sctp_call_expect(call, value, "srto_initial", of->rto_initial / TIME_MS);
    sctp_call_expect(call, value, "srto_max", of->rto_most / TIME_MS);
    sctp_call_expect(call, value, "srto_min", of->rto_least / TIME_MS);
    return script_call_returns(0);
}

static struct script_result get_init(struct sctp_call *call, const struct script_value *value)
{
    const struct sctp_settings *of = sctp_socket_settings(call->fd->socket);
    sctp_call_expect(call, value, "sinit_num_ostreams", of->streams_out);
    sctp_call_expect(call, value, "sinit_max_instreams", of->streams_in);
    sctp_call_expect(call, value, "sinit_max_attempts", of->init_retries);
    sctp_call_expect(call, value, "sinit_max_init_timeo",
                     (of->init_rto_most ? of->init_rto_most : of->rto_most) / TIME_MS);
    return script_call_returns(0);
}

// A number in brackets.
static struct script_result get_number(struct sctp_call *call, int64_t is)
{
    int64_t expected;
    if (value_of(call, "assoc_value", &expected) && expected != is)
        script_fail(call->made.report, call->made.event->line,
                    "expected the option to be %" G_GINT64_FORMAT ", got %" G_GINT64_FORMAT,
                    expected, is);
    return script_call_returns(0);
}

static int64_t error_number(int error)
{
    struct script_result result = sctp_call_result(error, false);
    for (const struct script_constant *at = sctp_script_constants; result.error && at->name; at++)
        if (strcmp(at->name, result.error) == 0)
            return at->value;
    return 0;
}

// SCTP_GET_PEER_ADDR_INFO of the only address.
static struct script_result get_path(struct sctp_call *call, const struct script_value *value)
{
    enum { INACTIVE = 2, ACTIVE = 1, UNCONFIRMED = 0x200 }; // sys/netinet/sctp.h
    const struct sctp_association *association = sctp_socket_association(call->fd->socket, 0);
    if (!association || association->ended)
        return script_call_fails("EINVAL");
    const struct sctp_path *path = association->primary;
    sctp_call_expect(call, value, "spinfo_state",
                     path->machine.state == SCTP_PATH_UNCONFIRMED ? UNCONFIRMED
                     : path->machine.state == SCTP_PATH_INACTIVE  ? INACTIVE
                                                                  : ACTIVE);
    sctp_call_expect(call, value, "spinfo_cwnd", path->cc.cwnd);
    sctp_call_expect(call, value, "spinfo_srtt", path->rto.sa / 8); // a tick is a millisecond
    sctp_call_expect(call, value, "spinfo_rto", path->rto.rto);
    sctp_call_expect(call, value, "spinfo_mtu", path->mtu);
    return script_call_returns(0);
}

struct script_result sctp_call_getsockopt(struct sctp_call *call)
{
    const struct script_value *name = script_call_argument(&call->made, 2);
    const struct script_value *value = script_call_argument(&call->made, 3);
    struct sctp_socket *socket = call->fd->socket;
    const struct sctp_settings *settings = sctp_socket_settings(socket);
    if (!name || name->kind != SCRIPT_VALUE_NAME || !value)
        return script_call_unsupported(&call->made, "such arguments");
    if (strcmp(name->text, "SO_ERROR") == 0)
        return get_number(call, error_number(sctp_socket_error(socket)));
    if (strcmp(name->text, "SCTP_STATUS") == 0)
        return get_status(call, value);
    if (strcmp(name->text, "SCTP_RTOINFO") == 0)
        return get_rto(call, value);
    if (strcmp(name->text, "SCTP_INITMSG") == 0)
        return get_init(call, value);
    if (strcmp(name->text, "SCTP_GET_PEER_ADDR_INFO") == 0)
        return get_path(call, value);
    if (strcmp(name->text, "SCTP_NODELAY") == 0)
        return get_number(call, settings->no_delay);
    if (strcmp(name->text, "SO_RCVBUF") == 0)
        return get_number(call, settings->receive_buffer);
    if (strcmp(name->text, "SO_SNDBUF") == 0)
        return get_number(call, settings->send_buffer);
    if (g_strv_contains(always_off, name->text))
        return get_number(call, 0);
    return script_call_unsupported(&call->made, name->text);
}
