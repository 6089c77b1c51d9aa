# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a gallery: each picture next to its claims and their verdicts.

One file without anything from elsewhere: the pictures stand in it as SVG, whose colours of paper,
ink and grid are variables of the page, so that they are dark where the page is.
"""
import html
import itertools
import re

import style

# Of one claim, and of several.
VERDICTS = {
    "holds": ("holds", "hold"),
    "level": ("level", "level"),
    "misses": ("misses", "miss"),
    "known_miss": ("known miss", "known misses"),
    "refuted": ("refuted", "refuted"),
    "not_checkable": ("not checkable", "not checkable"),
    "not_run": ("not run", "not run"),
    "open": ("open", "open"),
    "same_as": ("counted elsewhere", "counted elsewhere"),
}

CSS = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1f2328; --muted: #656d76;
  --grid: #d8dee4; --shade: #e7ebef; --page: #f6f8fa; --good: #1a7f37; --bad: #b3261e;
  --known: #9a6700; --open: #656d76; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #161b22; --ink: #e6edf3; --muted: #9198a1; --grid: #30363d; --shade: #262d36;
    --page: #0d1117; --good: #3fb950; --bad: #ff7b72; --known: #d29922; --open: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
header, main { max-width: 74rem; margin: 0 auto; padding: 1rem; }
h1 { margin: .5rem 0 0; font-size: 1.5rem; }
h2 { margin: 0 0 .75rem; font-size: 1.1rem; }
p { margin: .25rem 0; }
a { color: inherit; }
nav { display: flex; flex-wrap: wrap; gap: .4rem; margin: .75rem 0; }
nav a { padding: .1rem .6rem; border: 1px solid var(--grid); border-radius: 1rem;
  text-decoration: none; background: var(--paper); }
.source { color: var(--muted); font-size: .85rem; }
section { background: var(--paper); border: 1px solid var(--grid); border-radius: .6rem;
  padding: 1rem; margin: 0 0 1.25rem; scroll-margin-top: 1rem; }
.pair { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 64rem) {
  .pair { grid-template-columns: minmax(0, 7fr) minmax(0, 4fr); } }
@media (min-width: 64rem) { .pair figure { position: sticky; top: 1rem; align-self: start; } }
figure { margin: 0; }
.picture { overflow-x: auto; }
.count { font-weight: normal; font-size: .85rem; margin-left: .5rem; }
details { margin-top: .5rem; font-size: .85rem; }
summary { cursor: pointer; }
.numbers { overflow: auto; max-height: 24rem; }
table { border-collapse: collapse; margin: .5rem 0 1rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; }
th, td { padding: .1rem .6rem; border-bottom: 1px solid var(--grid); text-align: right;
  font-weight: normal; }
thead th { color: var(--muted); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .2rem .6rem; }
@media print { .pair figure { position: static; } details { display: none; }
  section { break-inside: avoid; } }
.picture svg { display: block; width: 100%; min-width: 34rem; height: auto; }
ul { list-style: none; margin: 0; padding: 0; }
li { border-top: 1px solid var(--grid); padding: .5rem 0; font-size: .9rem;
  overflow-wrap: anywhere; }
li:first-child { border-top: 0; padding-top: 0; }
code { font: .85em ui-monospace, monospace; }
.standing { float: right; margin-left: .5rem; color: var(--muted); font-size: .85rem; }
.verdict { float: right; margin-left: .5rem; padding: 0 .5rem; border-radius: 1rem;
  border: 1px solid currentColor; font-size: .8rem; white-space: nowrap; }
.holds { color: var(--good); } .misses { color: var(--bad); } .known_miss, .refuted { color: var(--known); }
.level, .open, .not_checkable, .not_run, .same_as, .none { color: var(--open); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .6rem;
  margin: .25rem 0 0; }
dt { color: var(--muted); } dd { margin: 0; }
"""

THEME = {style.PAPER: "var(--paper)", style.INK: "var(--ink)", style.MUTED: "var(--muted)",
         style.GRID: "var(--grid)", style.SHADE: "var(--shade)"}


def text(value):
    return html.escape(str(value))


def powers(value):
    """Text with its powers as people write them: "2^20"."""
    return re.sub(r"\^(\d+)", r"<sup>\1</sup>", text(value))


