// SPDX-License-Identifier: GPL-3.0-or-later
// Requirements of links and cut-through switches on a topology, beyond what the configuration
// compiler checks for all.
#include "sim/net/link.h"
#include "sim/net/network.h"
#include "sim/net/switch.h"

#include <string.h>

struct check {
    const struct topology *topology;
    struct diag_list *diags;
    bool good;
};

static const struct topology_switch *check_switch(const struct check *check, int node)
{
    int index = node - (int)check->topology->hosts->len;
    return index < 0 ? NULL : g_ptr_array_index(check->topology->switches, index);
}

static bool node_cuts_through(const struct topology_switch *node)
{
    const struct switch_config *config = node ? node->values->values : NULL;
    return config && config->discipline == SWITCH_CUT_THROUGH;
}

static const char *node_name(const struct check *check, int node)
{
    const struct topology_switch *at = check_switch(check, node);
    return at ? at->name : g_array_index(check->topology->hosts, struct topology_node, node).name;
}

// A cut-through switch forwards bytes as they arrive: its links must agree on byte time and
// framing.
static void check_same(struct check *check, const struct topology_switch *node,
                       const struct topology_link *link, const struct topology_link *first)
{
    const struct link_config *x = link->values->values, *y = first->values->values;
    const char *differs = x->rate != y->rate                 ? "rate"
                          : x->preamble != y->preamble       ? "preamble"
                          : x->gap != y->gap                 ? "gap"
                          : x->least_frame != y->least_frame ? "least_frame"
                                                             : NULL;
    if (!differs)
        return;
    check->good = false;
    diag_add(check->diags, link->mark, link->values->path,
             "give all links of a cut-through switch the same rate, preamble, gap and least_frame",
             "the links %s-%s and %s-%s at cut-through switch %s differ in %s",
             node_name(check, first->a), node_name(check, first->b), node_name(check, link->a),
             node_name(check, link->b), node->name, differs);
}

// The slack buffer holds the bytes that arrive before the first can leave; a smaller one would stop
// every packet.
static void check_slack(struct check *check, const struct topology_switch *node,
                        const struct topology_link *link)
{
    const struct switch_config *config = node->values->values;
    const struct link_config *wire = link->values->values;
    if (config->stop || config->go)
        return; // check_stop_go
    sim_time wait = time_of_bytes(wire->preamble + config->header, wire->rate) + wire->propagation +
                    config->latency;
    if (time_of_bytes(config->slack, wire->rate) >= wait)
        return;
    sim_time byte = time_of_bytes(1, wire->rate);
    char *hint = g_strdup_printf("slack of %" G_GINT64_FORMAT " B, or less latency",
                                 (wait + byte - 1) / byte);
    check->good = false;
    diag_add(check->diags, node->mark, node->values->path, hint,
             "slack of %" G_GINT64_FORMAT " B at %s does not hold what link %s-%s brings while a "
             "packet's header is awaited and its output found",
             config->slack, node->name, node_name(check, link->a), node_name(check, link->b));
    g_free(hint);
}

// Route bytes are part of the header and are removed within the latency.
static void check_route_bytes(struct check *check, const struct topology_switch *node,
                              const struct topology_link *link)
{
    const struct switch_config *config = node->values->values;
    const struct link_config *wire = link->values->values;
    const char *bound = NULL, *hint = NULL;
    if (config->route_bytes > config->header) {
        bound = "than its header has";
        hint = "give it a header of as many bytes";
    } else if (time_of_bytes(config->route_bytes, wire->rate) > config->latency) {
        bound = "than it can take off in its latency";
        hint = "give it a latency of a byte time for each";
    }
    if (!bound)
        return;
    check->good = false;
    diag_add(check->diags, node->mark, node->values->path, hint,
             "cut-through switch %s has more route bytes (%" G_GINT64_FORMAT ") %s", node->name,
             config->route_bytes, bound);
}

// go < stop < slack, with a header below the first.
static bool check_thresholds(struct check *check, const struct topology_switch *node,
                             const struct link_config *wire)
{
    const struct switch_config *config = node->values->values;
    bool rises = config->go < config->stop && config->stop < config->slack;
    if (rises && wire->preamble + config->header <= config->go)
        return true;
    check->good = false;
    diag_add(check->diags, node->mark, node->values->path,
             "header <= go < stop < slack, such as 40 B, 56 B and 80 B",
             "cut-through switch %s has a header of %" G_GINT64_FORMAT " B, go of %" G_GINT64_FORMAT
             " B, stop of %" G_GINT64_FORMAT " B and slack of %" G_GINT64_FORMAT " B",
             node->name, wire->preamble + config->header, config->go, config->stop, config->slack);
    return false;
}

