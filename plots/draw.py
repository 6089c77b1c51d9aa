#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws pictures from the documents that `netsim plot` and `netsim figures` write.

    draw.py [--format svg|png|pdf] [--out FILE] DOCUMENT.json
    draw.py [--format svg|png|pdf] --gallery GALLERY.json DIRECTORY

A document is one picture: panels with axes, series of points, marks that the reference prints, and
notes on what is missing. All numbers are in it; nothing is computed here. --gallery draws each
picture that GALLERY.json lists (DIRECTORY/data/ID.json) and makes DIRECTORY/index.html.
"""
import argparse
import itertools
import math
import os
import re
import sys
import textwrap
import time

import style  # first: it chooses the backend

import matplotlib
from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.transforms import offset_copy

from marks import Marks
from sheet import Sheet

MOST_BARS = 16  # of intervals; more are a band
LEAST_GAP = 0.012  # of lines that can be distinguished, in parts of the height of their axis
MOST_LINEAR = 10  # times the best of a field; beyond it colours are on a logarithmic scale
MOST_NESTED = 6  # lines on each other; more are not distinguished by their width
PANEL_WIDTH, CHARACTER = 3.9, 0.075  # inches: of half a sheet, of a name below a bar
NAME_HEIGHT = 0.15  # inches of a line of a name next to a bar
NAME_WIDTH = 24  # characters of a line of a name next to a bar
LEAST_BAR = 0.005  # what can be seen of one, in parts of its place
SIGN_OF_MARK = {"band": "shaded", "vertical": "line", "horizontal": "line", "point": "ring"}


# ---- Panels -------------------------------------------------------------------------------------

def is_size(axis):
    return axis.get("unit") == "B"


def label(axis, ticks_have_unit=False, unit=None):
    unit = unit or {"us": "\u00b5s"}.get(axis.get("unit"), axis.get("unit"))
    if not unit or (ticks_have_unit and is_size(axis)) or ticks_have_unit == "times":
        return axis["label"]
    return f"{axis['label']} ({unit})"


def is_long(axis, values):
    """Whether times along an axis are too long for microseconds."""
    return axis.get("unit") == "us" and style.time_unit(largest_of(values))[0] != "\u00b5s"


def largest_of(values):
    return max((abs(value) for value in values
                if value is not None and not isinstance(value, str)), default=0)


def label_axis(axis, about, values, each=False):
    """The label of an axis of matplotlib. Times that are long for microseconds get another unit: all
    the same one, or each tick its own on a logarithmic axis, or if `each` is set."""
    if not is_long(about, values):
        axis.set_label_text(label(about, axis.axis_name == "x"))  # sizes along x have their unit
    elif each or about.get("scale") == "log":
        axis.set_major_formatter(lambda value, _: style.time_text(value))
        axis.set_label_text(label(about, "times"))
    else:
        unit, scale = style.time_unit(largest_of(values))
        axis.set_major_formatter(lambda value, _: style.number_text(value / scale))
        axis.set_label_text(label(about, unit=unit))


def drawable(points, x_axis, y_axis):
    """The points that the scales can show; a logarithmic axis has no 0 but that of sizes."""
    def fits(value, axis, zero):
        return value is not None and (axis["scale"] != "log" or value > 0 or (zero and value == 0))
    has_zero = is_size(x_axis) or x_axis.get("swept", False)
    return [(x, y) for x, y in points
            if not isinstance(x, str) and fits(x, x_axis, has_zero) and fits(y, y_axis, False)]


def scale_axes(axes, panel, found, wide):
    """The scales of lines through `found`; what the reference states along y is in view, too."""
    x_axis, y_axis = panel["x"], panel["y"]
    places = sorted({x for x, _ in found})
    if is_size(x_axis) and not x_axis.get("swept"):
        if found and x_axis["scale"] == "log":
            style.size_axis(axes.xaxis, places, 13 if wide else 7)
        elif found:
            style.linear_size_axis(axes.xaxis, places, 13 if wide else 6)
    else:
        style.number_axis(axes.xaxis, x_axis["scale"])
        if x_axis["scale"] == "log" and places and places[0] == 0:
            style.axis_of(axes.xaxis, "symlog", first=next((x for x in places if x > 0), 1))
            axes.xaxis.set_major_formatter(lambda value, _: style.number_text(value))
        if x_axis.get("swept"):
            style.exact_ticks(axes.xaxis, sorted({x for series in panel["series"]
                                                  if not series.get("measured")
                                                  for x, _ in series["points"]}))
        if is_size(x_axis):
            axes.xaxis.set_major_formatter(lambda value, _: style.size_text(value))
    heights = [y for _, y in found] + [mark["y"] for mark in panel.get("marks", []) if "y" in mark]
    ends = [end for series in panel["series"] for end in shown_ends(series, y_axis)]
    # Below 0 an interval of what is never negative goes on out of view.
    heights += [max(0, end) for end in ends] if not heights or min(heights) >= 0 else ends
    style.number_axis(axes.yaxis, y_axis["scale"], heights if found else [],
                      y_axis.get("zero", True))
    if y_axis.get("range"):
        axes.set_ylim(*y_axis["range"])
    label_axis(axes.xaxis, x_axis, places, each=x_axis.get("swept"))
    label_axis(axes.yaxis, y_axis, heights)


def shown_ends(series, y_axis):
    """The ends of a series' intervals that come into view: on a logarithmic axis those above 0."""
    return [end for _, *ends, _ in series.get("intervals", []) for end in ends
            if y_axis["scale"] != "log" or end > 0]


