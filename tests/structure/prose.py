#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prose that a native reader stops at, in comments and documents: counts it, and refuses more of it.

    prose.py                     the tree may have no more of a kind than prose.txt keeps
    prose.py --staged            refuses each that the next commit adds
    prose.py --show KIND         lists those of a kind
    prose.py FOLDER|FILE...      lists those in it
    prose.py --write             keeps the counts of today, once there are fewer

KINDS has the patterns, each with the words to write instead.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = ROOT / "tests" / "structure" / "prose.txt"

# (kind, pattern, what to write instead). A text and its authors may say something, code does not.
TEXT = "".join(f"(?<!{word} )" for word in ("thesis", "theses", "text", "source", "sources", "standard", "manual", "sheet", "authors",
                                            "not", "itself", "paper"))
SENTENCE = r"(?:^|(?<=[.:;] ))"
KINDS = (
    ("tell", TEXT + r"\b(?:tell(?:s|ing)?|told|say(?:s|ing)?|said)\b", "report, record, return, describe, name, state"),
    ("way", r"(?<!under )\bways?\b", "path, mode, route, direction, method"),
    ("it-is", r"(?<![A-Z0-9)]): (?:it|they|there) (?:is|are|was|were|has|have|had|comes?|came)\b", "a name that needs no comment, or a sentence"),
    ("the-same", SENTENCE + r"(?:The same(?= (?:of|for|in|with|as|from|to|but|when|if|by|among|over|and|once|again|at|on|is|are)\b|[.,:;]|$)|[Ll]ikewise\b)", "Like X, but ..."),
    ("looks", r"\blook(?:s|ing|ed)? (?:at|again|whether|for|after|what|if)\b|\b(?:a|next|last|first) looks?\b",
     "polls, checks, retries, reads, searches"),
    ("what", SENTENCE + r"What\b", "a noun: the packet, the remainder, pending output"),
    ("comes", r"\bc(?:ome|omes|ame|oming) (?:in|back|late|later|first|out|next|after|before)\b",
     "arrives, returns, is delayed, precedes, follows"),
    ("who", r"\bwho(?:ever|m)?\b", "the caller, the component, that, which"),
    ("nobody", r"\b(?:nobody|somebody|anybody|everybody|no one|someone|anyone|everyone)\b",
     "no receiver, no process, any caller"),
    ("over", r"\b(?:is|are|was|were|be|been) over\b", "has ended, has finished"),
    ("behind", r"\b(?:behind|beside)\b", "after, besides, next to"),
    ("give-back", r"\bg(?:ive|ives|ave|iven|iving) (?:\w+ )?back\b", "free, release, return"),
    ("a-for-per", r"\b(?:one|two|three|four|\d+|once|bytes?|us|ns|packets?|lines?|messages?|times|frames?|events?|chunks?) an? "
                  r"(?:slice|turn|packet|message|second|byte|line|frame|transition|round|rank|link|node|repetition|size|step|run|event|"
                  r"call|pair|peer|path|series|file|chunk|row|word|page|host|card|test|thread|process|port|stream|line|minute)\b",
     "per"),
)
PATTERNS = [(kind, re.compile(pattern), instead) for kind, pattern, instead in KINDS]

READ = ("sim", "models", "bench", "plots", "tests", "cmake", "docs", "examples", "tools", "README.md", "CONTRIBUTING.md", "CMakeLists.txt",
        "netsim")
GENERATED = {"docs/parameters.md", "docs/coverage.md", "docs/netsim.1", "tests/structure/prose.py"}
HASH_COMMENTS = {".py", ".txt", ".cmake", ".yaml", ".case", ".sh", ""}


def c_comments(text):
    """(line number, text) of each comment of C, one per line."""
    strings = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
    for number, line in enumerate(text.splitlines(), 1):
        bare = strings.sub(lambda found: "_" * len(found[0]), line)
        at = bare.find("//")
        if at >= 0:
            yield number, line[at + 2:].strip()


