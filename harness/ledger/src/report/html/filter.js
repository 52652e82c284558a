"use strict";
// The page is complete without this script, which filters rules, opens what a link names, and copies.
(() => {
  const form = document.getElementById("filters");
  const items = [...document.querySelectorAll("[data-verdict]")];
  const groups = [...document.querySelectorAll("[data-group]")];
  const shown = document.getElementById("shown");
  const field = (name) => form.elements.namedItem(name);
  // A rule's row and failure count as one text, so that a search finds both or neither.
  const texts = new Map();
  for (const item of items) {
    texts.set(item.dataset.rule, (texts.get(item.dataset.rule) || "") + " " + item.textContent.toLowerCase());
  }
  const apply = () => {
    const words = field("text").value.toLowerCase().split(/\s+/).filter((word) => word);
    const verdict = field("verdict").value;
    const chapter = field("chapter").value;
    let rules = 0;
    for (const item of items) {
      const fits = (!verdict || item.dataset.verdict === verdict || item.dataset.meaning === verdict)
        && (!chapter || item.dataset.chapter === chapter)
        && words.every((word) => texts.get(item.dataset.rule).includes(word));
      item.hidden = !fits;
      if (fits && item.tagName === "TR") rules += 1;
    }
    const chosen = verdict || chapter || words.length > 0;
    for (const group of groups) {
      group.hidden = !group.querySelector("[data-verdict]:not([hidden])");
      // The groups of a filtered tree are open; without a filter they are as the reader left them.
      if (group.tagName === "DETAILS") {
        if (chosen && group.dataset.left === undefined) group.dataset.left = group.open;
        if (chosen) group.open = !group.hidden;
        else if (group.dataset.left !== undefined) {
          group.open = group.dataset.left === "true";
          delete group.dataset.left;
        }
      }
    }
    shown.textContent = shown.dataset.shown.replace("#", rules);
    return chosen;
  };
  // The filter is part of the address: #filter=TEXT&verdict=fail&chapter=copy.sync
  const write = () => {
    const chosen = apply();
    const address = new URLSearchParams({filter: field("text").value});
    for (const name of ["verdict", "chapter"]) if (field(name).value) address.set(name, field(name).value);
    history.replaceState(null, "", chosen ? "#" + address : location.pathname + location.search);
  };
  const read = () => {
    if (!location.hash.startsWith("#filter=")) return open();
    const address = new URLSearchParams(location.hash.slice(1));
    field("text").value = address.get("filter") || "";
    for (const name of ["verdict", "chapter"]) field(name).value = address.get(name) || "";
    apply();
  };
  // Following a link to a collapsed element opens the element.
  const open = () => {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    const goal = target;
    for (; target; target = target.parentElement) {
      target.hidden = false;
      if (target.tagName === "DETAILS") target.open = true;
    }
    if (goal) goal.scrollIntoView();
  };
  // Next to a text for copying is a button.
  const copy = async (text) => {
    if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  const words = document.getElementById("main").dataset;
  for (const source of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = words.copyWord;
    button.addEventListener("click", async () => {
      try { await copy(source.textContent); } catch { return; }
      button.textContent = words.copiedWord;
      setTimeout(() => { button.textContent = words.copyWord; }, 2000);
    });
    source.before(button);
  }
  for (const link of document.querySelectorAll("[data-show]")) {
    link.addEventListener("click", () => {
      form.reset();
      field("verdict").value = link.dataset.show;
      setTimeout(write);
    });
  }
  form.hidden = false;
  form.addEventListener("input", write);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(write));
  addEventListener("hashchange", read);
  apply();
  read();
})();