def with_bars(panel):
    """The names of those series whose intervals are bars that can be seen."""
    return [series["name"] for series in panel["series"]
            if not series.get("measured") and not series.get("band") and 0 < len(series.get("intervals", [])) <= MOST_BARS
            and any(high - low > LEAST_BAR * abs(high + low) for _, low, high, _
                    in series["intervals"])]


def beside(axes, number, count):
    """Where the number-th of `count` series with intervals is drawn: a little aside, so that bars at
    one place can be distinguished. A transform of matplotlib."""
    step = min(3, 12 / max(1, count))
    return offset_copy(axes.transData, axes.figure, x=step * (number - (count - 1) / 2), y=0,
                       units="points")


def draw_intervals(axes, series, colour, y_axis, gid, transform=None):
    """The intervals of a series as bars through its points; of many, as a band. Bands of draws have
    thin edges, so that several on each other can be told apart."""
    intervals = series.get("intervals", [])
    log = y_axis["scale"] == "log"
    floor = min((end for end in shown_ends(series, y_axis)), default=0) / 1e3 if log else 0
    places = [x for x, *_ in intervals]
    lows = [max(low, floor) if log else low for _, low, _, _ in intervals]
    highs = [max(high, floor) if log else high for _, _, high, _ in intervals]
    if not places:
        return
    if series.get("band") and len(places) > 1 and not any(isinstance(x, str) for x in places):
        drawn = axes.fill_between(places, lows, highs, facecolor=colour, alpha=0.16, linewidth=0,
                                  zorder=2)
        for ends in (lows, highs):
            axes.plot(places, ends, color=colour, linewidth=0.6, alpha=0.8, zorder=2.2,
                      scaley=False)
    elif len(places) > MOST_BARS and not series.get("measured"):
        drawn = axes.fill_between(places, lows, highs, color=colour, alpha=0.2, linewidth=0,
                                  zorder=2)
    else:
        where = transform or axes.transData
        drawn = axes.vlines(places, lows, highs, color=colour, linewidth=1, zorder=2.5,
                            transform=where)
        for ends in (lows, highs):
            axes.plot(places, ends, color=colour, linestyle="none", marker="_", markersize=5,
                      markeredgewidth=1, zorder=2.5, scaley=False, transform=where)
    drawn.set_gid(gid)


def draw_measured(sheet, axes, series, points, colour, prefix):
    """Measured points stand over the curves, with no line through them."""
    drawn, = axes.plot([x for x, _ in points], [y for _, y in points], **style.MEASURED,
                       markeredgecolor=colour, zorder=4)
    sheet.add_series(series["name"], drawn)
    drawn.set_gid(f"{prefix}measured-{style.slug(series['name'])}")


def coincide(one, other, near):
    """Whether two lines lie on each other at most of the places that both have."""
    both = [abs(one[x] - other[x]) < near for x in one if x in other]
    return len(both) > 2 and 2 * sum(both) > len(both)


