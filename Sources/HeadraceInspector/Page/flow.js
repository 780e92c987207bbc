// The flow: messages and stages as a tree. The tree has one tab stop, and the arrow keys move within it.
import { make, short, time, took, when } from "./elements.js";
import { MessagePanel } from "./message.js";

const chainLimit = 200;

export class Flow {
  constructor() {
    this.entries = new Map();
    this.children = new Map();
    this.revision = 0;
    this.skipped = 0;
    this.history = undefined;
    this.cleared = 0;
    this.isPaused = false;
    this.collapsed = new Set();
    this.selected = null;
    this.current = null;
    this.wanted = null;
    this.session = null;
    this.filter = {};
    this.items = new Set();
    this.tree = document.getElementById("flow-tree");
    this.hint = document.getElementById("flow-hint");
    this.panel = new MessagePanel(this);
    this.connectFilter();
    this.tree.onclick = (event) => this.clicked(event);
    this.tree.onkeydown = (event) => this.pressed(event);
    this.draw();
  }

  // MARK: Filters

  connectFilter() {
    const bar = document.getElementById("flow-bar");
    const field = (name) => document.getElementById(`flow-${name}`);
    const read = () => {
      const text = (name) => field(name).value.trim().toLowerCase();
      this.filter = {
        search: text("search"),
        kind: field("kind").value,
        type: text("type"),
        least: Number.parseFloat(field("least").value) || 0,
        chain: text("chain"),
        failures: field("failures").checked,
      };
      this.schedule();
    };
    bar.oninput = read;
    bar.onsubmit = (event) => event.preventDefault();
    bar.onreset = () => setTimeout(read);
    const pause = field("pause");
    pause.onclick = () => {
      this.isPaused = !this.isPaused;
      pause.setAttribute("aria-pressed", this.isPaused);
      pause.textContent = this.isPaused ? "Resume" : "Pause";
      this.schedule();
    };
    field("clear").onclick = () => {
      this.cleared = [...this.entries.keys()].reduce((one, other) => Math.max(one, other), 0);
      this.select(null);
      this.schedule();
    };
  }

  get isFiltered() { return Object.values(this.filter).some(Boolean); }

  /** Shows only the chain with this correlation. The reset reads all fields afterwards. */
  showChain(correlation) {
    document.getElementById("flow-bar").reset();
    document.getElementById("flow-chain").value = correlation;
    document.getElementById("flow-filters").open = true;
  }

  isMatch(entry) {
    const { search, kind, type, least, chain, failures } = this.filter;
    if (failures && (entry.outcome === undefined || entry.outcome === "success")) return false;
    if (kind && entry.kind !== kind) return false;
    if (least && !(entry.duration >= least)) return false;
    if (type && !entry.type.toLowerCase().includes(type)) return false;
    if (chain && entry.correlation?.toLowerCase() !== chain) return false;
    if (!search) return true;
    return [entry.kind, entry.type, entry.outcome, entry.failure, entry.payload, entry.note, entry.id, entry.correlation]
      .some((text) => text && text.toLowerCase().includes(search));
  }

  // MARK: Entries

  /** A new process counts its entries from 1 again. */
  began(overview) {
    if (this.session !== null && this.session !== overview.session) {
      for (const kept of [this.entries, this.children, this.items, this.collapsed]) kept.clear();
      this.revision = 0;
      this.cleared = 0;
      this.select(null);
    }
    this.session = overview.session;
  }

  take(view) {
    this.revision = view.revision;
    this.skipped = view.skipped;
    this.history = view.history;
    for (const entry of view.entries) {
      if (!this.entries.has(entry.number) && entry.parent) {
        const siblings = this.children.get(entry.parent) ?? [];
        siblings.push(entry.number);
        this.children.set(entry.parent, siblings);
      }
      this.entries.set(entry.number, entry);
    }
    for (const number of this.entries.keys()) {
      if (number >= view.first) continue;
      for (const kept of [this.entries, this.children, this.items, this.collapsed]) kept.delete(number);
    }
    if (this.wanted) this.find();
    if (!this.isPaused) this.schedule();
  }

  /** All entries of the chain of an entry, in the order of their start. */
  chain(entry) {
    const root = (one) => (this.entries.has(one.parent) ? root(this.entries.get(one.parent)) : one);
    const isSame = entry.correlation
      ? (other) => other.correlation === entry.correlation
      : (other) => root(other) === root(entry);
    return [...this.entries.values()].filter(isSame).sort((one, other) => one.number - other.number);
  }

