// The address of a view: its name, the run, model and dataset that are open, and what the view itself keeps there.

import { state } from "./store.js";

const PLACE = ["run", "model", "dataset"];

export function read() {
  const [name, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { name, query: new URLSearchParams(query || "") };
}

// A link to a view of what is open, which leads there from another tab of the browser too.
export function link(name, more = {}) {
  const query = new URLSearchParams({ ...state.at, ...more }).toString();
  return `#/${name}${query ? `?${query}` : ""}`;
}

// The run, model and dataset of an address; null where it names none.
export function placeIn(query) {
  return query.has("run") ? Object.fromEntries(PLACE.map((key) => [key, query.get(key)])) : null;
}
export const samePlace = (a, b) => PLACE.every((key) => a?.[key] === b?.[key]);
export function isOpened(place) {
  const run = state.runs.find((r) => r.id === place.run);
  return Boolean(run?.models.includes(place.model) && run.datasets.some((d) => d.role === "exam" && d.name === place.dataset));
}

function withPlace(name) {
  const { query } = read();
  for (const key of PLACE) query.delete(key);
  return link(name, Object.fromEntries(query));
}
// The address says what is open: loading the page again, Back and Forward lead to it.
export function keepPlace(name) { if (state.at) history.replaceState(history.state, "", withPlace(name)); }
export function enterPlace(name) { history.pushState(null, "", withPlace(name)); }
