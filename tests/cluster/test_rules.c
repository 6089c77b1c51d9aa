// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that contradict each other: each is reported with the place of the setting that was
// made, both values, and a remedy. Rules of physics can be set aside; the shipped scenarios
// contradict themselves nowhere (tests/scenarios).
#include "tests/support/compiled.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "sim/scenario/rule.h"

#include <string.h>

#define HEAD "schema: 1\nname: t\nworkload: {benchmark: pmb.pingpong, sizes: [1 B]}\n" // 3 lines
#define TWO "hosts: [{name: n, count: 2}]\nlinks: [{from: n0, to: n1}]\n"              // 2
#define TCP HEAD TWO "stack: lam_tcp\nnic: eepro100\n"                                 // 2
#define MYRINET                                                                                    \
    "schema: 1\nname: t\nworkload: {benchmark: gm.allsize.one_way, sizes: [1 B]}\n" TWO            \
    "stack: gm\n"
#define ARMCI                                                                                      \
    "schema: 1\nname: t\nworkload: {benchmark: armci.put, sizes: [1 B]}\n" TWO                     \
    "stack: armci\nnic: lanai9\nlink: {rate: 2 Gb/s}\n"

#define STACK(name, nic) HEAD TWO "stack: " name "\nnic: " nic "\n" // what follows is line 8

struct contradiction {
    const char *text, *set; // a setting as with --set, or NULL
    const char *complaint;  // NULL: none
    const char *remedy;     // part of it; NULL: not checked
};

static void expect(const struct contradiction *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *const sets[] = {cases[i].set, NULL};
        struct diag_list *diags = diag_list_new();
        struct compiled compiled = compiled_try(cases[i].text, sets, diags);
        char *said = fake_complaints(diags);
        if (cases[i].complaint)
            SUITE_CONTAINS(said, cases[i].complaint);
        else
            SUITE_SAME_TEXT(said, "");
        if (cases[i].remedy)
            SUITE_CONTAINS(said, cases[i].remedy);
        CU_ASSERT(!compiled.scenario == (cases[i].complaint != NULL));
        g_free(said);
        diag_list_free(diags);
        compiled_free(&compiled);
    }
}

