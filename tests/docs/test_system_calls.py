#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of docs/system-calls.md: each row's message is sent once, and the system calls of both sides, seen on the
timeline, are those of the row, by name and in order."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
PAGE = os.path.join(os.environ["NETSIM_SOURCE_DIR"], "docs", "system-calls.md")

# us: after the first exchange, which connects the two, and before the end of the program.
FROM, TO = 40e3, 280e3


def rows():
    """Of the table: stack, message, settings, calls of the sender and of the receiver."""
    with open(PAGE, encoding="utf-8") as page:
        for line in page:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if line.startswith("| `") and len(cells) == 6:
                yield cells[0].strip("`"), cells[1], re.findall("`(.*?)`", cells[2]), cells[3], cells[4]


def program(message):
    """Operations of the sender and of the receiver: an exchange, a pause, the message, a pause."""
    if "MPI_Iprobe" in message:
        size, sends, receives = "1 B", [], [{"iprobe": {"from": 0}}]
    else:
        size = re.match(r"\d+ B", message).group(0)
        sends, receives = [{"send": {"to": 1, "size": size}}], [{"recv": {"from": 0, "size": size}}]
    end = {"compute": "300 ms"}
    return [{"ranks": 0, "do": [{"send": {"to": 1, "size": size}}, {"recv": {"from": 1, "size": size}},
                                {"compute": "100 ms"}, *sends, end]},
            {"ranks": 1, "do": [{"recv": {"from": 0, "size": size}}, {"send": {"to": 0, "size": size}},
                                {"compute": "60 ms"}, *receives, end]}]


def scenario(stack, ranks):
    return {"schema": 1, "name": "calls", "hosts": [{"name": "node", "count": 2}], "switches": [{"name": "switch"}],
            "links": [{"from": "node", "to": "switch"}], "nic": "eepro100", "stack": stack,
            "host": {"processor": {"cores": 2}}, "workload": {"ranks": 2, "program": ranks}}


def text(calls):
    """Several polls one after another are "poll …", without readings of the clock."""
    return re.sub("poll(, poll)+", "poll …", ", ".join(call for call in calls if call != "gettimeofday"))


class Calls(unittest.TestCase):
    def calls(self, stack, ranks, settings):
        """The calls of both ranks, as the table has them."""
        return [text(names) for names in self.names(stack, ranks, settings)]

    def names(self, stack, ranks, settings):
        """All calls of both ranks, in their order."""
        with tempfile.TemporaryDirectory(prefix="netsim-calls-") as directory:
            path = os.path.join(directory, "calls.json")
            trace = os.path.join(directory, "trace.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scenario(stack, ranks), file)
            done = subprocess.run([NETSIM, "run", path, "--quiet", f"--trace={trace}", f"--out={directory}/out",
                                   *(f"--set={setting}" for setting in settings)],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(trace, encoding="utf-8") as file:
                events = json.load(file)
        events = events["traceEvents"] if isinstance(events, dict) else events
        names = {event["pid"]: event["args"]["name"].split(": ")[1] for event in events
                 if event["ph"] == "M" and event["name"] == "process_name"}
        seen = {"node0": [], "node1": []}
        for event in events:
            if event["ph"] == "X" and event["name"].endswith("()") and FROM < event["ts"] < TO:
                seen[names[event["pid"]]].append((event["ts"], event["name"][:-2]))
        return [[name for _, name in sorted(seen[node])] for node in ("node0", "node1")]

    def test_table(self):
        known = list(rows())
        self.assertGreater(len(known), 15)
        for stack, message, settings, sender, receiver in known:
            with self.subTest(stack=stack, message=message):
                self.assertEqual(self.calls(stack, program(message), settings), [sender, receiver])

    def test_clock(self):
        """Open MPI's event library reads the clock twice for each poll; no other library reads it."""
        for stack, times in (("openmpi_tcp", 2), ("ch3_sock", 0)):
            names = self.names(stack, program("100 B"), ["openmpi_tcp.daemon=1 ms"] if times else [])
            for node in names:
                self.assertEqual(node.count("gettimeofday"), times * node.count("poll"), stack)

    def test_full_socket(self):
        """net_send_w of ch_p4: while it can't write, the lower rank reads a message that comes; the higher one only
        peeks at it, and tries to write again."""
        long, short = {"to": 1, "size": "400 kB"}, {"to": 0, "size": "100 B"}
        for lower in (True, False):
            sender, other = (0, 1) if lower else (1, 0)
            ranks = [{"ranks": sender, "do": [{"compute": "50 ms"}, {"send": {**long, "to": other}},
                                              {"recv": {"from": other, "size": "100 B"}}]},
                     {"ranks": other, "do": [{"compute": "80 ms"}, {"send": {**short, "to": sender}},
                                             {"compute": "80 ms"}, {"recv": {"from": sender, "size": "400 kB"}}]}]
            calls = self.calls("mpich_p4", ranks, ["mpich_p4.eager=1 MiB"])[sender]
            with self.subTest(lower=lower):
                reads = "select, recv, select, read, read, write, select"
                peeks = "select, recv, (write, )+select, recv, write"
                self.assertRegex(calls, reads if lower else peeks)
                self.assertEqual("read" in calls[:calls.rindex("write")], lower)


if __name__ == "__main__":
    sys.exit(unittest.main())
