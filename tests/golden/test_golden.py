#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scenario gives the curves that are kept for it, to the bit.

They are recorded anew with `tests/golden/golden.py --record`.
"""

import copy
import json
import pathlib
import tempfile
import unittest

import golden


class Golden(unittest.TestCase):
    def test_every_scenario_has_its_curves(self):
        self.assertEqual(golden.scenario_names(), golden.golden_names(),
                         "record them with tests/golden/golden.py --record")

    def test_nothing_has_changed(self):
        found = golden.for_all(golden.golden_names(), golden.differences)
        self.assertFalse(found, "\n" + "\n".join(found) +
                         "\nIf this is meant, record them: tests/golden/golden.py --record")


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

    def test_the_fingerprint(self):
        changed = copy.deepcopy(self.result)
        changed["run"]["fingerprint"] = "0" * 16
        self.assertIn("fingerprints differ", self.compare(changed, 0))


if __name__ == "__main__":
    unittest.main()
