// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of GRIM's library, and of remote memory at the card.
#include "models/grim/endpoint/endpoint.h"
#include "models/grim/memory/memory.h"

#define C struct grim_config

#define INSTRUCTIONS "prior: instructions"

static const char *const publish_choices[] = {"sender", "all", NULL};

static const struct param grim_params[] = {
    PARAM(C, call, PARAM_COST, .fallback = "60 cycles",
          .doc = "entering a GRIM call: checks, finding the endpoint", .source = INSTRUCTIONS),
    PARAM(C, message, PARAM_COST, .fallback = "150 cycles",
          .doc = "building a message's header and looking for room in the channel's queue",
          .source = INSTRUCTIONS),
    PARAM(C, poll, PARAM_COST, .fallback = "40 cycles",
          .doc = "one look at the endpoint's queue, and one turn of a loop that waits for it",
          .source = INSTRUCTIONS),
    PARAM(C, handle, PARAM_COST, .fallback = "150 cycles",
          .doc = "taking an active message out of the queue and calling its handler",
          .source = INSTRUCTIONS),
    PARAM(C, function, PARAM_COST, .fallback = "20 cycles",
          .doc = "a handler's own work, without a reply",
          .source = "assumed: the tests' handlers do nothing"),
    PARAM(C, lookup, PARAM_COST, .fallback = "100 cycles",
          .doc = "looking up a handler's name in a table: an endpoint's own, or the server's",
          .source = INSTRUCTIONS),
    PARAM(C, handlers, PARAM_NAMES, .fallback = "[]",
          .doc = "functions besides nop and reply that every endpoint registers at the start",
          .source = "assumed"),
    PARAM(C, server, PARAM_COUNT, .fallback = "0", .most = "65535",
          .doc = "rank of the node that registers handlers",
          .source = "thesis 003, 4.4.1: a single node is dedicated to it"),
    PARAM(C, publish, PARAM_CHOICE, .fallback = "sender", .choices = publish_choices,
          .doc = "who is sent the list of handlers when names were submitted",
          .source = "thesis 003, 4.4.1: back to the sender, as in figure 4.11"),
    PARAM(C, part, PARAM_SIZE, .fallback = "64572 B", .least = "4 B", .most = "64572 B",
          .doc = "most bytes of a longer transfer in one message",
          .source = "thesis 003, Fig. 4.2: the longest payload"),
    PARAM(C, overflow, PARAM_BOOL, .fallback = "true",
          .doc = "a handler's reply that the card has no room for goes to a queue in host memory",
          .source = "thesis 003, 4.4.3"),
    PARAM(C, overflow_memory, PARAM_SIZE, .fallback = "64 MiB", .least = "32 B", .most = "1024 GiB",
          .doc = "host memory that this queue may take",
          .source = "assumed: a part of the 256 MB of a host (thesis 003, 4.5.1)"),
    PARAM(C, overflow_entry, PARAM_COST, .fallback = "300 cycles",
          .doc = "allocating, and later freeing, a message of this queue",
          .source = "prior: malloc and free"),
    PARAM(C, polling_thread, PARAM_BOOL, .fallback = "false",
          .doc = "a thread of its own polls, and programs need not",
          .source = "thesis 003, 4.4.2: possible for programs with threads"),
    PARAM(C, thread_period, PARAM_DURATION, .fallback = "100 us", .least = "1 us",
          .doc = "how often that thread polls",
          .source = "assumed: the thesis says periodically; a thread that yields between polls",
          .prior = "within 3"),
    {0},
};

const struct param_table grim_table =
    PARAM_TABLE(struct grim_config, grim_params, .name = "grim",
                .doc = "GRIM's library: endpoints, active messages and their handlers");

#undef C
#define C struct grim_memory_config

static const char *const registration_choices[] = {"contiguous", "paged", NULL};
static const char *const order_choices[] = {"relaxed", "strict", NULL};

#define FIRMWARE "prior: instructions of the LANai"

static void check_memory(const void *values, const struct param_values *report)
{
    const struct grim_memory_config *config = values;
    if (config->arena > config->region * config->regions)
        param_complain(report, "arena", "more or larger regions",
                       "an endpoint registers %" G_GINT64_FORMAT
                       " B, more than all regions of the kernel's manager",
                       config->arena);
}

