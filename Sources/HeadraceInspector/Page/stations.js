// The pane of the stations: the history of each station, step by step, with the differences between two states.
import { ask, download, hidden, make, short, time } from "./inspector.js";
import { ifChanged, table } from "./panes.js";

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

const name = (step) => `${step.number}. ${time(step.date)} ${step.action ?? short(step.type)}`;

/** The actions as an ActionJournal: one in each line. */
const journal = (station) => station.steps.map((step) => `${step.line}\n`).join("");

export const stations = {
  chosen: new Map(),
  compared: new Map(),
  async refresh(element) {
    const shown = await ask("stations");
    ifChanged(element, shown, () => this.draw(element, shown));
  },
  draw(element, shown) {
    const focused = document.activeElement?.id;
    element.replaceChildren(...(shown.length
      ? shown.map((station, index) => this.card(element, shown, station, index))
      : [make("p", { class: "hint" }, "No stations. To show one, call 'inspector.show(station, named: …)'.")]));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  },
  card(element, shown, station, index) {
    const count = station.steps.length;
    const first = count ? station.steps[0].number : 1;
    const within = (position) => Math.min(count, Math.max(0, position));
    // A selected step stays selected when new steps arrive. Without a selection, the last step is shown.
    const chosen = this.chosen.get(station.name);
    const position = chosen === undefined ? count : within(chosen - first + 1);
    const compared = this.compared.get(station.name);
    const other = compared === undefined ? within(position - 1) : within(compared - first + 1);
    const go = (next) => {
      if (next >= count) this.chosen.delete(station.name);
      else this.chosen.set(station.name, first + next - 1);
      this.draw(element, shown);
    };
    const compare = (value) => {
      if (value === "") this.compared.delete(station.name);
      else this.compared.set(station.name, Number(value));
      this.draw(element, shown);
    };
    const id = `station-${index}`;
    const button = (key, words, next, isOff) =>
      make("button", { type: "button", id: `${id}-${key}`, disabled: isOff, onclick: () => go(next) }, words);
    const range = make("input", { type: "range", id, min: 0, max: count, value: position, "aria-label": `Step of ${station.name}`, oninput: () => go(Number(range.value)) });
    const steps = [[first - 1, "Before the first recorded action"], ...station.steps.map((step) => [step.number, name(step)])].reverse();
    const option = (chosen) => ([number, words]) => make("option", { value: number, selected: number === chosen }, words);
    const jump = make("select", { id: `${id}-jump`, onchange: () => go(Number(jump.value) - first + 1) },
      ...steps.map(option(first + position - 1)));
    const against = make("select", { id: `${id}-compare`, onchange: () => compare(against.value) },
      make("option", { value: "", selected: compared === undefined }, "The step before"), ...steps.map(option(compared)));
    const step = position > 0 ? station.steps[position - 1] : null;
    return make("div", { class: "card" }, make("h2", {}, station.name),
      make("p", { class: "hint" }, `${count} ${count === 1 ? "action" : "actions"} since the recording began.${station.isGone ? " The station has been released." : ""}`),
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
        make("button", { type: "button", id: `${id}-save`, onclick: () => download(station.name, station) }, "Download history"),
        count && station.steps.every((step) => step.line)
          ? make("button", { type: "button", id: `${id}-journal`, title: "The actions since the recording began. A replay begins at the initial state of the station.", onclick: () => download(`${station.name}-journal`, null, journal(station)) }, "Download journal")
          : null),
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
