// The frame: what is open, the views, and the address of each.

import { enterPlace, isOpened, keepPlace, link, placeIn, read, samePlace } from "./address.js";
import { get, post, Refused } from "./api.js";
import { $, forgetError, h, put, say, select } from "./dom.js";
import { count } from "./numbers.js";
import { begin, editedWords, isChanged, loadRuns, state } from "./store.js";
import { compareView } from "./views/compare.js";
import { designView } from "./views/design.js";
import { galleryView } from "./views/gallery.js";
import { resultView } from "./views/result.js";
import { runsView } from "./views/runs.js";
import { thresholdView } from "./views/thresholds.js";
import { tryView } from "./views/try.js";

const VIEWS = {
  result: ["Result", resultView],
  design: ["Class design", designView],
  pictures: ["Pictures", galleryView],
  thresholds: ["Thresholds", thresholdView],
  compare: ["Compare", compareView],
  try: ["Try a picture", tryView],
  runs: ["Runs", runsView],
};
const NEEDS_DESK = new Set(["design", "pictures", "thresholds", "try"]);
let leave = null, drawn = null, drawing = 0;

function route() {
  const { name, query } = read();
  return { name: VIEWS[name] ? name : "result", query };
}

function firstPlace() {
  for (const run of state.runs) {
    const exam = run.datasets.find((d) => d.role === "exam" && d.classes > 1) || run.datasets.find((d) => d.role === "exam");
    if (run.models.length && exam) return { run: run.id, model: run.models[0], dataset: exam.name };
  }
  return null;
}

// Choose another run, model or dataset.
const go = state.choose = (change) => {
  const next = { ...state.at, ...change };
  const now = state.runs.find((r) => r.id === next.run);
  if (!now.models.includes(next.model)) next.model = now.models[0];
  const exams = now.datasets.filter((d) => d.role === "exam").map((d) => d.name);
  if (!exams.includes(next.dataset)) next.dataset = exams[0];
  state.at = next;
  enterPlace(route().name);
  openDesk(next);
};

// The place that the address names, and a sentence where that is not opened here.
function addressed() {
  const place = placeIn(route().query);
  if (!place || isOpened(place)) return [place, ""];
  return [null, `The address names ${place.dataset} of ${place.model} in ${place.run}, which is not opened here.`];
}

state.openFirst = async () => {
  const [place, problem] = addressed(), first = place ?? firstPlace();
  if (first) await openDesk(first);
  if (problem) say(problem, "error");
  return Boolean(first);
};

function drawPlace() {
  const at = state.at, run = state.runs.find((r) => r.id === at?.run);
  put($("#place"), ...(run ? [
    state.runs.length > 1 && select("Run", state.runs.filter((r) => r.models.length).map((r) => ({ value: r.id, text: r.title })), at.run, (v) => go({ run: v })),
    select("Model", run.models, at.model, (v) => go({ model: v })),
    select("Dataset", run.datasets.filter((d) => d.role === "exam").map((d) => ({ value: d.name, text: `${d.name} (${count(d.n)})` })), at.dataset, (v) => go({ dataset: v })),
  ].filter(Boolean) : []));
}

state.drawPlace = drawPlace;

function drawTabs(name) {
  put($("#tabs"), ...Object.entries(VIEWS).map(([key, [title]]) =>
    h("a", { href: link(key), "aria-current": key === name ? "page" : null }, title)));
  // On a phone the tabs scroll sideways, and the open one is in view.
  const open = $("#tabs a[aria-current]");
  $("#tabs").scrollLeft = open.offsetLeft - ($("#tabs").clientWidth - open.offsetWidth) / 2;
}

async function openDesk(at, classes = undefined) {
  state.at = at;
  $("#main").setAttribute("aria-busy", "true");
  state.desk = null; state.design = null; state.problem = null; state.opening = Boolean(at);
  drawPlace();
  if (!at) return;
  await draw(); // what needs no vectors is shown at once
  if (state.at !== at) return;
  say("Opening the dataset and its vectors…");
  try {
    const desk = await post("open", { at, classes });
    if (state.at !== at) return; // another one was chosen meanwhile
    state.desk = desk;
    say("");
    const kept = begin() && isChanged() ? [`Your edits of the class list were kept (${editedWords()}).`] : [];
    if (kept.length || desk.notices.length) say([...kept, ...desk.notices].join(" "), desk.notices.length ? "error" : "");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (state.at !== at) return;
    state.problem = error;
  }
  state.opening = false;
  if (state.problem) say("");
  const { name } = route();
  if (NEEDS_DESK.has(name) || name === "result") await draw();
  if (state.at === at) $("#main").removeAttribute("aria-busy");
}

