// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/memory.h"

#include "sim/host/stages.h"

#define M struct memory_config

// 108.8 MB/s if every page of a message is pinned already, 78.7 MB/s if none is, on a Pentium Pro
// of 200 MHz: 14.4 us per page, at both ends one after the other, or at one of them if they
// overlap.
#define PINNING "prior, from Tezuka et al., Pin-down cache (IPPS 1998)"

static const struct param memory_params[] = {
    PARAM(M, ram, PARAM_SIZE, .fallback = "512 MiB", .least = "1 MiB",
          .doc = "main memory of a host", .source = "thesis 000, 6.2"),
    PARAM(M, cache, PARAM_SIZE, .fallback = "256 KiB", .most = "1 GiB",
          .doc = "last-level cache of one processor",
          .source = "thesis 000, 6.2: Athlon MP, 256 KB"),
    PARAM(M, cache_ways, PARAM_COUNT, .fallback = "0", .most = "64",
          .doc = "lines of a set of the cache; 0: it replaces at random",
          .source = "assumed: no set is known to matter"),
    PARAM(M, cache_keeps, PARAM_PROBABILITY, .fallback = "0",
          .doc = "share of its lines that a set keeps when one more is in use than it has ways",
          .source = "least recently used goes first"),
    PARAM(M, copy_cached, PARAM_BYTE_RATE, .fallback = "1200 MB/s", .least = "1 MB/s",
          .doc = "copy rate while source and destination fit into the cache",
          .source = "prior: Athlon, L2 at core clock"),
    PARAM(M, copy_uncached, PARAM_BYTE_RATE, .fallback = "600 MB/s", .least = "1 MB/s",
          .doc = "copy rate out of main memory",
          .source = "prior: memcpy out of cache, Athlon MP 500..700 MB/s",
          .prior = "500 MB/s .. 700 MB/s"),
    PARAM(M, copy_setup, PARAM_COST, .fallback = "150 cycles", .doc = "fixed cost of one copy",
          .source = "prior: call, alignment and loop entry", .prior = "within 2"),
    PARAM(M, read_uncached, PARAM_BYTE_RATE, .fallback = "1000 MB/s", .least = "1 MB/s",
          .doc =
              "going once through data that no cache has: a checksum of what a device has written",
          .source = "prior: reading main memory, Athlon MP with PC2100"),
    PARAM(M, refill, PARAM_BYTE_RATE, .fallback = "4800 MB/s", .least = "1 MB/s",
          .doc = "going through data that the second-level cache has and the first-level cache has "
                 "lost: the memory of a process that is switched to (host.kernel.process_set)",
          .source =
              "derived: lmbench's 2p/16K less 2p/0K are 512 lines of 32 B in 3.3..3.8 us on a "
              "Pentium III of 789 and 790 MHz (linux-kernel, 2003-04-12, 2003-03-07) and 3.1..3.4 "
              "at best at 1000 MHz (2002-09-11): 6.6 ns per line, three quarters of the cache's "
              "latency of 8.8 and 8.1 ns; assumed for an Athlon",
          .prior = "4300 MB/s .. 5300 MB/s"),
    PARAM(M, bus_rate, PARAM_BYTE_RATE, .fallback = "0 B/s",
          .doc =
              "rate of the memory bus that copies and DMA share; 0: they do not slow one another",
          .source = "off: to be given by testbeds where it matters"),
    PARAM(M, copy_traffic, PARAM_COUNT, .fallback = "3", .least = "1", .most = "16",
          .doc = "bytes over the memory bus for each byte copied out of main memory",
          .source = "prior: read, write allocate, write back", .prior = "or 2: 0.25"),
    PARAM(M, page, PARAM_SIZE, .fallback = "4 KiB", .least = "512 B", .most = "1 GiB",
          .doc = "page size", .source = "IA-32"),
    PARAM(M, pin_page, PARAM_COST, .fallback = "900 cycles",
          .doc = "pinning one page and entering it in the translation table",
          .source = PINNING ": 1440 .. 2880 cycles to pin and release a page; five eighths of the "
                            "least",
          .prior = "800 cycles .. 1800 cycles"),
    PARAM(M, unpin_page, PARAM_COST, .fallback = "540 cycles", .doc = "releasing one page",
          .source = PINNING ", likewise: the other three eighths",
          .prior = "480 cycles .. 1080 cycles", .with = "host.memory.pin_page"),
    PARAM(M, pin_limit, PARAM_SIZE, .fallback = "20 MiB", .doc = "memory that one process may pin",
          .source = "thesis 000, 6.3.1: about 20 MB"),
    {0},
};

