// The page as a whole: addresses, views, tabs and the gallery. The address after # is VIEW/PLACE?FILTER, so that every state can be
// linked to and the back button works.
"use strict";
(() => {
  const { eyechart } = window;
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const place = document.getElementById("view");
  const contents = document.querySelector("nav.contents");
  const PANELS = ["accuracy", "robustness", "confidence", "groups", "words", "compare", "findings", "protocol"];
  const first = place.dataset.view;
  const kept = new Map([[first, { html: place.innerHTML, title: document.getElementById("title").innerHTML }]]);
  const DEFAULT = { ofTrue: null, ofPredicted: null, where: [], show: "all", text: "", sort: "first" };
  let view = first;
  let browse = null; // the gallery of the view
  let pinned = null; // the element that a link led to, kept in place while content above it arrives

  const parse = () => {
    const [path, query = ""] = location.hash.slice(1).split("?", 2);
    const [key, ...rest] = decodeURIComponent(path).split("/");
    return { key: data.views[key] ? key : first, rest, query: new URLSearchParams(query) };
  };

  // Content of data files was escaped when it was written.
  const fill = (element, html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    element.replaceChildren(...template.content.childNodes);
  };

  const stay = () => { if (pinned?.isConnected) pinned.scrollIntoView({ block: "start" }); };
  const letGo = () => { pinned = null; };
  for (const event of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(event, letGo, { passive: true, capture: true });
  new ResizeObserver(stay).observe(place);

  const loadSlot = async (slot) => {
    if (slot.dataset.state) return;
    slot.dataset.state = "loading";
    try {
      const content = await eyechart.load(slot.dataset.part);
      fill(slot, content.html);
      for (const anchored of slot.querySelectorAll("[data-anchor]")) anchored.id = `${view}/${anchored.dataset.anchor}`;
      slot.style.minHeight = "";
      slot.dataset.state = "ready";
      eyechart.drawCharts(slot, content.charts);
      if (content.findings) eyechart.showFindings(content.findings, view);
    } catch (error) {
      slot.dataset.state = "failed";
      slot.textContent = error.message;
      throw error;
    }
  };
  const openSlots = (root) => [...root.querySelectorAll(".slot")].filter((slot) => !slot.closest("details:not([open])"));

  const reserve = (panel) => {
    for (const slot of openSlots(panel)) if (!slot.dataset.state) slot.style.minHeight = `${slot.dataset.height}px`;
  };

  const showPanel = async (name) => {
    for (const panel of place.querySelectorAll(".panel")) {
      const mine = panel.id === `${view}/${name}`;
      panel.hidden = !mine;
      if (mine) {
        reserve(panel);
        await Promise.all(openSlots(panel).map(loadSlot));
      }
    }
  };

  const mark = (name) => {
    for (const link of contents.querySelectorAll("a")) {
      if (link.dataset.to === name) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    // On a phone the bar scrolls sideways, and what is open is in view.
    const open = contents.querySelector("a[aria-current]"), bar = open?.closest("ul");
    if (bar) bar.scrollLeft += open.getBoundingClientRect().left - bar.getBoundingClientRect().left - (bar.clientWidth - open.offsetWidth) / 2;
  };

  // The gallery: filters, address and pictures agree.
  const filters = (section) => ({
    find: section.querySelector(".find"), ofTrue: section.querySelector(".of-true"), ofPredicted: section.querySelector(".of-predicted"),
    show: section.querySelector(".of-show"), sort: section.querySelector(".of-sort"), gallery: section.querySelector(".of-gallery"),
    where: section.querySelector(".of-where"), chosen: section.querySelector(".chosen"),
  });

  // Datasets and class designs with pictures of the model: the examined dataset first.
  const galleriesOf = (section) => data.galleries.filter(([model]) => model === data.views[view].model)
    .map(([, , key, , title]) => ({ key, title }))
    .sort((a, b) => (b.key === section.dataset.gallery) - (a.key === section.dataset.gallery));

  // What can be chosen to be shown: of predictions by correctness, of missed queries by k.
  const SHOWN = { all: "all", wrong: "errors", right: "correct", "below-5": "true class not in the top 5" };
  const MISSED = { all: "missed at 1", "below-5": "missed at 5", "below-10": "missed at 10" };

  const fillChoices = (inputs, pictures) => {
    const { queries, trials } = pictures.about;
    const unlabelled = !queries && !pictures.labelled;
    inputs.show.closest("label").hidden = Boolean(trials) || unlabelled;
    inputs.sort.querySelector("[value=first]").textContent = unlabelled ? "least certain" : "errors first";
    for (const select of [inputs.ofTrue, inputs.ofPredicted, inputs.sort]) select.closest("label").hidden = Boolean(queries);
    inputs.show.replaceChildren(...Object.entries(queries ? MISSED : SHOWN).map(([value, text]) => new Option(text, value)));
    inputs.find.placeholder = queries ? "caption or id" : "class or id";
    for (const select of [inputs.ofTrue, inputs.ofPredicted]) {
      select.replaceChildren(new Option("any", ""));
      pictures.classes.forEach((name, number) => select.add(new Option(name, String(number))));
    }
    inputs.where.replaceChildren(new Option("any", ""));
    const groups = new Map();
    for (const text of pictures.about.attributes) {
      const name = text.slice(0, text.indexOf("="));
      if (!groups.has(name)) groups.set(name, eyechart.element("optgroup", { label: name }));
      groups.get(name).append(new Option(text.slice(name.length + 1), text));
    }
    inputs.where.append(...groups.values());
    inputs.where.closest("label").hidden = groups.size === 0;
  };

  const number = (n) => n.toLocaleString("en");

  // What the page holds of a gallery, and the command that lists the rest.
  const showAbout = (section, { kept, total, command, listed, queries }, labelled) => {
    const [what, first] = queries ? [`missed ${queries}s`, "the largest ranks"] : ["predictions", labelled ? "errors" : "the smallest margins"];
    section.querySelector(".held").textContent = kept < total
      ? `The page holds ${number(kept)} of ${number(total)} ${what}, ${first} first. ` : `All ${number(kept)} ${what}. `;
    section.querySelector(".listed").textContent = listed;
    section.querySelector(".sentence code").textContent = command;
  };

  // The command names one OOD score; where another one is chosen, that one.
  const showCommand = (section, command, where) => {
    const accepted = where.find((text) => text.startsWith("accepted."));
    section.querySelector(".sentence code").textContent = accepted ? command.replace(/accepted\.\S+/, accepted) : command;
  };

  // Attributes that are chosen, each with a button that takes it back.
  const showChosen = (inputs, where) => {
    inputs.chosen.replaceChildren(...where.map((text) => {
      const button = eyechart.element("button", { type: "button", "aria-label": `Remove ${text}` }, eyechart.text(text), " ✕");
      button.addEventListener("click", () => go({ where: browse.state.where.filter((other) => other !== text) }));
      return button;
    }));
  };

  const openBrowse = async (wanted = null) => {
    const section = place.querySelector(".browse");
    if (!section) return null;
    const key = galleriesOf(section).some((of) => of.key === wanted) ? wanted : section.dataset.gallery;
    if (browse?.section === section) {
      await browse.ready;
      if (browse.key !== key) {
        const pictures = await eyechart.openPictures(key);
        Object.assign(browse, { key, pictures, shown: false });
        fillChoices(filters(section), pictures);
        showAbout(section, pictures.about, pictures.labelled);
        filters(section).gallery.value = key;
      }
      return browse;
    }
    const made = { section, key, state: { ...DEFAULT }, rows: [] };
    browse = made;
    made.ready = (async () => {
      made.pictures = await eyechart.openPictures(key);
      const inputs = filters(section);
      fillChoices(inputs, made.pictures);
      showAbout(section, made.pictures.about, made.pictures.labelled);
      const choices = galleriesOf(section);
      for (const of of choices) inputs.gallery.add(new Option(of.title, of.key));
      inputs.gallery.value = key;
      inputs.gallery.closest("label").hidden = choices.length < 2;
      inputs.gallery.addEventListener("change", async () => {
        await openBrowse(inputs.gallery.value);
        go({ ...DEFAULT, picture: null });
      });
      inputs.where.addEventListener("change", () => {
        const text = inputs.where.value;
        inputs.where.value = "";
        if (text) go({ where: [...browse.state.where.filter((other) => other !== text), text] });
      });
      made.gallery = new eyechart.Gallery(section.querySelector(".gallery-view"), { open: (at) => go({ picture: made.pictures.id[made.rows[at]] }) });
      const changed = () => go({
        text: inputs.find.value, ofTrue: inputs.ofTrue.value === "" ? null : Number(inputs.ofTrue.value),
        ofPredicted: inputs.ofPredicted.value === "" ? null : Number(inputs.ofPredicted.value), show: inputs.show.value, sort: inputs.sort.value,
      }, { replace: true });
      inputs.find.addEventListener("input", changed);
      for (const select of [inputs.ofTrue, inputs.ofPredicted, inputs.show, inputs.sort]) select.addEventListener("change", changed);
      section.querySelector(".clear").addEventListener("click", () => go({ ...DEFAULT }));
      return made;
    })();
    return made.ready;
  };

  const address = ({ ofTrue, ofPredicted, where, show, text, sort, picture }) => {
    const query = new URLSearchParams();
    const { classes } = browse.pictures;
    if (ofTrue !== null) query.set("true", classes[ofTrue]);
    if (ofPredicted !== null) query.set("predicted", classes[ofPredicted]);
    for (const text of where) query.append("where", text);
    if (browse.key !== browse.section.dataset.gallery) query.set("gallery", browse.key);
    if (show !== "all") query.set("show", show);
    if (sort !== "first") query.set("sort", sort);
    if (text) query.set("find", text);
    if (picture) query.set("picture", picture);
    return `#${view}/pictures${query.size ? `?${query}` : ""}`;
  };

  const go = (change, { replace = false } = {}) => {
    const next = { ...browse.state, ...change };
    const to = address(next);
    if (replace) history.replaceState(history.state, "", to);
    else history.pushState({ pushed: true }, "", to);
    applyFilter(next);
  };

  const applyFilter = (state) => {
    const { section, pictures } = browse;
    const started = performance.now();
    const same = ["ofTrue", "ofPredicted", "show", "text", "sort"].every((key) => state[key] === browse.state[key])
      && state.where.join("\n") === browse.state.where.join("\n") && browse.shown;
    browse.state = state;
    if (!same) {
      browse.rows = pictures.select(state);
      browse.gallery.show(pictures, browse.rows);
      browse.shown = true;
      const inputs = filters(section);
      if (document.activeElement !== inputs.find) inputs.find.value = state.text;
      inputs.ofTrue.value = state.ofTrue === null ? "" : String(state.ofTrue);
      inputs.ofPredicted.value = state.ofPredicted === null ? "" : String(state.ofPredicted);
      inputs.show.value = state.show;
      inputs.sort.value = state.sort;
      showChosen(inputs, state.where);
      showCommand(browse.section, browse.pictures.about.command, state.where);
      const wrong = browse.rows.filter((row) => pictures.isWrong(row)).length;
      const noun = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
      const { queries } = pictures.about;
      section.querySelector(".count").textContent = queries ? `${noun(browse.rows.length, queries)} missed`
        : `${noun(browse.rows.length, "picture")}, ${pictures.labelled ? noun(wrong, "error") : "no labels"}`;
      section.dataset.milliseconds = (performance.now() - started).toFixed(1);
    }
    showPicture(state.picture);
  };

  const showPicture = (id) => {
    if (!id) { eyechart.closeLightbox(); return; }
    const { pictures } = browse;
    const row = pictures.rowOf(id);
    if (row === undefined) { eyechart.closeLightbox(); return; }
    const at = browse.rows.indexOf(row);
    eyechart.enlarge({
      pictures, row, place: Math.max(at, 0), total: at < 0 ? 1 : browse.rows.length,
      go: (step) => go({ picture: pictures.id[browse.rows[at + step]] }, { replace: true }),
      closed: () => {
        if (!browse.state.picture) return;
        const shown = browse.rows.indexOf(pictures.rowOf(browse.state.picture));
        browse.state = { ...browse.state, picture: null };
        if (history.state?.pushed) history.back();
        else history.replaceState(null, "", address(browse.state));
        if (shown >= 0 && browse.section.contains(document.activeElement)) browse.gallery.focus(shown);
      },
    });
  };

  const stateFrom = (query, pictures) => {
    const number = (name) => (query.has(name) ? pictures.numberOf.get(query.get(name)) ?? null : null);
    return {
      ...DEFAULT, ofTrue: number("true"), ofPredicted: number("predicted"), show: query.get("show") || "all", sort: query.get("sort") || "first",
      where: query.getAll("where"), text: query.get("find") || "", picture: query.get("picture"),
    };
  };

  const drawClasses = async () => {
    const table = place.querySelector(".class-table");
    if (!table || table.firstChild) return;
    const about = await eyechart.load(table.dataset.gallery);
    const choose = async (chosen) => {
      await openBrowse();
      go({ ...DEFAULT, ...chosen, picture: null });
      land(document.getElementById(`${view}/pictures`));
    };
    eyechart.drawClassTable(table, about, choose);
    eyechart.drawMatrix(place.querySelector(".matrix"), about, choose);
  };

  const land = (element) => {
    if (!element) return;
    for (let part = element; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    if (element.tagName === "DETAILS") element.open = true;
    if (element.matches(".first-screen")) { pinned = null; scrollTo(0, 0); } else { pinned = element; stay(); }
    if (element.tabIndex >= 0 || element.hasAttribute("tabindex")) element.focus({ preventScroll: true });
  };

  const showView = async (key) => {
    if (key === view) return;
    if (!kept.has(key)) kept.set(key, await eyechart.load(`view-${key}`));
    const { html, title } = kept.get(key);
    fill(place, html);
    fill(document.getElementById("title"), title);
    view = key;
    browse = null;
    place.dataset.view = key;
    for (const link of contents.querySelectorAll("a")) {
      link.href = `#${key}/${link.dataset.to}`;
      link.parentElement.hidden = !document.getElementById(`${key}/${link.dataset.to}`);
    }
    eyechart.drawCharts(place);
    await begin();
  };

  const begin = async () => {
    const chosen = data.views[view];
    const [model, dataset] = ["choose-model", "choose-dataset"].map((id) => document.getElementById(id));
    if (model) model.value = chosen.model;
    if (dataset) dataset.value = chosen.dataset ?? "";
    for (const details of place.querySelectorAll("details.part")) {
      details.addEventListener("toggle", () => { if (details.open) openSlots(details).forEach(loadSlot); });
    }
    // The first tab is open, with its height, before anyone sees it.
    const opened = place.querySelector(".panel");
    if (opened) { opened.hidden = false; reserve(opened); }
    soon.disconnect();
    for (const wanted of place.querySelectorAll(".classes, .browse, .panels")) soon.observe(wanted);
  };

  // What is below the first screen comes when it is near.
  const soon = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      soon.unobserve(target);
      if (target.matches(".classes")) drawClasses();
      else if (target.matches(".browse")) openBrowse(browse?.key).then(() => { if (!browse.shown) applyFilter(browse.state); });
      else openSlots(target.querySelector(".panel:not([hidden])")).forEach(loadSlot);
    }
  }, { rootMargin: "500px" });

  const route = async () => {
    const { key, rest, query } = parse();
    await showView(key);
    const [name] = rest;
    if (name === "pictures") {
      if (!(await openBrowse(query.get("gallery")))) return;
      const opened = browse.state.picture || query.get("picture");
      applyFilter(stateFrom(query, browse.pictures));
      if (!opened) land(document.getElementById(`${view}/pictures`));
      mark("pictures");
      return;
    }
    eyechart.closeLightbox();
    if (PANELS.includes(name)) {
      await showPanel(name);
      if (name === "findings") eyechart.routeFindings?.();
      land(document.getElementById([view, ...rest].join("/")) || document.getElementById(`${view}/${name}`));
      mark(name);
      return;
    }
    if (name === "classes") await drawClasses();
    if (name) land(document.getElementById([view, ...rest].join("/")));
    mark(name?.startsWith("ruling") ? "rulings" : name || "top");
  };

  // What a probe tells of a picture, as names and texts.
  const factsOf = ({ dataset: { facts } }) => (!facts ? [] : [eyechart.element("dl", {}, ...JSON.parse(facts).map(([name, text]) =>
    eyechart.element("div", {}, eyechart.element("dt", {}, name), eyechart.element("dd", {}, eyechart.text(text)))))]);

  // Small pictures anywhere on the page. An enlarged one has an entry in the history, so that Back closes it, and the address of the page below.
  let below = null;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-id][data-source]");
    if (!button || button.closest("#lightbox")) return;
    const { model } = data.views[view];
    const known = button.dataset.gallery // missed queries and trials have rows of their own
      ?? data.galleries.find(([of, dataset, , design]) => of === model && dataset === button.dataset.dataset && !design)?.[2];
    const pictures = known ? await eyechart.openPictures(known) : undefined;
    const row = pictures?.rowOf(button.dataset.id);
    // Its neighbors on the page are what comes before and after it.
    const all = [...(button.closest("ul, ol")?.querySelectorAll("[data-id][data-source]") ?? [button])];
    const at = all.indexOf(button);
    if (below === null) { history.pushState({ enlarged: true }, ""); below = location.hash; }
    eyechart.enlarge({
      pictures: row === undefined ? undefined : pictures, row, id: button.dataset.id, source: button.dataset.source,
      shown: [...(button.closest("figure")?.querySelector("figcaption")?.childNodes ?? factsOf(button))], place: at, total: all.length,
      go: (step) => all[at + step]?.click(), closed: () => { if (below !== null) history.back(); button.focus({ preventScroll: true }); },
    });
  });

  for (const id of ["choose-model", "choose-dataset"]) {
    document.getElementById(id)?.addEventListener("change", () => {
      const model = document.getElementById("choose-model")?.value ?? data.views[view].model;
      const chosen = document.getElementById("choose-dataset");
      const dataset = chosen ? chosen.value || null : data.views[first].dataset;
      const found = Object.entries(data.views).find(([, of]) => of.model === model && of.dataset === dataset);
      if (found) location.hash = `${found[0]}/top`;
    });
  }
  for (const link of contents.querySelectorAll("a")) link.parentElement.hidden = !document.getElementById(`${view}/${link.dataset.to}`);

  addEventListener("popstate", () => {
    const same = below === location.hash;
    below = null;
    if (same) eyechart.closeLightbox(); else route();
  });
  // A link to the place where one is already goes there again.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) route();
  });
  begin().then(route).then(() => { document.documentElement.dataset.ready = "true"; });
})();
