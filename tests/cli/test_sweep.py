#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim sweep: points, database, resuming, workers that die, shards, reports, bad input."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

from harness import NETSIM, SOURCE
import needs
from sweeping import content, count, FLOOD, QUICK, SHORT, SLOW, SweepCase, TINY


class Points(SweepCase):
    def test_product_in_order(self):
        lines = self.sweep("quick.yaml", *TINY, *SHORT, "--dry-run").stdout.splitlines()
        self.assertEqual(lines[0], "0  lam_via.tiny=1 KiB, lam_via.short=4 KiB")
        self.assertEqual(lines[1], "1  lam_via.tiny=1 KiB, lam_via.short=32 KiB")
        self.assertEqual(lines[5], "5  lam_via.tiny=4 KiB, lam_via.short=32 KiB")
        self.assertEqual(len(lines), 6)
        self.assertFalse(os.path.exists(self.path("results")))

    def test_zip_with_seeds(self):
        lines = self.sweep("quick.yaml", "--set", "lam_via.tiny=1 KiB,2 KiB", *SHORT, "--zip",
                           "--seeds", "2", "--dry-run").stdout.splitlines()
        self.assertEqual(lines, [
            "0  lam_via.tiny=1 KiB, lam_via.short=4 KiB, seed=1",
            "1  lam_via.tiny=1 KiB, lam_via.short=4 KiB, seed=2",
            "2  lam_via.tiny=2 KiB, lam_via.short=32 KiB, seed=1",
            "3  lam_via.tiny=2 KiB, lam_via.short=32 KiB, seed=2"])

    def test_ranges_double(self):
        lines = self.sweep("quick.yaml", "--set", "lam_via.tiny=512 B .. 3 KiB,5 KiB",
                           "--dry-run").stdout.splitlines()
        self.assertEqual([line.split("=")[1] for line in lines],
                         ["512 B", "1 KiB", "2 KiB", "3 KiB", "5 KiB"])
        lines = self.sweep("quick.yaml", "--set", "lam_via.rdescs=8..20",
                           "--dry-run").stdout.splitlines()
        self.assertEqual([line.split("=")[1] for line in lines], ["8", "16", "20"])

    def test_lists_and_ranges_that_are_one_value(self):
        lines = self.sweep("quick.yaml", "--set", "workload.sizes=[1 B, 2 B],4 B .. 16 B",
                           "--set", "link.drop_nth=[],[900, 901]", "--dry-run").stdout.splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(lines[3], "3  workload.sizes=4 B .. 16 B, link.drop_nth=[900, 901]")

    def test_sweep_of_the_scenario(self):
        self.write("own.yaml", QUICK + "sweep: {axes: {lam_via.tiny: [1 KiB, 2 KiB], "
                                       "lam_via.rdescs: 32 .. 128}, seeds: 2}\n")
        self.assertEqual(len(self.sweep("own.yaml", "--dry-run").stdout.splitlines()), 12)
        # --set replaces an axis and adds another; `run` takes no notice of a sweep.
        lines = self.sweep("own.yaml", "--set", "lam_via.tiny=4 KiB", "--seeds", "1", *SHORT,
                           "--dry-run").stdout.splitlines()
        self.assertEqual(lines[0],
                         "0  lam_via.tiny=4 KiB, lam_via.rdescs=32, lam_via.short=4 KiB, seed=1")
        self.assertEqual(len(lines), 6)
        self.netsim("check", "own.yaml")
        self.netsim("run", "own.yaml", "-q")
        self.write("zip.yaml", QUICK + "sweep: {axes: {lam_via.tiny: [1 KiB, 2 KiB], "
                                       "lam_via.short: [4 KiB, 8 KiB]}, mode: zip}\n")
        self.assertEqual(len(self.sweep("zip.yaml", "--dry-run").stdout.splitlines()), 2)

    def test_impossible_combinations_are_points(self):
        done = self.sweep("quick.yaml", "--set", "lam_via.tiny=1 KiB,8 KiB", *SHORT)
        self.assertIn("1 of 4 points are not possible", done.stdout)
        rows = self.rows("results/quick")
        impossible = [row for row in rows if row["status"] == "impossible"]
        self.assertEqual([(row["lam_via.tiny"], row["lam_via.short"]) for row in impossible],
                         [("8 KiB", "4 KiB")])
        self.assertIn("longest tiny message", impossible[0]["reason"])


