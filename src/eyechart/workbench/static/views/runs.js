// All runs, their pages, running examinations, and a form to start one.

import { get, post } from "../api.js";
import { h, put, say, select } from "../dom.js";
import { count, percent } from "../numbers.js";
import { loadRuns, state } from "../store.js";

let timer = 0;

export async function runsView(main) {
  clearInterval(timer);
  const list = h("section", { class: "card" }), running = h("div", {}), form = h("section", { class: "card" });
  let known = "", left = false;

  function dataset(r, d) {
    const found = r.headline.filter((f) => f.dataset === d.name), one = found.length === 1;
    return [`${d.name} (${count(d.n)})`, found.map((f) => `${one ? ": " : `; ${f.model} `}${percent(f.value)} (${(100 * f.low).toFixed(1)} to ${percent(f.high)})`)];
  }
  const bar = (p) => p && [h("progress", { max: p.total || 1, value: p.total ? p.done : undefined, "aria-label": p.title }), h("p", {}, `${p.title}: ${count(p.done)}${p.total ? ` of ${count(p.total)}` : ""} ${p.unit}`)];
  function drawRuns() {
    put(list, h("h1", {}, "Runs"), h("p", {}, h("code", {}, state.opened)), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Runs" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["Run", "Models", "Datasets and top-1 accuracy", "Page"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, state.runs.map((r) => h("tr", {}, h("th", { scope: "row" }, r.title, r.running ? " (running)" : ""),
        r.problem ? h("td", { colspan: 3 }, r.problem) : [h("td", {}, r.models.join(", ")), h("td", {}, r.datasets.filter((d) => d.role === "exam").map((d) => h("div", {}, dataset(r, d)))),
          h("td", {}, r.page ? h("a", { href: r.page, target: "_blank", rel: "noopener" }, "open the page") : "–")]))))));
  }
  function drawRunning({ children, elsewhere }) {
    put(running, elsewhere.map((r) => h("section", { class: "card", "data-running": r.title }, h("h2", {}, r.title, " is running in another process"), bar(r.progress) || h("p", {}, "Starting, or writing its results."))), children.map((c) => h("section", { class: "card" }, h("h2", {}, c.name, c.running ? " is running" : c.exit_code === 0 ? " has ended" : ` ended with exit code ${c.exit_code}`),
      c.running ? bar(c.progress) : null,
      h("pre", {}, c.lines.join("\n") || c.command),
      c.running ? h("button", { type: "button", onclick: () => post("stop", { name: c.name }).catch((e) => say(e.message, "error")) }, "Stop") : null)));
  }
  const signature = (a) => JSON.stringify([a.children.map((c) => [c.name, c.running]), a.elsewhere.map((r) => r.id)]);
  async function poll() {
    const answer = await get("examinations").catch(() => null);
    if (!answer) return;
    drawRunning(answer);
    if (left && !answer.children.some((c) => c.running)) clearInterval(mine);
    if (signature(answer) === known) return;
    known = signature(answer); // one was started or has ended
    await loadRuns();
    drawRuns();
    if (state.at) state.drawPlace(); else state.openFirst();
  }
  const answer = await get("examinations");
  const chosen = { model: answer.choices.models[0], data: answer.choices.datasets[0], profile: "", name: "new-run", limit: "" };
  if (answer.can_start) {
    const start = async (e) => {
      e.preventDefault();
      try { await post("start", { ...chosen, limit: chosen.limit === "" ? null : Number(chosen.limit) }); say("Started."); poll(); } catch (error) { say(error.message, "error"); }
    };
    form.append(h("h2", {}, "Start an examination"), h("form", { class: "filters", onsubmit: start },
      select("Model", answer.choices.models, chosen.model, (v) => { chosen.model = v; }), select("Dataset", answer.choices.datasets, chosen.data, (v) => { chosen.data = v; }),
      select("Profile", answer.choices.profiles.map((p) => ({ value: p, text: p || "what suits the data" })), "", (v) => { chosen.profile = v; }),
      h("label", { class: "field" }, h("span", {}, "At most this many pictures"), h("input", { type: "number", min: 1, step: 1, oninput: (e) => { chosen.limit = e.target.value; } })),
      h("label", { class: "field" }, h("span", {}, "Name of the folder"), h("input", { type: "text", value: chosen.name, oninput: (e) => { chosen.name = e.target.value; } })),
      h("button", { type: "submit", class: "main" }, "Start")),
      h("p", {}, "Models and datasets of the opened runs and of the embedded world. Others are examined from the command line."));
  } else form.append(h("h2", {}, "Start an examination"), h("p", {}, "Open a folder with runs to start others in it: ", h("code", {}, "eyechart open exams/")));
  drawRuns(); drawRunning(answer);
  known = signature(answer);
  main.append(list, running, form);
  const mine = timer = setInterval(poll, 1000);
  return () => { left = true; }; // what was started is followed until it ends, so that the list of runs has it
}
