// The result of the run: the decision, the areas, the worst class with its pictures, and a class to add.

import { link as address } from "../address.js";
import { post } from "../api.js";
import { numberLine } from "../charts.js";
import { h, put, say, shortList } from "../dom.js";
import { count } from "../numbers.js";
import { enlarge, tile } from "../pictures.js";
import { classNamed, copy, editedWords, isChanged, setDesign, startFrom, state } from "../store.js";

const SIGNS = { good: "✓", bad: "✕", inconclusive: "?", "not tested": "–" };
const SHOWN = 8, CLASSES = 8; // pictures of a class, and classes

export async function resultView(main) {
  const { at, desk } = state;
  if (!at) return;
  const here = () => state.at === at && state.desk === desk;
  const page = state.runs.find((r) => r.id === at.run)?.page;
  put(main, h("p", { class: "status" }, "Reading the result…"));
  const answer = await post("result", { at });
  if (!here()) return;
  const badge = (outcome, words = outcome) => h("span", { class: `badge ${outcome.replace(" ", "-")}` }, h("span", { "aria-hidden": "true" }, SIGNS[outcome]), ` ${words}`);

  function decision() {
    const n = answer.number;
    return h("section", { class: "card decided" }, h("h1", { class: `decision ${answer.outcome.replace(" ", "-")}` }, answer.decision),
      answer.datasets > 1 ? h("p", { class: "quiet" }, `${answer.model} on ${count(answer.datasets)} datasets`) : h("p", { class: "quiet" }, `${answer.model} on ${answer.dataset}`),
      n ? [h("p", { class: "of" }, `${n.title} on ${answer.dataset}`), h("p", {}, h("span", { class: "big", "data-number": "top1" }, n.text), h("span", { class: "quiet" }, ` 95% CI ${n.interval}, n\u00a0=\u00a0${count(n.n)}`)), numberLine(n)]
        : h("p", { class: "quiet" }, `Accuracy on ${answer.dataset} was not measured.`),
      page ? h("p", {}, h("a", { href: page, target: "_blank", rel: "noopener" }, "Open the full page"), h("span", { class: "quiet" }, ": all charts and findings")) : null);
  }
  function area(t) {
    const f = t.figure, named = t.title === "Worst classes" && answer.worst && !answer.worst.is_figure ? answer.worst : null, title = page && t.place !== null ? h("a", { href: `${page}#${answer.view}/ruling-${t.place}`, target: "_blank", rel: "noopener" }, t.title) : t.title;
    return h("section", { class: `card area ${t.outcome.replace(" ", "-")}` }, h("h2", {}, title, badge(t.outcome, t.not_judged ? "not judged" : t.outcome)),
      t.not_judged ? h("p", { class: "quiet" }, t.not_judged)
        : f ? [h("p", { class: "value" }, h("span", { class: "big" }, f.number), f.unit === "%" ? "%" : ` ${f.unit}`),
        h("p", { class: "quiet" }, `${f.short}${f.interval ? `, ${f.interval}` : ""}, n\u00a0=\u00a0${f.n}`), h("p", { class: "quiet" }, [f.where, answer.datasets > 1 ? f.dataset : ""].filter(Boolean).join(" · ")),
        named ? h("p", {}, "worst class: ", worstClass(named)) : null]
        : h("p", { class: "quiet" }, t.remedy ? ["Test it: ", h("code", {}, t.remedy)] : "Nothing was measured."));
  }

  const ties = (w) => (w.ties ? `, and ${count(w.ties)} other class${w.ties === 1 ? "" : "es"}` : "");
  // The class that the verdict names: the same here, in its tile and on the page.
  const worstClass = (w) => [w.dataset === at.dataset ? w.name : h("button", { type: "button", class: "link", title: `choose the dataset ${w.dataset}`, onclick: () => state.choose({ dataset: w.dataset }) }, w.name),
    ` ${w.text}`, answer.datasets > 1 ? ` on ${w.dataset}` : "", ties(w)];

  // A class of the findings is named; the gallery filters by label.
  const labelOf = (name) => state.desk.starts.flatMap((s) => (s.design.of_dataset ? s.design.classes : [])).find((c) => c.names[0] === name)?.labels[0] ?? name;
  function classes() {
    if (!answer.classes.length) return h("section", { class: "card" }, h("h2", {}, "Classes"), h("p", {}, `${answer.dataset} has no labels, so no class has an accuracy.`));
    const worst = answer.worst?.dataset === answer.dataset ? answer.worst : null;
    const pictures = h("div", { class: "tiles small strip", "data-list": "worst" }), about = h("p", { class: "quiet" }), link = h("p", {});
    const choose = (row) => {
      open = row.class;
      for (const button of list.querySelectorAll("[data-class]")) button.setAttribute("aria-pressed", String(button.dataset.class === row.class));
      title.textContent = `${worst && row.class === worst.name ? "Worst class" : "Class"}: ${row.class}${answer.datasets > 1 ? ` on ${answer.dataset}` : ""}`;
      about.textContent = `${row.text} of its ${count(row.n)} pictures are classified correctly (95% CI ${row.interval})${worst && row.class === worst.name && worst.ties ? `, the same share as of ${count(worst.ties)} other class${worst.ties === 1 ? "" : "es"}` : ""}.`;
      if (desk) fill(row);
      else put(pictures, h("p", { class: "quiet" }, state.problem ? state.problem.message : "Opening the pictures…"));
    };
    const fill = async (row) => {
      const label = labelOf(row.class);
      put(link, h("a", { href: address("pictures", { label, show: "wrong", list: "run" }) }, `All errors of ${row.class}`));
      const found = await post("gallery", { at, design: null, query: { label, correct: false }, seq: 0 }).catch((error) => ({ error }));
      if (open !== row.class || !here()) return; // another class was chosen meanwhile
      if (found.error) { put(pictures, h("p", { class: "status error" }, found.error.message)); return; }
      if (!found.rows.length) { put(pictures, h("p", { class: "quiet" }, "No picture of this class is wrong.")); return; }
      about.textContent += ` ${count(found.total)} ${found.total === 1 ? "is" : "are"} wrong, mostly as ${found.most_predicted}.`;
      put(pictures, found.rows.slice(0, SHOWN).map((r, i) => tile(at, r, { onopen: () => enlarge(at, found.rows, i, { maps: desk.maps }), caption: h("span", { class: "truth" }, `→ ${r.predicted}`) })));
    };
    let open = null;
    const buttons = (rows) => h("div", { class: "buttons by-accuracy" }, rows.map((row) => h("button", { type: "button", "data-class": row.class, "aria-pressed": String(row.class === open), onclick: () => choose(row) }, `${row.class} ${row.text}`)));
    const list = shortList("classes", answer.classes, CLASSES, buttons, new Set());
    const title = h("h2", {}), elsewhere = answer.worst && !worst ? h("p", { "data-worst": "elsewhere" }, "Worst class of all datasets: ", worstClass(answer.worst)) : null;
    const card = h("section", { class: "card", "data-card": "worst" }, title, about, pictures, link, elsewhere, answer.classes.length > 1 ? [h("h3", {}, "Classes by accuracy, the lowest first"), list] : null);
    choose(answer.classes.find((row) => row.class === worst?.name) ?? answer.classes[0]);
    return card;
  }
  function adding() {
    const input = h("input", { type: "text", placeholder: "a new class…", "aria-label": "class to add", maxlength: 300, spellcheck: "false", disabled: !desk });
    const add = (e) => {
      e.preventDefault();
      const name = input.value.trim();
      if (!name || !state.design) return;
      const design = copy(state.design), of = design.of_dataset;
      const known = classNamed(design, name);
      if (known) { say(`“${known.names[0]}” is a class already.`, "error"); return; }
      design.classes.push({ names: [name], group: of ? name : design.classes[0].group, labels: of ? [] : [name] });
      setDesign(design);
      state.added = name;
      location.hash = address("design");
    };
    return h("section", { class: "card", "data-card": "add" }, h("h2", {}, "What happens when a class is added?"),
      h("p", {}, "Type a class name. The half of the pictures that class lists are tried on is classified anew, and the pictures that move are shown."),
      h("form", { class: "add", onsubmit: add }, input, h("button", { type: "submit", class: "main", disabled: !desk }, "Add and see")),
      // Nothing can be added where there is no list, or no vectors: the other view says what to do first.
      state.problem ? h("p", { "data-lacking": "" }, state.problem.message, " ", h("a", { href: address("design") }, "Open the class design"))
        : h("p", {}, h("a", { href: address("design") }, "Edit the class list"), h("span", { class: "quiet" }, ": reword, merge or drop classes")));
  }
  // This view is about the list of the run; an edited one is shown elsewhere.
  function edited() {
    if (!desk || !isChanged()) return null;
    return h("p", { class: "card edited", role: "status" }, h("strong", {}, "You edited the class list"), ` (${editedWords()}). The numbers below are those of the run's own list. `,
      h("a", { href: address("design") }, "See what your list does"), " ", h("button", { type: "button", onclick: () => { startFrom(desk.starts[0].design); resultView(main); } }, "Discard the changes"));
  }
  put(main, edited(), h("div", { class: "result" }, h("div", { class: "stack" }, decision(), adding()), h("div", { class: "stack" }, h("div", { class: "areas" }, answer.tiles.map(area)), classes())));
}
