#!/usr/bin/env python3
"""tests/run_suite.py over a build of a few tests that hold, do not, or are skipped: what it ends with
and what it says. tests/support/run_script.py over scripts that skip."""

import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
RUN_SUITE = os.path.join(SOURCE, "tests/run_suite.py")
RUN_SCRIPT = os.path.join(SOURCE, "tests/support/run_script.py")
CASES = """\
import unittest
class Both(unittest.TestCase):
    def test_one(self):
        {body}
    def test_other(self):
        pass
unittest.main()
"""
SKIPS = 'self.skipTest("no such thing")'
# What does not hold is worse than what was not looked at.
SKIPS_AND_FAILS = CASES.format(body=SKIPS).replace("        pass\n", "        self.fail()\n")


class Directory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-suite-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as file:
            return file.read()

    def run_python(self, *arguments):
        done = subprocess.run([sys.executable, *arguments], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout


class Script(Directory):
    def test_ends(self):
        for text, code, said in ((CASES.format(body="pass"), 0, None),
                                 (CASES.format(body="self.fail()"), 1, None),
                                 (CASES.format(body=SKIPS), 77, "skipped: no such thing\n"),
                                 (SKIPS_AND_FAILS, 1, "skipped: no such thing\n"),
                                 ("import sys\nsys.exit('wrong')", 1, None),
                                 ("raise ModuleNotFoundError(name='yaml')", 77,
                                  "skipped: python3-yaml is not installed\n"),
                                 ("import no_such_module", 1, None)):
            with self.subTest(text):
                ended, output = self.run_python(RUN_SCRIPT, self.write("test.py", text))
                self.assertEqual(ended, code, output)
                if said:
                    self.assertTrue(output.endswith(said), output)
                else:
                    self.assertNotIn("skipped: ", output)

    def test_modules_of_its_directory(self):
        self.write("beside.py", "NUMBER = 17")
        script = self.write("test.py", "import sys, beside\nprint(beside.NUMBER, sys.argv[1:])")
        self.assertEqual(self.run_python(RUN_SCRIPT, script, "-k", "x"), (0, "17 ['-k', 'x']\n"))


class Suite(Directory):
    def suite(self, *options, **tests):
        """Runs a build whose tests are these shell commands, each with its name as a label."""
        lines = []
        for name, command in tests.items():
            lines += [f'add_test({name} "sh" "-c" "{command}")',
                      f"set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77 LABELS of_{name})"]
        self.write("CTestTestfile.cmake", "\n".join(lines))
        return self.run_python(RUN_SUITE, self.directory, *(options or ("--all",)))

    def test_all_hold(self):
        code, output = self.suite("--all", "--none-skipped", one="echo hidden", other=":")
        self.assertEqual(code, 0, output)
        self.assertNotIn("hidden", output)
        self.assertRegex(output, r"The slowest of 2 tests:\n\n(.*\n)*one +\d+\.\d s  of_one\n")
        # ctest's closing lines come last.
        self.assertRegex(output, r"s\n\n100% tests passed, 0 tests failed out of 2\n(.*\n)*"
                                 r"Total Test time \(real\) = .* sec\n\Z")
        self.assertTrue(os.path.exists(os.path.join(self.directory, "tests.xml")))

    def build_property(self, *options, **tests):
        """The property netsim.build of the results that stay, or None."""
        self.suite(*options, **tests)
        root = ElementTree.parse(os.path.join(self.directory, "tests.xml")).getroot()
        found = [one.get("value") for one in root.findall("properties/property")
                 if one.get("name") == "netsim.build"]
        return found[0] if found else None

    def test_the_results_name_the_build(self):
        """By what the program's sources are known by, so that validate takes no others for its own."""
        self.assertIsNone(self.build_property(one=":"))
        self.write("source_id.c", '// Made.\nconst char campaign_source_id[] = "0123456789abcdef";\n')
        self.assertEqual(self.build_property(one=":", other="echo '\\001 <'; exit 1"),
                         "0123456789abcdef")
        root = ElementTree.parse(os.path.join(self.directory, "tests.xml")).getroot()
        self.assertEqual({case.get("name"): case.get("status") for case in root.iter("testcase")},
                         {"one": "run", "other": "fail"})

    def test_one_fails(self):
        code, output = self.suite(one=":", other="echo the reason; exit 1")
        self.assertNotEqual(code, 0)
        self.assertIn("the reason\n", output)
        self.assertRegex(output, r"50% tests passed(.*\n)*The following tests FAILED:\n.*other")

    def test_skipped(self):
        lacking = "echo skipped: no tshark; exit 77"
        code, output = self.suite(one=":", other=lacking)
        self.assertEqual(code, 0, output)
        self.assertIn("\nSkipped, in whole or in part:\n\nother: no tshark\n", output)
        code, output = self.suite("--all", "--none-skipped", one=":", other=lacking)
        self.assertEqual(code, 1)
        self.assertTrue(output.endswith("\nSkipped, which is not allowed here: other\n"), output)

    def test_skipped_without_a_reason(self):
        code, output = self.suite("--all", "--none-skipped", one=":", other="exit 77")
        self.assertEqual(code, 1)
        self.assertIn("other: no reason is given\n", output)

    def test_skipped_for_want_of_root(self):
        code, output = self.suite("--all", "--none-skipped", one=":",
                                  other="echo skipped: needs root: no mount; exit 77")
        self.assertEqual(code, 1 if os.geteuid() == 0 else 0, output)
        self.assertIn("other: needs root: no mount\n", output)

    def test_sizes(self):
        """Without options the quick tests run, with --all every test, and a choice is of all tests."""
        tests = {"of_quick": ":", "of_slow": ":"}
        for options, ran in (((), 1), (("--none-skipped",), 1), (("-j", "2"), 1), (("--all",), 2),
                             (("--all", "--none-skipped"), 2), (("-R", "slow"), 1), (("-L", "slow"), 1),
                             (("--tests-regex=of_",), 2)):
            with self.subTest(options):
                self.write("CTestTestfile.cmake", "".join(
                    f'add_test({name} "sh" "-c" "{command}")\n'
                    f'set_tests_properties({name} PROPERTIES LABELS {label})\n'
                    for (name, command), label in zip(tests.items(), ("fast", "slow"))))
                code, output = self.run_python(RUN_SUITE, self.directory, *options)
                self.assertEqual(code, 0, output)
                self.assertIn(f" tests failed out of {ran}\n", output)
                quick = not any(option in str(options) for option in ("--all", "-R", "-L", "regex"))
                self.assertEqual("./netsim test --all" in output, quick, output)

    def test_resume(self):
        """What has passed for this build is not run again, and stays in the results."""
        self.write("source_id.c", 'const char campaign_source_id[] = "0123456789abcdef";\n')
        count = f"echo x >>{self.directory}/ran"
        code, _ = self.suite(one=count, other="exit 1", third="exit 77")
        self.assertNotEqual(code, 0)
        code, output = self.suite("--all", "--resume", one=count, other=count, third=count)
        self.assertEqual(code, 0, output)
        self.assertIn("1 tests have passed for this build and are not run again.\n", output)
        self.assertIn(" tests failed out of 2\n", output)
        self.assertEqual(self.read("ran"), 3 * "x\n")
        root = ElementTree.parse(os.path.join(self.directory, "tests.xml")).getroot()
        self.assertEqual({case.get("name"): case.get("status") for case in root.iter("testcase")},
                         {"one": "run", "other": "run", "third": "run"})
        self.assertEqual(self.suite("--all", "--resume", one=count, other=count, third=count)[0], 0)
        self.assertEqual(self.read("ran"), 3 * "x\n")
        self.write("source_id.c", 'const char campaign_source_id[] = "another";\n')
        code, output = self.suite("--all", "--resume", one=count, other=count, third=count)
        self.assertEqual(self.read("ran"), 6 * "x\n")

    def test_none_ran(self):
        code, _ = self.suite("-R", "nothing", one=":")
        self.assertNotEqual(code, 0)

    def test_options(self):
        code, output = self.suite("-L", "of_other", one="exit 1", other=":")
        self.assertEqual(code, 0, output)
        self.assertIn("100% tests passed, 0 tests failed out of 1", output)
        code, output = self.suite("--all", "-N", one="exit 1")
        self.assertEqual(code, 0, output)
        self.assertIn("Total Tests: 1", output)
        self.assertNotIn("slowest", output)


if __name__ == "__main__":
    unittest.main()