static void test_card_rates(void)
{
    static const struct contradiction cases[] = {
        {TCP "link: {rate: 100 Mb/s}\n", NULL, NULL, NULL},
        {TCP, "link.rate=10 Mb/s", NULL, NULL},
        {TCP, "nic=em82547gi", NULL, NULL},
        {TCP "link: {rate: 1 Gb/s}\n", NULL,
         "test.yaml:8:14: error: link.rate: eepro100 at n0 runs at 10 Mb/s or 100 Mb/s, and link "
         "n0-n1 at 1 Gb/s",
         "(nic: em82547gi, em82541gi, ethernet; or rate: 100 Mb/s; as a what-if: what_if: "
         "[card_rate])"},
        {TCP, "link.rate=1 Gb/s", "--set link.rate=1 Gb/s: error: link.rate: eepro100 at n0", NULL},
        {TCP "link: {rate: {value: 1 Gb/s, source: s}}\n", NULL,
         "test.yaml:8:22: error: link.rate: eepro100 at n0", NULL},
        {TCP "link: {rate: 1 Gb/s}\n", "what_if=card_rate", NULL, NULL},
        {TCP "link: {rate: 1 Gb/s}\n", "what_if=[card_rate, bus_rate]", NULL, NULL},
        {TCP "link: {rate: 1 Gb/s}\n", "what_if=bus_rate", "link.rate: eepro100 at n0", NULL},
        {TCP "link: {rate: 1 Gb/s}\n", "what_if=card_rat",
         "--set what_if=card_rat: error: what_if: unknown rule \"card_rat\" (did you mean "
         "card_rate?)",
         NULL},
        // Slower than any rate that it has.
        {TCP, "link.rate=25 Mb/s", "and link n0-n1 at 25 Mb/s",
         "(nic: ethernet; or rate: 10 Mb/s;"},
        // The rate is a link's own; the second host alone is on the wrong one.
        {HEAD "hosts: [{name: n, count: 2}]\nswitches: [{name: s}]\n"
              "links: [{from: n0, to: s}, {from: n1, to: s, rate: 10 Gb/s}]\n"
              "stack: lam_tcp\nnic: em82547gi\n",
         NULL, "test.yaml:6:52: error: links[1].rate: em82547gi at n1",
         "(nic: ethernet; or rate: 1 Gb/s;"},
        // A card of any rate in a range, whose ends belong to it.
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=10 Mb/s", NULL,
         NULL},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=400 Gb/s", NULL,
         NULL},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=7 Gb/s", NULL,
         NULL},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=9 Mb/s",
         "ethernet at n0 runs at 10 Mb/s .. 400 Gb/s, and link n0-n1 at 9 Mb/s", NULL},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=401 Gb/s",
         "ethernet at n0 runs at 10 Mb/s .. 400 Gb/s, and link n0-n1 at 401 Gb/s", NULL},
        // Between switches any rate goes.
        {HEAD "hosts: [{name: n, count: 2}]\nswitches: [{name: s, count: 2}]\n"
              "links: [{from: n0, to: s0}, {from: n1, to: s1}, {from: s0, to: s1, rate: 7 Gb/s}]\n"
              "stack: lam_tcp\nnic: tulip\n",
         NULL, NULL, NULL},
        // Cards that hosts list, of which the stack uses one.
        {HEAD "hosts: [{name: n, count: 2, nics: [{name: a, nic: eepro100}, "
              "{name: b, nic: em82541gi}]}]\n"
              "links: [{from: n0.a, to: n1.a}, {from: n0.b, to: n1.b, rate: 1 Gb/s}]\n"
              "stack: lam_tcp\nnic: a\n",
         NULL, NULL, NULL},
        {HEAD "hosts: [{name: n, count: 2, nics: [{name: a, nic: lanai9}]}]\n"
              "links: [{from: n0.a, to: n1.a}]\nstack: gm\n",
         "workload.benchmark=gm.allsize.one_way",
         "test.yaml:4:36: error: hosts: lanai9 at n0 runs at 1280 Mb/s or 2 Gb/s, and link "
         "n0-n1 at 100 Mb/s",
         NULL},
        // The rate is the default: the card was the choice.
        {MYRINET "nic: lanai4\n", NULL,
         "test.yaml:7:6: error: nic: lanai4 at n0 runs at 1280 Mb/s, and link n0-n1 at 100 Mb/s",
         "(rate: 1280 Mb/s;"},
        {MYRINET "nic: lanai7\nlink: {rate: 2 Gb/s}\n", NULL,
         "lanai7 at n0 runs at 1280 Mb/s, and link n0-n1 at 2 Gb/s",
         "(nic: lanai9; or rate: 1280 Mb/s"},
        {MYRINET "nic: lanai9\nlink: {rate: 2 Gb/s}\n", NULL, NULL, NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

// A trial with faster parts (netsim explain) is no machine: rules of physics are set aside, and no
// others.
static void test_trial(void)
{
    static const struct contradiction cases[] = {
        {TCP "link: {rate: 1 Gb/s}\n", NULL, NULL, NULL},
        {ARMCI "gm: {send_tokens: 1}\n", "armci.send_tokens=2",
         "armci.send_tokens of 2 does not go with gm.send_tokens of 1", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const sets[] = {cases[i].set, NULL};
        struct diag_list *diags = diag_list_new();
        struct scenario_schema *schema = registry_schema(&model_registry);
        const struct scenario_options options = {
            .sets = sets, .allow_unused = true, .what_if = true};
        struct scenario *scenario = scenario_parse(cases[i].text, strlen(cases[i].text), "t.yaml",
                                                   NULL, schema, &options, diags);
        char *said = fake_complaints(diags);
        if (cases[i].complaint)
            SUITE_CONTAINS(said, cases[i].complaint);
        else
            SUITE_SAME_TEXT(said, "");
        g_free(said);
        scenario_free(scenario);
        registry_schema_free(schema);
        diag_list_free(diags);
    }
}

static void test_missing_card(void)
{
    static const struct contradiction cases[] = {
        {HEAD TWO "stack: lam_tcp\n", NULL, "nic: must be given",
         "eepro100 (10 Mb/s or 100 Mb/s), tulip (10 Mb/s or 100 Mb/s), em82547gi (10 Mb/s, 100 "
         "Mb/s or 1 Gb/s)"},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_buses(void)
{
    static const struct contradiction cases[] = {
        {TCP, "host.bus.rate=132 MB/s", NULL, NULL},
        {TCP, "host.bus.rate=100 MB/s", NULL, NULL},
        {TCP "host: {bus: {clock: 133.333333 MHz, width: 8 B, rate: 1066.666667 MB/s}}\n", NULL,
         NULL, NULL},
        {TCP "host: {bus: {rate: 528 MB/s}}\n", NULL,
         "test.yaml:8:20: error: host.bus.rate: a bus of 33 MHz and 4 B moves 132 MB/s at most, "
         "and its rate is 528 MB/s",
         "clock (66 MHz, 133 MHz) or a wider bus (8 B)"},
        {TCP "host: {bus: {rate: 528 MB/s}}\n", "what_if=bus_rate", NULL, NULL},
        {TCP "host: {bus: {rate: 528 MB/s, clock: 66 MHz, width: 8 B}}\n", NULL, NULL, NULL},
        {TCP "host: {bus: {rate: 528 MB/s, clock: 66 MHz, width: 8 B}}\n", "host.bus.clock=33 MHz",
         "host.bus.rate: a bus of 33 MHz and 8 B moves 264 MB/s", NULL},
        {TCP "host: {bus: {kind: pcie, lanes: 4, lane_rate: 2 Gb/s, rate: 2 GB/s}}\n",
         "nic=ethernet",
         "test.yaml:8:61: error: host.bus.rate: a bus of 4 lanes of 2 Gb/s moves 1 GB/s at most",
         "more lanes"},
        {TCP "host: {bus: {kind: pcie, lanes: 4, lane_rate: 2 Gb/s, rate: 1 GB/s}}\n",
         "nic=ethernet", NULL, NULL},
        // Each kind has parameters of its own.
        {TCP "host: {bus: {kind: pcie, clock: 66 MHz}}\n", NULL,
         "test.yaml:8:33: error: host.bus.clock: a bus of kind pcie has none",
         "(kind: pci; or 0, or leave it out)"},
        {TCP, "host.bus.lanes=8",
         "--set host.bus.lanes=8: error: host.bus.lanes: a bus of kind pci has none",
         "(kind: pcie; or 0, or leave it out)"},
        {TCP, "host.bus.read_latency=1 us", "host.bus.read_latency: a bus of kind pci has none",
         NULL},
        {TCP, "host.bus.clock=0 Hz", "host.bus.clock: a bus of kind pci has at least 1 kHz", NULL},
        {TCP "host: {bus: {kind: pcie, lanes: 0}}\n", NULL,
         "test.yaml:8:33: error: host.bus.lanes: a bus of kind pcie has at least 1", NULL},
        {TCP, "host.bus.kind=isa", "host.bus.kind", "pci"},
        {HEAD "hosts: [{name: n}, {name: m, host: {bus: {rate: 200 MB/s}}}]\n"
              "links: [{from: n, to: m}]\nstack: lam_tcp\nnic: tulip\n",
         NULL, "test.yaml:4:49: error: hosts[1].host.bus.rate: a bus of 33 MHz and 4 B", NULL},
        {HEAD "hosts: [{name: n, count: 2, nics: [{name: a, nic: tulip, bus: fast}]}]\n"
              "buses: [{name: fast, rate: 133 MB/s}]\n"
              "links: [{from: n0, to: n1}]\nstack: lam_tcp\n",
         NULL, "test.yaml:5:28: error: buses[0].rate: a bus of 33 MHz", NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

// A card plugs into one kind of bus.
static void test_card_buses(void)
{
    static const struct contradiction cases[] = {
        {TCP "host: {bus: {kind: pcie}}\n", NULL,
         "test.yaml:8:20: error: host.bus.kind: eepro100 at n0 plugs into a bus of kind pci, and "
         "host.bus is of kind pcie",
         "(host.bus.kind: pci; or another card; as a what-if: what_if: [card_bus])"},
        {TCP "host: {bus: {kind: pcie}}\n", "what_if=card_bus", NULL, NULL},
        {TCP "host: {bus: {kind: pcie}}\nlink: {rate: 25 Gb/s}\n", "nic=ethernet", NULL, NULL},
        {TCP, "nic=ethernet",
         "--set nic=ethernet: error: nic: ethernet at n0 plugs into a bus of kind pcie, and "
         "host.bus is of kind pci",
         "(host.bus.kind: pcie;"},
        {MYRINET "nic: lanai9\nlink: {rate: 2 Gb/s}\n", "host.bus.kind=pcie",
         "lanai9 at n0 plugs into a bus of kind pci", NULL},
        // A host's own bus, and one that it has besides.
        {HEAD "hosts: [{name: n, host: {bus: {kind: pcie}}}, {name: m}]\n"
              "links: [{from: n, to: m}]\nstack: lam_tcp\nnic: tulip\n",
         NULL, "test.yaml:4:38: error: hosts[0].host.bus.kind: tulip at n plugs into", NULL},
        {HEAD "hosts: [{name: n, count: 2, nics: [{name: a, nic: ethernet, bus: slot}]}]\n"
              "buses: [{name: slot, kind: pcie, lanes: 8}]\n"
              "links: [{from: n0, to: n1}]\nstack: lam_tcp\n",
         NULL, NULL, NULL},
        {HEAD "hosts: [{name: n, count: 2, nics: [{name: a, nic: ethernet, bus: slot}]}]\n"
              "buses: [{name: slot, clock: 66 MHz}]\n"
              "links: [{from: n0, to: n1}]\nstack: lam_tcp\n",
         NULL, "error: hosts: ethernet at n0 plugs into a bus of kind pcie, and buses[0] is of",
         NULL},
        // The card has the rate of its link; M-VIA has no driver for it.
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=10 Mb/s", NULL,
         NULL},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=400 Gb/s", NULL,
         NULL},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=401 Gb/s",
         "ethernet at n0 runs at 10 Mb/s .. 400 Gb/s", "(rate: 400 Gb/s;"},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "link.rate=9 Mb/s",
         "ethernet at n0 runs at 10 Mb/s .. 400 Gb/s", "(rate: 10 Mb/s;"},
        {STACK("lam_via", "ethernet") "host: {bus: {kind: pcie}}\n", NULL,
         "test.yaml:7:6: error: nic: the stack cannot drive the NIC model ethernet",
         "the stack lam_via drives eepro100"},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "ethernet.reads=0",
         "error: ethernet.reads", NULL},
        {STACK("lam_tcp", "ethernet") "host: {bus: {kind: pcie}}\n", "ethernet.tx_fifo=1517 B",
         "ethernet.tx_fifo holds 1517 B, and a frame of 1518 B", "a larger FIFO"},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_frames(void)
{
    static const struct contradiction cases[] = {
        {TCP "tcp: {mtu: 1501 B}\n", NULL,
         "test.yaml:8:12: error: tcp.mtu: eepro100 takes frames of 1514 B, and packets of this MTU "
         "need 1515",
         "1500 B fits"},
        {TCP, "eepro100.largest_frame=1000 B",
         "--set eepro100.largest_frame=1000 B: error: eepro100.largest_frame: eepro100 takes",
         NULL},
        {STACK("ch3_sctp", "tulip"), "sctp.mtu=9000 B", "error: sctp.mtu: tulip takes", NULL},
        {STACK("ch3_sctp", "em82547gi"), "sctp.mtu=9000 B", NULL, NULL},
        {STACK("lam_via", "tulip"), "mvia.mtu=1600 B", "error: mvia.mtu: tulip takes", NULL},
        {TCP, "eepro100.tx_threshold=4 KiB", NULL, NULL}, // no frame is as long
        {TCP, "eepro100.tx_fifo=500 B",
         "--set eepro100.tx_fifo=500 B: error: eepro100.tx_fifo: eepro100.tx_fifo holds 500 B, and "
         "a frame of 1518 B has 512 B in it before it starts",
         "a larger FIFO"},
        {TCP, "eepro100.rx_fifo=100 B", "eepro100.rx_fifo holds 100 B", "what_if: [tcp_fifo]"},
        {STACK("lam_tcp", "em82547gi") "em82547gi: {rx_fifo: 8 KiB}\n", "tcp.mtu=9000 B",
         "--set tcp.mtu=9000 B: error: tcp.mtu: em82547gi.rx_fifo holds 8192 B, and a frame of "
         "9018 B has 9018 B in it when it has come",
         NULL},
        {HEAD "hosts: [{name: n, count: 2}]\nswitches: [{name: s, queue_bytes: 1000 B}]\n"
              "links: [{from: n, to: s}]\nstack: lam_tcp\nnic: tulip\n",
         NULL,
         "test.yaml:5:35: error: switches[0].queue_bytes: the queue of s holds 1000 B, and no "
         "frame "
         "of 1518 B can wait there",
         "a larger queue_bytes"},
        {HEAD "hosts: [{name: n, count: 2}]\nswitches: [{name: s, queue_bytes: 1000 B}]\n"
              "links: [{from: n, to: s}]\nstack: lam_tcp\nnic: tulip\n",
         "tcp.mtu=982 B", NULL, NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_buffers(void)
{
    static const struct contradiction cases[] = {
        {TCP, "tcp.receive_buffer=1459 B",
         "--set tcp.receive_buffer=1459 B: error: tcp.receive_buffer: tcp.receive_buffer of 1459 B "
         "does not go with tcp.mtu of 1500 B: no full segment fits into it",
         "what_if: [tcp_receive_buffer]"},
        {TCP, "tcp.receive_buffer=1460 B", NULL, NULL},
        {STACK("lam_tcp", "em82547gi") "tcp: {send_buffer: 4 KiB}\n", "tcp.mtu=9000 B",
         "--set tcp.mtu=9000 B: error: tcp.mtu: tcp.send_buffer of 4 KiB does not go with tcp.mtu "
         "of "
         "9 kB: no full segment fits into it; tcp.send_buffer is set at test.yaml:8:20",
         "what_if: [tcp_send_buffer]"},
        {STACK("ch3_hybrid", "tulip") "ch3_hybrid: {buffer: 1 KiB}\n", NULL,
         "test.yaml:8:22: error: ch3_hybrid.buffer: 256 receives share 1024 B, and an envelope has "
         "40 B",
         "ch3_hybrid.buffer of 10240 B"},
        {STACK("ch3_hybrid", "tulip") "ch3_hybrid: {buffer: 1 KiB, receives: 25}\n", NULL, NULL,
         NULL},
        {STACK("ch3_hybrid", "tulip") "ch3_hybrid: {buffer: 1 KiB, receives: 26}\n", NULL,
         "26 receives share", NULL},
        {STACK("mvich", "tulip"), "mvich.vbuf_most=100", "error: mvich.vbuf_most: mvich.vbuf_pool",
         NULL},
        {STACK("openmpi_tcp", "tulip"), "openmpi_tcp.largest_header=24 B",
         "error: openmpi_tcp.largest_header: openmpi_tcp.rendezvous_header of 32 B", NULL},
        // Buffers that libraries set; 0 sets none.
        {TCP, "lam_tcp.socket_buffer=1459 B",
         "error: lam_tcp.socket_buffer: lam_tcp.socket_buffer of 1459 B does not go with tcp.mtu "
         "of "
         "1500 B",
         "what_if: [lam_tcp_buffer]"},
        {TCP, "lam_tcp.socket_buffer=1460 B", NULL, NULL},
        {TCP, "lam_tcp.socket_buffer=0 B", NULL, NULL},
        {TCP, "mpich_p4.socket_buffer=1 B", NULL, NULL},
        {STACK("mpich_p4", "tulip"), "mpich_p4.socket_buffer=1 KiB",
         "mpich_p4.socket_buffer of 1 KiB", NULL},
        {STACK("ch3_sock", "em82547gi") "ch3_sock: {socket_buffer: 8 KiB}\n", "tcp.mtu=9000 B",
         "--set tcp.mtu=9000 B: error: tcp.mtu: ch3_sock.socket_buffer of 8 KiB", NULL},
        {STACK("openmpi_tcp", "tulip"), "openmpi_tcp.send_buffer=1 KiB",
         "openmpi_tcp.send_buffer of 1 KiB", NULL},
        {STACK("openmpi_tcp", "tulip"), "openmpi_tcp.receive_buffer=1 KiB",
         "openmpi_tcp.receive_buffer of 1 KiB", NULL},
        {STACK("openmpi5_tcp", "tulip"), "openmpi5_tcp.receive_buffer=0 B", NULL, NULL},
        {STACK("openmpi5_tcp", "tulip"), "openmpi5_tcp.receive_buffer=1 KiB",
         "openmpi5_tcp.receive_buffer of 1 KiB", NULL},
        {STACK("openmpi5_tcp", "tulip"), "openmpi5_tcp.send_buffer=1 KiB",
         "openmpi5_tcp.send_buffer of 1 KiB", NULL},
        {STACK("openmpi5_tcp", "tulip"), "openmpi5_tcp.largest_header=24 B",
         "error: openmpi5_tcp.largest_header: openmpi5_tcp.rendezvous_header of 32 B", NULL},
        {STACK("mpich4_sock", "tulip"), "mpich4_sock.socket_buffer=1 KiB",
         "mpich4_sock.socket_buffer of 1 KiB", NULL},
        {STACK("mvich", "tulip"), "mvia.largest_transfer=512 B",
         "error: mvia.largest_transfer: mvich.vbuf of", "shorter vbufs"},
        {STACK("lam_via", "tulip"), "lam_via.short=64 KiB",
         "error: lam_via.short: lam_via.short of 64 KiB does not go with mvia.largest_transfer",
         "a smaller lam_via.short"},
        // A parameter that the stack does not read contradicts nothing.
        {TCP, "ch3_hybrid.buffer=64 B", NULL, NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_memory(void)
{
    static const struct contradiction cases[] = {
        {TCP, "host.memory.bus_rate=1800 MB/s", NULL, NULL}, // three times 600 MB/s
        {TCP, "host.memory.bus_rate=1799 MB/s", NULL, NULL},
        {TCP "host: {memory: {bus_rate: 1780 MB/s}}\n", NULL,
         "test.yaml:8:27: error: host.memory.bus_rate: copies of 600 MB/s (copy_uncached) with 3 B "
         "per byte (copy_traffic) move 1.8 GB/s, and the memory bus 1780 MB/s (bus_rate)",
         "what_if: [memory_bus]"},
        {TCP "host: {memory: {bus_rate: 1780 MB/s}}\n", "host.memory.copy_traffic=2", NULL, NULL},
        {TCP "host: {memory: {bus_rate: 1800 MB/s}}\n", "host.memory.copy_uncached=700 MB/s",
         "--set host.memory.copy_uncached=700 MB/s: error: host.memory.copy_uncached: copies of "
         "700 "
         "MB/s",
         NULL},
        {TCP "host: {memory: {bus_rate: 1780 MB/s}}\n", "what_if=memory_bus", NULL, NULL},
        {HEAD "hosts: [{name: n}, {name: m, host: {memory: {bus_rate: 200 MB/s}}}]\n"
              "links: [{from: n, to: m}]\nstack: lam_tcp\nnic: tulip\n",
         NULL, "test.yaml:4:56: error: hosts[1].host.memory.bus_rate: copies of 600 MB/s", NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

#define UNLIKE(stack, links)                                                                       \
    HEAD "hosts: [{name: n, nics: [{name: a, nic: em82547gi, mtu: 9000 B}]}, "                     \
         "{name: m, nics: [{name: a, nic: em82547gi}]}]\n" links                                   \
         "link: {rate: 1 Gb/s}\nstack: " stack "\n"
#define BY_CABLE "links: [{from: n.a, to: m.a}]\n"
#define BY_SWITCHES                                                                                \
    "switches: [{name: s, count: 2}]\n"                                                            \
    "links: [{from: n.a, to: s0}, {from: s0, to: s1}, {from: m.a, to: s1}]\n"

static void test_path_mtu(void)
{
    static const struct contradiction cases[] = {
        {UNLIKE("ch3_sctp", BY_CABLE), NULL,
         "test.yaml:4:26: error: hosts: the interfaces of n and m, on one path, have MTUs of 9000 "
         "B "
         "and 1500 B",
         "what_if: [sctp_path_mtu]"},
        {UNLIKE("ch3_sctp", BY_SWITCHES), NULL, "the interfaces of n and m, on one path", NULL},
        {UNLIKE("ch3_sctp", BY_SWITCHES), "sctp.mtu=9000 B", NULL, NULL},
        {UNLIKE("ch3_sctp", BY_CABLE), "what_if=sctp_path_mtu", NULL, NULL},
        // TCP's ends exchange their segment sizes.
        {UNLIKE("lam_tcp", BY_SWITCHES), NULL, NULL, NULL},
        // Two networks, of which each has its MTU.
        {HEAD
         "hosts: [{name: n, count: 2, nics: [{name: a, nic: em82547gi, mtu: 9000 B}, "
         "{name: b, nic: em82547gi}]}]\nswitches: [{name: s, count: 2}]\nlink: {rate: 1 Gb/s}\n"
         "links: [{from: [n0.a, n1.a], to: s0}, {from: [n0.b, n1.b], to: s1}]\n"
         "stack: ch3_sctp\n",
         NULL, NULL, NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_sram(void)
{
    static const struct contradiction cases[] = {
        {MYRINET "nic: lanai9\nlink: {rate: 2 Gb/s}\n", "gm.send_buffers=64", NULL, NULL},
        {MYRINET "nic: lanai9\nlink: {rate: 2 Gb/s}\ngm: {mtu: 64 KiB}\n", "gm.send_buffers=64",
         "--set gm.send_buffers=64: error: gm.send_buffers: the MCP, connections with 2 hosts, 66 "
         "packets and a port take",
         "fewer or shorter packets"},
        {MYRINET "nic: lanai9\nlink: {rate: 2 Gb/s}\ngm: {mtu: 64 KiB}\n", NULL, NULL, NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

static void test_tokens(void)
{
    static const struct contradiction cases[] = {
        {ARMCI, NULL, NULL, NULL},
        {ARMCI, "gm.send_tokens=1", NULL, NULL},
        {ARMCI "gm: {send_tokens: 1}\n", "armci.send_tokens=2",
         "--set armci.send_tokens=2: error: armci.send_tokens: armci.send_tokens of 2 does not go "
         "with gm.send_tokens of 1",
         NULL},
        {ARMCI, "gm.receive_tokens=17",
         "--set gm.receive_tokens=17: error: gm.receive_tokens: 18 receive buffers of a data "
         "server",
         NULL},
    };
    expect(cases, G_N_ELEMENTS(cases));
}

// Each rule has a row in docs/scenarios.md.
static void test_documents(void)
{
    char *file = g_build_filename(g_getenv("NETSIM_SOURCE_DIR"), "docs", "scenarios.md", NULL);
    char *text = NULL;
    g_assert(g_file_get_contents(file, &text, NULL, NULL));
    struct compiled compiled = compiled_new(TCP, NULL);
    for (const struct scenario_rule *const *list = compiled.schema->rules; *list; list++)
        for (const struct scenario_rule *rule = *list; rule->name; rule++) {
            char *row = g_strdup_printf("| `%s` | %s | %s |\n", rule->name, rule->compares,
                                        rule->physics ? "yes" : "no");
            if (!strstr(text, row))
                CU_FAIL("a rule without its row in docs/scenarios.md");
            if (!strstr(text, row))
                printf("%s", row);
            g_free(row);
        }
    compiled_free(&compiled);
    g_free(text);
    g_free(file);
}

// Each rule has a name of its own, describes its comparison, and compares parameters that exist.
static void test_tables(void)
{
    struct compiled compiled = compiled_new(TCP, NULL);
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
    for (const struct scenario_rule *const *list = compiled.schema->rules; *list; list++)
        for (const struct scenario_rule *rule = *list; rule->name; rule++) {
            CU_ASSERT(g_hash_table_add(names, (gpointer)rule->name));
            CU_ASSERT_PTR_NOT_NULL(rule->compares);
            CU_ASSERT_PTR_NOT_NULL(rule->remedy);
            CU_ASSERT(rule->broken || (rule->settings[1] && rule->because));
            for (const char *const *setting = rule->settings; *setting; setting++) {
                char *path = g_strndup(*setting, (gsize)(strrchr(*setting, '.') - *setting));
                const struct param_values *values = scenario_section(compiled.test_case, path);
                CU_ASSERT(param_index(values->table, strrchr(*setting, '.') + 1) >= 0);
                g_free(path);
            }
        }
    CU_ASSERT(g_hash_table_size(names) > 0);
    g_hash_table_unref(names);
    compiled_free(&compiled);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"cards and links", test_card_rates},
        {"rules of a trial", test_trial},
        {"a card must be given", test_missing_card},
        {"buses", test_buses},
        {"cards and buses", test_card_buses},
        {"frames", test_frames},
        {"buffers", test_buffers},
        {"memory", test_memory},
        {"MTUs of a path", test_path_mtu},
        {"SRAM of GM", test_sram},
        {"tokens", test_tokens},
        {"documents", test_documents},
        {"tables of rules", test_tables},
        {0},
    };
    return suite_run("cluster: rules", cases);
}
