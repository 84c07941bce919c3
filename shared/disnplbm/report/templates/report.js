"use strict";
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("figure-data").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const MISSING = 255;
  const GUTTER = 40, HEAD = 20;

  // ---- state, kept in the address so that a link shows what its sender saw
  const state = { theme: "", pixel: data.pixel, colour: data.scales[data.pixel].ranked ? "ranked" : "linear", trace: "all" };
  const initial = { ...state };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) if (key in state) state[key] = value;
  if (!data.scales[state.pixel]) state.pixel = "mean";
  let printing = false;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => (printing ? "light" : state.theme || (systemDark.matches ? "dark" : "light"));

  function keep() {
    const changed = Object.entries(state).filter(([key, value]) => value !== initial[key]);
    const hash = new URLSearchParams(changed).toString();
    history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
  }

  // ---- numbers
  function number(value) {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2).replaceAll("-", "−");
    const digits = size === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(size)));
    return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 8) }).replace("-", "−");
  }
  const count = (value) => value.toLocaleString("en");
  const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");

  // ---- colours
  const tables = {};
  for (const [kind, themes] of Object.entries(data.colours)) {
    tables[kind] = { light: bytes(themes.light), dark: bytes(themes.dark) };
  }
  function shadeOfLevel(scale, level) {
    if (state.colour === "ranked" && scale !== data.share) return level;
    const at = (scale.values[level] - scale.low) / (scale.high - scale.low);
    return Math.round(254 * Math.min(1, Math.max(0, at)));
  }
  const colours = (scale) => tables[scale.kind][theme()];

  // ---- the two pictures
  const views = [...document.querySelectorAll(".plot")].map((plot) => {
    const name = plot.dataset.view;
    const view = data.views[name];
    const levels = {};
    for (const [kind, text] of Object.entries(view.levels)) levels[kind] = bytes(text);
    return {
      name, plot, levels, noun: view.noun, rows: view.items || view.rows, columns: view.items || view.columns,
      canvas: plot.querySelector("canvas"), block: plot.querySelector(".block"), cross: plot.querySelector(".cross"),
      height: (view.items || view.rows).start.length, width: (view.items || view.columns).start.length, at: null,
    };
  });
  const matrices = views.filter((view) => !view.noun); // the others show how often two items of an axis are together
  const shown = (view) => view.levels[view.noun ? "share" : state.pixel];
  const scaleOf = (view) => (view.noun ? data.share : data.scales[state.pixel]);

  function picture(view) {
    const scale = scaleOf(view);
    const table = colours(scale);
    const image = new ImageData(view.width, view.height);
    const shades = scale.values.map((_, level) => shadeOfLevel(scale, level));
    shown(view).forEach((level, i) => {
      if (level === MISSING) return; // stays transparent: the hatching shows through
      const shade = shades[level] * 3;
      image.data[4 * i] = table[shade];
      image.data[4 * i + 1] = table[shade + 1];
      image.data[4 * i + 2] = table[shade + 2];
      image.data[4 * i + 3] = 255;
    });
    const canvas = document.createElement("canvas");
    canvas.width = view.width;
    canvas.height = view.height;
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }

  function hatch(context, x, y, width, height, colour) {
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.globalAlpha = 0.5;
    context.beginPath();
    for (let offset = -height; offset < width; offset += 5) {
      context.moveTo(x + offset, y + height);
      context.lineTo(x + offset + height, y);
    }
    context.stroke();
    context.restore();
  }

  // Whole multiples of a pixel stay sharp; only the rest of the way is averaged, so that no thin band drops out.
  function enlarged(source, width, height) {
    const canvas = document.createElement("canvas");
    canvas.width = source.width * Math.max(1, Math.ceil(width / source.width));
    canvas.height = source.height * Math.max(1, Math.ceil(height / source.height));
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(source, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  function layout(view) {
    const width = view.plot.clientWidth - GUTTER;
    if (view.noun) return { width, height: width, x: GUTTER, y: HEAD };
    const natural = width * (data.views.original.rows.start.length / data.views.original.columns.start.length);
    const height = Math.round(Math.min(Math.max(natural, 0.5 * width), Math.min(1.05 * width, 620)));
    return { width, height, x: GUTTER, y: HEAD };
  }

  function draw(view) {
    const box = layout(view);
    const { canvas } = view;
    const density = window.devicePixelRatio || 1;
    canvas.style.height = box.height + HEAD + "px";
    canvas.width = Math.round((box.width + GUTTER) * density);
    canvas.height = Math.round((box.height + HEAD) * density);
    const context = canvas.getContext("2d");
    context.scale(density, density);
    const style = getComputedStyle(canvas);
    const soft = style.color, ground = style.backgroundColor, rule = style.borderTopColor;
    if (shown(view).includes(MISSING)) hatch(context, box.x, box.y, box.width, box.height, soft);
    context.imageSmoothingQuality = "high";
    context.drawImage(enlarged(picture(view), box.width * density, box.height * density), box.x, box.y, box.width, box.height);
    context.strokeStyle = rule;
    context.lineWidth = 1;
    context.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
    context.font = "11px " + getComputedStyle(document.body).fontFamily;
    context.fillStyle = soft;
    axis(context, view.rows, box, true, { soft, ground });
    axis(context, view.columns, box, false, { soft, ground });
  }

  function axis(context, items, box, vertical, colours) {
    const length = vertical ? box.height : box.width;
    const from = vertical ? box.y : box.x;
    const scale = length / items.start.length;
    const text = (label, at) => {
      context.textAlign = vertical ? "right" : "center";
      context.textBaseline = vertical ? "middle" : "alphabetic";
      context.fillStyle = colours.soft;
      if (vertical) context.fillText(label, box.x - 9, at);
      else context.fillText(label, at, box.y - 8);
    };
    if (!items.clusters) {
      const step = niceStep(items.count / Math.max(2, Math.floor(length / (vertical ? 70 : 80))));
      for (let item = 0; item < items.count; item += step) {
        const at = from + (item / items.count) * length + 0.5;
        context.fillRect(vertical ? box.x - 5 : at - 0.5, vertical ? at - 0.5 : box.y - 5, vertical ? 4 : 1, vertical ? 1 : 4);
        text(short(item, items.count), vertical ? Math.max(at, from + 5) : Math.max(at, box.x + 4));
      }
      return;
    }
    // Clusters: strips in two tones beside the picture, borders across it, names where they fit.
    const borders = items.borders.map((pixel) => from + pixel * scale);
    const shown = borders.length - 1;
    const across = length / shown >= 3;
    let lastLabel = -Infinity;
    for (let k = 0; k < shown; k += 1) {
      const a = borders[k], b = borders[k + 1];
      if (b <= a) continue;
      context.globalAlpha = k % 2 ? 0.35 : 0.8;
      context.fillStyle = colours.soft;
      if (vertical) context.fillRect(box.x - 5, a, 4, b - a);
      else context.fillRect(a, box.y - 5, b - a, 4);
      context.globalAlpha = 1;
      const middle = (a + b) / 2, room = vertical ? 11 : 8 + 6 * String(k).length;
      if (middle - lastLabel >= room) {
        text(String(k), middle);
        lastLabel = middle;
      }
      if (k > 0 && across) {
        context.fillStyle = colours.ground;
        const line = length / shown >= 8 ? 1.5 : 1;
        if (vertical) context.fillRect(box.x, a - line / 2, box.width, line);
        else context.fillRect(a - line / 2, box.y, line, box.height);
      }
    }
  }
  function niceStep(raw) {
    const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
    return Math.max(1, Math.round(power * [1, 2, 5, 10].find((f) => f * power >= raw)));
  }
  const short = (n, largest) => (n > 0 && largest > 10000 ? (n / 1000).toLocaleString("en") + "k" : count(n));

  // ---- legend
  function widened(items) {
    if (!items.clusters) return false;
    const pixels = items.borders[items.borders.length - 1];
    return items.clusters.slice(1).some((end, k) => {
      const share = (end - items.clusters[k]) / items.count;
      return (items.borders[k + 1] - items.borders[k]) / pixels > 1.2 * share;
    });
  }
  function ramp(name, scale) {
    const table = colours(scale);
    const stops = [];
    for (let i = 0; i <= 32; i += 1) {
      const shade = 3 * Math.round((254 * i) / 32);
      stops.push("rgb(" + table[shade] + "," + table[shade + 1] + "," + table[shade + 2] + ")");
    }
    document.getElementById(name).style.background = "linear-gradient(90deg," + stops.join(",") + ")";
  }
  function legend() {
    const scale = data.scales[state.pixel];
    const ranked = state.colour === "ranked";
    ramp("ramp", scale);
    if (document.getElementById("share-ramp")) ramp("share-ramp", data.share);
    const ticks = document.getElementById("ramp-ticks");
    ticks.textContent = "";
    const label = (at) => {
      const value = ranked ? scale.values[Math.round(at * 254)] : scale.low + at * (scale.high - scale.low);
      const beyond = !ranked && ((at === 0 && scale.values[0] < scale.low) || (at === 1 && scale.values[254] > scale.high));
      return (beyond ? (at ? "≥ " : "≤ ") : "") + number(Number(value.toPrecision(3)));
    };
    const places = [0, 0.25, 0.5, 0.75, 1];
    const crowded = places.some((at) => label(at).length > 9);
    for (const at of crowded ? [0, 0.5, 1] : places) {
      const tick = document.createElement("span");
      tick.textContent = label(at);
      tick.style.left = at * 100 + "%";
      ticks.append(tick);
    }
    const most = (axis_) => Math.max(...matrices.map((view) => view[axis_].stop.reduce((best, stop, i) => Math.max(best, stop - view[axis_].start[i]), 1)));
    const a = most("rows"), b = most("columns");
    const notes = [];
    if (a * b > 1) {
      const extent = "up to " + plural(a, "row") + (b > 1 ? " × " + plural(b, "column") : "");
      notes.push(state.pixel === "mean" ? "A pixel is the mean of " + extent + "." : "A pixel is one cell out of " + extent + ".");
    }
    if (ranked) notes.push("Every colour covers an equal share of the reordered picture.");
    if (Object.values(data.views.reordered).some(widened)) notes.push("Small clusters are drawn wider than their share, so that every block can be seen.");
    document.getElementById("pixel-note").textContent = notes.join(" ");
  }

  // ---- read-out
  const tip = document.getElementById("tip"), spoken = document.getElementById("spoken");
  function cluster(items, position) {
    let low = 0, high = items.clusters.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (items.clusters[middle] <= position) low = middle; else high = middle;
    }
    return low;
  }
  function extent(items, pixel, word) {
    const n = items.stop[pixel] - items.start[pixel];
    const first = items.first[pixel], last = items.last[pixel];
    const names = n === 1 ? first : first + (items.clusters ? " … " : " – ") + last;
    const details = [];
    if (n > 1) details.push(plural(n, word));
    let k = null;
    if (items.clusters) {
      k = cluster(items, items.start[pixel]);
      const end = cluster(items, items.stop[pixel] - 1);
      details.push(k === end ? "cluster " + k : "clusters " + k + "–" + end);
      if (k !== end) k = null;
    }
    return { names, details: details.join(" of "), k };
  }
  function describe(view, row, column) {
    const r = extent(view.rows, row, view.noun || "row"), c = extent(view.columns, column, view.noun || "column");
    const level = shown(view)[row * view.width + column];
    const many = view.rows.stop[row] - view.rows.start[row] > 1 || view.columns.stop[column] - view.columns.start[column] > 1;
    if (view.noun) {
      const lines = [["One " + view.noun, r.names, r.details], ["Another", c.names, c.details],
        ["Together in", Math.round((100 * level) / 254) + " % of the draws", many ? "mean of the pixel" : ""]];
      return { lines, k: r.k, l: c.k };
    }
    const value = level === MISSING ? "missing" : "≈ " + number(Number(data.scales[state.pixel].values[level].toPrecision(3)));
    const lines = [["Row" + (r.names === view.rows.first[row] ? "" : "s"), r.names, r.details],
      ["Column" + (c.names === view.columns.first[column] ? "" : "s"), c.names, c.details],
      [many && state.pixel === "mean" ? "Mean" : "Value", value, many && state.pixel === "cells" ? "one cell of the pixel" : ""]];
    if (r.k !== null && c.k !== null && data.blocks) {
      const { mean, sd, intervals } = data.blocks;
      const range = (name) => intervals[name].map((end) => number(end[r.k][c.k])).join(" to ");
      const between = intervals ? "; with 95 %: mean " + range("mean") + ", sd " + range("sd") : "";
      lines.push(["Block", number(mean[r.k][c.k]) + " ± " + number(sd[r.k][c.k]), "mean ± sd of (" + r.k + ", " + c.k + ")" + between]);
    }
    return { lines, k: r.k, l: c.k };
  }
  function show(view, row, column, speak) {
    const box = layout(view);
    const sx = box.width / view.width, sy = box.height / view.height;
    view.at = [row, column];
    const x = box.x + (column + 0.5) * sx, y = box.y + (row + 0.5) * sy;
    const found = describe(view, row, column);
    view.cross.hidden = false;
    view.cross.style.left = x + "px";
    view.cross.style.top = y + "px";
    view.block.hidden = found.k === null || found.l === null;
    if (!view.block.hidden) {
      const [top, bottom] = [view.rows.borders[found.k], view.rows.borders[found.k + 1]];
      const [left, right] = [view.columns.borders[found.l], view.columns.borders[found.l + 1]];
      Object.assign(view.block.style, {
        left: box.x + left * sx - 1 + "px", top: box.y + top * sy - 1 + "px",
        width: (right - left) * sx + 2 + "px", height: (bottom - top) * sy + 2 + "px",
      });
    }
    const list = document.createElement("dl");
    for (const [term, value, detail] of found.lines) {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = term;
      dd.textContent = value;
      if (detail) dd.append(Object.assign(document.createElement("small"), { textContent: detail }));
      list.append(dt, dd);
    }
    tip.replaceChildren(list);
    tip.hidden = false;
    const around = view.canvas.getBoundingClientRect();
    const px = around.left + x, py = around.top + y;
    const left = px + 18 + tip.offsetWidth < root.clientWidth ? px + 18 : px - 18 - tip.offsetWidth;
    tip.style.left = Math.max(6, left) + "px";
    tip.style.top = Math.max(6, Math.min(py + 14, window.innerHeight - tip.offsetHeight - 6)) + "px";
    if (speak) spoken.textContent = found.lines.map(([term, value, detail]) => term + " " + value + (detail ? ", " + detail : "")).join("; ");
  }
  function hide(view) {
    tip.hidden = view.cross.hidden = view.block.hidden = true;
  }
  for (const view of views) {
    const clamp = (value, count_) => Math.min(count_ - 1, Math.max(0, value));
    const point = (event) => {
      const box = layout(view), around = view.canvas.getBoundingClientRect();
      const x = event.clientX - around.left - box.x, y = event.clientY - around.top - box.y;
      if (x < 0 || y < 0 || x >= box.width || y >= box.height) hide(view);
      else show(view, clamp(Math.floor((y / box.height) * view.height), view.height), clamp(Math.floor((x / box.width) * view.width), view.width), false);
    };
    view.canvas.addEventListener("pointermove", point);
    view.canvas.addEventListener("pointerdown", point);
    // A finger that lifts leaves the read-out standing; the next tap elsewhere or a scroll closes it.
    view.canvas.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(view); });
    addEventListener("scroll", () => hide(view), { passive: true });
    view.canvas.addEventListener("blur", () => hide(view));
    view.canvas.addEventListener("keydown", (event) => {
      const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      if (event.key === "Escape") return hide(view);
      if (!moves[event.key]) return undefined;
      event.preventDefault();
      const step = event.shiftKey ? 10 : 1;
      const [row, column] = view.at || [0, 0];
      const [down, right] = view.at ? moves[event.key] : [0, 0];
      return show(view, clamp(row + step * down, view.height), clamp(column + step * right, view.width), true);
    });
  }

  // ---- traces: one read-out over all four charts
  const charts = [...document.querySelectorAll(".chart svg")].map((svg) => ({
    svg, lines: JSON.parse(svg.dataset.points), hover: svg.querySelector(".hover"),
    caption: svg.parentElement.querySelector("figcaption span"),
  }));
  function follow(x) {
    for (const chart of charts) {
      if (x === null) {
        chart.hover.setAttribute("visibility", "hidden");
        chart.caption.textContent = chart.caption.dataset.rest;
        continue;
      }
      const shown = chart.svg.getClientRects().length > 0;
      if (!shown) continue;
      const near = chart.lines.map((points) => points.reduce((best, point) => (Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best)));
      chart.hover.setAttribute("visibility", "visible");
      chart.hover.querySelector("path").setAttribute("transform", "translate(" + near[0][0] + " 0)");
      chart.hover.querySelectorAll("circle").forEach((circle, chain) => circle.setAttribute("transform", "translate(" + near[chain][0] + " " + near[chain][1] + ")"));
      chart.caption.textContent = "iteration " + count(near[0][2]) + ": " + near.map((point) => number(point[3])).join(" · ");
    }
  }
  for (const chart of charts) {
    chart.svg.addEventListener("pointermove", (event) => {
      const around = chart.svg.getBoundingClientRect();
      follow(((event.clientX - around.left) / around.width) * chart.svg.viewBox.baseVal.width);
    });
    chart.svg.addEventListener("pointerleave", () => follow(null));
  }

  // ---- apply
  const names = { "": "Auto", light: "Light", dark: "Dark" };
  function paint() {
    views.forEach(draw);
    legend();
  }
  function apply() {
    if (state.theme) root.dataset.theme = state.theme; else delete root.dataset.theme;
    root.dataset.trace = state.trace;
    document.getElementById("theme-name").textContent = names[state.theme] || "Auto";
    document.getElementById("theme").setAttribute("aria-label", "Theme: " + (names[state.theme] || "Auto"));
    for (const input of document.querySelectorAll(".segments input")) input.checked = state[input.name] === input.value;
    paint();
  }
  document.getElementById("theme").hidden = false;
  document.getElementById("theme").addEventListener("click", () => {
    const order = ["", "light", "dark"];
    state.theme = order[(order.indexOf(state.theme) + 1) % 3];
    keep();
    apply();
  });
  for (const input of document.querySelectorAll(".segments input")) {
    input.addEventListener("change", () => {
      state[input.name] = input.value;
      keep();
      apply();
    });
  }
  systemDark.addEventListener("change", apply);
  addEventListener("beforeprint", () => { printing = true; paint(); });
  addEventListener("afterprint", () => { printing = false; paint(); });
  root.classList.add("ready");
  apply();
  new ResizeObserver(() => views.forEach(draw)).observe(views[0].plot);
})();
