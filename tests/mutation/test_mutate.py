#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/mutate, on a tree of one file: each operator, and from a mutant to its fate, its log and its report."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tests" / "mutation"))
sys.dont_write_bytecode = True
from operators import OPERATORS, mutants  # noqa: E402

EVERYTHING = """\
bool f(int a, int b)
{
    int c = a + b, d = -a * 7;
    unsigned char e = (a & 1) << 2;
    for (int i = 0; i < 3; i++)
        c += i;
    if (a == b && !c)
        return true;
    else
        c = ~MAX(a, b);
    while (a) {
        g(c, d, e);
        break;
    }
    return a ? b : c;
}
"""

LEFT_ALONE = """\
#define LIMIT 1 + 2
static const int table[] = {1, 2};
void f(struct x *y)
{
    // a + b
    g_assert(y->a < 3 && y->b);
    const char *text = "a == b";
    y_free(y);
    int numbers[4];
}
"""

# sum() is held by its test but for the sign of what follows a limit; no test calls never(). Only a sanitizer notices
# whether blank() reads too far.
TREE = {
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C)
if(NETSIM_SANITIZE)
    add_compile_options(-fsanitize=address)
    add_link_options(-fsanitize=address)
endif()
add_library(netsim_lib SHARED sim/room/sum.c)
target_include_directories(netsim_lib PUBLIC ${PROJECT_SOURCE_DIR})
enable_testing()
add_executable(test_room_sum tests/room/test_sum.c)
target_link_libraries(test_room_sum netsim_lib)
add_test(NAME test_room_sum COMMAND $<TARGET_FILE:test_room_sum>)
set_tests_properties(test_room_sum PROPERTIES LABELS room)
""",
    "sim/room/sum.h": "int sum(int a, int b);\nint never(int a);\n"
                      "int blank(const char *text, int length);\n",
    "sim/room/sum.c": """\
#include "sim/room/sum.h"

int sum(int a, int b)
{
    int both = a + b, unused = a - b;
    if (a > 1000)
        return a - 1000;
    while (both != a + b)
        both = 0;
    (void)unused;
    return both;
}

int never(int a)
{
    return a + 1;
}

int blank(const char *text, int length)
{
    for (int i = 0; i < length; i++)
        if (text[i])
            return 0;
    return 1;
}
""",
    "tests/room/test_sum.c": """\
#include "sim/room/sum.h"
#include <stdlib.h>