class Results(SweepCase):
    def test_same_bytes_with_any_number_of_workers(self):
        outputs = [self.sweep("quick.yaml", *TINY, *SHORT, "--csv", "--out", f"out{jobs}", "-j",
                              jobs).stdout for jobs in ("1", "2", "7")]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])
        self.assertEqual(content(self.path("out1/sweep.sqlite")),
                         content(self.path("out7/sweep.sqlite")))
        self.assertEqual(self.sweep("--report", "out1").stdout, self.sweep("--report",
                                                                            "out7").stdout)

    def test_a_point_is_what_run_says(self):
        self.sweep("quick.yaml", *TINY, *SHORT, "-j2")
        expected = json.loads(self.netsim("run", "quick.yaml", "--format", "json", "--set",
                                          "lam_via.tiny=2 KiB", "--set",
                                          "lam_via.short=4 KiB").stdout)["series"][0]
        got = {int(row["size"]): float(row["value"]) for row in self.rows("results/quick")
               if row["point"] == "2" and row["metric"] == "latency_us"}
        self.assertEqual(got, {point["size_bytes"]: point["latency_us"]
                               for point in expected["points"]})
        database = sqlite3.connect(self.path("results/quick/sweep.sqlite"))
        document = json.loads(database.execute(
            "SELECT document FROM series JOIN results USING (key) WHERE point = 2").fetchone()[0])
        database.close()
        for key in ("name", "links", "links_by_size"):  # a sweep keeps no counts of links
            del expected[key]
        self.assertEqual(document, expected)

    def test_csv_has_all_columns_and_rows(self):
        rows = self.rows_of_two_axes()
        self.assertEqual(list(rows[0]), ["point", "lam_via.tiny", "lam_via.short", "seed", "series",
                                         "status", "reason", "rank", "size", "metric", "unit",
                                         "value"])
        self.assertEqual(len(rows), 6 * 3 * 2)  # points, sizes, metrics
        self.assertEqual({row["status"] for row in rows}, {"completed"})

    def rows_of_two_axes(self):
        self.sweep("quick.yaml", *TINY, *SHORT, "--out", "two")
        return self.rows("two")

    def test_failures_are_results(self):
        self.write("flood.yaml", FLOOD)
        done = self.sweep("flood.yaml", "--set", "lam_via.rdescs=8,16,32")
        self.assertIn("1 completed, 2 failed", done.stdout)
        report = self.report("results/flood")
        self.assertEqual([(end["value"], end["completed"], end["kinds"])
                          for end in report["ends_by_value"]],
                         [("8", 0, {"connection_broken": 1}), ("16", 0, {"connection_broken": 1}),
                          ("32", 1, {})])
        self.assertEqual(report["failures"][0]["count"], 2)
        self.assertIn("connection_broken", self.sweep("--report", "results/flood").stdout)

    def test_what_is_there_is_not_run_again(self):
        self.assertIn("3 of them new", self.sweep("quick.yaml", *TINY).stdout)
        self.assertIn("0 of them new", self.sweep("quick.yaml", *TINY).stdout)
        before = content(self.path("results/quick/sweep.sqlite"))
        self.assertIn("3 of them new", self.sweep("quick.yaml", *TINY, "--again").stdout)
        self.assertEqual(content(self.path("results/quick/sweep.sqlite")), before)
        # A reformatted, renamed copy is the same work; another value is new.
        self.write("copy.yaml", "# a comment\n" + QUICK.replace("4 KiB,", "4096 B,"))
        self.assertIn("1 of them new", self.sweep("copy.yaml", "--out", "results/quick", "--set",
                                                  "lam_via.tiny=1024 B,2 KiB,3 KiB").stdout)
        # A parameter of another card or stack makes no new work, and is reported to be without effect.
        done = self.sweep("quick.yaml", *TINY, "--set", "tulip.tx_ring=8,16", "--allow-unused")
        self.assertIn("6 points, 3 runs, 0 of them new", done.stdout)
        self.assertIn("warning: tulip.tx_ring changed nothing", done.stdout)


