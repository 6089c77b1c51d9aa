#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of docs/constants.md on what cluster 1 waits for: its constants are those of the overlays, and each
reading really takes cluster 1's place. (The verdicts take examples/readings.py minutes.)"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"])
NETSIM = os.environ["NETSIM"]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "examples"))
import readings  # pylint: disable=wrong-import-position


class Readings(unittest.TestCase):
    def test_the_page_has_each_with_its_fit(self):
        page = (SOURCE / "docs" / "constants.md").read_text(encoding="utf-8")
        for name, reading, constant, prior in readings.READINGS:
            missed = "; ".join(readings.off_target(name)) or "none"
            self.assertIn(f"| {reading}, `{name}` | {constant} {readings.fitted(name)} | {prior} | "
                          f"{missed} |", page)

    def test_each_takes_the_place_of_cluster_1(self):
        """The constant that it fits is what a run of pingpong_cluster1 has, and only it differs."""
        fitted = {}
        for name, *_ in readings.READINGS:
            with tempfile.TemporaryDirectory() as directory:
                root = pathlib.Path(directory)
                readings.data_with(name, root)
                subprocess.run([NETSIM, "run", "pingpong_cluster1", "-q", "--out", "out", "--set",
                                "workload.sizes=1 B"], check=True, cwd=root, timeout=120,
                               env={**os.environ, "NETSIM_DATA_DIR": str(root)},
                               stdout=subprocess.DEVNULL)
                manifest = json.loads((root / "out" / "manifest.json").read_text(encoding="utf-8"))
            case = manifest["series"][0]["case"]
            card = case["parameters"]["eepro100"]
            fitted[name] = tuple(card[one]["value"] for one in
                                 ("rx_latency", "interrupt_delay", "tx_start"))
            self.assertEqual(len(case["topology"]["switches"]),
                             2 if name == "cluster1_switches" else 1)
        still = ("0 s", "500 ns", "3 us")
        for name, index in (("cluster1", 0), ("cluster1_hold_off", 1), ("cluster1_transmit", 2)):
            wanted = list(still)
            wanted[index] = readings.fitted(name)
            self.assertEqual(fitted[name], tuple(wanted), name)
        self.assertEqual(fitted["cluster1_switches"], still)

    def test_none(self):
        done = subprocess.run([sys.executable, str(SOURCE / "examples" / "readings.py"), "nothing"],
                              check=False, capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
