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
import json
import os
import sys
import textwrap
import time

import style  # first: it chooses the backend

from matplotlib.figure import Figure

NOTE_WIDTH = 138  # characters of a note's line below a picture
LINE_HEIGHT = 0.155  # inches
# The text of a mark does not make room for itself: its place may lie outside of the view.
MARK_TEXT = {"fontsize": 7.5, "color": style.MUTED, "in_layout": False, "clip_on": True}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# ---- Panels -------------------------------------------------------------------------------------

def is_size(axis):
    return axis.get("unit") == "B"


def label(axis):
    if not axis.get("unit"):
        return axis["label"]
    unit = {"us": "\u00b5s"}.get(axis["unit"], axis["unit"])
    return f"{axis['label']} ({unit})"


def drawable(points, x_axis, y_axis):
    """The points that the scales can show; a logarithmic axis has no 0 but that of sizes."""
    def fits(value, axis, sizes):
        return value is not None and (axis["scale"] != "log" or value > 0 or (sizes and value == 0))
    return [(x, y) for x, y in points
            if not isinstance(x, str) and fits(x, x_axis, is_size(x_axis)) and fits(y, y_axis, False)]


def scale_axes(axes, panel, found):
    """The scales of lines through `found`; what the reference states along y is in view, too."""
    x_axis, y_axis = panel["x"], panel["y"]
    if is_size(x_axis) and x_axis["scale"] == "log":
        if found:
            wide = axes.get_subplotspec().get_gridspec().ncols == 1
            style.size_axis(axes.xaxis, [x for x, _ in found], 13 if wide else 8)
    else:
        style.number_axis(axes.xaxis, x_axis["scale"])
        if is_size(x_axis):
            axes.xaxis.set_major_formatter(lambda value, _: style.size_text(value))
    heights = [y for _, y in found] + [mark["y"] for mark in panel.get("marks", []) if "y" in mark]
    style.number_axis(axes.yaxis, y_axis["scale"], heights if found else [],
                      y_axis.get("zero", True))
    if y_axis.get("range"):
        axes.set_ylim(*y_axis["range"])
    axes.set_xlabel(label(x_axis))
    axes.set_ylabel(label(y_axis))


def draw_lines(axes, panel, all_looks, prefix):
    found = []
    for series in panel["series"]:
        points = drawable(series["points"], panel["x"], panel["y"])
        colour, marker, line = all_looks[series["name"]]
        if not points:
            draw_failed_at(axes, series, colour, prefix)
            continue
        drawn, = axes.plot([x for x, _ in points], [y for _, y in points], color=colour,
                           marker=marker, linestyle=line, label=series["name"])
        drawn.set_gid(f"{prefix}series-{style.slug(series['name'])}")
        found += points
        if series.get("failure"):
            cross, = axes.plot(*points[-1], marker="x", markersize=9, markeredgewidth=2,
                               color=style.FAILURE, linestyle="none", zorder=5)
            cross.set_gid(f"{prefix}failure-{style.slug(series['name'])}")
        draw_failed_at(axes, series, colour, prefix)
    scale_axes(axes, panel, found)


def draw_failed_at(axes, series, colour, prefix):
    """Crosses at the bottom, at the places along x that have no value because a run failed."""
    places = [x for x, _ in series.get("failed_at", [])]
    if places:
        crosses, = axes.plot(places, [0.03] * len(places), marker="x", markersize=7,
                             markeredgewidth=2, color=colour, linestyle="none",
                             transform=axes.get_xaxis_transform(), zorder=5, clip_on=False)
        crosses.set_gid(f"{prefix}failed-{style.slug(series['name'])}")