// A dataset without class names: what is looked for in its pictures must be typed first.
function namesForm() {
  const names = h("textarea", { rows: 6, spellcheck: "false", placeholder: "a dog\na cat\nan empty street" });
  const open = (e) => {
    e.preventDefault();
    const listed = names.value.split("\n").map((n) => n.trim()).filter(Boolean);
    if (listed.length < 2) { say("Type at least two classes, one on each line.", "error"); return; }
    openDesk(state.at, listed);
  };
  return h("section", { class: "card" }, h("h1", {}, `${state.at.dataset} has no class names`), h("p", {}, "Type what to look for in its pictures. Every picture is then classified, and can be searched, mapped and filtered."),
    h("form", { onsubmit: open }, h("label", { class: "field wide" }, h("span", {}, "Classes, one on each line"), names), h("div", { class: "buttons" }, h("button", { type: "submit", class: "main" }, "Classify"))));
}

function problemView(main) {
  if (state.opening) { put(main, h("section", { class: "card" }, h("p", { class: "status" }, "Opening the dataset and its vectors…"))); return; }
  const error = state.problem, missing = error?.answer?.missing;
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Encoded pictures" });
  const text = h("p", {});
  const encode = async () => {
    main.querySelector("button").disabled = true;
    main.append(bar, text);
    const timer = setInterval(async () => {
      const now = await get("encoding");
      if (now.total) { bar.max = now.total; bar.value = now.done; text.textContent = `${count(now.done)} of ${count(now.total)} pictures`; }
    }, 500);
    try { await post("encode", { at: state.at }); clearInterval(timer); await openDesk(state.at); } catch (e) { say(e.message, "error"); draw(); } finally { clearInterval(timer); }
  };
  if (error?.answer?.needs_classes) { put(main, namesForm()); return; }
  put(main, h("section", { class: "card" }, h("h1", {}, "This dataset cannot be opened yet"), h("p", {}, error?.message || "There is no examination here."),
    missing ? h("button", { type: "button", class: "main", onclick: encode }, error.answer.runs ? `Run the model ${count(missing)} times` : `Encode ${count(missing)} pictures now`) : null));
}

async function draw() {
  const { name, query } = route(), mine = ++drawing;
  const main = $("#main");
  if (leave) leave();
  leave = null;
  keepPlace(name);
  drawPlace();
  drawTabs(name);
  document.title = `${VIEWS[name][0]} · Eyechart workbench`;
  main.className = `view-${name}`;
  if (!state.desk && (NEEDS_DESK.has(name) || (name === "result" && !state.at))) { drawn = null; problemView(main); return; }
  const content = h("div", { class: "content" });
  const again = name === "result" && drawn === name; // the same view stays until the new one is complete: nothing flickers
  drawn = name;
  if (!again) put(main, content);
  const end = (await VIEWS[name][1](content, query)) || null;
  if (mine !== drawing) { if (end) end(); return; }
  leave = end;
  if (again) put(main, content);
}

window.addEventListener("hashchange", () => {
  forgetError();
  const [place, problem] = addressed();
  if (place && !samePlace(place, state.at)) openDesk(place); else draw();
  if (problem) say(problem, "error");
  $("#main").focus({ preventScroll: true }); scrollTo(0, 0);
});
window.addEventListener("unhandledrejection", (event) => say(String(event.reason?.message || event.reason), "error"));

try {
  await loadRuns();
  if (!await state.openFirst()) {
    if (!location.hash) location.hash = "#/runs"; // nothing has ended yet; its progress is there
    await draw();
    $("#main").removeAttribute("aria-busy");
  }
} catch (error) {
  say(error.message, "error");
  $("#main").removeAttribute("aria-busy");
}
