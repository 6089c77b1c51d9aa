// SPDX-License-Identifier: GPL-3.0-or-later
// PingPong on bare M-VIA, run as the program runs it. On an idle path with one frame per
// message, half a round trip is
//     post + trap + send_setup + send_frame + tx_frame + doorbell the sender
//     + tx_start + B(descriptor + min(n, tx_threshold)) + W(n) + B(descriptor + min(n, rx_residue))
//     the cards, the wire
//     + rx_status + interrupt_delay + interrupt_latency + _ack + _entry + status_read the interrupt
//     + rx_frame + receive_frame + copy + completion its handler
//     + dequeue + post + trap the receiver, which posts again
// with n the frame's bytes; a receiver that blocks adds wake_process in the handler and
// switch_process in itself. The processes run on a core of their own, all costs are whole
// nanoseconds and a poller polls every nanosecond, so that nothing is rounded.
#include "models/ethernet/nics.h"
#include "models/via/vip/mvia.h"
#include "sim/run/run.h"
#include "tests/support/suite.h"
#include "tests/support/world.h"

#include <math.h>
#include <string.h>

#define ROOM (1500 - 32)
#define FRAME (14 + 32 + 4)
#define REPETITIONS 10
#define WARM_UPS 2

// ---- The closed form ----

struct native_model {
    const struct kernel_config *kernel;
    const struct mvia_config *mvia;
    const struct nic_config *nic;
    const struct host *host;
    const struct world *world;
    bool poll;
};

static sim_time cost(const struct native_model *model, struct cost cost)
{
    return cpu_cost(model->host->cores[0], cost);
}

static sim_time trap(const struct native_model *model)
{
    bool fast = model->mvia->doorbell == MVIA_DOORBELL_FAST_TRAP;
    return cost(model, fast ? model->kernel->fast_trap : model->kernel->system_call);
}

static sim_time sender(const struct native_model *model)
{
    return cost(model, model->mvia->post) + trap(model) + cost(model, model->mvia->send_setup) +
           cost(model, model->mvia->send_frame) + cost(model, model->nic->tx_frame) +
           cost(model, model->nic->doorbell);
}

static sim_time cards_and_wire(const struct native_model *model, int64_t wire)
{
    const struct nic_config *nic = model->nic;
    const struct bus_config *bus = &model->host->config.bus;
    return nic->tx_start + bus_time(bus, BUS_READ, nic->descriptor + MIN(wire, nic->tx_threshold)) +
           world_wire_time(model->world, wire) +
           bus_time(bus, BUS_WRITE, nic->descriptor + MIN(wire, nic->rx_residue));
}

static sim_time interrupt(const struct native_model *model)
{
    return model->nic->rx_status + model->nic->interrupt_delay + model->kernel->interrupt_latency +
           model->kernel->interrupt_ack + cost(model, model->kernel->interrupt_entry) +
           cost(model, model->nic->status_read);
}

static sim_time handler(const struct native_model *model, int64_t bytes)
{
    sim_time time =
        cost(model, model->nic->rx_frame) + cost(model, model->mvia->receive_frame) +
        memory_copy_time(&model->host->config.memory, model->host->cores[0], bytes, COPY_COLD) +
        cost(model, model->mvia->completion);
    return time + (model->poll ? 0 : cost(model, model->kernel->wake_process));
}

static sim_time receiver(const struct native_model *model)
{
    sim_time time =
        cost(model, model->mvia->dequeue) + cost(model, model->mvia->post) + trap(model);
    bool other = host_process_core(model->host, 0) != host_interrupt_core(model->host);
    sim_time heard = other ? model->kernel->wake_other : 0;
    return time + (model->poll ? 0 : heard + cost(model, model->kernel->switch_process));
}

static sim_time closed_form(const struct native_model *model, int64_t bytes)
{
    return sender(model) + cards_and_wire(model, FRAME + bytes) + interrupt(model) +
           handler(model, bytes) + receiver(model);
}

// ---- Runs ----

static double value(const struct series_result *result, int64_t size, const char *metric)
{
    for (guint i = 0; i < result->values->len; i++) {
        const struct result_value *value = &g_array_index(result->values, struct result_value, i);
        if (value->size == size && strcmp(value->metric, metric) == 0)
            return value->value;
    }
    return NAN;
}

static struct series_result *run(const struct world *world)
{
    return run_case(&model_registry, world->test_case, 0, 1, NULL);
}

// Every message once, whole and in order; so many for each size.
static void check_ledger(const struct series_result *result, uint64_t sizes)
{
    uint64_t messages = sizes * (WARM_UPS + REPETITIONS) * 2;
    CU_ASSERT_EQUAL(result->status, SIM_COMPLETED);
    CU_ASSERT(result->ledger_balanced);
    CU_ASSERT_EQUAL(result->ledger.messages, messages);
    CU_ASSERT_EQUAL(result->ledger.delivered, messages);
    CU_ASSERT_EQUAL(result->ledger.lost + result->ledger.open, 0);
    CU_ASSERT_EQUAL(result->ledger.duplicated + result->ledger.misordered, 0);
}

#define ONE_FRAME_SIZES 14

static const char one_frame_list[] = "workload.sizes=[0 B, 1 B, 2 B, 13 B, 14 B, 15 B, 77 B, 78 B, "
                                     "79 B, 462 B, 463 B, 1000 B, 1467 B, 1468 B]";

