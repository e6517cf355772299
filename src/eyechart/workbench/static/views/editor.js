// The editor of a class list: names, groups, merges, templates.

import { h, put, say } from "../dom.js";
import { count } from "../numbers.js";
import { classNamed, copy, edits, setDesign, state } from "../store.js";

const MOST_SHOWN = 300;
const alreadyThere = (known) => `“${known.names[0]}” is a class already.`;

export function editor() {
  const element = h("div", { class: "editor" });
  const merging = new Set(); // ticked classes by what they are: places change with Undo, Redo and drop
  const keyOf = (c) => JSON.stringify([c.names, c.group, c.labels]), ticked = (c) => merging.has(keyOf(c));
  let filter = "", places = new Map(), fresh = new Set(), merged = new Set(), reworded = new Set();

  const change = (work, field = null) => { const design = copy(state.design); if (work(design) !== false) setDesign(design, field); };

  function row(c, i) {
    const number = h("span", { class: "predicted", title: "pictures predicted as this class" }, ""), warning = h("span", { class: "warning", hidden: true });
    places.set(i, { number, warning });
    const label = state.design.of_dataset ? c.labels.join(", ") : "", title = c.names.join(", "), isNew = fresh.has(title);
    return h("li", { class: isNew ? "class new" : "class", "data-class": c.names[0] },
      h("input", { type: "checkbox", "aria-label": `merge ${c.names[0]}`, checked: ticked(c), onchange: (e) => { const key = keyOf(state.design.classes[i]); e.target.checked ? merging.add(key) : merging.delete(key); drawMerge(); } }),
      h("input", { type: "text", class: "name", value: c.names.join(", "), "aria-label": `name of class ${i + 1}${label ? `, label ${label}` : ""}`, spellcheck: "false", maxlength: 300,
        oninput: (e) => change((d) => {
          const names = e.target.value.split(",").map((n) => n.trim()).filter(Boolean);
          e.target.setCustomValidity(names.length ? "" : "A class needs a name; the last one is still used.");
          if (!names.length) { e.target.reportValidity(); return false; }
          const known = names[0] === d.classes[i].names[0] ? null : classNamed(d, names[0], i);
          if (known) { say(alreadyThere(known), "error"); return false; }
          const tick = merging.delete(keyOf(d.classes[i]));
          d.classes[i].names = names;
          if (tick) merging.add(keyOf(d.classes[i]));
        }, `class ${i}`),
        // A name that was refused does not stay in the field: what it shows is what is used.
        onchange: (e) => {
          const used = state.design.classes[i], first = e.target.value.split(",")[0].trim(), known = first === used.names[0] ? null : classNamed(state.design, first, i);
          if (known) say(alreadyThere(known), "error");
          if (known || !first) { e.target.value = used.names.join(", "); e.target.setCustomValidity(""); }
        } }),
      isNew ? h("span", { class: "mark", title: "the run's own list does not have it" }, "new") : merged.has(title) ? h("span", { class: "mark", title: "several classes of the run's own list" }, "merged") : reworded.has(title) ? h("span", { class: "mark", title: "another wording than in the run's own list" }, "reworded") : null,
      label && label !== c.names[0] ? h("span", { class: "label", title: "the label that it is right for" }, label) : null,
      number,
      h("button", { type: "button", class: "quiet", "aria-label": `drop ${c.names[0]}`, title: "drop", onclick: () => {
        if (state.design.classes.length <= 2) { say("Two classes must remain.", "error"); return; }
        change((d) => { d.classes.splice(i, 1); }); draw();
      } }, "×"), warning);
  }

  const mergeButton = h("button", { type: "button", onclick: () => {
    change((d) => {
      const parts = d.classes.filter(ticked);
      const whole = { names: parts.flatMap((p) => p.names), group: parts[0].group, labels: [...new Set(parts.flatMap((p) => p.labels))] };
      d.classes = d.classes.map((c) => (c === parts[0] ? whole : c)).filter((c) => !ticked(c));
    });
    merging.clear(); draw();
  } }, "Merge");
  function drawMerge() { mergeButton.disabled = merging.size < 2; mergeButton.textContent = merging.size < 2 ? "Merge (tick two classes)" : `Merge ${merging.size} classes into one`; }

  function adder(group) {
    const input = h("input", { type: "text", placeholder: state.design.of_dataset ? "another name for a label…" : "add a class…", "aria-label": `add a class to ${group}`, maxlength: 300, spellcheck: "false" });
    const add = () => {
      const name = input.value.trim();
      if (!name) return;
      const known = classNamed(state.design, name);
      if (known) { say(alreadyThere(known), "error"); return; }
      change((d) => { d.classes.push({ names: [name], group, labels: [name] }); });
      draw();
      show(name);
      element.querySelector(`[data-add="${CSS.escape(group)}"] input`)?.focus({ preventScroll: true });
    };
    input.addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); add(); } });
    return h("div", { class: "add", "data-add": group }, input, h("button", { type: "button", onclick: add }, "Add"));
  }

  function datasetAdder() {
    const labels = state.desk.labels;
    const pick = h("select", { "aria-label": "label that the new class is right for" }, h("option", { value: "" }, "none: always an error"), labels.map((l) => h("option", { value: l }, l)));
    const input = h("input", { type: "text", placeholder: "add a class…", "aria-label": "add a class", maxlength: 300, spellcheck: "false" });
    const add = () => {
      const name = input.value.trim();
      if (!name) return;
      const known = classNamed(state.design, name);
      if (known) { say(alreadyThere(known), "error"); return; }
      change((d) => { d.classes.push({ names: [name], group: pick.value || name, labels: pick.value ? [pick.value] : [] }); });
      draw();
      show(name);
      element.querySelector("[data-add=dataset] input")?.focus({ preventScroll: true });
    };
    input.addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); add(); } });
    return h("div", { class: "add", "data-add": "dataset" }, input, labels.length ? h("label", { class: "field" }, h("span", {}, "correct for pictures labeled"), pick) : null, h("button", { type: "button", onclick: add }, "Add"));
  }

  function draw() {
    const design = state.design;
    places = new Map();
    const there = new Set(design.classes.map(keyOf));
    for (const key of [...merging]) if (!there.has(key)) merging.delete(key);
    const edited = edits();
    fresh = new Set(edited.added); merged = new Set(edited.merged); reworded = new Set(edited.reworded);
    const isFresh = ([c]) => fresh.has(c.names.join(", "));
    // New classes come first, below the field that they were typed into: a list may be longer than the screen.
    const shown = design.classes.map((c, i) => [c, i]).filter(([c]) => !filter || c.names.join(" ").toLowerCase().includes(filter))
      .sort((a, b) => isFresh(b) - isFresh(a));
    const list = (pairs) => h("ul", { class: "classes" }, pairs.slice(0, MOST_SHOWN).map(([c, i]) => row(c, i)));
    const parts = [];
    if (design.classes.length > 30) {
      parts.push(h("label", { class: "field wide" }, h("span", {}, `Find among ${count(design.classes.length)} classes`), h("input", { type: "search", value: filter, onchange: (e) => { filter = e.target.value.toLowerCase(); draw(); } })));
    }
    if (design.of_dataset) parts.push(datasetAdder(), list(shown));
    else {
      for (const group of new Set(design.classes.map((c) => c.group))) {
        const harmful = design.harmful.includes(group);
        parts.push(h("fieldset", { class: harmful ? "harmful" : "" }, h("legend", {}, group, " ",
          h("label", { class: "harm" }, h("input", { type: "checkbox", checked: harmful, onchange: (e) => { change((d) => { d.harmful = e.target.checked ? [...d.harmful, group] : d.harmful.filter((g) => g !== group); }); draw(); } }), "harmful")),
          adder(group), list(shown.filter(([c]) => c.group === group))));
      }
    }
    parts.push(h("div", { class: "buttons" }, mergeButton));
    parts.push(h("details", {}, h("summary", {}, `Prompts (${design.templates.length} template${design.templates.length === 1 ? "" : "s"})`),
      h("label", { class: "field wide" }, h("span", {}, "One template per line, with {} for the class name"),
        h("textarea", { rows: 8, spellcheck: "false", oninput: (e) => change((d) => { d.templates = e.target.value.split("\n").map((t) => t.trim()).filter(Boolean); }, "templates") }, design.templates.join("\n")))));
    put(element, ...parts);
    drawMerge();
    if (last) counts(last);
  }

  let last = null;
  // Numbers and warnings of the classes, from an answer of the server.
  function counts(answer) {
    last = answer;
    const byName = new Map(answer.classes.map((c) => [c.name, c.predicted]));
    for (const [i, { number, warning }] of places) {
      const name = state.design.classes[i]?.names[0], n = byName.get(name), text = answer.warnings[name] ?? "";
      number.textContent = n === undefined ? "" : count(n);
      warning.textContent = text ? `⚠ ${text}` : "";
      warning.hidden = !text;
    }
  }
  // A class that was just added is marked and in view.
  function show(name) {
    const row = element.querySelector(`[data-class="${CSS.escape(name)}"]`);
    row?.classList.add("shown");
    row?.scrollIntoView({ block: "nearest" });
  }
  return { element, draw, counts, show };
}