  // MARK: Links

  /** The fragment of the address that opens the page on the selected message. */
  get fragment() {
    const id = this.wanted ?? this.linked(this.entries.get(this.selected));
    return id ? `#flow/${id}` : "#flow";
  }

  /** The ID of an entry. A stage has no ID, so it is linked by its message. */
  linked(entry) {
    return entry && (entry.id ?? this.linked(this.entries.get(entry.parent)));
  }

  /** Selects the message with this ID when it comes. */
  want(id) {
    this.wanted = id;
    this.find();
  }

  find() {
    const found = [...this.entries.values()].filter((entry) => entry.id === this.wanted).map((entry) => entry.number);
    if (!found.length) return;
    this.wanted = null;
    this.select(Math.min(...found));
    this.draw();
    this.item(this.selected)?.scrollIntoView({ block: "center" });
  }

  /** Called when all kept entries have come. */
  caughtUp() {
    if (!this.wanted) return;
    this.panel.missing(this.wanted);
    this.wanted = null;
  }

  // MARK: Selection and keys

  select(number) {
    this.selected = number;
    this.current = number ?? this.current;
    const entry = this.entries.get(number);
    // The linked message is visible even if its chain was cleared or an ancestor is collapsed.
    for (let above = entry; above; above = this.entries.get(above.parent)) {
      if (above !== entry) this.collapsed.delete(above.number);
      this.cleared = Math.min(this.cleared, above.number - 1);
    }
    this.panel.show(entry);
    if (!document.getElementById("pane-flow").hidden) history.replaceState(null, "", this.fragment);
  }

  item(number) { return this.tree.querySelector(`[data-number="${number}"]`); }

  focus(item) {
    if (!item) return;
    this.item(this.current)?.setAttribute("tabindex", -1);
    this.current = Number(item.dataset.number);
    item.setAttribute("tabindex", 0);
    item.focus();
  }

  clicked(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const number = Number(item.dataset.number);
    if (event.target.closest(".twist")) this.collapse(number, !this.collapsed.has(number));
    else this.toggle(number);
    this.focus(this.item(number));
  }

  toggle(number) {
    this.select(this.selected === number ? null : number);
    this.draw();
  }

  collapse(number, isCollapsed) {
    if (isCollapsed) this.collapsed.add(number);
    else this.collapsed.delete(number);
    this.draw();
  }

  pressed(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    const number = Number(item.dataset.number);
    const items = [...this.tree.querySelectorAll("[role=treeitem]")];
    const place = items.indexOf(item);
    const isOpen = item.getAttribute("aria-expanded") === "true";
    const acts = {
      ArrowDown: () => this.focus(items[place + 1]),
      ArrowUp: () => this.focus(items[place - 1]),
      Home: () => this.focus(items[0]),
      End: () => this.focus(items.at(-1)),
      ArrowRight: () => (isOpen ? this.focus(items[place + 1]) : item.ariaExpanded && this.collapse(number, false)),
      ArrowLeft: () => (isOpen ? this.collapse(number, true) : this.focus(item.parentElement.closest("[role=treeitem]"))),
      Enter: () => this.toggle(number),
      " ": () => this.toggle(number),
      Escape: () => { this.select(null); this.draw(); },
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // MARK: Drawing

  /** Draws at most once per frame. */
  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => { this.isScheduled = false; this.draw(); });
  }

  draw() {
    const visible = new Map();
    const isVisible = (number) => {
      if (visible.has(number)) return visible.get(number);
      const entry = this.entries.get(number);
      const below = (this.children.get(number) ?? []).filter((child) => this.entries.has(child) && isVisible(child));
      const result = Boolean(entry && (number === this.selected || below.length || this.isMatch(entry)));
      visible.set(number, result);
      return result;
    };
    const roots = [...this.entries.values()]
      .filter((entry) => entry.number > this.cleared && !this.entries.has(entry.parent) && isVisible(entry.number))
      .map((entry) => entry.number)
      .sort((one, other) => other - one);
    let shown = roots.slice(0, chainLimit);
    let above = this.entries.get(this.selected);
    while (above && this.entries.has(above.parent)) above = this.entries.get(above.parent);
    if (above && roots.includes(above.number) && !shown.includes(above.number)) shown = [...shown, above.number];
    // Redrawing removes the focus, so this restores it.
    const hasFocus = this.tree.contains(document.activeElement);
    this.tree.replaceChildren(...shown.map((number) => this.makeItem(number, 1, visible)));
    const stop = this.item(this.current) ?? this.tree.querySelector("[role=treeitem]");
    if (stop) {
      this.current = Number(stop.dataset.number);
      stop.setAttribute("tabindex", 0);
      if (hasFocus) stop.focus({ preventScroll: true });
    }
    this.panel.update(this.entries.get(this.selected));
    this.tree.hidden = shown.length === 0;
    this.hint.textContent = this.words(roots.length);
  }

