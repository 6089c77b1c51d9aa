#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many messages, bytes and collectives the NAS Parallel Benchmarks 3.3-MPI have, in closed forms.

    counts.py            prints the table of references/nas.yaml
    counts.py --check    the table in references/nas.yaml must be this one

The forms are derived from the loops of the codes over whole planes, cross-sections and grids of ranks, not rank by rank: this is
the second writing of what models/nas builds, and shares nothing with it. Counted is the whole program as netsim has it: parameters
broadcast, start-up iteration, what the code times, reduction of the time.
"""

import collections
import math
import os
import pathlib
import sys

SOURCE = pathlib.Path(os.environ.get("NETSIM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
FILE = SOURCE / "references" / "nas.yaml"
MARK = "# ---- Made by tests/nas/counts.py ----\n"
CLASSES = "SWABC"
RANKS = (1, 2, 4, 8, 9, 16, 25, 32, 36, 49, 64)


class Count:
    """Messages between ranks (those to oneself included), and calls and bytes of collectives, per rank."""

    def __init__(self):
        self.messages = self.bytes = 0
        self.calls, self.sizes = collections.Counter(), collections.Counter()

    def send(self, messages, size):
        self.messages += messages
        self.bytes += size

    def collective(self, name, size, times=1):
        self.calls[name] += times
        self.sizes[name] += times * size


def is_power_of_two(number):
    return number & (number - 1) == 0


def multipartition(count, n, steps, p, forwards, backwards):
    """p * p ranks: in each direction p - 1 planes between cells, each crossed by the whole section."""
    planes = 3 * (p - 1)
    count.send(steps * (6 * p * p if p > 1 else 0), steps * planes * n * n * 2 * 2 * 5 * 8)
    count.send(steps * planes * p * p * 2, steps * planes * (forwards + backwards))
    for size in 4, 8, 12:
        count.collective("bcast", size)
    count.collective("barrier", 0)
    count.collective("reduce", 8)


def bt(count, cls, ranks):
    n, steps = dict(S=(12, 60), W=(24, 200), A=(64, 200), B=(102, 200), C=(162, 200))[cls]
    p = math.isqrt(ranks)
    if p * p != ranks or n // p < 3:
        return False
    cell = p * p * (n // p + 1) ** 2 * 8  # buffers have the size of the largest cell
    multipartition(count, n, steps + 1, p, 30 * cell, 5 * cell)
    return True


def sp(count, cls, ranks):
    n, steps = dict(S=(12, 100), W=(36, 400), A=(64, 400), B=(102, 400), C=(162, 400))[cls]
    p = math.isqrt(ranks)
    if p * p != ranks or n // p < 3:
        return False
    section = (n - 2) ** 2 * 8  # no points at the surface
    multipartition(count, n, steps + 1, p, 22 * section, 10 * section)
    return True


def lu(count, cls, ranks):
    n, steps = dict(S=(12, 50), W=(33, 300), A=(64, 250), B=(102, 250), C=(162, 250))[cls]
    if not is_power_of_two(ranks):
        return False
    across = 1 << ((ranks.bit_length() - 1) // 2)
    along = ranks // across
    if n // along < 4:
        return False
    borders, cuts = (along - 1) * across + (across - 1) * along, along + across - 2
    sweeps, sides = steps + 1, 1 + 2 + 1 + steps
    count.send(sweeps * 2 * (n - 2) * borders, sweeps * 2 * (n - 2) * cuts * (n - 2) * 40)
    count.send(sides * 2 * borders, sides * 2 * cuts * n * n * 2 * 40)
    for size in 4, 4, 4, 8, 8, 40, 4, 4, 4:
        count.collective("bcast", size)
    count.collective("barrier", 0, 2)
    count.collective("allreduce", 40, 2 + 2)  # residual before each solve, two at the end
    count.collective("allreduce", 8, 2)
    return True


def cg(count, cls, ranks):
    n, iterations = dict(S=(1400, 15), W=(7000, 15), A=(14000, 15), B=(75000, 75), C=(150000, 75))[cls]
    if not is_power_of_two(ranks):
        return False
    log = ranks.bit_length() - 1
    columns, steps = 1 << (log + 1) // 2, (log + 1) // 2
    summed = columns * n if log % 2 == 0 else columns // 2 * n  # elements that one exchange of all ranks moves
    for _ in range(iterations + 1):
        count.send(52 * steps * ranks, 52 * steps * ranks * 8)
        count.send(26 * steps * ranks, 26 * steps * summed * 8)
        count.send(26 * ranks if steps else 0, 26 * summed * 8 if steps else 0)
        count.send(steps * ranks, steps * ranks * 16)
    count.collective("bcast", 4)
    count.collective("barrier", 0)
    count.collective("reduce", 8)
    return True


def mg_exchange(count, level, parts):
    """Borders of all active ranks: a coarse grid has one point for each of them."""
    n = 2 ** level
    active = math.prod(min(part, n) for part in parts)
    x, y, z = (max(1, n // part) for part in parts)
    count.send(6 * active, 2 * active * 8 * (y * z + (x + 2) * z + (x + 2) * (y + 2)))


def mg_expand(count, level, parts):
    """Half of the places of an axis get points at this level that they did not have at the coarser one."""
    n = 2 ** level
    for axis, part in enumerate(parts):
        others = [other for i, other in enumerate(parts) if i != axis]
        if part >= n:
            count.send(n // 2 * 2 * math.prod(others), n // 2 * 3 * 8 * math.prod(n + 2 * other for other in others))


def mg(count, cls, ranks):
    finest, iterations = dict(S=(5, 4), W=(7, 4), A=(8, 4), B=(8, 20), C=(9, 20))[cls]
    if not is_power_of_two(ranks):
        return False
    log = ranks.bit_length() - 1
    parts = (1 << log // 3, 1 << (log - log // 3) // 2, 1 << (log - log // 3) - (log - log // 3) // 2)
    if ranks > 1:
        for _ in range(iterations + 1):
            mg_exchange(count, finest, parts)  # the residual after a cycle
            for level in range(1, finest):  # projected
                mg_exchange(count, level, parts)
            mg_exchange(count, 1, parts)
            for level in range(2, finest + 1):  # interpolated, residual, smoothed
                mg_expand(count, level, parts)
                mg_exchange(count, level, parts)
                mg_exchange(count, level, parts)
        for _ in range(2):  # residuals before the cycles
            mg_exchange(count, finest, parts)
    count.collective("barrier", 0, 2)
    count.collective("bcast", 4, 6)
    count.collective("bcast", 32)
    count.collective("allreduce", 8, 8)
    count.collective("reduce", 8)
    return True


def ft(count, cls, ranks):
    (x, y, z), iterations = dict(S=((64, 64, 64), 6), W=((128, 128, 32), 6), A=((256, 256, 128), 6),
                                 B=((512, 256, 256), 20), C=((512, 512, 512), 20))[cls]
    if not is_power_of_two(ranks) or ranks > z * min(y, z):
        return False
    transforms, own = iterations + 2, x * y * z // ranks * 16
    if 1 < ranks <= z:
        count.collective("alltoall", own // ranks, transforms)
    elif ranks > z:
        count.collective("alltoall", own // z, transforms)
        count.collective("alltoall", own // (ranks // z), transforms)
    count.collective("bcast", 4, 5)
    count.collective("barrier", 0)
    count.collective("reduce", 16, iterations)
    return True


def integer_sort(count, cls, ranks):
    keys, buckets = dict(S=(16, 9), W=(20, 10), A=(23, 10), B=(25, 10), C=(27, 10))[cls]
    if not is_power_of_two(ranks) or ranks > (128 if cls == "S" else 1024):
        return False
    count.collective("bcast", 4)
    count.collective("allreduce", 4 * (2 ** buckets + 5), 11)
    count.collective("alltoall", 4, 11)
    count.collective("alltoallv", 2 ** keys // ranks * 4, 11)  # every key goes somewhere
    count.collective("reduce", 8)
    return True


def ep(count, _, __):
    count.collective("bcast", 4)
    count.collective("barrier", 0)
    count.collective("allreduce", 8, 3)
    count.collective("allreduce", 80)
    return True


CODES = {"bt": bt, "cg": cg, "ep": ep, "ft": ft, "is": integer_sort, "lu": lu, "mg": mg, "sp": sp}


def row(code, cls, ranks):
    count = Count()
    if not CODES[code](count, cls, ranks):
        return None
    text = f"  - {{code: {code}, class: {cls}, ranks: {ranks}, messages: {count.messages}, bytes: {count.bytes}"
    for name in sorted(count.calls):
        text += f", {name}: [{count.calls[name]}, {count.sizes[name]}]"
    return text + "}\n"


def table():
    rows = (row(code, cls, ranks) for code in CODES for cls in CLASSES for ranks in RANKS)
    return "counted:\n" + "".join(text for text in rows if text)


if __name__ == "__main__":
    if "--check" not in sys.argv:
        print(table(), end="")
    elif FILE.read_text(encoding="utf-8").split(MARK)[1] != table():
        sys.exit(f"{FILE}: not what tests/nas/counts.py counts; write its table behind the mark")
