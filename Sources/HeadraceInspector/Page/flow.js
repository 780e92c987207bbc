// The flow: entries by number, drawn as a tree in which each entry is below its cause.
import { make, short, time, took } from "./inspector.js";

const chainLimit = 200;

export class Flow {
  constructor() {
    this.entries = new Map();
    this.children = new Map();
    this.revision = 0;
    this.hidden = 0;
    this.isPaused = false;
    this.open = new Set();
    this.session = null;
    this.search = "";
    this.tree = document.getElementById("flow-tree");
    this.hint = document.getElementById("flow-hint");
    this.items = new Map();
    const search = document.getElementById("flow-search");
    const failures = document.getElementById("flow-failures");
    const pause = document.getElementById("flow-pause");
    document.getElementById("flow-bar").onsubmit = (event) => event.preventDefault();
    search.oninput = () => { this.search = search.value.trim().toLowerCase(); this.schedule(); };
    failures.onchange = () => { this.failuresOnly = failures.checked; this.schedule(); };
    pause.onclick = () => {
      this.isPaused = !this.isPaused;
      pause.setAttribute("aria-pressed", this.isPaused);
      pause.textContent = this.isPaused ? "Resume" : "Pause";
      this.schedule();
    };
    document.getElementById("flow-clear").onclick = () => { this.hidden = Math.max(0, ...this.entries.keys()); this.schedule(); };
    this.draw();
  }

  /** A new process counts its entries from 1 again. */
  began(session) {
    if (this.session !== null && this.session !== session) {
      this.entries.clear();
      this.children.clear();
      this.items.clear();
      this.revision = 0;
      this.hidden = 0;
    }
    this.session = session;
  }

  take(view) {
    this.revision = view.revision;
    for (const entry of view.entries) {
      if (!this.entries.has(entry.number) && entry.parent) {
        const siblings = this.children.get(entry.parent) ?? [];
        siblings.push(entry.number);
        this.children.set(entry.parent, siblings);
      }
      this.entries.set(entry.number, entry);
    }
    for (const number of this.entries.keys()) {
      if (number >= view.first) break;
      this.entries.delete(number);
      this.children.delete(number);
      this.items.delete(number);
    }
    if (!this.isPaused) this.schedule();
  }

  /** Draws at most once per frame. */
  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => { this.isScheduled = false; this.draw(); });
  }

  isMatch(entry) {
    if (this.failuresOnly && (entry.outcome === undefined || entry.outcome === "success")) return false;
    if (!this.search) return true;
    return [entry.kind, entry.type, entry.outcome, entry.failure, entry.payload, entry.note, entry.id, entry.correlation]
      .some((text) => text && text.toLowerCase().includes(this.search));
  }

  draw() {
    const isFiltered = Boolean(this.search || this.failuresOnly);
    const wanted = new Map();
    const isVisible = (number) => {
      if (wanted.has(number)) return wanted.get(number);
      const entry = this.entries.get(number);
      const below = (this.children.get(number) ?? []).filter((child) => this.entries.has(child) && isVisible(child));
      const result = Boolean(entry && (this.isMatch(entry) || below.length));
      wanted.set(number, result);
      return result;
    };
    const roots = [...this.entries.values()]
      .filter((entry) => entry.number > this.hidden && !this.entries.has(entry.parent) && isVisible(entry.number))
      .map((entry) => entry.number)
      .sort((one, other) => other - one);
    // Redrawing removes the focus, so this restores it.
    const focused = this.tree.contains(document.activeElement) ? document.activeElement.dataset.number : null;
    this.tree.replaceChildren(...roots.slice(0, chainLimit).map((number) => this.item(number, isFiltered, wanted)));
    if (focused) this.tree.querySelector(`[data-number="${focused}"]`)?.focus({ preventScroll: true });
    const more = roots.length > chainLimit ? ` The latest ${chainLimit} of ${roots.length} chains are shown.` : "";
    this.hint.textContent = this.entries.size === 0
      ? "No messages yet."
      : roots.length === 0 ? "No matches." : `${this.entries.size} messages and stages.${more}${this.isPaused ? " Paused." : ""}`;
  }

  item(number, isFiltered, wanted) {
    const entry = this.entries.get(number);
    const item = make("li", { "data-kind": entry.kind, "data-type": short(entry.type) });
    if (isFiltered && this.isMatch(entry)) item.classList.add("hit");
    if (!this.items.has(number)) item.classList.add("new");
    this.items.set(number, true);
    const isOpen = entry.outcome === undefined;
    const isSuccess = entry.outcome === "success";
    const toggle = () => { if (!this.open.delete(number)) this.open.add(number); this.draw(); };
    const row = make("div", { class: "row", tabindex: 0, role: "button", "aria-expanded": String(this.open.has(number)), "data-number": number, onclick: toggle },
      make("span", { class: "kind" }, entry.kind),
      make("span", { class: "name", title: entry.type }, short(entry.type)),
      entry.note ? make("span", { class: "quiet mark" }, entry.note) : null,
      make("span", { class: `mark ${isOpen ? "wait" : isSuccess ? "good" : "bad"}` }, isOpen ? "in progress" : isSuccess ? "✓" : `✗ ${short(entry.outcome)}`),
      make("span", { class: "took" }, isOpen ? "…" : took(entry.duration)));
    row.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); } };
    item.append(row);
    if (this.open.has(number)) item.append(this.facts(entry));
    const children = (this.children.get(number) ?? []).filter((child) => this.entries.has(child) && wanted.get(child))
      // Entries arrive in the order of their changes, and are shown in the order of their start.
      .sort((one, other) => one - other);
    if (children.length) item.append(make("ol", {}, ...children.map((child) => this.item(child, isFiltered, wanted))));
    return item;
  }

  facts(entry) {
    const facts = make("dl", { class: "facts" });
    const add = (name, value) => { if (value) facts.append(make("dt", {}, name), make("dd", {}, value)); };
    add("type", entry.type);
    add("began", time(entry.began));
    add("payload", entry.payload);
    add("failure", entry.failure);
    add("id", entry.id);
    add("caused by", entry.cause);
    add("chain", entry.correlation);
    return facts;
  }
}
