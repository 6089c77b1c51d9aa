#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads that meet in full queues: the report names the circle, and its advice ends the run."""

import os
import random
import re
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.environ["NETSIM_SOURCE_DIR"]


def scenario(draw, hosts):
    """Each rank reads from the next one, many times, and does not wait."""
    return f"""\
schema: 1
name: reads
testbed: {SOURCE}/scenarios/testbeds/grim.yaml
stack: grim
nic: lanai9
hosts: [{{name: node, count: {hosts}}}]
links: [{{from: node, to: switch}}]
grim_ni: {{queue: 16 KiB, stalled: 2 ms, queue_style: {draw.choice(["slotted", "append", "hybrid"])},
  buffering: {draw.choice(["both", "sender"])}, slot: {draw.choice([512, 1024])} B,
  in_flight: {draw.choice([8, 20, 120])}}}
"""


def program(reads, size, notify):
    return f"""\
workload:
  ranks: {{ranks}}
  program:
    - ranks: all
      do: [{{{{loop: {{{{count: {reads}, do: [{{{{get: {{{{from: (rank + 1) % ranks, size: {size} B{notify}}}}}}}}}]}}}}}}}}]
"""


class Circle(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-grim-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def run_text(self, text, *sets):
        with open(os.path.join(self.directory, "reads.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(
            [NETSIM, "run", "reads.yaml", "--quiet", *(word for one in sets for word in ("--set", one))],
            cwd=self.directory, capture_output=True, text=True, check=False, timeout=120)
        return done.returncode, " ".join(done.stdout.split())

    def check_report(self, report, hosts):
        """A way from card to card that comes back to where it began."""
        steps = re.findall(r"(rank \d)'s queue on (node\d)'s card \(\d+ messages, \d+ B\) is held by its "
                           r"[\w -]+ to rank \d, which waits for (node\d)'s card to (?:take|send)", report)
        self.assertTrue(steps, report)
        self.assertLessEqual(len(steps), hosts)
        for (_, _, to), (_, at, _) in zip(steps, steps[1:] + steps[:1]):
            self.assertEqual(to, at)
        advice = report.split("what avoids it")[1].split(" rank ")[0]
        self.assertIn("grim_ni.queue", advice)
        for wrong in ("timeouts", "stalled", "endpoint_messages"):
            self.assertNotIn(f"grim_ni.{wrong}", advice)
        self.assertNotIn("grim_ni.timeouts would", report)
        self.assertNotIn("longer grim_ni.stalled", report)

    def test_advice_ends_the_run(self):
        draw = random.Random(7)
        circles = 0
        for number in range(24):
            hosts, reads = draw.choice([2, 2, 3, 4]), draw.randint(30, 55)
            size = draw.choice([0, 64, 300])
            machine = scenario(draw, hosts)
            text = machine + program(reads, size, "").format(ranks=hosts)
            with self.subTest(number=number, text=text):
                code, report = self.run_text(text)
                if code == 0:
                    continue
                self.assertEqual(code, 3, report)
                circles += 1
                self.check_report(report, hosts)
                # Earlier reports advised these two, and neither helps.
                if number < 8:
                    code, again = self.run_text(text, "grim_ni.timeouts=true", "grim_ni.stalled=4 ms")
                    self.assertEqual(code, 3)
                    self.check_report(again, hosts)
                # Fewer reads at once; and a queue for all of them and their replies.
                code, report = self.run_text(machine + program(reads, size, ", notify: true").format(ranks=hosts))
                self.assertEqual(code, 0, report)
                room = 2 * (2 * reads + 2) * 1024
                code, report = self.run_text(text, f"grim_ni.queue={room} B", "grim_ni.in_flight=120")
                self.assertEqual(code, 0, report)
        self.assertGreater(circles, 8)


if __name__ == "__main__":
    unittest.main()
