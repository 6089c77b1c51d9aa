#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses an #include that goes against the plan of the source tree.

    check_includes.py [ROOT]

Reads every C source and header in sim/, models/, bench/ and tests/ below ROOT, prints
FILE:LINE: MESSAGE for each include that is not allowed, and ends with 1 if there was one.
tests/ may include anything. No headers anywhere may include each other in a circle.
"""

import functools
import os
import re
import sys

# The rooms that a room may include besides itself. `models` stands for each folder in models/.
MAY_INCLUDE = {
    "sim/core": [],
    "sim/statistics": ["sim/core"],
    "sim/config": ["sim/core"],
    "sim/program": ["sim/core", "sim/config"],
    "sim/recording": ["sim/core", "sim/config", "sim/program"],
    "sim/net": ["sim/core", "sim/config"],
    "sim/scenario": ["sim/core", "sim/config", "sim/program", "sim/recording", "sim/net"],
    "sim/host": ["sim/core", "sim/config"],
    "sim/cluster": ["sim/core", "sim/config", "sim/scenario", "sim/net", "sim/host"],
    "sim/mpi": ["sim/core", "sim/config", "sim/program", "sim/host"],
    "sim/measure": ["sim/core", "sim/program", "sim/scenario"],
    "sim/source": ["sim/core", "sim/config", "sim/program", "sim/recording", "sim/scenario",
                   "sim/mpi"],
    "sim/flatten": ["sim/core", "sim/program", "sim/recording", "sim/mpi", "sim/source"],
    "sim/benchmark": ["sim/core", "sim/config", "sim/scenario", "sim/measure", "sim/source"],
    "sim/interpreter": ["sim/core", "sim/mpi", "sim/measure", "sim/source", "sim/flatten",
                        "sim/benchmark"],
    "sim/model": ["sim/core", "sim/scenario", "sim/net", "sim/cluster", "sim/mpi", "sim/benchmark"],
    "sim/run": ["sim/core", "sim/config", "sim/program", "sim/scenario", "sim/cluster", "sim/mpi",
                "sim/measure", "sim/source", "sim/flatten", "sim/benchmark", "sim/interpreter",
                "sim/model"],
    "sim/flow": ["sim/core", "sim/config", "sim/scenario", "sim/net", "sim/host", "sim/cluster", "sim/mpi",
                 "sim/measure", "sim/flatten", "sim/model", "sim/run"],
    "sim/flow/simgrid": ["sim/flow"],
    "sim/output": ["sim/core", "sim/config", "sim/scenario", "sim/measure", "sim/benchmark",
                   "sim/model"],
    "sim/campaign": ["sim/core", "sim/config", "sim/scenario", "sim/model", "sim/run", "sim/flow",
                     "sim/output"],
    "sim/outcome": ["sim/core", "sim/statistics", "sim/config", "sim/measure", "sim/output",
                    "sim/campaign"],
    "sim/compare": ["sim/core", "sim/config", "sim/measure", "sim/output",
                    "sim/campaign", "sim/outcome"],
    "sim/validate": ["sim/core", "sim/statistics", "sim/config", "sim/scenario", "sim/model", "sim/run",
                     "sim/flow", "sim/output", "sim/campaign", "sim/compare"],
    "sim/calibrate": ["sim/core", "sim/statistics", "sim/config", "sim/scenario", "sim/measure",
                      "sim/output", "sim/campaign"],
    "sim/explain": ["sim/core", "sim/config", "sim/mpi", "sim/model", "sim/run", "sim/output"],
    "sim/figures": ["sim/core", "sim/config", "sim/measure", "sim/output",
                    "sim/outcome", "sim/compare", "sim/validate"],
    "sim/cli": ["sim/core", "sim/statistics", "sim/config", "sim/program", "sim/recording",
                "sim/scenario", "sim/measure", "sim/source", "sim/flatten", "sim/benchmark",
                "sim/model", "sim/run", "sim/flow", "sim/output", "sim/campaign", "sim/outcome", "sim/compare",
                "sim/validate", "sim/calibrate", "sim/explain", "sim/figures", "bench"],
    "models": ["sim/core", "sim/config", "sim/program", "sim/net", "sim/host", "sim/cluster",
               "sim/mpi", "sim/benchmark", "sim/model"],
    "bench": ["sim/core", "sim/config", "sim/scenario", "sim/net", "sim/cluster", "sim/model",
              "sim/run", "sim/flow", "sim/output"],
}
# A model includes only those in the `stands_on` of its struct model.
STANDS_ON = re.compile(r"\.stands_on\s*=\s*\(const char \*const\[\]\)\{([^}]*)\}")

TOP_FOLDERS = ("sim", "models", "bench", "tests")
SUFFIXES = (".c", ".h", ".inc", ".cc", ".cpp")

COMMENT_OR_LITERAL = re.compile(
    r"""//(?:\\\n|[^\n])* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.DOTALL | re.VERBOSE)
