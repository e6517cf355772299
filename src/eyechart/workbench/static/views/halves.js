// The explored and the held-out half: thresholds on both, and labels that one of them lacks.

import { h } from "../dom.js";
import { count, interval, percent, pictures, points } from "../numbers.js";

const SHARES = [["answered", "answered_share"], ["accuracy of answers", "selective_accuracy"], ["correct answers kept", "correct_answers_kept"]];
const share = (f) => (f ? [percent(f.value), h("span", { class: "quiet" }, ` ${interval(f)}, n\u00a0=\u00a0${count(f.n)}`)] : "–");

// One row for each number, one column for each half.
export function halvesTable(explored, heldOut) {
  const both = [explored, heldOut], metric = (of, name) => of.abstention?.find((f) => f.metric === name);
  const rows = SHARES.filter(([, name]) => both.some((of) => metric(of, name))).map(([title, name]) => [title, both.map((of) => share(metric(of, name)))]);
  if (both.every((of) => of.ece !== undefined)) {
    rows.push(["calibration error (ECE)", both.map((of) => percent(of.ece))], ["overconfidence", both.map((of) => points(of.overconfidence))]);
  }
  if (both.some((of) => of.ood?.tpr)) {
    rows.push(["TPR: in-distribution accepted", both.map((of) => share(of.ood?.tpr))], ["FPR: out-of-distribution accepted", both.map((of) => share(of.ood?.fpr))]);
  }
  if (both.some((of) => of.ood && !of.ood.lacking)) rows.push(["AUROC of the OOD score", both.map((of) => (of.ood?.lacking ? of.ood.lacking : percent(of.ood?.auroc)))]);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Both halves" }, h("table", { class: "plain", "data-number": "halves" },
    h("thead", {}, h("tr", {}, ["Number", "Explored half: chosen here", "Held-out half"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, rows.map(([title, cells]) => h("tr", {}, h("th", { scope: "row" }, title), cells.map((cell) => h("td", {}, cell)))))));
}

const SHOWN = 8;
// Labels that have pictures in one half only. Nothing is said where both halves have all labels.
export function missingLabels(desk) {
  const sentences = [["explored", "held-out"], ["held_out", "explored"]].filter(([half]) => desk.missing_labels[half].length).map(([half, other]) => {
    const missing = desk.missing_labels[half], named = missing.slice(0, SHOWN).map((m) => `“${m.label}” (${pictures(m.n)} of ${count(m.originals)} original${m.originals === 1 ? "" : "s"})`);
    const rest = missing.length > SHOWN ? ` and ${count(missing.length - SHOWN)} more` : "";
    return h("p", {}, h("strong", {}, half === "explored" ? "Not in the explored half: " : "Not in the held-out half: "), `${named.join(", ")}${rest}. All their pictures are in the ${other} half, since versions of one original stay together.`);
  });
  return sentences.length ? h("section", { class: "card", "data-card": "missing-labels", role: "note" }, sentences) : null;
}
