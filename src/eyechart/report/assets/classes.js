// The class table and the confusion matrix. Choosing a class or a cell calls back with class numbers.
"use strict";
(() => {
  const { eyechart } = window;
  const LETTERS = 16; // of a label of the matrix; longer names are shortened in the middle, so that they stay different
  const MOST = 30; // classes of a matrix

  // Classes of the matrix: all, or those of the most frequent errors.
  const shownClasses = ({ classes, cells }) => {
    const used = new Set(cells.flatMap(([t, p]) => [t, p]));
    if (used.size <= MOST) return [...used].sort((a, b) => a - b);
    const chosen = new Set();
    for (const [t, p] of cells.filter(([a, b]) => a !== b).sort((a, b) => b[2] - a[2])) {
      if (new Set([...chosen, t, p]).size > MOST) break;
      chosen.add(t).add(p);
    }
    return [...chosen].sort((a, b) => classes[a].localeCompare(classes[b]));
  };

  eyechart.drawMatrix = (root, about, choose) => {
    const { classes, cells } = about;
    const shown = shownClasses(about);
    const counts = new Map(cells.map(([t, p, n]) => [`${t} ${p}`, n]));
    const totals = new Map();
    for (const [t, , n] of cells) totals.set(t, (totals.get(t) || 0) + n);
    const short = eyechart.shortLabels(shown.map((c) => classes[c]), LETTERS), label = (c) => short[classes[c]] ?? classes[c];
    const table = eyechart.element("table", { class: "confusion" });
    const caption = eyechart.element("caption", { class: "unseen" }, "Confusion matrix: rows are true classes, columns are predicted classes");
    const head = eyechart.element("tr", {}, eyechart.element("td", { class: "corner" }, eyechart.element("span", {}, "predicted →"), eyechart.element("br"), eyechart.element("span", {}, "true ↓")));
    for (const p of shown) head.append(eyechart.element("th", { scope: "col", title: classes[p] }, eyechart.element("span", {}, eyechart.text(label(p)))));
    const body = eyechart.element("tbody");
    shown.forEach((t, i) => {
      const line = eyechart.element("tr", {}, eyechart.element("th", { scope: "row", title: classes[t] }, eyechart.text(label(t))));
      shown.forEach((p, j) => {
        const n = counts.get(`${t} ${p}`) || 0;
        const cell = eyechart.element("td");
        if (n) {
          const share = n / totals.get(t);
          const button = eyechart.element("button", {
            type: "button", tabindex: "-1", "data-i": String(i), "data-j": String(j), "data-true": String(t), "data-predicted": String(p),
            class: `${t === p ? "right" : "wrong"} step-${Math.min(5, Math.ceil(share * 5))}`, title: `${classes[t]} predicted as ${classes[p]}`,
            "aria-label": `${n} of ${totals.get(t)} pictures of ${classes[t]} predicted as ${classes[p]}`,
          }, String(n));
          cell.append(button);
        }
        line.append(cell);
      });
      body.append(line);
    });
    table.append(caption, eyechart.element("thead", {}, head), body);
    const note = shown.length < new Set(cells.flatMap(([t, p]) => [t, p])).size
      ? eyechart.element("p", { class: "quiet small" }, `${shown.length} of ${classes.length} classes: those of the most frequent errors.`) : null;
    const frame = eyechart.element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Confusion matrix" }, table);
    root.replaceChildren(frame, ...(note ? [note] : []));
    // Cells fill the width; where there are many, the matrix scrolls.
    frame.style.setProperty("--cell", `${Math.max(22, Math.min(44, Math.floor((root.clientWidth - 156) / shown.length) - 1))}px`);
    const buttons = [...table.querySelectorAll("button")];
    if (buttons.length) (buttons.find((b) => b.className.startsWith("wrong")) || buttons[0]).tabIndex = 0;
    table.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) choose({ ofTrue: Number(button.dataset.true), ofPredicted: Number(button.dataset.predicted) });
    });
    // Arrow keys go to the next filled cell.
    table.addEventListener("keydown", (event) => {
      const from = event.target.closest("button");
      const way = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
      if (!from || !way) return;
      event.preventDefault();
      let [i, j] = [Number(from.dataset.i), Number(from.dataset.j)];
      for (;;) {
        i += way[0];
        j += way[1];
        if (i < 0 || j < 0 || i >= shown.length || j >= shown.length) return;
        const to = table.querySelector(`button[data-i="${i}"][data-j="${j}"]`);
        if (to) { from.tabIndex = -1; to.tabIndex = 0; to.focus(); return; }
      }
    });
  };

  const COLUMNS = [["class", "class"], ["value", "accuracy"], ["interval", "95% CI"], ["n", "n"], ["wrong", "mostly predicted as"]];

  eyechart.drawClassTable = (root, about, choose) => {
    const { classes, cells } = about;
    const numberOf = new Map(classes.map((name, number) => [name, number]));
    const worst = new Map(); // true class -> [predicted class, n] of its most frequent error
    for (const [t, p, n] of cells) if (t !== p && n > (worst.get(t)?.[1] || 0)) worst.set(t, [p, n]);
    const rows = about.rows.length ? [...about.rows] : [...new Set(cells.map(([t]) => t))].map((t) => ({
      class: classes[t], value: null, text: "–", interval: "", n: cells.filter(([a]) => a === t).reduce((sum, [, , n]) => sum + n, 0),
    }));
    const state = { key: "value", down: false };
    const head = eyechart.element("tr");
    for (const [key, title] of COLUMNS) {
      const sortable = key === "class" || key === "value" || key === "n";
      head.append(eyechart.element("th", { scope: "col", "data-key": key }, sortable ? eyechart.element("button", { type: "button" }, title) : title));
    }
    const body = eyechart.element("tbody");
    const draw = () => {
      const sign = state.down ? -1 : 1;
      rows.sort((a, b) => sign * (state.key === "class" ? a.class.localeCompare(b.class) : (a[state.key] ?? 2) - (b[state.key] ?? 2)));
      body.replaceChildren(...rows.map((row) => {
        const number = numberOf.get(row.class);
        const error = worst.get(number);
        const name = number === undefined ? eyechart.text(row.class)
          : eyechart.element("button", { type: "button", class: "link", "data-true": String(number) }, eyechart.text(row.class));
        const wrong = error
          ? eyechart.element("button", { type: "button", class: "link", "data-true": String(number), "data-predicted": String(error[0]) },
            eyechart.text(classes[error[0]]), ` (${error[1]})`) : "";
        const bar = eyechart.element("span", { class: "bar", "aria-hidden": "true" });
        if (row.value !== null) bar.style.setProperty("--share", String(row.value));
        return eyechart.element("tr", {}, eyechart.element("th", { scope: "row" }, name),
          eyechart.element("td", { class: "num" }, row.text, bar), eyechart.element("td", { class: "num quiet" }, row.interval),
          eyechart.element("td", { class: "num" }, row.n.toLocaleString("en")), eyechart.element("td", {}, wrong));
      }));
      for (const cell of head.cells) cell.setAttribute("aria-sort", cell.dataset.key !== state.key ? "none" : state.down ? "descending" : "ascending");
    };
    const table = eyechart.element("table", { class: "by-class" }, eyechart.element("thead", {}, head), body);
    root.replaceChildren(eyechart.element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Accuracy by class" }, table));
    table.addEventListener("click", (event) => {
      const sort = event.target.closest("thead th button");
      if (sort) {
        const { key } = sort.parentElement.dataset;
        state.down = key === state.key ? !state.down : false;
        state.key = key;
        draw();
      }
      const chosen = event.target.closest("[data-true]");
      if (chosen) choose({ ofTrue: Number(chosen.dataset.true), ofPredicted: chosen.dataset.predicted === undefined ? null : Number(chosen.dataset.predicted) });
    });
    draw();
  };
})();