static void memory_check(const void *values, const struct param_values *report)
{
    const struct memory_config *config = values;
    if (config->pin_limit > config->ram)
        param_complain(report, "pin_limit", "pinned memory is main memory",
                       "a process may pin %" G_GINT64_FORMAT " B of %" G_GINT64_FORMAT " B of RAM",
                       config->pin_limit, config->ram);
}

const struct param_table memory_table =
    PARAM_TABLE(struct memory_config, memory_params, .name = "memory",
                .doc = "memory of a host: copying and pinning", .check = memory_check);

// The share that a cache with random replacement misses of a working set of `bytes` that is read
// over and over, in 1/1024.
static int64_t share_at_random(int64_t cache, int64_t bytes)
{
    if (cache == 0 || bytes >= cache + cache / 2)
        return 1024;
    return bytes <= cache ? 0 : (bytes - cache) * 1024 / (cache / 2);
}

// Bytes missed in those sets of the cache that use `lines` lines; one line of each holds `bytes` in
// all.
static int64_t missed_in_sets(const struct memory_config *memory, int64_t lines, int64_t bytes)
{
    int64_t missed = lines > memory->cache_ways ? lines * bytes : 0;
    return lines == memory->cache_ways + 1 ? (int64_t)((1 - memory->cache_keeps) * (double)missed)
                                           : missed;
}

// Bytes that a set-associative cache misses of such a working set: its sets use the same number of
// lines, and some use one more.
static int64_t missed_by_ways(const struct memory_config *memory, int64_t bytes)
{
    int64_t way = memory->cache / memory->cache_ways;
    if (way == 0)
        return bytes;
    int64_t lines = bytes / way, more = bytes % way;
    return missed_in_sets(memory, lines + 1, more) + missed_in_sets(memory, lines, way - more);
}

// The bytes, of `bytes` that are reused after `set` bytes have been touched, that miss the cache.
static int64_t side_missing(const struct memory_config *memory, int64_t bytes, int64_t set)
{
    if (set == COPY_NEVER)
        return bytes;
    if (memory->cache_ways == 0)
        return (int64_t)((__int128)bytes * share_at_random(memory->cache, set) / 1024);
    return (int64_t)((double)bytes * ((double)missed_by_ways(memory, set) / (double)set));
}

// A pass of a processor from a source to a destination.
struct pass {
    int64_t bytes;
    struct copy_reuse reuse;
    int64_t traffic; // bytes over the memory bus per byte, if all miss
};

#define UPDATE_TRAFFIC 3 // the source, the destination, and the destination written back

// Bytes of a pass at the rate of main memory. Of the traffic per byte, the source is one part and
// the destination the rest.
static int64_t pass_missing(const struct memory_config *memory, const struct pass *pass)
{
    int64_t source = side_missing(memory, pass->bytes, pass->reuse.source),
            destination = side_missing(memory, pass->bytes, pass->reuse.destination), sum;
    if (G_LIKELY(!__builtin_mul_overflow(pass->traffic - 1, destination, &sum) &&
                 !__builtin_add_overflow(source, sum, &sum)))
        return sum / pass->traffic;
    return (int64_t)((source + (__int128)(pass->traffic - 1) * destination) / pass->traffic);
}

