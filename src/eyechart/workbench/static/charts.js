// Small SVG charts. Every chart has a title for screen readers, axis titles, and a table or text with the same numbers nearby.

import { h, s } from "./dom.js";
import { labelWidth, shortForms, wrapped } from "./labels.js";
import { count, percent } from "./numbers.js";

// The end of an axis that has four equal steps.
const roundedUp = (share) => [0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8].find((end) => share <= end) ?? 1;
// Decimals that equal steps need to look equal: 0.25%, 0.5%, 0.75% and not 0.3%, 0.5%, 0.8%.
const digitsOf = (shares) => [0, 1, 2].find((d) => shares.every((v) => Math.abs(100 * v - Number((100 * v).toFixed(d))) < 1e-9)) ?? 2;

const LINE = 14; // height of a line of text
// Lines of text around a height, each in the middle of its own.
const textLines = (lines, { x, y, anchor }) => s("text", { "text-anchor": anchor },
  lines.map((line, i) => s("tspan", { x, y: y + 4 + (i - (lines.length - 1) / 2) * LINE }, line)));

export function dots(rows, { title, reference = null, max = null, width = 420 }) {
  const right = 60, top = 8, left = 16 + labelWidth(rows.map((r) => r.name), 0.48 * width);
  const labels = rows.map((r) => wrapped(r.name, left - 16)), rowHeight = Math.max(24, 8 + LINE * Math.max(...labels.map((l) => l.length)));
  const highest = max ?? Math.max(0.02, ...rows.map((r) => r.high ?? r.value ?? 0));
  const x = (v) => left + (Math.min(v, highest) / highest) * (width - left - right);
  const height = top + rows.length * rowHeight + 38;
  const ticks = [0, highest / 2, highest];
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: "chart dots" },
    ticks.map((t) => [
      s("line", { x1: x(t), x2: x(t), y1: top, y2: height - 34, class: "grid" }),
      s("text", { x: x(t), y: height - 20, "text-anchor": "middle", class: "tick" }, percent(t, highest < 0.1 ? 1 : 0)),
    ]),
    s("text", { x: left + (width - left - right) / 2, y: height - 5, "text-anchor": "middle", class: "axis" }, title),
    reference !== null && s("line", { x1: x(reference), x2: x(reference), y1: top, y2: height - 34, class: "reference" }),
    rows.map((r, i) => {
      const y = top + i * rowHeight + rowHeight / 2;
      return s("g", {}, s("title", {}, `${r.name}: ${percent(r.value)} (${percent(r.low)} to ${percent(r.high)}), n = ${count(r.n)}`),
        textLines(labels[i], { x: left - 8, y, anchor: "end" }),
        r.low !== null && s("line", { x1: x(r.low), x2: x(r.high), y1: y, y2: y, class: "whisker" }),
        s("circle", { cx: x(r.value), cy: y, r: 4.5, class: r.bold ? "dot strong" : "dot" }),
        s("text", { x: width - right + 8, y: y + 4, class: "value" }, percent(r.value)));
    }));
}