class Effects(SweepCase):
    """The numbers of the report against a sum by hand, on a database made by hand."""

    def make(self, values, definition, series="A"):
        """A database of the program's own layout with latencies {point: {size: value}}; None: not
        possible."""
        self.sweep("quick.yaml", "--set", "lam_via.tiny=1 KiB", "--out", "made")
        path = self.path("made/sweep.sqlite")
        database = sqlite3.connect(path)
        for table in ("series", "points", "campaigns", "measurements", "results", "cases"):
            database.execute(f"DELETE FROM {table}")
        database.execute("INSERT INTO campaigns VALUES ('c', 1, 'made', 'x', ?)",
                         [json.dumps(definition)])
        for point, latencies in values.items():
            if latencies is None:
                database.execute("INSERT INTO points VALUES ('c', ?, NULL, '{}', 'why')", [point])
                continue
            key = f"k{point}"
            database.execute("INSERT INTO cases VALUES (?, 'x', 1, 's', '{}')", [key])
            status = "completed" if latencies else "failed"
            database.execute("INSERT INTO results VALUES (?, ?, NULL, ?)",
                             [key, status, json.dumps({"status": status})])
            database.execute("INSERT INTO points VALUES ('c', ?, 1, '{}', NULL)", [point])
            database.execute("INSERT INTO series VALUES ('c', ?, 0, ?, ?)", [point, series, key])
            for number, (size, value) in enumerate(sorted(latencies.items())):
                database.execute("INSERT INTO measurements VALUES (?, ?, NULL, ?, 'latency_us', ?)",
                                 [key, number, size, value])
        database.commit()
        database.close()
        return path

    PRODUCT = {"mode": "product", "seeds": 0, "axes": [{"path": "a", "values": ["1", "2"]},
                                                      {"path": "b", "values": ["x", "y", "z"]}]}

    def test_best_worst_and_effects(self):
        path = self.make({0: {8: 10.0, 16: 20.0}, 1: {8: 11.0, 16: 22.0}, 2: {8: 10.0, 16: 20.0},
                          3: {8: 5.0, 16: 40.0}, 4: {8: 5.5, 16: 44.0}, 5: {8: 5.0, 16: 40.0}},
                         self.PRODUCT)
        metric = self.report(path)["metrics"][0]
        all_sizes, eight, sixteen = metric["rows"]
        # Geometric means: sqrt(10*20), sqrt(5*40) are both sqrt(200).
        self.assertAlmostEqual(all_sizes["best"], 200 ** 0.5)
        self.assertAlmostEqual(all_sizes["worst"], 242 ** 0.5)
        self.assertEqual((eight["best"], eight["best_point"]["values"], eight["ties"]),
                         (5.0, {"a": "2", "b": "x"}, 1))
        self.assertEqual((eight["worst"], eight["worst_point"]["point"]), (11.0, 1))
        self.assertEqual((sixteen["best_point"]["point"], sixteen["worst_point"]["point"]), (0, 4))
        effects = {(one["axis"], one["value"]): one["change"] for one in metric["effects"]}
        self.assertEqual(effects["a", "1"], 0)
        self.assertAlmostEqual(effects["a", "2"], (-0.5 + 1.0) / 2)  # 8 B halves, 16 B doubles
        self.assertAlmostEqual(effects["b", "y"], 0.1)
        self.assertAlmostEqual(effects["b", "z"], 0.0)

    def test_an_axis_without_effect_is_found_behind_gaps(self):
        """The first value has no results; that the others differ must be seen all the same."""
        definition = dict(self.PRODUCT, axes=[{"path": "a", "values": ["1", "2", "3"]},
                                              {"path": "b", "values": ["x", "y"]}])
        path = self.make({0: None, 1: {8: 5.0}, 2: {8: 2.0}, 3: {8: 5.0}, 4: {8: 7.0}, 5: {8: 5.0}},
                         definition)
        self.assertEqual([axis["changed_nothing"] for axis in self.report(path)["axes"]],
                         [False, False])

    def test_where_it_fails(self):
        self.sweep("flood.yaml", "--set", "lam_via.rdescs=8,16,24,32", "--set",
                   "workload.program[1].do[0].compute=0 s,50 ms")
        report = self.report("flood.yaml")
        pair = report["ends_by_pair"][0]
        self.assertEqual(pair["axes"], ["lam_via.rdescs", "workload.program[1].do[0].compute"])
        self.assertEqual([row[1] for row in pair["failed"]], [1, 1, 0, 0])
        self.assertEqual([row[1] for row in pair["completed"]], [0, 0, 1, 1])
        lines = self.sweep("--report", "results/flood").stdout.splitlines()
        self.assertIn("  24   ok     ok", lines)
        self.assertTrue(any(line.startswith("   8") and line.endswith("fails") for line in lines))

    def test_long_axes_are_cut_short(self):
        path = self.make({point: {8: point + 1.0} for point in range(50)},
                         dict(self.PRODUCT, axes=[{"path": "a", "values": [str(value) for value in range(50)]}]))
        out = self.sweep("--report", path).stdout
        self.assertIn("a  0, 1, 2, ..., 49 (50 values)", out)
        self.assertIn("a has too many values for rows", out)

    def test_equal_values_that_vary_together_are_one(self):
        path = self.make({0: {8: 1.0}, 1: {8: 2.0}},
                         dict(self.PRODUCT, mode="zip", axes=[{"path": "x.a", "values": ["1", "2"]},
                                                              {"path": "x.b", "values": ["1", "2"]}]))
        out = self.sweep("--report", path).stdout
        self.assertIn("  x.a, x.b  1, 2\n", out)
        self.assertRegex(out, r"8 B +[12] +a, b=[12] +[12] +a, b=[12]\n")
        self.assertRegex(out, r"x\.a, x\.b  2 +\+100\.00 %\n")

    def test_few_of_many_ranks_have_rows(self):
        self.write("ranks.yaml", """\
schema: 1
name: ranks
testbed: testbeds/cluster1.yaml
stack: lam_via
hosts: [{name: node, count: 12}]
switches: [{name: switch, ports: 12}]
workload: {ranks: 12, program: [{ranks: all, do: [{compute: 1 us}]}]}
sweep: {axes: {"workload.program[0].do[0].compute": [1 us, 2 us]}}
""")
        self.sweep("ranks.yaml")
        out = self.sweep("--report", "ranks").stdout
        self.assertIn("\n  rank 7 ", out)
        self.assertNotIn("\n  rank 8 ", out)
        self.assertIn("  and 4 more rows: --format json has them\n", out)
        self.assertEqual(len(self.report("ranks.yaml")["metrics"][0]["rows"]), 13)  # and all together

    def test_many_seeds_that_change_nothing(self):
        self.sweep("quick.yaml", "--seeds", "50")
        out = self.sweep("--report", "quick").stdout
        self.assertIn("quick: 1 point\nEach point with the seeds 1, 2, 3, ..., 50 (50 values)", out)
        self.assertIn("warning: the seeds changed nothing", out)
        self.assertNotIn("Effect", out)
        self.assertNotIn("best", out)

    def test_the_summary_is_of_this_sweep(self):
        """Also if another program has put a newer one into the database meanwhile."""
        self.sweep("quick.yaml", *TINY, "--out", "both")
        child = self.start("slow.yaml", "--set", "lam_via.rdescs=40,41,42", "--out", "both", "-j1")
        self.wait_for(lambda: count(self.path("both/sweep.sqlite")) > 3, child)
        self.sweep("quick.yaml", "--seeds", "2", "--out", "both")
        out, errors = child.communicate(timeout=300)
        self.assertEqual(child.returncode, 0, errors)
        self.assertIn("slow: 3 points", out)
        self.assertIn("quick: 1 point\n", self.sweep("--report", "both").stdout)

    def test_an_axis_without_effect_is_warned_of(self):
        path = self.make({0: {8: 1.0}, 1: {8: 2.0}, 2: {8: 3.0}, 3: {8: 1.0}, 4: {8: 2.0},
                          5: {8: 3.0}}, self.PRODUCT)
        report = self.report(path)
        self.assertEqual([axis["changed_nothing"] for axis in report["axes"]], [True, False])
        self.assertEqual(len(report["warnings"]), 1)
        self.assertTrue(report["warnings"][0].startswith("a changed nothing"))
        self.assertIn("warning: a changed nothing", self.sweep("--report", path).stdout)

    def test_another_end_is_an_effect(self):
        path = self.make({0: {8: 1.0}, 1: {8: 1.0}, 2: {8: 1.0}, 3: {8: 1.0}, 4: {8: 1.0}, 5: {}},
                         self.PRODUCT)
        report = self.report(path)
        self.assertEqual([axis["changed_nothing"] for axis in report["axes"]], [False, False])
        self.assertEqual(report["ends"]["failed"], 1)

    def test_the_first_value_with_results_is_compared_with(self):
        path = self.make({0: {}, 1: {8: 2.0}, 2: {8: 3.0}, 3: {}, 4: {8: 4.0}, 5: {8: 6.0}},
                         self.PRODUCT)
        effects = {(one["axis"], one["value"]): one["change"]
                   for one in self.report(path)["metrics"][0]["effects"]}
        self.assertIsNone(effects["b", "x"])
        self.assertEqual(effects["b", "y"], 0)
        self.assertAlmostEqual(effects["b", "z"], 0.5)
        self.assertAlmostEqual(effects["a", "2"], 1.0)

    def test_zipped_axes_are_one(self):
        definition = dict(self.PRODUCT, mode="zip", seeds=2,
                          axes=[{"path": "a", "values": ["1", "2"]},
                                {"path": "b", "values": ["x", "y"]}])
        path = self.make({0: {8: 1.0}, 1: {8: 1.0}, 2: {8: 2.0}, 3: {8: 4.0}}, definition)
        report = self.report(path)
        self.assertEqual([axis["name"] for axis in report["axes"]], ["a, b"])
        self.assertEqual(report["seeds"], [1, 2])
        effects = {(one["axis"], one["value"]): one["change"]
                   for one in report["metrics"][0]["effects"]}
        self.assertAlmostEqual(effects["a, b", "2, y"], 2.0)
        self.assertNotIn("seed", {one[0] for one in effects})


