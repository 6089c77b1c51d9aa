// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // RLIMIT_NOFILE's rlimit
#include "sim/output/captures.h"

#include "sim/model/model.h"
#include "sim/output/file.h"
#include "sim/output/pcapng.h"
#include "sim/output/recorder.h"
#include "sim/scenario/scenario.h"

#include <string.h>
#include <sys/resource.h>

#define MOST_HELD 1024      // frames of a node whose end is not known
#define FILES_BESIDES 64    // that a run has open besides captures
#define LONGEST_FOLDER 100U // bytes, without the number

// A host of the series that runs.
struct node_file {
    const char *name;
    struct pcapng *pcapng; // NULL: it could not be opened
    int interfaces;
    GQueue held; // struct held_frame *, in the order of time
};

struct held_frame {
    struct node_file *node;
    GByteArray *block;
    const void *packet; // NULL: its end is known
    enum capture_direction direction;
};

// By the number that the series' interfaces have here.
struct captured_interface {
    struct node_file *node;
    int number; // in its file
};

struct captures {
    struct recorder recorder;
    const struct captures_options *options;
    const struct scenario *scenario;
    GPtrArray *folders; // char *, by series: the paths
    GPtrArray *paths;   // char *, of all files
    const char *folder; // of the series that runs; NULL: none does
    const char *series;
    GPtrArray *nodes;   // struct node_file *
    GArray *interfaces; // struct captured_interface
    GHashTable *open;   // packet -> the last struct held_frame * of it
    GError *error;      // the first
};

// ---- Names ----

// A folder's name from a series'; the caller frees it.
static char *folder_name(const char *series)
{
    char *name = g_strndup(*series ? series : "_", LONGEST_FOLDER);
    for (char *at = name; *at; at++)
        if (!g_ascii_isalnum(*at) && !strchr("-_.", *at))
            *at = '_';
    if (*name == '.' || *name == '-')
        *name = '_';
    return name;
}

// Names that differ also where capitals are no other letters. `taken` has what lower-case names
// there are.
static char *folder_of(GHashTable *taken, const char *series)
{
    char *first = folder_name(series), *name = g_strdup(first);
    char *key = g_ascii_strdown(name, -1);
    for (int number = 2; g_hash_table_contains(taken, key); number++) {
        g_free(name);
        g_free(key);
        name = g_strdup_printf("%s-%d", first, number);
        key = g_ascii_strdown(name, -1);
    }
    g_hash_table_add(taken, key);
    g_free(first);
    return name;
}

static bool is_wanted(const struct captures_options *options, const char *node)
{
    return !options->nodes || g_strv_contains(options->nodes, node);
}

static char *path_of(const char *folder, const char *node)
{
    char *name = g_strconcat(node, ".pcapng", NULL);
    char *path = g_build_filename(folder, name, NULL);
    g_free(name);
    return path;
}

static const char *host_name(const struct scenario_case *test_case, guint host)
{
    return g_array_index(test_case->topology.hosts, struct topology_node, host).name;
}

static void captures_name(struct captures *captures)
{
    GHashTable *taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < captures->scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(captures->scenario->cases, i);
        char *name = folder_of(taken, one->name);
        char *folder = g_build_filename(captures->recorder.path, name, NULL);
        g_ptr_array_add(captures->folders, folder);
        for (guint host = 0; host < one->topology.hosts->len; host++)
            if (is_wanted(captures->options, host_name(one, host)))
                g_ptr_array_add(captures->paths, path_of(folder, host_name(one, host)));
        g_free(name);
    }
    g_hash_table_unref(taken);
}

// ---- Checks ----

static bool stacks_have_frames(const struct registry *registry, const struct scenario *scenario,
                               GError **error)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (registry_stack(registry, one->stack->name)->frames)
            continue;
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "--pcap: the series %s has nothing to capture: its stack, %s, has no frames "
                    "whose bytes are known; leave it out, or --pcap",
                    one->name, one->stack->name);
        return false;
    }
    return true;
}

