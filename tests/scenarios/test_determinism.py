#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shipped scenario, run with and without a timeline."""

import os
import re
import unittest

from running import Case, DONE, FAILED, printed
from shipped import FAILING, FEW, FEWER, LONGER, QUICK


# Long timelines of what others have, too: one is left out, and of these only some series are run, one of each kind.
LONG = {"pin_cache_search"}
SERIES = {
    "cmt_reordering": ("all, small", "no CUC, large"),
    "cmt_shared_link": ("shared link",),
    "nas_cluster1": ("CG, VIA", "IS, TCP", "MG, VIA"),
    "nas_x306": tuple(f"{code}, ch3:{channel}" for code in ("IS A", "LU A") for channel in ("sock", "sctp", "hybrid")),
    "osu_bandwidth_x306": ("ch3:sock", "ch3:sctp, CMT", "Open MPI, two"),
    "osu_bibandwidth_x306": ("ch3:hybrid",),
    "sctp_failover": ("0.5 s, 2", "CMT-PF, 1 s, 1", "multihoming, 1 s, 3"),
    "sctp_path_loss": ("one path, 1 %", "two paths, 2 % on the second"),
    "tcp_cable_pulled": ("pulled",),
}

# One of each fabric, run twice here: their state logs, too, are the same with a timeline.
TWICE = {"unexpected_messages", "copy_or_register", "gm_allsize", "grim_remote_memory", "tx_cb_full", "any_tag",
         "sctp_handshake", "stencil"}


def series_of(name):
    """The options that choose the series of SERIES; none: all are run."""
    return [word for series in SERIES.get(name, ()) for word in ("--series", series)]


def outcome(document):
    """All but the wall time."""
    for key in ("wall_s", "events_per_s"):
        del document["run"][key]
    return document


class Determinism(Case):
    """Two runs are equal in everything but wall time, and recording does not change what is recorded."""

    def same(self, name, code, options):
        trace = os.path.join(self.directory, "timeline.json")
        traced = self.run_scenario(name, *options, "--trace", trace, code=code, tag="traced")
        self.assertGreater(os.path.getsize(trace), 1000)
        os.remove(trace)
        self.assertRegex(traced.json["run"]["fingerprint"], r"\A[0-9a-f]{16}\Z")
        document = None if options or name in TWICE else printed(name)
        if document is None:
            plain = self.run_scenario(name, *options, code=code, tag="plain")
            self.assertEqual(plain.states(), traced.states())
            self.assertEqual(plain.read("results.csv"), traced.read("results.csv"))
            document = plain.json
        self.assertEqual(outcome(document), outcome(traced.json))

    def test_equal_runs(self):
        for name in QUICK:
            if name in LONG:
                continue
            with self.subTest(name):
                self.same(name, FAILED if name in FAILING else DONE, series_of(name))
        for name in sorted(LONGER):
            with self.subTest(name):
                self.same(name, DONE, (*FEWER.get(name, FEW), *series_of(name)))

    def test_state_log_is_stable_text(self):
        run = self.completes("unexpected_messages")
        lines = run.states().splitlines()
        self.assertEqual(lines[0], "# series lam_via")
        shape = re.compile(r"\d+\.\d{6} rank [01] (rpi|vi|send|recv|probe|cbuf|pin)\[\d+\] "
                           r"(-|[a-z_]+) -> [a-z_]+( .+)?\Z")
        for line in lines[1:]:
            self.assertRegex(line, shape)
        self.assertGreater(len(lines), 30)


if __name__ == "__main__":
    unittest.main()
