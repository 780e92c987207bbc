// The pane of the deliveries, with the dead letters.
import { ask, make, time, took } from "./inspector.js";
import { ifChanged, query, table } from "./panes.js";

const letters = (count) => `${count} dead ${count === 1 ? "letter" : "letters"}`;

export const deliveries = {
  message: "",
  open: new Set(),
  async refresh(element, overview) {
    const shown = [];
    for (const store of overview.stores) {
      shown.push({ store, ...(await ask(`subscriptions${query(store)}`)), letters: await ask(`dead-letters${query(store)}`) });
    }
    const notes = await ask("deliveries");
    const projections = await ask("projections");
    ifChanged(element, [shown, notes, projections, this.message], () => {
      const focused = element.contains(document.activeElement) ? document.activeElement : null;
      const place = focused && `[data-verb="${focused.dataset.verb}"][data-letter="${focused.dataset.letter}"]`;
      const cards = shown.map((view) => this.card(element, overview, view));
      element.replaceChildren(
        make("p", { class: "hint", role: "status", id: "deliveries-message" }, this.message || (shown.length ? "" : "No stores. To show one, call 'inspector.show(store)'.")),
        ...cards,
        projections.length ? make("div", { class: "card", id: "projections" }, make("h2", {}, "Projections"), table(
          ["projection", "version", "state", "pending", "lag", "failure"],
          projections.map((line) => [line.name, String(line.version), line.state, String(line.pending), line.lag === undefined ? "" : took(line.lag * 1000), line.failure ?? ""]))) : "",
        notes.length ? make("div", { class: "card" }, make("h2", {}, "Latest deliveries"), table(
          ["when", "outcome", "subscription", "message", "attempt", "failure", "next attempt"],
          notes.slice(0, 50).map((note) => [time(note.date), note.outcome, note.subscription, note.message, String(note.attempt), note.failure ?? "", note.retry ? time(note.retry) : ""]))) : "");
      if (place) element.querySelector(place)?.focus({ preventScroll: true });
    });
  },
  card(element, overview, view) {
    const act = async (verb, ids) => {
      try {
        const done = await ask(`dead-letters/${verb}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ store: view.store, ids }) });
        this.message = verb === "replay" ? `${letters(done.count)} will be delivered again.` : `${letters(done.count)} discarded.`;
      } catch (error) {
        this.message = error.message;
      }
      await this.refresh(element, overview);
    };
    const button = (word, verb, letter) => make("button", {
      type: "button", disabled: !overview.allowsWrites, "data-verb": verb, "data-letter": letter.id,
      title: overview.allowsWrites ? null : "The inspector is read-only.",
      onclick: (event) => {
        const target = event.currentTarget;
        if (verb === "discard" && target.dataset.confirmed === undefined) {
          target.dataset.confirmed = "";
          target.textContent = "Discard permanently?";
          return;
        }
        act(verb, [letter.id]);
      },
    }, word);
    const key = (letter) => `${view.store} ${letter.id}`;
    const rows = view.letters.map((letter) => make("details", {
      class: "letter",
      open: this.open.has(key(letter)),
      ontoggle: (event) => (event.currentTarget.open ? this.open.add(key(letter)) : this.open.delete(key(letter))),
    },
      make("summary", {}, `${letter.id}. ${letter.message || "a message that is no longer stored"} to ${letter.subscription}, ${letter.attempts} ${letter.attempts === 1 ? "attempt" : "attempts"}`),
      (() => {
        const facts = make("dl", { class: "facts" });
        const add = (name, value) => { if (value) facts.append(make("dt", {}, name), make("dd", {}, value)); };
        add("reason", letter.reason ?? "hidden");
        add("failed at", time(letter.date));
        add("stream", letter.stream);
        add("payload", letter.payload);
        add("message", letter.messageID);
        add("chain", letter.correlation);
        return facts;
      })(),
      make("div", { class: "bar" }, button("Replay", "replay", letter), button("Discard", "discard", letter))));
    const ids = view.letters.map((letter) => letter.id);
    return make("div", { class: "card" }, make("h2", {}, view.store),
      table(["subscription", "pending", "lag", "dead letters"],
        view.subscriptions.map((line) => [line.name, String(line.pending), line.lag === undefined ? "" : took(line.lag * 1000), String(line.deadLetters)])),
      make("h2", {}, "Dead letters"),
      ...(rows.length
        ? [...rows, make("div", { class: "bar" }, make("button", { type: "button", id: "replay-all", disabled: !overview.allowsWrites, onclick: () => act("replay", ids) }, `Replay ${ids.length === 1 ? "it" : `these ${ids.length}`}`))]
        : [make("p", { class: "hint" }, "No dead letters.")]));
  },
};
