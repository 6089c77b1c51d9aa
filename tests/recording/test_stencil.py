#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""scenarios/stencil.yaml is the program that traces/stencil_16 is a recording of: with 16 ranks each
rank makes the same calls, in the same order, with the same peers, tags and sizes. The recording is
read here as SimGrid's manual describes its format, and not by netsim.
"""

import itertools
import json
import math
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]).resolve()
NETSIM = os.path.abspath(os.environ["NETSIM"])
RANKS, POINTS, STEPS, DOUBLE = 16, 1024, 60, 8


def flattened(ranks):
    """[each rank's rows] of the program, as a library would run it."""
    done = subprocess.run([NETSIM, "flatten", SOURCE / "scenarios" / "stencil.yaml", "--series",
                           "LAM TCP", "--format", "json", "--set", f"workload.ranks={ranks}", "--set",
                           f"hosts[0].count={ranks}", "--set", f"switches[1].ports={ranks}"],
                          check=True, timeout=300, stdout=subprocess.PIPE, encoding="utf-8")
    rows = [[] for _ in range(ranks)]
    for line in done.stdout.splitlines():
        row = json.loads(line)
        rows[row["rank"]].append(row)
    return rows


def calls_of_program(rows):
    """A rank's calls: a collective's messages are one call."""
    calls = []
    for (call, _), group in itertools.groupby(rows, key=lambda row: (row["call"], row["at"])):
        group = list(group)
        if call in ("irecv", "isend"):
            calls += [(call, row["peer"], row["tag"], row["bytes"]) for row in group]
        elif call == "waitall":
            calls.append((call, len(group[0]["requests"])))
        elif call == "allreduce":
            calls.append((call, max(row.get("bytes", 0) for row in group)))
        elif call != "compute":
            calls.append((call,))
    return calls


def calls_of_recording(rank):
    calls = []
    path = SOURCE / "traces" / "stencil_16" / f"rank-{rank + 1}.txt"
    for line in path.read_text(encoding="ascii").splitlines():
        _, call, *arguments = line.split()
        if call in ("irecv", "isend"):
            peer, tag, count, datatype = map(int, arguments)
            assert datatype == 0  # MPI_DOUBLE
            calls.append((call, peer, tag, count * DOUBLE))
        elif call == "waitall":
            calls.append((call, int(arguments[0])))
        elif call == "allreduce":
            calls.append((call, int(arguments[0]) * DOUBLE))
        elif call not in ("init", "finalize", "compute"):
            calls.append((call,))
    return calls


class Stencil(unittest.TestCase):
    maxDiff = 2000

    def test_program_and_recording_have_the_same_calls(self):
        program = flattened(RANKS)
        for rank in range(RANKS):
            recorded = calls_of_recording(rank)
            self.assertGreater(len(recorded), STEPS * 5)
            self.assertEqual(calls_of_program(program[rank]), recorded, f"rank {rank}")

    def test_any_number_of_ranks(self):
        """Each send has its receive, a step has the messages of its grid of blocks, which cover all
        points."""
        for ranks in (1, 2, 3, 4, 7, 9, 12, 25, 64):
            across = math.isqrt(ranks)
            if across * across != ranks:
                across = 1
            down = ranks // across
            sent, taken, computed = {}, {}, 0
            for rank, rows in enumerate(flattened(ranks)):
                for call in calls_of_program(rows):
                    if call[0] == "isend":
                        sent.setdefault((rank, call[1], call[2]), []).append(call[3])
                    elif call[0] == "irecv":
                        taken.setdefault((call[1], rank, call[2]), []).append(call[3])
                work = [row["ps"] for row in rows if row["operation"] == "compute"]
                computed += sum(work)
            self.assertEqual(sent, taken, f"{ranks} ranks")
            self.assertEqual(sum(map(len, sent.values())),
                             STEPS * 2 * (across * (down - 1) + down * (across - 1)))
            self.assertEqual(sum(map(sum, sent.values())),
                             STEPS * 2 * POINTS * DOUBLE * (across - 1 + down - 1))
            self.assertEqual(computed, STEPS * POINTS * POINTS * 24000)


if __name__ == "__main__":
    unittest.main()