def hash_comments(text):
    """(line number, text) of each comment that begins with # ."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r"(?:^|\s)#+ (.*)", line)
        if found:
            yield number, found[1]


def docstrings(text):
    """(line number, text) of the lines of docstrings."""
    for found in re.finditer(r'(?:^|\n)[ \t]*"""(.*?)"""', text, re.S):
        first = text.count("\n", 0, found.start(1)) + 1
        for offset, line in enumerate(found[1].splitlines()):
            yield first + offset, line.strip()


def markdown(text):
    """(line number, text) of the lines outside fenced blocks, without what links point to."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"\]\([^)]*\)", "]", line)


def prose(path):
    """(line number, text) of the prose of a file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix in (".c", ".h", ".cc", ".cpp", ".hpp", ".pkt"):
        return list(c_comments(text))
    if path.suffix == ".md":
        return list(markdown(text))
    if path.suffix == ".py":
        return sorted([*hash_comments(text), *docstrings(text)])
    return list(hash_comments(text)) if path.suffix in HASH_COMMENTS else []


def files():
    """The files with prose of the tree, but generated ones and recorded texts."""
    for name in READ:
        top = ROOT / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            inside = path.relative_to(ROOT).as_posix()
            if path.is_file() and inside not in GENERATED and "/golden/" not in inside and "__pycache__" not in inside:
                yield path


def finds(places):
    """(kind, file, line number, text, instead) of all that the patterns find in (file, lines or None) of `places`."""
    for path, lines in places:
        for number, line in prose(path):
            if lines is None or number in lines:
                for kind, pattern, instead in PATTERNS:
                    for _ in pattern.finditer(line):
                        yield kind, path, number, line, instead


def staged():
    """(file, numbers of the lines) that the next commit adds or changes."""
    text = subprocess.run(["git", "diff", "--cached", "-U0", "--no-color", "--no-ext-diff"], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout
    lines = {}
    path = None
    for line in text.splitlines():
        if line.startswith("+++ "):
            path = ROOT / line[6:] if line[4:6] == "b/" else None
        found = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if found and path:
            first, count = int(found[1]), int(found[2] or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    wanted = set(files())
    return [(path, numbers) for path, numbers in lines.items() if path in wanted]


def show(found):
    """Prints finds, each with its place and remedy."""
    for kind, path, number, line, instead in found:
        print(f"{path.relative_to(ROOT)}:{number}: {kind} (write: {instead}): {line}")


def check(found):
    """Holds the counts against those that are kept. Returns the exit code."""
    kept = {kind: int(count) for kind, count in (line.split() for line in COUNTS.read_text(encoding="utf-8").splitlines()
                                                if not line.startswith("#"))}
    code = 0
    for kind, _, instead in KINDS:
        count = sum(entry[0] == kind for entry in found)
        if count > kept[kind]:
            print(f"{count} times {kind!r}, of which the tree had {kept[kind]} (write: {instead}); "
                  f"tests/structure/prose.py --show {kind} lists them, --staged those of the next commit")
            code = 1
    return code


def write(found):
    """Keeps the counts of today."""
    head = [line for line in COUNTS.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    rows = [f"{kind} {sum(entry[0] == kind for entry in found)}" for kind, _, _ in KINDS]
    COUNTS.write_text("\n".join(head + rows) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", metavar="KIND", help="list the finds of a kind, or of all")
    parser.add_argument("--staged", action="store_true", help="refuse those that the next commit adds")
    parser.add_argument("--write", action="store_true", help="keep the counts of today")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="list the finds in these files and folders")
    options = parser.parse_args()
    if options.staged:
        found = list(finds(staged()))
        show(found)
        sys.exit(1 if found else 0)
    chosen = [path.resolve() for path in options.paths]
    found = [entry for entry in finds((path, None) for path in files()
                                      if not chosen or any(path.is_relative_to(top) for top in chosen))]
    if options.show or chosen:
        show([entry for entry in found if options.show in (None, "all", entry[0])])
    elif options.write:
        write(found)
    else:
        sys.exit(check(found))


if __name__ == "__main__":
    main()
