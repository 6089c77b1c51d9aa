#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim validate over what ships: that it refers to what is there, and that each check can fail."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

import harness

OPPOSITE = {"least": "below", "below": "least", "above": "most", "most": "above"}


def none_of(curves, check):
    """Curves that are 0 everywhere, in the place of these."""
    if isinstance(curves, list):
        return [none_of(one, check) for one in curves]
    curve = curves if isinstance(curves, dict) else {"series": curves}
    zero = {key: value for key, value in {**check, **curve}.items()
            if key in ("scenario", "set", "metric", "series", "rank")}
    return {**zero, "minus": dict(zero)}


def spoil(word, check):
    """The same check with one thing changed so that it can't hold if it held before."""
    if word == "value":
        number, _, unit = str(check["expected"]).partition(" ")
        return {**check, "expected": f"{float(number) * 3} {unit}".strip()}
    if word == "mean" and "expected" in check:
        number, _, unit = str(check["expected"]).partition(" ")
        return {**check, "expected": f"{float(number) * 3} {unit}".strip()}
    if word == "gain" and "expected" in check:
        return {**check, "expected": f"{3 * float(check['expected'].split()[0]) + 10} %"}
    if word in ("bound", "ratio", "difference", "gain", "mean"):
        bounds = [key for key in OPPOSITE if key in check]
        rest = {key: value for key, value in check.items() if key not in bounds}
        spoilt = {**rest, OPPOSITE[bounds[0]]: check[bounds[0]]}
        # Two bounds at the value that a sign changes at demand equality, one alone is a sign.
        if len(bounds) > 1 and word == "ratio" and float(check[bounds[0]]) == 1:
            spoilt["level"] = "0 %"
        return spoilt
    if word == "order":
        return {**check, "lower": check["higher"], "higher": check["lower"]}
    if word == "narrows":
        return {**check, "sizes": check["later"], "later": check["sizes"]}
    changes = {
        "crossover": lambda: {"before": check["after"], "after": check["before"]},
        "monotone": lambda: {"falling": "false" if check.get("falling") else "true"},
        "no_step": lambda: {"most": "0 %"},
        "parallel": lambda: {"most": "0 %"},
        "widest": lambda: {"within": "128 KiB .. 4 MiB"},
        "first": lambda: {"between": "1000000"},
        "slows_beyond": lambda: {"size": "1 B", "sizes": "1 KiB .. 64 KiB"},
        "agreement": lambda: {"with": none_of(check["with"], check)},
        "ends_with": lambda: {"status": "completed" if check["status"] != "completed" else "failed"},
        "contains_event": lambda: {"least": "1e18"},
        "parameter": lambda: {"equals": "something else"},
        "transitions": lambda: {"steps": [*check["steps"], "nobody nothing[0] - -> never"]},
        "figure": lambda: {"spec": check["spec"] + "_gone"},
    }
    return {**check, **changes[word]()}


def unquoted(tree):
    """With ranks as numbers, and truths, which may not be quoted, from texts."""
    if isinstance(tree, dict):
        return {key: int(value) if key == "rank" else unquoted(value)
                for key, value in tree.items()}
    if tree in ("true", "false"):
        return tree == "true"
    return [unquoted(one) for one in tree] if isinstance(tree, list) else tree


# Stays next to the program: the next validation with the same one need not run all again (.ci/run).
DATABASE = pathlib.Path(harness.NETSIM).resolve().parent / "validate.sqlite"

HAS_FLOWS = (pathlib.Path(harness.NETSIM).resolve().parent / "netsim_flow.so").exists()  # the plugin for SimGrid


