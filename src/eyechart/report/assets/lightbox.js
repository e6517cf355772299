// One picture, large: truth, the five best classes, margin, attributes, and the nearest pictures in vector space. Arrow keys go to the
// previous and next picture, Escape closes. A neighbor opens with its own neighbors, and a button leads back.
"use strict";
(() => {
  const { eyechart } = window;
  const element = (...given) => eyechart.element(...given);
  const dialog = element("dialog", { id: "lightbox", "aria-label": "Picture" });
  const body = element("div", { class: "enlarged" });
  const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "✕");
  const previous = element("button", { type: "button", class: "previous", "aria-label": "Previous picture" }, "‹");
  const next = element("button", { type: "button", class: "next", "aria-label": "Next picture" }, "›");
  const back = element("button", { type: "button", class: "back", hidden: true });
  dialog.append(element("div", { class: "lightbox-bar" }, back, previous, next, element("span", { class: "place quiet" }), close), body);
  document.body.append(dialog);

  const percent = (thousandths) => (thousandths === null || thousandths === undefined ? "–" : `${(thousandths / 10).toFixed(1)}%`);
  let state = null; // what is shown, and what "next" means
  let turn = 0; // answers that come late are dropped

  const fact = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)];

  const prediction = ({ pictures, row }) => {
    const bars = pictures.top[row].map((number, place) => {
      const share = pictures.shares[row][place];
      const bar = element("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", String((share ?? 0) / 1000));
      const kind = number === pictures.true[row] ? "is-true" : "";
      return element("li", { class: kind }, element("span", { class: "name" }, eyechart.text(pictures.classes[number]), kind ? " (true class)" : ""),
        element("span", { class: "num" }, percent(share)), bar);
    });
    const margin = pictures.margin[row];
    const rank = pictures.rank[row];
    return [
      element("dl", { class: "facts" },
        ...fact("true class", eyechart.text(pictures.className(pictures.true[row]))),
        ...fact("predicted", eyechart.text(pictures.className(pictures.predicted[row])),
          pictures.true[row] < 0 ? "" : pictures.isWrong(row) ? " – wrong" : " – correct"),
        ...(rank ? fact("rank of the true class", String(rank)) : []),
        ...fact("margin", margin === null ? "–" : `${(margin / 10).toFixed(1)} points`),
        ...(pictures.ood[row] === null ? [] : fact("OOD score", String(pictures.ood[row])))),
      element("h3", {}, "Top 5"),
      element("ol", { class: "top5" }, ...bars),
    ];
  };

  const attributes = ({ pictures, row }, near) => {
    const text = near?.attributes || pictures.attributeNames(row).join(", ").replaceAll("=", " ");
    return text ? [element("h3", {}, "Attributes"), element("p", {}, eyechart.text(text))] : [];
  };

  const neighbors = ({ pictures }, near) => {
    if (!near) return [element("p", { class: "quiet small" }, "The neighbors of this picture in vector space were not stored.")];
    const items = near.neighbors.map(([id, source, cosine]) => {
      const row = pictures?.rowOf(id);
      const name = row === undefined ? id : pictures.className(pictures.true[row]);
      const image = source ? element("img", { src: source, alt: "", width: "96", height: "96" })
        : element("span", { class: "no-picture" }, eyechart.text(id));
      return element("li", {}, element("button", { type: "button", class: "picture", "data-near": id, disabled: row === undefined, "aria-label": `Neighbor: ${name}, cosine ${cosine}` },
        image, element("span", { class: "says" }, element("span", { class: "true" }, eyechart.text(name)), element("span", { class: "quiet" }, cosine.toFixed(3)))));
    });
    return [
      element("h3", {}, "Nearest pictures in vector space"), element("ul", { class: "near" }, ...items),
    ];
  };

  const nameOf = ({ pictures, row, id }) => (pictures !== undefined && row !== undefined ? pictures.name?.[row] ?? pictures.id[row] : id);

  const draw = async () => {
    const mine = ++turn;
    const { pictures, row, source, id, shown = [], place, total } = state;
    const known = pictures !== undefined && row !== undefined;
    const file = known ? pictures.source(row) || source : source;
    const name = nameOf(state);
    const shows = !known ? name : pictures.about.queries ? pictures.caption[row] : `Picture of ${pictures.className(pictures.true[row])}`;
    const image = file ? element("img", { class: "large", src: file, alt: shows })
      : element("div", { class: "no-picture large" }, "There is no small copy of this picture.");
    const beside = element("div", { class: "beside-picture" });
    body.replaceChildren(
      element("figure", {}, image, element("figcaption", { class: "quiet small" }, eyechart.text(name))),
      beside,
    );
    if (known && pictures.about.queries) beside.append(...pictures.facts(row));
    else if (known) beside.append(...prediction(state));
    // What the probe shows with it: captions, scores, what was right.
    if (shown.length) beside.append(...(known ? [element("h3", {}, "In this list")] : []), element("div", { class: "shown-with" }, ...shown.map((node) => node.cloneNode(true))));
    else if (!known) beside.append(element("p", { class: "quiet" }, "The run keeps nothing else about this picture."));
    back.hidden = !state.back;
    back.textContent = state.back ? `← Back to ${nameOf(state.back)}` : "";
    dialog.querySelector(".place").textContent = total > 1 ? `${(place + 1).toLocaleString("en")} of ${total.toLocaleString("en")}` : "";
    previous.disabled = !(place > 0);
    next.disabled = !(place < total - 1);
    if (known && pictures.about.queries) beside.append(...attributes(state, null));
    else if (known && pictures.about.details) {
      const near = await eyechart.load(pictures.about.details);
      if (mine === turn) beside.append(...attributes(state, near[name]), ...neighbors(state, near[name]));
    } else if (known) beside.append(...attributes(state, null), ...neighbors(state, null));
  };

  // The neighbors of a picture are a list of their own; "back" is the picture that they belong to.
  const openNear = (from, rows, place) => {
    state = { pictures: from.pictures, row: rows[place], place, total: rows.length, go: (step) => openNear(from, rows, place + step), closed: from.closed, back: from };
    draw();
  };

  // given: {pictures, row} of a gallery or {source, id}; shown: what stands with it on the page; place and total among others; go(step), close().
  eyechart.enlarge = (given) => {
    state = { place: 0, total: 1, ...given };
    draw();
    if (!dialog.open) dialog.showModal();
    // Nothing on the page below scrolls meanwhile.
    close.focus();
  };
  eyechart.closeLightbox = () => { if (dialog.open) dialog.close(); };

  close.addEventListener("click", () => dialog.close());
  previous.addEventListener("click", () => state.go?.(-1));
  next.addEventListener("click", () => state.go?.(1));
  back.addEventListener("click", () => { state = state.back; draw(); (back.hidden ? close : back).focus(); });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
    const near = event.target.closest("[data-near]");
    if (near) {
      const ids = [...body.querySelectorAll("[data-near]:not([disabled])")].map((button) => button.dataset.near);
      openNear(state, ids.map((id) => state.pictures.rowOf(id)), ids.indexOf(near.dataset.near));
      back.focus();
    }
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft" && !previous.disabled) { event.preventDefault(); state.go?.(-1); }
    if (event.key === "ArrowRight" && !next.disabled) { event.preventDefault(); state.go?.(1); }
  });
  dialog.addEventListener("close", () => { turn++; state?.closed?.(); });
})();
