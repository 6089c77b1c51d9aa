#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic of links: links.csv, the list in JSON and the table of `run --links` agree with each other and with the run's
own counters, at any -j."""

import csv
import io
import json
import os
import unittest

from harness import SOURCE, Case


LOSSY = f"""\
schema: 1
name: lossy
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
hosts: [{{name: node, count: 4}}]
switch: {{queue: 4}}
link: {{drop_nth: [30], corrupt_nth: [40]}}
workload: {{benchmark: pmb.alltoall, ranks: 4, sizes: [1 KiB, 16 KiB], repetitions: 3}}
series: [{{name: tcp, stack: lam_tcp}}, {{name: "b, quoted", stack: mpich_p4}}]
"""


def number(text):
    return float(text) if text else None


class Links(Case):
    def setUp(self):
        super().setUp()
        self.write("lossy.yaml", LOSSY)

    def rows(self, *arguments, code=0):
        self.netsim("run", *arguments, "--out", "out", code=code)
        return list(csv.DictReader(io.StringIO(self.read("out/links.csv"))))

    def document(self, *arguments, code=0):
        return json.loads(self.netsim("run", *arguments, "--format", "json", code=code).stdout)

    def test_csv_is_json(self):
        rows = self.rows("lossy.yaml")
        document = self.document("lossy.yaml")
        links = [(series["name"], link) for series in document["series"] for link in series["links"]]
        self.assertEqual(len(rows), len(links))
        for row, (series, link) in zip(rows, links):
            self.assertEqual((row["scenario"], row["series"]), ("lossy", series))
            self.assertEqual(sum(link["dropped_by_hosts"].values()), int(row["dropped_by_hosts"]))
            for name in set(row) - {"scenario", "series", "dropped_by_hosts"}:
                want = link.get(name)
                self.assertEqual(row[name] if isinstance(want, str) else number(row[name]), want, name)

    def test_columns_are_documented(self):
        with open(os.path.join(SOURCE, "docs", "commands.md"), encoding="utf-8") as file:
            text = file.read()
        for column in self.rows("lossy.yaml")[0]:
            self.assertIn(f"`{column}`", text)

    def test_pause_frames(self):
        """Columns of PAUSE frames are there if a link may carry any; JSON has them for that link alone."""
        names = {"pause_frames", "pause_frames_arrived", "paused_us"}
        self.assertFalse(names & set(self.rows("lossy.yaml")[0]))
        text = """\
schema: 1
name: paused
hosts:
  - {name: quick, nics: [{name: e, nic: ethernet}]}
  - {name: slow, nics: [{name: e, nic: ethernet, bus: narrow}]}
  - {name: other, nics: [{name: e, nic: ethernet}]}
