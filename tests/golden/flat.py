#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the JSON document of stdin with one line per object, so that a person can review how it changed.

    PATH: KEY=VALUE KEY=VALUE ...

A line has the object's numbers, words and lists of them; the objects within follow, each under its path
(series[0].stages). Lines that are no JSON (before or after the document) are printed as they are. Numbers have six digits; the exact ones are in the CSV
files and fingerprints that other tests compare.
"""

import json
import sys


def scalar(value):
    """A number, word or null as it is printed."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str) and value and not set(value) & set(" =,[]"):
        return value
    return json.dumps(value, ensure_ascii=False)


def is_row(value):
    """True for a list without objects and lists in it."""
    return isinstance(value, list) and not any(isinstance(entry, (dict, list)) for entry in value)


def within(value):
    """(suffix of the path, value) of what has lines of its own."""
    if isinstance(value, dict):
        return [(f".{key}", entry) for key, entry in value.items()
                if isinstance(entry, dict) or isinstance(entry, list) and not is_row(entry)]
    return [(f"[{index}]", entry) for index, entry in enumerate(value)]


def lines(path, value):
    """The lines of an object or a list, and of all within it."""
    if is_row(value):
        yield f"{path}: " + ",".join(scalar(entry) for entry in value)
        return
    if isinstance(value, dict):
        own = [f"{key}={','.join(map(scalar, entry)) if is_row(entry) else scalar(entry)}"
               for key, entry in value.items() if is_row(entry) or not isinstance(entry, (dict, list))]
        if own or not value:
            yield f"{path}: {' '.join(own)}".rstrip()
    elif not isinstance(value, list):
        yield f"{path}: {scalar(value)}"
        return
    for suffix, entry in within(value):
        yield from lines((path + suffix).lstrip("."), entry)


def main():
    text = sys.stdin.read()
    start = 0 if text.startswith("{") else text.find("\n{") + 1
    if not text[start:].startswith("{"):
        sys.exit(f"flat: no JSON object in {text[:60]!r}")
    document, end = json.JSONDecoder().raw_decode(text[start:])
    print(text[:start], end="")
    print("\n".join(lines("", document)).replace("\n: ", "\n"))
    print(text[start + end:].strip("\n"), end="\n" if text[start + end:].strip() else "")


if __name__ == "__main__":
    main()
