# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the tree, built with a shared library; tests, and which of them execute which line.

    WORK/tree           the copy
    WORK/plain          its build, in which each test is known to pass
    WORK/sanitized      the same with the sanitizers, for mutants that the plain build lets live
    WORK/counting       its build for gcov
    WORK/coverage.json  functions and lines of each file: the tests that execute them
    WORK/slot*          the mutant that is being run
"""

import hashlib
import json
import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

SKIPPED = {"tests", "bench"}  # what is executed there is of no interest
# These build a tree of their own and would see the mutant's library only by accident, or read no code.
BUILDERS = ("test_docs_adding_a_fabric", "test_campaign_source_id", "test_mutation_", "check_",
            "test_structure_")
SKIPPED_CASES = 77  # what a test returns that could not do all it wants
FILES = 2 << 30
# Workers leave by _exit(), which writes no counts.
COUNT_AT_EXIT = """\
void __gcov_dump(void);
__attribute__((noreturn)) void _Exit(int);
__attribute__((weak, noreturn)) void counted_exit(int status);
void counted_exit(int status)
{
    __gcov_dump();
    _Exit(status);
}
#define _exit counted_exit
"""


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def run(command: list, **options) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"mutate: {shlex.join(map(str, command))} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def test_ended(command: list, environment: dict, where, limit: float, memory: int) -> str:
    """pass (or skipped), fail or hang. What the test started ends with it.

    A process may take `limit` seconds of a processor, however many share it; a test that waits, five times that."""
    def bounds():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILES, FILES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    child = subprocess.Popen(command, env=environment, cwd=where, preexec_fn=bounds, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return "pass" if child.wait(timeout=5 * limit) in (0, SKIPPED_CASES) else "fail"
    except subprocess.TimeoutExpired:
        return "hang"
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()


class Laboratory:
    BUILD = "plain"
    FLAGS = "-O2 -fno-semantic-interposition"  # one compilation is run, and compared with the original's
    OPTIONS: tuple = ()
    MEMORY = 6 << 30
    SLOWDOWN = 1  # of the tests, against the build in which they were measured

    def __init__(self, source: pathlib.Path, work: pathlib.Path):
        self.source, self.work = source, work
        self.tree, self.plain, self.counting = work / "tree", work / self.BUILD, work / "counting"
        self.timings, self.originals = work / f"timings-{self.BUILD}.json", work / f"originals-{self.BUILD}"
        self.slot = work / f"slot{os.getpid()}"

    # ---- The copy ----

    def source_files(self) -> list:
        if (self.source / ".git").exists():
            listed = run(["git", "-C", str(self.source), "ls-files", "-co", "--exclude-standard"]).splitlines()
        else:
            listed = [str(path.relative_to(self.source)) for path in self.source.rglob("*")]
        return [name for name in listed if (self.source / name).is_file() and not name.startswith("build")]

    def copy(self):
        """Brings the copy up to date; what has not changed keeps its time."""
        names = self.source_files()
        for name in names:
            there, here = self.source / name, self.tree / name
            if here.exists() and here.read_bytes() == there.read_bytes():
                continue
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(there, here)
        for path in list(self.tree.rglob("*")):
            if path.is_file() and str(path.relative_to(self.tree)) not in set(names):
                path.unlink()

    # ---- Builds ----

    def configure(self, build: pathlib.Path, flags: str, options: tuple):
        if not (build / "build.ninja").exists():
            run(["cmake", "-S", str(self.tree), "-B", str(build), "-G", "Ninja", "-DNETSIM_SHARED=ON",
                 "-DNETSIM_UNITY=OFF", *options, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=", f"-DCMAKE_C_FLAGS={flags}",
                 "-DCMAKE_SKIP_RPATH=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])

    def build(self):
        self.configure(self.plain, self.FLAGS, self.OPTIONS)
        run(["ninja", "-C", str(self.plain)])
        self.commands = {}
        for entry in json.loads((self.plain / "compile_commands.json").read_text()):
            name = os.path.relpath(entry["file"], self.tree)
            self.commands[name] = entry
        self.library = next(self.plain.glob("libnetsim_lib.so"))
        last = run(["ninja", "-C", str(self.plain), "-t", "commands", self.library.name]).splitlines()[-1]
        self.link = [word for word in shlex.split(last.split("&&")[1])]
        if shutil.which("ld.lld"):
            self.link.append("-fuse-ld=lld")
        self.tests = self.find_tests()

    def find_tests(self) -> dict:
        listed = json.loads(run(["ctest", "--test-dir", str(self.plain), "--show-only=json-v1"]))
        tests = {}
        for test in listed["tests"]:
            properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
            if not test["name"].startswith(BUILDERS):
                tests[test["name"]] = {"command": test["command"] + self.stops_at_first(test["command"][-1]),
                                       "rooms": properties.get("LABELS", []),
                                       "environment": dict(entry.split("=", 1)
                                                           for entry in properties.get("ENVIRONMENT", []))}
        return tests

    @staticmethod
    def stops_at_first(script: str) -> list:
        return ["-f"] if script.endswith(".py") and "unittest.main()" in pathlib.Path(script).read_text() else []

    def environment(self, name: str, library: pathlib.Path) -> dict:
        return {**os.environ, **self.tests[name]["environment"], "LD_LIBRARY_PATH": str(library),
                "PYTHONDONTWRITEBYTECODE": "1"}

    # ---- What executes what ----

    def identity(self, name: str) -> str:
        """A test's own text: of the file or the folder that its command or its name leads to."""
        command = self.tests[name]["command"]
        files = [word for word in command if word.startswith(f"{self.tree}/tests/{name[5:].split('_')[0]}")]
        if command[0].startswith(str(self.plain)):
            room = self.tests[name]["rooms"][0]
            files = [word for word in command[1:] if os.path.isdir(word)] or \
                [f"{self.tree}/tests/{room}/test_{name.removeprefix(f'test_{room}_')}.c"]
        if files and os.path.isdir(files[0]):  # of case files
            return digest(b"".join(path.read_bytes() for path in sorted(pathlib.Path(files[0]).iterdir())))
        return digest(pathlib.Path(files[0]).read_bytes()) if files and os.path.isfile(files[0]) else ""

    def measure(self):
        """Runs every test once, for gcov."""
        header = self.work / "count_at_exit.h"
        header.write_text(COUNT_AT_EXIT)
        self.configure(self.counting, f"-O1 --coverage -include {header}", ())
        run(["ninja", "-C", str(self.counting)])
        files: dict = {}
        times: dict = {}
        for i, name in enumerate(self.tests):
            started = time.monotonic()
            command = [word.replace(str(self.plain), str(self.counting)) for word in self.tests[name]["command"]]
            environment = {key: value.replace(str(self.plain), str(self.counting))
                           for key, value in self.environment(name, self.counting).items()}
            ended = test_ended(command, environment, self.tree, 900, self.MEMORY)
            times[name] = round(time.monotonic() - started, 2)
            self.count(name, files)
            print(f"measured {i + 1} of {len(self.tests)}: {name} {ended}, {times[name]} s", flush=True)
        hashes = {name: digest((self.tree / name).read_bytes()) for name in files}
        tests = {name: self.identity(name) for name in self.tests}
        (self.work / "coverage.json").write_text(
            json.dumps({"tests": tests, "times": times, "hashes": hashes, "files": files}))

    def count(self, test: str, files: dict):
        """Adds what a test has executed to files[name] = {functions, lines: {what: [tests]}}."""
        counts = [str(path) for path in self.counting.rglob("*.gcda")]
        if not counts:
            return
        texts = run(["gcov", "--json-format", "--stdout", *counts], cwd=self.counting).splitlines()
        for text in texts:
            for file in json.loads(text)["files"]:
                name = os.path.relpath(os.path.join(self.counting, file["file"]), self.tree)
                if name.startswith("..") or name.split("/")[0] in SKIPPED:
                    continue
                entry = files.setdefault(name, {"functions": {}, "lines": {}})
                for kind, key, number, listed in (("functions", "name", "execution_count", file["functions"]),
                                                  ("lines", "line_number", "count", file["lines"])):
                    for item in listed:
                        known = entry[kind].setdefault(str(item[key]), [])
                        if item[number] and test not in known[-1:]:
                            known.append(test)
        for path in counts:
            os.unlink(path)

    def load_coverage(self):
        path = self.work / "coverage.json"
        if not path.exists():
            self.measure()
        self.coverage = json.loads(path.read_text())
        self.new_tests = [name for name in self.tests if self.coverage["tests"].get(name) != self.identity(name)]

    def tests_of(self, name: str, line: int, function: str) -> list:
        """The tests that execute a line. In a file that has changed since they were measured: its function.
        Tests that are new or have changed are taken for what their room has, and scripts, which run the program,
        for everything."""
        entry = self.coverage["files"].get(name, {"functions": {}, "lines": {}})
        if self.coverage["hashes"].get(name) == digest((self.tree / name).read_bytes()):
            before = [int(known) for known in entry["lines"] if int(known) <= line]
            found = entry["lines"][str(max(before))] if before else []
        else:
            found = entry["functions"].get(function, [test for tests in entry["functions"].values() for test in tests])
        room = pathlib.Path(name).parent.name
        return [test for test in self.tests if test in found or (test in self.new_tests and (
            room in self.tests[test]["rooms"] or test.endswith((".py", ".sh"))))]

    # ---- How long tests take ----

    def expected_time(self, name: str) -> float:
        """Of the original. If the test has not run alone yet, as it was measured; it may not pass at all."""
        measured = self.coverage["times"].get(name, 1) * self.SLOWDOWN
        return self.known_times().get(f"{name} {self.identity(name)}") or measured

    def known_times(self) -> dict:
        return json.loads(self.timings.read_text()) if self.timings.exists() else {}

    def passes(self, name: str) -> bool:
        """Without a mutant: the test is run for it, once."""
        times, key = self.known_times(), f"{name} {self.identity(name)}"
        if key not in times:
            started = time.monotonic()
            ended = self.run_test(name, self.plain, 900)
            times[key] = time.monotonic() - started if ended == "pass" else 0
            if ended != "pass":
                print(f"{name} does not pass without a mutant: it is left out", flush=True)
            new = self.timings.with_suffix(f".{os.getpid()}")
            new.write_text(json.dumps({**self.known_times(), key: times[key]}, indent=1))
            new.rename(self.timings)
        return times[key] > 0

    def run_test(self, name: str, library: pathlib.Path, limit: float) -> str:
        return test_ended(self.tests[name]["command"], self.environment(name, library), self.tree, limit, self.MEMORY)

    # ---- A mutant ----

    def compile(self, name: str, file: str, text: str, output: pathlib.Path) -> bool:
        """Compiles source `name` with `text` in place of the source or header `file`."""
        entry = self.commands[name]
        words = shlex.split(entry["command"])
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        with_argument = ("-c", "-o", "-MF", "-MT")
        keep = [word for i, word in enumerate(words)
                if word not in with_argument and word != "-MD" and not word.startswith("-W")
                and (i == 0 or words[i - 1] not in with_argument)]
        overlay = output.parent / "include"
        path = overlay / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if file != name else "")
        own = text if file == name else (self.tree / name).read_text()
        command = [keep[0], f"-I{overlay}", *keep[1:], "-w", "-Werror=incompatible-pointer-types",
                   "-Werror=int-conversion", "-x", "c", "-", "-c", "-o", str(output)]
        done = subprocess.run(command, input=f'# 1 "{self.tree / name}"\n{own}', cwd=entry["directory"], text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        path.unlink()
        return done.returncode == 0

    def users(self, header: str) -> list:
        """The library's sources that include a header."""
        found, source = [], None
        for line in run(["ninja", "-C", str(self.plain), "-t", "deps"]).splitlines():
            if not line.startswith(" "):
                source = None
                if line.startswith("CMakeFiles/netsim_lib.dir/"):
                    source = line.split(":")[0].removeprefix("CMakeFiles/netsim_lib.dir/").removesuffix(".o")
            elif source and os.path.normpath(self.plain / line.strip()) == str(self.tree / header):
                found.append(source)
        return [name for name in found if name in self.commands]

    def make(self, file: str, text: str) -> str:
        """made (the slot has the library), equivalent or broken."""
        slot = self.slot
        shutil.rmtree(slot, ignore_errors=True)
        slot.mkdir(parents=True)
        link, differs = list(self.link), False
        for i, name in enumerate([file] if file in self.commands else self.users(file)):
            mine, original = slot / f"{i}.o", self.originals / f"{digest((name + file).encode())}.o"
            if not self.compile(name, file, text, mine):
                return "broken"
            texts = (self.tree / name).read_bytes() + (self.tree / file).read_bytes()
            stamp = original.with_suffix("." + digest(texts))
            if not stamp.exists():
                original.parent.mkdir(exist_ok=True)
                self.compile(name, file, (self.tree / file).read_text(), original)
                stamp.touch()
            differs = differs or mine.read_bytes() != original.read_bytes()
            object_name = f"CMakeFiles/netsim_lib.dir/{name}.o"
            if object_name not in self.link:
                return "broken" # not of the library: no test would run it
            link = [str(mine) if word == object_name else word for word in link]
        if not differs:
            return "equivalent"
        link[link.index("-o") + 1] = str(slot / self.library.name)
        done = subprocess.run(link, cwd=self.plain, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return "made" if done.returncode == 0 else "broken"


class Sanitized(Laboratory):
    """Sees what a mutant reads and writes where it must not, and what it leaks."""
    BUILD = "sanitized"
    FLAGS = "-O1 -g"
    OPTIONS = ("-DNETSIM_SANITIZE=ON",)
    MEMORY = resource.RLIM_INFINITY  # of addresses, which the sanitizer takes for its shadow
    SLOWDOWN = 5

    def environment(self, name: str, library: pathlib.Path) -> dict:
        return {"ASAN_OPTIONS": f"hard_rss_limit_mb={Laboratory.MEMORY >> 20}", **super().environment(name, library)}
