// Elements without innerHTML: text from datasets and models is always text.

import { count } from "./numbers.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

// Replace the content of an element; arrays are flattened, and null and false are left out.
export function put(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}
// Replace fields and buttons, except the one that has the focus: it keeps what is being typed or chosen in it.
export function putAround(element, ...children) {
  const fresh = children.flat(Infinity).filter(Boolean), nameOf = (field) => (field.querySelector("span") || field).textContent;
  const held = [...element.children].find((child) => child.contains(document.activeElement));
  const place = held ? fresh.findIndex((child) => nameOf(child) === nameOf(held)) : -1;
  if (place < 0) { put(element, fresh); return; }
  for (const child of [...element.children]) if (child !== held) child.remove();
  held.before(...fresh.slice(0, place));
  held.after(...fresh.slice(place + 1));
}
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const $ = (selector, root = document) => root.querySelector(selector);

export function select(label, options, chosen, onchange, extra = {}) {
  const list = options.map((o) => (typeof o === "string" ? { value: o, text: o } : o));
  return h("label", { class: "field" }, h("span", {}, label),
    h("select", { onchange: (e) => onchange(e.target.value), ...extra },
      list.map((o) => h("option", { value: o.value, selected: o.value === chosen, disabled: o.disabled }, o.text))));
}

// A list of which the first items are shown, with a button for all of them. `whole` remembers which lists were opened, by their name.
export function shortList(name, items, most, make, whole, total = items.length) {
  const place = h("div", { "data-list": name });
  const fill = () => {
    const all = whole.has(name) || items.length <= most;
    put(place, make(all ? items : items.slice(0, most)),
      all ? null : h("button", { type: "button", class: "show-all", onclick: () => { whole.add(name); fill(); place.tabIndex = -1; place.focus({ preventScroll: true }); } }, total > items.length ? `Show ${count(items.length)} of ${count(total)}` : `Show all ${count(total)}`));
  };
  fill();
  return place;
}

// A dialog has an entry in the history: Back closes it, and closing it otherwise goes back.
export function openDialog(box) {
  if (box.open) return;
  if (!history.state?.dialog) history.pushState({ dialog: true }, "");
  const back = () => { if (!history.state?.dialog) box.close(); };
  window.addEventListener("popstate", back);
  box.addEventListener("close", () => {
    window.removeEventListener("popstate", back);
    if (history.state?.dialog) history.back();
  }, { once: true });
  box.showModal();
}

export function debounce(work, milliseconds) {
  let timer = 0;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => work(...given), milliseconds); };
}

let said = 0;
export function say(text, kind = "") {
  const place = $("#notice");
  place.textContent = text;
  place.className = kind;
  clearTimeout(said);
  if (text && kind !== "error") said = setTimeout(() => say(""), 8000);
}
export function forgetError() { if ($("#notice").className === "error") say(""); }

// An error stays until the next action: that removes its cause, or is refused again.
for (const action of ["input", "change", "click", "submit", "drop", "paste"]) document.addEventListener(action, forgetError, true);

export function download(name, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