def piles(panel):
    """The lines of a panel that lie on each other: lists of their names, in the order of the panel."""
    y_axis = panel["y"]
    log = y_axis["scale"] == "log"
    simulated = [series for series in panel["series"]
                 if not series.get("measured") and not series.get("steps")]
    if with_bars(panel):
        return []
    lines = [{x: math.log(y) if log else y for x, y in drawable(series["points"], panel["x"], y_axis)}
             for series in simulated]
    heights = [y for line in lines for y in line.values()]
    heights += [] if log or not y_axis.get("zero", True) else [0.0]
    near = LEAST_GAP * (max(heights) - min(heights)) if heights else 0
    found = [{number} for number in range(len(lines))]
    for one, other in itertools.combinations(range(len(lines)), 2):
        if coincide(lines[one], lines[other], near):
            joined = found[one] | found[other]
            for number in joined:
                found[number] = joined
    return [[simulated[number]["name"] for number in sorted(pile)] for place, pile
            in enumerate(found) if len(pile) > 1 and place == min(pile)]


def nested(number, count, points):
    """The look of one of several lines that lie on each other: the ones below are wider, and their
    signs stand at different places."""
    look = {"linewidth": 1.3 + number * min(1.2, 5.0 / max(1, count - 1)), "markersize": 5,
            "markeredgecolor": style.PAPER, "markeredgewidth": 0.6, "solid_capstyle": "butt"}
    return {**look, "markevery": (number, count)} if points > 2 * count else look


def draw_lines(sheet, axes, panel, all_looks, prefix):
    """Returns the points of each of the series that there is something to draw of."""
    lines = []
    barred = with_bars(panel)
    pile_of = {name: pile for pile in piles(panel) if len(pile) <= MOST_NESTED for name in pile}
    for number, series in enumerate(panel["series"]):
        where = axes.transData
        if series["name"] in barred and len(barred) > 1:
            where = beside(axes, barred.index(series["name"]), len(barred))
        points = drawable(series["points"], panel["x"], panel["y"])
        colour, marker, line = all_looks[series["name"]]
        draw_failed_at(sheet, axes, series, prefix)
        if not points:
            continue
        draw_intervals(axes, series, colour, panel["y"],
                       f"{prefix}interval-{style.slug(series['name'])}", where)
        if series.get("measured"):
            draw_measured(sheet, axes, series, points, colour, prefix)
            lines.append(points)
            continue
        # The series that is named first lies on top.
        steps = {"marker": "", "drawstyle": "steps-post", "linewidth": 1} if series.get("steps") \
            else {"marker": marker}
        if series["name"] in pile_of and not series.get("steps"):
            pile = pile_of[series["name"]]
            steps.update(nested(pile.index(series["name"]), len(pile), len(points)))
        drawn, = axes.plot([x for x, _ in points], [y for _, y in points], color=colour,
                           linestyle=line, zorder=3 - 0.01 * number, transform=where, **steps)
        sheet.add_series(series["name"], drawn)
        drawn.set_gid(f"{prefix}series-{style.slug(series['name'])}")
        lines.append(points)
        if series.get("failure"):
            look = sheet.add_failure(series["failure"]["status"])
            cross, = axes.plot(*points[-1], **{**look, "markersize": 9}, linestyle="none", zorder=5)
            cross.set_gid(f"{prefix}failure-{style.slug(series['name'])}")
    scale_axes(axes, panel, [point for line in lines for point in line], sheet.is_wide(axes))
    if "line" in panel["y"]:
        axes.axhline(panel["y"]["line"], color=style.MUTED, linewidth=0.8, zorder=1)
    if not lines:
        mark_empty(sheet, axes, panel, prefix)
    return lines


def mark_empty(sheet, axes, panel, prefix):
    """Puts the signs of series that failed before their first point into the middle of the panel."""
    axes.set_xticks([])
    axes.set_yticks([])
    failed = [series for series in panel["series"] if series.get("failure")]
    for place, series in enumerate(failed):
        look = sheet.add_failure(series["failure"]["status"])
        x, y = 0.5, 0.5 - 0.09 * place
        cross, = axes.plot(x, y, **look, linestyle="none", transform=axes.transAxes)
        cross.set_gid(f"{prefix}failure-{style.slug(series['name'])}")
        axes.text(x + 0.02, y, f"{series['name']}: {series['failure']['status']}",
                  transform=axes.transAxes, va="center", fontsize=8)