// Bytes per second over the memory bus, of a copy and of any other pass.
static int64_t most_demand(const struct memory_config *memory)
{
    return memory->copy_traffic * memory->copy_uncached;
}

static sim_time pass_missing_time(const struct memory_config *memory, const struct pass *pass)
{
    return time_at_rate(pass_missing(memory, pass) * pass->traffic, most_demand(memory));
}

static sim_time pass_time(const struct memory_config *memory, const struct pass *pass)
{
    int64_t missing = pass_missing(memory, pass);
    return time_at_rate(missing * pass->traffic, most_demand(memory)) +
           time_at_rate(pass->bytes - missing, memory->copy_cached);
}

static struct copy_reuse reuse_of(int64_t bytes, enum copy_source source)
{
    return source == COPY_COLD ? (struct copy_reuse){COPY_NEVER, COPY_NEVER}
                               : (struct copy_reuse){2 * bytes, 2 * bytes};
}

sim_time memory_copy_time_within(const struct memory_config *memory, const struct cpu *cpu,
                                 int64_t bytes, struct copy_reuse reuse)
{
    const struct pass pass = {bytes, reuse, memory->copy_traffic};
    if (bytes == 0)
        return 0;
    return cpu_cost(cpu, memory->copy_setup) + pass_time(memory, &pass);
}

sim_time memory_update_time(const struct memory_config *memory, const struct cpu *cpu,
                            int64_t bytes, struct copy_reuse reuse, sim_time work)
{
    const struct pass pass = {bytes, reuse, UPDATE_TRAFFIC};
    if (bytes == 0)
        return 0;
    return cpu_cost(cpu, memory->copy_setup) + MAX(pass_time(memory, &pass), work);
}

sim_time memory_copy_time(const struct memory_config *memory, const struct cpu *cpu, int64_t bytes,
                          enum copy_source source)
{
    return memory_copy_time_within(memory, cpu, bytes, reuse_of(bytes, source));
}

sim_time memory_read_time(const struct memory_config *memory, int64_t bytes)
{
    return time_at_rate(bytes, memory->read_uncached);
}

void mem_copy_within(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
                     struct copy_reuse reuse, struct message_ref message)
{
    const struct pass pass = {bytes, reuse, memory->copy_traffic};
    sim_time time = memory_copy_time_within(memory, context->cpu, bytes, reuse);
    sim_time missing = memory->bus_rate > 0 && bytes > 0 ? pass_missing_time(memory, &pass) : 0;
    cpu_spend_message(context, time - missing, &stage_copy, message);
    if (missing > 0)
        cpu_spend_memory(context, missing, &stage_copy, message, most_demand(memory));
}

void mem_update(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
                struct copy_reuse reuse, sim_time work, const struct stage *stage,
                struct message_ref message)
{
    const struct pass pass = {bytes, reuse, UPDATE_TRAFFIC};
    sim_time time = memory_update_time(memory, context->cpu, bytes, reuse, work);
    sim_time missing = memory->bus_rate > 0 && bytes > 0 ? pass_missing_time(memory, &pass) : 0;
    int64_t demand = most_demand(memory);
    if (missing > 0 && work > pass_time(memory, &pass)) { // the misses spread over the work
        demand = (int64_t)((__int128)demand * missing / work);
        missing = work;
    }
    cpu_spend_message(context, time - missing, stage, message);
    if (missing > 0)
        cpu_spend_memory(context, missing, stage, message, demand);
}

void mem_copy(struct cpu_context *context, const struct memory_config *memory, int64_t bytes,
              enum copy_source source, struct message_ref message)
{
    mem_copy_within(context, memory, bytes, reuse_of(bytes, source), message);
}

int64_t memory_pages(const struct memory_config *memory, int64_t address, int64_t bytes)
{
    if (bytes <= 0)
        return 0;
    return (address + bytes - 1) / memory->page - address / memory->page + 1;
}
