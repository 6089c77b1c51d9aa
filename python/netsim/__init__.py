# SPDX-License-Identifier: GPL-3.0-or-later
"""netsim in notebooks: runs the program and gives what it prints as pandas frames.

    import netsim
    frame = netsim.run("pingpong_cluster1", set={"workload.sizes": ["1 B", "1 KiB"]})
    netsim.curves(frame, "latency_us")                   # a column per series, a row per size
    netsim.plot(frame)                                   # a figure of matplotlib
    netsim.sweep("pingpong_cluster1", set={"link.rate": ["10 Mb/s", "100 Mb/s"]}, seeds=3)

Nothing is computed here: the program is the one that NETSIM names, else netsim in PATH, else the tree that this module lies in. Frames
are long, a value per row with its unit, and frame.attrs has the command, and where its results are.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union

import pandas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Error", "Failed", "curves", "describe", "explain", "plot", "program", "read", "report", "run", "sweep"]

Scenario = Union[str, os.PathLike, Mapping[str, Any]]
Settings = Mapping[str, Any]
TREE = pathlib.Path(__file__).resolve().parents[2]
FAILED = 3  # the exit code of a simulated program that failed: a result


class Error(Exception):
    """The program refused what it was given: str() is its message, `code` its exit code."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


class Failed(Error):
    """The simulated program failed or ended in a deadlock, in every series: str() is the report."""


def program() -> str:
    """The program that is called."""
    named = os.environ.get("NETSIM") or shutil.which("netsim")
    if named:
        return named
    if (TREE / "netsim").exists() and (TREE / "scenarios").is_dir():
        return str(TREE / "netsim")
    raise Error("there is no netsim: set NETSIM, or put it in PATH", 127)


def _call(*arguments: str, allowed: Iterable[int] = (0,), **environment: str) -> subprocess.CompletedProcess:
    done = subprocess.run([program(), *arguments], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env={**os.environ, **environment})
    if done.returncode not in allowed:
        kind = Failed if done.returncode == FAILED else Error
        raise kind(done.stderr.strip() or done.stdout.strip(), done.returncode)
    return done


def _text(value: Any) -> str:
    """A value as after --set PATH=: lists, maps and truth as YAML has them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_text, value)) + "]"
    return str(value)


def _options(set: Settings | None, join: bool = False) -> list[str]:  # pylint: disable=redefined-builtin
    options = []
    for path, value in (set or {}).items():
        values = ",".join(map(_text, value)) if join and isinstance(value, (list, tuple)) else _text(value)
        options += ["--set", f"{path}={values}"]
    return options


@contextlib.contextmanager
def _file_of(scenario: Scenario):
    """The scenario's name or file. A map is written to a file, which YAML reads as JSON."""
    if not isinstance(scenario, Mapping):
        yield os.fspath(scenario)
        return
    with tempfile.TemporaryDirectory(prefix="netsim-") as directory:
        path = pathlib.Path(directory) / f"{scenario.get('name', 'scenario')}.yaml"
        path.write_text(json.dumps(scenario), encoding="utf-8")
        yield str(path)


def _frame(text: str, **attributes: Any) -> pandas.DataFrame:
    frame = pandas.read_csv(io.StringIO(text), dtype={"series": str, "scenario": str, "rank": str})
    if "size" in frame:
        frame["size"] = frame["size"].astype("Int64")
    frame.attrs.update(attributes)
    return frame


def run(scenario: Scenario, *, set: Settings | None = None,  # pylint: disable=redefined-builtin
        series: Sequence[str] = (), seed: int | None = None, draws: int | None = None, out: str | os.PathLike | None = None,
        options: Sequence[str] = ()) -> pandas.DataFrame:
    """Runs a scenario: a name that is shipped, a file, or a map with the keys of a file.

    A row per value: scenario, series, rank, size (bytes), metric, unit, value. With draws: series, rank, size, metric, unit, n, median,
    low and high, the ends of the central 90 % of so many machines that the uncertain constants allow. Results are kept in `out`, or in
    a directory below results/ (frame.attrs["out"]). `options` are further ones of `netsim run`. Raises Error, or Failed if no series
    completed; of several of which some failed, the frame has the others.
    """
    with _file_of(scenario) as file, tempfile.TemporaryDirectory(prefix="netsim-") as scratch:
        directory = os.fspath(out) if out is not None else os.path.join(scratch, "run")
        arguments = ["run", file, "--quiet", "--format", "csv", *_options(set), *options]
        for name in series:
            arguments += ["--series", name]
        if seed is not None:
            arguments += ["--seed", str(seed)]
        if draws is not None:
            arguments += ["--draws", str(draws)]
        else:
            arguments += ["--out", directory]
        done = _call(*arguments, allowed=(0, FAILED))
        frame = _frame(done.stdout, command=[program(), *arguments], out=os.fspath(out) if out is not None else None)
        if done.returncode == FAILED:
            frame.attrs["failed"] = done.stderr.strip()
            if frame.empty or not frame["metric"].str.endswith(("_us", "_s", "_MB_per_s")).any():
                raise Failed(done.stderr.strip() or done.stdout.strip(), FAILED)
        return frame


