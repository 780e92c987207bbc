// Helpers of the panes. While a pane is visible, its `refresh(element, overview)` is called every two seconds.
import { make } from "./elements.js";

/** Redraws an element only if its value has changed, so that a selection survives. */
export function ifChanged(element, value, body) {
  const text = JSON.stringify(value);
  if (element.dataset.shown === text) return;
  element.dataset.shown = text;
  body();
}

/** Makes a table with these column names. */
export function table(names, rows) {
  return make("div", { class: "wide" }, make("table", { class: "stacked" },
    make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, index) => make("td", { "data-name": names[index] }, cell)))))));
}

/** Returns the query of a request to a store. */
export const query = (store, rest = "") => `?store=${encodeURIComponent(store)}${rest}`;

/** Creates an element of a drawing. */
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}