// Latency to the picosecond.
static void check_latency(const char *variant, const char *nic, bool poll)
{
    static const int64_t sizes[ONE_FRAME_SIZES] = {0,  1,  2,   13,  14,   15,   77,
                                                   78, 79, 462, 463, 1000, 1467, ROOM};
    const char *sets[] = {one_frame_list, variant, nic,
                          poll ? "mvia_native.poll=true" : "mvia_native.poll=false", NULL};
    struct world *world = world_new(&world_cards, world_pair, sets, NULL);
    struct native_model model = {
        .kernel = &world->cluster->hosts[0]->config.kernel,
        .mvia = scenario_section_values(world->test_case, "mvia"),
        .nic = nic_config(ethernet_nic(world->cluster, 0, 0)),
        .host = world->cluster->hosts[0],
        .world = world,
        .poll = poll,
    };
    struct series_result *result = run(world);
    check_ledger(result, ONE_FRAME_SIZES);
    for (int i = 0; i < ONE_FRAME_SIZES; i++) {
        double latency = value(result, sizes[i], "latency_us");
        SUITE_SAME_INTEGER(llround(latency * 1e6), closed_form(&model, sizes[i]));
        CU_ASSERT_DOUBLE_EQUAL(value(result, sizes[i], "bandwidth_MB_per_s"),
                               (double)sizes[i] / (1 << 20) / (latency * 1e-6), 1e-9);
    }
    series_result_free(result);
    world_free(world);
}

static void test_closed_form(void)
{
    for (int poll = 0; poll < 2; poll++) {
        check_latency("mvia.doorbell=fast_trap", "nic=eepro100", poll);
        check_latency("mvia.doorbell=ioctl", "nic=eepro100", poll);
        check_latency("switch.latency=0 s", "nic=eepro100", poll);
        check_latency("host.memory.copy_uncached=50 MB/s", "nic=eepro100", poll);
        check_latency(
            "mvia.doorbell=fast_trap",
            "eepro100={tx_threshold: 128 B, rx_residue: 64 B, rx_status: 1 us, doorbell: 400 ns}",
            poll);
    }
}

// Messages of several frames and several descriptors arrive whole; a longer one never takes less
// time.
static void test_long_messages(void)
{
    static const int64_t sizes[] = {1469, 2936, 2937, 10000, 32767, 32768, 32769, 50000, 65536};
    const char *sets[] = {"workload.sizes=[1469 B, 2936 B, 2937 B, 10000 B, 32767 B, 32768 B, "
                          "32769 B, 50000 B, 65536 B]",
                          NULL};
    struct world *world = world_new(&world_cards, world_pair, sets, NULL);
    struct series_result *result = run(world);
    check_ledger(result, G_N_ELEMENTS(sizes));
    double last = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        double latency = value(result, sizes[i], "latency_us");
        CU_ASSERT(latency > last);
        // No faster than the wire.
        CU_ASSERT(latency > time_to_us(time_of_bytes(sizes[i] * 1538 / ROOM, 100000000)));
        last = latency;
    }
    series_result_free(result);
    world_free(world);
}

// A message of more descriptors than the process has: the rest is posted as they are freed.
static void test_few_descriptors(void)
{
    const char *sets[] = {"workload.sizes=[65536 B]", "mvia_native.descriptors=2",
                          "mvia.largest_transfer=8 KiB", NULL};
    struct world *world = world_new(&world_cards, world_pair, sets, NULL);
    struct series_result *result = run(world);
    check_ledger(result, 1);
    series_result_free(result);
    world_free(world);
}

// Half a round trip on one processor, where every interrupt takes its time from the process.
static void test_one_processor(void)
{
    const char *sets[] = {one_frame_list, "host.processor.cores=1", NULL};
    struct world *world = world_new(&world_cards, world_pair, sets, NULL);
    struct series_result *result = run(world);
    check_ledger(result, ONE_FRAME_SIZES);
    series_result_free(result);
    world_free(world);
}

// Two runs of one case are the same run; another seed changes nothing where nothing is left to
// chance.
static void test_same_again(void)
{
    struct world *world = world_new(&world_cards, world_pair, NULL, NULL);
    struct series_result *first = run(world), *second = run(world);
    struct series_result *seeded = run_case(&model_registry, world->test_case, 0, 99, NULL);
    CU_ASSERT_EQUAL(first->fingerprint, second->fingerprint);
    CU_ASSERT_EQUAL(first->events, second->events);
    CU_ASSERT_EQUAL(first->simulated, seeded->simulated);
    series_result_free(first);
    series_result_free(second);
    series_result_free(seeded);
    world_free(world);
}

// ---- Failures ----

static void check_failure(const char *set, enum sim_status status, const char *kind,
                          const char *text)
{
    const char *sets[] = {set, "workload.sizes=[2000 B]", NULL};
    struct world *world = world_new(&world_cards, world_cable, sets, NULL);
    struct series_result *result = run(world);
    CU_ASSERT_EQUAL(result->status, status);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result->reason);
    SUITE_SAME_TEXT(json_string_value(json_object_get(result->reason, "kind")), kind);
    SUITE_CONTAINS(json_string_value(json_object_get(result->reason, "text")), text);
    series_result_free(result);
    world_free(world);
}

static void test_failures(void)
{
    check_failure("mvia_native.buffer=1999 B", SIM_FAILED, "buffer_too_small",
                  "mvia_native.buffer");
    check_failure("host.memory.pin_limit=100 KiB", SIM_FAILED, "out_of_pinned_memory",
                  "mvia_native.buffer");
    // A lost frame is not repeated: both ranks wait for ever.
    check_failure("link.drop_nth=[9]", SIM_DEADLOCK, "deadlock", "2 of 2 ranks wait");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one-frame messages against the closed form", test_closed_form},
        {"longer messages", test_long_messages},
        {"few descriptors", test_few_descriptors},
        {"one processor", test_one_processor},
        {"the same again", test_same_again},
        {"failures", test_failures},
        {NULL, NULL},
    };
    return suite_run("via: native PingPong", cases);
}
