// The kept entries of the flow as chains. A chain is a tree, whose root is an entry without a kept parent.

/** The time at which an entry ended, as far as it is known. */
const end = (entry) => entry.began + (entry.duration ?? 0);
export const failed = (entry) => entry.outcome !== undefined && entry.outcome !== "success";

export class Chains {
  constructor() {
    this.clear();
  }

  clear() {
    this.entries = new Map();
    this.children = new Map();
    this.roots = new Set();
    /** The roots, the latest first; null if they have changed. */
    this.order = null;
    /** The roots of the chains that have changed since they were drawn. */
    this.changed = new Set();
    this.first = null;
    this.earlierCount = 0;
  }

  /** The number of the newest root. */
  get newest() { return this.latest()[0] ?? 0; }

  /** The numbers of the roots, the latest first. */
  latest() {
    this.order ??= [...this.roots].sort((one, other) => other - one);
    return this.order;
  }

  /** Takes the new and the changed entries of a view, and removes the entries that the inspector no longer keeps. */
  take(view) {
    this.first ??= view.first;
    for (const entry of view.entries) this.add(entry);
    for (; this.first < view.first; this.first += 1) this.remove(this.first);
  }

  add(entry) {
    const { number, parent } = entry;
    if (!this.entries.has(number)) {
      if (entry.isEarlier) this.earlierCount += 1;
      if (parent) {
        const siblings = this.children.get(parent) ?? [];
        // Entries arrive in the order of their changes, and are shown in the order of their start.
        siblings.push(number);
        siblings.sort((one, other) => one - other);
        this.children.set(parent, siblings);
      }
      if (!this.entries.has(parent)) this.roots.add(number);
      for (const child of this.below(number)) this.roots.delete(child);
      this.order = null;
    }
    this.entries.set(number, entry);
    this.changed.add(this.root(number));
  }

  remove(number) {
    const entry = this.entries.get(number);
    if (!entry) return;
    if (entry.isEarlier) this.earlierCount -= 1;
    this.entries.delete(number);
    this.roots.delete(number);
    for (const child of this.below(number)) {
      this.roots.add(child);
      this.changed.add(child);
    }
    this.children.delete(number);
    this.changed.delete(number);
    this.order = null;
  }

  get(number) { return this.entries.get(number); }

  /** The numbers of the entries directly below an entry. */
  below(number) { return this.children.get(number) ?? []; }

  /** The number of the root of an entry's chain; undefined if the entry isn't kept. */
  root(number) {
    let entry = this.entries.get(number);
    while (entry && this.entries.has(entry.parent)) entry = this.entries.get(entry.parent);
    return entry?.number;
  }

  /** The entries of a root's chain, each before the entries below it. */
  members(root) {
    const found = [];
    const visit = (number) => {
      found.push(this.entries.get(number));
      for (const child of this.below(number)) visit(child);
    };
    visit(root);
    return found;
  }

  /** The facts about a root's chain, its axis of time in milliseconds since 1970, and the times from which its deliveries waited. */
  summary(root) {
    const members = this.members(root);
    const deliveries = members.filter((entry) => entry.attempt !== undefined);
    return {
      count: members.length,
      failures: members.filter((entry) => entry.number !== root && failed(entry)).length,
      isOpen: members.some((entry) => entry.outcome === undefined),
      principal: members.find((entry) => entry.principal)?.principal,
      began: Math.min(...members.map((entry) => entry.began)),
      ended: Math.max(...members.map(end)),
      deliveries,
      waits: new Map(deliveries.map((entry) => [entry.number, this.waited(entry, members)])),
    };
  }

  /** The time from which a delivery waited: the end of the attempt before, or of the last commit before it. */
  waited(delivery, members) {
    const subscription = (entry) => entry.note?.split(", attempt")[0];
    const before = members.find((entry) => entry.id === delivery.id && entry.attempt === delivery.attempt - 1
      && subscription(entry) === subscription(delivery));
    const commits = members.filter((entry) => entry.kind === "commit" && entry.began < delivery.began);
    const since = before ?? commits.reduce((one, other) => (one && one.began > other.began ? one : other), undefined);
    return since && Math.min(end(since), delivery.began);
  }

  /** All entries with the correlation of an entry, in the order of their start. */
  related(entry) {
    const isSame = entry.correlation
      ? (other) => other.correlation === entry.correlation
      : (other) => this.root(other.number) === this.root(entry.number);
    return [...this.entries.values()].filter(isSame).sort((one, other) => one.number - other.number);
  }
}
