# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of the tests of `netsim plot` and `netsim figures`: pictures read back, and the specifications of
figures."""

import os
import xml.etree.ElementTree as ElementTree

import yaml

from harness import Case, SOURCE

SVG = "{http://www.w3.org/2000/svg}"
# The sources' figures that hold data, in the order of `netsim figures --list`.
NUMBERS = {"armci": ["3.4", "3.5", "3.6", "3.7", "4.6", "4.7"], "grim": ["4.6", "4.10"],
           "icpt": [None] * 4,  # tables and numbers of the text
           "sctp": ["4.4", None, "4.2", "4.3", "4.5", "4.6", "4.7", "4.8"],
           "via": ["4.2"] + [f"6.{figure}" for figure in range(1, 10)]}


def figures_of(system):
    path = os.path.join(SOURCE, f"references/figures/{system}.yaml")
    with open(path, encoding="utf-8") as file:
        return {figure["id"]: figure for figure in yaml.safe_load(file)["figures"]}


FIGURES = {name: figure for system in NUMBERS for name, figure in figures_of(system).items()}


class Drawing(Case):
    def ids(self, name):
        """The ids of a picture's groups, which name what is drawn."""
        root = ElementTree.fromstring(self.read(name))
        return {group.get("id") for group in root.iter(SVG + "g")}

    def texts(self, name):
        root = ElementTree.fromstring(self.read(name))
        return " ".join("".join(text.itertext()) for text in root.iter(SVG + "text"))