def draw_failed_at(sheet, axes, series, prefix):
    """Signs at the bottom, at the places along x that have no value because a run failed."""
    states = {}
    for x, _, *state in series.get("failed_at", []):
        states.setdefault(state[0] if state else "failed", []).append(x)
    for state, places in states.items():
        if any(isinstance(x, str) for x in places):
            continue  # groups of bars show it themselves
        signs, = axes.plot(places, [0.03] * len(places), **sheet.add_failure(state),
                           linestyle="none", transform=axes.get_xaxis_transform(), zorder=5,
                           clip_on=False)
        signs.set_gid(f"{prefix}failed-{style.slug(series['name'])}")


def draw_bars(sheet, axes, panel, all_looks, prefix):
    """Groups along x (of texts or numbers), a bar for each series in it. A bar has no length on a
    logarithmic axis, where points stand for them."""
    groups, shown = [], []
    for series in panel["series"]:
        groups += [x for x, _ in series["points"] if x not in groups]
        shown += [y for _, y in series["points"] if y is not None]
        shown += shown_ends(series, panel["y"])
    log = panel["y"]["scale"] == "log"
    width = 0.8 / max(1, len(panel["series"]))
    for place, series in enumerate(panel["series"]):
        shift = (place - (len(panel["series"]) - 1) / 2) * width
        points = [(groups.index(x) + shift, y) for x, y in series["points"] if y is not None]
        name = style.slug(series["name"])
        colour, marker, _ = all_looks[series["name"]]
        if log:
            drawn, = axes.plot([x for x, _ in points], [y for _, y in points], color=colour,
                               marker=marker, markersize=6, linestyle="none")
            drawn.set_gid(f"{prefix}bar-{name}-points")
        else:
            drawn = axes.bar([x for x, _ in points], [y for _, y in points], width * 0.92,
                             color=colour)
            for number, bar in enumerate(drawn):
                bar.set_gid(f"{prefix}bar-{name}-{number}")
        sheet.add_series(series["name"], drawn)
        draw_intervals(axes, {"intervals": [[groups.index(x) + shift, *rest]
                                            for x, *rest in series.get("intervals", [])]},
                       style.INK, panel["y"], f"{prefix}interval-{name}")
        for x, _, *state in series.get("failed_at", []):
            sign, = axes.plot(groups.index(x) + shift, 0.03, linestyle="none", zorder=5,
                              transform=axes.get_xaxis_transform(),
                              **sheet.add_failure(state[0] if state else "failed"))
            sign.set_gid(f"{prefix}failed-{name}")
    axes.set_xticks(range(len(groups)))
    axes.set_xticklabels([tick_text(x, panel["x"], groups) for x in groups])
    axes.set_xlim(-0.6, max(1, len(groups)) - 0.4)
    axes.grid(axis="x", visible=False)
    style.number_axis(axes.yaxis, panel["y"]["scale"], shown)
    axes.set_xlabel(label(panel["x"], "times" if is_long(panel["x"], groups) else True))
    label_axis(axes.yaxis, panel["y"], shown)
    if not groups:
        mark_empty(sheet, axes, panel, prefix)


def single_place(panel):
    """The one place along x at which a panel of lines has all its points; None if it has more."""
    places = {x for series in panel["series"] for x, _ in series["points"]}
    plain = not any(series.get("steps") or series.get("measured") or series.get("failure")
                    or series.get("failed_at") for series in panel["series"])
    return places.pop() if len(places) == 1 and plain else None


def is_alone(panel):
    """Whether a panel has one point of each of its series, which are drawn as bars with values."""
    return panel.get("kind", "lines") == "lines" and single_place(panel) is not None and \
        not panel["x"].get("swept")


def has_no_room(names, wide):
    """Whether names do not fit side by side below a panel."""
    return CHARACTER * len(names) * max(map(len, names)) > (2.1 if wide else 1) * PANEL_WIDTH


def lines_of_names(panel, wide):
    """The number of lines of the names next to a panel's bars; 0 if they stand elsewhere."""
    names = [series["name"] for series in panel["series"] if series["points"]]
    if not is_alone(panel) or not has_no_room(names, wide):
        return 0
    return sum(len(textwrap.wrap(name, NAME_WIDTH)) for name in names)


