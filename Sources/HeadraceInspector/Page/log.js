// The pane of the event log.
import { hidden, make, when } from "./elements.js";
import { ifChanged, query, table } from "./panes.js";
import { ask } from "./requests.js";

function row(event) {
  const isHidden = (kind) => event.hidden?.includes(kind);
  return [
    String(event.position),
    when(event.date),
    event.operatorName ? `${event.name} by ${event.operatorName}` : event.version > 1 ? `${event.name} v${event.version}` : event.name,
    event.stream ? `${event.stream}${isHidden("identifier") ? " (hidden)" : ""}` : "",
    event.payload ?? "hidden",
    event.correlation ?? "",
  ];
}

function card(view) {
  return make("div", { class: "card" }, make("h2", {}, view.store),
    make("p", { class: "hint" }, view.last ? `The last event has the position ${view.last}. The latest ${view.events.length} are shown.` : "The log is empty."),
    // The reason is the same for all lines, so it is here once.
    ...Object.keys(view.hints ?? {}).map((kind) => make("p", { class: "hint" }, hidden(kind))),
    table(["position", "when", "event", "stream", "payload", "chain"], view.events.slice().reverse().map(row)));
}

export const log = {
  async refresh(element, overview) {
    const shown = [];
    for (const store of overview.stores) shown.push({ store, ...(await ask(`log${query(store, "&limit=100")}`)) });
    ifChanged(element, shown, () => {
      element.replaceChildren(...(shown.length ? shown.map(card) : [make("p", { class: "hint" }, "No stores. To show one, call 'inspector.show(store)'.")]));
    });
  },
};
