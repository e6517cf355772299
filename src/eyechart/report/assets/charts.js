// Draws the charts: each when it is near the viewport, and again when the theme changes. Vega is loaded with the first chart.
"use strict";
(() => {
  const { eyechart } = window;
  const themes = JSON.parse(document.getElementById("theme").textContent);
  const drawn = new Map(); // chart element -> its view
  const held = new Map(); // id of a chart -> its data, where that came from a data file
  const MANY = 1500; // with more rows a canvas is faster than SVG
  const LETTER = 6.6; // pixels of a letter of a label, about

  const read = (id) => held.get(id) || JSON.parse(document.getElementById(`${id}-data`).textContent);

  const vegaScripts = async () => {
    for (const name of ["vega.min.js", "vega-lite.min.js", "vega-embed.min.js"]) await eyechart.script(`assets/${name}`);
  };

  const toRows = (columns) => {
    const names = Object.keys(columns);
    const count = names.length ? columns[names[0]].length : 0;
    return Array.from({ length: count }, (_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
  };

  const tip = eyechart.element("div", { class: "tip", role: "tooltip", hidden: true });
  document.body.append(tip);

  // Only textContent, because names of classes and models are user text.
  const showTip = (_handler, event, _item, value) => {
    if (value === null || value === undefined || value === "") { tip.hidden = true; return; }
    const pairs = typeof value === "object" ? Object.entries(value) : [["", value]];
    tip.replaceChildren(...pairs.flatMap(([name, shown]) => [eyechart.element("span", {}, name), eyechart.text(shown)]));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 4))}px`;
    tip.style.top = `${event.clientY + box.height + 24 > innerHeight ? event.clientY - box.height - 12 : event.clientY + 16}px`;
  };

  const configFor = (element) => {
    // Transparent on the page; saved charts get a background.
    const config = { ...structuredClone(themes[eyechart.theme()]), background: null };
    config.axis.labelLimit = 0; // long labels are shortened here, so that they stay different
    // A title longer than its axis would be cut by the edge of the chart.
    config.axisX = { ...config.axisX, titleLimit: Math.max(120, element.clientWidth - 40) };
    config.axisY = { ...config.axisY, titleLimit: 260 };
    config.legend.labelLimit = Math.max(120, element.clientWidth - 60);
    config.legend.columns = Math.max(1, Math.floor(element.clientWidth / 210));
    return config;
  };

  // A label of two lines has its row in the middle; else its second line is written over the next row.
  const LINE = 11;
  const TWO_LINES = { labelLineHeight: LINE, labelOffset: { condition: { test: "isArray(shortLabels[datum.label])", value: -LINE / 2 }, value: 0 } };

  // Labels of categories may take a third of the chart, those of rows on two lines.
  const withShortLabels = (spec, rows, width) => {
    const most = Math.max(12, Math.floor(Math.max(80, Math.min(260, width / 3)) / LETTER));
    const shorts = {};
    const visit = (part) => {
      if (Array.isArray(part)) return part.map(visit);
      if (part === null || typeof part !== "object") return part;
      const made = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, visit(value)]));
      for (const name of ["x", "y"]) {
        const channel = made.encoding?.[name];
        if (!channel || channel.type !== "nominal" || !channel.field) continue;
        const labels = rows.map((row) => row[channel.field]).filter((v) => typeof v === "string");
        const wrap = name === "y" && (made.mark?.type ?? made.mark) !== "rect"; // cells of a matrix are too low for two lines
        Object.assign(shorts, wrap ? eyechart.wrappedLabels(labels, most) : eyechart.shortLabels(labels, most));
        channel.axis = { ...channel.axis, labelExpr: "shortLabels[datum.label] || datum.label", ...(wrap ? TWO_LINES : {}) };
      }
      return made;
    };
    const made = visit(spec);
    return { ...made, params: [...(made.params || []), { name: "shortLabels", value: shorts }] };
  };

  const draw = async (element) => {
    const { spec, columns, fields } = read(element.id);
    // A column with a name that Vega-Lite would misread is renamed in the chart.
    const rows = toRows({ ...columns, ...Object.fromEntries(Object.entries(fields).map(([name, other]) => [other, columns[name]])) });
    const theme = eyechart.theme();
    const old = drawn.get(element);
    try {
      await vegaScripts();
      const shown = withShortLabels(spec, rows, element.clientWidth);
      const result = await vegaEmbed(element, { ...shown, datasets: { table: rows } }, {
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

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) start(entry.target);
  }, { rootMargin: "600px" });

  // The charts below an element; their data, where it is not in the page.
  eyechart.drawCharts = (root, data = {}) => {
    for (const [id, content] of Object.entries(data)) held.set(id, content);
    for (const chart of root.querySelectorAll(".chart")) {
      chart.style.minHeight = `${chart.dataset.height}px`;
      near.observe(chart);
    }
    for (const details of root.querySelectorAll("[data-numbers]")) details.addEventListener("toggle", () => showNumbers(details));
  };

  addEventListener("eyechart-theme", () => {
    for (const chart of drawn.keys()) {
      if (!chart.isConnected) drawn.delete(chart);
      else if (chart.dataset.drawn && chart.dataset.drawn !== eyechart.theme()) draw(chart);
    }
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
    link.download = `${read(chart.id).file.replace(/[^\w.-]+/g, "-")}.${button.dataset.save}`;
    link.click();
  });

  // The numbers of a chart, created when they are opened.
  const SHOWN = 300;
  const word = (value) => {
    if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(4)));
    return value === null || value === undefined ? "" : String(value);
  };
  const showNumbers = (details) => {
    const place = details.querySelector(".numbers");
    if (!details.open || place.firstChild) return;
    const { columns } = read(details.dataset.numbers);
    const rows = toRows(columns);
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const name of Object.keys(columns)) head.append(eyechart.element("th", { scope: "col" }, name));
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
  };

  eyechart.drawCharts(document);
})();
