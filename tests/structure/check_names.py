#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a name that two .c files of a room define for themselves.

    check_names.py [ROOT]

A room is one translation unit (CMakeLists.txt), and a reader searches it by name: a static function or
object, a macro, a tag, a type or an enumerator stands once in it. A compiler sees most of that, but no macro
that two files define alike, and nothing in a build of single files. A macro that its file undefines is free.
"""

import collections
import os
import re
import sys

import check_calls
import check_includes

KINDS = (
    ("function", re.compile(r"^static\b[^;={}()]*?\b(\w+)\(", re.MULTILINE)),
    ("object", re.compile(r"^static\b[^;(){}=]*?\b(\w+)(?:\[[^\]\n]*\])*(?: =|;)", re.MULTILINE)),
    ("tag", re.compile(r"^(?:struct|union|enum) (\w+) \{", re.MULTILINE)),
    ("type", re.compile(r"^typedef\b[^;]*?\b(\w+)(?:\([^;]*\))?;", re.MULTILINE)),
    ("macro", re.compile(r"^#[ \t]*define[ \t]+(?!_)(\w+)", re.MULTILINE)),
)
UNDEFINED = re.compile(r"^#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
ENUM = re.compile(r"^(?:static )?enum(?: \w+)? \{(.*?)\}", re.MULTILINE | re.DOTALL)
ENUMERATOR = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)")


def names_of(text):
    """(kind, name, line) of what a file defines for itself."""
    text = check_calls.LITERAL.sub(lambda match: re.sub(r"[^\n]", " ", match.group()),
                                   check_includes.without_comments(text))
    undefined = set(UNDEFINED.findall(text))
    for kind, pattern in KINDS:
        for match in pattern.finditer(text):
            if match[1] not in undefined:
                yield kind, match[1], text.count("\n", 0, match.start(1)) + 1
    for match in ENUM.finditer(text):
        for one in ENUMERATOR.finditer(match[1]):
            yield "enumerator", one[1], text.count("\n", 0, match.start(1) + one.start(1)) + 1


def check(root):
    """All violations as (path, line, message), and the number of names."""
    places, violations, total = collections.defaultdict(dict), [], 0
    for path in check_includes.source_files(root):
        if not path.endswith(".c") or not path.startswith(check_calls.TOPS):
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            text = file.read()
        room = places[check_includes.room_of(path)]
        for kind, name, line in names_of(text):
            total += 1
            first = room.setdefault(name, (path, line))
            if first[0] != path:
                violations.append((path, line, f"the {kind} {name} stands in {first[0]}:{first[1]} as well: a name "
                                               "is unique within its room"))
    return violations, total


def main():
    violations, total = check(sys.argv[1] if len(sys.argv) > 1 else ".")
    for path, line, message in violations:
        print(f"{path}:{line}: {message}")
    if total == 0:
        sys.exit("check_names: no names found: nothing was checked")
    if violations:
        sys.exit(f"check_names: {len(violations)} not allowed")
    print(f"check_names: {total} names, each once in its room")


if __name__ == "__main__":
    main()
