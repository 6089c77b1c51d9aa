# SPDX-License-Identifier: GPL-3.0-or-later
"""The one look of every picture: colours, markers, axes of message sizes, deterministic files.

Colours are those of Okabe and Ito, which people with any kind of colour blindness distinguish; every
stack also has a marker of its own, and what is measured without an MPI library is dashed. Text stays
text in SVG, so that a picture can be searched and read aloud.
"""
import argparse
import io
import itertools
import json
import math
import os
import sys
import unicodedata

os.environ.setdefault("MPLBACKEND", "Agg")

import matplotlib  # pylint: disable=wrong-import-position
from matplotlib import ticker  # pylint: disable=wrong-import-position

# Pictures on a page that can be dark get variables of the page in place of these (gallery.py), so
# no series may use one of them.
PAPER, INK, MUTED, GRID, SHADE = "#ffffff", "#1f2328", "#656d76", "#d8dee4", "#e7ebef"
FAILURE = "#b3261e"
# How a run ended that did not complete: what the legend calls it, marker, colour.
FAILURES = {
    "lost": ("lost data", "P", FAILURE),
    "failed": ("failed", "x", FAILURE),
    "deadlock": ("deadlock", "X", FAILURE),
    "crashed": ("crashed", "*", FAILURE),
    "impossible": ("not possible", "_", MUTED),
    "missing": ("not run", "1", MUTED),
}
# A value that a source prints.
RING = {"marker": "o", "markersize": 7, "linestyle": "none", "markerfacecolor": "none",
        "markeredgecolor": INK, "markeredgewidth": 1.1}
# A point that a user has measured.
MEASURED = {"marker": "o", "markersize": 5.5, "linestyle": "none", "markerfacecolor": PAPER,
            "markeredgewidth": 1.3}
RING_SIGN = {key: value for key, value in RING.items() if key != "linestyle"}
# A field of values, from the best to the worst, and what is written on the dark end.
FIELD, LIGHT = ["#e3eef6", "#7fb3d5", "#1f6fa8", "#0b3c5d"], "#f5f5f5"

# Stack: colour, marker, line. A stack that is not here gets what is left over, in order.
STACKS = {
    "lam_via": ("#0072b2", "o", "-"),
    "mvich": ("#d55e00", "s", "-"),
    "lam_tcp": ("#009e73", "^", "-"),
    "mpich_p4": ("#cc79a7", "D", "-"),
    "mvia": ("#56b4e9", "v", "--"),
    "tcp": ("#e69f00", "P", "--"),
    "gm": ("#332288", "h", "--"),
    "armci": ("#aa4499", "p", "-"),
    "grim": ("#117733", "*", "-"),
    # Not stacks, but what figures compare.
    "copy": ("#d55e00", "s", "-"),
    "register": ("#0072b2", "o", "-"),
}
SPARE = [("#882255", "X", "-"), ("#44aa99", "<", "-"), ("#999933", ">", "-"),
         ("#ddaa33", "d", "-"), ("#6699cc", "8", "-")]
LINES = ["-", "--", ":", "-."]
LEAST_DISTANCE = 0.34  # least distance of two distinct colours; a channel ranges over 1

LEAST_SPAN = 0.04  # of an axis without its zero, in parts of its values
WIDTH = 8.6  # inches: at 100 dpi about what a README shows