export function flow(flows, { onpick, chosen }) {
  const width = 620, gap = 8, left = 150, right = width - 150, inner = 12;
  const side = (key) => {
    const totals = new Map();
    for (const f of flows) totals.set(f[key], (totals.get(f[key]) || 0) + f.count);
    return [...totals].sort((a, b) => b[1] - a[1]);
  };
  const from = side("from"), to = side("to");
  const total = flows.reduce((sum, f) => sum + f.count, 0);
  const labelOf = (name, n) => wrapped(`${name} ${count(n)}`, left - 12);
  const slots = (list) => list.map(([name, n]) => LINE * labelOf(name, n).length + gap); // what the labels need
  const needed = Math.max(...[from, to].map((list) => slots(list).reduce((sum, slot) => sum + slot, gap)));
  const height = Math.max(150, needed + 90), unit = (height - needed) / total;
  const place = (list) => {
    const sizes = slots(list).map((slot, i) => Math.max(slot, list[i][1] * unit + gap));
    let y = (height - sizes.reduce((sum, size) => sum + size, 0)) / 2;
    return new Map(list.map(([name, n], i) => {
      const thick = Math.max(n * unit, 2), at = { y: y + (sizes[i] - thick) / 2, n, used: 0 };
      y += sizes[i];
      return [name, at];
    }));
  };
  const a = place(from), b = place(to);
  const ribbons = flows.map((f, i) => {
    const p = a.get(f.from), q = b.get(f.to), thick = Math.max(f.count * unit, 1.5);
    const y0 = p.y + p.used, y1 = q.y + q.used;
    p.used += f.count * unit; q.used += f.count * unit;
    const x0 = left + inner, x1 = right - inner, mid = (x0 + x1) / 2;
    const path = `M${x0},${y0} C${mid},${y0} ${mid},${y1} ${x1},${y1} L${x1},${y1 + thick} C${mid},${y1 + thick} ${mid},${y0 + thick} ${x0},${y0 + thick} Z`;
    const label = `${count(f.count)} from ${f.from} to ${f.to}`;
    return s("path", { d: path, class: `ribbon c${i % 6}${chosen === i ? " chosen" : ""}`, tabindex: 0, role: "button", "aria-label": `show ${label}`,
      "aria-pressed": chosen === i ? "true" : "false",
      onclick: () => onpick(i), onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); onpick(i); } } }, s("title", {}, label));
  });
  const blocks = (places, x, anchor, tx) => [...places].map(([name, at]) => s("g", {},
    s("rect", { x, y: at.y, width: inner, height: Math.max(at.n * unit, 2), class: "block" }),
    textLines(labelOf(name, at.n), { x: tx, y: at.y + Math.max(at.n * unit, 2) / 2, anchor })));
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Pictures that moved, from class to class", class: "chart flow" },
    ribbons, blocks(a, left, "end", left - 8), blocks(b, right - inner, "start", right + 8));
}

export function curve(lines, { xTitle, yTitle, title, mark = null, width = 420, height = 250, xMax = 1, yMax = null, diagonal = false }) {
  const left = 52, right = 22, top = 10, bottom = 42;
  const highest = yMax ?? roundedUp(Math.max(0, ...lines.flatMap((l) => l.y)));
  const x = (v) => left + (v / xMax) * (width - left - right), y = (v) => height - bottom - (v / highest) * (height - top - bottom);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: "chart" },
    ticks.map((t) => [
      s("line", { x1: x(t * xMax), x2: x(t * xMax), y1: top, y2: height - bottom, class: "grid" }),
      s("text", { x: x(t * xMax), y: height - bottom + 16, "text-anchor": "middle", class: "tick" }, percent(t * xMax, 0)),
      s("line", { x1: left, x2: width - right, y1: y(t * highest), y2: y(t * highest), class: "grid" }),
      s("text", { x: left - 6, y: y(t * highest) + 4, "text-anchor": "end", class: "tick" }, percent(t * highest, digitsOf(ticks.map((u) => u * highest)))),
    ]),
    diagonal && s("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(highest), class: "reference" }),
    lines.map((l, i) => s("polyline", { points: l.x.map((v, j) => `${x(v)},${y(l.y[j])}`).join(" "), class: `line c${i}` })),
    lines.filter((l) => l.dots).map((l) => l.x.map((v, j) => s("circle", { cx: x(v), cy: y(l.y[j]), r: 3.5, class: "dot" }))),
    mark && s("circle", { cx: x(mark.x), cy: y(mark.y), r: 6, class: "mark" }, s("title", {}, mark.title)),
    s("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "axis" }, xTitle),
    s("text", { x: -(top + height - bottom) / 2, y: 12, transform: "rotate(-90)", "text-anchor": "middle", class: "axis" }, yTitle));
}

