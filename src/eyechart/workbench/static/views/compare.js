// Two models on the same pictures: gained and lost, side by side.

import { heatUrl, pictureUrlById, post } from "../api.js";
import { $, h, put, select } from "../dom.js";
import { count, percent, points, signedInterval, verdict } from "../numbers.js";
import { state } from "../store.js";

export function compareView(main) {
  const sides = state.runs.flatMap((r) => r.models.map((m) => ({ value: JSON.stringify({ run: r.id, model: m }), text: state.runs.length > 1 ? `${m} (${r.title})` : m })));
  if (sides.length < 2) {
    main.append(h("section", { class: "card" }, h("h1", {}, "Compare"), h("p", {}, "A comparison needs two models. Examine with --model A --model B, or open a folder with several runs: ", h("code", {}, "eyechart open exams/"))));
    return;
  }
  // Two models on the same dataset, where there are any: the open one first.
  const has = (value) => state.runs.find((r) => r.id === JSON.parse(value).run).datasets.some((d) => d.name === state.at?.dataset);
  const own = JSON.stringify({ run: state.at?.run, model: state.at?.model });
  let first = sides.some((x) => x.value === own) ? own : sides[0].value, dataset = "";
  let second = (sides.find((x) => x.value !== first && has(x.value)) || sides.find((x) => x.value !== first)).value;
  const results = h("div", { class: "results" });
  const bar = h("div", { class: "buttons" });

  async function refresh() {
    if (first === second) { put(results, h("p", { class: "status" }, "Choose two different models.")); return; }
    put(results, h("p", { class: "status" }, "Comparing…"));
    try { draw(await post("compare", { first: JSON.parse(first), second: JSON.parse(second), dataset })); } catch (error) { put(results, h("p", { class: "status error" }, error.message)); }
  }
  function drawBar(datasets = []) {
    put(bar, select("Reference", sides, first, (v) => { first = v; refresh(); }), select("Compared with", sides, second, (v) => { second = v; refresh(); }),
      datasets.length > 1 ? select("Dataset", datasets, dataset || datasets[0], (v) => { dataset = v; refresh(); }) : "");
  }
  function draw(a) {
    drawBar(a.datasets);
    const t = a.top1, names = [first, second].map((v) => sides.find((s) => s.value === v).text);
    const places = [first, second].map((v) => ({ ...JSON.parse(v), dataset: a.dataset }));
    const list = (title, rows, total) => h("section", { class: "card" }, h("h2", {}, `${title}: ${count(total)}`),
      rows.length ? h("div", { class: "pairs" }, rows.slice(0, 40).map((r) => pair(r, places, names))) : h("p", {}, "None."));
    put(results, 
      h("div", { class: "numbers" },
        h("section", { class: "card number" }, h("h2", {}, names[0]), h("p", { class: "big" }, percent(t.first[0])), h("p", {}, `95% CI ${(100 * t.first[1]).toFixed(1)} to ${percent(t.first[2])}`)),
        h("section", { class: "card number" }, h("h2", {}, names[1]), h("p", { class: "big" }, percent(t.second[0])), h("p", {}, `95% CI ${(100 * t.second[1]).toFixed(1)} to ${percent(t.second[2])}`)),
        h("section", { class: "card number", "data-number": "difference" }, h("h2", {}, "Difference"), h("p", { class: "big" }, points(t.value)), h("p", { class: `change ${verdict(t, true)}` }, `95% CI ${signedInterval(t)}, p ${t.p < 0.001 ? "< 0.001" : `= ${t.p.toFixed(3)}`} (McNemar), n = ${count(t.n)}`))),
      a.notices.length ? h("p", { class: "status" }, a.notices.join(" ")) : "",
      h("div", { class: "two" }, list("Gained", a.gained, t.gained), list("Lost", a.lost, t.lost)),
      h("section", { class: "card" }, h("h2", {}, "By class"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "By class" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["Class", names[0], names[1], "Difference", "95% CI", "n"].map((x) => h("th", { scope: "col" }, x)))),
        h("tbody", {}, a.classes.map((c) => h("tr", {}, h("th", { scope: "row" }, c.name), h("td", {}, percent(c.first[0])), h("td", {}, percent(c.second[0])), h("td", { class: c.q < 0.05 ? verdict(c, true) : "" }, points(c.value)), h("td", {}, signedInterval(c)), h("td", {}, count(c.n)))))))));
  }
  function pair(r, places, names) {
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
    box.showModal();
  }
  main.append(h("h1", {}, "Compare"), bar, results);
  drawBar();
  if (has(first) && has(second)) refresh();
  else put(results, h("p", { class: "status" }, `No other opened model was examined on ${state.at?.dataset}. Choose two models of one dataset.`));
}
