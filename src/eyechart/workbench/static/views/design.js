// Class design live: edit the class list on the left, see on the right what happens to the pictures.

import { link } from "../address.js";
import { get, latestOnly, post, Refused, saveFiles } from "../api.js";
import { confusion, dots, flow } from "../charts.js";
import { debounce, h, put, say, select, shortList } from "../dom.js";
import { count, interval, percent, pictures, points, signedInterval, verdict } from "../numbers.js";
import { enlarge, tile } from "../pictures.js";
import { classNamed, copy, edits, isChanged, isEdited, onChange, redo, reset, setDesign, startFrom, state, undo } from "../store.js";
import { editor } from "./editor.js";
import { missingLabels } from "./halves.js";

const PAUSE = 150; // milliseconds without a new answer before the pictures that moved are asked for: numbers come first

export function designView(main) {
  const ask = latestOnly("design"), desk = state.desk;
  const results = h("div", { class: "results", "aria-live": "off" });
  const status = h("p", { class: "status", role: "status" });
  const brief = h("p", { class: "brief", "aria-hidden": "true" }); // on a phone, where the numbers are below the list
  const whole = new Set(); // lists that are shown whole
  let answer = null, chosen = 0, attribute = null, measured = null;

  const refresh = async () => {
    if (state.desk !== desk) return;
    try {
      const found = await ask({ at: state.at, design: state.design });
      if (!found || state.desk !== desk) return; // another dataset was opened meanwhile
      answer = found; chosen = 0;
      status.textContent = `${count(found.n)} pictures classified anew in ${Math.max(1, Math.round(found.milliseconds))} ms. Exploring one half; the other ${count(found.held_out)} are held out.`;
      status.className = "status";
      edit.counts(found);
      drawResults();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      put(status, error.message);
      status.className = "status error";
      if (error.answer.missing) status.append(" ", runButton(error.answer.missing));
    }
  };
  // A model without vectors scores a new class by a run for every picture. What takes long waits for a click.
  const runButton = (runs) => h("button", { type: "button", class: "main", onclick: async (event) => {
    event.target.disabled = true;
    const timer = setInterval(async () => { const now = await get("encoding"); if (now.total) say(`${count(now.done)} of ${count(now.total)}`); }, 500);
    try { await post("encode", { at: state.at }); say(""); } catch (error) { say(error.message, "error"); } finally { clearInterval(timer); }
    refresh();
  } }, `Run the model ${count(runs)} times`);
  const edit = editor();
  const unsubscribe = onChange((why) => { if (state.desk !== desk) return; if (why === "history") edit.draw(); forget(); buttons(); refresh(); });
  // What was measured or suggested holds for the list that it was asked for.
  const forget = () => { measured = null; suggestion = null; };
  const stillAsked = (list, what) => {
    if (state.desk !== desk) return false;
    if (state.design !== list) say(`The list was edited before ${what} came, so it is not shown; it counts as a look.`, "error");
    return state.design === list;
  };

  const undoButton = h("button", { type: "button", onclick: undo }, "Undo");
  const redoButton = h("button", { type: "button", onclick: redo }, "Redo");
  const resetButton = h("button", { type: "button", title: "back to the list that you started from", onclick: reset }, "Reset");
  const buttons = () => { undoButton.disabled = !state.past.length; redoButton.disabled = !state.future.length; resetButton.disabled = !isEdited(); drawStarts(); };
  const name = h("input", { type: "text", value: "my-classes", size: 14, "aria-label": "Name of the saved file" });
  const save = async (kind) => {
    try {
      const done = await saveFiles({ at: state.at, design: state.design, kind, name: name.value });
      if (done.starts && state.desk === desk) { desk.starts = done.starts; drawStarts(); }
      say(done.text);
    } catch (error) { say(error.message, "error"); }
  };
  const starts = h("div", { class: "buttons" });
  // The field stays the same while its lists do: it keeps the focus.
  function drawStarts() {
    const names = state.desk.starts.map((x) => x.name), of = state.desk.starts.find((x) => JSON.stringify(x.design) === state.start)?.name;
    const field = starts.querySelector("select");
    if (field && JSON.stringify(names) === JSON.stringify([...field.options].map((o) => o.value))) { field.value = of ?? ""; return; }
    put(starts, select("Start from", names, of, (v) => {
      startFrom(state.desk.starts.find((x) => x.name === v).design);
      edit.draw(); buttons(); forget(); refresh();
    }));
  }

  function drawResults() {
    const a = answer;
    const c = isChanged() && change(a, "accuracy_change");
    brief.textContent = [a.accuracy ? `Accuracy ${percent(a.accuracy.value)} on the explored half` : "", c ? `(${points(c.value)})` : "", `· ${pictures(a.flows.moved)} moved`, ...addedCounts(a).map((t) => `· ${t}`)].filter(Boolean).join(" ");
    put(results,
      h("div", { class: "numbers" }, accuracyCard(a), a.harm ? harmCard(a) : null, movedCard(a)),
      missingLabels(state.desk), flowCard(a), measureCard(), confusionCard(a), h("div", { class: "two" }, groupCard(a)), suggestCard());
  }

  // What became of the classes that the run's own list does not have.
  function addedCounts(a) {
    const fresh = new Set(edits().added);
    return state.design.classes.filter((c) => fresh.has(c.names.join(", "))).slice(0, 3)
      .map((c) => `“${c.names[0]}” is predicted for ${pictures(a.classes.find((of) => of.name === c.names[0])?.predicted ?? 0)}`);
  }
  const change = (a, metric) => a.changes.find((c) => c.metric === metric);
  function accuracyCard(a) {
    if (!a.accuracy) return h("section", { class: "card number" }, h("h2", {}, "Accuracy"), h("p", { class: "big" }, "–"), h("p", {}, "No label is one of these classes."));
    const c = change(a, "accuracy_change"), rightFor = (x) => a.by_label.filter((l) => (x.labels || []).includes(l.label)).reduce((n, l) => n + l.n, 0);
    const frequent = a.classes.map((x) => ({ name: x.name, n: rightFor(x) })).reduce((x, y) => (y.n > x.n ? y : x)); // one class, always
    return h("section", { class: "card number", "data-number": "accuracy" }, h("h2", {}, "Accuracy on the explored half"), h("p", { class: "big" }, percent(a.accuracy.value)),
      h("p", {}, `95% CI ${interval(a.accuracy)}, n\u00a0=\u00a0${count(a.accuracy.n)}`),
      frequent ? h("p", { class: "quiet" }, `always “${frequent.name}”: ${percent(frequent.n / a.accuracy.n)}`) : null, c ? changeLine(c, true) : null);
  }
  function changeLine(c, better) {
    return h("p", { class: `change ${isChanged() ? verdict(c, better) : ""}` }, isChanged() ? `${points(c.value)} (${signedInterval(c)}) against the run's list` : "the run's own class list");
  }
  function harmCard(a) {
    const c = change(a, "harm_rate_change");
    return h("section", { class: "card number", "data-number": "harm" }, h("h2", {}, `Predicted as ${state.design.harmful.join(" or ")}`), h("p", { class: "big" }, percent(a.harm.value)),
      h("p", {}, `95% CI ${interval(a.harm)}`), c ? changeLine(c, false) : null);
  }
  function movedCard(a) {
    const c = change(a, "changed_predictions");
    return h("section", { class: "card number", "data-number": "moved" }, h("h2", {}, "Pictures that moved"), h("p", { class: "big" }, count(a.flows.moved)),
      h("p", {}, c ? `${percent(c.value)} of ${count(a.n)} (95% CI ${interval(c)})` : ""), addedCounts(a).map((text) => h("p", { "data-number": "added" }, text)));
  }
  function flowCard(a) {
    if (!a.flows.flows.length) {
      return h("section", { class: "card" }, h("h2", {}, "What moves"),
        h("p", {}, isChanged() ? "No picture gets another class with this list." : "Change a class on the left: reword it, drop it, merge two, or add one. Pictures that get another class appear here."));
    }
    const picked = a.flows.flows[Math.min(chosen, a.flows.flows.length - 1)];
    const rows = h("div", { class: "tiles small" });
    soonRows(picked.rows, rows);
    return h("section", { class: "card" }, h("h2", {}, "What moves"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Flow of pictures" }, flow(a.flows.flows, { chosen, onpick: (i) => { chosen = i; drawResults(); } })),
      h("p", {}, h("strong", {}, pictures(picked.count)), ` from “${picked.from}” to “${picked.to}”${picked.rows.length < picked.count ? `; the first ${picked.rows.length}` : ""}:`), rows);
  }
  const soonRows = debounce(showRows, PAUSE);
  async function showRows(rows, place) {
    if (state.desk !== desk || !place.isConnected) return;
    const found = await post("rows", { at: state.at, design: state.design, rows }).catch((error) => ({ error }));
    if (found.error) { put(place, h("p", { class: "status error" }, found.error.message)); return; }
    if (state.desk !== desk) return;
    put(place, ...found.rows.map((about, i) => tile(state.at, about, { onopen: () => enlarge(state.at, found.rows, i, { maps: state.desk.maps }) })));
  }
  const cellLink = (label, predicted) => link("pictures", { label, predicted, half: "explored" }); // what the cell counts
  function confusionCard(a) {
    if (!a.confusion) return null;
    const table = confusion(a.confusion, a.classes, { onpick: (label, predicted) => { location.hash = cellLink(label, predicted); } });
    const pairs = a.confusion.pairs.map(([l, c, n]) => ({ label: a.confusion.labels[l], predicted: a.classes[c].name, n }));
    const worst = [...a.by_label].filter((l) => l.n).sort((x, y) => x.value - y.value).map((l) => ({ name: l.label, ...l }));
    const listed = (shown) => h("ol", { class: "list" }, shown.map((p) => h("li", {}, h("a", { href: cellLink(p.label, p.predicted) }, `${p.label} → ${p.predicted}`), ` ${count(p.n)}`)));
    return h("section", { class: "card" }, h("h2", {}, "Confusion on the explored half"),
      h("div", { class: "beside" }, table, h("div", {},
        h("div", {}, h("h3", {}, "Most confused"), pairs.length ? shortList("confused", pairs, 10, listed, whole, a.confusion.pair_count) : h("p", {}, "No picture is confused.")),
        h("div", {}, h("h3", {}, "Worst classes"), shortList("worst classes", worst, 8, (shown) => dots(shown, { title: "recall by label, 95% CI", max: 1 }), whole)))));
  }
  function groupCard(a) {
    const rows = [];
    if (a.groups) {
      const kinds = a.groups.kinds, kind = kinds.includes(attribute) ? attribute : (a.groups.harmful[0] || kinds[0]), k = kinds.indexOf(kind);
      const shown = a.groups.rows;
      rows.push(h("section", { class: "card" }, h("h2", {}, "Shares by group of people"),
        select("Share predicted as", kinds.map((x) => ({ value: x, text: a.groups.harmful.includes(x) ? `${x} (harmful)` : x })), kind, (v) => { attribute = v; drawResults(); }),
        dots(shown.map((r) => ({ name: r.group, value: r.value[k], low: r.low[k], high: r.high[k], n: r.n, bold: r.group === "all pictures" })),
          { title: `predicted as ${kind}, 95% CI`, reference: shown[0].value[k] })));
    }
    const single = a.group_accuracy;
    if (single.length) rows.push(h("section", { class: "card" }, h("h2", {}, "Accuracy by group"), dots(single.map((g) => ({ name: g.group, ...g })), { title: "accuracy, 95% CI", max: 1, reference: a.accuracy.value })));
    return rows;
  }
  function measureCard() {
    const looks = state.desk.looks;
    const warn = looks === 0 ? "It was not looked at yet." : `It was looked at ${looks === 1 ? "once" : `${count(looks)} times`} so far. ${looks > 1 ? "The intervals hold for the first look only; choose on the explored half." : ""}`;
    const measure = async () => {
      const list = state.design;
      try {
        const found = await post("measure", { at: state.at, design: list });
        desk.looks = found.looks;
        if (stillAsked(list, "the measurement")) measured = found;
        if (state.desk === desk) drawResults();
      } catch (error) { say(error.message, "error"); }
    };
    const shown = (measured?.findings || []).filter((f) => ["accuracy", "changed_predictions", "harm_rate", "harm_rate_change", "accuracy_change", "largest_harm_rate_difference"].includes(f.metric));
    const titles = { accuracy: "accuracy", changed_predictions: "predictions that change", harm_rate: "harmful predictions", harm_rate_change: "change of harmful predictions", accuracy_change: "change of accuracy", largest_harm_rate_difference: "largest harm difference of a group" };
    return h("section", { class: "card measure" }, h("h2", {}, "Measure on the held-out half"),
      h("p", {}, `${pictures(state.desk.held_out)} are not used while you edit the list. (The numbers and errors of the run itself are over all pictures.) Measure once, when you have decided. `, h("strong", { "data-number": "looks" }, warn)),
      h("button", { type: "button", class: "main", onclick: measure }, "Measure this list"),
      measured ? h("table", { class: "plain", "data-number": "measured" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Held-out half"), h("th", { scope: "col" }, "Value"), h("th", { scope: "col" }, "95% CI"))),
        h("tbody", {}, shown.map((f) => {
          const signed = f.metric.endsWith("change") || f.metric.endsWith("difference");
          const who = Object.entries(f.slice).filter(([k]) => k !== "list").map(([k, v]) => `${k}: ${v}`).join(", ");
          return h("tr", {}, h("th", { scope: "row" }, titles[f.metric], who ? ` (${who})` : ""), h("td", {}, signed ? points(f.value) : percent(f.value)), h("td", {}, signed ? signedInterval(f) : interval(f)));
        }))) : null);
  }
  let suggestion = null, words = "", group = "";
  function suggestCard() {
    const groups = [...new Set(state.design.classes.map((c) => c.group))];
    if (!groups.includes(group)) group = groups[0];
    const run = async () => {
      const list = state.design;
      try {
        const listed = words.split(/[\n,]/).map((w) => w.trim()).filter(Boolean);
        const found = await post("suggest", { at: state.at, design: list, words: listed, group });
        desk.looks = found.looks;
        if (stillAsked(list, "the suggestion")) suggestion = found;
        if (state.desk === desk) drawResults();
      } catch (error) { say(error.message, "error"); }
    };
    const add = (word) => {
      const design = copy(state.design), known = classNamed(design, word);
      if (known) { say(`“${known.names[0]}” is a class already.`, "error"); return; }
      design.classes.push({ names: [word], group, labels: design.of_dataset ? [group] : [word] });
      setDesign(design); edit.draw();
    };
    const best = suggestion?.findings[0];
    return h("section", { class: "card" }, h("h2", {}, "Suggest a class to add"),
      h("p", {}, "The best candidate is chosen on the explored half and checked on the held-out half, which counts as a look."),
      h("label", { class: "field wide" }, h("span", {}, "Candidates, separated by commas"), h("textarea", { rows: 2, oninput: (e) => { words = e.target.value; } }, words)),
      h("div", { class: "buttons" }, select(state.design.of_dataset ? "For the label" : "In the group", groups, group, (v) => { group = v; }), h("button", { type: "button", onclick: run }, "Suggest")),
      best ? [h("p", {}, h("strong", {}, best.slice.change), state.design.harmful.length ? ` changes harmful predictions by ${points(best.value)} (${signedInterval(best)})` : "",
        suggestion.findings[1] ? `${state.design.harmful.length ? " and" : " changes"} accuracy by ${points(suggestion.findings[1].value)} (${signedInterval(suggestion.findings[1])})` : "", " on the held-out half. ",
        h("button", { type: "button", onclick: () => add(best.slice.change) }, "Add it"))] : null);
  }

  main.append(
    h("div", { class: "design" },
      h("section", { class: "card edit" }, h("h1", {}, "Class list"),
        starts, h("div", { class: "buttons" }, undoButton, redoButton, resetButton), edit.element,
        h("div", { class: "buttons save" }, name, h("button", { type: "button", onclick: () => save("toml") }, "Save design"), h("button", { type: "button", onclick: () => save("classifier") }, "Save classifier"))),
      h("div", { class: "right" }, status, results)), brief);
  edit.draw(); buttons(); refresh();
  if (state.added) edit.show(state.added); // from the view of the result
  state.added = null;
  return unsubscribe;
}