def draw_values(sheet, axes, panel, all_looks, prefix):
    """A bar with its value for each series of a panel whose points are all at one place, and next to it
    the value that the source prints. Bars lie where their names do not fit below them."""
    place = single_place(panel)
    given = [series for series in panel["series"] if series["points"]]
    names = [series["name"] for series in given]
    flat = has_no_room(names, sheet.is_wide(axes))
    shown = [y for series in given for _, y in series["points"] if y is not None]
    marks = [mark for mark in panel.get("marks", []) if "y" in mark]
    shown += shown_ends({"intervals": [one for series in given
                                       for one in series.get("intervals", [])]}, panel["y"])
    _, scale = style.time_unit(largest_of(shown)) if is_long(panel["y"], shown) else (None, 1)
    for number, series in enumerate(given):
        draw_value(axes, number, series, (all_looks[series["name"]][0], scale, flat), prefix)
    for number, mark in enumerate(marks):
        draw_printed(sheet, axes, mark, (names, flat),
                     f"{prefix}mark-{style.slug(mark.get('claim') or str(number))}")
    along, values = (axes.yaxis, axes.xaxis) if flat else (axes.xaxis, axes.yaxis)
    along.set_ticks(range(len(names)),
                    [textwrap.fill(name, NAME_WIDTH) if flat else name for name in names])
    style.set_limits(along, *((len(names) - 0.4, -0.6) if flat else (-0.6, len(names) - 0.4)))
    along.grid(visible=False)
    top = max(shown + [mark["y"] for mark in marks], default=0)
    style.number_axis(values, "linear", shown + [(1.25 if flat else 1.06) * top])
    label_axis(values, {**panel["y"], "scale": "linear"}, shown)
    size = tick_text(place, panel["x"], [place]) if place and place > 0 else ""
    about = f"{panel['x']['label']} {size}" if size else panel["x"]["label"]
    if flat:
        axes.set_title(about, loc="right", fontsize=9)
    else:
        axes.set_xlabel(about)


def draw_value(axes, number, series, look, prefix):
    (colour, scale, flat), value = look, series["points"][0][1]
    name = style.slug(series["name"])
    bar = (axes.barh if flat else axes.bar)([number], [value], 0.5, color=colour)[0]
    bar.set_gid(f"{prefix}bar-{name}-0")
    # A value stands beyond the end of its interval where bars lie.
    ends = [high for _, _, high, _ in series.get("intervals", [])]
    beyond = max([value, *ends]) if flat else value
    axes.annotate(digits(value / scale), (beyond, number) if flat else (number, value),
                  (4, 0) if flat else (0, 2), textcoords="offset points", fontsize=8,
                  ha="left" if flat else "center", va="center" if flat else "bottom")
    for _, low, high, _ in series.get("intervals", []):
        lengths = {"xerr" if flat else "yerr": [[value - low], [high - value]]}
        at = (value, number) if flat else (number, value)
        _, _, lines = axes.errorbar(*at, **lengths, color=style.INK, linewidth=1, capsize=2.5)
        lines[0].set_gid(f"{prefix}interval-{name}")


def draw_printed(sheet, axes, mark, bars, gid):
    """A value that a source prints: for one of the series next to its bar, else as a line across."""
    names, flat = bars
    if mark.get("series") in names:
        place = names.index(mark["series"]) + 0.31
        drawn, = axes.plot(*((mark["y"], place) if flat else (place, mark["y"])), **style.RING,
                           zorder=6)
        sheet.add_sign("printed in the source", **style.RING_SIGN)
        axes.annotate(mark["text"], drawn.get_xydata()[0], (6, 0), textcoords="offset points",
                      va="center", fontsize=7.5, color=style.MUTED)
    else:
        drawn = (axes.axvline if flat else axes.axhline)(mark["y"], color=style.MUTED,
                                                         linewidth=1.2, linestyle="--")
        at, transform = ((mark["y"], 0.01), axes.get_xaxis_transform()) if flat else \
            ((0.01, mark["y"]), axes.get_yaxis_transform())
        axes.text(*at, mark["text"], transform=transform, va="bottom", fontsize=7.5,
                  color=style.MUTED)
    drawn.set_gid(gid)


def tick_text(value, axis, values):
    if isinstance(value, str):
        return value
    if is_long(axis, values):
        return style.time_text(value)
    return style.size_text(value) if is_size(axis) else style.number_text(value)


