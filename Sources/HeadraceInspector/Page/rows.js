// A row of the flow. A row changes only the parts of its element that differ.
import { make, short, took, when } from "./elements.js";

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function set(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
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
    this.took = make("span", { class: "took" });
    this.element = make("li", {
      role: "treeitem", tabindex: -1, "aria-level": level,
      "data-number": entry.number, "data-kind": entry.kind, "data-type": short(entry.type),
    }, make("div", { class: "row" }, this.twist, this.what, this.mark,
      make("span", { class: "date" }, level === 1 ? when(entry.began) : null), this.took));
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
   * `isExpanded` is null if nothing is below the entry. `summary` has the facts about the chain if the row is the line of a chain.
   */
  update(entry, { isExpanded, isSelected, isHit, hits, summary }) {
    const isOpen = entry.outcome === undefined;
    const isSuccess = entry.outcome === "success";
    const duration = isOpen ? "…" : entry.duration === undefined ? "" : took(entry.duration);
    const failures = summary?.failures ? `${summary.failures} failed` : null;
    const outcome = isOpen || (isSuccess && summary?.isOpen) ? "in progress" : isSuccess ? "✓" : `✗ ${short(entry.outcome)}`;
    const mark = isSuccess && failures ? (outcome === "✓" ? failures : `${outcome}, ${failures}`) : outcome;
    const facts = [
      entry.note,
      summary && summary.count > 1 ? `${summary.count} entries` : null,
      hits ? `${hits} ${hits === 1 ? "match" : "matches"}` : null,
      entry.isEarlier && this.level === 1 ? "earlier run" : null,
    ].filter(Boolean);
    write(this.twist, isExpanded === null ? "" : isExpanded ? "▾" : "▸");
    write(this.note, facts.join(" · "));
    write(this.mark, mark);
    set(this.mark, "class", `mark ${mark.startsWith("in progress") ? "wait" : mark === "✓" ? "good" : "bad"}`);
    set(this.mark, "title", mark.length > 12 ? mark : null);
    write(this.took, duration);
    set(this.what, "title", [`${entry.kind} ${entry.type}`.trim(), ...facts].join(" · "));
    set(this.element, "aria-selected", isSelected);
    set(this.element, "aria-expanded", isExpanded);
    set(this.element, "aria-label", [
      `${entry.kind} ${short(entry.type)}`.trim(), ...facts,
      isSuccess ? "succeeded" : isOpen ? "in progress" : `failed with ${short(entry.outcome)}`,
      isSuccess && mark !== "✓" ? mark : null, isOpen ? null : duration,
    ].filter(Boolean).join(", "));
    this.element.classList.toggle("hit", isHit);
  }
}