def sweep(scenario: Scenario, *, set: Settings | None = None,  # pylint: disable=redefined-builtin
          seeds: int | None = None, draws: int | None = None, out: str | os.PathLike | None = None,
          options: Sequence[str] = ()) -> pandas.DataFrame:
    """Runs a scenario at all combinations of the values that `set` lists, and with so many seeds or draws.

    A row per value: the axes, seed, series, status, reason, rank, size, metric, unit, value. Results are kept in the database
    `out`/sweep.sqlite, so that a second call runs only what is missing; without `out` they are not kept.
    """
    with _file_of(scenario) as file, tempfile.TemporaryDirectory(prefix="netsim-") as scratch:
        arguments = ["sweep", file, "--quiet", "--csv", "--out", os.fspath(out) if out is not None else scratch, *_options(set, join=True),
                     *options]
        for option, number in (("--seeds", seeds), ("--draws", draws)):
            if number is not None:
                arguments += [option, str(number)]
        done = _call(*arguments, allowed=(0, FAILED))
        return _frame(done.stdout, command=[program(), *arguments], out=os.fspath(out) if out is not None else None)


def read(path: str | os.PathLike) -> pandas.DataFrame:
    """Opens results: the directory of a run or its results.csv, or that of a sweep or its database (the means over its seeds)."""
    place = pathlib.Path(path)
    if place.is_dir() and (place / "results.csv").exists():
        place = place / "results.csv"
    if place.suffix == ".csv":
        return _frame(place.read_text(encoding="utf-8"), out=str(place))
    return _frame(_call("sweep", "--report", "--format", "csv", str(place)).stdout, out=str(place))


def curves(frame: pandas.DataFrame, metric: str = "latency_us", value: str | None = None) -> pandas.DataFrame:
    """One metric as a table: a row per size (and value of the axes of a sweep), a column per series."""
    value = value or next(name for name in ("value", "median", "mean") if name in frame)
    chosen = frame[(frame["metric"] == metric) & frame[value].notna()]
    if chosen.empty:
        raise Error(f"there is no {metric}; there are {', '.join(sorted(frame['metric'].dropna().unique()))}", 1)
    known = {"scenario", "point", "seed", "draw", "series", "status", "reason", "runs", "completed", "rank", "size", "metric", "unit", "value", "n",
             "mean", "median", "low", "high", "half_width", "sd", "min", "max"}
    axes = [name for name in frame.columns if name not in known and chosen[name].nunique() > 1]
    table = chosen.pivot_table(index=[*axes, "size"] if chosen["size"].notna().any() else axes or ["rank"], columns="series", values=value,
                               aggfunc="mean", sort=False)
    table.attrs["unit"] = chosen["unit"].iloc[0]
    return table


def plot(*sources: Union[pandas.DataFrame, str, os.PathLike], options: Sequence[str] = ()) -> "Figure":
    """The picture of `netsim plot` as a figure of matplotlib: of frames of run() or read(), scenarios, directories, CSV of measured points."""
    with tempfile.TemporaryDirectory(prefix="netsim-") as scratch:
        names = []
        for number, source in enumerate(sources):
            if isinstance(source, pandas.DataFrame):
                name = os.path.join(scratch, f"{number + 1}.csv")
                source.to_csv(name, index=False)
                names.append(name)
            else:
                names.append(os.fspath(source))
        # In the place of Python: keeps the document that it would draw, and the drawing program's path.
        keeper, kept, drawer = (os.path.join(scratch, name) for name in ("keeper", "document", "drawer"))
        with open(keeper, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\ncase $* in -c*) exit 0 ;; esac\nfor word; do case $word in *.py) printf "%s" "$word" >"$NETSIM_DRAWER" ;; esac; done\ncat >"$NETSIM_DOCUMENT"\n')
        os.chmod(keeper, 0o755)
        _call("plot", *names, "--out", os.path.join(scratch, "picture.svg"), *options, NETSIM_PYTHON=keeper, NETSIM_DRAWER=drawer,
              NETSIM_DOCUMENT=kept)
        with open(kept, encoding="utf-8") as file:
            document = json.load(file)
        with open(drawer, encoding="utf-8") as file:
            folder = os.path.dirname(file.read())
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("draw").draw(document)
    finally:
        sys.path.remove(folder)


def report(*results: Union[str, os.PathLike], out: str | os.PathLike) -> str:
    """Writes runs and sweeps (directories, databases) as one page of HTML; its path."""
    _call("report", *map(os.fspath, results), "--out", os.fspath(out), "--quiet")
    return os.fspath(out)


def explain(scenario: Scenario, size: int | str | None = None, *, series: str | None = None,
            set: Settings | None = None, options: Sequence[str] = ()) -> pandas.DataFrame:  # pylint: disable=redefined-builtin
    """Where the time of a message goes: the rows of `netsim explain --format csv`."""
    with _file_of(scenario) as file:
        arguments = ["explain", file, "--format", "csv", *_options(set), *options]
        for option, given in (("--size", size), ("--series", series)):
            if given is not None:
                arguments += [option, str(given)]
        return _frame(_call(*arguments).stdout, command=[program(), *arguments])


def describe(word: str) -> str:
    """What `netsim describe WORD` prints of a parameter, a section, a stack."""
    return _call("describe", word).stdout
