#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that came to its end and lost data: no command takes it for a result."""

import csv
import io
import json
import os
import sqlite3
import unittest

from harness import SOURCE, Case

# MVICH over M-VIA does not repeat what an eager frame has lost; frame 2000 there is none.
LOSSY = f"""\
schema: 1
name: lossy
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
stack: mvich
workload: {{benchmark: pmb.exchange, repetitions: 3, ranks: 3, sizes: [131072 B]}}
link: {{corrupt_nth: [25, 33]}}
"""
WHOLE = ("--set", "link.corrupt_nth=[2000]")
BOTH = ("--set", "link.corrupt_nth=[2000],[25, 33]")
WHY = "3 lost of 38 messages; message 1, rank 0 to 1, 131072 B: bytes 24956..26423 lost: "


class Lost(Case):
    def setUp(self):
        super().setUp()
        self.write("lossy.yaml", LOSSY)

    def sweep(self):
        return self.netsim("sweep", "lossy.yaml", *BOTH, code=2)

    def report(self):
        return json.loads(self.netsim("sweep", "--report", "results/lossy", "--format", "json",
                                      code=2).stdout)

    def picture(self, *arguments, code):
        done = self.netsim("plot", *arguments, "--out", "p.svg", code=code)
        return done.stderr, self.read("p.svg")

    def test_run(self):
        document = json.loads(self.netsim("run", "lossy.yaml", "--format", "json", "--out", "results/lossy",
                                          code=2).stdout)
        for place in (document, document["series"][0],
                      json.loads(self.read("results/lossy/manifest.json"))["series"][0]):
            self.assertEqual(place["status"], "lost")
            self.assertEqual(place["reason"]["kind"], "messages_lost")
            self.assertIn(WHY, place["reason"]["text"])
        self.assertIn("mvich [lost]", self.netsim("run", "lossy.yaml", code=2).stdout)
        self.netsim("run", "lossy.yaml", *WHOLE)

    def test_sweep(self):
        done = self.sweep()
        self.assertIn("2 runs, 2 of them new: 1 completed, 1 lost", done.stdout)
        self.assertIn("1 runs lost data", done.stdout)
        report = self.report()
        self.assertEqual((report["ends"]["completed"], report["ends"]["lost"]), (1, 1))
        self.assertEqual(report["failures"][0]["kind"], "messages_lost")
        for metric in report["metrics"]:
            for row in metric["rows"]:
                self.assertEqual((row["best_point"]["point"], row["worst_point"]["point"]), (0, 0))
            self.assertIsNone(metric["effects"][1]["change"])
        text = self.netsim("sweep", "--report", "results/lossy", code=2).stdout
        self.assertIn("Ends: 1 completed, 1 lost", text)

    def test_a_sweep_that_was_made_before_keeps_its_verdict(self):
        """What is found done exits as what is done."""
        self.sweep()
        self.assertIn("0 of them new", self.sweep().stdout)

    def test_csv_has_the_values_with_their_status(self):
        self.sweep()
        text = self.netsim("sweep", "--report", "results/lossy", "--csv", code=2).stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["status"] for row in rows], 4 * ["completed"] + 4 * ["lost"])
        self.assertTrue(all(float(row["value"]) > 0 for row in rows))

    def test_a_database_of_an_older_version(self):
        """It has such runs as "completed", with a ledger that is not balanced."""
        self.sweep()
        database = sqlite3.connect(self.path("results/lossy/sweep.sqlite"))
        key, = database.execute("SELECT key FROM results WHERE status = 'lost'").fetchone()
        with database:
            database.execute("UPDATE results SET status = 'completed', kind = NULL, document ="
                             " json_set(document, '$.status', 'completed', '$.reason', NULL)")
        database.close()
        report = self.report()
        self.assertEqual((report["ends"]["completed"], report["ends"]["lost"]), (1, 1))
        self.assertIn("bytes 24956..26423 lost: ", report["failures"][0]["text"])
        case = f"results/lossy/sweep.sqlite#{key}"
        self.assertIn("mvich lost data", self.netsim("compare", case, case).stderr)
        self.netsim("sweep", "merge", "merged.sqlite", "results/lossy", "results/lossy")
        self.netsim("sweep", "--report", "merged.sqlite", code=2)

    def test_explain(self):
        done = self.netsim("explain", "lossy.yaml", code=2)
        self.assertIn("mvich: lost: " + WHY, done.stderr)
        self.assertIn("ledger NOT balanced", done.stdout)
        self.netsim("explain", "lossy.yaml", *WHOLE)

    def test_compare(self):
        self.netsim("run", "lossy.yaml", "-q", "--out", "a", code=2)
        self.netsim("run", "lossy.yaml", "-q", "--out", "b", *WHOLE)
        told = self.netsim("compare", "a", "b", code=2)
        self.assertIn("mvich: lost (messages_lost) against completed", told.stdout)
        self.assertIn("a: mvich lost data", told.stderr)
        # As older versions wrote it.
        manifest = json.loads(self.read("a/manifest.json"))
        manifest["series"][0].update({"status": "completed", "reason": None})
        self.write("a/manifest.json", json.dumps(manifest))
        told = self.netsim("compare", "a", "b", code=2)
        self.assertIn("mvich: lost (messages_lost) against completed", told.stdout)

    def test_plot(self):
        probe = self.netsim("plot", "lossy.yaml", *WHOLE, "--out", "w.svg", code=None)
        if "no python3 with matplotlib" in probe.stderr:
            self.skipTest("no python3 with matplotlib")
        self.assertEqual(probe.returncode, 0, probe.stderr)
        said, drawn = self.picture("lossy.yaml", code=2)
        self.assertIn("mvich: lost: " + WHY, said)
        self.assertIn("lost data", drawn)
        self.netsim("run", "lossy.yaml", "-q", code=2)
        self.assertIn("lost data", self.picture("results/lossy", code=2)[1])
        os.remove(self.path("results/lossy/manifest.json"))
        os.remove(self.path("results/lossy/results.csv"))
        self.sweep()
        said, drawn = self.picture("results/lossy", code=2)
        self.assertIn("1 series lost data", said)
        self.assertIn("lost data", drawn)

    def test_calibrate(self):
        self.write("targets.yaml", "schema: 1\ntargets:\n"
                   "  - {series: mvich, size: 131072 B, value: 20000 us}\n")
        options = ("--fit", "host.memory.copy_cached=200 MB/s..3000 MB/s", "--to", "targets.yaml",
                   "--out", "overlay.yaml")
        done = self.netsim("calibrate", "lossy.yaml", *options, code=2)
        self.assertRegex(done.stderr, r"mvich lost data: \d+ lost of \d+ messages")
        self.assertFalse(os.path.exists(self.path("overlay.yaml")))

    def test_validate(self):
        """A claim on values fails; one may also be on the loss."""
        for directory in ("claims", "figures"):
            os.makedirs(self.path(f"data/references/{directory}"))
        os.makedirs(self.path("data/scenarios"))
        self.write("data/scenarios/lossy.yaml", LOSSY)
        self.write("data/references/claims/sys.yaml", """\
others:
  sys.a.fast:
    kind: number
    statement: it is fast
    source: "1"
    check: {bound: {scenario: lossy, series: mvich, metric: latency_us, below: 1000000 us}}
  sys.a.lossy:
    kind: shape
    statement: it loses
    source: "1"
    check: {ends_with: {scenario: lossy, series: mvich, status: lost, reason: messages_lost}}
""")
        done = self.netsim("validate", "--format", "json", code=2,
                           environment={"NETSIM_DATA_DIR": self.path("data")})
        rows = {row["id"]: row for row in json.loads(done.stdout)["claims"]}
        self.assertEqual(rows["sys.a.lossy"]["verdict"], "holds")
        self.assertEqual(rows["sys.a.fast"]["verdict"], "misses")
        self.assertIn("ended as lost", rows["sys.a.fast"]["why"] or rows["sys.a.fast"]["simulated"])


if __name__ == "__main__":
    unittest.main()