static const struct param memory_params[] = {
    PARAM(C, arena, PARAM_SIZE, .fallback = "1 MiB", .least = "4 KiB", .most = "1 GiB",
          .doc = "memory that each endpoint has registered at the start, contiguous and paged each",
          .source = "assumed"),
    PARAM(C, registration, PARAM_CHOICE, .fallback = "contiguous", .choices = registration_choices,
          .doc = "the interface by which programs register memory",
          .source = "thesis 003, 4.5.1: both are there; this one needs no privileges"),
    PARAM(C, region, PARAM_SIZE, .fallback = "4 MiB", .least = "4 KiB", .most = "1 GiB",
          .doc = "contiguous memory that the kernel's manager has in one piece",
          .source = "thesis 003, 4.5.1: regions of 4 MB"),
    PARAM(C, regions, PARAM_COUNT, .fallback = "8", .least = "1", .most = "4096",
          .doc = "such regions per host",
          .source = "prior: thesis 003, 4.5.1, has several on a host of 256 MB"),
    PARAM(C, map, PARAM_COST, .fallback = "20 us",
          .doc = "giving one region to a process: its page tables",
          .source = "prior: mmap of a few large ranges under Linux 2.4"),
    PARAM(C, order, PARAM_CHOICE, .fallback = "relaxed", .choices = order_choices,
          .doc = "strict: the card keeps remote memory messages waiting until the endpoint has "
                 "handled all active messages",
          .source = "thesis 003, 4.5.6: relaxed, as strict order impedes performance"),
    PARAM(C, static_entries, PARAM_COUNT, .fallback = "16", .most = "65536",
          .doc = "entries of the card's translation cache that the library programs",
          .source = "assumed: the thesis gives no size", .prior = "within 2"),
    PARAM(C, dynamic_entries, PARAM_COUNT, .fallback = "32", .least = "1", .most = "65536",
          .doc = "entries for translations that the kernel was asked for",
          .source = "assumed: the thesis gives no size", .prior = "within 2"),
    PARAM(C, entry_ranges, PARAM_COUNT, .fallback = "17", .least = "1", .most = "4096",
          .doc = "physical ranges that an entry can hold",
          .source = "assumed: the pages that the longest message can touch"),
    PARAM(C, look, PARAM_COST, .fallback = "8 cycles",
          .doc = "looking at one entry of the translation cache", .source = FIRMWARE),
    PARAM(C, start, PARAM_COST, .fallback = "60 cycles",
          .doc = "reading the arguments of a remote memory message", .source = FIRMWARE),
    PARAM(C, piece, PARAM_COST, .fallback = "30 cycles",
          .doc = "setting up the DMA of one physical range", .source = FIRMWARE),
    PARAM(C, word, PARAM_COST, .fallback = "30 cycles",
          .doc = "setting up the DMA of a notification", .source = FIRMWARE),
    PARAM(C, ask, PARAM_COST, .fallback = "60 cycles",
          .doc = "building a request to the kernel and raising the interrupt", .source = FIRMWARE),
    PARAM(C, enter, PARAM_COST, .fallback = "60 cycles",
          .doc = "entering the kernel's answer into the cache", .source = FIRMWARE),
    PARAM(C, request, PARAM_SIZE, .fallback = "16 B", .least = "4 B", .most = "4 KiB",
          .doc = "request for a translation, as the card writes it into the kernel's memory",
          .source = "assumed: endpoint, address, length"),
    PARAM(C, translate, PARAM_COST, .fallback = "500 cycles",
          .doc = "interrupt service routine: reading the request, finding the block",
          .source = "prior: instructions of the driver"),
    PARAM(C, translate_range, PARAM_COST, .fallback = "60 cycles",
          .doc = "interrupt service routine: one physical range from the page tables",
          .source = "prior: a walk through two levels"),
    {0},
};

const struct param_table grim_memory_table = PARAM_TABLE(
    struct grim_memory_config, memory_params, .name = "grim_memory",
    .doc = "GRIM's remote memory: registered memory, translation cache, the card's part",
    .check = check_memory);
