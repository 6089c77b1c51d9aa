# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet: title, source, legend and notes around a grid of panels, in the one look of style.py.

Panels are drawn first; their legend and notes then decide how high the sheet is, so that nothing
lies over anything else.
"""
import textwrap

import style  # first: it chooses the backend

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

NOTE_WIDTH = 132  # characters of a note's line
NOTE_HEIGHT = 0.152  # inches, of a line
LEGEND_HEIGHT = 0.2
TITLE_WIDTH = 88  # characters of a title's line
TITLE_HEIGHT = 0.19  # inches, of each further line
MARGIN = 0.1
CHARACTER = 0.074  # inches, of a character in the legend, a little more than most have
HANDLE = 0.56  # what stands before a text in the legend, and the gap after it


class Sheet:
    """A figure of matplotlib with a grid of panels, at most `columns` side by side. With
    `widen`, an odd last one has the whole width. `heights` are those of panels in one column, in
    parts of the usual one."""

    def __init__(self, salt, panels, columns=2, widen=True, heights=()):
        style.setup(salt)
        self.columns = max(1, min(columns, panels))
        self.rows = max(1, -(-panels // self.columns))
        self.figure = Figure(figsize=(style.WIDTH, 3.3 * self.rows), layout="constrained")
        self.heights = list(heights) if self.columns == 1 and heights else [1.0] * self.rows
        grid = self.figure.add_gridspec(self.rows, self.columns, height_ratios=self.heights)
        wide = widen and columns == 2 and panels % 2 == 1
        self.panels = []
        for number in range(panels):
            row, column = divmod(number, self.columns)
            last = wide and number == panels - 1
            self.panels.append(self.figure.add_subplot(grid[row, :] if last else grid[row, column]))
        self.series, self.signs = {}, {}

    @staticmethod
    def is_wide(axes):
        spec = axes.get_subplotspec()
        return spec.colspan.stop - spec.colspan.start == spec.get_gridspec().ncols

    def add_series(self, name, drawn):
        """The legend's entry of a series, which may be drawn in several panels."""
        self.series.setdefault(name, drawn)

    def add_sign(self, name, **look):
        """An entry of the legend for what is no series: `look` as Line2D has it."""
        if name not in self.signs:
            self.signs[name] = Line2D([], [], linestyle="none", **look)

    def add_failure(self, state):
        """The legend's entry of a failure; returns how it is drawn."""
        name, marker, colour = style.FAILURES.get(state, (state, "x", style.FAILURE))
        look = {"marker": marker, "color": colour, "markersize": 7,
                "markeredgewidth": 2 if marker in "x_" else 0}
        self.add_sign(name, **look)
        return look

    def entries(self):
        found = dict(self.series)
        for axes in self.panels:
            for handle, name in zip(*axes.get_legend_handles_labels()):
                found.setdefault(name, handle)
        found.update(self.signs)
        return found

    def finish(self, title, source, notes, row_height=3.3):
        """Puts title, source, legend and notes around the panels. Returns the figure."""
        entries = self.entries()
        columns = fitting_columns([len(name) for name in entries])
        rows = -(-len(entries) // columns) if entries else 0
        lines = []
        for note in dict.fromkeys(notes):
            lines += textwrap.wrap(note, NOTE_WIDTH, subsequent_indent="    ")
        below = NOTE_HEIGHT * len(lines) + (1.6 * MARGIN if lines else 0.0)
        head = textwrap.wrap(title, TITLE_WIDTH - (len(source) if source else 0) * 2 // 3) or [""]
        top = MARGIN + 0.26 + TITLE_HEIGHT * (len(head) - 1)  # of the legend
        above = top + LEGEND_HEIGHT * rows + 0.06
        height = above + row_height * sum(self.heights) + below
        figure = self.figure
        figure.set_size_inches(style.WIDTH, height)
        figure.get_layout_engine().set(
            rect=(0, below / height, 1, 1 - (below + above) / height), hspace=0.03)
        figure.text(0.012, 1 - MARGIN / height, "\n".join(head), fontsize=11.5, fontweight="bold", va="top")
        if source:
            figure.text(0.988, 1 - (MARGIN + 0.02) / height, source, fontsize=8,
                        color=style.MUTED, va="top", ha="right")
        for number, line in enumerate(lines):
            figure.text(0.012, (below - MARGIN - NOTE_HEIGHT * number) / height, line,
                        fontsize=7.5, color=style.MUTED, va="top")
        if entries:
            # Matplotlib leaves out what is called _so: the names come when the entries are there.
            legend = figure.legend(entries.values(), [f"entry {n}" for n in range(len(entries))],
                                   loc="upper left", ncols=columns, borderaxespad=0,
                                   bbox_to_anchor=(0.01, 1 - top / height),
                                   columnspacing=1.6, borderpad=0, labelspacing=0.35)
            for text, name in zip(legend.get_texts(), entries):
                text.set_text(name)
        return figure


def legend_width(lengths, columns):
    """The width in inches of a legend of texts with these lengths. It is filled column by column,
    the first ones with one more if the number is not divisible."""
    rows, longer = divmod(len(lengths), columns)
    width, start = 0.0, 0
    for column in range(columns):
        end = start + rows + (column < longer)
        width += HANDLE + CHARACTER * max(lengths[start:end])
        start = end
    return width


def fitting_columns(lengths):
    """How many columns a legend of texts with these lengths may have, in as few rows as fit."""
    for rows in range(1, len(lengths)):
        columns = -(-len(lengths) // rows)
        if legend_width(lengths, columns) <= style.WIDTH - 0.1:
            return columns
    return 1
