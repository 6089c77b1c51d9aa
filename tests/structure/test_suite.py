#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/run_suite.py over a build of a few tests that hold, do not, or are skipped: its exit code and its output.
tests/support/run_script.py over scripts that skip."""

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
# A failure weighs more than a skip.
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
        """A test that has passed for this build is not run again, and stays in the results."""
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

    def test_failed(self):
        """A test that failed in the last run is run again, quick or not, and one that passed for this build is kept."""
        self.write("source_id.c", 'const char campaign_source_id[] = "0123456789abcdef";\n')
        count = f"echo x >>{self.directory}/ran"
        tests = {"one": count, "other": f"{count}; test -e {self.directory}/mended", "third": "exit 77"}
        self.assertNotEqual(self.suite(**tests)[0], 0)
        code, output = self.suite("--failed", **tests)
        self.assertNotEqual(code, 0, output)
        self.assertIn("1 test failed in the last run.\n", output)
        self.assertIn(" tests failed out of 1\n", output)
        self.write("mended", "")
        self.assertEqual(self.suite("--failed", **tests)[0], 0)
        self.assertEqual(self.read("ran"), 4 * "x\n")
        root = ElementTree.parse(os.path.join(self.directory, "tests.xml")).getroot()
        self.assertEqual({case.get("name") for case in root.iter("testcase")}, {"one", "other"})
        code, output = self.suite("--failed", **tests)
        self.assertEqual((code, output), (0, "0 tests failed in the last run.\nNo test is to be run.\n"))

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


class Changed(Directory):
    """A clone of a small tree, with the objects that ninja knows and tests that hold."""
    SOURCES = {
        "sim/core/time.h": [], "sim/net/link.h": [], "sim/net/link.c": ["sim/net/link.h", "sim/core/time.h"],
        "models/tcp/tcp.c": ["sim/core/time.h"], "models/openmpi/btl.c": [],
        "tests/net/test_link.c": ["sim/net/link.h", "tests/support/wire.h"],
        "tests/tcp/test_socket.c": ["sim/core/time.h"], "tests/support/wire.h": [],
    }
    TESTS = {"test_net_link": "net", "test_tcp_socket": "tcp", "test_cases_openmpi": "cases",
             "test_cases_grim": "cases", "check_calls": "structure", "test_docs_page.py": "docs"}
    FILES = {
        "models/openmpi/model.c": '.name = "openmpi", .stands_on = (const char *const[]){"tcp", NULL},\n',
        "models/grim/model.c": '.name = "grim", .stands_on = (const char *const[]){NULL},\n',
        "tests/cases/grim/a.case": "", "docs/page.md": "", "CMakeLists.txt": "", ".gitignore": "build\n",
    }

    def setUp(self):
        super().setUp()
        for path in ("tests/run_suite.py", "tests/changed.py", "tests/structure/check_includes.py"):
            with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
                self.put(path, file.read())
        for path, text in self.FILES.items():
            self.put(path, text)
        rules = ["rule cc", "  command = printf '$out: %s' '$headers' >$out.d && touch $out", "  deps = gcc",
                 "  depfile = $out.d"]
        for path, headers in self.SOURCES.items():
            self.put(path, "")
            if path.endswith(".c"):
                of = "netsim_lib" if not path.startswith("tests/") else "tests"
                rules += [f"build {of}.dir/{path}.o: cc", f"  headers = ../{' ../'.join([path] + headers)}"]
        self.put("build/build.ninja", "\n".join(rules) + "\n")
        self.put("build/CTestTestfile.cmake", "".join(
            f'add_test({name} "true")\nset_tests_properties({name} PROPERTIES LABELS "{label};fast")\n'
            for name, label in self.TESTS.items()))
        subprocess.run(["ninja", "--quiet", "-C", os.path.join(self.directory, "build")], check=True)
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "All")

    def put(self, path, text):
        os.makedirs(os.path.dirname(os.path.join(self.directory, path)), exist_ok=True)
        self.write(path, text)

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.directory, *arguments], check=True, stdout=subprocess.DEVNULL)

    def suite(self, *options):
        return self.run_python(os.path.join(self.directory, "tests/run_suite.py"),
                               os.path.join(self.directory, "build"), "--changed", *options)

    def chosen(self, *paths):
        """The tests that are run after a change of these files."""
        for path in paths:
            self.put(path, "changed\n")
        code, output = self.suite()
        self.assertEqual(code, 0, output)
        self.git("checkout", "--quiet", "--", ".")
        self.git("clean", "-f", "-d", "--quiet")
        return {name for name in self.TESTS if f": {name} " in output}, output

    def test_nothing(self):
        self.assertEqual(self.suite()[1], "--changed: nothing differs from the upstream.\nNo test is to be run.\n")

    def test_sources(self):
        for path, tests in (("sim/net/link.c", {"test_net_link", "check_calls"}),
                            ("sim/net/link.h", {"test_net_link", "check_calls"}),
                            # tcp.c includes it, and Open MPI stands on tcp.
                            ("sim/core/time.h", {"test_tcp_socket", "test_cases_openmpi", "check_calls"}),
                            ("models/tcp/tcp.c", {"test_tcp_socket", "test_cases_openmpi", "check_calls"}),
                            ("models/openmpi/btl.c", {"test_cases_openmpi", "check_calls"})):
            with self.subTest(path):
                self.assertEqual(self.chosen(path)[0], tests)

    def test_other_files(self):
        for path, tests in (("tests/tcp/test_socket.c", {"test_tcp_socket"}),
                            ("tests/support/wire.h", {"test_net_link"}),
                            ("tests/cases/grim/a.case", {"test_cases_grim"}),
                            ("tests/tcp/helper.h", {"test_tcp_socket"}),
                            ("docs/page.md", {"test_docs_page.py"})):
            with self.subTest(path):
                self.assertEqual(self.chosen(path)[0], tests)

    def test_several(self):
        found, output = self.chosen("docs/page.md", "tests/cases/grim/a.case")
        self.assertEqual(found, {"test_docs_page.py", "test_cases_grim"})
        self.assertIn("--changed: docs/page.md: 1 test\n", output)

    def test_all(self):
        found, output = self.chosen("CMakeLists.txt", "docs/page.md")
        self.assertEqual(found, set(self.TESTS))
        self.assertIn("--changed: CMakeLists.txt may concern every test: all quick tests are run.\n", output)

    def test_targets(self):
        self.put("docs/page.md", "changed\n")
        self.assertEqual(self.suite("--targets"), (0, "netsim\n"))
        self.put("CMakeLists.txt", "changed\n")
        self.assertEqual(self.suite("--targets"), (0, "all\n"))

    def test_targets_of_named_tests(self):
        """What those that an option of ctest chooses run; all for one that is not known yet."""
        self.put("build/tests_net", "")
        self.put("build/CTestTestfile.cmake", f'add_test(test_net_link "{self.directory}/build/tests_net" "link")\n'
                 f'add_test(test_net_route "{self.directory}/build/tests_net" "route")\nadd_test(test_cli "true")\n'
                 f'add_test(test_unbuilt "{self.directory}/build/tests_unbuilt" "it")\n')
        for options, targets in ((["-R", "net_"], "tests_net"), (["-R", "^test_cli$"], "netsim"),
                                 (["-R", "cli|route"], "netsim tests_net"),
                                 (["-R", "new"], "all"), (["-R", "unbuilt|route"], "all"), (["--all"], "all"), ([], "all")):
            with self.subTest(options):
                self.assertEqual(self.run_python(os.path.join(self.directory, "tests/run_suite.py"),
                                                 os.path.join(self.directory, "build"), "--targets", *options),
                                 (0, targets + "\n"))


if __name__ == "__main__":
    unittest.main()
