#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws what the bands of a scenario come from, from what `netsim run --draws N --format json` prints.

    causes.py [--format svg|png|pdf] --out FILE DOCUMENT.json

One panel for each series: a bar for each constant with its share of the band, the greatest first,
then those that have less, and the part that no constant explains alone. With `--sensitivity total`
two bars for each section, of what it does alone and together with others, with their intervals.
"""

import style  # first: it chooses the backend

from matplotlib.patches import Patch

from sheet import Sheet

MOST_BARS = 8  # of a panel; smaller ones are summed
BAR_HEIGHT = 0.24  # inches
RISES, FALLS, ALONE, TOGETHER = "#0072b2", "#d55e00", "#0072b2", "#56b4e9"
LEAST_R2 = 0.8  # below it constants act together


def label_of(metric):
    """`latency_us` as it stands in a sentence: latency."""
    words = metric.split("_")
    return " ".join(words[:-1] if len(words) > 1 else words)


def percent(share):
    return f"{100 * share:.0f} %" if share >= 0.005 else "< 1 %"


# ---- By regression on ranks -----------------------------------------------------------------------

def bars_of(series):
    """[(name, share, colour)] of a series, from above."""
    causes = series["causes"]
    shown = causes[:MOST_BARS]
    bars = [(cause["of"], cause["share"], FALLS if cause["sign"] < 0 else RISES) for cause in shown]
    rest = causes[len(shown):]
    if rest:
        bars.append((f"{len(rest)} others", sum(cause["share"] for cause in rest), style.MUTED))
    if "r2" in series:
        bars.append(("not explained", max(0.0, 1.0 - series["r2"]), style.GRID))
    return bars


def draw_causes(axes, series, prefix):
    """Returns the colours in use."""
    bars = bars_of(series)
    for place, (name, share, colour) in enumerate(bars):
        bar, = axes.barh([place], [100 * share], 0.7, color=colour)
        bar.set_gid(f"{prefix}cause-{style.slug(name)}")
        axes.annotate(percent(share), (100 * share, place), (4, 0), textcoords="offset points", va="center", fontsize=7.5)
    name_bars(axes, [name for name, *_ in bars])
    return {colour for *_, colour in bars}


# ---- By Sobol's indices ---------------------------------------------------------------------------

def draw_total(axes, series, prefix):
    groups = series["total"][:MOST_BARS]
    for place, group in enumerate(groups):
        for shift, key, colour in ((-0.2, "first", ALONE), (0.2, "total", TOGETHER)):
            share = max(0.0, group[key])
            low, high = (max(0.0, end) for end in group[f"{key}_between"])
            bar, = axes.barh([place + shift], [100 * share], 0.36, color=colour)
            bar.set_gid(f"{prefix}{key}-{style.slug(group['group'])}")
            line, = axes.plot([100 * low, 100 * high], [place + shift] * 2, color=style.INK, linewidth=1)
            line.set_gid(f"{prefix}{key}-interval-{style.slug(group['group'])}")
            axes.annotate(percent(share), (100 * max(share, high), place + shift), (4, 0), textcoords="offset points",
                          va="center", fontsize=7)
    name_bars(axes, [group["group"] for group in groups])


# ---- The picture ------------------------------------------------------------------------------------

def name_bars(axes, names):
    axes.set_yticks(range(len(names)), names, fontsize=7.5)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("share of the variance (%)")


def draw_panel(axes, series, prefix):
    """Returns the colours in use."""
    metric = series.get("total_of") or series.get("causes_of")
    axes.set_title(f"{series['name']}: {label_of(metric)}" if metric else series["name"], loc="left")
    if not metric:
        nothing = "no draw completed"
    elif "total" in series:
        nothing = None if series["total"] else "it does not vary"
    elif series["causes"]:
        nothing = None
    else:
        nothing = "no cause stands out" if "r2" in series else "no draw changes it"
    if nothing:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.grid(visible=False)
        axes.text(0.5, 0.5, nothing, transform=axes.transAxes, ha="center", va="center", color=style.MUTED)
        return set()
    if "total" in series:
        draw_total(axes, series, prefix)
        return set()
    return draw_causes(axes, series, prefix)


def notes_of(document):
    notes = []
    if any("total" in series for series in document["series"]):
        notes.append("shares of the variance by Sobol's indices, means over the sizes; lines are their 95 % intervals")
        notes.append("fitted constants keep the values of the medians")
    else:
        notes.append("shares of the variance of ranks, means over the sizes")
    for series in document["series"]:
        if "total" not in series and series.get("causes") and series.get("r2", 1.0) < LEAST_R2:
            notes.append(f"{series['name']}: these explain {percent(series['r2'])}; more draws find the smaller ones, "
                         "--sensitivity total those that act together")
        if series["completed"] < document["draws"]:
            notes.append(f"\u00d7 {series['name']}: {series['completed']} of {document['draws']} draws completed")
    return notes


def highest_of(series):
    """The greatest share of a series, or the end of its interval."""
    if "total" in series:
        return max([max(*group["total_between"], *group["first_between"]) for group in series["total"]], default=0.0)
    return max([share for _, share, _ in bars_of(series)], default=0.0) if series.get("causes") else 0.0


def rows_of(series):
    if "total" in series:
        return 2 * min(len(series["total"]), MOST_BARS)
    return len(bars_of(series)) if "causes" in series else 0


def draw(document):
    """A document of `netsim run --draws` as a figure of matplotlib."""
    sheet = Sheet(document["scenario"], len(document["series"]))
    colours = set()
    for number, (axes, series) in enumerate(zip(sheet.panels, document["series"])):
        colours |= draw_panel(axes, series, f"p{number + 1}-")
    # One scale for all series, so that they can be compared.
    highest = max([0.05, *(highest_of(series) for series in document["series"])])
    for axes in sheet.panels:
        axes.set_xlim(0, 122 * highest)
    names = [("rises with it", RISES), ("falls as it rises", FALLS)]
    if any(series.get("total") for series in document["series"]):
        names, colours = [("alone", ALONE), ("with others", TOGETHER)], {ALONE, TOGETHER}
    for name, colour in names:
        if colour in colours:
            sheet.add_series(name, Patch(color=colour))
    height = 0.85 + BAR_HEIGHT * max(3, *(rows_of(series) for series in document["series"]), 0)
    return sheet.finish(f"What the bands come from: {document['scenario']}", f"{document['draws']} draws",
                        notes_of(document), height)


if __name__ == "__main__":
    style.program(__doc__, "causes.py", draw)
