// The flow: one line for each chain of messages, which expands to its tree. The tree has one tab stop, and the arrow keys move in it.
import { Chains } from "./chains.js";
import { time } from "./elements.js";
import { MessagePanel } from "./message.js";
import { Row } from "./rows.js";

/** The number of chains that are in the document at first, and that are added when the reader comes near their end. */
const pageSize = () => Math.max(50, Math.ceil(window.innerHeight / 16));
/** The shortest time between two drawings of new messages, and the time for which a new chain is highlighted, in milliseconds. */
const [pause, highlight] = [200, 1000];

export class Flow {
  constructor() {
    const part = (name) => document.getElementById(`flow-${name}`);
    this.chains = new Chains();
    this.rows = new Map();
    this.revision = 0;
    this.skipped = 0;
    this.history = undefined;
    this.cleared = 0;
    this.isPaused = false;
    this.isPointed = false;
    this.isCaughtUp = false;
    /** Whether the selected row must be scrolled into view. */
    this.isSought = false;
    /** The newest chain that may be shown. It stays the same while insertion stops. */
    this.horizon = 0;
    /** The newest chain that was shown by the last drawing. */
    this.seen = 0;
    this.limit = pageSize();
    /** The chains that are expanded, and the entries below them that are collapsed. */
    this.expanded = new Set();
    this.collapsed = new Set();
    this.selected = null;
    this.current = null;
    this.wanted = null;
    this.session = null;
    /** The time of the last drawing, and the rows that are highlighted since then or before. */
    this.drawn = -pause;
    this.timer = null;
    this.highlighted = [];
    this.filter = {};
    /** The number of matching entries of each chain, as long as the chain and the filter stay the same. */
    this.matches = new Map();
    [this.pane, this.list, this.tree, this.hint] = [document.getElementById("pane-flow"), part("list"), part("tree"), part("hint")];
    [this.pill, this.more] = [part("new"), part("more")];
    this.panel = new MessagePanel(this);
    this.connectFilter(part);
    this.connectList();
    this.draw();
  }

  // MARK: Filters