  words(count) {
    if (this.entries.size === 0) return "No messages yet.";
    const oldest = [...this.entries.values()].reduce((one, other) => (other.number < one.number ? other : one));
    const parts = [count === 0 ? "No matches." : `${this.entries.size} messages and stages since ${time(oldest.began)}.`];
    if (count > chainLimit) parts.push(` The latest ${chainLimit} of ${count} chains are shown.`);
    if (this.skipped) parts.push(` About ${this.skipped} were not recorded, because too many came while no page was open.`);
    if (this.history) parts.push(...this.historyWords(this.history));
    if (this.isPaused) parts.push(" Paused.");
    return parts.join("");
  }

  /** What the files of the history have, and what is missing in them. */
  historyWords({ leftOut, unreadable, dropped, failure }) {
    const earlier = [...this.entries.values()].filter((entry) => entry.isEarlier).length;
    return [
      earlier ? ` ${earlier} of them are from earlier runs of the program.` : "",
      leftOut ? ` About ${leftOut} of earlier runs were not kept.` : "",
      unreadable ? ` ${unreadable} lines of the history on the disk could not be read.` : "",
      dropped ? ` ${dropped} could not be written to the disk in time.` : "",
      failure ? ` The history is not written to the disk now: ${failure}` : "",
    ];
  }

  makeItem(number, level, visible) {
    const entry = this.entries.get(number);
    const children = (this.children.get(number) ?? []).filter((child) => this.entries.has(child) && visible.get(child))
      // Entries arrive in the order of their changes, and are shown in the order of their start.
      .sort((one, other) => one - other);
    const isExpanded = children.length > 0 && !this.collapsed.has(number);
    const isOpen = entry.outcome === undefined;
    const isSuccess = entry.outcome === "success";
    const duration = isOpen ? "…" : entry.duration === undefined ? "" : took(entry.duration);
    const outcome = isOpen ? "in progress" : isSuccess ? "✓" : `✗ ${short(entry.outcome)}`;
    const item = make("li", {
      role: "treeitem", tabindex: -1, "data-number": number, "data-kind": entry.kind, "data-type": short(entry.type),
      "aria-level": level, "aria-selected": String(number === this.selected),
      "aria-expanded": children.length ? String(isExpanded) : null,
      "aria-label": [`${entry.kind} ${short(entry.type)}`.trim(), entry.note, isSuccess ? "succeeded" : isOpen ? outcome : `failed with ${short(entry.outcome)}`, entry.isEarlier ? "in an earlier run" : null, isOpen ? null : duration].filter(Boolean).join(", "),
    });
    if (this.isFiltered && this.isMatch(entry)) item.classList.add("hit");
    if (!this.items.has(number)) item.classList.add("new");
    this.items.add(number);
    item.append(make("div", { class: "row" },
      make("span", { class: "twist" }, children.length ? (isExpanded ? "▾" : "▸") : ""),
      make("span", { class: "kind" }, entry.kind),
      make("span", { class: "name", title: entry.type }, short(entry.type)),
      entry.note ? make("span", { class: "quiet mark" }, entry.note) : null,
      entry.isEarlier && level === 1 ? make("span", { class: "quiet mark" }, "earlier run") : null,
      make("span", { class: `mark ${isOpen ? "wait" : isSuccess ? "good" : "bad"}` }, outcome),
      make("span", { class: "took" }, level === 1 ? when(entry.began) : null, make("span", {}, duration))));
    if (isExpanded) item.append(make("ol", { role: "group" }, ...children.map((child) => this.makeItem(child, level + 1, visible))));
    return item;
  }
}
