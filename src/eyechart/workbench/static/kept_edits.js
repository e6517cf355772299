// Edits of class lists that are not saved yet, kept by the browser for each run, dataset and prompt set.

import { say } from "./dom.js";

const key = ({ opened, at, desk }) => `class list ${JSON.stringify([opened, at.run, at.dataset, desk.prompts])}`;

// The edits belong to the run's own list: where that has changed, they are of no use.
const base = (state) => JSON.stringify(state.desk.starts[0].design);

export function keepEdits(state) {
  try {
    if (JSON.stringify(state.design) === base(state)) localStorage.removeItem(key(state));
    else localStorage.setItem(key(state), JSON.stringify({ base: base(state), start: state.start, design: state.design }));
  } catch (error) {
    say(`The edits cannot be kept by this browser (${error.name}); save the design before you leave.`, "error");
  }
}

// The edits of before, {design, start}; null where there are none.
export function keptEdits(state) {
  const text = localStorage.getItem(key(state));
  if (text === null) return null;
  const kept = JSON.parse(text);
  if (kept.base === base(state)) return kept;
  localStorage.removeItem(key(state));
  say("The class list of the run has changed, so your edits of the old one were removed.");
  return null;
}
