// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings of a page (the SVG in each element of class "drawn") can be zoomed and moved, by buttons,
// pointer and keyboard, and their parts with a <title> are read off under the pointer or, with N and
// P, one after the other along the critical path. No library is needed.
"use strict";
(() => {
  const STEP = 0.7, MOST = 24;

  class Viewer {
    constructor(box) {
      this.svg = box.querySelector("svg");
      const view = this.svg.viewBox.baseVal;
      this.full = [view.x, view.y, view.width, view.height];
      this.view = [...this.full];
      this.parts = [...this.svg.querySelectorAll("g[id]")].filter(part => this.titleOf(part));
      const path = this.parts.filter(part => part.querySelector(".on"));
      this.path = (path.length ? path : this.parts).map(part => [this.boxOf(part), part])
        .sort((one, other) => one[0].y - other[0].y || one[0].x - other[0].x).map(([, part]) => part);
      this.at = -1;
      this.build(box);
      this.listen();
    }

    build(box) {
      const tools = document.createElement("div");
      tools.className = "tools";
      tools.setAttribute("role", "group");
      tools.setAttribute("aria-label", "view of the drawing");
      for (const [sign, name, act] of [["+", "zoom in", () => this.zoom(STEP)], ["\u2212", "zoom out", () => this.zoom(1 / STEP)],
        ["reset", "show all", () => this.reset()], ["\u2190", "previous part", () => this.step(-1)], ["\u2192", "next part", () => this.step(1)]]) {
        if (!this.path.length && name.endsWith("part")) continue;
        const button = document.createElement("button");
        Object.assign(button, { type: "button", textContent: sign, title: name });
        button.setAttribute("aria-label", name);
        button.dataset.do = name;
        button.addEventListener("click", act);
        tools.append(button);
      }
      box.before(tools);
      this.out = document.createElement("output");
      this.out.className = "part";
      this.out.setAttribute("aria-live", "polite");
      box.after(this.out);
      this.svg.setAttribute("tabindex", "0");
      const keys = "Plus and minus zoom, arrow keys move, 0 shows all, N and P read the parts off one after the other.";
      this.svg.setAttribute("aria-label", `${this.svg.getAttribute("aria-label") || "drawing"}. ${keys}`);
      this.svg.setAttribute("role", "application");
    }

    listen() {
      this.svg.addEventListener("keydown", event => this.key(event));
      this.svg.addEventListener("wheel", event => {
        if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? STEP : 1 / STEP, this.placeOf(event));
      }, { passive: false });
      this.svg.addEventListener("dblclick", event => this.zoom(STEP, this.placeOf(event)));
      this.svg.addEventListener("pointerdown", event => {
        if (event.button === 0) this.held = this.placeOf(event);
      });
      this.svg.addEventListener("pointermove", event => {
        if (this.held && event.buttons & 1) {
          const [x, y] = this.placeOf(event);
          this.move(this.held[0] - x, this.held[1] - y);
        } else {
          this.held = null;
        }
      });
      this.svg.addEventListener("pointerover", event => {
        const part = event.target.closest("g[id]");
        if (part && this.svg.contains(part) && this.titleOf(part)) this.read(part);
      });
    }

    // ---- The view ----

    placeOf(event) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      return [point.x, point.y];
    }

    show() {
      const [x, y, width, height] = this.full;
      this.view[2] = Math.min(width, Math.max(width / MOST, this.view[2]));
      this.view[3] = this.view[2] * height / width;
      this.view[0] = Math.min(x + width - this.view[2], Math.max(x, this.view[0]));
      this.view[1] = Math.min(y + height - this.view[3], Math.max(y, this.view[1]));
      this.svg.setAttribute("viewBox", this.view.map(value => value.toFixed(2)).join(" "));
      this.svg.classList.toggle("zoomed", this.view[2] < width);
    }

    // Around a place, or around the part that is read off, or around the middle of the view.
    zoom(factor, place) {
      const [x, y, width, height] = this.view;
      const part = this.at >= 0 ? this.boxOf(this.path[this.at]) : null;
      const [px, py] = place || (part ? [part.x + part.width / 2, part.y + part.height / 2] : [x + width / 2, y + height / 2]);
      const bound = Math.min(Math.max(width * factor, this.full[2] / MOST), this.full[2]) / width;
      this.view = [px - (px - x) * bound, py - (py - y) * bound, width * bound, height * bound];
      this.show();
    }

    move(dx, dy) {
      this.view[0] += dx;
      this.view[1] += dy;
      this.show();
    }

    reset() {
      this.view = [...this.full];
      this.show();
    }

    // ---- Parts ----

    titleOf(part) {
      const title = part.querySelector(":scope > title");
      return title ? title.textContent : "";
    }

    boxOf(part) {
      return (part.querySelector(".shape") || part).getBBox();
    }

    read(part) {
      this.svg.querySelectorAll(".at").forEach(one => one.classList.remove("at"));
      part.classList.add("at");
      this.out.dataset.part = part.id;
      const [first, ...rest] = this.titleOf(part).split("\n");
      this.out.replaceChildren(Object.assign(document.createElement("b"), { textContent: first }),
        ...rest.map(line => Object.assign(document.createElement("span"), { textContent: line })));
    }

    step(by) {
      if (!this.path.length) return;
      this.at = this.at < 0 && by < 0 ? this.path.length - 1 : Math.max(0, Math.min(this.path.length - 1, this.at + by));
      const part = this.path[this.at], box = this.boxOf(part), [x, y, width, height] = this.view;
      if (box.x < x || box.y < y || box.x + box.width > x + width || box.y + box.height > y + height)
        this.move(box.x + box.width / 2 - x - width / 2, box.y + box.height / 2 - y - height / 2);
      this.read(part);
      part.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const [, , width, height] = this.view, moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (event.key in moves && this.view[2] < this.full[2])
        this.move(moves[event.key][0] * width / 8, moves[event.key][1] * height / 8);
      else if (event.key === "+" || event.key === "=") this.zoom(STEP);
      else if (event.key === "-") this.zoom(1 / STEP);
      else if (event.key === "0") this.reset();
      else if (event.key === "n" || event.key === "N") this.step(1);
      else if (event.key === "p" || event.key === "P") this.step(-1);
      else if (event.key === "Escape") this.svg.blur();
      else return;
      event.preventDefault();
    }
  }

  // A drawing in a folded part has boxes only when that is open.
  function start(box) {
    const folded = box.closest("details:not([open])");
    if (folded) folded.addEventListener("toggle", () => start(box), { once: true });
    else if (box.querySelector("svg")) box.viewer = new Viewer(box);
  }

  document.querySelectorAll(".drawn").forEach(start);
  document.documentElement.dataset.drawn = "yes";
})();
