# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a gallery: each picture beside its claims and their verdicts.

One file without anything from elsewhere: the pictures stand in it as SVG, whose colours of paper,
ink and grid are variables of the page, so that they are dark where the page is.
"""
import html
import re

import style

VERDICTS = {
    "holds": "holds",
    "misses": "misses",
    "known_miss": "known miss",
    "not_checkable": "not checkable",
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
.picture { overflow-x: auto; }
.picture svg { display: block; width: 100%; min-width: 34rem; height: auto; }
ul { list-style: none; margin: 0; padding: 0; }
li { border-top: 1px solid var(--grid); padding: .5rem 0; font-size: .9rem;
  overflow-wrap: anywhere; }
li:first-child { border-top: 0; padding-top: 0; }
code { font: .85em ui-monospace, monospace; }
.verdict { float: right; margin-left: .5rem; padding: 0 .5rem; border-radius: 1rem;
  border: 1px solid currentColor; font-size: .8rem; white-space: nowrap; }
.holds { color: var(--good); } .misses { color: var(--bad); } .known_miss { color: var(--known); }
.not_checkable, .none { color: var(--open); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .6rem;
  margin: .25rem 0 0; }
dt { color: var(--muted); } dd { margin: 0; }
"""

THEME = {style.PAPER: "var(--paper)", style.INK: "var(--ink)", style.MUTED: "var(--muted)",
         style.GRID: "var(--grid)", style.SHADE: "var(--shade)"}


def text(value):
    return html.escape(str(value))


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
    badge = f'<span class="verdict {verdict}">{VERDICTS[verdict]}</span>' if verdict in VERDICTS \
        else '<span class="verdict none">not judged</span>'
    rows = ""
    for key, name in (("expected", "expected"), ("simulated", "simulated"),
                      ("deviation", "deviation"), ("why", "why")):
        value = claim.get(key)
        if value is None or value == "":
            continue
        if key == "deviation" and isinstance(value, (int, float)):
            value = f"{100 * value:+.1f} %"
        rows += f"<dt>{name}</dt><dd>{text(value)}</dd>"
    return f'<li>{badge}<code>{text(claim["id"])}</code><dl>{rows}</dl></li>'


def section(entry, document, name, svg):
    anchor = style.slug(entry["id"])
    claims = "".join(claim_item(claim) for claim in entry["claims"])
    number = f'Figure {text(entry["number"])}: ' if entry.get("number") else ""
    return (f'<section id="{anchor}"><h2>{number}{text(document["title"])}</h2>'
            f'<div class="pair"><div><div class="picture">'
            f'{inline(svg, anchor, document["title"])}</div>'
            f'<p class="source">{text(entry["source"])}. Files: '
            f'<a href="{text(name)}">{text(name)}</a>, '
            f'<a href="data/{text(entry["id"])}.json">its numbers</a></p></div>'
            f'<ul>{claims}</ul></div></section>')


def totals_line(listing):
    counts, seen = {}, set()
    for entry in listing["figures"]:
        for claim in entry["claims"]:
            if claim["id"] not in seen and claim.get("verdict") in VERDICTS:
                seen.add(claim["id"])
                counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
    if not counts:
        why = listing.get("no_verdicts")
        return f"No verdicts: {text(why)}" if why else "No verdicts."
    return ", ".join(f'<span class="{verdict}">{counts[verdict]} {words}</span>'
                     for verdict, words in VERDICTS.items() if verdict in counts) \
        + f" of {len(seen)} claims"


def page(listing, drawn):
    """The page as text; `drawn` has (entry, document, file name, SVG) of each picture."""
    links = "".join(f'<a href="#{style.slug(entry["id"])}">'
                    f'{text(entry.get("number") or entry["id"])}</a>'
                    for entry, _, _, _ in drawn)
    body = "".join(section(*one) for one in drawn)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<title>netsim: figures</title><style>{CSS}</style></head><body><header>'
            f'<h1>Figures, from simulation</h1><p>{totals_line(listing)}. '
            f'netsim {text(listing["version"])}.</p><p class="source">Curves are simulated. '
            f'Rings, lines and shades are what the source states. MB is 2<sup>20</sup> bytes.</p>'
            f'<nav>{links}</nav></header><main>{body}</main></body></html>\n')