def setup(salt="netsim"):
    """The look, for all that is drawn from now on."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({
        "figure.dpi": 100, "savefig.dpi": 120,
        "figure.facecolor": PAPER, "axes.facecolor": PAPER, "savefig.facecolor": PAPER,
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
        "font.size": 9, "axes.titlesize": 10, "axes.labelsize": 9, "legend.fontsize": 9,
        "xtick.labelsize": 8, "ytick.labelsize": 8,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": MUTED,
        "xtick.color": MUTED, "ytick.color": MUTED, "xtick.minor.size": 1.5,
        "xtick.labelcolor": INK, "ytick.labelcolor": INK,
        "axes.spines.top": False, "axes.spines.right": False,
        "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.6, "axes.axisbelow": True,
        "lines.linewidth": 1.6, "lines.markersize": 4.2, "lines.markeredgewidth": 0,
        "legend.frameon": False, "legend.handlelength": 2.4,
        "svg.fonttype": "none", "svg.hashsalt": salt, "pdf.fonttype": 42,
        "path.simplify": False,
    })
    if "text.parse_math" in matplotlib.rcParams:  # since 3.6
        matplotlib.rcParams["text.parse_math"] = False  # "$" in a name is a dollar


def distance(colour, others):
    """How far a colour is from the nearest of the others."""
    one = matplotlib.colors.to_rgb(colour)
    return min((math.dist(one, matplotlib.colors.to_rgb(other)) for other in others), default=2.0)


def spares(taken=()):
    """The looks that are left over, without an end: those that no taken colour is near, then those of
    stacks that are not drawn, the most different first, and after the last colour all with another
    line."""
    left = [look for look in SPARE if distance(look[0], taken) >= LEAST_DISTANCE]
    used = [*taken, *(look[0] for look in left)]
    more = list(STACKS.values())
    while more:
        best = max(more, key=lambda look: distance(look[0], used))
        more.remove(best)
        if distance(best[0], used) >= LEAST_DISTANCE:
            left.append(best)
            used.append(best[0])
    for turn in itertools.count():
        for colour, marker, _ in left or SPARE:
            yield colour, marker, LINES[turn % len(LINES)]


def looks(keys, most=None, filled=()):
    """(colour, marker, line) for each of a picture's series, given its stack (or any text); `most` has
    how many of a stack there are in one panel, `filled` the stacks that are drawn without lines.

    The same stack always looks the same. Two series of one stack share its colour and marker and
    differ in line. More get colours of their own after the first, as long as there are some left, but
    many in one panel are shades of one order.
    """
    counts = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    spare = spares([STACKS[key][0] for key in counts if key in STACKS])
    seen, given, found = {}, {}, []
    left = len(SPARE) - sum(key not in STACKS for key in counts)
    own = set()
    for key, count in counts.items():
        if (1 if key in filled else 2) < count <= left + 1 and \
                (most or counts)[key] <= len(LINES):
            own.add(key)
            left -= count - 1
    for key in keys:
        place = seen.setdefault(key, 0)
        if key not in own and counts[key] > len(LINES):
            # Many of one stack, as a sweep has them: dark to light along one order.
            shade = matplotlib.colormaps["viridis"](0.9 * place / (counts[key] - 1))
            found.append((matplotlib.colors.to_hex(shade), SPARE[place % len(SPARE)][1], "-"))
        elif key in own and place > 0:
            found.append(next(spare))
        else:
            if key not in given:
                given[key] = STACKS.get(key) or next(spare)
            colour, marker, line = given[key]
            found.append((colour, marker, line if place == 0 else LINES[place]))
        seen[key] += 1
    return found


def colour_of(key, taken):
    """The colour of a measured series: that of the simulated one of its stack (`taken`: stack ->
    look), else one that none of these has."""
    if key in taken:
        return taken[key][0]
    used = {look[0] for look in taken.values()}
    return STACKS[key][0] if key in STACKS else \
        next(colour for colour, _, _ in itertools.chain(SPARE, [(INK, "", "")])
             if colour not in used)


def size_text(size):
    """A number of bytes as an axis has it: 0, 512 B, 4 KiB, 1.5 MiB."""
    size = int(size)
    for power, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if abs(size) >= power and size % (power // 2) == 0:
            return f"{size / power:g} {unit}"
    return f"{size} B" if size else "0"


def number_text(value):
    """A number for a tick: 0.01, 10, 1 000."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u2009").replace("-", "\u2212")
    return f"{value:g}".replace("-", "\u2212")


# Units of times, in microseconds, and from which largest value on an axis is in them.
TIMES = (("s", 1e6, 1e6), ("ms", 1e3, 1e4), ("\u00b5s", 1.0, 0.0))


def time_unit(largest):
    """The unit in which times up to `largest` microseconds are read best, and its microseconds."""
    return next((unit, scale) for unit, scale, least in TIMES if largest >= least)


def time_text(value):
    """A time in microseconds with its own unit: 200 ms, 1.5 s."""
    unit, scale = next(((unit, scale) for unit, scale, _ in TIMES if abs(value) >= scale),
                       ("\u00b5s", 1.0))
    return f"{number_text(value / scale)} {unit}" if value else "0"


def size_axis(axis, sizes, most=8):
    """A logarithmic axis of message sizes on powers of two, with about `most` labels; 0 stands left
    of 1."""
    low, high = min(sizes), max(sizes)
    axis_of(axis, "symlog" if low == 0 else "log", base=2)
    first = 0 if low <= 1 else math.floor(math.log2(low))
    last = max(first + 1, math.ceil(math.log2(max(high, 1))))
    room = most - (low == 0)
    step = next(step for step in (1, 2, 3, 4, 6, 12, 32) if (last - first) // step < room)
    ticks = ([0] if low == 0 else []) + [2**power for power in range(first, last + 1, step)]
    axis.set_major_locator(ticker.FixedLocator(ticks))
    axis.set_minor_locator(ticker.FixedLocator([2**power for power in range(first, last + 1)]))
    axis.set_minor_formatter(ticker.NullFormatter())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: size_text(value)))


def linear_size_axis(axis, sizes, most=8):
    """A linear axis of message sizes, with its labels on multiples of a power of two."""
    axis_of(axis, "linear")
    high = max(sizes)
    step = 2 ** max(0, math.ceil(math.log2(max(high, 1) / most)))
    axis.set_major_locator(ticker.MultipleLocator(step))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: size_text(value)))
    room = 0.03 * max(high, 1)
    set_limits(axis, -room if min(sizes) <= high / 20 else min(sizes) - room, high + room)