// While a symbol travels to the sender and a byte back, no more bytes may arrive than fit above
// `stop`, and no more may leave than `go`.
static void check_round_trip(struct check *check, const struct topology_switch *node,
                             const struct topology_link *link)
{
    const struct switch_config *config = node->values->values;
    const struct link_config *wire = link->values->values;
    sim_time byte = time_of_bytes(1, wire->rate), trip = 2 * (wire->propagation + byte);
    int64_t room = MIN(config->slack - config->stop + 1, config->go);
    if (trip <= room * byte)
        return;
    sim_time fits = room * byte / 2 - byte;
    int64_t bytes = (trip + byte - 1) / byte;
    char *hint = fits < 0 ? g_strdup_printf("go of %" G_GINT64_FORMAT
                                            " B, and a slack of %" G_GINT64_FORMAT " B above stop",
                                            bytes, bytes - 1)
                          : g_strdup_printf("propagation of at most %.10g ns (%.3g m of cable at 5 "
                                            "ns/m), or go of %" G_GINT64_FORMAT
                                            " B and a slack of %" G_GINT64_FORMAT " B above stop",
                                            (double)fits / TIME_NS, (double)fits / TIME_NS / 5,
                                            bytes, bytes - 1);
    check->good = false;
    diag_add(check->diags, node->mark, node->values->path, hint,
             "%" G_GINT64_FORMAT " B come in at %s over link %s-%s while STOP or GO goes back: the "
             "slack buffer overflows or runs empty with go of %" G_GINT64_FORMAT
             " B, stop of %" G_GINT64_FORMAT " B and slack of %" G_GINT64_FORMAT " B",
             bytes - 1, node->name, node_name(check, link->a), node_name(check, link->b),
             config->go, config->stop, config->slack);
    g_free(hint);
}

static void check_stop_go(struct check *check, const struct topology_switch *node,
                          const struct topology_link *link)
{
    const struct switch_config *config = node->values->values;
    const struct link_config *wire = link->values->values;
    if (!config->stop && !config->go)
        return;
    if (!check_thresholds(check, node, wire))
        return;
    if (8 * TIME_S % wire->rate != 0) {
        check->good = false;
        diag_add(check->diags, link->mark, link->values->path, "a rate such as 1.28 Gb/s or 2 Gb/s",
                 "STOP and GO at cut-through switch %s need a byte time of whole picoseconds",
                 node->name);
        return;
    }
    check_round_trip(check, node, link);
}

// Either the whole network uses STOP and GO or none of it.
static void check_same_flow_control(struct check *check)
{
    const struct topology_switch *first = NULL;
    for (guint i = 0; i < check->topology->switches->len; i++) {
        const struct topology_switch *node = g_ptr_array_index(check->topology->switches, i);
        if (!node_cuts_through(node))
            continue;
        const struct switch_config *config = node->values->values;
        const struct switch_config *other = first ? first->values->values : config;
        if (!first)
            first = node;
        if ((config->stop > 0) == (other->stop > 0))
            continue;
        check->good = false;
        diag_add(check->diags, node->mark, node->values->path,
                 "give all cut-through switches stop and go, or none",
                 "of the cut-through switches %s and %s only one has stop and go", first->name,
                 node->name);
        return;
    }
}

static void check_cut_through(struct check *check)
{
    const struct topology *topology = check->topology;
    guint count = topology->switches->len;
    const struct topology_link **first = g_new0(const struct topology_link *, count);
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        for (int side = 0; side < 2; side++) {
            int end = side ? link->b : link->a;
            const struct topology_switch *node = check_switch(check, end);
            if (!node_cuts_through(node))
                continue;
            const struct topology_link **known = &first[end - (int)topology->hosts->len];
            if (*known) {
                check_same(check, node, link, *known);
            } else {
                check_route_bytes(check, node, link);
                *known = link;
            }
            check_slack(check, node, link);
            check_stop_go(check, node, link);
        }
    }
    g_free(first);
}

