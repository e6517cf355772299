// Picture tiles, and one picture enlarged with everything that is known of it.

import { heatUrl, pictureUrl, post } from "./api.js";
import { $, h, openDialog, put } from "./dom.js";
import { percent } from "./numbers.js";
import { state } from "./store.js";

const NEAREST = 6;

export function tile(at, about, { onopen, caption, selected = null, onselect = null, url = null }) {
  const wrong = about.correct === false;
  return h("figure", { class: `tile${wrong ? " wrong" : ""}${about.tagged ? " tagged" : ""}` },
    h("button", { type: "button", class: "picture", onclick: onopen, "aria-label": `enlarge ${about.id}` },
      h("img", { src: url || pictureUrl(at, about.row), alt: "", loading: "lazy", width: 160, height: 160 })),
    onselect && h("label", { class: "pick" }, h("input", { type: "checkbox", checked: selected, onchange: (e) => onselect(e.target.checked), "aria-label": `select ${about.id}` })),
    h("figcaption", {}, caption || [
      h("strong", {}, about.predicted), about.confidence !== null && about.confidence !== undefined ? ` ${percent(about.confidence, 0)}` : "",
      about.label !== null && about.label !== undefined && about.correct === false ? h("span", { class: "truth" }, `label: ${about.label}`) : null,
      about.tagged ? h("span", { class: "tag" }, "tagged as label error") : null,
    ]));
}

export function enlarge(at, list, place, { maps = [], onnear = null, onfolder = null, back = null } = {}) {
  const box = $("#enlarged");
  let heat = null, shown = 0;
  const close = () => box.close();
  // The pictures with the most similar vectors of the examined model. Answers for a picture that was left are dropped.
  const fillNearest = async (about, strip) => {
    const mine = shown;
    const found = await post("gallery", { at: state.at, design: null, dataset: at.dataset, near: about.row, query: {}, seq: 0 }).catch((error) => ({ error }));
    if (mine !== shown) return;
    if (found.error) { put(strip, h("p", { class: "quiet" }, found.error.message)); return; }
    const near = found.rows.filter((r) => r.row !== about.row).slice(0, NEAREST);
    put(strip, near.length ? near.map((r, i) => tile(at, r, { onopen: () => enlarge(at, near, i, { maps, onnear, onfolder, back: { id: about.id, open: () => enlarge(at, list, list.indexOf(about), { maps, onnear, onfolder, back }) } }), caption: [h("strong", {}, r.label ?? r.predicted), h("span", { class: "quiet" }, ` ${r.similarity.toFixed(3)}`)] }))
      : h("p", { class: "quiet" }, "There is no other picture."));
  };
  const show = (i) => {
    place = (i + list.length) % list.length;
    shown += 1;
    const about = list[place];
    const strip = h("div", { class: "tiles nearest" });
    const held = box.contains(document.activeElement) ? document.activeElement.textContent : "";
    const where = { ...at, dataset: about.dataset || at.dataset, of: at.dataset };
    put(box, 
      h("div", { class: "enlarged" },
        h("div", { class: "view" },
          h("img", { src: heat ? heatUrl(where, heat, { row: about.row }) : pictureUrl(where, about.row, 1024), alt: `${about.id}, predicted as ${about.predicted}` }),
          maps.length ? h("div", { class: "buttons" },
            h("button", { type: "button", "aria-pressed": String(!heat), onclick: () => { heat = null; show(place); } }, "Picture"),
            maps.map((kind) => h("button", { type: "button", "aria-pressed": String(heat === kind), onclick: () => { heat = kind; show(place); } }, kind === "attention" ? "Attention" : "Patches"))) : null),
        h("div", { class: "about" },
          h("h2", {}, about.id),
          about.label !== null && about.label !== undefined ? h("p", {}, "Label: ", h("strong", {}, about.label), about.correct === false ? " · predicted wrong" : about.correct ? " · predicted correctly" : "") : null,
          about.top ? h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Class"), h("th", { scope: "col" }, "Probability"))),
            h("tbody", {}, about.top.map((t) => h("tr", {}, h("td", {}, t.name), h("td", {}, percent(t.p)))))) : null,
          h("dl", {},
            about.margin !== null && about.margin !== undefined ? [h("dt", {}, "Margin"), h("dd", {}, `${(100 * about.margin).toFixed(1)} points`)] : null,
            about.ood !== undefined ? [h("dt", {}, "OOD score (MCM)"), h("dd", {}, about.ood.toFixed(4))] : null,
            Object.entries(about.groups || {}).map(([k, v]) => [h("dt", {}, k), h("dd", {}, v ?? "unknown")])),
          h("h3", {}, "Nearest pictures by cosine"), strip,
          h("div", { class: "buttons" },
            back && h("button", { type: "button", onclick: back.open }, `↩ Back to ${back.id}`),
            onnear && h("button", { type: "button", onclick: () => { close(); onnear(about); } }, "Find similar"),
            onfolder && h("button", { type: "button", onclick: () => onfolder(about) }, "Open in the folder"),
            h("button", { type: "button", onclick: () => show(place - 1) }, "← Previous"),
            h("button", { type: "button", onclick: () => show(place + 1) }, "Next →"),
            h("button", { type: "button", class: "main", onclick: close }, "Close")))));
    // The content is new: the same button keeps the focus, else the dialog has it, so that keys go on working.
    if (box.open) ([...box.querySelectorAll(".buttons button")].find((button) => held && button.textContent === held) || box).focus();
    fillNearest(about, strip);
  };
  box.onkeydown = (e) => { if (e.key === "ArrowLeft") show(place - 1); if (e.key === "ArrowRight") show(place + 1); };
  box.onclick = (e) => { if (e.target === box) close(); };
  box.onclose = () => { shown += 1; };
  show(place);
  openDialog(box);
}