buses: [{name: narrow, kind: pcie, lanes: 1, lane_rate: 500 Mb/s}]
host: {bus: {kind: pcie, lanes: 8}}
ethernet: {pause: full, rx_fifo: 12 KiB, largest_frame: 1514 B}
switch: {pause: obey}
switches: [{name: switch}]
links: [{from: quick, to: switch}, {from: slow, to: switch}, {from: other, to: switch, pause: none}]
link: {rate: 10 Gb/s}
stack: tcp
tcp: {send_buffer_grows: false, send_buffer: 128 KiB, receive_buffer: 128 KiB, window_scale: 3}
workload: {benchmark: iperf.tcp, duration: 20 ms, bin: 10 ms}
"""
        self.write("paused.yaml", text)
        rows = {row["link"]: row for row in self.rows("paused.yaml")}
        self.assertLess(names, set(rows["quick->switch"]))
        with open(os.path.join(SOURCE, "docs", "commands.md"), encoding="utf-8") as file:
            commands = file.read()
        for name in names:
            self.assertIn(f"`{name}`", commands)
        # The receiver's slot is slower than its link: it pauses the switch again and again, and loses nothing.
        self.assertGreater(int(rows["slow->switch"]["pause_frames"]), 10)
        self.assertEqual(rows["slow->switch"]["pause_frames"], rows["slow->switch"]["pause_frames_arrived"])
        self.assertGreater(float(rows["switch->slow"]["paused_us"]), 1000)
        self.assertEqual(int(rows["switch->slow"]["dropped_by_hosts"]), 0)
        document = self.document("paused.yaml")
        for link in document["series"][0]["links"]:
            self.assertEqual(names <= set(link), "other" not in link["link"])
        self.write("lossy.yaml", text.replace("pause: obey", "pause: none"))
        row = next(row for row in self.rows("lossy.yaml") if row["link"] == "switch->slow")
        self.assertFalse(names & set(row))
        self.assertGreater(int(row["dropped_by_hosts"]), 0)

    def test_sums_are_the_counters(self):
        kinds = {"queue_full": "packets dropped: queue full at ", "lost": "packets dropped: lost on link "}
        for series in self.document("lossy.yaml")["series"]:
            for column, counter in kinds.items():
                for link in series["links"]:
                    self.assertEqual(link[column], series["counters"].get(counter + link["link"], 0))
            self.assertGreater(sum(link["queue_full"] for link in series["links"]), 0)
            # A card's drops: its own counter.
            ends = sum(count for link in series["links"] for count in link["dropped_by_hosts"].values())
            checks = sum(link["check_failed"] for link in series["links"])
            self.assertEqual(checks + ends, sum(link["corrupt"] for link in series["links"]))
            self.assertEqual(ends, series["counters"]["nic FCS errors"] +
                             series["counters"]["nic receive ring full"])
            for link in series["links"]:
                self.assertAlmostEqual(link["utilisation"], link["busy_us"] / series["simulated_s"] / 1e6)

    def test_any_number_of_processes(self):
        self.netsim("run", "lossy.yaml", "--out", "one")
        self.netsim("run", "lossy.yaml", "--out", "two", "-j", "2")
        self.assertEqual(self.read("one/links.csv"), self.read("two/links.csv"))
        tables = [self.netsim("run", "lossy.yaml", "-q", "--links=all", "-j", jobs).stdout for jobs in "12"]
        self.assertEqual(*tables)

    def test_table(self):
        """Busiest first; --links shows the first of many."""
        text = self.netsim("run", "lossy.yaml", "-q", "--links").stdout
        self.assertRegex(text, r"(?m)^links of tcp, in all of \d")
        self.assertRegex(text, r"(?m)^  switch->node\d  .*\n    longest queue \d+ with \d+ B at [\d.]+ us, .*dropped, "
                               r"queue full")
        shares = [float(line.split("%")[0].split()[-1]) for line in text.split("links of ")[1].splitlines()
                  if "->" in line]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertEqual(len(shares), 8)
        self.assertNotIn("links of", self.netsim("run", "lossy.yaml", "-q").stdout)
        text = self.netsim("run", "incast_grants", "-q", "--links", code=None).stdout
        self.assertRegex(text, r"and \d+ that are less busy \(--links=all, links\.csv\)")
        text = self.netsim("run", "incast_grants", "-q", "--links=all", code=None).stdout
        self.assertNotIn("less busy", text)
        self.assertIn("--links few: it must be one of busiest, all",
                      self.netsim("run", "tiny", "--links=few", code=1).stderr)

    def test_back_pressure(self):
        """Myrinet has STOP and GO, the planes of Intercept stations without credit."""
        links = self.document("ring_deadlock", code=None)["series"][0]["links"]
        self.assertGreater(sum(link["held_us"] for link in links), 0)
        planes = self.document("incast_grants", code=None)["series"][0]["links"]
        self.assertEqual({link["to"] for link in planes if link["from"] == "node1"},
                         {"plane0", "plane1", "plane2", "plane3"})

    def by_size(self, *arguments):
        self.netsim("run", *arguments, "--out", "out")
        return list(csv.DictReader(io.StringIO(self.read("out/links_by_size.csv"))))

    def test_sizes_add_up(self):
        """The packets while each size was measured, and those that belong to none, are all packets together."""
        parts, whole = self.by_size("lossy.yaml"), csv.DictReader(io.StringIO(self.read("out/links.csv")))
        sizes = {row["size"] for row in csv.DictReader(io.StringIO(self.read("out/results.csv")))}
        self.assertEqual({row["size"] for row in parts}, sizes | {""})
        most = {"longest_queue", "longest_queue_bytes"}
        keys = {"scenario", "series", "link", "from", "from_port", "to", "to_port", "rate_b_per_s"}
        for row in whole:
            own = [part for part in parts if all(part[key] == row[key] for key in keys)]
            self.assertLessEqual(len(own), 3)
            for name in set(row) - keys - {"utilisation", "longest_queue_at_us"}:
                found = (max if name in most else sum)(float(part[name]) for part in own)
                self.assertAlmostEqual(found, float(row[name]), 6, (row["link"], name))
            self.assertIn(row["longest_queue_at_us"], [part["longest_queue_at_us"] for part in own])
        for part in parts:
            self.assertLessEqual(float(part["utilisation"]), 1.0)
        for column in parts[0]:
            with open(os.path.join(SOURCE, "docs", "commands.md"), encoding="utf-8") as file:
                self.assertIn(f"`{column}`", file.read())

    def test_sizes_in_closed_form(self):
        """A ping-pong of bare M-VIA: a frame of up to 1,450 B has 50 B besides, and 20 B of preamble and gap."""
        self.write("via.yaml", f"""\
