#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of version 1 (tests/stability/v1) are read and written as docs/stability.md promises: scenarios, testbeds,
overlays, ensembles and sweeps are accepted and mean what they meant; columns and members of results are all still
there; a kept database is read; every exit code is that of its table.

    test_stability.py --record    keep what this program writes. Once for each version of a format.

Numbers are not compared here: tests/golden has those of today.
"""

import csv
import io
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
KEPT = pathlib.Path(__file__).resolve().parent / "v1"
INPUTS = ("scenario.yaml", "program.yaml", "deadlock.yaml", "sweep.yaml", "testbed.yaml", "machine.fit.yaml", "machine.draws")
LINKS = "links.csv"

# Documents whose members are promised: the name under which the shape is kept, and the command.
DOCUMENTS = {
    "run": ("run", "scenario.yaml", "--quiet", "--format", "json"),
    "run_failed": ("run", "deadlock.yaml", "--quiet", "--format", "json"),
    "run_draws": ("run", "scenario.yaml", "--draws", "2", "--quiet", "--format", "json"),
    "check": ("check", "scenario.yaml", "--format", "json"),
    "list": ("list", "--format", "json"),
    "compare": ("compare", "results.csv", "results.csv", "--format", "json"),
    "explain": ("explain", "scenario.yaml", "--no-trials", "--format", "json"),
    "sweep": ("sweep", "--report", "kept_sweep", "--format", "json"),
    "flatten": ("flatten", "program.yaml", "--format", "json"),
    "describe": ("describe", "lam_via", "--format", "json"),
    "validate": ("validate", "grim.cfg.platform", "--quiet", "--format", "json"),
}
# Commands by the code that they end with (docs/commands.md, "Exit codes").
EXITS = {
    0: (("check", "scenario.yaml"), ("run", "program.yaml", "--quiet"), ("compare", "results.csv", "results.csv")),
    1: (("run",), ("run", "absent.yaml"), ("run", "scenario.yaml", "--set", "lam_via.short=0 s"), ("nonsense",)),
    2: (("compare", "results.csv", "other.csv"),),
    3: (("run", "deadlock.yaml", "--quiet"),),
}
# Of these an object's members are names of the user's or of models, which come and go.
NAMES = {"counters", "stages", "stages_ps", "class_of", "classes", "values", "kinds", "dropped_by_hosts", "held_ps"}
LISTS_OF_NAMES = {"held", "waits"}


def shape(value, name=""):
    """The parts of a document that its readers rely on: members, and the kinds of their values. Of a list it is the union over its items."""
    if isinstance(value, dict):
        if name in NAMES:
            return {"*": merged([shape(one) for one in value.values()])}
        return {key: shape(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [merged([shape(one, "counters" if name in LISTS_OF_NAMES else "") for one in value])]
    if value is None or isinstance(value, (bool, str)):
        return "nothing" if value is None else type(value).__name__
    return "number"


def merged(shapes):
    """Members that all of the objects have; kinds that any of the values has, as "number or nothing"."""
    if shapes and all(isinstance(one, dict) for one in shapes):
        common = set.intersection(*map(set, shapes))
        return {key: merged([one[key] for one in shapes]) for key in shapes[0] if key in common}
    if shapes and all(isinstance(one, list) for one in shapes):
        return [merged([one for inner in shapes for one in inner if one != "anything"])]
    kinds = sorted({one for text in shapes if isinstance(text, str) for one in text.split(" or ")})
    return " or ".join(kinds) or "anything"


def lost(kept, now, where="$"):
    """The parts of `kept` that a reader would miss in a document of the shape `now`."""
    if isinstance(kept, dict):
        if not isinstance(now, dict):
            return [f"{where}: an object became {now}"]
        return [line for key, one in kept.items()
                for line in (lost(one, now[key], f"{where}.{key}") if key in now else [f"{where}.{key} is gone"])]
    if isinstance(kept, list):
        return lost(kept[0], now[0], where + "[]") if isinstance(now, list) else [f"{where}: a list became {now}"]
    if kept in ("anything", "nothing") or now == "anything":
        return []
    if not isinstance(now, str) or not set(now.split(" or ")) <= set(kept.split(" or ")):
        return [f"{where}: {kept} became {now}"]
    return []


class Stability(unittest.TestCase):
    """All of docs/stability.md that a program can check."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-stability-")
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        for name in INPUTS:
            shutil.copy(KEPT / name, self.directory)

    def netsim(self, *words):
        return subprocess.run([NETSIM, *words], cwd=self.directory, check=False, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def outputs(self):
        """Puts the results that commands of DOCUMENTS read into the directory, from the kept ones."""
        shutil.copy(KEPT / "results.csv", self.directory)
        text = (KEPT / "results.csv").read_text(encoding="utf-8")
        (self.directory / "other.csv").write_text(text.replace(",1024,latency_us,us,", ",1024,latency_us,us,9"), encoding="utf-8")
        kept = self.directory / "kept_sweep"
        kept.mkdir(exist_ok=True)
        with sqlite3.connect(kept / "sweep.sqlite") as database:
            database.executescript((KEPT / "sweep.sql").read_text(encoding="utf-8"))
        database.close()

    def settings_of(self, folder, files=INPUTS):
        return settings(json.loads((self.directory / folder / "manifest.json").read_text(encoding="utf-8")), files)

    def document(self, name):
        done = self.netsim(*DOCUMENTS[name])
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return json.loads(done.stdout) if name != "flatten" else [json.loads(line) for line in done.stdout.splitlines()]

    def test_inputs_are_read(self):
        done = self.netsim("check", *[name for name in INPUTS if name.count(".") == 1 and "testbed" not in name
                                      and name.endswith(".yaml")])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_inputs_mean_what_they_meant(self):
        """The values that a manifest has from these files are those of then."""
        self.netsim("run", "scenario.yaml", "--quiet", "--out", "now")
        kept = json.loads((KEPT / "settings.json").read_text(encoding="utf-8"))
        now = self.settings_of("now")
        self.assertGreater(len(kept), 10)
        self.assertEqual(kept, {path: now.get(path) for path in kept})

    def test_ensemble(self):
        done = self.netsim("run", "scenario.yaml", "--set", "draw=2", "--quiet", "--out", "drawn")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.settings_of("drawn", ["machine.draws"]).values()), {"3.5 us"})

    def test_columns(self):
        """Of results.csv and links.csv: the kept columns are the first ones, and each kept row is there."""
        self.netsim("run", "scenario.yaml", "--quiet", "--out", "now")
        for name in ("results.csv", LINKS):
            with self.subTest(name):
                kept, now = (list(csv.reader(io.StringIO((folder / name).read_text(encoding="utf-8"))))
                             for folder in (KEPT, self.directory / "now"))
                self.assertEqual(kept[0], now[0][:len(kept[0])])
                keys = 6 if name != LINKS else 3
                self.assertLessEqual({tuple(row[:keys]) for row in kept}, {tuple(row[:keys]) for row in now})

    def test_documents(self):
        self.outputs()
        shapes = json.loads((KEPT / "documents.json").read_text(encoding="utf-8"))
        self.assertEqual(set(shapes), set(DOCUMENTS))
        for name, kept in shapes.items():
            with self.subTest(name):
                self.assertEqual(lost(kept, shape(self.document(name))), [])

    def test_loss_is_seen(self):
        kept = shape({"a": 1, "b": [{"c": "x", "d": None}, {"c": "y", "d": 2}]})
        self.assertEqual(lost(kept, kept), [])
        self.assertEqual(lost(kept, shape({"a": 1, "b": [{"c": "x", "d": 1, "more": 3}], "more": 1})), [])
        for now in ({"b": [{"c": "x", "d": 1}]}, {"a": "1", "b": [{"c": "x", "d": 1}]}, {"a": 1, "b": {"c": "x", "d": 1}},
                    {"a": 1, "b": [{"c": None, "d": 1}]}, {"a": 1, "b": [{"c": "x", "d": 1}, {"c": "x"}]}):
            with self.subTest(now=now):
                self.assertEqual(len(lost(kept, shape(now))), 1)

    def test_database(self):
        """A database of then is read: a report, its values, and a sweep that goes on in it."""
        self.outputs()
        done = self.netsim("sweep", "--report", "kept_sweep", "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        kept, now = (list(csv.reader(io.StringIO(text))) for text in ((KEPT / "sweep.csv").read_text(encoding="utf-8"), done.stdout))
        self.assertEqual(kept, [row[:len(kept[0])] for row in now])
        done = self.netsim("sweep", "sweep.yaml", "--quiet", "--out", "kept_sweep")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_exit_codes(self):
        self.outputs()
        for code, commands in EXITS.items():
            for words in commands:
                with self.subTest(" ".join(words)):
                    self.assertEqual(self.netsim(*words).returncode, code)

    def record(self):
        """Keeps what this program writes."""
        done = self.netsim("run", "scenario.yaml", "--quiet", "--out", "now")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("results.csv", LINKS):
            shutil.copy(self.directory / "now" / name, KEPT / name)
        (KEPT / "settings.json").write_text(json.dumps(self.settings_of("now"), indent=1) + "\n", encoding="utf-8")
        done = self.netsim("sweep", "sweep.yaml", "--quiet", "--out", "kept_sweep", "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        with sqlite3.connect(self.directory / "kept_sweep" / "sweep.sqlite") as database:
            pragmas = "".join(f"PRAGMA {one} = {database.execute(f'PRAGMA {one}').fetchone()[0]};\n"
                              for one in ("application_id", "user_version"))
            (KEPT / "sweep.sql").write_text(pragmas + "\n".join(database.iterdump()) + "\n", encoding="utf-8")
        shutil.rmtree(self.directory / "kept_sweep")
        self.outputs()
        done = self.netsim("sweep", "--report", "kept_sweep", "--format", "csv")
        (KEPT / "sweep.csv").write_text(done.stdout, encoding="utf-8")
        shapes = {name: shape(self.document(name)) for name in DOCUMENTS}
        (KEPT / "documents.json").write_text(json.dumps(shapes, indent=1) + "\n", encoding="utf-8")


def settings(manifest, files=INPUTS):
    """Parameters of a manifest that one of the files set: values by path."""
    return {path: value for path, value, origin in walked(manifest) if os.path.basename(origin.split(":")[0]) in files}


def walked(node, path=""):
    """(path, value, origin) of each parameter below a node of a manifest. The first part is the series' name, and "/"."""
    if isinstance(node, list):
        for one in node:
            yield from walked(one, f"{one['name']}/" if isinstance(one, dict) and "name" in one else path)
    elif isinstance(node, dict):
        if isinstance(node.get("origin"), str) and "value" in node:
            yield path.rstrip("."), node["value"], node["origin"]
            return
        for key, one in node.items():
            if isinstance(one, (dict, list)):
                yield from walked(one, f"{path}{key}.")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        recorder = Stability()
        recorder.setUp()
        recorder.record()
        recorder.doCleanups()
    else:
        unittest.main()