def inline(svg, prefix, title):
    """A picture as a part of the page: its own ids, the page's colours, and a title to be read."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    svg = svg.replace("url(#", f"url(#{prefix}-")
    for colour, variable in THEME.items():
        svg = svg.replace(colour, variable)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{text(title)}" ', 1)


def claim_item(claim):
    verdict = claim.get("verdict")
    badge = f'<span class="verdict {verdict}">{VERDICTS[verdict][0]}</span>' \
        if verdict in VERDICTS \
        else '<span class="verdict none">not judged</span>'
    rows = ""
    standing = claim.get("standing")
    if standing:
        by = claim.get("standing_by")
        badge += f'<span class="standing">{text(standing)}{": " + text(by) if by else ""}</span>'
    for key, name in (("expected", "expected"), ("simulated", "simulated"),
                      ("deviation", "deviation"), ("why", "why")):
        value = claim.get(key)
        if value is None or value == "":
            continue
        if key == "deviation" and isinstance(value, (int, float)):
            value = f"{100 * value:+.1f} %"
        rows += f"<dt>{name}</dt><dd>{text(value)}</dd>"
    return f'<li>{badge}<code>{text(claim["id"])}</code><dl>{rows}</dl></li>'


def unit_text(axis):
    unit = {"us": "\u00b5s"}.get(axis.get("unit"), axis.get("unit"))
    return f"{axis['label']} ({unit})" if unit else axis["label"]


def value_text(value):
    return "" if value is None else f"{value:.6g}"


def table(panel):
    """The numbers of a panel of lines or bars."""
    points = [dict((x, y) for x, y in series["points"]) for series in panel["series"]]
    places = list(dict.fromkeys(x for one in points for x in one))
    if not any(isinstance(x, str) for x in places):
        places.sort()
    heads = "".join(f'<th scope="col">{text(series["name"])}</th>' for series in panel["series"])
    rows = ""
    for x in places:
        place = style.size_text(x) if panel["x"].get("unit") == "B" and not isinstance(x, str) \
            else text(x)
        cells = "".join(f"<td>{value_text(one.get(x))}</td>" for one in points)
        rows += f'<tr><th scope="row">{place}</th>{cells}</tr>'
    title = f"{panel['title']}: " if panel.get("title") else ""
    return (f'<table><caption>{text(title + unit_text(panel["y"]))}</caption><thead><tr>'
            f'<th scope="col">{text(panel["x"]["label"])}</th>{heads}</tr></thead>'
            f'<tbody>{rows}</tbody></table>')


def counts_text(claims):
    """"5 hold, 2 miss", each in its colour; empty without verdicts."""
    counts = {}
    for claim in claims:
        if claim.get("verdict") in VERDICTS:
            counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
    return ", ".join(f'<span class="{verdict}">{counts[verdict]} {words[counts[verdict] > 1]}'
                     f'</span>' for verdict, words in VERDICTS.items() if verdict in counts)


def section(entry, document, name, svg):
    anchor = style.slug(entry["id"])
    claims = "".join(claim_item(claim) for claim in entry["claims"])
    number = f'Figure {text(entry["number"])}: ' if entry.get("number") else ""
    count = counts_text(entry["claims"])
    names = list(dict.fromkeys(series["name"] for panel in document["panels"]
                               for series in panel["series"]))
    spoken = f"{document['title']}; curves: {', '.join(names)}"
    tables = "".join(table(panel) for panel in document["panels"] if panel.get("kind") != "heat")
    return (f'<section id="{anchor}" aria-labelledby="{anchor}-heading">'
            f'<h2 id="{anchor}-heading">{number}{text(document["title"])}'
            + (f'<span class="count">{count}</span>' if count else "") +
            f'</h2><div class="pair"><figure><div class="picture">'
            f'{inline(svg, anchor, spoken)}</div>'
            f'<figcaption class="source">{text(entry["source"])}. Files: '
            f'<a href="{text(name)}">{text(name)}</a>, '
            f'<a href="data/{text(entry["id"])}.json">{text(entry["id"])}.json</a></figcaption>'
            f'<details><summary>Numbers</summary><div class="numbers">{tables}</div></details>'
            f'</figure><ul aria-label="claims">{claims}</ul></div></section>')


def totals_line(listing):
    claims = {}
    for entry in listing["figures"]:
        for claim in entry["claims"]:
            if claim.get("verdict") in VERDICTS:
                claims.setdefault(claim["id"], claim)
    if not claims:
        why = listing.get("no_verdicts")
        return f"No verdicts: {text(why)}" if why else "No verdicts"
    predicted = [claim["verdict"] for claim in claims.values()
                 if claim.get("standing") == "predicted" and claim["verdict"] != "not_checkable"]
    more = f"; {predicted.count('holds')} of {len(predicted)} predicted ones hold" if predicted else ""
    return f"{counts_text(claims.values())} of {len(claims)} claims{more}"


def page(listing, drawn):
    """The page as text; `drawn` has (entry, document, file name, SVG) of each picture."""
    links = body = ""
    for about, figures in itertools.groupby(drawn, lambda one: one[0].get("about") or ""):
        figures = list(figures)
        head = f'<p class="source">{powers(about)}</p>' if about else ""
        links += f'{head}<nav aria-label="{text(about) or "figures"}">' + "".join(
            f'<a href="#{style.slug(entry["id"])}">{text(entry.get("number") or entry["id"])}</a>'
            for entry, *_ in figures) + "</nav>"
        body += head + "".join(section(*one) for one in figures)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<title>netsim: figures</title><style>{CSS}</style></head><body>'
            f'<a class="skip" href="#figures">To the figures</a><header>'
            f'<h1>Figures, from simulation</h1><p>{totals_line(listing)}. '
            f'netsim {text(listing["version"])}.</p><p class="source">Curves are simulated. '
            f'Rings, lines and shades are what the source states.</p>'
            f'{links}</header><main id="figures">{body}</main>'
            f'</body></html>\n')
