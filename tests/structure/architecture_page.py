# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of the scripts that make parts of docs/architecture.md."""

import os
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "architecture.md")


def main(made, page):
    """Prints what `made` returns, or with --write lets `page` put it into the page's text."""
    if sys.argv[1:] != ["--write"]:
        print(made(), end="")
        return
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page(text))
