// Draws the charts: each when it is near the viewport, all when the browser is idle, and again when the theme changes.
"use strict";
(() => {
  const themes = JSON.parse(document.getElementById("theme").textContent);
  const drawn = new Map(); // chart element -> its view
  const MANY = 1500; // with more rows a canvas is faster than SVG

  const read = (id) => JSON.parse(document.getElementById(id).textContent);

  const toRows = (columns) => {
    const names = Object.keys(columns);
    const count = names.length ? columns[names[0]].length : 0;
    return Array.from({ length: count }, (_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  };

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);

  // Only textContent, because names of classes and models are user text.
  const showTip = (_handler, event, _item, value) => {
    if (value === null || value === undefined || value === "") { tip.hidden = true; return; }
    const pairs = typeof value === "object" ? Object.entries(value) : [["", value]];
    tip.replaceChildren(...pairs.flatMap(([name, shown]) => {
      const term = document.createElement("span");
      const text = document.createElement("bdi");
      term.textContent = name;
      text.textContent = String(shown);
      return [term, text];
    }));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 4))}px`;
    tip.style.top = `${event.clientY + box.height + 24 > innerHeight ? event.clientY - box.height - 12 : event.clientY + 16}px`;
  };

  const configFor = (element) => {
    // Transparent on the page; saved charts get a background.
    const config = { ...structuredClone(themes[window.eyechart.theme()]), background: null };
    // Long names may take a third of a narrow screen at most.
    config.axis.labelLimit = Math.max(80, Math.min(260, element.clientWidth / 3));
    config.legend.labelLimit = Math.max(120, element.clientWidth - 60);
    config.legend.columns = Math.max(1, Math.floor(element.clientWidth / 210));
    return config;
  };

  const draw = async (element) => {
    const { spec, columns, fields } = read(element.dataset.chart);
    // A column with a name that Vega-Lite would misread is renamed in the chart.
    const rows = toRows({ ...columns, ...Object.fromEntries(Object.entries(fields).map(([name, other]) => [other, columns[name]])) });
    const theme = window.eyechart.theme();
    const old = drawn.get(element);
    try {
      const result = await vegaEmbed(element, { ...spec, datasets: { table: rows } }, {
        actions: false, ast: true, config: configFor(element), defaultStyle: false, mode: "vega-lite",
        logLevel: vega.Error, // otherwise it warns about every chart with a step height
        renderer: rows.length > MANY ? "canvas" : "svg", tooltip: showTip,
        loader: { load: () => Promise.reject(new Error("a chart of this page loads nothing")) },
      });
      if (old && old.finalize) old.finalize();
      drawn.set(element, result);
      element.dataset.drawn = theme;
    } catch (error) {
      element.textContent = `This chart could not be drawn: ${error.message}`;
      element.dataset.failed = "true";
      throw error;
    }
  };

  const start = (element) => {
    if (drawn.has(element) || !element.checkVisibility()) return;
    drawn.set(element, {});
    draw(element);
  };

  const charts = [...document.querySelectorAll(".chart")];
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) start(entry.target);
  }, { rootMargin: "600px" });
  charts.forEach((chart) => near.observe(chart));

  const idle = window.requestIdleCallback || ((then) => setTimeout(then, 60));
  const drawNext = () => {
    const waiting = charts.find((chart) => !drawn.has(chart) && chart.checkVisibility());
    if (waiting) { start(waiting); idle(drawNext); }
  };
  idle(drawNext);

  addEventListener("eyechart-theme", () => {
    for (const chart of drawn.keys()) if (chart.dataset.drawn !== window.eyechart.theme()) draw(chart);
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-save]");
    if (!button) return;
    const chart = document.getElementById(button.dataset.of);
    const { view } = drawn.get(chart) || {};
    if (!view) return;
    const link = document.createElement("a");
    view.background(themes[chart.dataset.drawn].background);
    link.href = await view.toImageURL(button.dataset.save, 2);
    view.background(null);
    link.download = `${read(chart.dataset.chart).file.replace(/[^\w.-]+/g, "-")}.${button.dataset.save}`;
    link.click();
  });

  // The numbers of a chart, created when they are opened.
  const SHOWN = 300;
  const word = (value) => {
    if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(4)));
    return value === null || value === undefined ? "" : String(value);
  };
  for (const details of document.querySelectorAll("[data-numbers]")) {
    details.addEventListener("toggle", () => {
      const place = details.querySelector(".numbers");
      if (!details.open || place.firstChild) return;
      const { columns } = read(details.dataset.numbers);
      const rows = toRows(columns);
      const table = document.createElement("table");
      const head = table.createTHead().insertRow();
      for (const name of Object.keys(columns)) {
        const cell = document.createElement("th");
        cell.scope = "col";
        cell.textContent = name;
        head.append(cell);
      }
      const body = table.createTBody();
      for (const row of rows.slice(0, SHOWN)) {
        const line = body.insertRow();
        for (const value of Object.values(row)) line.insertCell().textContent = word(value);
      }
      place.tabIndex = 0;
      place.setAttribute("role", "region");
      place.setAttribute("aria-label", "The numbers of this chart");
      place.append(table);
      if (rows.length > SHOWN) place.append(`and ${rows.length - SHOWN} more rows in the exhibit's file`);
    });
  }
})();