static bool has_host(const struct scenario *scenario, const char *name, GPtrArray *known)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        for (guint host = 0; host < one->topology.hosts->len; host++) {
            const char *other = host_name(one, host);
            if (strcmp(other, name) == 0)
                return true;
            if (!g_ptr_array_find_with_equal_func(known, other, g_str_equal, NULL))
                g_ptr_array_add(known, (gpointer)other);
        }
    }
    return false;
}

static bool nodes_are_there(const struct captures_options *options, const struct scenario *scenario,
                            GError **error)
{
    enum { MOST_NAMED = 16 };
    for (int i = 0; options->nodes && options->nodes[i]; i++) {
        GPtrArray *known = g_ptr_array_new();
        bool there = has_host(scenario, options->nodes[i], known);
        bool all = known->len <= MOST_NAMED;
        if (!all)
            g_ptr_array_set_size(known, MOST_NAMED);
        g_ptr_array_add(known, NULL);
        char *names = g_strjoinv(", ", (char **)known->pdata);
        if (!there)
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                        "--pcap-at: no host is called %s; there are %s%s", options->nodes[i], names,
                        all ? "" : ", …");
        g_free(names);
        g_ptr_array_free(known, TRUE);
        if (!there)
            return false;
    }
    return true;
}

static bool is_directory(const char *path, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_EXISTS) || g_file_test(path, G_FILE_TEST_IS_DIR))
        return true;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR,
                "--pcap %s: this is no directory; captures are one file for each series and node, "
                "DIR/SERIES/NODE.pcapng (mergecap joins some that are to be one)",
                path);
    return false;
}

// Files that are open at once.
static guint files_at_once(const struct captures *captures)
{
    guint most = 0;
    for (guint i = 0; i < captures->scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(captures->scenario->cases, i);
        guint count = 0;
        for (guint host = 0; host < one->topology.hosts->len; host++)
            count += is_wanted(captures->options, host_name(one, host));
        most = MAX(most, count);
    }
    return most;
}

static bool files_suffice(const struct captures *captures, GError **error)
{
    struct rlimit limit;
    rlim_t needed = files_at_once(captures) + FILES_BESIDES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return true;
    limit.rlim_cur = MIN(needed, limit.rlim_max);
    if (limit.rlim_cur == needed && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return true;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_MFILE,
                "--pcap: %u files at once are more than the system allows; --pcap-at takes fewer "
                "nodes, ulimit -n allows more",
                files_at_once(captures));
    return false;
}

static bool captures_open(struct recorder *recorder, GError **error)
{
    const struct captures *captures = (const struct captures *)recorder;
    if (!file_check_directory(recorder->path, error))
        return false;
    for (guint i = 0; i < captures->folders->len; i++)
        if (!file_ready_directory(g_ptr_array_index(captures->folders, i), error))
            return false;
    return files_suffice(captures, error);
}

static void captures_append_uses(const struct recorder *recorder, GArray *uses)
{
    const struct captures *captures = (const struct captures *)recorder;
    const GPtrArray *lists[] = {captures->folders, captures->paths};
    for (size_t list = 0; list < G_N_ELEMENTS(lists); list++)
        for (guint i = 0; i < lists[list]->len; i++) {
            struct file_use use = {"--pcap", g_ptr_array_index(lists[list], i), true};
            g_array_append_val(uses, use);
        }
}

// Names come from files: what is no UTF-8 must not break the document.
static json_t *name_json(const char *name)
{
    char *valid = g_utf8_make_valid(name, -1);
    json_t *string = json_string(valid);
    g_free(valid);
    return string;
}

static void captures_append_files(const struct recorder *recorder, int series, json_t *list)
{
    const struct captures *captures = (const struct captures *)recorder;
    const struct scenario_case *one = g_ptr_array_index(captures->scenario->cases, (guint)series);
    for (guint host = 0; host < one->topology.hosts->len; host++) {
        const char *node = host_name(one, host);
        char *path = path_of(g_ptr_array_index(captures->folders, (guint)series), node);
        // A host without a card of the stack has none.
        if (is_wanted(captures->options, node) && g_file_test(path, G_FILE_TEST_EXISTS))
            json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:s}", "as", "--pcap", "file",
                                                  name_json(path), "series", name_json(one->name),
                                                  "node", node));
        g_free(path);
    }
}

