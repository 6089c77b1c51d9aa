#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/failures.md lists every kind of failure that the sources give, and no other."""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
# Which argument of these functions is the kind.
CALLS = {"sim_fail": 2, "mpi_fail": 1, "fail_message": 2}


def arguments(text):
    """The arguments of a call, from after its parenthesis."""
    found, depth, current = [], 0, ""
    for token in re.findall(r'"(?:\\.|[^"\\])*"|.', text, re.DOTALL):
        if token in "([{":
            depth += 1
        elif token in ")]}" and depth == 0:
            break
        elif token in ")]}":
            depth -= 1
        if token == "," and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += token
    return found + [current.strip()]


def kinds():
    """Literals at the place of a kind; where it is a variable, what it is set to in that file."""
    found = set()
    for path in [*SOURCE.glob("sim/**/*.c"), *SOURCE.glob("models/**/*.c")]:
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        for call in re.finditer(rf"\b({'|'.join(CALLS)})\(", text):
            given = arguments(text[call.end():])[CALLS[call[1]]]
            found |= set(re.findall(r'"([a-z_]+)"', given))
            if given == "kind":
                found |= set(re.findall(r'\bkind\[\] = "([a-z_]+)"', text)) | set(re.findall(r'\bfailed\(request, "([a-z_]+)"', text))
    header = (SOURCE / "sim/run/limit.h").read_text(encoding="utf-8")
    return found | set(re.findall(r'#define SIM_INTERRUPTED "([a-z_]+)"', header))


class Failures(unittest.TestCase):
    """The table "Kinds of failures"."""

    def test_kinds(self):
        page = (SOURCE / "docs/failures.md").read_text(encoding="utf-8").partition("## Kinds of failures")[2]
        listed = [kind for row in re.findall(r"^\| (`[^|]*`) \|", page, re.MULTILINE) for kind in re.findall(r"`([a-z_]+)`", row)]
        self.assertEqual(sorted(listed), sorted(set(listed)))
        self.assertGreater(len(listed), 40)
        self.assertEqual(set(listed), kinds())


if __name__ == "__main__":
    unittest.main()