class Interruption(SweepCase):
    AXIS = ("--set", "lam_via.rdescs=40,41,42,43,44,45,46,47", "-j2")

    def finished(self):
        return count(self.path("results/slow/sweep.sqlite"))

    def test_a_killed_sweep_goes_on(self):
        child = self.start("slow.yaml", *self.AXIS)
        self.wait_for(lambda: self.finished() >= 2, child)
        child.kill()
        child.wait()
        kept = self.finished()
        self.assertGreaterEqual(kept, 2)
        self.assertLess(kept, 8)
        self.assertIn(f"{8 - kept} of them new", self.sweep("slow.yaml", *self.AXIS).stdout)
        self.sweep("slow.yaml", *self.AXIS, "--out", "whole")
        self.assertEqual(content(self.path("results/slow/sweep.sqlite")),
                         content(self.path("whole/sweep.sqlite")))

    def test_sigint_ends_it_cleanly(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            shutil.rmtree(self.path("results"), ignore_errors=True)
            child = self.start("slow.yaml", *self.AXIS)
            self.wait_for(lambda: self.finished() >= 1, child)
            workers = self.workers(child)
            child.send_signal(number)
            self.assertEqual(child.wait(60), 128 + number)
            self.assertIn(f"interrupted ({signal.strsignal(number)}) after ", child.stderr.read())
            self.assertGreaterEqual(self.finished(), 1)
            for worker in workers:
                self.assertFalse(self.is_alive(worker))
            self.assertIn("missing", self.sweep("--report", "results/slow").stdout)

    def test_nohup(self):
        child = subprocess.Popen([NETSIM, "sweep", "slow.yaml", *self.AXIS, "-q"],
                                 cwd=self.directory, stdin=subprocess.DEVNULL,
                                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for(lambda: self.finished() >= 1, child)
        child.send_signal(signal.SIGHUP)
        self.assertEqual(child.wait(120), 0)

    def workers(self, child):
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    @staticmethod
    def is_alive(process):
        try:
            with open(f"/proc/{process}/stat", encoding="ascii") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_a_worker_that_dies_is_replaced(self):
        child = self.start("slow.yaml", *self.AXIS)
        self.wait_for(lambda: len(self.workers(child)) == 2, child)
        os.kill(self.workers(child)[0], signal.SIGKILL)
        out, errors = child.communicate(timeout=300)
        self.assertEqual(child.returncode, 2, errors)
        self.assertIn("7 completed, 1 crashed", out)
        report = self.report("results/slow", code=2)
        self.assertEqual(report["failures"][0]["kind"], "crashed")
        self.assertIn("signal 9", report["failures"][0]["text"])
        # A crash may have had its reason outside: it does not stand.
        self.assertIn("1 of them new: 8 completed", self.sweep("slow.yaml", *self.AXIS).stdout)

    def test_time_limit(self):
        self.write("slow.yaml", SLOW.replace("300", "1000000"))
        done = self.sweep("slow.yaml", "--set", "lam_via.rdescs=40,41", "--time-limit", "1", code=2)
        self.assertIn("2 crashed", done.stdout)
        self.assertIn("still running after 1 s",
                      self.report("results/slow", code=2)["failures"][0]["text"])


class Shards(SweepCase):
    def test_shards_merge_to_the_whole(self):
        self.sweep("quick.yaml", *TINY, *SHORT, "--out", "whole")
        for shard in (1, 2, 3):
            self.sweep("quick.yaml", *TINY, *SHORT, "--out", f"s{shard}", "--shard", f"{shard}/3",
                       "-j2")
            self.assertEqual(count(self.path(f"s{shard}/sweep.sqlite")), 2)
        self.sweep("merge", "merged.sqlite", "s2", "s1/sweep.sqlite", "s3")
        self.assertEqual(content(self.path("merged.sqlite")),
                         content(self.path("whole/sweep.sqlite")))
        # Once more changes nothing.
        self.sweep("merge", "merged.sqlite", "s1", "whole")
        self.assertEqual(content(self.path("merged.sqlite")),
                         content(self.path("whole/sweep.sqlite")))
        self.assertEqual(self.sweep("--report", "merged.sqlite").stdout,
                         self.sweep("--report", "whole").stdout)

    def test_conflicts_are_refused(self):
        self.sweep("quick.yaml", *TINY, "--out", "a")
        shutil.copytree(self.path("a"), self.path("b"))
        database = sqlite3.connect(self.path("b/sweep.sqlite"))
        database.execute("UPDATE results SET document = replace(document, '\"events\":', "
                         "'\"events\":1')")
        database.commit()
        database.close()
        done = self.sweep("merge", "out.sqlite", "a", "b", code=1)
        self.assertIn("two different results", done.stderr)
        self.assertFalse(os.path.exists(self.path("out.sqlite")))

    def test_counters_have_a_view(self):
        self.sweep("quick.yaml", *TINY, "--set", "link.propagation=50 ns", "--out", "a")
        database = sqlite3.connect(self.path("a/sweep.sqlite"))
        rows = database.execute("SELECT series.point, counter, value FROM series JOIN counters USING (key)"
                                " WHERE counter = 'via frames sent' ORDER BY point").fetchall()
        documents = database.execute("SELECT document FROM series JOIN results USING (key) ORDER BY point").fetchall()
        database.close()
        self.assertEqual([row[2] for row in rows],
                         [json.loads(text)["counters"]["via frames sent"] for text, in documents])
        self.assertEqual(len(rows), 3)

    def test_what_no_point_reads_is_refused(self):
        """It is enough that one point reads a value; of an axis of stacks, all do something."""
        told = self.sweep("quick.yaml", "--set", "gm.resend_interval=1 ms,2 ms", code=1).stderr
        self.assertEqual(told.count("gm.resend_interval: nothing reads this"), 2)
        self.assertFalse(os.path.exists(self.path("results")))
        self.sweep("quick.yaml", "--set", "gm.resend_interval=1 ms,2 ms", "--allow-unused", "--dry-run")
        self.sweep("quick.yaml", "--set", "stack=lam_via,lam_tcp", "--set", "lam_via.tiny=1 KiB,2 KiB", "--dry-run")
        told = self.sweep("quick.yaml", "--set", "stack=lam_tcp,mpich_p4", "--set", "lam_via.tiny=1 KiB,2 KiB",
                          "--dry-run", code=1).stderr
        self.assertIn("no series runs lam_via, which read it", told)

    def test_damaged_databases_are_refused(self):
        self.sweep("quick.yaml", *TINY, "--out", "a")
        database = sqlite3.connect(self.path("a/sweep.sqlite"))
        database.execute("UPDATE results SET document = '{'")
        database.commit()
        database.close()
        for command in (("sweep", "merge", "out.sqlite", "a"), ("sweep", "--report", "a"),
                        ("sweep", "quick.yaml", *TINY, "--out", "a"), ("compare", "a", "a"),
                        ("plot", "a", "--out", "a.svg")):
            told = self.netsim(*command, code=1).stderr
            self.assertIn("sweep.sqlite: the database is damaged: table results, key ", told)
            self.assertIn(": document: it is no JSON: ", told)
        self.assertFalse(os.path.exists(self.path("out.sqlite")))

    def test_merge_of_what_is_none(self):
        self.write("text.sqlite", "no database at all, but long enough to look at\n" * 100)
        self.assertIn("no such database", self.sweep("merge", "o", "missing", code=1).stderr)
        self.assertIn("no database", self.sweep("merge", "o", "text.sqlite", code=1).stderr)
        other = sqlite3.connect(self.path("other.sqlite"))
        other.execute("CREATE TABLE t (x)")
        other.commit()
        other.close()
        self.assertIn("no database of netsim", self.sweep("merge", "o", "other.sqlite",
                                                          code=1).stderr)
        self.assertIn("too few", self.sweep("merge", "o", code=1).stderr)


class Slurm(SweepCase):
    """examples/slurm_array.sh, with sbatch and the variables of Slurm played."""
    SCRIPT = os.path.join(SOURCE, "examples/slurm_array.sh")
    OUTSIDE = ("SLURM_ARRAY_TASK_ID", "SLURM_CPUS_PER_TASK", "SWEEP", "TASKS")

    def script(self, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if name not in self.OUTSIDE}
        environment |= {"OUT": "slurm", "SCENARIO": "quick.yaml", "NETSIM": NETSIM,
                        "PATH": self.directory + ":" + os.environ["PATH"], **variables}
        return subprocess.run([self.SCRIPT, *arguments], cwd=self.directory, text=True,
                              check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300, env=environment)

    def tasks(self, *numbers, count="3"):
        for number in numbers:
            # As of an array of this one task alone: Slurm then counts 1 task.
            done = self.script(SLURM_ARRAY_TASK_ID=str(number), SLURM_ARRAY_TASK_COUNT="1",
                               SLURM_ARRAY_TASK_MIN=str(number), TASKS=count, SWEEP=self.OPTIONS)
            self.assertEqual(done.returncode, 0, done.stderr)

    OPTIONS = "--set lam_via.tiny=1KiB,2KiB,4KiB --set lam_via.short=4KiB,32KiB"

    def test_tasks_and_merge(self):
        self.sweep("quick.yaml", *self.OPTIONS.split(), "--out", "whole")
        self.tasks(3, 1)
        done = self.script("merge")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 completed, 2 missing", self.sweep("--report", "slurm").stdout)
        # The one that had been lost, and one that had not.
        self.tasks(2, 1)
        self.assertEqual(self.script("merge").returncode, 0)
        self.assertEqual(content(self.path("slurm/sweep.sqlite")),
                         content(self.path("whole/sweep.sqlite")))

    def test_submission(self):
        self.write("sbatch", "#!/bin/sh\necho \"$TASKS $SCENARIO: $*\" >>calls\necho '17;cluster'\n")
        os.chmod(self.path("sbatch"), 0o755)
        done = self.script(TASKS="5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("calls").splitlines(), [
            f"5 quick.yaml: --parsable --array=1-5 --output=slurm/shard-%a.log {self.SCRIPT}",
            f"5 quick.yaml: --dependency=afterany:17 --output=slurm/merge.log {self.SCRIPT} merge"])

    def test_what_is_missing_is_said(self):
        self.assertIn("OUT", self.script(OUT="").stderr)
        self.assertIn("SCENARIO", self.script(SCENARIO="").stderr)

    @needs.program("shellcheck")
    def test_shellcheck_finds_nothing(self):
        done = subprocess.run(["shellcheck", self.SCRIPT], stdout=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


class BadInput(SweepCase):
    def test_values_with_their_place(self):
        for setting, place in (
                ("lam_via.tiny=1 KiB,2 furlong", "1:20: error: lam_via.tiny: "),
                ("lam_via.tiny=1 KiB,2 KiB,-3 B", "1:26: error: lam_via.tiny: "),
                ("lam_via.tiny=2 MiB,1 KiB", "1:14: error: lam_via.tiny: "),
                ("lam_via.tiny=1 KiB,,2 KiB", "1:20: error: lam_via.tiny: a value is missing"),
                ("lam_via.tiny=", "1:14: error: lam_via.tiny: is not set: there is nothing to unset"),
                ("lam_via.tiny=1 KiB,", "1:20: error: lam_via.tiny: a value is missing"),
                ("lam_via.tiny=1 KiB,2 KiB,1 KiB", "1:26: error: lam_via.tiny: the value"),
                ("lam_via.tiny=4 KiB .. 1 KiB", "1:14: error: lam_via.tiny: "),
                ("lam_via.tinny=1 KiB", "1:1: error: lam_via.tinny: there is no such key"),
                ("link.drop_nth=[1,2", "1:15: error: link.drop_nth: what starts with ["),
                ("lam_via.tiny='1 KiB", "1:14: error: lam_via.tiny: what starts with '"),
                ("link.drop_nth=[1],{2}", "1:19: error: "),
                ("workload.sizes=1 B,[4 B,x]", "1:20: error: workload.sizes"),
                ("stack=lam_via,lam_vai", "1:15: error: stack: unknown stack"),
                ("link.drop_probability=0,1.5", "1:25: error: link.drop_probability: "),
                ("seed=1,x", "1:8: error: seed: ")):
            with self.subTest(setting):
                done = self.sweep("quick.yaml", "--set", setting, code=1)
                self.assertIn(f"--set {setting}:{place}", done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("results")))

    def test_one_bad_value_stops_all_before_anything_runs(self):
        self.sweep("slow.yaml", "--set", "lam_via.rdescs=40,41,0", *SHORT, code=1)
        self.assertFalse(os.path.exists(self.path("results")))

    def test_usage(self):
        for arguments, part in (
                (["quick.yaml"], "nothing to vary"), ([], "too few"), (["quick.yaml", "x"], "many"),
                (["quick.yaml", "--set", "tiny"], "not an axis"),
                (["quick.yaml", "--set", "=1"], "not an axis"),
                (["quick.yaml", "--seeds", "0"], "--seeds 0"),
                (["quick.yaml", "--seeds", "x"], "--seeds x"),
                (["quick.yaml", "--seeds", "10001"], "--seeds 10001"),
                (["quick.yaml", "--seeds", "2", "-j", "1025"], "--jobs 1025"),
                (["quick.yaml", "--seeds", "2", "-j", "-1"], "--jobs -1"),
                (["quick.yaml", "--seeds", "2", "--shard", "0/2"], "--shard 0/2"),
                (["quick.yaml", "--seeds", "2", "--shard", "3/2"], "--shard 3/2"),
                (["quick.yaml", "--seeds", "2", "--shard", "2"], "--shard 2"),
                (["quick.yaml", "--seeds", "2", "--time-limit", "-1"], "--time-limit"),
                (["quick.yaml", "--seeds", "2", "--set", "seed=1,2"], "exclude each other"),
                (["quick.yaml", *TINY, *SHORT, "--zip"], "as many values"),
                (["nowhere", "--seeds", "2"], "no scenario"),
                (["--report", "nowhere"], "no scenario"),
                (["--report", "nowhere.sqlite"], "no such database"),
                (["--report", "quick.yaml"], "results/quick/sweep.sqlite: there is no such"),
                (["--report", "quick.yaml", "--seeds", "2"], "--report runs nothing"),
                (["--report", "quick.yaml", *TINY], "--report runs nothing"),
                (["quick.yaml", "--seeds", "2", "--format", "json"], "--format is of --report"),
                (["quick.yaml", *TINY, "--set", "lam_via.tiny=8 KiB"], "the axis is there twice"),
                (["--report", "nowhere", "--format", "xml"], "table, json"),
                (["quick.yaml", "--seeds", "9999", "--set", "lam_via.rdescs=1,2,3,4,5,6,7,8,9,10,"
                  "11"], "109989 points"),
                (["quick.yaml", "--seeds", "2", "--out", "quick.yaml"], "quick.yaml")):
            with self.subTest(arguments):
                done = self.sweep(*arguments, code=1)
                self.assertIn(part, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_in_the_scenario(self):
        for text, part in (
                ("sweep: 5", "sweep: "), ("sweep: {}", "varies nothing"),
                ("sweep: {axes: [1]}", "sweep.axes"), ("sweep: {axis: {}}", "did you mean axes"),
                ("sweep: {axes: {lam_via.tiny: []}}", "list of values is empty"),
                ("sweep: {axes: {lam_via.tiny: [1 KiB, ~]}}", "a value is missing"),
                ("sweep: {axes: {lam_via.tinny: [1 KiB]}}", "no such key"),
                ("sweep: {axes: {lam_via.tiny: [1 KiB]}, mode: zap}", "did you mean zip"),
                ("sweep: {seeds: 0}", "sweep.seeds"), ("sweep: {seeds: many}", "sweep.seeds"),
                ("sweep: {axes: {lam_via.tiny: [1 KiB, 1 KiB]}}", "there twice"),
                ("sweep: {axes: {lam_via.tiny: [1 KiB], lam_via.tiny: [2 KiB]}}", "lam_via.tiny"),
                ("sweep: {axes: {lam_via.tiny: [1 KiB, 2 KiB], lam_via.short: [4 KiB]}, mode: zip}",
                 "as many values")):
            with self.subTest(text):
                self.write("bad.yaml", QUICK + text + "\n")
                done = self.netsim("check", "bad.yaml", code=1)
                self.assertIn("bad.yaml:6:", done.stderr)
                self.assertIn(part, done.stderr)
        # Errors that only compiling shows have the place of the value in the file.
        self.write("bad.yaml", QUICK + "sweep: {axes: {lam_via.tiny: [1 KiB, 2 furlong]}}\n")
        self.assertIn("bad.yaml:6:38: error: lam_via.tiny",
                      self.sweep("bad.yaml", code=1).stderr)

    def test_databases(self):
        os.mkdir(self.path("out"))
        self.write("out/sweep.sqlite", "no database at all, but long enough to look at\n" * 100)
        done = self.sweep("quick.yaml", *TINY, "--out", "out", code=1)
        self.assertIn("out/sweep.sqlite", done.stderr)
        self.sweep("quick.yaml", *TINY, "--out", "newer")
        database = sqlite3.connect(self.path("newer/sweep.sqlite"))
        database.execute("PRAGMA user_version = 99")
        database.close()
        self.assertIn("layout 99", self.sweep("quick.yaml", *TINY, "--out", "newer", code=1).stderr)
        self.assertIn("layout 99", self.sweep("--report", "newer", code=1).stderr)

    def test_a_commit_that_was_cut_off_is_rolled_back(self):
        """A program that is killed while it commits leaves a journal next to the file."""
        self.sweep("quick.yaml", *TINY, "--out", "cut")
        before = content(self.path("cut/sweep.sqlite"))
        # A process that dies in the middle of a transaction that has already changed the file.
        subprocess.run([sys.executable, "-c", """if True:
            import os, sqlite3
            database = sqlite3.connect("cut/sweep.sqlite", isolation_level=None)
            database.execute("PRAGMA cache_size = 1")
            database.execute("BEGIN EXCLUSIVE")
            for i in range(2000):
                database.execute("INSERT INTO cases VALUES (?, 's', 1, 'x', ?)",
                                 (str(i), "y" * 4000))
            os._exit(0)
            """], cwd=self.directory, check=True)
        self.assertTrue(os.path.exists(self.path("cut/sweep.sqlite-journal")))
        self.assertIn("3 completed", self.sweep("--report", "cut").stdout)
        self.assertEqual(content(self.path("cut/sweep.sqlite")), before)

    def test_a_database_that_may_not_be_written_can_be_read(self):
        self.sweep("quick.yaml", *TINY, "--out", "sealed")
        os.chmod(self.path("sealed/sweep.sqlite"), 0o444)
        os.chmod(self.path("sealed"), 0o555)
        self.addCleanup(os.chmod, self.path("sealed"), 0o755)
        self.assertIn("3 completed", self.sweep("--report", "sealed").stdout)

    def test_a_held_database_is_waited_for(self):
        self.sweep("quick.yaml", *TINY, "--out", "held")
        database = sqlite3.connect(self.path("held/sweep.sqlite"), isolation_level=None)
        self.addCleanup(database.close)
        database.execute("BEGIN EXCLUSIVE")
        child = self.start("quick.yaml", "--set", "lam_via.tiny=512 B,1 KiB", "--out", "held")
        time.sleep(0.5)
        self.assertIsNone(child.poll())
        database.execute("COMMIT")
        out, errors = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 0, errors)
        self.assertIn("1 of them new", out)

    def test_a_full_disk(self):
        """What was committed before is kept, and the sweep goes on when there is room."""
        os.mkdir(self.path("full"))
        # 96 KiB are left besides the ballast. (A tmpfs that is made larger would do as well, but not every kernel lets
        # a user without root mount it anew.)
        command = f"""mount -t tmpfs -o size=16m tmpfs full || exit 77
            head -c $(((16 * 1024 - 96) * 1024)) /dev/zero >full/ballast
            "{NETSIM}" sweep quick.yaml --seeds 60 --out full -j2 || echo "ended with $?"
            rm full/ballast
            "{NETSIM}" sweep quick.yaml --seeds 60 --out full -j2"""
        unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        done = subprocess.run([*unshare, "sh", "-c", command], cwd=self.directory,
                              text=True, check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        if done.returncode in (1, 77, 127) and "ended with" not in done.stdout:
            self.skipTest(needs.NEEDS_ROOT + "no file system of one's own: " +
                          " ".join(done.stderr.split()))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ended with 1", done.stdout)
        self.assertIn("disk is full", done.stderr)
        self.assertIn("60 completed", done.stdout)


class Shipped(SweepCase):
    """via.whatif: the sweeps that come with the program."""

    def test_list(self):
        names = self.netsim("list", "sweeps", "--names").stdout.split()
        self.assertEqual(names, ["armci_buffers", "ddp_segment", "descriptor_counts", "eager_threshold",
                                 "failover_buffer", "incast_pause", "incast_server", "loss_under_mpi_long_tasks", "loss_under_mpi_pingpong",
                                 "loss_under_mpi_short_tasks", "retransmission_policies", "stencil_ranks", "streams_loss",
                                 "tiny_short_thresholds", "unequal_rails"])
        for name in names:
            self.netsim("check", name)

    def test_descriptor_counts_shows_where_the_rpi_fails(self):
        self.sweep("descriptor_counts", "-j2")
        ends = self.report("results/descriptor_counts")["ends_by_value"]
        completed = [end["completed"] for end in ends if end["axis"] == "lam_via.rdescs"]
        self.assertEqual(completed, sorted(completed))
        self.assertLess(completed[0], completed[-1])
        # The longer it computes, the more descriptors it takes.
        failed = self.report("descriptor_counts")["ends_by_pair"][0]["failed"]
        for row in failed:
            self.assertEqual(row, sorted(row))
        self.assertGreater(sum(map(sum, failed)), 10)
        self.assertIn("0 of them new", self.sweep("descriptor_counts").stdout)
        self.assertEqual([end["other"] for end in ends if end["axis"] == "lam_via.rdescs"][-1], 0)
        kinds = {kind for end in ends for kind in end["kinds"]}
        self.assertEqual(kinds, {"connection_broken"})

    def test_two_buffers_are_enough(self):
        """armci.put.buffers_beyond_two, armci.heuristic.buffer_count"""
        self.sweep("armci_buffers", "-j2")
        latency = self.report("results/armci_buffers")["metrics"][0]
        self.assertEqual(latency["metric"], "latency_us")
        effects = {(effect["axis"], effect["value"]): effect["change"]
                   for effect in latency["effects"]}
        buffers = [effects["armci.send_buffers", count] for count in ("2", "3", "4")]
        self.assertLess(buffers[0], -0.05)
        self.assertAlmostEqual(buffers[1], buffers[0], delta=0.01)
        self.assertAlmostEqual(buffers[2], buffers[0], delta=0.01)

    def test_losses_under_mpi(self):
        """Every loss is made good, and costs time."""
        self.sweep("loss_under_mpi_pingpong", "-j2", "--set", "workload.sizes=30 kB")
        report = self.report("results/loss_under_mpi_pingpong")
        self.assertEqual(report["ends"]["completed"], 12)
        changes = [effect["change"] for effect in report["metrics"][0]["effects"] if effect["value"] != "0"]
        self.assertEqual(len(changes), 2)
        self.assertGreater(min(changes), 2)

    def test_losses_in_a_farm(self):
        """Of long tasks SCTP loses less than TCP."""
        self.sweep("loss_under_mpi_long_tasks", "-j2")
        report = self.report("results/loss_under_mpi_long_tasks")
        self.assertEqual(report["ends"]["completed"], 12)
        change = {metric["series"]: max(effect["change"] for effect in metric["effects"])
                  for metric in report["metrics"] if metric["metric"] == "farm_mean_us"}
        sctp = [change.pop(f"ch3:sctp, {streams}") for streams in ("10 streams", "1 stream")]
        self.assertEqual(sorted(change), ["LAM TCP", "ch3:sock"])
        self.assertLess(max(sctp), min(change.values()))

    def test_thresholds(self):
        self.sweep("tiny_short_thresholds", "-j2")
        report = self.report("results/tiny_short_thresholds")
        self.assertEqual(report["ends"]["failed"], 0)
        self.assertEqual([axis["changed_nothing"] for axis in report["axes"]], [False, False])


if __name__ == "__main__":
    unittest.main()
