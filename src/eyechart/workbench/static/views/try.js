// Try a picture: drop a file, see what the model makes of it.

import { link } from "../address.js";
import { heatUrl, post, upload } from "../api.js";
import { h, put, say } from "../dom.js";
import { count, interval, percent } from "../numbers.js";
import { enlarge, tile } from "../pictures.js";
import { state } from "../store.js";

const MOST_BYTES = 20e6;

const WEAK = 0.2; // FPR at 95% TPR above which the verdict calls OOD detection bad

// Where the OOD score of a picture lies among those of the known ones, and what being accepted is worth.
function typicality(o) {
  const lower = `scores lower than ${percent(1 - o.below, 0)} of the known pictures`;
  if (o.score < o.at95) return `Rejected: it ${lower}`;
  if (o.fpr && o.fpr.high > WEAK) return "Accepted, which says little here";
  return o.below < 0.25 ? `Accepted, but it ${lower}` : `Accepted: it scores higher than ${percent(o.below, 0)} of the known pictures`;
}
function separation(o) {
  if (!o.fpr) return "Whether out-of-distribution pictures score lower is not known: this run has none. Examine with --ood FOLDER.";
  return `Of ${count(o.fpr.n)} out-of-distribution pictures of this run, ${percent(o.fpr.value)} (95% CI ${interval(o.fpr)}) are accepted too.`;
}

export function tryView(main) {
  const results = h("div", { class: "results" });
  const input = h("input", { type: "file", accept: "image/*", id: "file", onchange: (e) => { if (e.target.files[0]) use(e.target.files[0]); } });
  const zone = h("section", { class: "card drop" }, h("h1", {}, "Try a picture"), h("p", {}, "Drop a picture here, paste one, or choose a file. It stays on this machine and is not saved."), h("label", { for: "file", class: "button main" }, "Choose a picture"), input);

  async function use(file) {
    if (file.size > MOST_BYTES) { say("The file is larger than 20 MB.", "error"); return; }
    put(results); // what is shown belongs to the picture before
    say("Encoding the picture…");
    try {
      const { tried } = await upload(state.at, file);
      const answer = await post("tried", { at: state.at, design: state.design, tried });
      say("");
      draw(tried, answer);
    } catch (error) { say(error.message, "error"); }
  }
  function draw(tried, a) {
    const o = a.ood, accepted = o.score >= o.at95;
    put(results, h("div", { class: "tried" },
      h("section", { class: "card" }, h("h2", {}, "The picture"), h("div", { class: "maps" },
        h("figure", {}, h("img", { src: `/tried?${new URLSearchParams({ tried })}`, alt: "the picture that was dropped", width: 240 }), h("figcaption", {}, "as given")),
        state.desk.maps.map((kind) => h("figure", {}, h("img", { src: heatUrl(state.at, kind, { tried }), alt: kind, width: 240, height: 240 }), h("figcaption", {}, kind === "attention" ? "attention of the class token" : "patches"))))),
      h("section", { class: "card", "data-number": "classes" }, h("h2", {}, "Classes"), h("table", { class: "plain bars" }, h("thead", {}, h("tr", {}, ["Class", "Probability", "Cosine"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, a.classes.map((c) => h("tr", {}, h("th", { scope: "row" }, c.name), h("td", {}, c.p === null ? "–" : [h("meter", { min: 0, max: 1, value: c.p, "aria-label": c.name }), ` ${percent(c.p)}`]), h("td", {}, c.cosine.toFixed(3))))))),
      h("section", { class: `card ${accepted ? "" : "strange"}`, "data-number": "ood" }, h("h2", {}, "Is it like the known pictures?"),
        h("p", { class: "big" }, typicality(o)),
        h("p", {}, `OOD score (MCM) ${o.score.toFixed(4)}, above that of ${percent(o.below, 0)} of the ${count(o.n)} known pictures. At the threshold ${o.at95.toFixed(4)}, which 95% of them reach, it is ${accepted ? "accepted" : "rejected as out-of-distribution"}.`),
        h("p", { "data-number": "fpr" }, separation(o))),
      h("section", { class: "card" }, h("h2", {}, "Most similar known pictures"), h("div", { class: "tiles" }, a.neighbors.map((n, i) => tile(state.at, n, { onopen: () => enlarge(state.at, a.neighbors, i, { maps: state.desk.maps }), caption: [h("strong", {}, n.label ?? n.predicted), ` cosine ${n.cosine.toFixed(3)}`] }))),
        h("p", {}, h("a", { href: link("pictures", { tried }) }, "Search all pictures by this one")))));
  }
  const stop = (e) => { e.preventDefault(); zone.classList.toggle("over", e.type === "dragover"); };
  const drop = (e) => { stop(e); if (e.dataTransfer?.files[0]) use(e.dataTransfer.files[0]); };
  const paste = (e) => { const file = [...(e.clipboardData?.files || [])][0]; if (file) use(file); };
  window.addEventListener("dragover", stop); window.addEventListener("drop", drop); window.addEventListener("paste", paste);
  main.append(zone, results);
  return () => { window.removeEventListener("dragover", stop); window.removeEventListener("drop", drop); window.removeEventListener("paste", paste); };
}
