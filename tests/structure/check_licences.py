#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses a source whose first three lines name no licence.

    check_licences.py [ROOT]

Sources are files with one of SUFFIXES, and what begins with "#!". All else (scenarios, cases, golden curves, documents,
pictures) has its licence from .reuse/dep5; REUSE's tool, which .ci/run calls, holds both against the texts in LICENSES/.
"""

import os
import pathlib
import sys

SUFFIXES = {".c", ".h", ".cc", ".cpp", ".hpp", ".inc", ".in", ".py", ".sh", ".cmake", ".lua", ".js", ".css"}
MADE = ("build", "results", ".git", ".cache", "__pycache__")
TAG = "SPDX-License-" "Identifier: "


def is_source(path, head):
    return path.suffix in SUFFIXES or path.name == "CMakeLists.txt" or head.startswith("#!")


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(MADE) and name != "corpus"]
        for name in names:
            path = pathlib.Path(folder) / name
            if path.is_file() and not path.is_symlink():
                yield path


def faults(root):
    for path in files(root):
        with open(path, "rb") as file:
            head = b"".join(file.readline() for _ in range(3)).decode("utf-8", "replace")
        if is_source(path, head) and TAG not in head:
            yield str(path.relative_to(root))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = sorted(faults(root))
    for name in found:
        print(f"{name}:1: no licence in the first three lines: {TAG}GPL-3.0-or-later")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
