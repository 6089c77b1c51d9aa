# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of the tests of `netsim sweep`: scenarios of a few milliseconds, and the contents of a database."""

import csv
import io
import json
import sqlite3
import subprocess
import time

from harness import Case, NETSIM

# A point takes a few milliseconds.
QUICK = """\
schema: 1
name: quick
testbed: testbeds/cluster1.yaml
stack: lam_via
workload: {benchmark: pmb.pingpong, sizes: [4 B, 4 KiB, 16 KiB], repetitions: 3}
"""
# Takes some tenths of a second, long enough for an interruption.
SLOW = QUICK.replace("name: quick", "name: slow").replace(
    "[4 B, 4 KiB, 16 KiB], repetitions: 3", "1 MiB, repetitions: 300, steady: false")

# There is no flow control: 20 messages do not fit 8 receive descriptors (via.empty_rq).
FLOOD = """\
schema: 1
name: flood
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - ranks: 0
      do:
        - loop: {count: 20, do: [{send: {to: 1, size: 4 B, tag: 1}}]}
    - ranks: 1
      do:
        - compute: 50 ms
        - loop: {count: 20, do: [{recv: {from: 0, size: 4 B, tag: 1}}]}
"""
TINY = ("--set", "lam_via.tiny=1 KiB,2 KiB,4 KiB")
SHORT = ("--set", "lam_via.short=4 KiB,32 KiB")


def content(path):
    """All rows of a database, table by table."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [row[0] for row in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {table: sorted(database.execute(f"SELECT * FROM {table}"), key=repr)
                for table in tables}
    finally:
        database.close()


def count(path):
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return database.execute("SELECT count(*) FROM results").fetchone()[0]
        finally:
            database.close()
    except sqlite3.Error:
        return 0


class SweepCase(Case):
    def setUp(self):
        super().setUp()
        self.write("quick.yaml", QUICK)
        self.write("slow.yaml", SLOW)
        self.write("flood.yaml", FLOOD)

    def sweep(self, *arguments, **options):
        return self.netsim("sweep", *arguments, **options)

    def rows(self, where):
        return list(csv.DictReader(io.StringIO(self.sweep("--report", where, "--csv").stdout)))

    def report(self, where, code=0):
        return json.loads(self.sweep("--report", where, "--format", "json", code=code).stdout)

    def start(self, *arguments):
        child = subprocess.Popen([NETSIM, "sweep", *arguments], cwd=self.directory,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        return child

    def wait_for(self, condition, child):
        for _ in range(3000):
            if condition():
                return
            if child.poll() is not None:
                self.fail("the sweep ended too early: " + child.stderr.read())
            time.sleep(0.02)
        self.fail("waited in vain")
