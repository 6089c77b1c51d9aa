#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/netsim-gdb.py in gdb's batch mode: its output for packets, requests, sockets and associations."""

import os
import subprocess
import sys
import tempfile
import unittest

NETSIM = os.environ["NETSIM"]
SOURCE = os.environ["NETSIM_SOURCE_DIR"]
sys.path.append(os.path.join(SOURCE, "tests/support"))
import needs  # noqa: E402
PROGRAM = """\
schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_tcp
workload:
  ranks: 2
  program:
    - {ranks: 0, do: [{isend: {to: 1, size: 256 KiB, request: a}}, {wait: a}]}
    - {ranks: 1, do: [{recv: {from: 0, size: 256 KiB}}]}
"""


@needs.program("gdb")
class Gdb(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-gdb-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def gdb(self, arguments, *commands):
        """What gdb prints for its commands in a run of the program."""
        words = ["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-x",
                 os.path.join(SOURCE, "tools/netsim-gdb.py")]
        for command in ("set pagination off", *commands):
            words += ["-ex", command]
        done = subprocess.run([*words, "--args", NETSIM, *arguments], cwd=self.directory, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        if "ptrace: Operation not permitted" in done.stdout or "without debugging" in done.stdout:
            self.skipTest("gdb may not run programs here")
        return done.stdout

    def test_lam_tcp(self):
        with open(os.path.join(self.directory, "program.yaml"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        output = self.gdb(("run", "program.yaml", "--quiet"), "break channel_enter if packet->wire_bytes > 1000",
                          "run", "print *packet", "print/r *packet", "ignore 1 9", "continue", "info ranks", "print tcp_connection_machine")
        self.assertRegex(output, r"\$1 = node0 to node1, link 1 of 2, 1518 B, message 1 \[0, 1424\)\n")
        self.assertRegex(output, r"\$2 = \{event = \{")
        self.assertRegex(output, r"2 ranks at [0-9.]+ us\nrank 0 on node0: wait at line 7, 1 waits\n"
                                 r" +rank 0, send 1: peer 1, tag 0, 262144 B, send_body, waits for .*\n"
                                 r"rank 1 on node1: recv at line 8, 1 waits\n +rank 1, recv 1: peer 0, tag -1, 262144 B, ")
        self.assertIn("TCP connection: CLOSED, ", output)

    def test_tcp_socket(self):
        output = self.gdb(("run", "pingpong_cluster1", "--series", "native TCP", "--quiet"), "break tcp_push", "run",
                          "ignore 1 40", "continue", "print *socket")
        self.assertRegex(output, r"\$1 = node[01], tcp 1: ESTABLISHED, una \d+, nxt \d+, end \d+, wnd \d+, cwnd \d+, "
                                 r"received \d+, read \d+\n")

    def test_sctp(self):
        output = self.gdb(("run", "sctp_pingpong_x306", "--quiet"), "break sctp_send", "run", "print *socket",
                          "print *(struct sctp_association *)socket->associations->pdata[0]")
        self.assertRegex(output, r"\$1 = \w+, port \d+, \w+: 1 associations")
        self.assertRegex(output, r"\$2 = \w+, association 1: ESTABLISHED, acknowledged to \d+, unsent \d+, next \d+; "
                                 r"path 0: cwnd \d+, flight \d+")

    def test_outside_of_a_run(self):
        output = self.gdb(("--version",), "info ranks", "break main", "run", "info ranks")
        self.assertIn("info ranks: no frame of run_case", output)


if __name__ == "__main__":
    unittest.main()
