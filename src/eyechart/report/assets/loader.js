// Loads the page's data files and scripts when they are needed. A page of the file system may not fetch, but it may add scripts of its own
// folder; each data file calls eyechart.receive(name, content).
"use strict";
(() => {
  const { eyechart } = window;
  const held = new Map(); // name -> promise of its content
  const waiting = new Map(); // name -> how to keep that promise
  const scripts = new Map();

  eyechart.receive = (name, content) => waiting.get(name)?.(content);

  const addScript = (source) => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = done;
    script.onerror = () => failed(new Error(`${source} cannot be loaded; is the folder of this page complete?`));
    document.head.append(script);
  });

  eyechart.script = (source) => {
    if (!scripts.has(source)) scripts.set(source, addScript(source));
    return scripts.get(source);
  };

  eyechart.load = (name) => {
    if (!held.has(name)) {
      held.set(name, new Promise((done, failed) => {
        waiting.set(name, done);
        addScript(`data/${name}.js`).catch(failed);
      }));
    }
    return held.get(name);
  };

  eyechart.element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (name in made && typeof value !== "string") made[name] = value;
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  // User text: only ever as a text node, in an element of its own direction.
  eyechart.text = (value) => eyechart.element("bdi", {}, String(value));
})();
