#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recipes in packaging/: each can be read by its tool's language, has the version of CMakeLists.txt, and names every
library and tool that the launcher's table lists for building."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import yaml

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
RECIPES = SOURCE / "packaging"

# Names of what Debian's packages are elsewhere; None: the build system itself brings it, or no such package is there.
SPACK = {"gcc": "c", "libc6-dev": None, "cmake": "cmake", "ninja-build": "ninja", "pkg-config": "pkgconfig", "util-linux": None,
         "libyaml-dev": "libyaml", "libgsl-dev": "gsl", "libglib2.0-dev": "glib", "libjansson-dev": "jansson",
         "libmuparser-dev": "muparser", "libsqlite3-dev": "sqlite", "zlib1g-dev": "zlib-api", "libopen-trace-format2-dev": "otf2"}
CONDA = {**SPACK, "gcc": "{{ compiler('c') }}", "pkg-config": "pkg-config", "libyaml-dev": "yaml", "zlib1g-dev": "zlib", "libopen-trace-format2-dev": None}
GUIX = {**SPACK, "gcc": None, "cmake": None, "pkg-config": "pkg-config", "zlib1g-dev": "zlib", "libopen-trace-format2-dev": None}


def build_packages():
    """Debian's names of all that the launcher installs to build, also what can be done without."""
    return re.findall(r"^build\?? +\| (\S+)", (SOURCE / "netsim").read_text(encoding="utf-8"), re.MULTILINE)


def version():
    return re.search(r"^project\(netsim VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


class Recipes(unittest.TestCase):
    """One test per recipe."""

    def names(self, table, there):
        self.assertEqual(set(table) - set(build_packages()), set())
        for package in build_packages():
            with self.subTest(package):
                self.assertIn(package, table)
                if table[package]:
                    self.assertIn(table[package], there)

    def test_versions(self):
        """Files with the version besides CMakeLists.txt, from which all of the program has it."""
        for name, pattern in (("CITATION.cff", r"^version: (\S+)$"), ("python/pyproject.toml", r'^version = "(\S+)"$')):
            with self.subTest(name):
                self.assertEqual(re.findall(pattern, (SOURCE / name).read_text(encoding="utf-8"), re.MULTILINE), [version()])

    def test_spack(self):
        text = (RECIPES / "spack/package.py").read_text(encoding="utf-8")
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        self.names(SPACK, [call.args[0].value.split("@")[0] for call in calls if call.func.id == "depends_on"])
        self.assertIn("CMakePackage", text)

    def test_conda(self):
        text = re.sub(r" # \[.*\]$", "", (RECIPES / "conda/meta.yaml").read_text(encoding="utf-8"), flags=re.MULTILINE)
        recipe = yaml.safe_load(text)
        self.assertEqual(recipe["package"], {"name": "netsim", "version": version()})
        needs = recipe["requirements"]
        self.names(CONDA, [one if one.startswith("{{") else one.split()[0] for one in needs["build"] + needs["host"]])

    def test_guix(self):
        path = RECIPES / "guix/netsim.scm"
        text = path.read_text(encoding="utf-8")
        self.assertIn(f'(version "{version()}")', text)
        self.names(GUIX, re.findall(r"[a-z0-9.-]+", " ".join(re.findall(r"inputs \(list ([^)]*)\)", text))))
        if shutil.which("guile"):
            forms = ('(use-modules (ice-9 textual-ports)) (read-hash-extend #\\~ (lambda (c p) (list (quote gexp) (read p))))'
                     f'(call-with-input-file "{path}" (lambda (p) (let loop ((x (read p)) (n 0)) (if (eof-object? x)'
                     ' (display n) (loop (read p) (+ n 1))))))')
            done = subprocess.run(["guile", "--no-auto-compile", "-c", forms], check=False, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.stdout, done.stderr), ("2", ""))
        self.assertEqual(text.count("("), text.count(")"))

    def test_container(self):
        text = (RECIPES / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
        first, last = re.split(r"^FROM .*$", text, flags=re.MULTILINE)[1:]
        self.names({package: package for package in build_packages()}, first.split())
        self.assertRegex(last, r"(?m)^USER user$")
        self.assertEqual(len(re.findall(r"(?m)^FROM \S+:bookworm-slim", text)), 2)


if __name__ == "__main__":
    unittest.main()
