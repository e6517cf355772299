// Pictures: filters, search with the examined model, a map with a lasso, selection, tags.

import { latestOnly, post, Refused } from "../api.js";
import { debounce, download, h, put, putAround, say, select } from "../dom.js";
import { count, pictures } from "../numbers.js";
import { enlarge, tile } from "../pictures.js";
import { editedWords, isChanged, state } from "../store.js";
import { lassoMap } from "./map.js";

export async function galleryView(main, given) {
  const ask = latestOnly("gallery"), desk = state.desk;
  const query = { label: given.get("label"), predicted: given.get("predicted"), correct: { wrong: false, right: true }[given.get("show")] ?? null, ranges: {}, groups: {}, rows: null, half: given.get("half"), sort: "surest wrong", offset: 0 };
  if (query.label && query.predicted) query.sort = "most confident";
  const search = { words: "", near: null, tried: given.get("tried") };
  let dataset = state.at.dataset, answer = null, selected = new Map(), map = null;

  const run = state.runs.find((r) => r.id === state.at.run);
  const datasets = run.datasets.filter((d) => d.name === state.at.dataset || (d.role !== "exam" && d.role !== "gallery" && (d.of === null || d.of === state.at.dataset)));
  const at = () => ({ ...state.at, dataset });
  let own = given.get("list") === "run" || !isChanged(); // predictions of the run's own class list, not of the edited one
  const design = () => (own ? null : state.design);
  const body = () => ({ at: state.at, design: design(), dataset, query, ...(search.words ? { words: search.words } : search.near !== null ? { near: search.near } : search.tried ? { tried: search.tried } : {}) });

  const filters = h("form", { class: "filters", "aria-label": "Filters", onsubmit: (e) => e.preventDefault() });
  const head = h("p", { class: "status", role: "status" });
  const tiles = h("div", { class: "tiles" });
  const pager = h("div", { class: "buttons" });
  const bar = h("div", { class: "selection buttons" });
  const mapPlace = h("div", { class: "mapPlace" });

  const edited = h("p", { class: "card edited", role: "status" });
  function drawEdited() {
    edited.hidden = !isChanged();
    if (!isChanged()) return;
    put(edited, own ? h("strong", {}, "Predictions of the run's own class list.") : [h("strong", {}, `Predictions of your edited class list (${editedWords()}).`), query.half ? null : " They are over all pictures: the held-out half is among them."],
      " ", h("button", { type: "button", onclick: () => { own = !own; query.predicted = null; drawEdited(); if (map) { query.rows = null; drawMap(map.layout); } refresh(); } }, own ? "Show those of your edited list" : "Show those of the run's list"));
  }
  drawEdited();

  // Filters of a class, label or attribute that these pictures do not have are removed, with a sentence.
  function dropUnknown(facets) {
    const gone = [];
    for (const [name, listed, title] of [["label", facets.labels, "label"], ["predicted", facets.predicted, "predicted as"]]) {
      if (query[name] && !listed.some((x) => x.name === query[name])) { gone.push(`${title} “${query[name]}”`); query[name] = null; }
    }
    for (const [name, value] of Object.entries(query.groups)) {
      if (!facets.groups[name]?.includes(value)) { gone.push(`${name} “${value}”`); delete query.groups[name]; }
    }
    for (const name of Object.keys(query.ranges)) if (!facets.ranges[name]) { gone.push(name); delete query.ranges[name]; }
    if (gone.length) say(`${dataset} has no ${gone.join(", ")}: removed from the filters.`);
  }
  async function refresh({ anew = false } = {}) {
    if (state.desk !== desk) return;
    try {
      if (anew) { // other pictures or other classes than the filters were chosen for
        const first = await ask({ ...body(), query: {} });
        if (!first || state.desk !== desk) return;
        dropUnknown(first.facets);
      }
      const found = await ask(body());
      if (!found || state.desk !== desk) return;
      answer = found;
      draw();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      head.textContent = error.message;
      put(tiles);
      if (error.answer.missing) {
        tiles.append(h("button", { type: "button", class: "main", onclick: async () => { say("Encoding…"); await post("encode", { at: at() }); say(""); refresh({ anew }); } }, error.answer.runs ? `Run the model ${count(error.answer.missing)} times` : `Encode ${count(error.answer.missing)} pictures now`));
      }
    }
  }
  const soon = debounce(refresh, 150);
  const set = (change) => { Object.assign(query, change, { offset: 0 }); drawFilters(); soon(); };

  const words = h("input", { type: "search", placeholder: "red hat, at night, …", "aria-label": "Search by words", maxlength: 300, oninput: (e) => { search.words = e.target.value.trim(); search.near = null; search.tried = null; query.offset = 0; soon(); } });
  const wordsField = h("label", { class: "field wide" }, h("span", {}, "Search by words"), words);

  // Rows are counted within a dataset: what was chosen by row does not hold for another one.
  function choosePictures(name) {
    dataset = name;
    Object.assign(query, { rows: null, half: null, offset: 0 });
    search.near = null;
    selected = new Map(); map = null; mapAsked += 1; put(mapPlace);
    mapButton.setAttribute("aria-expanded", "false");
    refresh({ anew: true });
  }

  function drawFilters() {
    const f = answer?.facets;
    const any = (text) => ({ value: "", text });
    const range = (name, title) => {
      const limits = f?.ranges[name];
      if (!limits) return null;
      const now = query.ranges[name] || [null, null];
      const step = (limits[1] - limits[0]) / 100 || 0.01;
      const input = (place, what) => h("input", { type: "number", step: "any", min: limits[0], max: limits[1], value: now[place] ?? "", placeholder: limits[place].toPrecision(3), "aria-label": `${what} ${title}`,
        onchange: (e) => { const next = [...(query.ranges[name] || [null, null])]; next[place] = e.target.value === "" ? null : Number(e.target.value); query.ranges[name] = next; query.offset = 0; drawFilters(); soon(); }, "data-step": step });
      return h("div", { class: "field range" }, h("span", {}, title), h("div", {}, input(0, "least"), "–", input(1, "most")));
    };
    putAround(filters, wordsField,
      datasets.length > 1 ? select("Pictures of", datasets.map((d) => ({ value: d.name, text: d.role === "exam" ? d.name : `${d.name} (${d.role})` })), dataset, choosePictures) : null,
      f?.labels.length ? select("Label", [any("any"), ...f.labels.map((l) => ({ value: l.name, text: `${l.name} (${count(l.n)})` }))], query.label || "", (v) => set({ label: v || null })) : null,
      f ? select("Predicted as", [any("any"), ...f.predicted.filter((p) => p.n || p.name === query.predicted).map((p) => ({ value: p.name, text: `${p.name} (${count(p.n)})` }))], query.predicted || "", (v) => set({ predicted: v || null })) : null,
      select("Prediction", [any("all"), { value: "wrong", text: "wrong" }, { value: "right", text: "correct" }], query.correct === null ? "" : query.correct ? "right" : "wrong", (v) => set({ correct: v === "" ? null : v === "right" })),
      dataset === state.at.dataset ? select("Half", [any("both"), { value: "explored", text: `explored (${count(state.desk.explored)})` }, { value: "held out", text: `held out (${count(state.desk.held_out)})` }], query.half || "", (v) => { set({ half: v || null }); drawEdited(); }) : null,
      Object.entries(f?.groups || {}).map(([name, values]) => select(name, [any("any"), ...values], query.groups[name] || "", (v) => { if (v) query.groups[name] = v; else delete query.groups[name]; set({}); })),
      range("confidence", "Confidence"), range("margin", "Margin"), range("ood", "OOD score (MCM)"),
      select("Sort by", f?.sorts || [query.sort], query.sort, (v) => set({ sort: v }), { disabled: Boolean(search.words || search.near !== null || search.tried) }),
      h("button", { type: "button", onclick: () => { Object.assign(query, { label: null, predicted: null, correct: null, ranges: {}, groups: {}, rows: null, half: null, offset: 0 }); drawEdited(); search.words = words.value = ""; search.near = null; search.tried = null; map?.clear(); drawFilters(); refresh(); } }, "Clear all"));
  }

  function draw() {
    drawFilters();
    const parts = [search.words ? `most like “${search.words}”` : search.near !== null ? "most like the chosen picture" : search.tried ? "most like the dropped picture" : "", query.rows ? "inside the lasso" : ""].filter(Boolean);
    head.textContent = `${pictures(answer.total)}${parts.length ? `, ${parts.join(", ")}` : ""}${answer.total ? `; ${count(query.offset + 1)} to ${count(query.offset + answer.rows.length)} are shown` : ""}`;
    put(tiles, answer.rows.map((about, i) => tile(at(), about, {
      onopen: () => enlarge(at(), answer.rows, i, { maps: state.desk.maps, onnear: (a) => { search.near = a.row; search.words = words.value = ""; query.offset = 0; refresh(); }, onfolder: folder }),
      selected: selected.has(about.row), onselect: (on) => { on ? selected.set(about.row, about) : selected.delete(about.row); drawBar(); },
      caption: about.similarity !== null ? [h("strong", {}, about.predicted), ` cosine ${about.similarity.toFixed(3)}`, about.label && about.correct === false ? h("span", { class: "truth" }, `label: ${about.label}`) : null] : null,
    })));
    put(pager, 
      h("button", { type: "button", disabled: query.offset === 0, onclick: () => { query.offset = Math.max(0, query.offset - 60); refresh(); scrollTo(0, 0); } }, "Previous page"),
      h("button", { type: "button", disabled: query.offset + answer.rows.length >= answer.total, onclick: () => { query.offset += 60; refresh(); scrollTo(0, 0); } }, "Next page"));
    drawBar();
  }

  async function folder(about) {
    try { const done = await post("folder", { at: state.at, dataset, design: state.design, row: about.row }); say(done.opened ? `Opened the folder of ${done.place}` : `${done.place}: ${done.reason}`); } catch (error) { say(error.message, "error"); }
  }
  async function tagSelected(tagged) {
    try {
      const done = await post("tag", { at: state.at, dataset, design: design(), rows: [...selected.keys()], tagged });
      say(`${pictures(done.tags)} tagged as label error in ${done.file}`);
      selected = new Map(); refresh();
    } catch (error) { say(error.message, "error"); }
  }
  async function exportIds() {
    const ids = selected.size ? [...selected.values()].map((a) => a.id) : (await post("gallery", { ...body(), ids: true, seq: 0 })).ids;
    download("ids.txt", ids.join("\n") + "\n");
    say(`${count(ids.length)} ids saved to ids.txt`);
  }
  function drawBar() {
    put(bar, 
      h("span", {}, selected.size ? `${count(selected.size)} selected` : "Nothing selected"),
      h("button", { type: "button", onclick: () => { for (const about of answer?.rows || []) selected.set(about.row, about); draw(); } }, "Select this page"),
      h("button", { type: "button", disabled: !selected.size, onclick: () => { selected = new Map(); draw(); } }, "Select none"),
      h("button", { type: "button", disabled: !selected.size, onclick: () => tagSelected(true) }, "Tag as label error"),
      h("button", { type: "button", disabled: !selected.size, onclick: () => tagSelected(false) }, "Remove tag"),
      h("button", { type: "button", disabled: !answer?.total, onclick: exportIds }, selected.size ? "Export ids" : "Export all ids"));
  }

  let mapAsked = 0;
  async function drawMap(layout) {
    const mine = ++mapAsked;
    if (layout === "umap") say("Computing the UMAP layout; the first time takes a while…");
    try {
      const found = await post("map", { at: state.at, dataset, design: design(), layout });
      if (state.desk !== desk || mine !== mapAsked) return;
      say("");
      map = lassoMap(found, (rows) => { query.rows = rows; query.offset = 0; refresh(); }, drawMap);
      put(mapPlace, map.element);
    } catch (error) { say(error.message, "error"); }
  }
  const mapButton = h("button", { type: "button", "aria-expanded": "false", onclick: () => {
    if (map) { map = null; put(mapPlace); mapButton.setAttribute("aria-expanded", "false"); if (query.rows) { query.rows = null; refresh(); } return; }
    mapButton.setAttribute("aria-expanded", "true");
    drawMap("pca");
  } }, "Map of the pictures");

  // On a phone the pictures come first; the filters open with a touch.
  const folded = h("details", { class: "folded", open: !matchMedia("(max-width: 820px)").matches }, h("summary", {}, "Filters and search"), filters);
  put(main, h("p", { class: "status" }, "Reading the predictions…"));
  await refresh({ anew: Boolean(query.label || query.predicted) }); // the filters depend on the answer, so they are drawn once
  if (state.desk !== desk) return;
  put(main, h("div", { class: "gallery" },
    h("section", { class: "card side" }, h("h1", {}, "Pictures"), folded),
    h("div", { class: "right" }, edited, h("div", { class: "buttons" }, mapButton), mapPlace, bar, head, tiles, pager)));
  if (!answer) drawFilters();
}
