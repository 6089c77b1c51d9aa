#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""iperf.sctp writes, reads and sets SCTP_NODELAY as iperf 1.7.0 with SCTP does, and by the keys that change it."""

import json
import os
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])


class Iperf(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-iperf-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def result(self, *settings, benchmark="iperf.sctp"):
        path = os.path.join(self.directory, "iperf.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"schema: 1\nname: iperf\ntestbed: {SOURCE}/scenarios/testbeds/x306.yaml\nstack: sctp\n"
                       f"workload: {{benchmark: {benchmark}, ranks: 2, duration: 20 ms, bin: 20 ms}}\n")
        options = [option for setting in settings for option in ("--set", setting)]
        trace = os.path.join(self.directory, "trace.json")
        done = subprocess.run([NETSIM, "run", path, "-q", "--out", self.directory, "--format", "json", "--trace", trace, *options],
                              text=True, check=False, capture_output=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.copies = sum(event["name"] == "copy" and event["pid"] == 2 for event in events)  # of the reader
        return json.loads(done.stdout)

    def write(self, *settings, **kind):
        ledger = self.result(*settings, **kind)["ledger"]
        return ledger["bytes"] / ledger["messages"]

    def test_writes(self):
        """A write is the most that a packet holds, whatever the MTU, unless the scenario says."""
        self.assertEqual(self.write(), 8952)
        self.assertEqual(self.write("sctp.mtu=1500 B"), 1452)
        self.assertEqual(self.write("sctp.chunk_limit=1000 B"), 1000)
        self.assertEqual(self.write("workload.write_size=8 KiB"), 8192)
        self.assertEqual(self.write(benchmark="native.stream"), 8192)

    def test_reads(self):
        """The server reads 8 KiB: two calls, and copies, for a message, or one with room for all of it."""
        for setting, reads in ("native_sctp.read=8 KiB", 2), ("native_sctp.read=16 KiB", 1), ("native_sctp.read=3 kB", 3):
            messages = self.result(setting)["ledger"]["messages"]
            self.assertAlmostEqual(self.copies / messages, reads, delta=0.05)
        self.write()
        copies = self.copies
        self.write("native_sctp.read=8 KiB")
        self.assertEqual(self.copies, copies)

    def test_nagle(self):
        """Nagle's algorithm is on: messages of 1,000 B share packets, which they do not with SCTP_NODELAY, nor in the
        stream that all bare stacks have."""
        def packets(*settings, **kind):
            (series,) = self.result("workload.write_size=1000 B", "sctp.send_rule=always", *settings, **kind)["series"]
            return series["counters"]["sctp chunks sent"] / series["counters"]["sctp packets sent"]
        iperf = packets()
        self.assertAlmostEqual(packets("native_sctp.no_delay=false"), iperf)
        self.assertLess(packets("native_sctp.no_delay=true"), iperf)
        self.assertAlmostEqual(packets(benchmark="native.stream"),
                               packets("native_sctp.no_delay=true", "native_sctp.read=64 KiB"))


if __name__ == "__main__":
    unittest.main()
