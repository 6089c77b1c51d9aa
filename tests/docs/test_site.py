#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The site of the documents is made without a warning, has every document and a search, and no dead link."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

SOURCE = os.environ["NETSIM_SOURCE_DIR"]
sys.path.append(os.path.join(SOURCE, "tests", "support"))
sys.path.append(os.path.join(SOURCE, "tools", "site"))
import browser  # pylint: disable=wrong-import-position
import needs  # pylint: disable=wrong-import-position
import site_pages  # pylint: disable=wrong-import-position


class Site(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-site-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    @needs.program("mkdocs")
    def test_all_documents(self):
        done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "tools/site/site_pages.py"), "--out",
                               os.path.join(self.directory, "site")], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout, f"{self.directory}/site/index.html\n")
        for name in os.listdir(os.path.join(SOURCE, "docs")):
            if name.endswith(".md"):
                self.assertTrue(os.path.exists(f"{self.directory}/site/docs/{name[:-3]}.html"), name)
        with open(f"{self.directory}/site/search/search_index.json", encoding="utf-8") as file:
            found = [one["location"] for one in json.load(file)["docs"] if "rendezvous" in one["text"]]
        self.assertGreater(len(found), 5)
        if browser.find():
            self.search_in_files()
        with open(f"{self.directory}/site/docs/commands.html", encoding="utf-8") as file:
            self.assertNotRegex(file.read(), r'<(link|script)[^>]*(href|src)="(https?:)?//')

    def search_in_files(self):
        """The pages opened as files, without a web server, can be searched, too."""
        window = browser.Browser()
        self.addCleanup(window.close)
        for page in ("index.html", "docs/commands.html"):
            window.media(width=1280)
            window.open(f"{self.directory}/site/{page}")
            window.value("document.querySelector('[data-md-component=search-query]').focus()")
            for letter in "eager rendezvous":
                window.key("Space" if letter == " " else letter)
            rows = window.value("[...document.querySelectorAll('.md-search-result__item')].map(row => "
                                "[row.querySelector('a').href, row.textContent])")
            self.assertGreater(len(rows), 3, page)
            for address, text in rows:
                self.assertTrue(os.path.exists(urllib.parse.unquote(address.split("#")[0])[len("file://"):]), address)
                self.assertRegex(text.lower(), "eager|rendezvous")

    def test_dead_links(self):
        for name, text in (("a.html", '<a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>'
                                      '<a href="https://example.org/x">4</a><a href="#self">5</a><p id="self">'),
                           ("b.html", '<p id="there"><img src="d.png">')):
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(site_pages.dead_links(self.directory), ["a.html: b.html#gone", "a.html: c.html", "b.html: d.png"])


if __name__ == "__main__":
    unittest.main()
