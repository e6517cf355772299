// The table of all findings: filtered, sorted, one page of rows at a time. The address has the filter, so that Back brings it back.
"use strict";
window.eyechart.showFindings = (data, view) => {
  const PAGE = 50;
  const table = document.getElementById("findings-table");
  const body = table.tBodies[0];
  const find = document.getElementById("findings-find");
  const status = document.getElementById("findings-status");
  const previous = document.getElementById("findings-previous");
  const next = document.getElementById("findings-next");
  const total = data.n.length;
  const word = (name, row) => data.words[name][data.codes[name][row]];

  const state = { page: 0, key: null, down: false, chosen: {}, text: "" };
  let rows = [];
  let haystack = null; // the searchable text; built at the first search

  const compareWords = (name) => {
    const rank = new Map([...data.words[name].keys()].sort((a, b) => data.words[name][a].localeCompare(data.words[name][b])).map((code, i) => [code, i]));
    return (a, b) => rank.get(data.codes[name][a]) - rank.get(data.codes[name][b]);
  };
  const width = (row) => data.width[row];
  const compareNumbers = (of) => (a, b) => {
    const [x, y] = [of(a), of(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    return state.down ? y - x : x - y;
  };
  const order = () => {
    if (!state.key) return null;
    if (state.key === "value") return compareNumbers((row) => data.value[row]);
    if (state.key === "interval") return compareNumbers(width);
    if (state.key === "n") return compareNumbers((row) => data.n[row]);
    const compare = compareWords(state.key);
    return state.down ? (a, b) => compare(b, a) : compare;
  };

  const select = () => {
    const needles = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    if (needles.length && !haystack) {
      const names = ["model", "dataset", "probe", "metric", "slice", "protocol"];
      haystack = Array.from({ length: total }, (_, row) => names.map((name) => word(name, row)).join(" ").toLowerCase());
    }
    const chosen = Object.entries(state.chosen);
    rows = [];
    for (let row = 0; row < total; row++) {
      if (chosen.every(([name, code]) => data.codes[name][row] === code) && needles.every((needle) => haystack[row].includes(needle))) rows.push(row);
    }
    const compare = order();
    if (compare) rows.sort((a, b) => compare(a, b) || a - b);
    state.page = 0;
  };

  const keys = [...table.tHead.rows[0].cells].map((head) => head.dataset.key);
  const texts = {
    value: (row) => data.value_text[row],
    interval: (row) => data.interval_text[row],
    n: (row) => data.n_text[row] ?? data.n[row].toLocaleString("en"),
    protocol: (row) => word("protocol", row).slice(0, 8),
  };

  const addresses = {
    value: (row) => data.pictures[row] && `#${data.pictures[row]}`,
    probe: (row) => data.docs[data.codes.probe[row]],
    protocol: (row) => data.anchors[data.codes.protocol[row]] && `#${view}/${data.anchors[data.codes.protocol[row]]}`,
  };

  const cell = (line, key, row) => {
    const address = addresses[key]?.(row);
    const inner = document.createElement(address ? "a" : "bdi");
    if (address) inner.href = address;
    const text = texts[key] ? texts[key](row) : word(key, row);
    // In a narrow column the name of a metric breaks after an underscore.
    if (key === "metric") inner.append(...text.split(/(?<=_)/).flatMap((part, i) => i ? [document.createElement("wbr"), part] : [part]));
    else inner.textContent = text;
    const made = line.insertCell();
    made.className = table.tHead.rows[0].cells[keys.indexOf(key)].className;
    made.append(inner);
  };

  const show = () => {
    const first = state.page * PAGE;
    const seen = rows.slice(first, first + PAGE);
    body.replaceChildren();
    for (const row of seen) {
      const line = body.insertRow();
      for (const key of keys) cell(line, key, row);
    }
    status.textContent = rows.length ? `${first + 1}–${first + seen.length} of ${rows.length.toLocaleString("en")}` : "no findings match";
    previous.disabled = first === 0;
    next.disabled = first + PAGE >= rows.length;
    for (const head of table.tHead.rows[0].cells) {
      const sort = head.dataset.key !== state.key ? "none" : state.down ? "descending" : "ascending";
      head.setAttribute("aria-sort", sort);
    }
  };

  const FILTERS = ["model", "dataset", "probe", "metric"];
  const place = `#${view}/findings`;
  const isHere = () => location.hash.split("?")[0] === place;

  // Write the filter, the order and the page into the address.
  const keep = () => {
    const query = new URLSearchParams();
    if (state.text) query.set("find", state.text);
    for (const name of FILTERS) if (name in state.chosen) query.set(name, data.words[name][state.chosen[name]]);
    if (state.key) query.set("sort", `${state.key}${state.down ? " down" : ""}`);
    if (state.page) query.set("page", String(state.page + 1));
    if (isHere()) history.replaceState(history.state, "", `${place}${query.size ? `?${query}` : ""}`);
  };
  const renew = () => { select(); show(); keep(); };
  const turn = (step) => { state.page += step; show(); keep(); };

  // Take them from the address. An address without any keeps what is shown.
  const choiceOf = new Map();
  const route = () => {
    const query = new URLSearchParams(location.hash.split("?")[1] ?? "");
    if (!isHere() || !query.size) { keep(); return; }
    const [key, down] = (query.get("sort") ?? "").split(" ");
    Object.assign(state, { text: query.get("find") ?? "", chosen: {}, key: keys.includes(key) ? key : null, down: down === "down" });
    for (const name of FILTERS) {
      const code = query.has(name) ? data.words[name].indexOf(query.get(name)) : -1;
      if (code >= 0) state.chosen[name] = code;
      if (choiceOf.has(name)) choiceOf.get(name).value = code >= 0 ? String(code) : "";
    }
    find.value = state.text;
    select();
    const last = Math.max(0, Math.ceil(rows.length / PAGE) - 1);
    state.page = Math.min(last, Math.max(0, Math.floor(Number(query.get("page")) || 1) - 1));
    show();
  };

  const choices = document.getElementById("findings-choices");
  for (const name of FILTERS) {
    if (data.words[name].length < 2) continue;
    const label = document.createElement("label");
    const choice = document.createElement("select");
    label.append(`${name} `, choice);
    choice.add(new Option("all", ""));
    data.words[name].forEach((text, code) => choice.add(new Option(text, String(code))));
    choice.addEventListener("change", () => {
      if (choice.value === "") delete state.chosen[name];
      else state.chosen[name] = Number(choice.value);
      renew();
    });
    choiceOf.set(name, choice);
    choices.append(label);
  }
  find.addEventListener("input", () => { state.text = find.value; renew(); });
  previous.addEventListener("click", () => turn(-1));
  next.addEventListener("click", () => turn(1));
  table.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (!head) return;
    state.down = head.dataset.key === state.key ? !state.down : false;
    state.key = head.dataset.key;
    renew();
  });

  select();
  show();
  route();
  window.eyechart.routeFindings = route;
};
