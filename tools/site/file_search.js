// SPDX-License-Identifier: GPL-3.0-or-later
// The search of the site where its pages are opened as files, from which browsers let the theme's own
// search read nothing: the index is a script then (site_pages.py writes it), and each section that
// has all words is listed, those with the words in their title first.
"use strict";
(() => {
  if (location.protocol !== "file:") return;
  const MOST = 30, AROUND = 90;
  const base = JSON.parse(document.getElementById("__config").textContent).base;

  const plain = text => new DOMParser().parseFromString(text, "text/html").body.textContent;

  function element(tag, name, text) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text) made.textContent = text;
    return made;
  }

  function found(words) {
    const rows = [];
    for (const one of window.netsimSections || []) {
      const title = one.title.toLowerCase(), text = one.text.toLowerCase();
      if (!words.every(word => title.includes(word) || text.includes(word))) continue;
      rows.push([words.filter(word => title.includes(word)).length * 100 + Math.min(99, text.split(words[0]).length), one]);
    }
    return rows.sort((a, b) => b[0] - a[0]).map(([, one]) => one);
  }

  // The text around the first word, with the words marked.
  function excerpt(text, words) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - AROUND);
    const part = plain(text).substr(at, 3 * AROUND), made = element("p", "md-search-result__teaser");
    let rest = part;
    for (;;) {
      const low = rest.toLowerCase();
      const hits = words.map(word => [low.indexOf(word), word.length]).filter(([place]) => place >= 0).sort((a, b) => a[0] - b[0]);
      if (!hits.length) break;
      made.append(rest.slice(0, hits[0][0]), element("mark", "", rest.substr(...hits[0])));
      rest = rest.slice(hits[0][0] + hits[0][1]);
    }
    made.append(rest);
    return made;
  }

  function item(one, words) {
    const row = element("li", "md-search-result__item"), link = element("a", "md-search-result__link");
    const article = element("article", "md-search-result__article");
    link.href = `${base}/${one.location}`;
    article.append(element("h2", "md-search-result__title", plain(one.title)), excerpt(one.text, words));
    link.append(article);
    row.append(link);
    return row;
  }

  function show(query) {
    const words = query.toLowerCase().split(/\s+/).filter(word => word.length > 1);
    const all = words.length ? found(words) : [];
    const list = document.querySelector(".md-search-result__list"), meta = document.querySelector(".md-search-result__meta");
    list.replaceChildren(...all.slice(0, MOST).map(one => item(one, words)));
    meta.textContent = words.length ? `${all.length} sections${all.length > MOST ? `, the best ${MOST}` : ""}` : "Type to search";
  }

  const index = document.createElement("script");
  const input = document.querySelector("[data-md-component=search-query]"), box = input.closest(".md-search");
  const unhide = () => { if (box.hidden) box.hidden = false; };
  new MutationObserver(unhide).observe(box, { attributes: true, attributeFilter: ["hidden"] });
  unhide();
  index.src = `${base}/search/search_index.js`;
  index.addEventListener("load", () => show(input.value));
  document.head.append(index);
  // The theme hides a search that fails, and its own handlers would wait for an index that never comes.
  for (const name of ["input", "keyup"])
    input.addEventListener(name, event => {
      event.stopImmediatePropagation();
      if (name === "input") show(input.value);
    }, true);
  input.addEventListener("focus", () => { document.getElementById("__search").checked = true; });
})();