def draw_bars(axes, panel, all_looks, prefix):
    """Groups along x (of texts or numbers), a bar for each series in it."""
    groups = []
    for series in panel["series"]:
        groups += [x for x, _ in series["points"] if x not in groups]
    width = 0.8 / max(1, len(panel["series"]))
    for place, series in enumerate(panel["series"]):
        shift = (place - (len(panel["series"]) - 1) / 2) * width
        points = [(groups.index(x) + shift, y) for x, y in series["points"] if y is not None]
        bars = axes.bar([x for x, _ in points], [y for _, y in points], width * 0.92,
                        color=all_looks[series["name"]][0], label=series["name"])
        for number, bar in enumerate(bars):
            bar.set_gid(f"{prefix}bar-{style.slug(series['name'])}-{number}")
    axes.set_xticks(range(len(groups)))
    texts = [style.size_text(x) if is_size(panel["x"]) else
             x if isinstance(x, str) else style.number_text(x) for x in groups]
    axes.set_xticklabels(texts)
    axes.grid(axis="x", visible=False)
    style.number_axis(axes.yaxis, panel["y"]["scale"])
    axes.set_xlabel(label(panel["x"]))
    axes.set_ylabel(label(panel["y"]))


def draw_heat(axes, panel, prefix):
    """One series of (x, y, value): a field for each pair."""
    points = panel["series"][0]["points"] if panel["series"] else []
    columns = sorted({x for x, _, _ in points}, key=lambda v: (isinstance(v, str), v))
    rows = sorted({y for _, y, _ in points}, key=lambda v: (isinstance(v, str), v))
    field = [[float("nan")] * len(columns) for _ in rows]
    for x, y, value in points:
        if value is not None:
            field[rows.index(y)][columns.index(x)] = value
    image = axes.imshow(field, origin="lower", aspect="auto", cmap="cividis")
    image.set_gid(f"{prefix}heat")
    axes.grid(visible=False)
    known = [value for row in field for value in row if value == value]
    middle = (min(known) + max(known)) / 2 if known else 0
    for r, row in enumerate(field):
        for c, value in enumerate(row):
            missing = value != value
            text = "failed" if missing else f"{value:.4g}"
            colour = style.FAILURE if missing else "#f0f0f0" if value < middle else "#101010"
            if len(columns) <= 10 and len(rows) <= 14:
                axes.text(c, r, text, ha="center", va="center", fontsize=7, color=colour)
    for axis, values, name in ((axes.xaxis, columns, "x"), (axes.yaxis, rows, "y")):
        axis.set_ticks(range(len(values)))
        about = panel[name]
        axis.set_ticklabels([v if isinstance(v, str) else
                             style.size_text(v) if is_size(about) else style.number_text(v)
                             for v in values])
        axis.set_label_text(label(about))
    bar = axes.figure.colorbar(image, ax=axes, label=label(panel["value"]))
    bar.outline.set_visible(False)


# ---- What the reference prints ------------------------------------------------------------------

def roomy_end(axes, panel, low, high):
    """Whether a text at the top or the bottom of low .. high along x covers fewer points."""
    to_axes = axes.transData + axes.transAxes.inverted()
    spread = [to_axes.transform(point)[1] for series in panel["series"]
              for point in drawable(series["points"], panel["x"], panel["y"])
              if low <= point[0] <= high]
    spread += [to_axes.transform((low, mark["y"]))[1] for mark in panel["marks"]
               if mark["kind"] == "horizontal"]
    return "bottom" if spread and max(spread) > 0.8 and min(spread) > 0.2 else "top"


def roomy_side(axes, panel, height):
    """Whether a text on a line across covers fewer points at its left or at its right end."""
    to_axes = axes.transData + axes.transAxes.inverted()
    line = to_axes.transform((axes.get_xlim()[0], height))[1]
    near = [to_axes.transform(point)[0] for series in panel["series"]
            for point in drawable(series["points"], panel["x"], panel["y"])
            if -0.02 < to_axes.transform(point)[1] - line < 0.08]
    left, right = sum(x < 0.25 for x in near), sum(x > 0.75 for x in near)
    return "right" if right < left else "left"


