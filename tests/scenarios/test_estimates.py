#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The events that `netsim check` estimates for the shipped scenarios are within a factor of 2 of those of their runs."""

import json
import os
import subprocess
import unittest

from running import NETSIM, SCENARIOS, printed
from shipped import FLOWS, QUICK, TESTED

# An estimate reads the program and knows no faults, nor what limits a stream besides its link.
LOSSES = {"cmt_policies", "cmt_reordering", "cmt_shared_link", "cmt_small_buffer", "sctp_failover", "sctp_path_loss",
          "sctp_paths_x306", "sctp_streams_loss", "grim_late_receiver", "grim_reply_deadlock"}
# It has the number of calls of a recording, not what they send.
RECORDED = {"replay_nas_ep", "replay_nas_is", "replay_otf2", "replay_sample_sort"}
# Processors alone; what a target declines, or cannot take; cards that write remote memory in few steps.
OTHERS = {"armci_copy_and_send", "copy_or_register", "grim_scan", "grim_remote_memory", "short_message_flow", "truncated_put",
          "unmatched_put", "vdma_alignment"}


LEAST = 2000  # events: of shorter runs the start is a large part


class Estimates(unittest.TestCase):
    def events_of_run(self, name):
        """By series, of those that complete; None: the scenario takes long, and has not been run by golden.py."""
        document = printed(name)
        if document is None and name in QUICK:
            done = subprocess.run([NETSIM, "run", os.path.join(SCENARIOS, name + ".yaml"), "--format", "json", "--quiet"], check=False,
                                  stdout=subprocess.PIPE, text=True, timeout=600)
            document = json.loads(done.stdout)
        return document and {series["name"]: series["events"] for series in document["series"] if series["status"] == "completed"}

    def test_events(self):
        compared = 0
        for name in sorted(TESTED - FLOWS - LOSSES - RECORDED - OTHERS):
            events = self.events_of_run(name)
            if events is None:
                continue
            done = subprocess.run([NETSIM, "check", "--format", "json", os.path.join(SCENARIOS, name + ".yaml")], check=True,
                                  stdout=subprocess.PIPE, text=True)
            for series in json.loads(done.stdout)["scenarios"][0]["series"]:
                if events.get(series["name"], 0) >= LEAST:
                    with self.subTest(scenario=name, series=series["name"]):
                        ran = events[series["name"]]
                        self.assertTrue(ran / 2 <= series["events"] <= 2 * ran, f"{series['events']:.3g} of {ran:.3g}")
                        compared += 1
        self.assertGreater(compared, 50)


if __name__ == "__main__":
    unittest.main()
