#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that do not go together are refused, at the first value that does not; the last one that does is
not."""

import unittest

import harness

VIA, MYRINET = "pingpong_cluster1", "gm_allsize"

# A scenario, settings, the last value of one of them that goes with the others, the first that does not, and the place
# and text of the error.
SAMPLES = (
    (VIA, "tcp.delayed_ack_least=40 ms", "tcp.delayed_ack_most=40 ms", "tcp.delayed_ack_most=39 ms",
     "tcp.delayed_ack_least: the shortest delay of an acknowledgment is above the longest"),
    (VIA, "tcp.rto_most=300 ms", "tcp.rto_least=300 ms", "tcp.rto_least=301 ms",
     "tcp.rto_least: the shortest retransmission timeout is above the longest"),
    (VIA, "tcp.send_buffer_most=64 KiB", "tcp.send_buffer=64 KiB", "tcp.send_buffer=65537 B",
     "tcp.send_buffer_most: the send buffer is larger than what it may grow to (set it, or "
     "send_buffer_grows=false)"),
    (VIA, "mpich_p4.short=1 KiB", "mpich_p4.eager=1 KiB", "mpich_p4.eager=1023 B",
     "mpich_p4.short: "),
    (VIA, "lam_via.short=1 KiB", "lam_via.tiny=1 KiB", "lam_via.tiny=1025 B",
     "lam_via.tiny: the longest tiny message (1025 B) is longer than the longest short one (1024 B) (tiny is "
     "the smaller class)"),
    (VIA, "lam_via.tiny=1 KiB lam_via.area=8 KiB", "lam_via.short=8 KiB", "lam_via.short=8193 B",
     "lam_via.short: the longest short message (8193 B) is longer than the RDMA area (8192 B)"),
    (VIA, "lam_via.tiny=8 B lam_via.short=8 B lam_via.envelope=36 B", "lam_via.area=44 B",
     "lam_via.area=43 B", "lam_via.area: "),
    (VIA, "lam_via.tiny=1 KiB lam_via.short=1 KiB lam_via.envelope=36 B mvich.vbuf=1 KiB",
     "mvia.largest_transfer=1060 B", "mvia.largest_transfer=1059 B",
     "lam_via.tiny: a tiny message of 1024 B with its envelope is longer than what one descriptor transfers "
     "(mvia.largest_transfer, 1059 B)"),
    (VIA, "lam_via.tiny=1 KiB mvich.vbuf=1 KiB mvia.largest_transfer=2 KiB", "lam_via.short=2 KiB",
     "lam_via.short=2049 B",
     "lam_via.short: lam_via.short of 2049 B does not go with mvia.largest_transfer of 2 KiB"),
    (VIA, "mvia.largest_transfer=32 KiB", "mvich.vbuf=32 KiB", "mvich.vbuf=32769 B",
     "mvich.vbuf: mvich.vbuf of 32769 B does not go with mvia.largest_transfer of 32 KiB"),
    (VIA, "mvich.vbuf=128 B mvich.envelope=16 B", "mvich.header=92 B", "mvich.header=93 B",
     "mvich.vbuf: a vbuf of 128 B has no room behind the header"),
    (VIA, "mvich.credit_preserve=10 mvich.credit_notify_threshold=5", "mvich.prepost_depth=15",
     "mvich.prepost_depth=14",
     "mvich.prepost_depth: 14 credits: a peer that has used all but those it preserves would never get one "
     "back"),
    (VIA, "mvich.prepost_depth=64 mvich.prepost_rendezvous_extra=32 mvich.credit_notify_threshold=4",
     "mvich.prepost_noop_extra=24", "mvich.prepost_noop_extra=23",
     "mvich.prepost_noop_extra: 23 vbufs don't hold all NOOPs that can come at once"),
    (VIA, "host.processor.cores=2", "host.processor.interrupt_core=1",
     "host.processor.interrupt_core=2", "host.processor.interrupt_core: "),
    (VIA, "host.memory.ram=64 MiB", "host.memory.pin_limit=64 MiB", "host.memory.pin_limit=65537 KiB",
     "host.memory.pin_limit: "),
    (MYRINET, "gm.mtu=1 KiB", "gm.fast_receive=1 KiB", "gm.fast_receive=1025 B",
     "gm.fast_receive: fast_receive is more than a packet's payload (mtu)"),
    (MYRINET, "gm.resend_interval=10 ms", "gm.send_timeout=10 ms", "gm.send_timeout=9 ms",
     "gm.send_timeout: "),
    (MYRINET, "gm_native.buffer=4 MiB gm_native.receive_buffers=8", "gm.receive_tokens=184",
     "gm.receive_tokens=183",
     "gm_native.receive_buffers: 8 receive buffers of each of 23 size classes are more than a port's receive "
     "tokens (gm.receive_tokens, 183)"),
    (MYRINET, "", "gm.ports=3", "gm.ports=2", "gm.ports: programs on bare GM use port 2"),
    ("armci_put_config1", "armci.header=72 B armci.client_descriptor=16 B", "armci.small=344 B",
     "armci.small=343 B", "armci.small: small receive buffers of 343 B have no room for a header of 72 B"),
    ("armci_put_config1", "armci.header=1 KiB armci.client_descriptor=16 B", "armci.region=1552 B",
     "armci.region=1551 B", "armci.region: a region of 1551 B is too small"),
    ("grim_latency", "grim_ni.queue=1 KiB", "grim_ni.channels=32", "grim_ni.channels=33",
     "grim_ni.queue: "),
    ("grim_latency", "grim_memory.region=4 KiB grim_memory.regions=3", "grim_memory.arena=12 KiB",
     "grim_memory.arena=12289 B",
     "grim_memory.arena: an endpoint registers 12289 B, more than all regions of the kernel's manager"),
    ("grim_latency", "", "grim.server=1", "grim.server=2",
     "grim.server: rank 2 registers handlers, but there are 2 ranks (ranks count from 0)"),
)


class Settings(harness.Case):
    def check(self, scenario, settings, code):
        sets = [part for setting in settings for part in ("--set", setting)]
        return self.netsim("check", scenario, *sets, code=code).stderr

    @staticmethod
    def split(settings):
        """At blanks before a path, not before a unit."""
        found = []
        for word in settings.split():
            if "=" in word:
                found.append(word)
            else:
                found[-1] += f" {word}"
        return found

    def test_boundaries(self):
        for scenario, others, good, bad, said in SAMPLES:
            with self.subTest(bad):
                self.check(scenario, [*self.split(others), good], 0)
                self.assertIn(f"error: {said}", self.check(scenario, [*self.split(others), bad], 1))

    def test_what_makes_no_difference(self):
        """A limit that is not used."""
        self.check(VIA, ["tcp.send_buffer_grows=false", "tcp.send_buffer=256 KiB",
                         "tcp.send_buffer_most=64 KiB"], 0)
        self.check("grim_latency", ["grim_ni.queue=1 KiB", "grim_ni.channels=0"], 0)


class Unset(harness.Case):
    """`--set PATH=` removes a key in every command that has `--set`."""

    TEXT = ("schema: 1\nname: own\ntestbed: testbeds/cluster1.yaml\nstack: lam_via\nlam_via: {tiny: 1 KiB}\n"
            "workload: {benchmark: pmb.pingpong, sizes: 4 KiB, repetitions: 2}\n")
    COMMANDS = (("check",), ("run", "-q"), ("explain",), ("sweep", "-q"))

    def test_every_command(self):
        self.write("own.yaml", self.TEXT)
        self.write("without.yaml", self.TEXT.replace("lam_via: {tiny: 1 KiB}\n", ""))
        for command in self.COMMANDS:
            with self.subTest(command):
                self.netsim(*command, "own.yaml", "--set", "lam_via.tiny=")
                said = self.netsim(*command, "without.yaml", "--set", "lam_via.tiny=", code=1).stderr
                self.assertRegex(said, r"--set lam_via.tiny=.*: error: lam_via.tiny: is not set: there is nothing to unset")

    def test_the_default_holds(self):
        def run(*arguments):
            return self.netsim("run", *arguments, "--format", "csv", "-q").stdout
        self.write("own.yaml", self.TEXT)
        self.write("without.yaml", self.TEXT.replace("lam_via: {tiny: 1 KiB}\n", ""))
        self.assertEqual(run("own.yaml", "--set", "lam_via.tiny="), run("without.yaml"))
        self.assertNotEqual(run("own.yaml"), run("without.yaml"))
        point = self.netsim("sweep", "own.yaml", "--set", "lam_via.tiny=", "--csv").stdout
        latency = next(row for row in run("without.yaml").splitlines() if "latency" in row).split(",")[-1]
        self.assertIn(f",{latency}\n", point)


class Cards(harness.Case):
    """A stack uses one card of each host, that of its first link."""

    def machine(self, links, hosts="[{name: a}, {name: b}, {name: c}]"):
        return self.write("own.yaml", "schema: 1\nname: own\nnic: tulip\nswitches: [{name: s, count: 2}]\nstack: lam_via\n"
                          f"workload: {{benchmark: pmb.allreduce, sizes: 4 B, repetitions: 2, ranks: 3}}\nhosts: {hosts}\n"
                          "links:\n" + "".join(f"  - {{{link}}}\n" for link in links))

    STAR = ("from: a, to: s0", "from: b, to: s0", "from: c, to: s0")

    def test_a_second_link_of_a_host(self):
        self.netsim("check", self.machine(self.STAR))
        self.machine((*self.STAR, "from: b, to: s0", "from: c, to: s1"))
        for command in ("check", "run", "explain", "plot"):
            said = self.netsim(command, "own.yaml", code=1).stderr
            self.assertIn("own.yaml:12:5: error: links: no packet takes this link: b has a card for each of its links, and "
                          "lam_via uses that of the first (own.yaml:10:5) (--allow-unused runs it all the same)\n", said)
            self.assertIn("own.yaml:13:5: error: links: no packet takes this link: c has", said)
        two = self.netsim("run", "own.yaml", "--allow-unused", "--format", "csv").stdout
        self.assertEqual(two, self.netsim("run", self.machine(self.STAR), "--format", "csv").stdout)

    def test_one_item_is_many_links(self):
        """It is reported once, at its place, also if others of it are used."""
        hosts = "[{name: n, count: 3}]"
        said = self.netsim("check", self.machine(("from: n, to: s0", "from: n, to: s1"), hosts), code=1).stderr
        self.assertEqual(said.count("no packet takes this link"), 1)
        self.assertIn("own.yaml:10:5", said)
        said = self.netsim("check", self.machine(("from: n0, to: s0", "from: n, to: s0"), hosts), code=1).stderr
        self.assertIn("own.yaml:10:5: error: links: no packet takes this link: n0 has", said)
        self.netsim("check", self.machine(("from: n, to: s0", "from: s0, to: s1", "from: s0, to: s1"), hosts))

    def test_hosts_that_only_second_cards_join(self):
        """Such a ring was right once, and the run ended with a signal."""
        ring = self.machine(("from: a, to: b", "from: b, to: c", "from: c, to: a"))
        for allowed in ((), ("--allow-unused",)):
            said = self.netsim("run", ring, *allowed, code=1).stderr
            self.assertIn("no way joins a and c (the stack uses one card of each host, that of its first link)", said)


if __name__ == "__main__":
    unittest.main()