  connectFilter(part) {
    const bar = part("bar");
    const read = () => {
      const text = (name) => part(name).value.trim().toLowerCase();
      this.filter = {
        search: text("search"),
        kind: part("kind").value,
        type: text("type"),
        least: Number.parseFloat(part("least").value) || 0,
        chain: text("chain"),
        failures: part("failures").checked,
      };
      this.matches.clear();
      this.renew();
    };
    bar.oninput = read;
    bar.onsubmit = (event) => event.preventDefault();
    bar.onreset = () => setTimeout(read);
    const pause = part("pause");
    pause.onclick = () => {
      this.isPaused = !this.isPaused;
      pause.setAttribute("aria-pressed", this.isPaused);
      pause.textContent = this.isPaused ? "Resume" : "Pause";
      this.schedule();
    };
    part("clear").onclick = () => {
      this.cleared = [...this.chains.entries.keys()].reduce((one, other) => Math.max(one, other), 0);
      this.select(null);
      this.renew();
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
    return [entry.kind, entry.type, entry.outcome, entry.failure, entry.payload, entry.note, entry.principal, entry.id, entry.correlation]
      .some((text) => text && text.toLowerCase().includes(search));
  }

  /** The number of the entries of a chain that match the filter. */
  hits(root) {
    if (!this.matches.has(root)) this.matches.set(root, this.chains.members(root).filter((entry) => this.isMatch(entry)).length);
    return this.matches.get(root);
  }

  // MARK: Entries

  /** A new process counts its entries from 1 again. */
  began(overview) {
    if (this.session !== null && this.session !== overview.session) {
      for (const kept of [this.chains, this.rows, this.expanded, this.collapsed, this.matches]) kept.clear();
      this.tree.replaceChildren();
      this.revision = 0;
      this.cleared = 0;
      this.seen = 0;
      this.isCaughtUp = false;
      this.select(null);
    }
    this.session = overview.session;
  }

  take(view) {
    this.revision = view.revision;
    this.skipped = view.skipped;
    this.history = view.history;
    this.chains.take(view);
    for (const kept of [this.expanded, this.collapsed, this.matches]) {
      for (const number of kept.keys()) if (number < view.first) kept.delete(number);
    }
    if (this.wanted) this.find();
    this.scheduleLater();
  }

  // MARK: Links

  /** The fragment of the address that opens the page on the selected message. */
  get fragment() {
    const id = this.wanted ?? this.linked(this.chains.get(this.selected));
    return id ? `#flow/${id}` : "#flow";
  }

  /** The ID of an entry. A stage has no ID, so it is linked by its message. */
  linked(entry) {
    return entry && (entry.id ?? this.linked(this.chains.get(entry.parent)));
  }

  /** Selects the message with this ID when it comes. */
  want(id) {
    this.wanted = id;
    this.find();
  }

  find() {
    const found = [...this.chains.entries.values()].filter((entry) => entry.id === this.wanted).map((entry) => entry.number);
    if (!found.length) return;
    this.wanted = null;
    this.select(Math.min(...found));
    this.isSought = true;
    this.renew();
    this.draw();
  }

  /** Called when all kept entries have come. */
  caughtUp() {
    this.isCaughtUp = true;
    if (!this.wanted) return;
    this.panel.missing(this.wanted);
    this.wanted = null;
  }

  // MARK: Selection and keys

  select(number) {
    for (const changed of [this.selected, number]) this.touch(changed);
    this.selected = number;
    this.current = number ?? this.current;
    const entry = this.chains.get(number);
    // The linked message is visible even if its chain was cleared or an ancestor is collapsed.
    for (let above = entry; above; above = this.chains.get(above.parent)) {
      if (above !== entry) this.collapsed.delete(above.number);
      this.cleared = Math.min(this.cleared, above.number - 1);
    }
    if (entry) this.expanded.add(this.chains.root(number));
    this.panel.show(entry);
    if (!this.pane.hidden) history.replaceState(null, "", this.fragment);
    this.schedule();
  }

  /** Notes that the chain of an entry must be drawn again. */
  touch(number) {
    const root = this.chains.root(number);
    if (root !== undefined) this.chains.changed.add(root);
  }

  item(number) { return this.rows.get(number)?.element; }

  focus(item) {
    if (!item) return;
    this.current = Number(item.dataset.number);
    item.focus();
    this.moveStop();
  }

  clicked(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const number = Number(item.dataset.number);
    if (event.target.closest(".twist")) this.expand(number, item.ariaExpanded === "false");
    else this.toggle(number);
    this.focus(this.item(number));
  }

  toggle(number) {
    this.select(this.selected === number ? null : number);
    this.draw();
  }

  expand(number, isExpanded) {
    const isRoot = this.chains.roots.has(number);
    const kept = isRoot ? this.expanded : this.collapsed;
    if (isExpanded === isRoot) kept.add(number);
    else kept.delete(number);
    this.touch(number);
    this.draw();
  }

  isExpanded(number) {
    return this.chains.roots.has(number) ? this.expanded.has(number) : !this.collapsed.has(number);
  }

  pressed(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    const number = Number(item.dataset.number);
    const items = [...this.tree.querySelectorAll("[role=treeitem]")];
    const place = items.indexOf(item);
    const isOpen = item.ariaExpanded === "true";
    const acts = {
      ArrowDown: () => this.focus(items[place + 1]),
      ArrowUp: () => this.focus(items[place - 1]),
      Home: () => this.focus(items[0]),
      End: () => this.focus(items.at(-1)),
      ArrowRight: () => (isOpen ? this.focus(items[place + 1]) : item.ariaExpanded && this.expand(number, true)),
      ArrowLeft: () => (isOpen ? this.expand(number, false) : this.focus(item.parentElement.closest("[role=treeitem]"))),
      Enter: () => this.toggle(number),
      " ": () => this.toggle(number),
      Escape: () => { this.select(null); this.draw(); },
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // MARK: Insertion

  connectList() {
    this.tree.onclick = (event) => this.clicked(event);
    this.tree.onkeydown = (event) => this.pressed(event);
    this.list.onpointerenter = () => { this.isPointed = true; };
    this.list.onpointerleave = () => { this.isPointed = false; this.schedule(); };
    this.list.addEventListener("focusout", () => this.schedule());
    document.addEventListener("scroll", () => { if (!this.pill.hidden) this.schedule(); }, { passive: true });
    this.pill.onclick = (event) => this.showNew(event);
    const isNear = (places) => places.some((place) => place.isIntersecting);
    const end = new IntersectionObserver((places) => { if (isNear(places)) this.more.click(); }, { rootMargin: "600px" });
    end.observe(this.more);
    this.more.onclick = () => {
      this.limit += pageSize();
      this.draw();
      // The observer reports again if the end is still near.
      end.unobserve(this.more);
      end.observe(this.more);
    };
  }

  /** Whether new chains are only counted, so that no row moves while someone reads or aims. */
  get isHeld() {
    if (!this.isCaughtUp || !this.tree.firstChild) return false;
    return this.isPaused || this.isPointed || this.selected !== null || this.list.contains(document.activeElement)
      || this.tree.getBoundingClientRect().top < 0;
  }

  /** Draws all rows again, with the chains that have come since insertion stopped. */
  renew() {
    for (const root of this.chains.roots) this.chains.changed.add(root);
    this.horizon = this.chains.newest;
    this.limit = pageSize();
    this.schedule();
  }

  showNew(event) {
    this.horizon = this.chains.newest;
    this.draw();
    if (this.tree.getBoundingClientRect().top < 0) this.list.scrollIntoView({ block: "start" });
    // A click by the keyboard has no pointer, so the focus goes to the new rows. Otherwise it would stop insertion.
    if (event.detail === 0) this.focus(this.tree.firstElementChild);
    else this.pill.blur();
  }

  // MARK: Drawing

  /** Draws in the next frame, unless a drawing was shorter than a pause ago. */
  scheduleLater() {
    const rest = this.drawn + pause - performance.now();
    if (rest <= 0) return this.schedule();
    this.timer ??= setTimeout(() => { this.timer = null; this.schedule(); }, rest);
  }

  /** Draws at most once per frame. */
  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => { this.isScheduled = false; this.draw(); });
  }

  draw() {
    if (this.pane.hidden) return;
    this.drawn = performance.now();
    const { changed } = this.chains;
    for (const root of changed) this.matches.delete(root);
    if (!this.isHeld) [this.horizon, this.limit] = [this.chains.newest, pageSize()];
    const { shown, count, fresh } = this.visibleChains();
    const hadFocus = this.tree.contains(document.activeElement);
    this.arrange(this.tree, shown, 1, (row, number, isNew) => {
      if (isNew && this.isCaughtUp && number > this.seen) this.highlight(row.element);
      if (isNew || changed.has(number)) this.update(row, number);
    });
    changed.clear();
    this.seen = this.horizon;
    while (this.highlighted[0]?.until <= this.drawn) this.highlighted.shift().element.classList.remove("new");
    this.moveStop();
    if (hadFocus && !this.tree.contains(document.activeElement)) this.item(this.current)?.focus({ preventScroll: true });
    this.panel.update(this.chains.get(this.selected));
    this.tree.hidden = shown.length === 0;
    if (this.isSought) this.item(this.selected)?.scrollIntoView({ block: "center" });
    this.isSought = false;
    this.pill.hidden = fresh === 0;
    this.pill.firstElementChild.textContent = `${fresh} new`;
    this.more.hidden = count - fresh <= shown.length;
    this.hint.textContent = this.words(count);
  }

  /** Marks a new row. It isn't an animation, because the frames of an animation occupy the main thread all the time. */
  highlight(element) {
    element.classList.add("new");
    this.highlighted.push({ element, until: this.drawn + highlight });
    setTimeout(() => this.scheduleLater(), highlight);
  }

  /** The roots of the shown chains, the number of all chains, and the number of chains that wait for their insertion. */
  visibleChains() {
    const { isFiltered } = this;
    const selected = this.chains.root(this.selected);
    const shown = [];
    let [count, fresh] = [0, 0];
    for (const number of this.chains.latest()) {
      if (number <= this.cleared || (isFiltered && number !== selected && !this.hits(number))) continue;
      count += 1;
      if (number > this.horizon) fresh += 1;
      else if (shown.length < this.limit || number === selected) shown.push(number);
    }
    return { shown, count, fresh };
  }

  /** Makes the rows of a list those of these entries. Rows that stay aren't moved, so they keep the focus. */
  arrange(list, numbers, level, update) {
    const wanted = new Set(numbers);
    for (const element of [...list.children]) if (!wanted.has(Number(element.dataset.number))) this.remove(element);
    let place = list.firstElementChild;
    for (const number of numbers) {
      let row = this.rows.get(number);
      const isNew = row?.level !== level;
      if (isNew) {
        if (row) this.remove(row.element);
        row = new Row(this.chains.get(number), level);
        this.rows.set(number, row);
      }
      if (row.element === place) place = place.nextElementSibling;
      else list.insertBefore(row.element, place);
      update(row, number, isNew);
    }
  }

  remove(element) {
    for (const one of [element, ...element.querySelectorAll("[role=treeitem]")]) this.rows.delete(Number(one.dataset.number));
    element.remove();
  }

  /** Draws a row and the rows below it. */
  update(row, number, chain = this.chains.summary(number)) {
    const { isFiltered } = this;
    const entry = this.chains.get(number);
    const isVisible = (one) => !isFiltered || one === this.selected || this.isMatch(this.chains.get(one)) || this.chains.below(one).some(isVisible);
    const below = this.chains.below(number).filter(isVisible);
    const isExpanded = below.length ? this.isExpanded(number) : null;
    row.update(entry, {
      isExpanded,
      isSelected: number === this.selected,
      isHit: isFiltered && this.isMatch(entry),
      hits: isFiltered && row.level === 1 ? this.hits(number) : 0,
      chain,
    });
    if (isExpanded) this.arrange(row.list(), below, row.level + 1, (child, one) => this.update(child, one, chain));
    else if (row.group) {
      for (const element of [...row.group.children]) this.remove(element);
      row.fold();
    }
  }

  /** Makes the current row the only tab stop: the row with the focus or the selected row, or else the first row. */
  moveStop() {
    const isKept = this.selected !== null || this.list.contains(document.activeElement);
    const stop = (isKept && this.item(this.current)) || this.tree.firstElementChild;
    if (this.stop !== stop) this.stop?.setAttribute("tabindex", -1);
    this.stop = stop;
    if (!stop) return;
    stop.setAttribute("tabindex", 0);
    this.current = Number(stop.dataset.number);
  }

  words(count) {
    const { entries, roots, earlierCount, first } = this.chains;
    if (entries.size === 0) return "No messages yet.";
    const oldest = entries.get(first) ?? entries.values().next().value;
    const parts = [count === 0 ? "No matches." : `${entries.size} messages and stages in ${roots.size} ${roots.size === 1 ? "chain" : "chains"} since ${time(oldest.began)}.`];
    if (this.skipped) parts.push(` About ${this.skipped} were not recorded, because too many came while no page was open.`);
    if (this.history) parts.push(...this.historyWords(this.history, earlierCount));
    if (this.isPaused) parts.push(" Paused.");
    return parts.join("");
  }

  /** What the files of the history have, and what is missing in them. */
  historyWords({ leftOut, unreadable, dropped, failure }, earlier) {
    return [
      earlier ? ` ${earlier} of them are from earlier runs of the program.` : "",
      leftOut ? ` About ${leftOut} of earlier runs were not kept.` : "",
      unreadable ? ` ${unreadable} lines of the history on the disk could not be read.` : "",
      dropped ? ` ${dropped} could not be written to the disk in time.` : "",
      failure ? ` The history is not written to the disk now: ${failure}` : "",
    ];
  }
}
