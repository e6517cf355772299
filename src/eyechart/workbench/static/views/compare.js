// Models on the same pictures: their accuracies, and what one gained and lost against the reference, side by side.

import { heatUrl, pictureUrlById, post } from "../api.js";
import { $, h, openDialog, put, select, shortList } from "../dom.js";
import { count, percent, points, signedInterval, verdict } from "../numbers.js";
import { state } from "../store.js";

const MOST = 8; // models

export function compareView(main) {
  const sides = state.runs.flatMap((r) => r.models.map((m) => ({ value: JSON.stringify({ run: r.id, model: m }), text: state.runs.length > 1 ? `${m} (${r.title})` : m })));
  if (sides.length < 2) {
    main.append(h("section", { class: "card" }, h("h1", {}, "Compare"), h("p", {}, "A comparison needs two models. Examine with --model A --model B, or open a folder with several runs: ", h("code", {}, "eyechart open exams/"))));
    return;
  }
  // Two models on the same dataset, where there are any: the open one first.
  const runOf = (value) => state.runs.find((r) => r.id === JSON.parse(value).run);
  const datasetsOf = (value) => runOf(value).datasets.filter((d) => d.role === "exam").map((d) => d.name);
  const has = (value) => runOf(value).predicted && datasetsOf(value).includes(state.at?.dataset);
  const shares = (value) => runOf(value).predicted && runOf(first).predicted && datasetsOf(value).some((name) => datasetsOf(first).includes(name));
  const own = JSON.stringify({ run: state.at?.run, model: state.at?.model });
  const predicted = sides.filter((x) => runOf(x.value).predicted).map((x) => x.value);
  const paired = predicted.find((a) => predicted.some((b) => b !== a && datasetsOf(a).some((name) => datasetsOf(b).includes(name))));
  let first = predicted.includes(own) ? own : paired ?? predicted[0] ?? sides[0].value, dataset = "", shown = null, asked = 0;
  let whole = new Set();
  const rest = sides.filter((x) => x.value !== first), beside = (x) => JSON.parse(x.value).run === state.at?.run;
  let others = [rest.find((x) => beside(x) && has(x.value) && shares(x.value)) || rest.find((x) => has(x.value) && shares(x.value)) || rest.find((x) => shares(x.value))].filter(Boolean).map((x) => x.value);
  const results = h("div", { class: "results" });
  const bar = h("div", { class: "buttons" });
  const nameOf = (value) => sides.find((s) => s.value === value).text;

  async function refresh() {
    const mine = ++asked, chosen = [first, ...others];
    if (!others.length) {
      const some = sides.some((x) => x.value !== first && shares(x.value));
      put(results, h("p", { class: "status" }, !runOf(first).predicted ? "No opened run has predictions to compare. Examine with the probe zero_shot." : some ? "Choose a model to compare with the reference." : `No other opened model was examined on ${datasetsOf(first).join(" or ")}. Examine another one on it and open both runs.`));
      return;
    }
    if (!others.includes(shown)) shown = others[0];
    if (!results.children.length) put(results, h("p", { class: "status" }, "Comparing…"));
    try {
      const found = await post("compare", { sides: chosen.map((v) => JSON.parse(v)), dataset, shown: chosen.indexOf(shown) });
      if (mine === asked) draw(found, chosen);
    } catch (error) { if (mine === asked) put(results, h("p", { class: "status error" }, error.message)); }
  }
  function drawBar(datasets = []) {
    const focused = bar.contains(document.activeElement) ? document.activeElement.dataset.side : null;
    const tick = (side) => h("label", { class: "tick" }, h("input", { type: "checkbox", "data-side": side.value, checked: others.includes(side.value), disabled: !others.includes(side.value) && (others.length >= MOST - 1 || !shares(side.value)),
      onchange: (e) => { others = sides.map((x) => x.value).filter((v) => (v === side.value ? e.target.checked : others.includes(v))); drawBar(datasets); refresh(); } }), side.text, shares(side.value) ? "" : h("span", { class: "quiet" }, runOf(side.value).predicted ? " (other pictures)" : " (no predictions)"));
    put(bar, select("Reference", sides.map((x) => (predicted.includes(x.value) ? x : { ...x, text: `${x.text} (no predictions)`, disabled: true })), first, (v) => { first = v; others = others.filter((o) => o !== v && shares(o)); if (!others.length) others = sides.filter((x) => x.value !== v && shares(x.value)).slice(0, 1).map((x) => x.value); drawBar(datasets); refresh(); }),
      h("fieldset", { class: "ticks" }, h("legend", {}, `Compared with (up to ${MOST - 1})`), sides.filter((x) => x.value !== first).map(tick)),
      datasets.length > 1 ? select("Dataset", datasets, dataset || datasets[0], (v) => { dataset = v; refresh(); }) : "");
    if (focused) [...bar.querySelectorAll("[data-side]")].find((x) => x.dataset.side === focused)?.focus();
  }
  function everyModel(a, names, chosen) {
    const row = (m, i) => h("tr", {}, h("th", { scope: "row" }, names[i]), h("td", {}, percent(m.accuracy[0])), h("td", {}, `${(100 * m.accuracy[1]).toFixed(1)} to ${percent(m.accuracy[2])}`),
      m.difference ? [h("td", { class: m.difference.q < 0.05 ? verdict(m.difference, true) : "" }, points(m.difference.value)), h("td", {}, signedInterval(m.difference)), h("td", {}, pValue(m.difference.q))] : h("td", { colspan: 3 }, "reference"),
      h("td", {}, m.letters), h("td", {}, i ? h("button", { type: "button", "aria-pressed": String(a.shown === i), "aria-label": `show the pictures of ${names[i]}`, onclick: () => { shown = chosen[i]; refresh(); } }, "pictures") : ""));
    return h("section", { class: "card" }, h("h2", {}, `${count(a.models.length)} models on ${count(a.n)} pictures of ${a.dataset}`),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "All models" }, h("table", { class: "plain", "data-list": "models" }, h("thead", {}, h("tr", {}, ["Model", "Accuracy", "95% CI", "Difference", "95% CI", "p (McNemar, Holm)", "Group", "Shown"].map((x) => h("th", { scope: "col" }, x)))), h("tbody", {}, a.models.map(row)))),
      h("p", { class: "quiet" }, "Models that share a letter cannot be told apart."));
  }
  const pValue = (p) => (p < 0.001 ? "< 0.001" : p.toFixed(3));
  function draw(a, chosen) {
    whole = new Set();
    drawBar(a.datasets);
    const every = chosen.map(nameOf), pair = [0, a.shown], t = a.models[a.shown].difference, names = pair.map((i) => every[i]);
    const places = pair.map((i) => ({ ...JSON.parse(chosen[i]), dataset: a.dataset }));
    const list = (title, rows, total) => h("section", { class: "card" }, h("h2", {}, `${title}: ${count(total)}`),
      rows.length ? shortList(title, rows, 40, (some) => h("div", { class: "pairs" }, some.map((r) => pictureOf(r, places, names))), whole, total) : h("p", {}, "None."));
    const classRows = (some) => h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["Class", names[0], names[1], "Difference", "95% CI", "n"].map((x) => h("th", { scope: "col" }, x)))),
      h("tbody", {}, some.map((c) => h("tr", {}, h("th", { scope: "row" }, c.name), h("td", {}, percent(c.first[0])), h("td", {}, percent(c.second[0])), h("td", { class: c.q < 0.05 ? verdict(c, true) : "" }, points(c.value)), h("td", {}, signedInterval(c)), h("td", {}, count(c.n))))));
    const accuracy = (i, of) => h("section", { class: "card number" }, h("h2", {}, names[i]), h("p", { class: "big" }, percent(of[0])), h("p", {}, `95% CI ${(100 * of[1]).toFixed(1)} to ${percent(of[2])}`));
    put(results,
      a.models.length > 2 ? everyModel(a, every, chosen) : "",
      h("div", { class: "numbers" }, accuracy(0, t.first), accuracy(1, t.second),
        h("section", { class: "card number", "data-number": "difference" }, h("h2", {}, "Difference"), h("p", { class: "big" }, points(t.value)), h("p", { class: `change ${verdict(t, true)}` }, `95% CI ${signedInterval(t)}, p ${t.p < 0.001 ? "< 0.001" : `= ${t.p.toFixed(3)}`} (McNemar), n\u00a0=\u00a0${count(t.n)}`))),
      a.notices.length ? h("p", { class: "status" }, a.notices.join(" ")) : "",
      h("div", { class: "two" }, list("Gained", a.gained, t.gained), list("Lost", a.lost, t.lost)),
      h("section", { class: "card" }, h("h2", {}, "By class"), h("p", { class: "quiet" }, "Each interval is of one class alone, not corrected for the number of classes. Colored differences remain after Benjamini and Hochberg's correction."), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "By class" }, shortList("by class", a.classes, 20, classRows, whole))));
  }
  function pictureOf(r, places, names) {
    const side = (i) => `${r.predicted[i]}${r.confidence[i] === null ? "" : ` ${percent(r.confidence[i], 0)}`}`;
    return h("figure", { class: "pair" },
      h("button", { type: "button", class: "picture", "aria-label": `enlarge ${r.id}`, onclick: () => both(r, places, names) }, h("img", { src: pictureUrlById(places[0], r.id), alt: "", loading: "lazy", width: 120, height: 120 })),
      h("figcaption", {}, h("span", {}, `label: ${r.label}`), h("span", {}, `1: ${side(0)}`), h("span", {}, `2: ${side(1)}`)));
  }
  function both(r, places, names) {
    const box = $("#enlarged");
    const map = (kind) => places.map((p, i) => h("figure", {}, h("img", { src: heatUrl(p, kind, { id: r.id }), alt: `${kind} of ${names[i]}`, onerror: (e) => { e.target.replaceWith(h("p", {}, `${names[i]} gives no map of ${kind}.`)); } }), h("figcaption", {}, `${names[i]}: ${kind}, predicted ${r.predicted[i]}`)));
    put(box, h("div", { class: "enlarged compared" }, h("div", { class: "view" }, h("img", { src: pictureUrlById(places[0], r.id, 1024), alt: r.id })),
      h("div", { class: "about" }, h("h2", {}, r.id), h("p", {}, "Label: ", h("strong", {}, r.label)), h("div", { class: "two" }, map("attention")), h("div", { class: "two" }, map("patches")),
        h("div", { class: "buttons" }, h("button", { type: "button", class: "main", onclick: () => box.close() }, "Close")))));
    box.onkeydown = null;
    box.onclick = (e) => { if (e.target === box) box.close(); };
    openDialog(box);
  }
  main.append(h("h1", {}, "Compare"), bar, results);
  drawBar();
  refresh();
}