BLANK = r"(?:[ \t]|\\\n)*"
INCLUDE = re.compile(
    rf"""^{BLANK}\#{BLANK}(?:include|include_next|import)\b{BLANK}(?P<what>"[^"\n]*"|<[^>\n]*>|[^\n]*)""",
    re.MULTILINE | re.VERBOSE)


def without_comments(text):
    """The text with comments blanked out, each character of the rest at its old place."""
    def blank(match):
        found = match.group()
        return re.sub(r"[^\n]", " ", found) if found.startswith("/") else found
    return COMMENT_OR_LITERAL.sub(blank, text)


def source_files(root):
    """Paths relative to root of all sources, in a fixed order."""
    for top in TOP_FOLDERS:
        for folder, subfolders, names in os.walk(os.path.join(root, top)):
            subfolders.sort()
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    yield path.replace(os.sep, "/")


def includes_of(root, path):
    """(line, what follows the word include) for each include directive of a file."""
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        text = without_comments(file.read())
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start("what")) + 1, match.group("what").strip()


def target_of(root, path, what):
    """The file of this tree that is included, relative to root, or None for any other."""
    name = what[1:-1]
    if what.startswith('"'):  # a compiler searches the including file's folder first
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if os.path.isfile(os.path.join(root, beside)):
            return beside
    name = os.path.normpath(name)
    return name if name.split("/")[0] in TOP_FOLDERS else None


def room_of(path):
    """The room a file belongs to: sim/ROOM, models/MODEL, models/FABRIC/PART, models (its own
    files), bench, tests."""
    folders = path.split("/")[:-1]
    return "/".join(folders) if folders[0] in ("sim", "models") else folders[0]


def kind_of(room):
    return "models" if room.startswith("models/") else room


@functools.lru_cache
def stands_on(root, room):
    """The rooms of the models that a model stands on, by its own list."""
    try:
        with open(os.path.join(root, room, "model.c"), encoding="utf-8") as file:
            found = STANDS_ON.search(file.read())
    except FileNotFoundError:
        return ()
    return tuple(f"models/{name}" for name in re.findall(r'"([\w/]+)"', found[1])) if found else ()


def objection(root, path, target):
    """Why `path` must not include `target`, or None."""
    room, other = room_of(path), room_of(target)
    if room == other or room == "tests":
        return None
    if room.startswith("sim/") and kind_of(other) == "models":
        return f"{room} includes {target}: sim/ never includes models/"
    if other.startswith("models/") and kind_of(room) == "models":
        if other in stands_on(root, room):
            return None
        return (f"{room} includes {target}: a model includes only those that it stands on "
                f"({room}/model.c, stands_on)")
    if kind_of(other) == kind_of(room) or kind_of(other) in MAY_INCLUDE[kind_of(room)]:
        return None
    allowed = ", ".join(MAY_INCLUDE[kind_of(room)]) or "no other room"
    return f"{room} includes {target}: {room} may include {allowed}"


def circles(includes):
    """Finds circles in {path: [(line, target)]}; yields (path, line, [path, ..., path])."""
    done = set()

    for start in includes:
        way, steps = [], []  # the files being visited, and for each what is left of its includes

        def enter(path):
            way.append(path)
            steps.append(iter(includes.get(path, [])))

        if start not in done:
            enter(start)
        while way:
            for line, target in steps[-1]:
                if target in way:
                    yield way[-1], line, way[way.index(target):] + [target]
                elif target not in done:
                    enter(target)
                    break
            else:
                steps.pop()
                done.add(way.pop())


def check(root):
    """All violations as (path, line, message), and how many files and includes were read."""
    violations = []
    includes = {}

    for path in source_files(root):
        includes[path] = []
        room = room_of(path)
        if room != "tests" and kind_of(room) not in MAY_INCLUDE:
            violations.append((path, 1, f"{room} is no room that this check knows"))
            continue
        for line, what in includes_of(root, path):
            if what[:1] not in ('"', "<"):
                violations.append((path, line, f"include of a macro, which hides the file: {what}"))
                continue
            target = target_of(root, path, what)
            if target is None:
                continue
            includes[path].append((line, target))
            message = objection(root, path, target)
            if message:
                violations.append((path, line, message))

    for path, line, circle in circles(includes):
        violations.append((path, line, "circle of includes: " + " -> ".join(circle)))
    return sorted(violations), len(includes), sum(map(len, includes.values()))


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    violations, files, includes = check(root)
    for path, line, message in violations:
        print(f"{path}:{line}: {message}")
    if files == 0:
        sys.exit(f"check_includes: no sources below {root}: nothing was checked")
    if violations:
        sys.exit(f"check_includes: {len(violations)} not allowed")
    print(f"check_includes: {includes} includes in {files} files, all allowed")


if __name__ == "__main__":
    main()