def draw_text_along(axes, panel, mark, low, high):
    """The text of a shade or an upright line, in it or right of it, where there is room."""
    end = mark.get("place") or roomy_end(axes, panel, low, high)
    text, align = (" " + mark["text"], "left") if low == high else \
        (textwrap.fill(mark["text"], 8), "center")
    axes.text(middle(low, high, panel["x"]), 0.02 if end == "bottom" else 0.985, text,
              transform=axes.get_xaxis_transform(), ha=align, va=end, zorder=4, **MARK_TEXT)


def draw_mark(axes, panel, mark):
    kind = mark["kind"]
    if kind == "band":
        draw_text_along(axes, panel, mark, mark["from"], mark["to"])
        return axes.axvspan(mark["from"], mark["to"], color=style.SHADE, zorder=0, linewidth=0)
    dashed = {"color": style.MUTED, "linewidth": 1, "linestyle": (0, (4, 3))}
    if kind == "vertical":
        draw_text_along(axes, panel, mark, mark["x"], mark["x"])
        return axes.axvline(mark["x"], **dashed)
    if kind == "horizontal":
        end = roomy_side(axes, panel, mark["y"])
        axes.text(0.01 if end == "left" else 0.99, mark["y"], mark["text"], ha=end, va="bottom",
                  transform=axes.get_yaxis_transform(), **MARK_TEXT)
        return axes.axhline(mark["y"], **dashed)
    ring, = axes.plot(mark["x"], mark["y"], marker="o", markersize=7, linestyle="none",
                      markerfacecolor="none", markeredgecolor=style.INK, markeredgewidth=1.1,
                      zorder=6)
    below = mark.get("place") == "bottom"
    axes.annotate(mark["text"], (mark["x"], mark["y"]), textcoords="offset points",
                  xytext=(7, -8 if below else 8), fontsize=8, color=style.INK, zorder=6,
                  va="top" if below else "bottom")
    return ring


def is_in_view(axes, mark):
    """Whether any of a mark lies within the axis of x."""
    low, high = axes.get_xlim()
    if mark["kind"] == "horizontal":
        return True
    return low <= mark.get("to", mark.get("x")) and mark.get("from", mark.get("x")) <= high


def draw_marks(axes, panel, prefix):
    """Shades, lines, and reference points as open rings, each with its text. They do not widen the
    axis, and without anything simulated there is nothing to hold them against."""
    if not any(series["points"] for series in panel["series"]):
        return
    (low, high), heights = axes.get_xlim(), axes.get_ylim()
    for number, mark in enumerate(panel.get("marks", [])):
        if is_in_view(axes, mark):
            drawn = draw_mark(axes, panel, mark)
            drawn.set_gid(f"{prefix}mark-{style.slug(mark.get('claim') or str(number))}")
    axes.set_xlim(low, high)
    axes.set_ylim(heights)


def middle(low, high, axis):
    return (low * high) ** 0.5 if axis["scale"] == "log" and low > 0 else (low + high) / 2


# ---- A picture ----------------------------------------------------------------------------------

def series_looks(document):
    """Name: look, over all panels, so that a series looks the same in each."""
    keys = {}
    for panel in document["panels"]:
        for series in panel["series"]:
            keys.setdefault(series["name"], series.get("stack") or series["name"])
    return dict(zip(keys, style.looks(list(keys.values()))))


def note_lines(document):
    """What stands below a picture: what failed, what is missing, what the marks are, the source."""
    lines = []
    for panel in document["panels"]:
        for series in panel["series"]:
            failure = series.get("failure")
            if failure:
                lines.append(f"\u00d7 {series['name']}: {failure['text']}")
    lines += document.get("notes", [])
    for panel in document["panels"]:
        for mark in panel.get("marks", []):
            sign = {"band": "shaded", "vertical": "line", "horizontal": "line"}.get(mark["kind"],
                                                                                  "ring")
            lines.append(f"{sign}: {mark.get('note') or mark['text']} ({mark['source']})")
    wrapped = []
    for line in dict.fromkeys(lines):
        wrapped += textwrap.wrap(line, NOTE_WIDTH, subsequent_indent="    ")
    return wrapped


