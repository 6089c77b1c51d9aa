// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a page: panels of the documents that netsim draws (sim/figures/document.h), by d3.
// Curves are switched by the keys, zoomed by a dragged rectangle, the buttons or the keyboard, and
// read off at the cursor. The numbers are those of the page's one JSON; nothing is computed here but
// places on the screen.
"use strict";
(() => {
  const HEIGHT = 330, MOST_BARS = 16, BINARY = 1024;
  const SYMBOLS = { o: [d3.symbolCircle, 0], s: [d3.symbolSquare, 0], "^": [d3.symbolTriangle, 0],
    v: [d3.symbolTriangle, 180], "<": [d3.symbolTriangle, 270], ">": [d3.symbolTriangle, 90],
    D: [d3.symbolSquare, 45], d: [d3.symbolDiamond, 0], P: [d3.symbolCross, 0],
    X: [d3.symbolCross, 45], "*": [d3.symbolStar, 0], h: [d3.symbolWye, 0], p: [d3.symbolStar, 36],
    8: [d3.symbolCircle, 0] };
  const DASHES = { "-": null, "--": "7 4", ":": "2 3", "-.": "8 3 2 3" };
  const STATES = { lost: "lost data", impossible: "not possible", missing: "not run" };

  // ---- Texts ----

  function sizeText(size) {
    for (const [unit, bytes] of [["GiB", BINARY ** 3], ["MiB", BINARY ** 2], ["KiB", BINARY]])
      if (Math.abs(size) >= bytes && size % (bytes / 2) === 0) return `${size / bytes} ${unit}`;
    return size ? `${size} B` : "0";
  }

  function numberText(value) {
    if (value === null || value === undefined || !isFinite(value)) return "\u2013";
    if (value === 0) return "0";
    const text = Math.abs(value) >= 1e-4 && Math.abs(value) < 1e15
      ? String(Number(value.toPrecision(6))) : value.toPrecision(6);
    const [whole, part] = text.split(".");
    const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
    return (part === undefined ? grouped : `${grouped}.${part}`).replace("-", "\u2212");
  }

  const unitText = axis => ({ us: "\u00b5s" })[axis.unit] || axis.unit || "";

  // Long times of an axis of microseconds are read in ms or s.
  function tickText(axis, value) {
    if (typeof value === "string") return value;
    if (axis.unit === "B") return sizeText(value);
    if (axis.unit === "us" && axis.large && value)
      return Math.abs(value) >= 1e6 ? `${numberText(value / 1e6)} s`
        : Math.abs(value) >= 1e3 ? `${numberText(value / 1e3)} ms` : `${numberText(value)} \u00b5s`;
    return numberText(value);
  }

  function labelText(axis) {
    const unit = axis.unit === "B" || (axis.unit === "us" && axis.large) ? "" : unitText(axis);
    return unit ? `${axis.label} (${unit})` : axis.label;
  }

  const valueText = (axis, value) => `${numberText(value)}${axis.unit ? ` ${unitText(axis)}` : ""}`;

  // ---- Scales ----

  // A scale of numbers over a domain; "log" with a 0 among its values is linear up to the first one
  // above it.
  function scaleOf(kind, values, domain, range) {
    if (kind !== "log") return d3.scaleLinear(domain, range);
    if (values.some(value => value === 0)) {
      const first = d3.min(values.filter(value => value > 0)) || 1;
      return d3.scaleSymlog(domain, range).constant(first);
    }
    return d3.scaleLog(domain, range);
  }

  // The domain of values with some room at both ends, in the measure of the scale.
  function roomOf(kind, values, part) {
    const good = values.filter(value => isFinite(value) && (kind !== "log" || value >= 0));
    const low = d3.min(good), high = d3.max(good);
    if (low === undefined) return [kind === "log" ? 1 : 0, 10];
    const log = kind === "log" && low > 0;
    if (low === high) return log ? [low / 2, high * 2] : [Math.min(0, low), high || 1];
    const scale = scaleOf(kind, good, [low, high], [0, 1]);
    return [kind !== "log" && low === 0 ? 0 : scale.invert(-part), scale.invert(1 + part)];
  }

  function ticksOf(axis, kind, scale, count) {
    const [low, high] = scale.domain();
    if (axis.swept) return axis.values.filter(value => value >= low && value <= high);
    if (axis.unit === "B" && kind === "log") {
      const powers = d3.range(0, 60).map(power => 2 ** power).filter(v => v >= low && v <= high);
      const step = [1, 2, 3, 4, 5, 6, 10].find(n => powers.length / n <= count) || 20;
      const kept = powers.filter((_, i) => i % step === 0);
      return kept.length > 1 ? [...(low <= 0 ? [0] : []), ...kept] : sizeTicks(low, high, count);
    }
    if (axis.unit === "B") return sizeTicks(low, high, count);
    if (kind === "log" && low > 0 && high / low > 3) {
      const all = [];
      for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
        for (const m of high / low > 300 ? [1] : [1, 2, 5]) all.push(Number((m * 10 ** p).toPrecision(3)));
      const seen = all.filter(v => v >= low && v <= high);
      return seen.filter((_, i) => i % Math.ceil(seen.length / count) === 0);
    }
    if (kind === "log" && low <= 0 && axis.values) {
      const seen = axis.values.filter(v => v >= low && v <= high);
      return seen.filter((_, i) => i % Math.ceil(seen.length / count) === 0);
    }
    return d3.scaleLinear([low, high], [0, 1]).ticks(count);
  }

  function sizeTicks(low, high, count) {
    const step = 2 ** Math.max(0, Math.ceil(Math.log2((high - low) / count)));
    return d3.range(Math.ceil(Math.max(low, 0) / step) * step, high * (1 + 1e-9), step);
  }

  // ---- A panel ----

  class Panel {
    constructor(group, panel, number) {
      this.group = group;
      this.panel = panel;
      this.id = `${group.id}-${number}`;
      const places = [...new Set(panel.series.flatMap(one => one.points.map(point => point[0])))];
      const plain = !panel.series.some(one => one.steps || one.measured || one.failure || one.failed_at);
      this.kind = panel.kind || "lines";
      this.alone = this.kind === "lines" && places.length === 1 && plain && !panel.x.swept;
      this.banded = this.alone || this.kind === "bars" || this.kind === "heat" ||
        places.some(place => typeof place === "string") || (this.kind === "stack" && places.length === 1);
      this.places = this.banded ? places : places.sort((a, b) => a - b);
      this.xAxis = { ...panel.x, values: this.places };
      this.yAxis = { ...panel.y };
      const heights = panel.series.flatMap(one => one.points.map(point => point[1]))
        .filter(value => typeof value === "number");
      this.yAxis.large = panel.y.unit === "us" && d3.max(heights) >= 1e4;
      this.xAxis.large = panel.x.unit === "us" && d3.max(this.places) >= 1e4;
      this.scales = { x: panel.x.scale || "linear", y: this.alone || this.kind === "bars" ? "linear" : panel.y.scale || "linear" };
      this.view = { x: null, y: null };
      this.at = null;
      this.build();
    }

    build() {
      const box = this.box = document.createElement("div");
      box.className = "chart";
      if (this.panel.title) box.append(element("h4", this.panel.title));
      this.tools = box.appendChild(element("div", "", { class: "tools", role: "group",
        "aria-label": `view of ${this.name()}` }));
      if (this.kind !== "heat") {
        this.button("+", "zoom in", () => this.zoom(0.6));
        this.button("\u2212", "zoom out", () => this.zoom(1 / 0.6));
        this.button("reset", "show all", () => this.reset());
        if (!this.banded) this.toggle("x");
        if (this.kind === "lines") this.toggle("y");
      }
      this.svg = d3.select(box).append("svg").attr("id", this.id).attr("tabindex", 0)
        .attr("role", "application").attr("aria-roledescription", "chart")
        .attr("aria-label", `${this.name()}. Arrow keys read values off, plus and minus zoom, 0 shows all.`)
        .on("keydown", (...given) => this.key(eventOf(given)));
      this.out = box.appendChild(element("output", "", { class: "read", "aria-live": "polite" }));
    }

    name() {
      return `${this.panel.title ? `${this.panel.title}: ` : ""}${labelText(this.yAxis)} over ${this.panel.x.label || "names"}`;
    }

    button(text, name, act) {
      const made = element("button", text, { type: "button", title: name, "aria-label": name,
        "data-do": name });
      made.addEventListener("click", act);
      this.tools.append(made);
      return made;
    }

    toggle(which) {
      const made = this.button(`log ${which}`, `logarithmic ${which} axis`, () => {
        this.scales[which] = this.scales[which] === "log" ? "linear" : "log";
        this.view[which] = null;
        made.setAttribute("aria-pressed", this.scales[which] === "log");
        this.draw();
      });
      made.setAttribute("aria-pressed", this.scales[which] === "log");
    }

    shown() {
      return this.panel.series.filter(one => !this.group.hidden.has(one.name));
    }

    // ---- The view ----

    fullX() {
      return roomOf(this.scales.x, this.places, this.kind === "stack" ? 0 : 0.02);
    }

    fullY() {
      if (this.kind === "stack") return [0, 100];
      if (this.panel.y.range) return this.panel.y.range;
      const log = this.scales.y === "log";
      const values = this.shown().flatMap(one => [...one.points.map(point => point[1]),
        ...(one.intervals || []).flatMap(([, low, high]) => [low, high])]);
      values.push(...(this.panel.marks || []).map(mark => mark.y));
      const good = values.filter(value => typeof value === "number" && (!log || value > 0));
      if (log || !good.length) return roomOf(this.scales.y, good, 0.05);
      const zero = this.panel.y.zero !== false || this.kind === "bars" || this.alone;
      const [low, high] = roomOf("linear", zero ? [...good, 0] : good, 0.05);
      return [d3.min(good) >= 0 ? Math.max(0, low) : low, high];
    }

    yScale(range) {
      return scaleOf(this.scales.y, [], this.view.y || this.fullY(), range);
    }

    reset() {
      this.view = { x: null, y: null };
      this.draw();
    }

    // Zooms around the middle of the view, or around the place that is read off.
    zoom(factor) {
      this.change("y", factor, 0);
      if (!this.banded) this.change("x", factor, 0);
      this.draw();
    }

    // A view of `factor` times the width, moved by a part of it, in the measure of the scale.
    change(which, factor, move) {
      const scale = which === "x" ? this.x.copy() : this.y.copy();
      const [start, end] = scale.range(), middle = (start + end) / 2 + move * (end - start);
      const half = (end - start) / 2 * factor;
      const view = [scale.invert(middle - half), scale.invert(middle + half)];
      if (view.every(isFinite) && view[0] < view[1]) this.view[which] = view;
    }

    key(event) {
      const keys = { ArrowRight: 1, ArrowLeft: -1, Home: -1e9, End: 1e9 };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in keys && event.shiftKey && !this.banded) {
        this.change("x", 1, 0.15 * Math.sign(keys[event.key]));
        this.draw();
      } else if (event.key in keys) {
        const from = this.at === null ? (keys[event.key] > 0 ? -1 : this.stops().length) : this.at;
        this.readAt(Math.max(0, Math.min(this.stops().length - 1, from + keys[event.key])));
      } else if (event.key === "+" || event.key === "=") this.zoom(0.6);
      else if (event.key === "-") this.zoom(1 / 0.6);
      else if (event.key === "0") this.reset();
      else if (event.key === "Escape") this.readAt(null);
      else return;
      event.preventDefault();
    }

    // ---- Drawing ----

    draw() {
      const width = Math.max(280, this.box.clientWidth || 560);
      const rows = this.kind === "heat" ? this.rows().length : 0;
      const heat = this.kind === "heat";
      const height = heat ? 70 + Math.max(3, rows) * 34 : HEIGHT;
      const area = this.area = { left: heat ? 88 : this.widthOfTicks(), right: 14, top: 12, bottom: 44, width, height };
      const svg = this.svg.attr("viewBox", `0 0 ${width} ${height}`);
      svg.selectAll("*").remove();
      svg.append("title").text(this.name());
      svg.append("clipPath").attr("id", `${this.id}-clip`).append("rect").attr("x", area.left)
        .attr("y", area.top - 3).attr("width", width - area.left - area.right)
        .attr("height", height - area.top - area.bottom + 6);
      if (heat) return this.drawHeat();
      this.x = this.banded ? d3.scaleBand(this.groups(), [area.left, width - area.right]).padding(0.2)
        : scaleOf(this.scales.x, this.places, this.view.x || this.fullX(), [area.left, width - area.right]);
      this.y = this.yScale([height - area.bottom, area.top]);
      if (this.banded) this.turnNames();
      this.drawAxes();
      const inside = svg.append("g").attr("clip-path", `url(#${this.id}-clip)`);
      if (!this.banded) this.drawMarks(inside); // shades lie below the curves
      if (this.kind === "stack") this.drawStack(inside);
      else if (this.banded) this.drawBars(inside);
      else this.drawLines(inside);
      if (this.banded) this.drawMarks(inside);
      this.marked = svg.append("g");
      this.drawOverlay();
      this.readAt(this.at !== null && this.at < this.stops().length ? this.at : null);
    }

    // The room that the texts of the y axis need beside its label.
    widthOfTicks() {
      const ticks = ticksOf(this.yAxis, this.scales.y, this.yScale([1, 0]), 6);
      return 34 + 6.6 * (d3.max(ticks, tick => tickText(this.yAxis, tick).length) || 3);
    }

    groups() {
      return this.alone ? this.shown().filter(one => one.points.length).map(one => one.name)
        : this.kind === "stack" ? [this.panel.title || ""] : this.places;
    }

    groupText(group) {
      return this.alone || this.kind === "stack" ? group : tickText(this.xAxis, group);
    }

    // Names below bars that do not fit side by side are turned.
    turnNames() {
      const longest = d3.max(this.groups(), group => String(this.groupText(group)).length) || 0;
      this.turned = longest * 6.4 > this.x.step();
      if (!this.turned) return;
      this.area.bottom = Math.min(120, 34 + 4.4 * Math.min(longest, 24));
      this.y = this.yScale([this.area.height - this.area.bottom, this.area.top]);
    }

    drawAxes() {
      const { left, right, top, bottom, width, height } = this.area;
      const grid = this.svg.append("g").attr("class", "grid");
      const axis = this.svg.append("g").attr("class", "axis").attr("aria-hidden", "true");
      const ticks = ticksOf(this.yAxis, this.scales.y, this.y, 6);
      axis.append("path").attr("d", `M${left},${top}V${height - bottom}H${width - right}`);
      for (const tick of ticks) {
        const y = this.y(tick);
        grid.append("line").attr("x1", left).attr("x2", width - right).attr("y1", y).attr("y2", y);
        axis.append("text").attr("x", left - 7).attr("y", y).attr("dy", ".32em")
          .attr("text-anchor", "end").text(tickText(this.yAxis, tick));
      }
      const base = height - bottom;
      if (this.banded) this.drawNames(axis, base);
      else for (const tick of this.fitting(ticksOf(this.xAxis, this.scales.x, this.x, Math.max(3, Math.floor(width / 85))))) {
        const x = this.x(tick);
        grid.append("line").attr("x1", x).attr("x2", x).attr("y1", top).attr("y2", base);
        axis.append("line").attr("x1", x).attr("x2", x).attr("y1", base).attr("y2", base + 4);
        axis.append("text").attr("x", x).attr("y", base + 17).attr("text-anchor", "middle")
          .text(tickText(this.xAxis, tick));
      }
      const place = this.alone ? ` ${tickText(this.xAxis, this.places[0])}` : "";
      axis.append("text").attr("x", (left + width - right) / 2).attr("y", height - 6)
        .attr("text-anchor", "middle").text(labelText(this.xAxis) + place);
      axis.append("text").attr("transform", `translate(13,${(top + base) / 2})rotate(-90)`)
        .attr("text-anchor", "middle").text(labelText(this.yAxis));
    }

    // The ticks whose texts do not touch one another.
    fitting(ticks) {
      let end = -Infinity;
      return ticks.filter(tick => {
        const x = this.x(tick), half = 3.4 * String(tickText(this.xAxis, tick)).length;
        if (x - half < end + 6 || x + half > this.area.width) return false;
        end = x + half;
        return true;
      });
    }

    drawNames(axis, base) {
      for (const group of this.groups()) {
        const x = this.x(group) + this.x.bandwidth() / 2, whole = String(this.groupText(group));
        const text = this.turned && whole.length > 24 ? `${whole.slice(0, 23)}\u2026` : whole;
        const name = axis.append("text").text(text);
        if (this.turned) name.attr("transform", `translate(${x + 4},${base + 12})rotate(-35)`).attr("text-anchor", "end");
        else name.attr("x", x).attr("y", base + 17).attr("text-anchor", "middle");
        if (text !== whole) name.append("title").text(whole);
      }
    }

    // ---- Marks of the source ----

    drawMarks(inside) {
      const { left, right, top, bottom, width, height } = this.area, taken = [];
      const put = (x, y, text) => {
        const long = 6.2 * text.length;
        for (const [dx, dy] of [[5, -5], [5, 12], [-5 - long, -5], [-5 - long, 12]]) {
          const box = [x + dx, y + dy - 9, x + dx + long, y + dy + 2];
          if (box[0] < left || box[2] > width - right || box[1] < top - 4 || box[3] > height - bottom ||
              taken.some(o => box[0] < o[2] && o[0] < box[2] && box[1] < o[3] && o[1] < box[3])) continue;
          taken.push(box);
          inside.append("text").attr("class", "soft").attr("x", x + dx).attr("y", y + dy).text(text);
          return;
        }
      };
      for (const mark of this.panel.marks || []) {
        const at = mark.x === undefined ? null : this.banded ? null : this.x(mark.x);
        const y = mark.y === undefined ? null : this.y(mark.y);
        let drawn = null;
        if (this.alone && mark.y !== undefined) {
          const band = this.x(mark.series);
          if (band === undefined) drawn = across(inside, left, width - right, y);
          else drawn = ring(inside, band + this.x.bandwidth() * 0.9, y);
          put(band === undefined ? left : band + this.x.bandwidth() * 0.9, y, mark.text);
        } else if (mark.kind === "band" && !this.banded) {
          const [from, to] = [this.x(mark.from), this.x(mark.to)];
          drawn = inside.append("rect").attr("class", "shade").attr("x", from).attr("y", top)
            .attr("width", Math.max(0, to - from)).attr("height", height - top - bottom);
          put(from, top + 14, mark.text);
        } else if (mark.kind === "vertical" && !this.banded) {
          drawn = inside.append("line").attr("class", "dash").attr("x1", at).attr("x2", at)
            .attr("y1", top).attr("y2", height - bottom);
          put(at, top + 14, mark.text);
        } else if (mark.kind === "horizontal") {
          drawn = across(inside, left, width - right, y);
          put(left, y, mark.text);
        } else if (mark.kind === "point" && at !== null) {
          drawn = ring(inside, at, y);
          put(at, y, mark.text);
        }
        if (drawn) drawn.append("title").text(`${mark.text}: ${mark.note || ""} (${mark.source || ""})`);
      }
    }

    // ---- Lines ----

    fits(x, y) {
      return typeof x === "number" && typeof y === "number" && (this.scales.y !== "log" || y > 0) &&
        (this.scales.x !== "log" || x > 0 || this.places[0] === 0);
    }

    series(inside, one, number) {
      const [colour] = this.group.look(one.name);
      return inside.append("g").attr("class", "series").attr("data-series", one.name)
        .attr("data-number", number).style("--c", colour);
    }

    drawLines(inside) {
      const floor = this.y.domain()[0] / 1e3, high = value => Math.max(value, this.scales.y === "log" ? floor : -Infinity);
      for (const [number, one] of [...this.shown().entries()].reverse()) {
        const into = this.series(inside, one, number), [, marker, dash] = this.group.look(one.name);
        const points = one.points.filter(([x, y]) => this.fits(x, y));
        const spans = (one.intervals || []).filter(([x]) => this.fits(x, 1));
        const band = (one.band && spans.length > 1) || (spans.length > MOST_BARS && !one.measured);
        if (band)
          into.append("path").attr("class", "area band").attr("d", d3.area().x(d => this.x(d[0]))
            .y0(d => this.y(high(d[1]))).y1(d => this.y(high(d[2])))(spans));
        else for (const [x, low, top] of spans)
          interval(into, this.x(x), this.y(high(low)), this.y(high(top)));
        if (!one.measured)
          into.append("path").attr("class", "line").attr("stroke-dasharray", DASHES[dash] || null)
            .attr("d", d3.line().x(d => this.x(d[0])).y(d => this.y(d[1]))
              .curve(one.steps ? d3.curveStepAfter : d3.curveLinear)(points));
        if (!one.steps && points.length <= 400)
          for (const [x, y] of points) symbol(into, marker, this.x(x), this.y(y), one.measured);
        if (one.failure && points.length)
          cross(into, this.x(points[points.length - 1][0]), this.y(points[points.length - 1][1]))
            .append("title").text(`${one.name}: ${one.failure.text}`);
        for (const [x, , state] of one.failed_at || [])
          if (typeof x === "number") cross(into, this.x(x), this.area.height - this.area.bottom - 8)
            .append("title").text(`${one.name}: ${STATES[state] || state || "failed"}`);
      }
    }

    // ---- Bars ----

    drawBars(inside) {
      const shown = this.shown(), zero = this.y(Math.max(this.y.domain()[0], 0));
      const part = d3.scaleBand(shown.map(one => one.name), [0, this.x.bandwidth()]).padding(0.08);
      shown.forEach((one, number) => {
        const into = this.series(inside, one, number);
        const left = place => this.alone ? this.x(one.name) : this.x(place) + part(one.name);
        const width = this.alone ? this.x.bandwidth() * 0.8 : part.bandwidth();
        for (const [x, y] of one.points) {
          if (typeof y !== "number") continue;
          into.append("rect").attr("class", "bar").attr("x", left(x)).attr("width", width)
            .attr("y", Math.min(this.y(y), zero)).attr("height", Math.abs(zero - this.y(y)));
          if (this.alone)
            into.append("text").attr("x", left(x) + width / 2).attr("y", this.y(y) - 4)
              .attr("text-anchor", "middle").text(numberText(Number(y.toPrecision(4))));
        }
        for (const [x, low, high] of one.intervals || [])
          interval(into, left(x) + width / 2, this.y(low), this.y(high)).classed("ink", true);
        for (const [x] of one.failed_at || [])
          cross(into, left(x) + width / 2, this.area.height - this.area.bottom - 8);
      });
    }

    // ---- Stacks ----

    drawStack(inside) {
      let below = new Map(this.places.map(place => [place, 0]));
      this.shown().forEach((one, number) => {
        const into = this.series(inside, one, number);
        const layer = one.points.map(([x, y]) => [x, below.get(x), below.get(x) + (y || 0)]);
        below = new Map(layer.map(([x, , top]) => [x, top]));
        if (this.banded)
          into.append("rect").attr("class", "bar").attr("x", this.x(this.groups()[0]))
            .attr("width", this.x.bandwidth()).attr("y", this.y(layer[0][2]))
            .attr("height", this.y(layer[0][1]) - this.y(layer[0][2]));
        else
          into.append("path").attr("class", "area").attr("d", d3.area().x(d => this.x(d[0]))
            .y0(d => this.y(d[1])).y1(d => this.y(d[2]))(layer));
        into.append("title").text(one.name);
      });
    }

    // ---- Fields ----

    points() {
      return this.panel.series.length ? this.panel.series[0].points : [];
    }

    rows() {
      const found = [...new Set(this.points().map(point => point[1]))];
      return found.some(value => typeof value === "string") ? found : found.sort((a, b) => a - b);
    }

    drawHeat() {
      const { left, right, top, bottom, width, height } = this.area, value = this.panel.value;
      const columns = this.places.every(place => typeof place === "number") ? [...this.places].sort((a, b) => a - b) : this.places;
      const x = d3.scaleBand(columns, [left, width - right]), y = d3.scaleBand(this.rows(), [height - bottom, top]);
      const given = this.points().map(point => point[2]).filter(one => one !== null && one > 0);
      const best = value.best === "highest" ? d3.max(given) : d3.min(given);
      const ratio = one => best && one > 0 ? (value.best === "highest" ? best / one : one / best) : 1;
      const worst = Math.max(1.05, d3.max(given, ratio) || 1);
      const shade = d3.scaleLinear(d3.range(4).map(i => worst ** (i / 3)), ["#e3eef6", "#7fb3d5", "#1f6fa8", "#0b3c5d"]);
      this.cells = [...this.points()].sort((a, b) => y(b[1]) - y(a[1]) || x(a[0]) - x(b[0]));
      const axis = this.svg.append("g").attr("class", "axis");
      for (const row of this.rows())
        axis.append("text").attr("x", left - 6).attr("y", y(row) + y.bandwidth() / 2).attr("dy", ".32em")
          .attr("text-anchor", "end").text(String(tickText(this.panel.y, row)).slice(0, 12));
      for (const column of columns)
        axis.append("text").attr("x", x(column) + x.bandwidth() / 2).attr("y", height - bottom + 16)
          .attr("text-anchor", "middle").text(tickText(this.panel.x, column));
      axis.append("text").attr("x", (left + width - right) / 2).attr("y", height - 6)
        .attr("text-anchor", "middle").text(labelText(this.panel.x));
      axis.append("text").attr("transform", `translate(13,${(top + height - bottom) / 2})rotate(-90)`)
        .attr("text-anchor", "middle").text(labelText(this.panel.y));
      const into = this.svg.append("g");
      this.cells.forEach((point, number) => {
        const [px, py, one, state] = point, cell = into.append("g");
        cell.append("rect").attr("class", "cell").attr("x", x(px)).attr("y", y(py)).attr("width", x.bandwidth())
          .attr("height", y.bandwidth()).attr("fill", one === null ? "var(--shade)" : shade(ratio(one)));
        const text = one === null ? STATES[state] || state || "failed" : numberText(Number(one.toPrecision(4)));
        if (x.bandwidth() > 6.4 * text.length)
          cell.append("text").attr("x", x(px) + x.bandwidth() / 2).attr("y", y(py) + y.bandwidth() / 2)
            .attr("dy", ".32em").attr("text-anchor", "middle").text(text)
            .style("fill", one === null ? "var(--ink)" : ratio(one) > worst ** 0.5 ? "#f5f5f5" : "#1f2328")
            .style("font-weight", one !== null && ratio(one) < 1 + 1e-9 ? 700 : 400);
        cell.on("mouseenter", () => this.readAt(number));
      });
      this.marked = this.svg.append("g");
      this.cellBox = number => [x(this.cells[number][0]), y(this.cells[number][1]), x.bandwidth(), y.bandwidth()];
      this.readAt(null);
    }

    // ---- Reading off ----

    // What the cursor stops at: places along x, groups of bars, cells.
    stops() {
      if (this.kind === "heat") return this.cells || [];
      if (this.banded) return this.groups();
      const [low, high] = this.x.domain();
      const seen = new Set(this.shown().flatMap(one => one.points.map(point => point[0])));
      return this.places.filter(place => seen.has(place) && place >= low && place <= high);
    }

    drawOverlay() {
      const { left, right, top, bottom, width, height } = this.area;
      const brush = this.banded ? d3.brushY() : d3.brush();
      brush.extent([[left, top], [width - right, height - bottom]]).keyModifiers(false)
        .touchable(false).on("end", (...given) => this.brushed(given));
      const over = this.brushLayer = this.svg.append("g").attr("class", "brush").call(brush);
      this.brush = brush;
      const self = this;
      over.on("mousemove.read touchstart.read", function (...given) {
        const event = eventOf(given), touch = event.touches ? event.touches[0] : event;
        const box = self.svg.node().getBoundingClientRect();
        self.readNear((touch.clientX - box.left) * width / box.width);
      }).on("mouseleave.read", () => this.readAt(null)).on("dblclick.read", () => this.reset());
    }

    brushed(given) {
      const selection = (given[0] && given[0].selection !== undefined ? given[0] : d3.event).selection;
      if (!selection) return;
      const [[x0, y0], [x1, y1]] = this.banded ? [[0, selection[0]], [99, selection[1]]] : selection;
      if (x1 - x0 > 5 && y1 - y0 > 5) {
        if (!this.banded) this.view.x = [this.x.invert(x0), this.x.invert(x1)];
        this.view.y = [this.y.invert(y1), this.y.invert(y0)];
      }
      this.draw();
    }

    readNear(pixel) {
      const stops = this.stops();
      const middle = stop => this.banded ? this.x(stop) + this.x.bandwidth() / 2 : this.x(stop);
      const nearest = d3.scan(stops, (a, b) => Math.abs(middle(a) - pixel) - Math.abs(middle(b) - pixel));
      this.readAt(nearest === undefined ? null : nearest);
    }

    readAt(number) {
      this.at = number;
      this.marked.selectAll("*").remove();
      this.out.replaceChildren();
      if (number === null || !this.stops().length) {
        this.out.append(this.kind === "heat" ? "Pointer or arrow keys read a value off."
          : "Pointer or arrow keys read values off; a dragged rectangle zooms.");
        return;
      }
      if (this.kind === "heat") return this.readCell(number);
      const stop = this.stops()[number], place = this.alone ? this.places[0] : this.kind === "stack" && this.banded ? this.places[0] : stop;
      this.out.append(element("b", this.banded && this.alone ? stop : tickText(this.xAxis, place)));
      if (!this.banded)
        this.marked.append("line").attr("class", "cursor").attr("x1", this.x(stop)).attr("x2", this.x(stop))
          .attr("y1", this.area.top).attr("y2", this.area.height - this.area.bottom);
      for (const one of this.shown()) {
        if (this.alone && one.name !== stop) continue;
        const point = one.points.find(([x]) => x === place);
        if (!point || typeof point[1] !== "number") continue;
        const span = (one.intervals || []).find(([x]) => x === place);
        const text = span ? `${valueText(this.yAxis, point[1])} (${numberText(span[1])} .. ${numberText(span[2])})`
          : valueText(this.yAxis, point[1]);
        this.readValue(one.name, text, point[1]);
        if (!this.banded && this.kind === "lines" && this.fits(...point))
          this.marked.append("circle").attr("class", "at").attr("r", 6).attr("cx", this.x(place)).attr("cy", this.y(point[1]));
      }
    }

    readValue(name, text, value) {
      const span = element("span", "", { "data-series": name, "data-value": String(value) });
      span.style.setProperty("--c", this.group.look(name)[0]);
      span.append(document.createElement("i"), `${name}: ${text}`);
      this.out.append(span, " ");
    }

    readCell(number) {
      const [px, py, value, state] = this.cells[number];
      this.out.append(element("b", `${this.panel.x.label} ${tickText(this.panel.x, px)}, ${this.panel.y.label} ${tickText(this.panel.y, py)}`));
      this.out.append(element("span", value === null ? STATES[state] || state || "failed" : valueText(this.panel.value, value),
        { "data-value": String(value) }));
      const [x, y, width, height] = this.cellBox(number);
      this.marked.append("rect").attr("class", "at").attr("x", x).attr("y", y).attr("width", width).attr("height", height);
    }

    fade(name) {
      this.svg.selectAll(".series").classed("faded", function () {
        return name !== null && this.getAttribute("data-series") !== name;
      });
    }
  }

  // ---- Small shapes ----

  function element(tag, text, attributes) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
    return made;
  }

  // d3 before its version 6 keeps the event, later ones give it.
  const eventOf = given => given[0] instanceof Event ? given[0] : d3.event;

  function symbol(into, marker, x, y, measured) {
    const [shape, turn] = SYMBOLS[marker] || SYMBOLS.o;
    return into.append("path").attr("class", measured ? "dot measured" : "dot")
      .attr("d", d3.symbol().type(shape).size(measured ? 45 : 34)()).attr("transform", `translate(${x},${y})rotate(${turn})`);
  }

  function interval(into, x, low, high) {
    return into.append("path").attr("class", "interval").attr("d", `M${x},${low}V${high}M${x - 3},${low}h6M${x - 3},${high}h6`);
  }

  const cross = (into, x, y) => into.append("path").attr("class", "cross")
    .attr("d", `M${x - 5},${y - 5}l10,10m0,-10l-10,10`);
  const ring = (into, x, y) => into.append("circle").attr("class", "ring").attr("r", 5).attr("cx", x).attr("cy", y);
  const across = (into, left, right, y) => into.append("line").attr("class", "dash").attr("x1", left)
    .attr("x2", right).attr("y1", y).attr("y2", y);

  // ---- A picture: panels with the same keys ----

  class Picture {
    constructor(box, id, given) {
      this.id = id;
      this.box = box;
      this.looks = given.looks;
      this.hidden = new Set();
      this.names = [...new Set(given.panels.flatMap(panel => panel.kind === "heat" ? [] : panel.series.map(one => one.name)))];
      this.measured = new Set(given.panels.flatMap(panel => panel.series.filter(one => one.measured).map(one => one.name)));
      box.replaceChildren();
      if (this.names.length) this.keys();
      const charts = box.appendChild(element("div", "", { class: given.panels.length > 1 ? "charts two" : "charts" }));
      this.panels = given.panels.map((panel, number) => new Panel(this, panel, number));
      this.panels.forEach(panel => charts.append(panel.box));
      this.draw();
    }

    look(name) {
      return this.looks[name] || ["#656d76", "o", "-"];
    }

    keys() {
      const set = this.box.appendChild(element("fieldset", "", { class: "keys" }));
      set.append(element("legend", "curves that are shown"));
      this.boxes = this.names.map(name => set.appendChild(this.keyOf(name)).querySelector("input"));
      if (this.names.length > 3)
        for (const [text, on] of [["all", true], ["none", false]]) {
          const made = element("button", text, { type: "button", "aria-label": `${text} curves`, "data-do": `${text} curves` });
          made.addEventListener("click", () => this.switchAll(on));
          set.append(made);
        }
    }

    keyOf(name) {
      const [colour, marker, dash] = this.look(name), key = element("label", "", { class: "key" });
      const box = element("input", "", { type: "checkbox", "data-series": name });
      box.checked = true;
      box.addEventListener("change", () => {
        this.hidden[box.checked ? "delete" : "add"](name);
        this.draw();
      });
      key.style.setProperty("--c", colour);
      key.append(box);
      const sign = d3.select(key).append("svg").attr("viewBox", "0 0 30 12").attr("aria-hidden", "true");
      if (dash === "none" && !this.measured.has(name)) {
        sign.append("rect").attr("class", "dot").attr("x", 8).attr("width", 14).attr("height", 12);
        key.append(name);
        return this.fading(key, name);
      }
      if (!this.measured.has(name))
        sign.append("path").attr("class", "line").attr("d", "M1,6H29").attr("fill", "none").attr("stroke-width", 2).attr("stroke-dasharray", DASHES[dash] || null);
      symbol(sign, marker, 15, 6, this.measured.has(name));
      key.append(name);
      return this.fading(key, name);
    }

    // The curve of a key stands out while it is pointed at.
    fading(key, name) {
      for (const [on, fade] of [["mouseenter", name], ["mouseleave", null], ["focusin", name], ["focusout", null]])
        key.addEventListener(on, () => this.panels.forEach(panel => panel.fade(fade)));
      return key;
    }

    switchAll(on) {
      this.hidden = new Set(on ? [] : this.names);
      this.boxes.forEach(box => { box.checked = on; });
      this.draw();
    }

    draw() {
      this.panels.forEach(panel => panel.draw());
    }
  }

  // ---- Tables ----

  function filterOf(box) {
    const rows = [...document.querySelectorAll(`#${box.getAttribute("aria-controls")} tbody tr`)];
    const texts = rows.map(row => row.textContent.toLowerCase());
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/);
      rows.forEach((row, i) => { row.hidden = !words.every(word => texts[i].includes(word)); });
    });
  }

  // ---- The page ----

  const data = JSON.parse(document.getElementById("netsim-data").textContent);
  const pictures = [...document.querySelectorAll("[data-picture]")].map(box =>
    new Picture(box, box.dataset.picture, data.pictures[box.dataset.picture]));
  document.querySelectorAll("input[type=search]").forEach(filterOf);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) pictures.forEach(picture => picture.draw());
    width = window.innerWidth;
  });
  document.documentElement.dataset.ready = "yes";
})();