schema: 1
name: via
testbed: {SOURCE}/scenarios/testbeds/cluster1.yaml
workload: {{benchmark: native.pingpong, sizes: [100 B, 1 KiB, 8 KiB], repetitions: 50}}
stack: mvia
""")
        rows = [row for row in self.by_size("via.yaml") if row["size"]]
        self.assertEqual(len(rows), 3 * 4)
        for row in rows:
            frames = 50 * -(-int(row["size"]) // 1450)
            size = 50 * int(row["size"]) + 50 * frames
            self.assertEqual((int(row["packets"]), int(row["bytes"])), (frames, size))
            self.assertAlmostEqual(float(row["busy_us"]), (size + 20 * frames) * 0.08)

    def test_sizes_of_several_processes(self):
        for jobs in "12":
            self.netsim("run", "lossy.yaml", "--out", jobs, "-j", jobs)
        self.assertEqual(self.read("1/links_by_size.csv"), self.read("2/links_by_size.csv"))

    def test_sizes_in_json(self):
        """The same rows as the file's, in its order."""
        found = []
        for series in self.document("lossy.yaml")["series"]:
            for size in series["links_by_size"]:
                self.assertGreater(size["time_us"], 0)
                for link in size["links"]:
                    self.assertAlmostEqual(link["utilisation"], link["busy_us"] / size["time_us"])
                    found.append((series["name"], size["size"], link))
        rows = self.by_size("lossy.yaml")
        self.assertEqual(len(found), len(rows))
        for (series, size, link), row in zip(found, rows):
            self.assertEqual((series, "" if size is None else str(size), link["link"]),
                             (row["series"], row["size"], row["link"]))
            self.assertEqual(sum(link["dropped_by_hosts"].values()), int(row["dropped_by_hosts"]))
            for name, value in row.items():
                if name not in ("scenario", "series", "size", "link", "from", "to", "dropped_by_hosts"):
                    self.assertAlmostEqual(float(link.get(name, 0)), float(value or 0), 6, name)
        one = self.document("lossy.yaml", "--set", "workload.sizes=[1 KiB]")["series"]
        self.assertNotIn("links_by_size", one[0])

    def test_one_size_is_not_apart(self):
        """Nor is the file of an earlier run left next to its results."""
        self.by_size("lossy.yaml")
        self.assertEqual(json.loads(self.read("out/manifest.json"))["results"]["links_by_size"],
                         "links_by_size.csv")
        self.netsim("run", "lossy.yaml", "--set", "workload.sizes=[1 KiB]", "--out", "out")
        self.assertFalse(os.path.exists(self.path("out/links_by_size.csv")))

    def test_manifest_and_stale_files(self):
        self.netsim("run", "lossy.yaml", "--out", "out")
        self.assertEqual(json.loads(self.read("out/manifest.json"))["results"]["links"], "links.csv")
        done = self.netsim("run", "lossy.yaml", "--out", "out", "--trace", "out/links.csv", code=1)
        self.assertIn("links.csv", done.stderr)

    def test_flows_have_none(self):
        flows = ("flow_exchange", "--set", "workload.repetitions=2")
        self.netsim("run", "lossy.yaml", "--out", "out")
        done = self.netsim("run", "flow_exchange", "--out", "out", "-q", "--links", code=None)
        series = self.document(*flows, code=None)["series"]
        on_flows = [one["name"] for one in series if one.get("fidelity") == "flow"]
        self.assertTrue(on_flows)
        for one in series:
            self.assertEqual("links" in one, one["name"] not in on_flows)
        for name in on_flows:
            self.assertIn(f"links of {name}: none are counted on flows", done.stdout)


if __name__ == "__main__":
    unittest.main()