def draw(document):
    """A document as a figure of matplotlib."""
    style.setup(document["id"])
    panels = document["panels"]
    lines = note_lines(document)
    columns = min(2, max(1, len(panels)))
    rows = max(1, -(-len(panels) // columns))
    notes_height = LINE_HEIGHT * len(lines) + (0.12 if lines else 0.0)
    head, body = 0.62, 3.3
    height = head + rows * body + notes_height
    figure = Figure(figsize=(style.WIDTH, height), layout="constrained")
    figure.get_layout_engine().set(rect=(0, notes_height / height, 1,
                                         1 - (notes_height + head) / height))
    figure.text(0.012, 1 - 0.1 / height, document["title"], fontsize=11.5, fontweight="bold",
                va="top")
    if lines:
        figure.text(0.012, notes_height / height, "\n".join(lines), fontsize=7.5,
                    color=style.MUTED, va="top", linespacing=1.45)
    all_looks = series_looks(document)
    grid = figure.subplots(rows, columns, squeeze=False)
    handles = {}
    for number, axes in enumerate(grid.flat):
        if number >= len(panels):
            axes.set_visible(False)
            continue
        draw_panel(axes, panels[number], all_looks, f"p{number + 1}-")
        for handle, name in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(name, handle)
    if len(handles) > 1 or (handles and not document.get("hide_single_legend")):
        figure.legend(handles.values(), handles.keys(), loc="upper left",
                      bbox_to_anchor=(0.005, 1 - 0.3 / height), ncols=min(6, len(handles)),
                      borderaxespad=0, columnspacing=1.6)
    return figure


def draw_panel(axes, panel, all_looks, prefix):
    kind = panel.get("kind", "lines")
    if kind == "heat":
        draw_heat(axes, panel, prefix)
    elif kind == "bars":
        draw_bars(axes, panel, all_looks, prefix)
    else:
        draw_lines(axes, panel, all_looks, prefix)
    draw_marks(axes, panel, prefix)
    if panel.get("title"):
        axes.set_title(panel["title"], loc="left")
    if not any(series["points"] for series in panel["series"]):
        axes.text(0.5, 0.5, "nothing to draw", transform=axes.transAxes, ha="center",
                  color=style.MUTED)


# ---- Main ---------------------------------------------------------------------------------------

def draw_one(path, form, out):
    document = load(path)
    style.write(out, style.picture(draw(document), form))


def draw_gallery(path, form, directory):
    import gallery  # pylint: disable=import-outside-toplevel
    listing = load(path)
    drawn = []
    for entry in listing["figures"]:
        started = time.monotonic()
        document = load(os.path.join(directory, "data", entry["id"] + ".json"))
        figure = draw(document)
        svg = style.picture(figure, "svg")
        name = f"{document['file']}.{form}"
        style.write(os.path.join(directory, name),
                    svg if form == "svg" else style.picture(figure, form))
        drawn.append((entry, document, name, svg.decode("utf-8")))
        print(f"{name} {time.monotonic() - started:.2f}", flush=True)
    style.write(os.path.join(directory, "index.html"),
                gallery.page(listing, drawn).encode("utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--format", choices=["svg", "png", "pdf"], default="svg")
    parser.add_argument("--out", help="file of a single picture")
    parser.add_argument("--gallery", action="store_true", help="draw all that a gallery lists")
    parser.add_argument("document", help="one picture, or a gallery's list")
    parser.add_argument("directory", nargs="?", help="of the gallery")
    arguments = parser.parse_args()
    try:
        if arguments.gallery:
            draw_gallery(arguments.document, arguments.format, arguments.directory or ".")
        else:
            draw_one(arguments.document, arguments.format,
                     arguments.out or os.path.splitext(arguments.document)[0] + "."
                     + arguments.format)
    except (OSError, ValueError, KeyError) as problem:
        what = f"the document lacks {problem}" if isinstance(problem, KeyError) else problem
        sys.exit(f"draw.py: {what}")


if __name__ == "__main__":
    main()