int main(void)
{
    char *two = calloc(2, 1);
    int wrong = sum(2, 3) != 5 || !blank(two, 2);
    free(two);
    return wrong;
}
""",
}


class Operators(unittest.TestCase):
    def test_every_operator(self):
        changes = {(mutant.operator, EVERYTHING[mutant.start:mutant.end], mutant.new)
                   for mutant in mutants(EVERYTHING)}
        for expected in [
                ("boundary", "<", "<="), ("relation", "<", ">"), ("equality", "==", "!="), ("sum", "+", "-"),
                ("product", "*", "/"), ("step", "++", "--"), ("assigned", "+=", "-="), ("plain_assigned", "+=", "="),
                ("logic", "&&", "||"), ("bits", "&", "|"), ("shift", "<<", ">>"), ("truth", "true", "false"),
                ("extreme", "MAX", "MIN"), ("constant", "0", "1"), ("drop_not", "!", " "), ("drop_minus", "-", " "),
                ("drop_complement", "~", " "), ("off_by_one", "7", "(7 - 1)"), ("off_by_one", "7", "(7 + 1)"),
                ("swap_arguments", "c, d", "d, c"), ("swap_choice", "b : c", "c : b"),
                ("negate", "a == b && !c", "!(a == b && !c)"), ("always", "a == b && !c", "1"),
                ("never", "a", "0"), ("never", "i < 3", "0"), ("drop_operand", "a == b && !c", "a == b"),
                ("return_value", "a ? b : c", "!(a ? b : c)"), ("delete_jump", "break;", ";"),
                ("delete_else", "else\n        c = ~MAX(a, b);", ""), ("delete_assignment", "c += i;", ";"),
                ("delete_call", "g(c, d, e);", ";")]:
            self.assertIn(expected, changes)
        self.assertEqual({operator for operator, *_ in changes}, set(OPERATORS))

    def test_what_is_left_alone(self):
        self.assertEqual([], mutants(LEFT_ALONE))

    def test_lines_keep_their_numbers(self):
        for mutant in mutants(EVERYTHING):
            self.assertEqual(EVERYTHING.count("\n"), mutant.apply(EVERYTHING).count("\n"), mutant)


class Run(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-mutate-")
        self.addCleanup(temporary.cleanup)
        self.tree = pathlib.Path(temporary.name)
        for name, text in TREE.items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)

    def mutate(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, SOURCE / "tests" / "mutate", "--source", self.tree, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout

    def log(self) -> dict:
        lines = (self.tree / "build-mutate" / "log.jsonl").read_text().splitlines()
        return {(entry["line"], entry["operator"]): entry for entry in map(json.loads, lines)}

    def test_fates(self):
        said = self.mutate("--room", "room", "--operator", "sum", "--operator", "never", "--operator", "equality",
                           "--operator", "boundary")
        log = self.log()
        self.assertEqual("survived", log[7, "sum"]["result"])      # no test goes there
        self.assertEqual(0, log[7, "sum"]["of"])
        self.assertEqual("survived", log[16, "sum"]["result"])
        self.assertEqual("killed", log[8, "equality"]["result"])
        self.assertEqual(("fail", "test_room_sum"), (log[8, "equality"]["how"], log[8, "equality"]["by"]))
        self.assertEqual("plain", log[8, "equality"]["in"])
        self.assertEqual(("killed", "sanitized"), (log[21, "boundary"]["result"], log[21, "boundary"]["in"]))
        self.assertIn("1 of those killed were noticed by the sanitizers alone", said)
        self.assertEqual("survived", log[6, "never"]["result"])    # a test goes there, and sees nothing
        self.assertEqual(1, log[6, "never"]["of"])
        self.assertEqual("equivalent", log[8, "never"]["result"])  # the loop never runs: the same object
        self.assertIn("survived: sim/room/sum.c:16 sum in never(), executed by no test", said)
        self.assertIn("-    return a + 1;\n+    return a - 1;", said)
        self.assertRegex(said, r"killed \d+ of \d+ \(.* %\); besides, \d+ compiled to the same object")
        self.assertEqual(TREE["sim/room/sum.c"], (self.tree / "sim/room/sum.c").read_text())
        self.goes_on()
        self.finds_survivors_again()

    def goes_on(self):
        before = (self.tree / "build-mutate" / "log.jsonl").read_text().splitlines()
        said = self.mutate("--room", "room", "--operator", "sum", "--operator", "negate", "--resume")
        after = (self.tree / "build-mutate" / "log.jsonl").read_text().splitlines()
        self.assertEqual(before, after[:len(before)])
        self.assertTrue(len(after) > len(before))
        self.assertIn("negate", said)

    def finds_survivors_again(self):
        """After the missing tests have been written, and lines have moved."""
        log = self.tree / "build-mutate" / "log.jsonl"
        log.rename(self.tree / "old.jsonl")
        source, test = self.tree / "sim/room/sum.c", self.tree / "tests/room/test_sum.c"
        source.write_text("// One more line.\n" + source.read_text())
        test.write_text('#include "sim/room/sum.h"\n'
                        "int main(void) { return sum(2, 3) != 5 || never(3) != 4 || sum(1001, 5) != 1; }\n")
        self.mutate("--again", str(self.tree / "old.jsonl"))
        fates = self.log()
        self.assertEqual("killed", fates[17, "sum"]["result"])
        self.assertEqual("killed", fates[7, "never"]["result"])
        self.assertEqual("killed", fates[8, "sum"]["result"])


if __name__ == "__main__":
    unittest.main()
