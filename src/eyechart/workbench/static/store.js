// What is open, and the class list that all views share, with its history.

import { get } from "./api.js";
import { keepEdits, keptEdits } from "./kept_edits.js";

const listeners = new Set();
export const state = { runs: [], at: null, desk: null, design: null, start: null, past: [], future: [], canStart: false };

export const copy = (value) => JSON.parse(JSON.stringify(value));
// Names that differ in case only are one class: a second one would split its pictures.
export function classNamed(design, name, except = -1) {
  const plain = (text) => text.trim().toLowerCase();
  return design.classes.find((c, i) => i !== except && plain(c.names[0]) === plain(name)) ?? null;
}
export const onChange = (work) => { listeners.add(work); return () => listeners.delete(work); };
const tell = (why) => { for (const work of [...listeners]) work(why); };

// Typing in one field is one step of the history, whatever the number of keys.
let lastField = null;
const now = () => ({ design: state.design, start: state.start });
export function setDesign(design, field = null) {
  if (!field || field !== lastField) { state.past.push(now()); state.future = []; }
  lastField = field;
  state.design = design;
  keepEdits(state);
  tell("design");
}
export function undo() { step(state.past, state.future); }
export function redo() { step(state.future, state.past); }
function step(from, to) {
  if (!from.length) return;
  to.push(now());
  Object.assign(state, from.pop());
  lastField = null;
  keepEdits(state);
  tell("history");
}
// Begin with another list. The one before comes back with Undo.
export function startFrom(design) {
  state.past.push(now()); state.future = []; lastField = null;
  state.design = copy(design);
  state.start = JSON.stringify(design);
  keepEdits(state);
}
// Back to the list that the edits began with.
export function reset() { startFrom(JSON.parse(state.start)); tell("history"); }
export const isEdited = () => state.design !== null && JSON.stringify(state.design) !== state.start;
// A dataset was opened: its own list, or the edits that were made before. True where there were some.
export function begin() {
  state.past = []; state.future = []; lastField = null;
  const own = state.desk.starts[0].design, kept = keptEdits(state);
  state.design = copy(kept?.design ?? own);
  state.start = kept?.start ?? JSON.stringify(own);
  return Boolean(kept);
}
export const isChanged = () => state.design !== null && JSON.stringify(state.design) !== JSON.stringify(state.desk.starts[0].design);

// What differs from the run's own list: classes with no name of it, merged ones, those with more names, and those that are gone.
export function edits() {
  const title = (c) => c.names.join(", "), own = state.desk.starts[0].design.classes;
  const known = new Set(own.map((c) => c.names[0])), titles = new Set(own.map(title));
  const found = { added: [], merged: [], reworded: [], gone: [] }, now = new Set(state.design.classes.flatMap((c) => c.names));
  let gone = own.filter((c) => !now.has(c.names[0]));
  for (const c of state.design.classes.filter((x) => !titles.has(title(x)))) {
    const kept = c.names.filter((n) => known.has(n)).length;
    const before = kept ? null : gone.find((g) => g.labels.some((l) => c.labels.includes(l))); // it stands for the label of this one
    if (before) gone = gone.filter((g) => g !== before);
    found[kept > 1 ? "merged" : kept || before ? "reworded" : "added"].push(title(c));
  }
  found.gone = gone.map(title);
  return found;
}

// What was edited, in words.
export function editedWords() {
  const { added, merged, reworded, gone } = edits();
  const listed = (names) => names.slice(0, 3).map((n) => `“${n}”`).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
  return [["added", added], ["merged", merged], ["reworded", reworded], ["dropped", gone]].map(([what, names]) => (names.length ? `${what} ${listed(names)}` : "")).filter(Boolean).join("; ") || "changed prompts or groups";
}

export async function loadRuns() {
  const answer = await get("runs");
  Object.assign(state, { runs: answer.runs, canStart: answer.can_start, opened: answer.opened });
}
