#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver of case files: what it accepts, what it refuses, and the line that it names in a wrong case."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"])
DRIVER = pathlib.Path(os.environ["NETSIM"]).resolve().parent / "test_cases"

GOOD = """\
# A remark.
set lam_via.sdescs=2
show send, pin

rank 0
    compute 100 ms ; send to: 1, size: 24 KiB # the remark of an operation
    > pin registered 24576 B, references 1
    > send[1] start -> envelope_sent short
    > [100 ms .. 110 ms] send[1] envelope_sent -> body_sent
    > pin released 24576 B, references 0
    > send[1] body_sent -> done
    = 3 send[1]

rank 1
    1 x recv from: 0, size: 24 KiB
    > nothing
    = 1 wait_body -> done
"""


@unittest.skipUnless(DRIVER.exists(), "the tests in C are not built")
class Driver(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-cases-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "lam_via"
        self.folder.mkdir()
        self.path = self.folder / "it.case"

    def run_driver(self, *arguments, code=0):
        done = subprocess.run([DRIVER, *arguments], text=True, check=False, timeout=100,
                              capture_output=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def passes(self, text):
        self.path.write_text(text, encoding="utf-8")
        self.assertEqual(self.run_driver(self.path), f"pass {self.path}\n")

    def fails(self, text, line, what):
        self.path.write_text(text, encoding="utf-8")
        self.assertIn(f"fail {self.path}:{line}: {what}", self.run_driver(self.path, code=1))

    def fails_with(self, old, new, line, what):
        self.assertEqual(GOOD.count(old), 1, old)
        self.fails(GOOD.replace(old, new), line, what)

    def test_good(self):
        self.passes(GOOD)

    def test_transitions(self):
        self.fails_with("envelope_sent short", "envelope_sent tiny", 8,
                        "expected send[1] start -> envelope_sent tiny, "
                        "got send[1] start -> envelope_sent short at 10")
        self.fails_with("    > send[1] start -> envelope_sent short\n", "", 8,
                        "expected send[1] envelope_sent -> body_sent not before 100.000000 ms "
                        "not after 110.000000 ms, got send[1] start -> envelope_sent short at ")
        self.fails_with("    > send[1] body_sent -> done\n", "", 11,
                        "expected nothing more, got send[1] body_sent -> done at ")
        self.fails_with("body_sent -> done\n", "body_sent -> done\n    > send[2] start -> done\n",
                        12, "expected send[2] start -> done, got nothing more")
        self.fails_with("show send, pin", "show send, recv, pin", 17,
                        "expected nothing more, got recv[1] start -> posted at ")

    def test_times(self):
        self.fails_with("[100 ms .. 110 ms]", "[.. 100 ms]", 9,
                        "expected send[1] envelope_sent -> body_sent not after 100.000000 ms, got ")
        self.fails_with("[100 ms .. 110 ms]", "[110 ms ..]", 9,
                        "expected send[1] envelope_sent -> body_sent not before 110.000000 ms, got")
        self.passes(GOOD.replace("[100 ms .. 110 ms]", "[100 ms ..]"))
        self.passes(GOOD.replace("= 3 send[1]", "= 0 [.. 100 ms] send[1]"))
        self.fails_with("= 3 send[1]", "= 3 [.. 100 ms] send[1]", 12,
                        "expected 3 x send[1] not after 100.000000 ms, got 0")

    def test_counts(self):
        self.fails_with("= 3 send[1]", "= 2 send[1]", 12, "expected 2 x send[1], got 3")
        self.fails_with("= 1 wait_body", "= 0 wait_body", 17,
                        "expected 0 x wait_body -> done, got 1")

    def test_at_least(self):
        self.passes(GOOD.replace("= 3 send[1]", "= 3+ send[1]"))
        self.passes(GOOD.replace("= 3 send[1]", "= 2+ send[1]"))
        self.fails_with("= 3 send[1]", "= 4+ send[1]", 12, "expected 4+ x send[1], got 3")
        self.passes("counter VIA bytes = 0+\n" + GOOD)
        self.fails("counter of nothing = 1+\n" + GOOD, 1, "expected counter of nothing = 1+, got 0")

    def test_facts(self):
        deadlock = "status = deadlock\nreason kind = deadlock\n\nrank 0\n    recv from: 1\nrank 1\n"
        deadlock = deadlock.replace("recv from: 1", "recv from: 1, size: 1 B")
        self.passes(deadlock)
        self.passes(deadlock.replace("kind = deadlock", "ranks ~ \"held_by\":\"rank 1\""))
        self.fails(deadlock.replace("kind = deadlock", "kind = lock"), 2,
                   "expected reason kind = lock, got deadlock")
        self.passes(deadlock.replace("kind = deadlock", "kind ~ lock"))
        self.fails(deadlock.replace("status = deadlock\n", ""), 1,
                   "expected status = completed, got deadlock: ")
        self.fails(deadlock.replace("status = deadlock", "status = failed"), 1,
                   "expected status = failed, got deadlock: ")
        self.fails("counter of nothing = 1\n" + GOOD, 1, "expected counter of nothing = 1, got 0")
        lost = GOOD[:GOOD.index("    >")].replace("show send, pin", "set link.drop_nth=[4]") + \
            "rank 1\n    recv from: 0, size: 24 KiB\n"
        self.fails("status = deadlock\nledger = nothing\n" + lost, 2, "expected ledger = nothing")
        self.fails("status = deadlock\nbooks = not balanced\n" + GOOD, 1, "expected status")

    def test_refused(self):
        self.passes("refused ~ is too small\n" + GOOD.replace("sdescs=2", "sdescs=0"))
        self.fails("refused ~ is too small\n" + GOOD, 1, "expected refused ~ is too small, got noth")
        self.fails_with("sdescs=2", "sdescs=0", 1, "expected status = completed, got refused: ")
        self.fails_with("send to: 1", "sent to: 1", 1, "expected status = completed, got refused: ")

    def test_each(self):
        each = "each SIZE = 24 KiB | 24576 B\neach PAUSE = 100 ms | 101 ms\n" + GOOD
        each = each.replace("send to: 1, size: 24 KiB", "send to: 1, size: $SIZE")
        each = each.replace("compute 100 ms", "compute $PAUSE")
        self.passes(each)
        self.fails(each.replace("24576 B\neach", "24575 B\neach"), 9,
                   "expected pin registered 24576 B, references 1, "
                   "got pin registered 24575 B, references 1 at 10")
        self.assertIn(" with SIZE = 24575 B, PAUSE = 101 ms\n",
                      self.run_driver(self.path, code=1))
        self.fails(each.replace("100 ms | 101 ms", "100 ms"), 2, "as many values for each")

    def test_what_can_not_be_read(self):
        for old, new, line, what in (
                ("show send, pin", "sow send, pin", 3, "what is \"sow send, pin\""),
                ("rank 1\n", "rank one\n", 14, "not a rank: \"rank one\""),
                ("rank 1\n", "rank all\n", 16, "what is expected stands below one rank"),
                ("= 3 send[1]", "= send[1]", 12, "= N TEXT says how often"),
                ("= 3 send[1]", "barrier", 12, "an operation stands below a rank, before"),
                ("[100 ms .. 110 ms]", "[100 ms]", 9, "times are written [FROM .. TO]"),
                ("[100 ms .. 110 ms]", "[100 .. 110]", 9, "times are written [FROM .. TO]"),
                ("[100 ms .. 110 ms]", "[100 ms .. 110 ms", 9, "times are written [FROM .. TO]")):
            with self.subTest(new):
                self.fails_with(old, new, line, what)
        self.fails("# nothing\n", 2, "a case has ranks")
        self.assertIn("fail " + str(self.folder / "none.case"),
                      self.run_driver(self.folder / "none.case", code=1))

    def test_places(self):
        self.passes(GOOD + "\nat rank 1\n    = 1 wait_body -> done\n")
        self.fails(GOOD + "\nat rank 1\n    barrier\n", 20, "an operation stands below a rank")
        self.fails(GOOD + "\nat nowhere\n    = 1 send\n", 20, "expected 1 x send, got 0")

    def test_order(self):
        order = GOOD + """
in order
    > rank 1: recv[1] start -> posted
    > [100 ms ..] rank 0: start -> envelope_sent
    > rank 0: body_sent
    > rank 0: body_sent -> done
"""
        self.passes(order)
        self.fails(order.replace("> rank 0: body_sent\n", "> rank 1: recv[1] start -> posted\n"), 22,
                   "expected rank 1: recv[1] start -> posted after these, got nothing like it")
        self.fails(order.replace("[100 ms ..]", "[.. 100 ms]"), 21, "expected rank 0: start")
        self.fails(order.replace("rank 1: recv", "recv"), 20, "in order, a line is > PLACE: TEXT")
        self.fails(order + "    barrier\n", 24, "an operation stands below a rank")
        self.path.write_text(order, encoding="utf-8")
        printed = self.run_driver("--print", self.path)
        self.assertIn(order[order.index("in order"):], printed)
        self.assertEqual(printed.count("envelope_sent -> body_sent"), 1)

    def test_folder(self):
        self.assertIn("expected case files, got none", self.run_driver(self.folder, code=1))
        self.path.write_text(GOOD, encoding="utf-8")
        (self.folder / "an.case").write_text(GOOD, encoding="utf-8")
        self.assertEqual(self.run_driver(self.folder),
                         f"pass {self.folder / 'an.case'}\npass {self.path}\n")
        (self.folder / "an.case").write_text(GOOD.replace("3 send", "4 send"), encoding="utf-8")
        self.assertIn(f"pass {self.path}\n", self.run_driver(self.folder, code=1))

    def test_machine(self):
        """A folder's machine is read from beside the cases."""
        (self.folder / "machine.yaml").write_text("links: [{from: node, to: switch}]\nnic: none\n",
                                                  encoding="utf-8")
        self.fails(GOOD, 1, "expected status = completed, got refused: ")

    def test_print(self):
        """The driver prints the case with what happened, and changes no file."""
        self.path.write_text(GOOD.replace("[100 ms .. 110 ms] ", ""), encoding="utf-8")
        whole = self.path.read_text(encoding="utf-8")
        no_count = whole.replace("    = 3 send[1]\n", "")
        for start in (no_count, no_count.replace("start -> envelope_sent short", "x -> y"),
                      no_count.replace("    > send[1] body_sent -> done\n", "")):
            self.path.write_text(start, encoding="utf-8")
            self.assertEqual(self.run_driver("--print", self.path).splitlines()[:11],
                             whole.splitlines()[:11])
            self.assertEqual(self.path.read_text(encoding="utf-8"), start)
        self.assertRegex(self.run_driver("--print-times", self.path),
                         r"    > send\[1\] body_sent -> done # at 10\d\.\d{6} ms\n")
        self.path.write_text(whole.replace("    > nothing\n", ""), encoding="utf-8")
        self.assertNotIn("nothing", self.run_driver("--print", self.path))
        self.path.write_text("\n".join(line for line in whole.splitlines() if ">" not in line),
                             encoding="utf-8")
        self.assertIn("nothing", self.run_driver("--print", self.path))
        self.path.write_text(GOOD.replace("sdescs=2", "sdescs=0"), encoding="utf-8")
        self.assertEqual(self.run_driver("--print", self.path, code=1), "")

    def test_usage(self):
        self.run_driver(code=2)
        self.run_driver("--print", code=2)
        self.run_driver("--record", self.path, code=2)

    def test_example(self):
        """The example of README.md is a case, and it passes."""
        page = (SOURCE / "tests" / "cases" / "README.md").read_text(encoding="utf-8")
        self.passes(page.split("```\n")[1])

    def test_shipped_cases_say_something(self):
        """No case is without an expectation or a fact of its own."""
        for path in (SOURCE / "tests" / "cases").glob("*/*.case"):
            lines = path.read_text(encoding="utf-8").splitlines()
            says = [line for line in lines if line.startswith(("    > ", "    = ")) or
                    (line[:1] not in ("", " ", "#") and (" = " in line or " ~ " in line)
                     and not line.startswith(("set ", "each ")))]
            self.assertTrue(says, path)


if __name__ == "__main__":
    unittest.main()
