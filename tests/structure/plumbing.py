#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of each model is its protocol, and how much carries it: the table in
docs/models.md.

    plumbing.py            prints the table
    plumbing.py --write    puts it into the page

Every line of code in models/, without comments and blank lines, belongs to the item at the top level of its file that
it is part of: a function, a table, a struct, a prototype. The name of the item or of its file decides what it is for
(RULES, the first that fits); what none fits is protocol. A name can mislead, so a share is good to some points.
"""

import collections
import os
import re

import made_page
import check_includes

MARK = "<!-- plumbing: tests/structure/plumbing.py -->\n"

# (kind, what the file's name matches, what the item's first line matches)
RULES = [
    ("parameters", r"", r"\bstruct (param|param_table|scenario_section)\b|_names\[\]|^#define [A-Z_]*PARAM"),
    ("parameters", r"(config|nics|mvia|profiles)\.[ch]$|/mpi_profiles/", r""),
    ("benchmarks", r"benchmarks?\.[ch]$|/nas/", r""),
    ("reports", r"(capture|report)\.[ch]$", r""),
    ("reports", r"\.c$", r"\b\w*(describe|_report|_trace|_name|_text|blocked|circle)\w*\("),
    ("wiring", r"(model|stack|stacks|registry)\.[ch]$", r""),
    ("wiring", r"\.c$", r"\b\w*(_new|_free|_clear|_init|_build|_footprint|_check_case)\("),
    ("wiring", r"\.c$", r"\bstruct (stack|model|card|mpi_device_ops|benchmark)\b.*="),
    ("interface", r"\.h$", r"^(?!struct \w+ \{|enum|#define|static|typedef).*\("),
]
KINDS = ["protocol", "parameters", "wiring", "reports", "benchmarks", "interface"]


def items(text):
    """(first line, how many lines of code) of each item at the top level."""
    first, lines = None, 0
    for line in check_includes.without_comments(text).splitlines():
        if not line.strip() or line.startswith("#include"):
            continue
        if first is None:
            first = line
        lines += 1
        closed = line.startswith("}") or (first.startswith("#") and not line.endswith("\\"))
        if closed or (line.endswith(";") and not line.startswith((" ", "\t")) or
                      (line.endswith(";") and "{" not in first and "(" in first and lines < 6
                       and first[0] not in " \t")):
            yield first, lines
            first, lines = None, 0
    if lines:
        yield first, lines


def kind_of(path, first):
    for kind, file, item in RULES:
        if re.search(file, path) and re.search(item, first):
            return kind
    return "protocol"


def count():
    """{model: Counter of lines by kind}"""
    models = collections.defaultdict(collections.Counter)
    for path in check_includes.source_files(made_page.ROOT):
        room = check_includes.room_of(path)
        if not room.startswith("models/"):
            continue
        with open(os.path.join(made_page.ROOT, path), encoding="utf-8") as file:
            for first, lines in items(file.read()):
                models[room.removeprefix("models/")][kind_of(path, first)] += lines
    return models


def table():
    models = count()
    total = collections.Counter()
    rows = []
    for name in sorted(models):
        total.update(models[name])
        rows.append((f"`{name}`", models[name]))
    rows.append(("all", total))
    text = "| Model | Lines | " + " | ".join(kind.capitalize() for kind in KINDS) + " |\n"
    text += "|---" * (len(KINDS) + 2) + "|\n"
    for name, lines in rows:
        whole = sum(lines.values())
        cells = [f"{whole:,}", f"**{100 * lines['protocol'] / whole:.0f} %**"]
        cells += [f"{lines[kind]:,}" for kind in KINDS[1:]]
        text += f"| {name} | " + " | ".join(cells) + " |\n"
    return text


def page(text):
    head, rest = text.split(MARK)
    after = re.sub(r"\A(\|[^\n]*\n)*", "", rest)
    return head + MARK + table() + after


if __name__ == "__main__":
    made_page.main(table, page, "models.md")