def axis_of(axis, scale, base=10, first=1):
    """Puts a scale on an axis of matplotlib: linear, log or symlog, which is linear up to `first`."""
    which = axis.axis_name
    set_scale = getattr(axis.axes, f"set_{which}scale")
    if scale == "log":
        set_scale("log", base=base)
    elif scale == "symlog":
        set_scale("symlog", base=base, linthresh=first, linscale=0.9)
    else:
        set_scale("linear")


def exact_ticks(axis, places, most=12):
    """Ticks at these places alone, as for the values of a sweep; at every n-th if they are many."""
    axis.set_major_locator(ticker.FixedLocator(places[::-(-len(places) // most) or 1]))
    axis.set_minor_locator(ticker.NullLocator())


def set_limits(axis, low, high):
    getattr(axis.axes, f"set_{axis.axis_name}lim")(low, high)


def number_axis(axis, scale, shown=(), zero=True):
    """An axis of plain numbers with `shown` in view: logarithmic, or linear and with its zero."""
    axis_of(axis, scale)
    if scale == "log":
        positive = [value for value in shown if value > 0]
        decades = math.log10(max(positive) / min(positive)) if positive else 9
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if decades < 2.5 else (1,)))
        axis.set_minor_locator(ticker.NullLocator())
        if positive:
            room = max(10 ** (0.05 * decades), 1.1)
            set_limits(axis, min(positive) / room, max(positive) * room)
    elif shown:
        low, high = min(shown), max(shown)
        if zero:
            low, high = min(0, low), max(0, high)
        elif high - low < LEAST_SPAN * abs(high):
            # Small differences are not magnified.
            low, high = ((low + high + sign * LEAST_SPAN * abs(high)) / 2 for sign in (-1, 1))
        room = 0.06 * ((high - low) or 1)
        set_limits(axis, low - room if low else 0, high + room)
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: number_text(value)))


def slug(text):
    """A name as an id of SVG: "VIA RPI" is via-rpi."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return "-".join(words) or "unnamed"


METADATA = {
    "svg": {"Date": None, "Creator": "netsim"},
    "png": {"Software": "netsim"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "netsim", "Producer": "netsim"},
}


def picture(figure, form):
    """A figure as the bytes of a file: the same data give the same bytes."""
    out = io.BytesIO()
    more = {"pil_kwargs": {"optimize": True}} if form == "png" else {}
    figure.savefig(out, format=form, metadata=METADATA[form], **more)
    return out.getvalue()


def load(path):
    """The document of a file, or of stdin (-)."""
    if path == "-":
        return drawable(json.load(sys.stdin.buffer))
    with open(path, encoding="utf-8") as file:
        return drawable(json.load(file))


def drawable(value):
    """A document with its texts as a picture can have them: no font and no XML has what steers a
    terminal, which is shown by its number."""
    if isinstance(value, str):
        return "".join(f"\\x{ord(c):02x}" if unicodedata.category(c) == "Cc" and c != "\n" else c
                       for c in value)
    if isinstance(value, list):
        return [drawable(one) for one in value]
    if isinstance(value, dict):
        return {key: drawable(one) for key, one in value.items()}
    return value


def is_place(path):
    """Whether a regular file is or can be at `path`: no device, no pipe, nothing that /proc names
    (as /dev/stdout)."""
    named = os.path.realpath(os.path.dirname(path) or ".") + "/"
    return not named.startswith(("/proc/", "/dev/")) and (os.path.isfile(path)
                                                          or not os.path.exists(path))


def write(path, data):
    """Puts bytes into a file at once, making its directory: the file is whole, or what was there
    stays. A link stays, and its target is replaced; a device or a pipe is written to as it is."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if not is_place(path):
        with open(path, "wb") as file:
            file.write(data)
        return
    place = os.path.realpath(path)
    beside = os.path.join(os.path.dirname(place), f".netsim-{os.getpid()}-0")
    try:
        with open(beside, "xb") as file:
            file.write(data)
        os.replace(beside, place)
    except BaseException:
        if os.path.lexists(beside):
            os.unlink(beside)
        raise


def program(doc, name, draw):
    """A script that draws a document into a file: `draw` makes a figure of the document."""
    parser = argparse.ArgumentParser(description=doc.split("\n", maxsplit=1)[0])
    parser.add_argument("--format", choices=["svg", "png", "pdf"])
    parser.add_argument("--out", required=True, help="the picture's file")
    parser.add_argument("document", help="-: of stdin")
    arguments = parser.parse_args()
    form = arguments.format or os.path.splitext(arguments.out)[1].lstrip(".") or "svg"
    try:
        document = load(arguments.document)
        if form not in METADATA:
            raise ValueError(f"a picture is svg, png or pdf, not {form}")
        write(arguments.out, picture(draw(document), form))
    except (OSError, ValueError, KeyError) as problem:
        what = f"the document lacks {problem}" if isinstance(problem, KeyError) else problem
        sys.exit(f"{name}: {what}")