class Shipped(unittest.TestCase):
    """The claims of references/ name things that exist, and every check of them can fail. Which claims hold is no
    matter of this test: `netsim validate` reports it."""

    SOURCE = pathlib.Path(harness.SOURCE)
    ranks: list = []

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-validate-")
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = pathlib.Path(temporary.name)
        DATABASE.unlink(missing_ok=True)
        cls.rows = cls.validate(cls.SOURCE)

    @classmethod
    def validate(cls, data_dir):
        # Whatever has become of the build's tests is no matter of this one.
        (cls.directory / "tests.xml").write_text("<testsuite/>", encoding="utf-8")
        done = subprocess.run([harness.NETSIM, "validate", "--format", "json", "-q", "--database",
                               DATABASE, "--tests", "tests.xml"], cwd=cls.directory, check=False, encoding="utf-8",
                              env={**os.environ, "NETSIM_DATA_DIR": str(data_dir)},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        assert done.returncode in (0, 2), done.stderr
        document = json.loads(done.stdout)
        cls.ranks = cls.ranks or document["totals"]["top40"]["list"]
        return {row["id"]: row for row in document["claims"]}

    def test_what_the_page_says(self):
        """docs/fidelity.md counts how many of the most important results of thesis 000 are reproduced."""
        words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
                 "ten", "eleven", "twelve")
        page = (self.SOURCE / "docs" / "fidelity.md").read_text(encoding="utf-8")
        told = re.search(r"(\w+) of the forty statements .*? (\w+) come out \(`netsim validate", page)
        ranks = [rank["verdict"] for rank in self.ranks
                 if all(name.startswith("via.") for name in rank["ids"])]
        # Claims that only tests hold have not been run here.
        hold = sum(verdict in ("holds", "not_run") for verdict in ranks)
        self.assertEqual(told.groups(), (words[len(ranks)].title(), words[hold].title()))

    def claims(self):
        for path in sorted((self.SOURCE / "references" / "claims").glob("*.yaml")):
            # Values as they stand there: the program reads texts, too.
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
            yield path.stem, data["others"]

    def checked_behaviours(self):
        for path in sorted((self.SOURCE / "references" / "claims").glob("*.yaml")):
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
            yield path.stem, {name: {**claim, "kind": "shape"}
                              for name, claim in data["behaviours"].items() if "check" in claim}

    def test_how_many(self):
        """The catalogue does not shrink unseen."""
        kinds = [claim["kind"] for system, claims in self.claims() if system == "via"
                 for claim in claims.values()]
        self.assertEqual({kind: kinds.count(kind) for kind in kinds},
                         {"config": 26, "number": 12, "shape": 18, "figure": 26, "arithmetic": 3, "guess": 4})

    def test_counted_once(self):
        """No two claims are the same checks: the second one has `same_as`."""
        seen = {}
        for _, claims in self.claims():
            for name, claim in claims.items():
                checks = claim.get("check", [])
                checks = checks if isinstance(checks, list) else [checks]
                key = frozenset(json.dumps(check, sort_keys=True) for check in checks)
                if key:
                    self.assertNotIn(key, seen, f"{name} is counted as {seen.get(key)} too")
                    seen[key] = name

    def test_what_has_a_check_is_checked(self):
        """Not when a series, a size or a scenario is not there: that would look like no miss."""
        for _, claims in self.claims():
            for name, claim in claims.items():
                if name.startswith("flow.") and not HAS_FLOWS:
                    continue
                open_guess = claim["kind"] == "guess" and "check" not in claim
                self.assertEqual("open" if open_guess else "not_checkable" if "not_checkable" in claim else "checked",
                                 self.rows[name]["verdict"]
                                 if self.rows[name]["verdict"] in ("open", "not_checkable") else "checked",
                                 f"{name}: {self.rows[name]['why']}")

    def test_what_is_chosen_names_claims(self):
        """Each `chosen_for`, of a default or of a value in a file, names at least one claim."""
        ids = {name for path in (self.SOURCE / "references" / "claims").glob("*.yaml")
               for group in yaml.safe_load(path.read_text(encoding="utf-8")).values()
               for name in group}
        named = []
        for path in (self.SOURCE / "scenarios").rglob("*.yaml"):
            for text in re.findall(r"\bchosen_for: *(\[[^\]]*\]|[\w.]+)",
                                   path.read_text(encoding="utf-8")):
                named += [(path.name, one) for one in re.findall(r"[\w.]+", text)]
        for path in (self.SOURCE / "docs" / "parameters.md",):
            for text in re.findall(r"chosen for ([\w.,\\ ]+) \|", path.read_text(encoding="utf-8")):
                named += [(path.name, one.replace("\\", "")) for one in text.split(", ")]
        self.assertIn(("parameters.md", "grim.scan"), named)
        self.assertIn(("config1.yaml", "armci.put.buffers_beyond_two"), named)
        for place, one in named:
            self.assertTrue(any(name == one or name.startswith(one + ".") for name in ids),
                            f"{place}: {one}")

    def test_what_was_chosen_is_not_called_predicted(self):
        """Some that must not slip: a choice that was made for them stands in the tree."""
        for name, standing in (("armci.put.buffers_beyond_two", "chosen"),
                               ("armci.put.config1.avg_gain", "chosen"),
                               ("grim.inject.unbounded_knee", "chosen"),
                               ("via.pingpong.latency_min.via_rpi", "fitted"),
                               ("armci.table34.copy_overtakes_send", "fitted"),
                               ("via.cfg.pin_limit", "setting"), ("via.fig.6_1", "drawn"),
                               ("via.pingpong.c1.smooth", "predicted")):
            with self.subTest(name):
                self.assertEqual(self.rows[name]["standing"], standing)

    def test_what_comes_out_of_mechanism_is_not_fitted(self):
        """docs/fidelity.md lists no claim as evidence that is none."""
        page = (self.SOURCE / "docs" / "fidelity.md").read_text(encoding="utf-8")
        table = page.split("What comes out of nothing but mechanism")[1].split("\n\n")[1]
        names = [name for name in re.findall(r"(?m)^\| `([\w.]+)`", table) if name in self.rows]
        self.assertGreater(len(names), 3)
        for name in names:
            self.assertEqual(self.rows[name]["standing"], "predicted", name)

    def test_a_claim_says_how_it_is_read(self):
        """A claim with an allowance has a reason for it."""
        for _, claims in self.claims():
            for name, claim in claims.items():
                if re.search("level|share|somewhere|across", str(claim.get("check"))):
                    self.assertTrue(claim.get("because"), name)

    def test_every_check_can_fail(self):
        """Each check by itself, and each with one thing changed: what holds misses then."""
        claims = {}
        for _, of_system in [*self.claims(), *self.checked_behaviours()]:
            for name, claim in of_system.items():
                checks = claim.get("check", [])
                for number, check in enumerate(checks if isinstance(checks, list) else [checks]):
                    (word, body), = check.items()
                    for kind, one in (("as_it_is", body), ("spoilt", spoil(word, body))):
                        claims[f"{kind}.{name}.{number}"] = {
                            "kind": "agreement" if claim["kind"] == "agreement" else "shape", "statement": name, "source": name,
                            "check": {word: unquoted(one)}}
        data = self.directory / "data"
        (data / "references" / "claims").mkdir(parents=True)
        for name in ("scenarios", "references/figures"):
            (data / name).symlink_to(self.SOURCE / name)
        (data / "references" / "claims" / "all.yaml").write_text(
            yaml.safe_dump({"others": claims}, allow_unicode=True), encoding="utf-8")
        rows = self.validate(data)
        found = [f"{name}: {rows[name]['expected']}: {rows[name]['simulated']} {rows[name]['why']}"
                 for name in rows if name.startswith("spoilt.") and
                 rows[name.replace("spoilt", "as_it_is", 1)]["verdict"] == "holds" and
                 rows[name]["verdict"] != "misses"]
        self.assertFalse(found, "\n".join(found))
        for _, of_system in self.checked_behaviours():
            for name in rows:
                if name.removeprefix("as_it_is.").rsplit(".", 1)[0] in of_system:
                    self.assertEqual(rows[name]["verdict"], "holds", name)
        self.assertGreater(len(rows), 200)


if __name__ == "__main__":
    unittest.main()