// A time-out before the answer can arrive would repeat every packet forever.
static void check_time_out(struct check *check, const struct topology_link *link)
{
    const struct link_config *wire = link->values->values;
    sim_time answer = link_answer_time(wire);
    if (wire->window == 0 || wire->repeat_timeout > answer)
        return;
    check->good = false;
    diag_add(check->diags, link->mark, link->values->path,
             "a longer repeat_timeout, or a shorter propagation",
             "link %s-%s repeats packets after %.10g us, but its acknowledgements take %.10g us",
             node_name(check, link->a), node_name(check, link->b),
             (double)wire->repeat_timeout / TIME_US, (double)answer / TIME_US);
}

// Where a setting of the link comes from; the link's own place if it has its default.
static struct source_mark setting_mark(const struct topology_link *link, const char *name)
{
    const struct param_values *values = link->values;
    for (int i = 0; values->origins && values->table->params[i].name; i++)
        if (strcmp(values->table->params[i].name, name) == 0 && values->origins[i].line > 0)
            return values->origins[i];
    return link->mark;
}

static const char *disorder_setting(const struct link_config *wire)
{
    return wire->duplicate_probability > 0 ? "duplicate_probability"
           : wire->duplicate_nth.count     ? "duplicate_nth"
           : wire->reorder_probability > 0 ? "reorder_probability"
           : wire->reorder_nth.count       ? "reorder_nth"
           : wire->jitter > 0              ? "jitter"
                                           : NULL;
}

// Where a link repeats packets, or a switch forwards bytes as they arrive, packets leave a link in
// the order in which they entered it, and once.
static void check_disorder(struct check *check, const struct topology_link *link)
{
    const struct link_config *wire = link->values->values;
    const char *setting = disorder_setting(wire), *why = NULL, *hint = NULL;
    if (!setting)
        return;
    bool cuts = node_cuts_through(check_switch(check, link->a)) ||
                node_cuts_through(check_switch(check, link->b));
    if (cuts) {
        why = "ends at a cut-through switch, which passes on a packet's bytes as they come";
        hint = "set it for links between hosts and store-and-forward switches alone";
    } else if (wire->window > 0) {
        why = "has a window: it delivers each packet once and in order";
        hint = "give the link no window, or leave the setting out";
    } else {
        return;
    }
    check->good = false;
    diag_add(check->diags, setting_mark(link, setting), link->values->path, hint,
             "%s cannot be set: link %s-%s %s", setting, node_name(check, link->a),
             node_name(check, link->b), why);
}

static void check_links(struct check *check)
{
    for (guint i = 0; i < check->topology->links->len; i++) {
        check_time_out(check, g_ptr_array_index(check->topology->links, i));
        check_disorder(check, g_ptr_array_index(check->topology->links, i));
    }
}

// A switch that sends PAUSE frames needs a mark at which it does.
static void check_pause(struct check *check, const struct topology_switch *node)
{
    const struct switch_config *config = node->values->values;
    int64_t high = switch_pause_high(config);
    const char *hint = NULL, *why = NULL;
    if (!(config->pause & PAUSE_SEND) || config->discipline == SWITCH_CUT_THROUGH)
        return;
    if (high == 0) {
        why = "has neither pause_high nor queue_bytes: no queue would ask for any";
        hint = "set queue_bytes, of which half is the mark, or pause_high";
    } else if (config->queue_bytes > 0 && high > config->queue_bytes) {
        why = "has a pause_high above its queue_bytes";
        hint = "leave room above the mark for what is under way";
    } else if (config->pause_low > high) {
        why = "has a pause_low above pause_high";
        hint = "end a pause below the mark at which it begins";
    } else {
        return;
    }
    check->good = false;
    diag_add(check->diags, node->mark, node->values->path, hint,
             "switch %s sends PAUSE frames, and %s", node->name, why);
}

static void check_switches(struct check *check)
{
    for (guint i = 0; i < check->topology->switches->len; i++)
        check_pause(check, g_ptr_array_index(check->topology->switches, i));
}

bool network_check(const struct topology *topology, struct diag_list *diags)
{
    struct check check = {topology, diags, true};
    check_cut_through(&check);
    check_same_flow_control(&check);
    check_links(&check);
    check_switches(&check);
    return check.good;
}

// ---- Faults ----

static bool has_faults(const struct link_config *link)
{
    return link->bit_error_rate > 0 || link->drop_probability > 0 || link->drop_nth.count > 0 ||
           link->corrupt_nth.count > 0 || link->down.count > 0 || link_disorders(link);
}

const struct topology_link *network_faulty_link(const struct topology *topology)
{
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if (has_faults(link->values->values))
            return link;
    }
    return NULL;
}