# ---- Fields -------------------------------------------------------------------------------------

def in_order(values):
    """Numbers ascending; names as they first come."""
    found = list(dict.fromkeys(values))
    return found if any(isinstance(value, str) for value in found) else sorted(found)


def ratios(panel):
    """How many times worse than the best of a field each value is, and the value as it is written:
    [(x, y, text, ratio)]."""
    points = [point for point in panel["series"][0]["points"] if point[2] is not None] \
        if panel["series"] else []
    values = [value for _, _, value, *_ in points]
    if not values or min(values) <= 0:
        def ratio(_):
            return 1.0
    elif panel["value"].get("best") == "highest":
        def ratio(value):
            return max(values) / value
    else:
        def ratio(value):
            return value / min(values)
    _, scale = field_unit(panel)
    return [(x, y, "\n\u00b1 ".join([digits(value / scale), *(half_digits(one / scale) for one in half_width)]),
             ratio(value)) for x, y, value, *half_width in points]


def field_unit(panel):
    """The unit in which the values of a field are written (None: its own), and its microseconds."""
    values = [point[2] for series in panel["series"] for point in series["points"]]
    return style.time_unit(largest_of(values)) if is_long(panel["value"], values) else (None, 1.0)


def digits(value):
    """Four digits, or a whole number in groups of three."""
    return f"{value:,.0f}".replace(",", "\u202f") if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def half_digits(value):
    """Two digits, in full and in groups of three where it is long, like digits()."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    rounded = float(f"{value:.1e}")
    if abs(rounded) >= 1e4:
        return digits(rounded)
    return f"{rounded:.{max(0, 1 - math.floor(math.log10(abs(rounded))))}f}"


def shades(panels):
    """The one scale of all fields of a picture, so that their colours can be compared: how many
    times the best of its field a value is, logarithmic where that is a lot."""
    worst = max([ratio for panel in panels for *_, ratio in ratios(panel)], default=1.0)
    colours = LinearSegmentedColormap.from_list("netsim", style.FIELD)
    norm = LogNorm(1.0, worst) if worst > MOST_LINEAR else Normalize(1.0, max(worst, 1.05))
    return matplotlib.cm.ScalarMappable(norm, colours)


def draw_heat(sheet, axes, panel, scale, prefix):
    """One series of (x, y, value): a field for each pair; (x, y, null, how it ended)."""
    points = panel["series"][0]["points"] if panel["series"] else []
    columns, rows = in_order([x for x, *_ in points]), in_order([y for _, y, *_ in points])
    field = [[math.nan] * len(columns) for _ in rows]
    crowded = len(columns) * (1 if sheet.is_wide(axes) else 2) > 22
    for x, y, text, ratio in ratios(panel):
        row, column = rows.index(y), columns.index(x)
        field[row][column] = ratio
        dark = scale.norm(ratio) > 0.55
        if not crowded:
            axes.text(column, row, text, ha="center", va="center", fontsize=7,
                      color=style.LIGHT if dark else style.INK, zorder=3,
                      fontweight="bold" if ratio < 1 + 1e-9 else "normal")
    for x, y, value, *state in points:
        if value is None:
            sign, = axes.plot(columns.index(x), rows.index(y), linestyle="none",
                              **sheet.add_failure(state[0] if state else "failed"))
            sign.set_gid(f"{prefix}failed-{columns.index(x)}-{rows.index(y)}")
    if field:
        mesh = axes.pcolormesh([c - 0.5 for c in range(len(columns) + 1)],
                               [r - 0.5 for r in range(len(rows) + 1)], field, cmap=scale.cmap,
                               norm=scale.norm, edgecolors=style.PAPER, linewidth=1.2)
        mesh.set_gid(f"{prefix}heat")
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    for axis, values, about in ((axes.xaxis, columns, panel["x"]), (axes.yaxis, rows, panel["y"])):
        axis.set_ticks(range(len(values)), [tick_text(value, about, values) for value in values])
        axis.set_label_text(label(about, "times" if is_long(about, values) else True))


# ---- A picture ----------------------------------------------------------------------------------

def is_filled(panel):
    """Whether a panel has bars, or signs alone, which no line distinguishes."""
    return panel.get("kind") == "bars" or is_alone(panel)


def without_lines(document, keys):
    """The stacks (`keys`: name -> stack) of which two series are not distinguished by their lines: as
    bars, or on each other."""
    found = set()
    for panel in document["panels"]:
        if is_filled(panel):
            found.update(keys.get(series["name"]) for series in panel["series"])
        elif panel.get("kind", "lines") == "lines":
            for pile in piles(panel):
                stacks = [keys.get(name) for name in pile]
                found.update(stack for stack in stacks if stacks.count(stack) > 1)
    return found


def series_looks(document):
    """Name: look, over all panels, so that a series looks the same in each."""
    keys, measured = {}, {}
    for panel in document["panels"]:
        for series in panel["series"]:
            stack = series.get("stack")  # "": one of many that have no look of their own
            into = measured if series.get("measured") else keys
            into.setdefault(series["name"], series["name"] if stack is None else stack)
    most = {}
    for panel in document["panels"]:
        here = [keys.get(series["name"]) for series in panel["series"]]
        for key in here:
            most[key] = max(most.get(key, 0), here.count(key))
    found = dict(zip(keys, style.looks(list(keys.values()), most, without_lines(document, keys))))
    taken = {}
    for name, look in found.items():
        taken.setdefault(keys[name], look)
    for name, key in measured.items():
        taken[key] = found[name] = (style.colour_of(key, taken), "o", "none")
    return found


def notes_of(document):
    """The notes below a picture: what failed, what is missing, what the marks are, the source."""
    notes = [f"\u00d7 {series['name']}: {series['failure']['text']}"
             for panel in document["panels"] for series in panel["series"] if series.get("failure")]
    fields = [panel for panel in document["panels"] if panel.get("kind") == "heat"]
    one = len({field_unit(panel)[0] for panel in fields}) < 2
    notes += [f"in the field{'s' if one else ' ' + panel.get('title', '')}: "
              f"{label(panel['value'], unit=field_unit(panel)[0])}, "
              f"the {panel['value'].get('best', 'lowest')} in bold" for panel in fields]
    notes += document.get("notes", [])
    if any(panel.get("kind", "lines") == "lines" and len(with_bars(panel)) > 1
           for panel in document["panels"]):
        notes.append("series with intervals stand a little aside of each other")
    notes += notes_of_piles(document["panels"])
    for panel in document["panels"]:
        for mark in panel.get("marks", []):
            notes.append(note_of(mark))
    return notes


def note_of(mark):
    """"line 1.7 Gb/s: CMT at 1 MB (its source)": with the number of the mark, if the note lacks it."""
    sign = SIGN_OF_MARK["point" if mark.get("series") else mark["kind"]]
    note = mark.get("note") or mark["text"]
    missing = [number for number in re.findall(r"\d[\d.]*", mark["text"]) if number not in note]
    return f"{sign}{' ' + mark['text'] if missing else ''}: {note} ({mark['source']})"


def notes_of_piles(panels):
    """Explains how lines that lie on each other are drawn."""
    found = [pile for panel in panels if panel.get("kind", "lines") == "lines"
             for pile in piles(panel)]
    notes = [f"{len(pile)} lines lie on each other at most places, from {pile[0]}, which is on top, "
             f"to {pile[-1]}" for pile in found if len(pile) > MOST_NESTED]
    if any(len(pile) <= MOST_NESTED for pile in found):
        notes.append("of lines that lie on each other the one that is named first is on top, and "
                     "those below are wider")
    return notes


def scale_label(fields):
    """The label of the colours of the fields, in lines that are no longer than the fields are high."""
    what = {field["value"]["label"] for field in fields}
    what = what.pop() if len(what) == 1 else "value"
    best = {field["value"].get("best", "lowest") for field in fields}
    text = {("lowest",): f"{what} / lowest of the field",
            ("highest",): f"highest of the field / {what}"}.get(
                tuple(best), "times worse than the best of the field")
    return textwrap.fill(text, 20 if rows_of(fields) < 6 else 60)


def rows_of(fields):
    return max(len({point[1] for series in field["series"] for point in series["points"]})
               for field in fields)


def draw(document):
    """A document as a figure of matplotlib."""
    panels = document["panels"]
    fields = [panel for panel in panels if panel.get("kind") == "heat"]
    sheet = Sheet(document["id"], len(panels), columns=document.get("columns", 2), widen=not fields,
                  heights=[panel.get("height", 1.0) for panel in panels])
    all_looks = series_looks(document)
    scale = shades(fields) if fields else None
    for number, (axes, panel) in enumerate(zip(sheet.panels, panels)):
        draw_panel(sheet, axes, panel, (all_looks, scale), f"p{number + 1}-")
    if fields:
        bar = sheet.figure.colorbar(
            scale, ax=[axes for axes, panel in zip(sheet.panels, panels) if panel in fields],
            label=scale_label(fields), aspect=40, pad=0.02)
        bar.outline.set_visible(False)
        if isinstance(scale.norm, LogNorm):
            style.number_axis(bar.ax.yaxis, "log", [1.0, scale.norm.vmax])
            style.set_limits(bar.ax.yaxis, 1.0, scale.norm.vmax)
    source = document.get("source")
    row_height = 0.95 + 0.3 * max(3, rows_of(fields)) if fields and len(fields) == len(panels) else \
        max([3.3, *(0.9 + NAME_HEIGHT * lines_of_names(panel, sheet.is_wide(axes))
                    for axes, panel in zip(sheet.panels, panels))])
    return sheet.finish(document["title"], f"after {source}" if source else None,
                        notes_of(document), row_height)


def draw_panel(sheet, axes, panel, looks, prefix):
    kind, (all_looks, scale) = panel.get("kind", "lines"), looks
    if kind == "heat":
        draw_heat(sheet, axes, panel, scale, prefix)
    elif is_alone(panel):
        draw_values(sheet, axes, panel, all_looks, prefix)
    elif kind == "bars":
        draw_bars(sheet, axes, panel, all_looks, prefix)
    else:
        lines = draw_lines(sheet, axes, panel, all_looks, prefix)
        # Without anything simulated there is nothing to hold a mark against.
        if lines:
            Marks(axes, panel, lines, sheet.is_wide(axes)).draw(prefix)
            if any(mark["kind"] == "point" for mark in panel.get("marks", [])):
                sheet.add_sign("printed in the source", **style.RING_SIGN)
    if panel.get("title"):
        axes.set_title(panel["title"], loc="left")
    if not any(series["points"] or series.get("failure") for series in panel["series"]):
        axes.text(0.5, 0.5, "nothing to draw", transform=axes.transAxes, ha="center",
                  color=style.MUTED)


# ---- Main ---------------------------------------------------------------------------------------

def draw_one(path, form, out):
    document = style.load(path)
    style.write(out, style.picture(draw(document), form))


def draw_gallery(path, form, directory):
    import gallery  # pylint: disable=import-outside-toplevel
    import page  # pylint: disable=import-outside-toplevel
    listing = style.load(path)
    drawn = []
    for entry in listing["figures"]:
        started = time.monotonic()
        document = style.load(os.path.join(directory, "data", entry["id"] + ".json"))
        figure = draw(document)
        svg = style.picture(figure, "svg")
        name = f"{document['file']}.{form}"
        style.write(os.path.join(directory, name),
                    svg if form == "svg" else style.picture(figure, form))
        drawn.append((entry, document, name, svg.decode("utf-8")))
        print(f"{name} {time.monotonic() - started:.2f}", flush=True)
    style.write(os.path.join(directory, "index.html"),
                gallery.page_of(listing, drawn, page.Pictures(sys.modules[__name__])).encode("utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--format", choices=["svg", "png", "pdf"], help="else as --out ends; svg")
    parser.add_argument("--out", help="file of a single picture")
    parser.add_argument("--gallery", action="store_true", help="draw all that a gallery lists")
    parser.add_argument("document", help="one picture (-: of stdin), or a gallery's list")
    parser.add_argument("directory", nargs="?", help="of the gallery")
    arguments = parser.parse_args()
    ending = os.path.splitext(arguments.out or "")[1].lstrip(".")
    form = arguments.format or (ending if ending in style.METADATA else "svg")
    try:
        if arguments.gallery:
            draw_gallery(arguments.document, form, arguments.directory or ".")
        else:
            draw_one(arguments.document, form,
                     arguments.out or os.path.splitext(arguments.document)[0] + "." + form)
    except (OSError, ValueError, KeyError) as problem:
        what = f"the document lacks {problem}" if isinstance(problem, KeyError) else problem
        sys.exit(f"draw.py: {what}")


if __name__ == "__main__":
    main()
