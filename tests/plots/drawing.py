#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs scripts of plots/ in processes that have matplotlib from the one that forks them: loading it takes longer than
drawing a picture.

    drawing.py    for each list of words in JSON, a line of stdin, runs the script that is the first word with the others,
                  and prints {"code": exit code, "stderr": text}
"""

import atexit
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback


class Drawing:
    """The process that forks, started with the first script."""

    def __init__(self, python):
        self.command = [python, "-B", "-W", "error::UserWarning", os.path.abspath(__file__)]
        self.process = None

    def run(self, *words):
        """Returns the exit code and what was printed on stderr."""
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            atexit.register(self.close)
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        done = json.loads(self.process.stdout.readline())
        return done["code"], done["stderr"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def child(words, stderr):
    """As `python WORD ...`; returns the exit code."""
    os.dup2(stderr, 2)
    os.dup2(2, 1)
    sys.argv = words
    sys.path.insert(0, os.path.dirname(words[0]))
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
        return 1
    return 0


def serve():
    os.environ.setdefault("MPLBACKEND", "Agg")  # as plots/style.py does
    for name in ("figure", "lines", "colors", "ticker", "font_manager", "backends.backend_agg", "backends.backend_svg"):
        importlib.import_module("matplotlib." + name)
    for line in sys.stdin:
        with tempfile.TemporaryFile() as stderr:
            process = os.fork()
            if process == 0:
                code = child(json.loads(line), stderr.fileno())
                sys.stderr.flush()
                os._exit(code)
            _, status = os.waitpid(process, 0)
            stderr.seek(0)
            print(json.dumps({"code": os.waitstatus_to_exitcode(status), "stderr": stderr.read().decode()}), flush=True)


if __name__ == "__main__":
    serve()
