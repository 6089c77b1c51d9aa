#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim describe file: the maps of files besides scenarios, as their readers have them."""

import glob
import json
import os
import unittest

import yaml

from harness import Case, SOURCE


def load(pattern):
    for path in sorted(glob.glob(os.path.join(SOURCE, pattern))):
        with open(path, encoding="utf-8") as file:
            yield yaml.safe_load(file)


class Files(Case):
    def schemas(self, name):
        return json.loads(self.netsim("describe", "file", name, "--format", "json").stdout)[name]

    def fits(self, schema, value, where):
        """The keys of a map, and of the maps in it, are those of the schema."""
        if schema.get("type") == "array" and isinstance(value, list):
            for item in value:
                self.fits(schema.get("items", {}), item, where)
        if schema.get("type") != "object" or not isinstance(value, dict):
            return
        for key in schema["required"]:
            self.assertIn(key, value, where)
        for key, one in value.items():
            self.assertIn(key, schema["properties"], where)
            self.fits(schema["properties"][key], one, f"{where}.{key}")

    def test_figures(self):
        schema = self.schemas("figures")["references/figures"]
        self.assertFalse(schema["additionalProperties"])
        for document in load("references/figures/*.yaml"):
            self.fits(schema, document, "figures")

    def test_claims(self):
        schemas = self.schemas("claims")
        for document in load("references/claims/*.yaml"):
            for group in ("behaviours", "others"):
                for name, claim in (document.get(group) or {}).items():
                    self.fits(schemas[group], claim, name)
                    checks = claim.get("check", [])
                    for check in checks if isinstance(checks, list) else [checks]:
                        for word, keys in check.items():
                            self.fits(schemas[word], keys, f"{name}.{word}")

    def test_targets(self):
        schemas = self.schemas("targets")
        for document in load("references/calibration/*.yaml"):
            self.fits(schemas["targets"], document, "targets")
            for target in document["targets"]:
                kinds = [kind for kind in ("order", "crossover", "gain") if kind in target]
                self.fits(schemas[kinds[0] if kinds else "series"], target, str(target))

    def test_topology(self):
        """Items of shipped machines: their keys are those of the table, or parameters of a link, switch or bus."""
        schemas = self.schemas("topology")
        parameters = json.loads(self.netsim("describe", "--json-schema").stdout)["$defs"]
        others = {"links": "link", "switches": "switch", "buses": "host.bus"}
        seen = set()
        for document in load("scenarios/testbeds/*.yaml"):
            for name, schema in schemas.items():
                items = document.get(name) or []
                for item in items if isinstance(items, list) else []:
                    known = parameters[others[name]]["properties"] if name in others else {}
                    own = {key: value for key, value in item.items() if key not in known or key in schema["properties"]}
                    self.fits(schema, own, name)
                    seen.add(name)
        self.assertGreaterEqual(seen, {"hosts", "links", "switches"})

    def test_workload(self):
        """Keys of shipped workloads: those of every workload, or of their benchmark."""
        schemas = self.schemas("workload")
        whole = json.loads(self.netsim("describe", "--json-schema").stdout)["properties"]["workload"]
        own = set(schemas["workload"]["properties"])
        self.assertLess(own, set(whole["properties"]))
        for key in own:
            self.assertEqual(schemas["workload"]["properties"][key]["description"],
                             whole["properties"][key]["description"])
        for document in load("scenarios/*.yaml"):
            self.assertLessEqual(set(document.get("workload", {})), set(whole["properties"]))

    def test_text(self):
        said = self.netsim("describe", "file", "figures").stdout
        self.assertIn("\n  scale = linear   linear, log\n      the scale\n", said)
        self.assertIn("\nmarks: what the reference prints about the curves\n", said)
        everything = self.netsim("describe", "file").stdout
        for name in ("panels", "no_step", "crossover"):
            self.assertIn(f"\n{name}: ", everything)
        self.assertIn(said.rstrip(), everything)

    def test_unknown(self):
        for words in (["figure"], ["figures", "x"]):
            self.assertIn("the files are figures, claims, targets, sweep, topology, workload",
                          self.netsim("describe", "file", *words, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