export function histogram(edges, inside, outside, { at, title, width = 420, height = 200 }) {
  const left = 12, right = 12, top = 10, bottom = 40;
  const low = edges[0], high = edges[edges.length - 1], most = Math.max(...inside, ...outside, 0.01);
  const x = (v) => left + ((v - low) / (high - low || 1)) * (width - left - right), y = (v) => height - bottom - (v / most) * (height - top - bottom);
  const bars = (values, name) => values.map((v, i) => s("rect", { x: x(edges[i]), width: Math.max(x(edges[i + 1]) - x(edges[i]) - 0.5, 0.5), y: y(v), height: height - bottom - y(v), class: name }));
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: "chart" },
    bars(inside, "bar inside"), bars(outside, "bar outside"),
    at !== null && s("line", { x1: x(Math.min(Math.max(at, low), high)), x2: x(Math.min(Math.max(at, low), high)), y1: top, y2: height - bottom, class: "threshold" }),
    s("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "base" }),
    s("text", { x: left, y: height - bottom + 15, class: "tick" }, low.toPrecision(3)),
    s("text", { x: width - right, y: height - bottom + 15, "text-anchor": "end", class: "tick" }, high.toPrecision(3)),
    s("text", { x: width / 2, y: height - 6, "text-anchor": "middle", class: "axis" }, title));
}

export function confusion(found, classes, { onpick }) {
  if (!found.counts) return null;
  const forms = shortForms([...classes.map((c) => c.name), ...found.labels], 24);
  const most = found.counts.map((row) => Math.max(1, row.reduce((a, b) => a + b, 0)));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion matrix" },
    h("table", { class: "confusion" },
      h("caption", {}, "Rows: label. Columns: predicted class. A cell shows its pictures."),
      h("thead", {}, h("tr", {}, h("td", {}), classes.map((c) => h("th", { scope: "col", title: c.name }, h("span", {}, forms.get(c.name)))))),
      h("tbody", {}, found.counts.map((row, i) => h("tr", {},
        h("th", { scope: "row", title: found.labels[i] }, forms.get(found.labels[i])),
        row.map((n, j) => {
          const share = n / most[i], wrong = !(classes[j].labels || []).includes(found.labels[i]);
          const cell = h("td", {});
          if (n) {
            const button = h("button", { type: "button", class: `cell ${wrong ? "wrong" : "right"} s${Math.ceil(share * 5)}`,
              "aria-label": `${n} of ${found.labels[i]} predicted as ${classes[j].name}`, onclick: () => onpick(found.labels[i], classes[j].name) }, count(n));
            cell.append(button);
          }
          return cell;
        }))))));
}

// A share with its interval, and what it is compared with, on a line from 0 to 100%.
export function numberLine({ value, low, high, marks, title }, width = 460) {
  const left = 8, x = (v) => left + Math.min(Math.max(v, 0), 1) * (width - 2 * left);
  const shown = new Map();
  for (const m of marks) { const key = `${m.name === "target"} ${m.value.toFixed(3)}`; shown.set(key, { ...m, name: shown.has(key) ? `${shown.get(key).name} = ${m.name}` : m.name }); }
  const list = [...shown.values()].sort((a, b) => a.value - b.value), height = 44 + 16 * list.length;
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart line-of",
    "aria-label": `${title} ${percent(value)}, 95% CI ${percent(low)} to ${percent(high)}; ${list.map((m) => `${m.name} ${percent(m.value)}`).join(", ")}` },
    s("rect", { x: left, y: 18, width: width - 2 * left, height: 4, class: "track" }),
    low !== null && s("rect", { x: x(low), y: 11, width: Math.max(x(high) - x(low), 2), height: 18, class: "span" }),
    list.map((m, i) => [s("line", { x1: x(m.value), x2: x(m.value), y1: 6, y2: 38 + 16 * i, class: m.name === "target" ? "threshold" : "reference" }),
      s("text", { x: x(m.value) + (m.value > 0.6 ? -5 : 5), y: 48 + 16 * i, "text-anchor": m.value > 0.6 ? "end" : "start", class: "value" }, `${m.name} ${percent(m.value)}`)]),
    s("circle", { cx: x(value), cy: 20, r: 7, class: "dot strong" }));
}
