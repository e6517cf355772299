// A virtualized gallery: of many thousands of pictures only those in view are elements. Arrow keys move between pictures.
"use strict";
(() => {
  const { eyechart } = window;
  const WIDTH = 128; // of a card, with its gap
  const HEIGHT = 178;

  const percent = (thousandths) => (thousandths === null || thousandths === undefined ? "–" : `${(thousandths / 10).toFixed(1)}%`);
  eyechart.percent = percent;

  const frame = (pictures, row, place, total, label, says) => {
    const source = pictures.source(row);
    const image = source
      ? eyechart.element("img", { src: source, alt: "", width: "120", height: "120", decoding: "async" })
      : eyechart.element("span", { class: "no-picture" }, eyechart.text(pictures.id[row]));
    return eyechart.element("button", {
      type: "button", class: "picture", "data-row": String(row), "data-place": String(place), tabindex: "-1",
      "aria-label": `${label}. Picture ${place + 1} of ${total}`, title: pictures.id[row],
    }, image, says);
  };

  const ofQuery = (pictures, row, place, total) => {
    const [caption, rank] = pictures.lines(row);
    const says = eyechart.element("span", { class: "says" }, eyechart.element("span", { class: "true", title: caption }, eyechart.text(caption)),
      eyechart.element("span", { class: "taken" }, rank));
    return frame(pictures, row, place, total, pictures.label(row), says);
  };

  const card = (pictures, row, place, total) => {
    if (pictures.about.queries) return ofQuery(pictures, row, place, total);
    const truth = pictures.className(pictures.true[row]);
    const taken = pictures.className(pictures.predicted[row]);
    const wrong = pictures.isWrong(row);
    const says = eyechart.element("span", { class: "says" }, eyechart.element("span", { class: "true" }, eyechart.text(truth)));
    if (wrong || pictures.true[row] < 0) {
      says.append(eyechart.element("span", { class: wrong ? "taken" : "predicted" }, eyechart.element("span", { class: "arrow", "aria-hidden": "true" }, "→ "), eyechart.text(taken)));
    }
    return frame(pictures, row, place, total, `${truth}, predicted as ${taken}, confidence ${percent(pictures.confidence[row])}`, says);
  };

  eyechart.Gallery = class {
    constructor(root, { open }) {
      this.root = root;
      this.rows = [];
      this.focused = 0;
      this.field = eyechart.element("div", { class: "field" });
      this.root.replaceChildren(this.field);
      this.root.setAttribute("role", "group");
      this.root.setAttribute("aria-label", "Pictures; move with the arrow keys, enlarge with Enter");
      this.root.addEventListener("scroll", () => this.draw(), { passive: true });
      this.root.addEventListener("keydown", (event) => this.key(event));
      this.root.addEventListener("click", (event) => {
        const chosen = event.target.closest("[data-place]");
        if (chosen) { this.focused = Number(chosen.dataset.place); open(this.focused); }
      });
      new ResizeObserver(() => this.draw()).observe(this.root);
    }

    show(pictures, rows) {
      this.pictures = pictures;
      this.rows = rows;
      this.focused = 0;
      this.root.scrollTop = 0;
      this.field.replaceChildren();
      this.draw();
    }

    draw() {
      if (!this.pictures) return;
      const columns = Math.max(1, Math.floor(this.root.clientWidth / WIDTH));
      this.columns = columns;
      this.field.style.height = `${Math.ceil(this.rows.length / columns) * HEIGHT}px`;
      const first = Math.max(0, Math.floor(this.root.scrollTop / HEIGHT) - 1) * columns;
      const last = Math.min(this.rows.length, (Math.ceil((this.root.scrollTop + this.root.clientHeight) / HEIGHT) + 1) * columns);
      const known = new Map([...this.field.children].map((element) => [Number(element.dataset.place), element]));
      for (const [place, element] of known) if (place < first || place >= last) element.remove();
      const width = Math.floor(this.root.clientWidth / columns);
      for (let place = first; place < last; place++) {
        const element = known.get(place) || card(this.pictures, this.rows[place], place, this.rows.length);
        element.style.transform = `translate(${(place % columns) * width}px, ${Math.floor(place / columns) * HEIGHT}px)`;
        element.tabIndex = place === this.focused ? 0 : -1;
        if (!known.has(place)) this.field.append(element);
      }
    }

    key(event) {
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns, ArrowUp: -this.columns, Home: -Infinity, End: Infinity };
      const step = steps[event.key];
      if (!step || !this.rows.length) return;
      event.preventDefault();
      this.focus(this.focused + step);
    }

    focus(place) {
      this.focused = Math.max(0, Math.min(this.rows.length - 1, place));
      const top = Math.floor(this.focused / this.columns) * HEIGHT;
      if (top < this.root.scrollTop) this.root.scrollTop = top;
      if (top + HEIGHT > this.root.scrollTop + this.root.clientHeight) this.root.scrollTop = top + HEIGHT - this.root.clientHeight;
      this.draw();
      this.field.querySelector(`[data-place="${this.focused}"]`)?.focus({ preventScroll: true });
    }
  };
})();
