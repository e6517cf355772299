// Thresholds live: temperature, abstention and OOD rejection.

import { latestOnly, post, Refused, saveFiles } from "../api.js";
import { curve, dots, histogram } from "../charts.js";
import { debounce, h, put, say, select } from "../dom.js";
import { count, interval, percent, points } from "../numbers.js";
import { editedWords, isChanged, state } from "../store.js";
import { halvesTable, missingLabels } from "./halves.js";

export async function thresholdView(main) {
  const ask = latestOnly("thresholds"), desk = state.desk;
  const at = { temperature: 1, abstain: 0, score: "mcm", reject: null };
  const results = h("div", { class: "results" });
  const status = h("p", { class: "status", role: "status" });
  let answer = null, checked = null;

  const refresh = async () => {
    if (state.desk !== desk) return;
    try {
      const found = await ask({ at: state.at, design: state.design, thresholds: at, half: "explored" });
      if (!found || state.desk !== desk) return;
      answer = found;
      status.textContent = `${count(found.n)} explored pictures, in ${Math.max(1, Math.round(found.milliseconds))} ms${found.notices.length ? `. ${found.notices.join(" ")}` : ""}`;
      status.className = "status";
      if (!found.ood || found.ood.lacking) oodBox.hidden = true;
      else if (!oodReady) readyOod(found.ood);
      draw();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      status.textContent = error.message; status.className = "status error";
    }
  };
  const soon = debounce(refresh, 30);
  const slider = (title, id, { min, max, step, value, shown, onset }) => {
    const out = h("output", { for: id }, shown(value));
    const input = h("input", { type: "range", id, min, max, step, value, oninput: (e) => { const v = Number(e.target.value); onset(v); out.textContent = shown(v); checked = null; soon(); } });
    return { element: h("div", { class: "slider" }, h("label", { for: id }, title), input, out), input, out };
  };
  const temperature = slider("Temperature", "temperature", { min: -1.5, max: 1.5, step: 0.01, value: 0, shown: (v) => (10 ** v).toFixed(2), onset: (v) => { at.temperature = 10 ** v; } });
  const abstain = slider("Abstain below confidence", "abstain", { min: 0, max: 1, step: 0.005, value: 0, shown: (v) => percent(v), onset: (v) => { at.abstain = v; } });
  let oodReady = false, rejectSlider = null;
  const oodBox = h("div", {});
  function readyOod(ood) {
    oodReady = true;
    const [low, high] = ood.range, step = (high - low) / 500;
    rejectSlider = slider("Reject as out-of-distribution below", "reject", { min: low, max: high, step, value: low, shown: (v) => v.toPrecision(4), onset: (v) => { at.reject = v; } });
    oodBox.hidden = false;
    put(oodBox, 
      select("OOD score", ["mcm", "energy", "max_cosine", "entropy", "variance", ...(state.desk.has_probabilities ? ["msp"] : [])], at.score, (v) => { at.score = v; at.reject = null; oodReady = false; checked = null; refresh(); }),
      rejectSlider.element,
      h("button", { type: "button", onclick: () => { at.reject = answer.ood.at95; rejectSlider.input.value = at.reject; rejectSlider.out.textContent = at.reject.toPrecision(4); checked = null; refresh(); } }, "Set to 95% TPR"),
      h("p", { class: "quiet" }, "The highest threshold that accepts at least 95% of the explored in-distribution pictures."));
  }

  const metric = (list, name) => list?.find((f) => f.metric === name);
  const number = (title, f, key) => h("section", { class: "card number", "data-number": key }, h("h2", {}, title), h("p", { class: "big" }, f ? percent(f.value) : "–"), h("p", {}, f ? `95% CI ${interval(f)}, n\u00a0=\u00a0${count(f.n)} explored` : "no answers"));

  function draw() {
    const a = answer, parts = [missingLabels(state.desk)];
    if (a.abstention) {
      const answered = metric(a.abstention, "answered_share"), right = metric(a.abstention, "selective_accuracy"), kept = metric(a.abstention, "correct_answers_kept");
      parts.push(h("div", { class: "numbers" }, number("Answered", answered, "answered"), number("Accuracy of answers", right, "selective"), number("Correct answers kept", kept, "kept"),
        h("section", { class: "card number" }, h("h2", {}, "Calibration"), h("p", { class: "big", "data-number": "ece" }, percent(a.ece)), h("p", {}, `ECE on the explored half; overconfidence ${points(a.overconfidence)}`))));
      const mark = answered && right ? { x: answered.value, y: 1 - right.value, title: "now" } : null;
      parts.push(h("div", { class: "two" },
        h("section", { class: "card" }, h("h2", {}, "Risk and coverage"), curve([{ x: a.risk_coverage.coverage, y: a.risk_coverage.risk }], { title: "Error rate of the answers by coverage", xTitle: "coverage (pictures answered)", yTitle: "error rate", mark }), h("p", {}, `AURC ${percent(a.aurc, 2)}. The circle is where the sliders stand.${at.reject === null ? "" : " The curve is of abstention alone: with OOD rejection the circle lies beside it."}`)),
        h("section", { class: "card" }, h("h2", {}, "Reliability"), curve([{ x: a.reliability.map((b) => b.confidence), y: a.reliability.map((b) => b.accuracy), dots: true }], { title: "Accuracy by confidence", xTitle: "confidence", yTitle: "accuracy", yMax: 1, diagonal: true }), h("p", {}, "On the dashed line, confidence equals accuracy."))));
      const groups = a.abstention.filter((f) => f.metric === "group_answered_share" && Object.keys(f.slice).length === 1);
      if (groups.length) parts.push(h("section", { class: "card" }, h("h2", {}, "Answered by group"), dots(groups.map((f) => ({ name: Object.entries(f.slice).map(([k, v]) => `${k}: ${v}`).join(), ...f })), { title: "pictures answered, 95% CI", max: 1, reference: answered.value })));
    } else parts.push(h("section", { class: "card" }, h("p", {}, "These pictures have no labels, so accuracy and calibration are unknown.")));
    if (a.ood?.lacking) parts.push(h("section", { class: "card" }, h("h2", {}, "Out-of-distribution pictures"), h("p", {}, a.ood.lacking)));
    else if (a.ood) {
      const o = a.ood;
      parts.push(h("section", { class: "card" }, h("h2", {}, "Out-of-distribution pictures, explored half"),
        h("p", {}, `${count(o.n_inside)} in-distribution pictures against ${count(o.n_outside)} of ${o.sets.join(", ")}. AUROC ${percent(o.auroc)}, FPR95 ${percent(o.fpr95)} (at the 5% quantile of in-distribution scores).`),
        o.tpr ? h("div", { class: "numbers" }, number("TPR: in-distribution accepted", o.tpr, "tpr"), number("FPR: out-of-distribution accepted", o.fpr, "fpr")) : h("p", {}, "Move the slider to reject pictures."),
        h("div", { class: "two" },
          h("div", {}, histogram(o.histogram.edges, o.histogram.inside, o.histogram.outside, { at: at.reject, title: `OOD score (${at.score})` }), h("p", { class: "key" }, h("span", { class: "inside" }, "■ in-distribution "), h("span", { class: "outside" }, "■ out-of-distribution"))),
          curve([{ x: o.roc.fpr, y: o.roc.tpr }], { title: "ROC curve", xTitle: "FPR", yTitle: "TPR", yMax: 1, diagonal: true, mark: o.tpr ? { x: o.fpr.value, y: o.tpr.value, title: "now" } : null })),
        o.groups?.length ? dots(o.groups.map((g) => ({ name: g.group, ...g })), { title: "accepted by group, 95% CI", max: 1, reference: o.tpr.value }) : null));
    } else parts.push(h("section", { class: "card" }, h("h2", {}, "Out-of-distribution pictures"), h("p", {}, "This run has none; examine with --ood FOLDER.")));
    parts.push(check());
    put(results, ...parts);
  }
  function check() {
    const look = async () => {
      const asked = JSON.stringify(at);
      try {
        const found = await post("thresholds", { at: state.at, design: state.design, thresholds: at, half: "held out", seq: 0 });
        desk.looks = found.looks;
        if (state.desk !== desk) return;
        if (JSON.stringify(at) === asked) checked = found;
        else say("The thresholds were changed before their check came, so it is not shown; it counts as a look.", "error");
        draw();
      } catch (error) { say(error.message, "error"); }
    };
    return h("section", { class: "card measure" }, h("h2", {}, "Check on the held-out half"), h("p", {}, "Everything above is over the explored half. Thresholds look better than they are on the pictures they were chosen on. ", h("strong", {}, state.desk.looks === 0 ? "The held-out half was not looked at yet." : `The held-out half was looked at ${state.desk.looks === 1 ? "once" : `${count(state.desk.looks)} times`} so far.`)),
      h("button", { type: "button", class: "main", onclick: look }, "Check these thresholds"),
      checked ? halvesTable(answer, checked) : null);
  }

  const name = h("input", { type: "text", value: "my-classifier", size: 14, "aria-label": "Name of the saved file" });
  const save = async () => {
    try { say((await saveFiles({ at: state.at, design: state.design, kind: "classifier", name: name.value, thresholds: at })).text); } catch (error) { say(error.message, "error"); }
  };
  put(main, h("p", { class: "status" }, "Computing…"));
  await refresh(); // what is shown depends on whether there are out-of-distribution pictures, so it is drawn once
  if (state.desk !== desk) return;
  put(main, h("div", { class: "design" },
    h("section", { class: "card edit" }, h("h1", {}, "Thresholds"), h("p", {}, isChanged() ? `For your edited class list (${editedWords()}) with ${count(state.design.classes.length)} classes.` : `For the class list “${state.design.title}” with ${count(state.design.classes.length)} classes.`),
      temperature.element, abstain.element, oodBox,
      h("div", { class: "buttons save" }, name, h("button", { type: "button", onclick: save }, "Save classifier"))),
    h("div", { class: "right" }, status, results)));
}
