// Light or dark: the system preference, unless the reader has chosen; the choice is stored where the browser allows it.
"use strict";
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => {
    try { return localStorage.getItem("eyechart-theme"); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem("eyechart-theme", theme); } catch { /* private windows and some file pages have no storage */ }
  };
  const chosen = remembered();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  const current = () => root.dataset.theme || (system.matches ? "dark" : "light");
  window.eyechart = { theme: current };

  // The number of errors, for tests of the page.
  root.dataset.errors = "0";
  addEventListener("error", () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); });
  addEventListener("unhandledrejection", () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); });

  const announce = () => {
    const button = document.getElementById("theme-toggle");
    button.textContent = current() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${button.textContent.toLowerCase()} theme`);
    dispatchEvent(new CustomEvent("eyechart-theme"));
  };
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme-toggle");
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = current() === "dark" ? "light" : "dark";
      remember(root.dataset.theme);
      announce();
    });
    announce();
  });
  system.addEventListener("change", announce);
})();
