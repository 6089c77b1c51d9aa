#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/structure/check_calls.py over small trees: what it counts as a call, and that its list stays true.
(That the tree itself passes is the ctest test `check_calls`.)"""

import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.environ["NETSIM_SOURCE_DIR"], "tests/structure/check_calls.py")
LIST = "tests/structure/call_circles.txt"


def function(name, *body):
    lines = "".join(f"    {line}\n" for line in body)
    return f"void {name}(int first,\n    int second)\n{{\n{lines}}}\n\n"


class Calls(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-calls-")
        self.addCleanup(temporary.cleanup)
        self.root = temporary.name
        self.put("sim/net/low.c", function("low", "return;"))
        self.put("sim/net/high.c", function("high", "low(1, 2);"))
        self.put(LIST, "")

    def put(self, path, *texts):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(texts))

    def check(self, *options):
        done = subprocess.run([sys.executable, CHECK, *options, self.root], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def accepts(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)

    def refuses(self, *parts):
        code, output = self.check()
        self.assertEqual(code, 1, output)
        for part in parts:
            self.assertIn(part, output)

    def circle(self, *rest):
        """Makes low.c call back."""
        self.put("sim/net/low.c", function("low", "return;"), function("back", "high(1, 2);"), *rest)

    def test_no_circle(self):
        self.accepts()

    def test_new_circle(self):
        self.circle()
        self.refuses("sim/net/high.c:1: circle of calls sim/net: high.c low.c: ",
                     "high.c calls low of low.c; low.c calls high of high.c", "1 not allowed")

    def test_table_of_functions(self):
        self.put("sim/net/low.c", function("low", "return;"),
                 "const struct ops *const rows[] = {\n    &high_ops,\n};\n")
        self.put("sim/net/high.c", function("high", "low(1, 2);"),
                 "const struct ops high_ops = {\n    .start = high,\n};\n")
        self.refuses("low.c calls high_ops of high.c")

    def test_what_calls_nothing(self):
        for body in ("// high", '/* high\n */ print("high");', "object->high = 1;", "object.high = 2;",
                     "struct high one;", "enum high two;"):
            with self.subTest(body):
                self.put("sim/net/low.c", function("low", body))
                self.accepts()

    def test_names_of_one_file(self):
        """A name that two files define and a file of another room tie nothing."""
        self.circle()
        self.put("sim/net/other.c", function("high", "return;"))
        self.accepts()
        os.remove(os.path.join(self.root, "sim/net/other.c"))
        self.put("sim/host/low.c", function("low", "high(1, 2);"))
        self.put("sim/net/low.c", function("other", "return;"))
        self.accepts()

    def test_listed(self):
        self.circle()
        self.put(LIST, "# why\n[natural]\nsim/net: high.c low.c\n    One machine.\n")
        self.accepts()
        self.put(LIST, "[natural]\nsim/net: high.c low.c\n")
        self.refuses(f"{LIST}:2: a natural circle without its reason")
        self.put(LIST, "[to open]\nsim/net: high.c low.c\n")
        self.accepts()

    def test_opened(self):
        for section in ("natural", "to open"):
            self.put(LIST, f"[{section}]\n\nsim/net: high.c low.c\n    One machine.\n")
            self.refuses(f"{LIST}:3: this circle is open now")

    def test_grown_and_shrunk(self):
        self.circle(function("more", "third(1, 2);"))
        self.put("sim/net/third.c", function("third", "low(1, 2);"))
        for section in ("natural", "to open"):
            self.put(LIST, f"[{section}]\nsim/net: high.c low.c\n    One machine.\n")
            self.refuses(f"circle of calls sim/net: high.c low.c third.c ({LIST}:2 has another circle",
                         "third.c calls low of low.c; low.c calls third of third.c")
        self.circle()
        self.put(LIST, "[natural]\nsim/net: high.c low.c third.c\n    One machine.\n")
        self.refuses("has another circle of these files")
        self.put(LIST, "[to open]\nsim/net: high.c low.c third.c\n")
        self.accepts()

    def test_wrong_list(self):
        self.put(LIST, "sim/net: a.c b.c\n[other]\n")
        self.refuses(f'{LIST}:1: cannot parse "sim/net: a.c b.c"', f"{LIST}:2: no section [other]")

    def test_too_many(self):
        lines = []
        for number in range(16):
            room = f"models/room{number}"
            self.put(f"{room}/a.c", function(f"a{number}", f"b{number}(1, 2);"))
            self.put(f"{room}/b.c", function(f"b{number}", f"a{number}(1, 2);"))
            lines.append(f"{room}: a.c b.c\n    One machine.\n")
        self.put(LIST, "[natural]\n", *lines[:15], "[to open]\n", lines[15])
        self.accepts()
        self.put(LIST, "[natural]\n", *lines)
        self.refuses("16 natural circles; there may be 15")

    def test_options(self):
        self.circle()
        self.assertEqual(self.check("--list"), (0, "sim/net: high.c low.c\n"))
        code, output = self.check("--show", "sim/net")
        self.assertEqual((code, output.splitlines()[1:]),
                         (0, ["    high.c calls low of low.c", "    low.c calls high of high.c"]))

    def test_nothing(self):
        os.remove(os.path.join(self.root, "sim/net/low.c"))
        os.remove(os.path.join(self.root, "sim/net/high.c"))
        self.refuses("nothing was checked")


if __name__ == "__main__":
    unittest.main()
