#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the communication matrix of a recording, from what `netsim trace --format json` prints.

    matrix.py [--format svg|png|pdf] --out FILE DOCUMENT.json

Two panels: bytes and messages that each rank (a row) sends to each other (a column). Colours are on
a logarithmic scale; pairs that send nothing are left white. Of many ranks, neighbours share a cell,
which has the sum of theirs.
"""
import math

import style  # first: it chooses the backend

import matplotlib
from matplotlib import ticker
from matplotlib.colors import LinearSegmentedColormap, LogNorm

from sheet import Sheet

MOST_CELLS = 256   # in a row
MOST_TICKS = 8
MOST_NUMBERS = 6   # ranks with numbers in their cells
BAR_SHADES = ["#cfe3f1", *style.FIELD[1:]]  # the least is not white


def field_of(document, what):
    """The column of that name as rows of a field, None where nothing is sent; and how many ranks
    share a row."""
    matrix, ranks = document["matrix"], document["ranks"]
    column = matrix["columns"].index(what)
    shared = -(-ranks // MOST_CELLS)
    cells = -(-ranks // shared)
    field = [[None] * cells for _ in range(cells)]
    for row in matrix["rows"]:
        source, target = row[0] // shared, row[1] // shared
        field[source][target] = (field[source][target] or 0) + row[column]
    return field, shared


def scale_of(field):
    """Colours of the values, from the least to the most; 0 bytes look like the least."""
    found = [value for row in field for value in row if value]
    least, most = (min(found), max(found)) if found else (1, 1)
    least = least if least < most else most / 2
    colours = LinearSegmentedColormap.from_list("netsim", BAR_SHADES)
    colours.set_bad(style.PAPER)
    return matplotlib.cm.ScalarMappable(LogNorm(least, most), colours)


def value_text(value, what):
    if what == "messages":
        return style.number_text(value)
    for power, unit in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if value >= 2**power:
            return f"{value / 2**power:.3g}\u2009{unit}B"
    return f"{value}\u2009B"


def add_bar(sheet, axes, scale, what):
    """The scale of the colours: numbers at both ends, and at some steps between them."""
    least, most = scale.norm.vmin, scale.norm.vmax
    steps = max(1, min(5, round(math.log2(most / least))))
    places = [least * (most / least) ** (i / steps) for i in range(steps + 1)]
    bar = sheet.figure.colorbar(scale, ax=axes, aspect=30, pad=0.03, shrink=0.9)
    bar.outline.set_visible(False)
    bar.ax.yaxis.set_major_locator(ticker.FixedLocator(places))
    bar.ax.yaxis.set_minor_locator(ticker.NullLocator())
    bar.ax.yaxis.set_major_formatter(lambda value, _: value_text(round(value), what))


def draw_field(sheet, axes, document, what, prefix):
    field, shared = field_of(document, what)
    scale, cells = scale_of(field), len(field)
    least = scale.norm.vmin
    shown = [[float("nan") if value is None else max(value, least) for value in row]
             for row in field]
    edges = [min(i * shared, document["ranks"]) - 0.5 for i in range(cells + 1)]
    mesh = axes.pcolormesh(edges, edges, shown, cmap=scale.cmap, norm=scale.norm,
                           edgecolors=style.PAPER if cells <= 32 else "none",
                           linewidth=0.8 if cells <= 32 else 0, rasterized=cells > 64)
    mesh.set_gid(f"{prefix}matrix-{what}")
    if cells <= MOST_NUMBERS and shared == 1:
        for source, row in enumerate(field):
            for target, value in enumerate(row):
                if value is not None:
                    dark = scale.norm(max(value, least)) > 0.55
                    axes.text(target, source, value_text(value, what), ha="center", va="center",
                              fontsize=6, color=style.LIGHT if dark else style.INK)
    step = 2 ** max(0, math.ceil(math.log2(document["ranks"] / MOST_TICKS)))
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.grid(visible=False)
    for axis, text in ((axes.xaxis, "to rank"), (axes.yaxis, "from rank")):
        axis.set_major_locator(ticker.MultipleLocator(step))
        axis.set_label_text(text)
    axes.set_title(what, loc="left")
    add_bar(sheet, axes, scale, what)
    return shared


def notes_of(document, shared):
    matrix = document["matrix"]
    if matrix["collectives"] == "unfolded":
        notes = [f"with the messages that {matrix['stack']} makes of the collectives"]
    else:
        notes = ["messages from point to point; collectives are not in it"]
    if not matrix["rows"]:
        notes.append("there is no message")
    if shared > 1:
        notes.append(f"each cell has the sum of {shared} \u00d7 {shared} ranks")
    return notes


def draw(document):
    """A document of `netsim trace` as a figure of matplotlib."""
    sheet = Sheet(document["file"], 2)
    shared = [draw_field(sheet, axes, document, what, f"p{number + 1}-")
              for number, (axes, what) in enumerate(zip(sheet.panels, ("bytes", "messages")))]
    ranks = document["ranks"]
    return sheet.finish(f"Who sends to whom: {document['file']}",
                        f"{ranks} rank{'' if ranks == 1 else 's'}", notes_of(document, shared[0]),
                        3.4)


if __name__ == "__main__":
    style.program(__doc__, "matrix.py", draw)
