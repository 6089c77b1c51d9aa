#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a circle of calls between the .c files of a room that tests/structure/call_circles.txt does not list.

    check_calls.py [ROOT]               checks the tree
    check_calls.py --show ROOM [ROOT]   prints each call between files of ROOM's circles
    check_calls.py --list [ROOT]        prints the circles of the tree as lines for the list

A file calls another if it names a function or a const table that only that file defines with external
linkage; a function pointer in a table counts as a call. Files that call each other in a circle can only be
understood together. call_circles.txt lists those that belong together, each with its reason; a listed
circle that has changed or opened is refused like a new one, so that the list stays true.
"""

import collections
import os
import re
import sys

import check_includes

LIST = "tests/structure/call_circles.txt"
MOST = 15  # natural circles
TOPS = ("sim/", "models/", "bench/")

LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'")
# A definition begins in the first column; the body's brace stands alone on its line.
FUNCTION = re.compile(r"^(?!static\b)[A-Za-z_][\w \t*]*?\b(\w+)\((?:[^;{}]*)\)\s*\n\{$", re.MULTILINE)
TABLE = re.compile(r"^const (?:struct |enum |char |double )[\w *]*?\b(\w+)(?:\[[^\]\n]*\])* =", re.MULTILINE)
# A member or a tag of the same name is none of them.
NAME = re.compile(r"(?<![\w.])(?<!->)(?<!struct )(?<!enum )[A-Za-z_]\w*\b")


class Tree:
    """The files of a source tree, what each defines, and calls[file][other]: the names that it uses."""

    def __init__(self, root):
        self.files = [path for path in check_includes.source_files(root)
                      if path.endswith(".c") and path.startswith(TOPS)]
        texts, definers = {}, collections.defaultdict(set)
        for path in self.files:
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                texts[path] = LITERAL.sub('""', check_includes.without_comments(file.read()))
            for pattern in (FUNCTION, TABLE):
                for name in pattern.findall(texts[path]):
                    definers[name].add(path)
        self.owner = {name: min(paths) for name, paths in definers.items() if len(paths) == 1}
        self.calls = {path: self.calls_of(path, text) for path, text in texts.items()}

    def calls_of(self, path, text):
        calls = collections.defaultdict(set)
        for name in set(NAME.findall(text)):
            other = self.owner.get(name, path)
            if other != path and os.path.dirname(other) == os.path.dirname(path):
                calls[other].add(name)
        return calls

    def circles(self):
        """Sorted tuples of files that call each other in a circle."""
        found = []
        for room in sorted({os.path.dirname(path) for path in self.files}):
            found += components([path for path in self.files if os.path.dirname(path) == room], self.calls)
        return found

    def round_trip(self, start, files):
        """The shortest path from a file through its circle back to it: [(caller, names, called)]."""
        before, queue = {}, collections.deque([start])
        while queue:
            path = queue.popleft()
            for other in sorted(self.calls[path]):
                if other in files and other not in before:
                    before[other] = path
                    queue.append(other)
        steps = [start]
        while len(steps) == 1 or steps[-1] != start:
            steps.append(before[steps[-1]])
        steps.reverse()
        return [(caller, sorted(self.calls[caller][called]), called) for caller, called in zip(steps, steps[1:])]


def components(nodes, arrows):
    """The strongly connected components of more than one node (Tarjan), each sorted."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(arrows[node]):
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(tuple(sorted(stack[at:])))
            del stack[at:]

    for node in sorted(nodes):
        if node not in number:
            visit(node)
    return sorted(found)


class Entry:
    """A line "ROOM: FILE FILE ..." of the list; the indented lines after it are its reason."""

    def __init__(self, line, text, section):
        room, names = text.split(":", 1)
        self.line, self.section, self.reason = line, section, ""
        self.files = tuple(sorted(f"{room}/{name}" for name in names.split()))

    def allows(self, circle):
        """A natural circle stands as it is; one that is to open may become smaller."""
        return circle == self.files or self.section == "to open" and set(circle) < set(self.files)


def read_list(root):
    """The entries of the list, and what is wrong with its text as (line, message)."""
    entries, wrong, section = [], [], None
    with open(os.path.join(root, LIST), encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if re.match(r"\s*(#|$)", text):
                continue
            if text.startswith("["):
                section = text.strip().strip("[]")
                if section not in ("natural", "to open"):
                    wrong.append((number, f"no section {text.strip()}: expected [natural] or [to open]"))
            elif text.startswith(" ") and entries:
                entries[-1].reason += text.strip()
            elif ":" in text and section:
                entries.append(Entry(number, text, section))
            else:
                wrong.append((number, f'cannot parse "{text.strip()}"; expected ROOM: FILE FILE ...'))
    natural = [entry for entry in entries if entry.section == "natural"]
    wrong += [(entry.line, "a natural circle without its reason in the line below")
              for entry in natural if not entry.reason]
    if len(natural) > MOST:
        wrong.append((natural[MOST].line, f"{len(natural)} natural circles; there may be {MOST}"))
    return entries, wrong


def as_line(circle):
    return f"{os.path.dirname(circle[0])}: {' '.join(map(os.path.basename, circle))}"


def shown(steps):
    return "; ".join(f"{os.path.basename(caller)} calls {', '.join(names)} of {os.path.basename(called)}"
                     for caller, names, called in steps)


def refused(tree, circle, entries):
    """(file, line, message) of a circle that no entry allows."""
    like = [entry for entry in entries if set(entry.files) & set(circle)]
    listed = {path for entry in like for path in entry.files}
    new = [path for path in circle if path not in listed] or circle
    steps = min((tree.round_trip(path, circle) for path in new), key=len)
    changed = f" ({LIST}:{like[0].line} has another circle of these files)" if like else ""
    return circle[0], 1, f"circle of calls {as_line(circle)}{changed}: {shown(steps)}"


def check(root):
    """All violations as (path, line, message), and the tree."""
    tree = Tree(root)
    circles = tree.circles()
    entries, wrong = read_list(root)
    violations = [(LIST, line, message) for line, message in wrong]
    violations += [refused(tree, circle, entries) for circle in circles
                   if not any(entry.allows(circle) for entry in entries)]
    violations += [(LIST, entry.line, "this circle is open now: take it from the list") for entry in entries
                   if not any(set(entry.files) & set(circle) for circle in circles)]
    return violations, tree, circles


def main():
    arguments = sys.argv[1:]
    option = arguments.pop(0) if arguments[:1] in (["--show"], ["--list"]) else None
    room = arguments.pop(0) if option == "--show" else None
    root = arguments[0] if arguments else "."
    if option == "--list":
        print("\n".join(map(as_line, Tree(root).circles())))
        return
    if option:
        tree = Tree(root)
        for circle in tree.circles():
            if os.path.dirname(circle[0]) == room.rstrip("/"):
                print(as_line(circle))
                for caller in circle:
                    for called in sorted(set(tree.calls[caller]) & set(circle)):
                        print("   ", shown([(caller, sorted(tree.calls[caller][called]), called)]))
        return
    violations, tree, circles = check(root)
    for path, line, message in violations:
        print(f"{path}:{line}: {message}")
    if not tree.files:
        sys.exit(f"check_calls: no sources below {root}: nothing was checked")
    if violations:
        sys.exit(f"check_calls: {len(violations)} not allowed")
    print(f"check_calls: {len(circles)} circles of calls in {len(tree.files)} files, all listed")


if __name__ == "__main__":
    main()
