# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of the scripts that make parts of pages in docs/."""

import os
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def main(made, page, name):
    """Prints what `made` returns, or with --write lets `page` put it into the text of the page with this name."""
    if sys.argv[1:] != ["--write"]:
        print(made(), end="")
        return
    path = os.path.join(ROOT, "docs", name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(page(text))
