#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws where the time of a message goes, from what `netsim explain --format json` prints.

    explain.py [--format svg|png|pdf] --out FILE DOCUMENT.json

One panel for each series: the classes of the stages of a message's path, stacked over message sizes
as shares of its time, the largest at the bottom. A single size, or a free program, is one bar for
each series.
Sizes that failed are left out, and a note below gives the reason.
"""

import style  # first: it chooses the backend

from sheet import Sheet

MOST_STAGES = 14  # what is smaller goes into "other"
# Neighbours differ in lightness as well as in hue; the last is that of "other".
COLOURS = ["#0072b2", "#e69f00", "#56b4e9", "#d55e00", "#f0e442", "#009e73", "#cc79a7", "#332288",
           "#999933", "#882255", "#b9e0a5", "#44322a", "#f4b6c2", "#0b4f3c", "#bbbbbb"]


def names_of(document):
    """The classes by their share of the time over all series, largest first; then "other"."""
    shares = {}
    for series in document["series"]:
        for stage, times in series["classes"].items():
            for time, total in zip(times, series["total"]):
                if time is not None and total:
                    shares[stage] = shares.get(stage, 0.0) + time / total
    ordered = sorted(shares, key=lambda stage: (-shares[stage], stage))
    return ordered[:MOST_STAGES], ordered[MOST_STAGES:]


def layers_of(series, kept, rest):
    """[(stage, [share of each size that was done])] and those sizes."""
    done = [i for i, total in enumerate(series["total"]) if total]
    def share(stage, i):
        times = series["classes"].get(stage)
        return 100.0 * times[i] / series["total"][i] if times and times[i] is not None else 0.0
    layers = [(stage, [share(stage, i) for i in done]) for stage in kept]
    if rest:
        layers.append(("other", [sum(share(stage, i) for stage in rest) for i in done]))
    return layers, [series["sizes"][i] for i in done]


def colours_of(layers):
    return [COLOURS[-1] if stage == "other" else COLOURS[i] for i, (stage, _) in enumerate(layers)]


def draw_stack(axes, layers, sizes, prefix, wide):
    areas = axes.stackplot(sizes, [shares for _, shares in layers], colors=colours_of(layers),
                           labels=[stage for stage, _ in layers], edgecolor=style.PAPER,
                           linewidth=0.4)
    for area, (stage, _) in zip(areas, layers):
        area.set_gid(f"{prefix}stage-{style.slug(stage)}")
    style.size_axis(axes.xaxis, sizes, 13 if wide else 7)
    axes.set_xlim(min(sizes), max(sizes))
    axes.set_xlabel("message size")


def draw_bar(axes, layers, prefix):
    bottom = 0.0
    for (stage, shares), colour in zip(layers, colours_of(layers)):
        bar = axes.bar([0], shares[:1], 0.6, bottom=bottom, color=colour, label=stage,
                       edgecolor=style.PAPER, linewidth=0.4)
        bar[0].set_gid(f"{prefix}stage-{style.slug(stage)}")
        if shares[0] > 4:
            dark = sum(int(colour[i:i + 2], 16) for i in (1, 3, 5)) < 380
            axes.text(0, bottom + shares[0] / 2, f"{stage} {shares[0]:.0f} %", ha="center",
                      va="center", fontsize=7, color="#f0f0f0" if dark else "#101010")
        bottom += shares[0]
    axes.set_xticks([])
    axes.set_xlim(-0.6, 0.6)


def failures(document):
    lines = []
    for series in document["series"]:
        for failure in series.get("failures", []):
            reason = failure.get("reason") or {}
            text = reason.get("text") if isinstance(reason, dict) else reason
            size = failure.get("size")
            at = f" at {style.size_text(size)}" if isinstance(size, int) and size >= 0 else ""
            lines.append(f"\u00d7 {series['name']}{at}: {text or 'it failed'}")
    return lines


def time_text(us):
    return f"{us:.1f} \u00b5s" if us < 10000 else f"{us / 1000:.1f} ms"


def draw(document):
    """A document of `netsim explain` as a figure of matplotlib."""
    series_list = [one for one in document["series"] if any(one["total"])]
    if not series_list:
        raise ValueError("no message was explained, so there is nothing to draw")
    kept, rest = names_of(document)
    over_sizes = len(series_list[0]["sizes"]) > 1
    sheet = Sheet(document["scenario"], len(series_list), 2 if over_sizes else 4)
    for number, (axes, series) in enumerate(zip(sheet.panels, series_list)):
        layers, sizes = layers_of(series, kept, rest)
        if len(sizes) > 1:
            draw_stack(axes, layers, sizes, f"p{number + 1}-", sheet.is_wide(axes))
        else:
            draw_bar(axes, layers, f"p{number + 1}-")
        totals = [total for total in series["total"] if total]
        span = time_text(totals[0]) if len(totals) == 1 else \
            f"{time_text(min(totals))} to {time_text(max(totals))}"
        axes.set_title(f"{series['name']}: {span}", loc="left")
        axes.set_ylim(0, 100)
        axes.set_ylabel("share of the time (%)")
    return sheet.finish(f"Where the time of a message goes: {document['scenario']}", None,
                        failures(document), 3.0)


if __name__ == "__main__":
    style.program(__doc__, "explain.py", draw)