// ---- Frames ----

static void held_free(struct held_frame *held)
{
    g_byte_array_free(held->block, TRUE);
    g_free(held);
}

static void held_write(struct held_frame *held)
{
    pcapng_write(held->node->pcapng, held->block);
    g_free(held);
}

// Writes what is known up to the first frame that is not, or that one too if too many wait.
static void node_write(struct captures *captures, struct node_file *node)
{
    for (;;) {
        struct held_frame *first = g_queue_peek_head(&node->held);
        if (!first || (first->packet && g_queue_get_length(&node->held) <= MOST_HELD))
            return;
        if (first->packet)
            g_hash_table_remove(captures->open, first->packet);
        held_write(g_queue_pop_head(&node->held));
    }
}

// The frame's end is known.
static void captures_settle(struct captures *captures, struct held_frame *held)
{
    g_hash_table_remove(captures->open, held->packet);
    held->packet = NULL;
    node_write(captures, held->node);
}

static struct node_file *node_of(struct captures *captures, const char *name)
{
    for (guint i = 0; i < captures->nodes->len; i++) {
        struct node_file *node = g_ptr_array_index(captures->nodes, i);
        if (strcmp(node->name, name) == 0)
            return node;
    }
    struct node_file *node = g_new0(struct node_file, 1);
    char *path = path_of(captures->folder, name);
    node->name = g_intern_string(name);
    node->pcapng = pcapng_open(path, captures->series, captures->error ? NULL : &captures->error);
    g_queue_init(&node->held);
    g_ptr_array_add(captures->nodes, node);
    g_free(path);
    return node;
}

static struct captures *captures_of(struct capture *capture)
{
    return container_of(capture, struct captures, recorder.capture);
}

static int captures_interface(struct capture *capture, const char *name,
                              const struct capture_link *link, int64_t rate)
{
    struct captures *captures = captures_of(capture);
    if (!captures->folder || !is_wanted(captures->options, name))
        return -1;
    struct node_file *node = node_of(captures, name);
    if (!node->pcapng)
        return -1;
    // A number distinguishes the second card of a host from the first.
    char *shown = node->interfaces == 0 ? g_strdup(name)
                                        : g_strdup_printf("%s#%d", name, node->interfaces + 1);
    struct captured_interface interface = {
        node, pcapng_interface(node->pcapng, shown, link, rate,
                               (uint32_t)MIN(captures->options->snap, UINT32_MAX))};
    node->interfaces++;
    g_free(shown);
    g_array_append_val(captures->interfaces, interface);
    return (int)captures->interfaces->len - 1;
}

static bool captures_wants(const struct capture *capture, int interface, sim_time when)
{
    const struct captures_options *options =
        container_of(capture, const struct captures, recorder.capture)->options;
    (void)interface;
    return when >= options->from && (options->to == 0 || when < options->to);
}

static void captures_frame(struct capture *capture, const struct capture_frame *frame)
{
    struct captures *captures = captures_of(capture);
    const struct captured_interface *interface =
        &g_array_index(captures->interfaces, struct captured_interface, frame->interface);
    uint32_t captured = frame->length;
    if (captures->options->snap > 0 && captured > captures->options->snap)
        captured = (uint32_t)captures->options->snap;
    struct held_frame *before = g_hash_table_lookup(captures->open, frame->packet);
    if (before)
        captures_settle(captures, before); // it has arrived
    struct held_frame *held = g_new(struct held_frame, 1);
    *held = (struct held_frame){
        .node = interface->node,
        .block = pcapng_block(interface->number, frame, captured),
        .packet = frame->packet,
        .direction = frame->direction,
    };
    if (frame->message)
        pcapng_comment(held->block, frame->message);
    g_hash_table_insert(captures->open, (gpointer)frame->packet, held);
    g_queue_push_tail(&interface->node->held, held);
    node_write(captures, interface->node);
}

static void captures_ended(struct capture *capture, const void *packet, sim_time when,
                           const char *reason)
{
    struct captures *captures = captures_of(capture);
    struct held_frame *held = g_hash_table_lookup(captures->open, packet);
    if (!held)
        return;
    if (reason) {
        char *text = g_strdup_printf("dropped %s: %s, at %.3f us",
                                     held->direction == CAPTURE_IN ? "here" : "on its way", reason,
                                     time_to_us(when));
        pcapng_comment(held->block, text);
        g_free(text);
    }
    captures_settle(captures, held);
}

