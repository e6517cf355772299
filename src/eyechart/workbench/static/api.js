// Requests to the server, and the pictures that it serves.

export class Refused extends Error {
  constructor(answer, status) { super(answer.error || `the server answered ${status}`); this.answer = answer; this.status = status; }
}

const tab = Math.random().toString(36).slice(2);
let counter = 0;

async function read(response) {
  const kind = response.headers.get("content-type") || "";
  const answer = kind.includes("json") ? await response.json() : { error: (await response.text()).trim() };
  if (!response.ok) throw new Refused(answer, response.status);
  return answer;
}

export async function get(name) { return read(await fetch(`/api/${name}`)); }

export async function post(name, body) {
  return read(await fetch(`/api/${name}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ...body, tab }),
  }));
}

export async function upload(at, file) {
  return read(await fetch(`/api/try?${new URLSearchParams(at)}`, { method: "POST", body: file }));
}

// Only the answer to the newest request of a view counts, be it a refusal: null where another request was made meanwhile.
export function latestOnly(name) {
  let newest = 0;
  return async (body) => {
    const seq = ++counter;
    newest = seq;
    try {
      const answer = await post(name, { ...body, seq });
      return seq === newest && !answer.stale ? answer : null;
    } catch (error) {
      if (seq !== newest) return null;
      throw error;
    }
  };
}

export function pictureUrl(at, row, side = 160) {
  return `/picture?${new URLSearchParams({ run: at.run, model: at.model, dataset: at.dataset, row, side })}`;
}
export function pictureUrlById(at, id, side = 160) {
  return `/picture?${new URLSearchParams({ run: at.run, model: at.model, dataset: at.dataset, id, side })}`;
}
export function heatUrl(at, kind, which) {
  return `/heat?${new URLSearchParams({ run: at.run, model: at.model, dataset: at.dataset, of: at.of || at.dataset, kind, ...which })}`;
}

// Save files: {text: where they are, starts: the class lists that can be started from now}. Files that exist are replaced only after a question.
export async function saveFiles(body) {
  let done = await post("save", body);
  if (done.existing) {
    const names = done.existing.join(" and ");
    const several = done.existing.length > 1;
    if (!confirm(`${names} ${several ? "exist already. Replace them?" : "exists already. Replace it?"}`)) return { text: `Not saved: ${names} ${several ? "are" : "is"} kept.` };
    done = await post("save", { ...body, replace: true });
  }
  return { text: `Saved ${done.files.join(" and ")}`, starts: done.starts };
}
