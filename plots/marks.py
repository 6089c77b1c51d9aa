# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a source prints, drawn over simulated curves: shades, lines, and open rings with texts
placed where they cover nothing."""
import textwrap

import style  # first: it chooses the backend

# The text of a mark does not make room for itself: its place may lie outside of the view.
TEXT = {"fontsize": 7.5, "color": style.MUTED, "in_layout": False, "clip_on": True, "zorder": 4}
# Of a character and a line of such a text, and of a panel, in inches: about, as panels get their
# size when all of them are drawn.
CHARACTER, LINE = 0.068, 0.125
PANEL = (3.6, 2.75)
CLEAR = 0.015  # of what is covered, in parts of the axes: half a marker


def between(axis, low, high):
    return (low * high) ** 0.5 if axis["scale"] == "log" and low > 0 else (low + high) / 2


def heights_within(line, left, right):
    """The least and the greatest height of a line of (x, y) from left to right; None outside."""
    found = []
    for one, other in zip(line, line[1:]):
        (start, low), (end, high) = sorted((one, other))
        if end < left or right < start:
            continue
        slope = (high - low) / (end - start) if end > start else 0.0
        found += [low + slope * (max(left, start) - start),
                  low + slope * (min(right, end) - start) if slope else high]
    return (min(found), max(found)) if found else None


class Marks:
    """The marks of one panel. `lines` are the points of its series; `wide`: whether the panel has
    the whole width of the picture."""

    def __init__(self, axes, panel, lines, wide):
        self.axes, self.panel = axes, panel
        self.width, self.height = PANEL[0] * (2.2 if wide else 1), PANEL[1]
        to_axes = axes.transData + axes.transAxes.inverted()
        self.lines = [[tuple(to_axes.transform(point)) for point in line] for line in lines]
        self.taken = []  # boxes of texts
        for mark in panel.get("marks", []):
            if mark["kind"] == "horizontal":
                y = to_axes.transform((axes.get_xlim()[0], mark["y"]))[1]
                self.lines.append([(0.0, y), (1.0, y)])
            elif mark["kind"] == "point":
                x, y = to_axes.transform((mark["x"], mark["y"]))
                self.taken.append((x, y, x, y))
        self.to_axes = to_axes

    def gap(self, box):
        """How far a box (left, bottom, right, top) in parts of the axes is from all there is; below
        0: it covers something, or lies outside."""
        left, bottom, right, top = box
        gaps = [left - CLEAR, bottom, 1 + CLEAR - right, 1 + CLEAR - top]  # ticks are at the left
        for line in self.lines:
            within = heights_within(line, left, right)
            if within:
                gaps.append(max(within[0] - top, bottom - within[1]))
        for other in self.taken:
            gaps.append(max(other[0] - right, left - other[2], other[1] - top, bottom - other[3]))
        return min(gaps)

    def put(self, text, places, **look):
        """Writes a text at the first of the places (x, y, side, end) where it covers nothing, else
        where it covers least. x and y are in parts of the axes."""
        rows = text.split("\n")
        width = (CHARACTER * max(len(row) for row in rows) + 0.04) / self.width
        height = LINE * len(rows) / self.height
        best = None
        for x, y, side, end in places:
            left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[side] * width
            bottom = y - {"bottom": 0.0, "center": 0.5, "top": 1.0}[end] * height
            box = (left, bottom, left + width, bottom + height)
            gap = self.gap(box)
            if best is None or gap > best[0]:
                best = (gap, box, (x, y, side, end))
            if gap >= CLEAR:
                break
        _, box, (x, y, side, end) = best
        self.taken.append(box)
        self.axes.text(x, y, text, transform=self.axes.transAxes, ha=side, va=end,
                       **{**TEXT, **look})

    def x_of(self, value):
        return self.to_axes.transform((value, self.axes.get_ylim()[0]))[0]

    def along(self, mark, low, high):
        """The text of a shade or an upright line: in it, or right of it."""
        x = self.x_of(between(self.panel["x"], low, high))
        heights = [0.985 - 0.05 * step for step in range(20)]
        if low < high:
            self.put(textwrap.fill(mark["text"], 8), [(x, y, "center", "top") for y in heights])
        else:
            self.put(mark["text"], [(x + side / self.width, y, end, "top") for side, end in
                                    ((0.05, "left"), (-0.05, "right")) for y in heights])

    def across(self, mark):
        """The text of a line across: above it or below it, from the left to the right."""
        y = self.to_axes.transform((self.axes.get_xlim()[0], mark["y"]))[1]
        sides = [(0.02 + 0.11 * step, "left") for step in range(8)] + [(0.99, "right")]
        self.put(mark["text"], [(x, y + lift / self.height, side, end)
                                for lift, end in ((0.02, "bottom"), (-0.02, "top"))
                                for x, side in sides])

    def ring(self, mark):
        drawn, = self.axes.plot(mark["x"], mark["y"], **style.RING, zorder=6)
        x, y = self.to_axes.transform((mark["x"], mark["y"]))
        aside, lift = 0.07 / self.width, 0.03 / self.height
        self.put(mark["text"], [(x - aside, y, "right", "center"),
                                (x + aside, y + lift, "left", "bottom"),
                                (x - aside, y + lift, "right", "bottom"),
                                (x - aside, y - lift, "right", "top"),
                                (x + aside, y - lift, "left", "top")],
                 color=style.INK, zorder=6)
        return drawn

    def draw_one(self, mark):
        kind = mark["kind"]
        dashed = {"color": style.MUTED, "linewidth": 1, "linestyle": (0, (4, 3))}
        if kind == "band":
            self.along(mark, mark["from"], mark["to"])
            return self.axes.axvspan(mark["from"], mark["to"], color=style.SHADE, zorder=0,
                                     linewidth=0)
        if kind == "vertical":
            self.along(mark, mark["x"], mark["x"])
            return self.axes.axvline(mark["x"], **dashed)
        if kind == "horizontal":
            self.across(mark)
            return self.axes.axhline(mark["y"], **dashed)
        return self.ring(mark)

    def draw(self, prefix):
        """Draws all that lie in view. They do not widen the axes."""
        (low, high), heights = self.axes.get_xlim(), self.axes.get_ylim()
        marks = self.panel.get("marks", [])
        for number, mark in enumerate(marks):
            if mark["kind"] != "horizontal" and not (
                    low <= mark.get("to", mark.get("x"))
                    and mark.get("from", mark.get("x")) <= high):
                continue
            drawn = self.draw_one(mark)
            name = style.slug(mark.get("claim") or str(number))
            # A claim may have several marks: the second is called so.
            others = sum(mark.get("claim") == one.get("claim") for one in marks[:number])
            more = f"-{others + 1}" if mark.get("claim") and others else ""
            drawn.set_gid(f"{prefix}mark-{name}{more}")
        self.axes.set_xlim(low, high)
        self.axes.set_ylim(heights)