static const struct capture_ops captures_ops = {
    .interface = captures_interface,
    .wants = captures_wants,
    .frame = captures_frame,
    .ended = captures_ended,
};

// ---- Series ----

static void node_end(struct captures *captures, struct node_file *node, bool keep)
{
    struct held_frame *held;
    while ((held = g_queue_pop_head(&node->held)))
        if (keep)
            held_write(held);
        else
            held_free(held);
    if (keep)
        pcapng_close(node->pcapng, captures->error ? NULL : &captures->error);
    else
        pcapng_drop(node->pcapng);
}

// Moves the files of a series to their places, or discards them.
static void captures_end_series(struct recorder *recorder, bool complete)
{
    struct captures *captures = (struct captures *)recorder;
    for (guint i = 0; i < captures->nodes->len; i++)
        node_end(captures, g_ptr_array_index(captures->nodes, i), complete);
    g_ptr_array_set_size(captures->nodes, 0);
    g_array_set_size(captures->interfaces, 0);
    g_hash_table_remove_all(captures->open);
    captures->folder = captures->series = NULL;
}

static void captures_begin_series(struct recorder *recorder, int series, const char *name)
{
    struct captures *captures = (struct captures *)recorder;
    captures->folder = g_ptr_array_index(captures->folders, series);
    captures->series = name;
}

// ---- Create and free ----

static void captures_init(struct recorder *recorder)
{
    struct captures *captures = (struct captures *)recorder;
    captures->folders = g_ptr_array_new_with_free_func(g_free);
    captures->paths = g_ptr_array_new_with_free_func(g_free);
    captures->nodes = g_ptr_array_new_with_free_func(g_free);
    captures->interfaces = g_array_new(FALSE, FALSE, sizeof(struct captured_interface));
    captures->open = g_hash_table_new(g_direct_hash, g_direct_equal);
}

static bool captures_plan(struct recorder *recorder, const struct recorders_request *request,
                          GError **error)
{
    struct captures *captures = (struct captures *)recorder;
    captures->options = request->captures;
    captures->scenario = request->scenario;
    if (!is_directory(recorder->path, error) ||
        !stacks_have_frames(request->registry, request->scenario, error) ||
        !nodes_are_there(request->captures, request->scenario, error))
        return false;
    captures_name(captures);
    return true;
}

static void captures_share(struct recorder *part, const struct recorder *whole)
{
    struct captures *captures = (struct captures *)part;
    const struct captures *shared = (const struct captures *)whole;
    captures->options = shared->options;
    captures->scenario = shared->scenario;
    g_ptr_array_unref(captures->folders);
    captures->folders = g_ptr_array_ref(shared->folders);
}

static bool captures_are_whole(struct recorder *recorder, GError **error)
{
    struct captures *captures = (struct captures *)recorder;
    bool whole = !captures->error;
    if (!whole)
        g_propagate_error(error, g_steal_pointer(&captures->error));
    return whole;
}

static void captures_clear(struct recorder *recorder)
{
    struct captures *captures = (struct captures *)recorder;
    captures_end_series(recorder, false);
    g_clear_error(&captures->error);
    g_hash_table_unref(captures->open);
    g_array_unref(captures->interfaces);
    g_ptr_array_unref(captures->nodes);
    g_ptr_array_unref(captures->paths);
    g_ptr_array_unref(captures->folders);
}

static const struct recorder_directory_ops captures_directory = {
    .plan = captures_plan,
    .share = captures_share,
    .open = captures_open,
    .append_uses = captures_append_uses,
    .append_files = captures_append_files,
    .is_whole = captures_are_whole,
};

const struct recorder_kind captures_kind = {
    .size = sizeof(struct captures),
    .frame = &captures_ops,
    .directory = &captures_directory,
    .init = captures_init,
    .begin_series = captures_begin_series,
    .end_series = captures_end_series,
    .clear = captures_clear,
};
