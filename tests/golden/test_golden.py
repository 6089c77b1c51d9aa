#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scenario and every sweep gives the curves that are kept for it, to the bit.

They are recorded anew with `tests/golden/golden.py --record`.
"""

import copy
import functools
import json
import os
import pathlib
import re
import sqlite3
import tempfile
import unittest
import unittest.mock

import golden


SANITIZED = b"__asan_init" in pathlib.Path(os.environ["NETSIM"]).read_bytes()

# They take seconds to minutes, and are not run where test_cli_validate_shipped.py has kept their runs. Under the sanitizers they run
# nothing that shorter scenarios do not: of flows flow_bcast_tcp, flow_cg and flow_trunk, of broadcasts bcast_cluster2_small_area, of
# paths cmt_policies, cmt_shared_link and sctp_paths_x306, of lost packets sctp_streams_loss and sweeps/loss_under_mpi_pingpong; paths
# fail in test_sctp_failover. test_scenarios_pingpong.py runs pingpong_cluster1 and pingpong_cluster2 with fewer repetitions.
LONG = {"bcast_cluster1", "bcast_cluster2", "cmt_reordering", "cmt_small_buffer", "flow_collectives", "flow_exchange",
        "flow_incast", "flow_pingpong", "grim_injection", "nas_x306", "osu_bandwidth_x306", "osu_bibandwidth_x306",
        "pingpong_cluster1", "pingpong_cluster2", "sctp_failover", "sctp_iperf_failover", "sctp_path_loss",
        "sweeps/failover_buffer", "sweeps/incast_server", "sweeps/loss_under_mpi_long_tasks",
        "sweeps/retransmission_policies", "sweeps/stencil_ranks", "sweeps/unequal_rails"}


class Golden(unittest.TestCase):
    def test_all_kinds_are_found(self):
        names = golden.scenario_names()
        self.assertIn("tiny", names)
        self.assertIn("sweeps/descriptor_counts", names)
        self.assertFalse([name for name in names if "testbeds" in name])

    def test_every_scenario_has_its_curves(self):
        self.assertEqual(golden.scenario_names(), golden.golden_names(),
                         "record them with tests/golden/golden.py --record")

    def compare_all(self, flows):
        names = [name for name in golden.golden_names()
                 if golden.on_flows(name) == flows and not (SANITIZED and name in LONG)]
        found = golden.for_all(names, functools.partial(golden.differences, dear=LONG))
        self.assertFalse(found, "\n" + "\n".join(found) +
                         "\nIf this is meant, record them: tests/golden/golden.py --record")

    def test_nothing_has_changed(self):
        self.compare_all(flows=False)

    def test_nothing_has_changed_on_flows(self):
        self.compare_all(flows=True)


class CheckOfTheCheck(unittest.TestCase):
    """A result with one thing changed is seen to differ from the golden curves made of it."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-golden-")
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        self.result = json.loads(golden.run("cut_through", temporary.name))
        (self.directory / "golden.csv").write_text(golden.golden_text("cut_through", self.result))

    def compare(self, result, code):
        (self.directory / "now.json").write_text(json.dumps(result))
        done = golden.netsim("compare", self.directory / "golden.csv", self.directory / "now.json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_kept_runs(self):
        """Runs that were kept give the golden curves, and not once one of them has changed."""
        golden.netsim("sweep", golden.SOURCE / "scenarios" / "tiny.yaml", "--seeds", "1", "-q", "--out", self.directory)
        with unittest.mock.patch.multiple(golden, VALIDATED=self.directory / "sweep.sqlite", keep_printed=lambda *_: None):
            self.assertTrue(golden.is_validated("tiny", self.directory / "before"))
            for changed in ("fingerprint", "value"):
                with sqlite3.connect(golden.VALIDATED) as runs:
                    (document,) = runs.execute("select document from results").fetchone()
                    now = re.sub(rf'("{changed}": ?"?)[0-9a-f]', r"\g<1>7", document, count=1)
                    runs.execute("update results set document = ?", [now])
                self.assertFalse(golden.is_validated("tiny", self.directory / changed))
                with sqlite3.connect(golden.VALIDATED) as runs:
                    runs.execute("update results set document = ?", [document])

    def test_itself(self):
        told = self.compare(self.result, 0)
        self.assertIn(f"fingerprints agree: {self.result['run']['fingerprint']}", told)
        self.assertNotIn("differs", told)

    def test_a_value(self):
        changed = copy.deepcopy(self.result)
        series = changed["series"][0]
        value = (series["points"] or series["values"])[0]
        name = "value" if "value" in value else next(key for key in value if key != "size_bytes")
        value[name] += 1e-9 * (value[name] or 1)
        self.assertIn("differs  " + series["name"], self.compare(changed, 2))

    def test_a_status(self):
        changed = copy.deepcopy(self.result)
        changed["series"][0]["status"] = "failed"
        self.assertIn("completed against failed", self.compare(changed, 2))

    def test_a_series(self):
        changed = copy.deepcopy(self.result)
        gone = changed["series"].pop()["name"]
        self.assertIn(f"{gone}: completed against missing", self.compare(changed, 2))

    def test_a_reason(self):
        failed = copy.deepcopy(self.result)
        failed["series"][0].update(status="failed", reason={"kind": "overrun", "text": "x"})
        (self.directory / "golden.csv").write_text(golden.golden_text("cut_through", failed))
        self.compare(failed, 0)
        failed["series"][0]["reason"]["kind"] = "connection_broken"
        self.assertIn("failed (overrun) against failed (connection_broken)",
                      self.compare(failed, 2))

    def test_the_fingerprint(self):
        changed = copy.deepcopy(self.result)
        changed["run"]["fingerprint"] = "0" * 16
        self.assertIn("fingerprints differ", self.compare(changed, 0))


class CheckOfASweep(unittest.TestCase):
    """Points of a sweep, with one that is not possible and several that fail."""

    HEAD = "point,lam_via.tiny,seed,series,status,reason,rank,size,metric,unit,value\n"
    ROWS = ("0,1 KiB,1,\"A, b\",completed,,all,512,latency_us,us,4.5\n"
            "0,1 KiB,1,\"A, b\",completed,,1,,program_us,us,7\n"
            "1,2 KiB,1,\"A, b\",failed,overrun,,,,,\n"
            "2,4 KiB,1,,impossible,too: long (4 KiB),,,,,\n")

    def test_text(self):
        self.assertEqual(golden.recorded("sweeps/x", self.HEAD + self.ROWS).splitlines()[1:], [
            "# series A, b, lam_via.tiny=1 KiB: completed -",
            "# series A, b, lam_via.tiny=2 KiB: failed - overrun",
            "# series A, b, lam_via.tiny=4 KiB: impossible -",
            "series,rank,size,metric,value",
            "\"A, b, lam_via.tiny=1 KiB\",,512,latency_us,4.5",
            "\"A, b, lam_via.tiny=1 KiB\",1,,program_us,7"])

    def test_seeds(self):
        """Replications are kept each by itself, as they are compared."""
        rows = self.ROWS + "0,1 KiB,2,\"A, b\",completed,,all,512,latency_us,us,4.25\n"
        text = golden.recorded("sweeps/x", self.HEAD + rows).splitlines()
        self.assertEqual([line for line in text if "latency_us" in line], [
            "\"A, b, lam_via.tiny=1 KiB, seed=1\",,512,latency_us,4.5",
            "\"A, b, lam_via.tiny=1 KiB, seed=2\",,512,latency_us,4.25"])

    def test_a_value(self):
        """A kept value that is not what comes out is reported, with its point."""
        name = "sweeps/tiny_short_thresholds"
        with tempfile.TemporaryDirectory(prefix="netsim-golden-") as directory:
            text = golden.recorded(name, golden.run(name, directory))
            kept = pathlib.Path(directory) / "kept.csv"
            database = pathlib.Path(directory) / name
            kept.write_text(text, encoding="utf-8")
            self.assertEqual(golden.netsim("compare", kept, database).returncode, 0)
            line = next(line for line in text.splitlines() if "latency_us" in line)
            kept.write_text(text.replace(line, line + "1", 1), encoding="utf-8")
            done = golden.netsim("compare", "--wide", kept, database)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stdout, r"differs  .*lam_via\.tiny=1 KiB.* latency_us: .*worst")


if __name__ == "__main__":
    unittest.main()
