"use strict";
// The page is complete without this script, which only filters rules.
(() => {
  const form = document.getElementById("filters");
  const items = [...document.querySelectorAll("[data-verdict]")];
  const groups = [...document.querySelectorAll("[data-group]")];
  const shown = document.getElementById("shown");
  const field = (name) => form.elements.namedItem(name).value;
  // A rule's row and failure count as one text, so that a search finds both or neither.
  const texts = new Map();
  for (const item of items) {
    texts.set(item.dataset.rule, (texts.get(item.dataset.rule) || "") + " " + item.textContent.toLowerCase());
  }
  const apply = () => {
    const words = field("text").toLowerCase().split(/\s+/).filter((word) => word);
    const verdict = field("verdict");
    const chapter = field("chapter");
    let rules = 0;
    for (const item of items) {
      const fits = (!verdict || item.dataset.verdict === verdict || item.dataset.meaning === verdict)
        && (!chapter || item.dataset.chapter === chapter)
        && words.every((word) => texts.get(item.dataset.rule).includes(word));
      item.hidden = !fits;
      if (fits && item.tagName === "TR") rules += 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("[data-verdict]:not([hidden])");
    shown.textContent = shown.dataset.shown.replace("#", rules);
  };
  // Following a link to a collapsed element opens the element.
  const open = () => {
    let target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (; target; target = target.parentElement) {
      target.hidden = false;
      if (target.tagName === "DETAILS") target.open = true;
    }
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  addEventListener("hashchange", open);
  // Elements are opened for printing: all of them if there are few failures, otherwise only the failures.
  const opened = () => {
    const failures = document.querySelectorAll("details[data-rule]");
    return failures.length <= 12 ? document.querySelectorAll("details") : failures;
  };
  addEventListener("beforeprint", () => opened().forEach((item) => { item.open = true; }));
  apply();
  open();
})();
