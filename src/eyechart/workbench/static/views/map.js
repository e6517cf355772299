// The map of the vectors, with a lasso. What is inside becomes a filter of the gallery.

import { h } from "../dom.js";
import { count, percent } from "../numbers.js";

const SIDE = 460, EDGE = 10;

export function lassoMap(found, onlasso, onlayout) {
  const canvas = h("canvas", { width: SIDE * 2, height: SIDE * 2, role: "img", "aria-label": `Map of ${count(found.rows.length)} pictures by their vectors; draw around some to see them. The filters do the same without a mouse.` });
  const text = h("p", {}, `${found.explained ? `First two principal components, ${percent(found.explained[0] + found.explained[1], 0)} of the variance.` : "UMAP by cosine: near pictures are alike; distances between groups mean little."} ${found.rows.length < found.n ? `A sample of ${count(found.rows.length)}. ` : ""}Draw around pictures to see them.`);
  const key = h("p", { class: "key" }, h("span", { class: "right" }, "● correct "), h("span", { class: "wrong" }, "● wrong "), h("span", { class: "none" }, "● no label"));
  const layouts = h("div", { class: "buttons", role: "group", "aria-label": "Layout" }, [["pca", "PCA"], ["umap", "UMAP"]].map(([value, name]) =>
    h("button", { type: "button", "aria-pressed": String(found.layout === value), onclick: () => { if (found.layout !== value) { if (chosen) onlasso(null); onlayout(value); } } }, name)));
  const clearButton = h("button", { type: "button", onclick: () => { clear(); onlasso(null); } }, "Clear the lasso");
  const x = (i) => (EDGE + found.x[i] * (SIDE - 2 * EDGE)), y = (i) => (SIDE - EDGE - found.y[i] * (SIDE - 2 * EDGE));
  let path = [], chosen = null, drawing = false;

  function color(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
  function draw() {
    const c = canvas.getContext("2d");
    c.setTransform(2, 0, 0, 2, 0, 0);
    c.clearRect(0, 0, SIDE, SIDE);
    const colors = { 1: color("--right"), 0: color("--bad"), "-1": color("--quiet") };
    const size = found.rows.length > 5000 ? 1.4 : 2.6;
    for (const pass of [-1, 1, 0]) {
      c.fillStyle = colors[pass];
      for (let i = 0; i < found.rows.length; i++) {
        if (found.correct[i] !== pass) continue;
        c.globalAlpha = chosen && !chosen.has(i) ? 0.12 : 0.75;
        c.beginPath(); c.arc(x(i), y(i), size, 0, 7); c.fill();
      }
    }
    c.globalAlpha = 1;
    if (path.length > 1) {
      c.strokeStyle = color("--accent"); c.lineWidth = 1.5;
      c.beginPath(); path.forEach(([px, py], i) => (i ? c.lineTo(px, py) : c.moveTo(px, py)));
      if (!drawing) c.closePath();
      c.stroke();
    }
  }
  function inside(px, py) {
    let odd = false;
    for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
      const [xi, yi] = path[i], [xj, yj] = path[j];
      if ((yi > py) !== (yj > py) && px < ((xj - xi) * (py - yi)) / (yj - yi) + xi) odd = !odd;
    }
    return odd;
  }
  const place = (e) => { const r = canvas.getBoundingClientRect(); return [((e.clientX - r.left) / r.width) * SIDE, ((e.clientY - r.top) / r.height) * SIDE]; };
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); drawing = true; chosen = null; path = [place(e)]; });
  canvas.addEventListener("pointermove", (e) => { if (drawing) { path.push(place(e)); draw(); } });
  canvas.addEventListener("pointerup", () => {
    drawing = false;
    if (path.length < 3) { clear(); onlasso(null); return; }
    chosen = new Set(found.rows.map((_, i) => i).filter((i) => inside(x(i), y(i))));
    draw();
    onlasso([...chosen].map((i) => found.rows[i]));
  });
  function clear() { path = []; chosen = null; draw(); }
  requestAnimationFrame(draw);
  return { element: h("section", { class: "card map" }, canvas, h("div", {}, layouts, text, key, clearButton)), clear, layout: found.layout };
}
