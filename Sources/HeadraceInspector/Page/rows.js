// A row of the flow. A row changes only the parts of its element that differ.
import { failed } from "./chains.js";
import { make, short, took, when } from "./elements.js";
import { draw } from "./panes.js";

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function set(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** The words for the time that a delivery waited; null for other entries. */
export function waited(entry, chain) {
  const since = chain.waits.get(entry.number);
  if (since === undefined) return null;
  return `waited ${took(entry.began - since)} after the ${entry.attempt > 1 ? "attempt before" : "commit"}`;
}

export class Row {
  /** Makes the row of an entry at a level, counting from 1. The first level has a line for each chain. */
  constructor(entry, level) {
    this.level = level;
    this.twist = make("span", { class: "twist" });
    this.note = make("span", { class: "quiet" });
    this.what = make("span", { class: "what" },
      make("span", { class: "kind" }, entry.kind), " ", make("span", { class: "name" }, short(entry.type)), " ", this.note);
    this.mark = make("span", { class: "mark" });
    this.offset = make("span", { class: level === 1 ? "date" : "offset" }, level === 1 ? when(entry.began) : null);
    this.bar = draw("svg", { class: "time", height: 10, width: "100%", "aria-hidden": "true" },
      draw("rect", { class: "track", y: 4, height: 2, width: "100%" }));
    this.took = make("span", { class: "took" });
    this.element = make("li", {
      role: "treeitem", tabindex: -1, "aria-level": level,
      "data-number": entry.number, "data-kind": entry.kind, "data-type": short(entry.type),
    }, make("div", { class: "row" }, this.twist, this.what, this.mark, this.bar, this.offset, this.took));
    this.group = null;
  }

  /** The list of the rows below this row. */
  list() {
    if (!this.group) this.element.append(this.group = make("ol", { role: "group" }));
    return this.group;
  }

  fold() {
    this.group?.remove();
    this.group = null;
  }

  /**
   * Shows the current values of the entry.
   *
   * `isExpanded` is null if nothing is below the entry, and `chain` has the facts about its chain.
   */
  update(entry, { isExpanded, isSelected, isHit, hits, chain }) {
    const summary = this.level === 1 ? chain : null;
    const isOpen = entry.outcome === undefined;
    const isSuccess = entry.outcome === "success";
    const duration = isOpen ? "…" : entry.duration === undefined ? "" : took(entry.duration);
    const failures = summary?.failures ? `${summary.failures} failed` : null;
    const outcome = isOpen || (isSuccess && summary?.isOpen) ? "in progress" : isSuccess ? "✓" : `✗ ${short(entry.outcome)}`;
    const mark = isSuccess && failures ? (outcome === "✓" ? failures : `${outcome}, ${failures}`) : outcome;
    const facts = [
      entry.note,
      summary ? summary.principal : entry.principal === chain.principal ? null : entry.principal,
      summary && summary.count > 1 ? `${summary.count} entries${summary.isOpen ? "" : ` in ${took(summary.ended - summary.began)}`}` : null,
      hits ? `${hits} ${hits === 1 ? "match" : "matches"}` : null,
      entry.isEarlier && this.level === 1 ? "earlier run" : null,
    ].filter(Boolean);
    write(this.twist, isExpanded === null ? "" : isExpanded ? "▾" : "▸");
    write(this.note, facts.join(" · "));
    write(this.mark, mark);
    set(this.mark, "class", `mark ${mark.startsWith("in progress") ? "wait" : mark === "✓" ? "good" : "bad"}`);
    set(this.mark, "title", mark);
    write(this.took, duration);
    if (!summary) write(this.offset, `+${took(Math.max(0, entry.began - chain.began))}`);
    this.drawSpans(this.spans(entry, chain, summary));
    set(this.what, "title", [`${entry.kind} ${entry.type}`.trim(), ...facts].join(" · "));
    set(this.element, "aria-selected", isSelected);
    set(this.element, "aria-expanded", isExpanded);
    set(this.element, "aria-label", [
      `${entry.kind} ${short(entry.type)}`.trim(), ...facts,
      isSuccess ? "succeeded" : isOpen ? "in progress" : `failed with ${short(entry.outcome)}`,
      isSuccess && mark !== "✓" ? mark : null, isOpen ? null : duration, waited(entry, chain),
    ].filter(Boolean).join(", "));
    this.element.classList.toggle("hit", isHit);
  }

  /** The bars of a row as their start, end, and class: the entry, the wait before a delivery, and all deliveries of a chain in its line. */
  spans(entry, chain, summary) {
    const shown = summary ? [entry, ...chain.deliveries.filter((one) => one !== entry)] : [entry];
    const gaps = shown.filter((one) => chain.waits.get(one.number) !== undefined)
      .map((one) => [chain.waits.get(one.number), one.began, "gap"]);
    const bars = shown.map((one) => {
      const isOpen = one.outcome === undefined;
      const ended = isOpen ? chain.ended : one.began + (one.duration ?? 0);
      return [one.began, ended, isOpen ? "span wait" : failed(one) ? "span bad" : "span"];
    });
    return [...gaps, ...bars].map(([from, to, name]) => {
      const share = (date) => ((date - chain.began) / Math.max(0.001, chain.ended - chain.began)) * 100;
      const x = Math.min(share(from), 99);
      return { name, x, width: name === "gap" ? share(to) - x : Math.max(1, share(to) - x) };
    });
  }

  drawSpans(spans) {
    const rects = [...this.bar.children].slice(1);
    for (const rect of rects.splice(spans.length)) rect.remove();
    spans.forEach(({ name, x, width }, index) => {
      const rect = rects[index] ?? draw("rect", { rx: 2 });
      if (!rects[index]) this.bar.append(rect);
      const isGap = name === "gap";
      for (const [key, value] of Object.entries({ class: name, x: `${x.toFixed(2)}%`, width: `${Math.max(0, width).toFixed(2)}%`, y: isGap ? 4 : 0, height: isGap ? 2 : 10 })) set(rect, key, value);
    });
  }
}
