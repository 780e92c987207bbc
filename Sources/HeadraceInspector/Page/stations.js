// The pane of the stations: the history of each station, step by step, with the differences between two states.
import { hidden, make, short, time } from "./elements.js";
import { ifChanged, table } from "./panes.js";
import { ask, download } from "./requests.js";

/** The properties after the first `position` steps. */
function stateAfter(station, position) {
  const values = new Map(station.base.map((property) => [property.name, property]));
  for (const step of station.steps.slice(0, position)) {
    for (const change of step.changes) {
      if (change.isGone) values.delete(change.property);
      else values.set(change.property, { value: change.new, isHidden: change.isHidden });
    }
  }
  return values;
}

/** The value of a property as text. */
function text(property) {
  if (property === undefined) return "nothing";
  return property.isHidden ? "hidden" : property.value ?? "nothing";
}

const differs = (one, other) => text(one) !== text(other);

/** Whether the text of a property can be the same after a change: it is hidden, or truncated. */
const isUnsure = (property) => property?.isHidden || property?.value?.endsWith("…");

/** A step of an imported journal has no date. */
const name = (step) => [`${step.number}.`, step.date === undefined ? null : time(step.date), step.action ?? short(step.type)].filter(Boolean).join(" ");

const post = (path, body) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const stations = {
  chosen: new Map(),
  compared: new Map(),
  /** The imported journal of each station: its text, the name of its file, and its history. */
  imported: new Map(),
  message: "",
  confirming: null,
  async refresh(element, overview) {
    this.allowsWrites = overview.allowsWrites;
    const shown = await ask("stations");
    ifChanged(element, shown, () => this.draw(element, shown));
  },
  draw(element, shown) {
    const focused = document.activeElement?.id;
    element.replaceChildren(make("p", { class: "hint", role: "status", id: "stations-message" }, this.message), ...(shown.length
      ? shown.flatMap((station, index) => {
        const journal = this.imported.get(station.name);
        const cards = [this.card(element, shown, station, `station-${index}`, station.name)];
        if (journal) cards.push(this.card(element, shown, { ...journal.view, journal }, `station-${index}-imported`, `${station.name}, imported`));
        return cards;
      })
      : [make("p", { class: "hint" }, "No stations. To show one, call 'inspector.show(station, named: …)'.")]));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  },
  /** Does something that can fail, and shows the outcome. */
  async act(element, shown, body) {
    try {
      this.message = await body();
    } catch (error) {
      this.message = error.message;
    }
    this.confirming = null;
    this.draw(element, shown);
  },
  import(element, shown, station, file) {
    return this.act(element, shown, async () => {
      const text = await file.text();
      const view = await post("stations/replay", { station: station.name, journal: text });
      for (const kept of [this.chosen, this.compared]) kept.delete(`${station.name}, imported`);
      this.imported.set(station.name, { text, file: file.name, view });
      return `The journal ${file.name} was replayed on a copy. The station has not changed.`;
    });
  },
  restore(element, shown, station, position) {
    return this.act(element, shown, async () => {
      await post("stations/restore", { station: station.name, journal: station.journal.text, position });
      return `The station ${station.name} was set to the state after ${position} ${position === 1 ? "action" : "actions"} of the journal.`;
    });
  },
  /** The buttons for journals. The number of a step is its position in the journal. */
  journals(element, shown, station, id, position) {
    const button = (key, words, onclick, isOff = false) => make("button", { type: "button", id: `${id}-${key}`, disabled: isOff, onclick }, words);
    if (!station.journal) {
      const file = make("input", { type: "file", id: `${id}-file`, accept: ".json,.jsonl", hidden: true, onchange: () => file.files.length && this.import(element, shown, station, file.files[0]) });
      return [
        button("save", "Download history", () => download(station.name, station)),
        station.hasJournal ? button("journal", "Download journal", () => this.act(element, shown, async () => {
          const { journal } = await ask(`stations/journal?station=${encodeURIComponent(station.name)}`);
          download(`${station.name}-journal`, null, journal);
          return "";
        })) : null,
        button("import", "Import journal", () => file.click()),
        file,
      ];
    }
    const asks = this.confirming === id;
    return [
      station.canRestore && this.allowsWrites && !asks
        ? button("restore", "Set the station to this state", () => { this.confirming = id; this.draw(element, shown); }) : null,
      asks ? button("confirm", "Set it now", () => this.restore(element, shown, station, position)) : null,
      asks ? button("cancel", "Cancel", () => { this.confirming = null; this.draw(element, shown); }) : null,
      button("close", "Close", () => { this.imported.delete(station.name); this.confirming = null; this.draw(element, shown); }),
    ];
  },
  card(element, shown, station, id, key) {
    const count = station.steps.length;
    const first = count ? station.steps[0].number : 1;
    const within = (position) => Math.min(count, Math.max(0, position));
    // A selected step stays selected when new steps arrive. Without a selection, the last step is shown.
    const chosen = this.chosen.get(key);
    const position = chosen === undefined ? count : within(chosen - first + 1);
    const compared = this.compared.get(key);
    const other = compared === undefined ? within(position - 1) : within(compared - first + 1);
    const go = (next) => {
      if (next >= count) this.chosen.delete(key);
      else this.chosen.set(key, first + next - 1);
      this.confirming = null;
      this.draw(element, shown);
    };
    const compare = (value) => {
      if (value === "") this.compared.delete(key);
      else this.compared.set(key, Number(value));
      this.draw(element, shown);
    };
    const button = (way, words, next, isOff) =>
      make("button", { type: "button", id: `${id}-${way}`, disabled: isOff, onclick: () => go(next) }, words);
    const range = make("input", { type: "range", id, min: 0, max: count, value: position, "aria-label": `Step of ${key}`, oninput: () => go(Number(range.value)) });
    const steps = [[first - 1, "Before the first recorded action"], ...station.steps.map((step) => [step.number, name(step)])].reverse();
    const option = (chosen) => ([number, words]) => make("option", { value: number, selected: number === chosen }, words);
    const jump = make("select", { id: `${id}-jump`, onchange: () => go(Number(jump.value) - first + 1) },
      ...steps.map(option(first + position - 1)));
    const against = make("select", { id: `${id}-compare`, onchange: () => compare(against.value) },
      make("option", { value: "", selected: compared === undefined }, "The step before"), ...steps.map(option(compared)));
    const step = position > 0 ? station.steps[position - 1] : null;
    const actions = `${count} ${count === 1 ? "action" : "actions"}`;
    return make("div", { class: "card" }, make("h2", {}, key),
      make("p", { class: "hint" }, station.journal
        ? `${actions} of ${station.journal.file}, replayed on a copy of the state, without effects.`
        : `${actions} since the recording began.${station.isGone ? " The station has been released." : ""}`),
      station.subscriptions.length ? make("p", { class: "hint" }, `Running subscriptions: ${station.subscriptions.join(", ")}`) : null,
      make("div", { class: "bar stepper" },
        button("first", "First", 0, position === 0),
        button("back", "Step back", position - 1, position === 0),
        range,
        button("on", "Step forward", position + 1, position >= count),
        button("last", "Latest", count, position >= count)),
      make("div", { class: "bar" },
        make("label", { class: "grow" }, "Jump to ", jump),
        make("label", { class: "grow" }, "Compare with ", against),
        ...this.journals(element, shown, station, id, first + position - 1)),
      make("p", { class: "station-step" }, step ? name(step) : "Before the first recorded action."),
      ...this.state(station, station.steps.slice(Math.min(other, position), Math.max(other, position)),
        stateAfter(station, other), stateAfter(station, position), compared === undefined));
  },
  /** The differences between two states, and the steps between them. */
  state(station, between, before, after, isStep) {
    const marked = new Set(between.flatMap((step) => step.changes).map((change) => change.property)
      .filter((name) => isStep || isUnsure(before.get(name)) || isUnsure(after.get(name))));
    const names = [...new Set([...after.keys(), ...before.keys()])];
    const isChanged = (name) => marked.has(name) || differs(before.get(name), after.get(name));
    const changes = names.filter(isChanged);
    const isHidden = [...before.values(), ...after.values()].some((property) => property.isHidden);
    const rows = table(["property", "before", "value"], names.map((name) => [
      name,
      isChanged(name) ? text(before.get(name)) : "",
      after.has(name) ? text(after.get(name)) : "removed",
    ]));
    rows.querySelectorAll("tbody tr").forEach((row, index) => row.classList.toggle("changed", isChanged(names[index])));
    return [
      make("ul", { class: "changes", "aria-label": "Differences" }, ...(changes.length
        ? changes.map((name) => make("li", {}, make("strong", {}, name), " ", make("del", {}, text(before.get(name))), " → ", make("ins", {}, text(after.get(name)))))
        : [make("li", { class: "quiet" }, "No differences.")])),
      rows,
      isHidden ? make("p", { class: "hint" }, hidden("property")) : null,
      station.steps.some((step) => step.action === undefined) ? make("p", { class: "hint" }, hidden("message")) : null,
    ].filter(Boolean);
  },
};
