// The pane of the deliveries: subscriptions, pending deliveries, and dead letters of each store.
import { hidden, make, time, took, when } from "./elements.js";
import { json } from "./json.js";
import { ifChanged, query, table } from "./panes.js";
import { ask } from "./requests.js";

const states = ["waiting", "running", "scheduled", "retrying", "unknown"];
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const letters = (count) => counted(count, "dead letter", "dead letters");
const attempts = (count) => counted(count, "attempt", "attempts");
const pageSize = 50;

/** The sentence about a changed number of rows, by operation. */
const outcomes = {
  "dead-letters/replay": (count) => `${letters(count)} will be delivered again.`,
  "dead-letters/correct": () => "The dead letter will be delivered again with the corrected content.",
  "dead-letters/discard": (count) => `${letters(count)} discarded.`,
  "pending/retry": (count) => (count ? `${counted(count, "delivery", "deliveries")} will be retried now.` : "It no longer waits for a retry."),
  "pending/cancel": (count) => (count ? `${counted(count, "delivery is a dead letter", "deliveries are dead letters")} now.` : "It is running or has ended, so it wasn't cancelled."),
  "subscriptions/pause": () => "The subscription is paused.",
  "subscriptions/resume": () => "The subscription goes on.",
  "subscriptions/replay": (count) => `${counted(count, "event", "events")} will be delivered again.`,
};

export const deliveries = {
  message: "",
  open: new Set(),
  confirming: null,
  /** The dead letter that the operator corrects: its place, the text area, and the error of the last attempt. */
  editing: null,
  filters: new Map(),
  filter(store) {
    if (!this.filters.has(store)) this.filters.set(store, { state: "", subscription: "", pages: 1 });
    return this.filters.get(store);
  },
  /** Reads as many pages of pending deliveries as are shown. */
  async pending(store) {
    const { state, subscription, pages } = this.filter(store);
    const found = { deliveries: [], next: undefined };
    for (let page = 0; page < pages && (page === 0 || found.next); page += 1) {
      const parameters = { state, subscription, limit: pageSize, after: found.next ?? "" };
      const rest = Object.entries(parameters).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
      const answer = await ask(`pending${query(store, rest)}`);
      found.deliveries.push(...answer.deliveries);
      found.next = answer.next;
    }
    return found;
  },
  async refresh(element, overview) {
    const shown = [];
    for (const store of overview.stores) {
      shown.push({ store, ...(await ask(`subscriptions${query(store)}`)), pending: await this.pending(store), letters: (await ask(`dead-letters${query(store)}`)).letters });
    }
    const edited = this.editing;
    if (edited && !shown.some((view) => view.store === edited.store && view.letters.some((letter) => letter.id === edited.id))) {
      this.message = `The dead letter ${edited.id} doesn't exist any longer, so its correction was closed: it was replayed, corrected, or discarded.`;
      this.editing = null;
    }
    const notes = await ask("deliveries");
    const projections = await ask("projections");
    ifChanged(element, [shown, notes, projections, this.message, this.confirming, this.editing?.place, this.editing?.error, [...this.filters]], () => {
      const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      const cards = shown.map((view) => this.card(element, overview, view));
      element.replaceChildren(
        make("p", { class: "hint", role: "status", id: "deliveries-message" }, this.message || (shown.length ? "" : "No stores. To show one, call 'inspector.show(store)'.")),
        ...cards,
        projections.length ? make("div", { class: "card", id: "projections" }, make("h2", {}, "Projections"), table(
          ["projection", "version", "state", "pending", "lag", "failure"],
          projections.map((line) => [line.name, String(line.version), line.state, String(line.pending), line.lag === undefined ? "" : took(line.lag * 1000), line.failure ?? ""]))) : "",
        notes.length ? make("div", { class: "card" }, make("h2", {}, "Latest deliveries"), table(
          ["when", "outcome", "subscription", "message", "attempt", "failure", "next attempt"],
          notes.slice(0, 50).map((note) => [when(note.date), note.outcome, note.subscription, note.message, String(note.attempt), note.failure ?? "", note.retry ? when(note.retry) : ""]))) : "");
      if (key) [...element.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus({ preventScroll: true });
    });
  },
  card(element, overview, view) {
    const { store } = view;
    const redraw = () => this.refresh(element, overview);
    const act = async (path, body) => {
      this.confirming = null;
      try {
        const done = await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ store, ...body }) });
        this.message = outcomes[path](done.count);
        if (this.editing?.store === store && body.ids?.includes(this.editing.id)) this.editing = null;
      } catch (error) {
        this.message = error.message;
      }
      await redraw();
    };
    // An operation that loses or repeats something needs a second click.
    const button = (word, name, path, body, question = null) => {
      const verb = path.split("/")[1];
      const key = `${store} ${path} ${JSON.stringify(body)}`;
      const asks = question !== null && this.confirming === key;
      return make("button", {
        type: "button", disabled: !overview.allowsWrites, "data-verb": verb, "data-key": key,
        "aria-label": asks ? `${question} ${name}` : `${word} ${name}`,
        title: overview.allowsWrites ? null : "The inspector is read-only.",
        onclick: () => {
          if (question === null || asks) return act(path, body);
          this.confirming = key;
          return redraw();
        },
      }, asks ? question : word);
    };
    const details = (kind, key, summary, facts, buttons) => {
      const place = `${store} ${kind} ${key}`;
      const list = make("dl", { class: "facts" });
      for (const [name, value] of facts) { if (value) list.append(make("dt", {}, name), make("dd", {}, value)); }
      return make("details", {
        class: kind, open: this.open.has(place),
        ontoggle: (event) => (event.currentTarget.open ? this.open.add(place) : this.open.delete(place)),
      }, make("summary", { "data-key": place }, summary), list, make("div", { class: "bar" }, ...buttons));
    };
    const content = ({ content: row }) => [["stream", row.stream], ["payload", row.payload ? json(row.payload) : (row.hidden?.includes("storedMessage") ? hidden("storedMessage") : null)], ["message", row.id], ["chain", row.correlation]];
    return make("div", { class: "card" }, make("h2", {}, store),
      this.subscriptions(view, button),
      ...this.pendingList(view, redraw, button, details, content),
      ...this.letterList(overview, view, redraw, act, button, details, content));
  },
  subscriptions(view, button) {
    return table(["subscription", "state", "pending", "lag", "dead letters", "operations"], view.subscriptions.map((line) => {
      const body = { subscription: line.name };
      return [
        line.name,
        line.paused === undefined ? "active" : make("span", { class: "wait" }, `paused since ${time(line.paused)}`),
        String(line.pending), line.lag === undefined ? "" : took(line.lag * 1000), String(line.deadLetters),
        make("div", { class: "bar" },
          line.paused === undefined ? button("Pause", line.name, "subscriptions/pause", body) : button("Resume", line.name, "subscriptions/resume", body),
          line.canReplay ? button("Replay", line.name, "subscriptions/replay", body, "Deliver all its events again?") : null),
      ];
    }));
  },
  pendingList(view, redraw, button, details, content) {
    const filter = this.filter(view.store);
    const choose = (label, name, all, names) => {
      const select = make("select", { "data-key": `${view.store} filter ${name}`, onchange: () => { filter[name] = select.value; filter.pages = 1; redraw(); } },
        make("option", { value: "" }, all), ...names.map((one) => make("option", { value: one, selected: one === filter[name] }, one)));
      return make("label", {}, `${label} `, select);
    };
    const rows = view.pending.deliveries.map((one) => {
      const message = one.content.name || "a message that is no longer stored";
      const times = one.next ? `, next attempt ${time(one.next)}` : one.leaseEnd ? `, leased until ${time(one.leaseEnd)}` : "";
      const failure = one.hasFailed ? one.failure ?? hidden("failure") : null;
      return details("pending", one.id,
        `${message} to ${one.subscription}: ${one.state}${one.attempts ? `, ${attempts(one.attempts)}` : ""}${times}`,
        [["last error", failure], ["replayed", one.isReplay ? "yes" : null], ...content(one)],
        [
          ["retrying", "unknown"].includes(one.state) ? button("Retry now", `${message} to ${one.subscription}`, "pending/retry", { ids: [one.id] }) : null,
          one.state === "running" ? null : button("Cancel", `${message} to ${one.subscription}`, "pending/cancel", { ids: [one.id] }),
        ]);
    });
    const isFiltered = filter.state || filter.subscription;
    return [
      make("h2", {}, "Pending deliveries"),
      make("div", { class: "bar" },
        choose("State", "state", "all", states),
        choose("Subscription", "subscription", "all", view.subscriptions.map((line) => line.name))),
      ...(rows.length ? rows : [make("p", { class: "hint" }, isFiltered ? "No such deliveries." : "No pending deliveries.")]),
      view.pending.next ? make("div", { class: "bar" }, make("button", { type: "button", "data-key": `${view.store} more`, onclick: () => { filter.pages += 1; redraw(); } }, "Show more")) : "",
    ];
  },
  /** Makes the button that opens the editor of a dead letter, or the editor if it is open. */
  editor(overview, view, letter, redraw) {
    const { store } = view;
    const place = `${store} edit ${letter.id}`;
    const name = `dead letter ${letter.id}`;
    const isEditing = this.editing?.place === place;
    const refusal = overview.allowsWrites ? (letter.canCorrect ? null : "The content is hidden.") : "The inspector is read-only.";
    const open = async () => {
      try {
        const { content } = await ask(`dead-letters/content${query(store, `&id=${letter.id}`)}`);
        const text = make("textarea", { "data-key": `${place} text`, "aria-label": `Content of ${name}`, rows: "6", spellcheck: "false" });
        text.value = content;
        this.editing = { store, id: letter.id, place, text, error: "" };
      } catch (error) {
        this.message = error.message;
      }
      await redraw();
      this.editing?.text.focus();
    };
    if (!isEditing) {
      return make("button", { type: "button", disabled: refusal !== null, title: refusal, "data-verb": "edit", "data-key": place, "aria-label": `Edit and replay ${name}`, onclick: open }, "Edit and replay");
    }
    const { text } = this.editing;
    const send = async () => {
      try {
        const done = await ask("dead-letters/correct", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ store, id: letter.id, content: text.value }) });
        this.message = outcomes["dead-letters/correct"](done.count);
        this.editing = null;
      } catch (error) {
        this.editing.error = error.message;
      }
      await redraw();
    };
    const close = () => { this.editing = null; return redraw(); };
    return make("div", { class: "editor" }, text,
      make("p", { class: "hint" }, "Only this delivery receives the corrected content. The event in the log stays as it is."),
      make("p", { class: "bad", role: "alert" }, this.editing.error),
      make("div", { class: "bar" },
        make("button", { type: "button", "data-verb": "correct", "data-key": `${place} send`, onclick: send }, "Replay with this content"),
        make("button", { type: "button", "data-verb": "close", "data-key": `${place} close`, onclick: close }, "Don't edit")));
  },
  letterList(overview, view, redraw, act, button, details, content) {
    const rows = view.letters.map((letter) => {
      const message = letter.content.name || "a message that is no longer stored";
      const name = `dead letter ${letter.id}`;
      return details("letter", letter.id, `${letter.id}. ${message} to ${letter.subscription}, ${attempts(letter.attempts)}`,
        [["reason", letter.reason ?? hidden("failure")], ["failed at", when(letter.date)], ["corrected", letter.isCorrected ? "yes" : null], ...content(letter)],
        [
          button("Replay", name, "dead-letters/replay", { ids: [letter.id] }),
          button("Discard", name, "dead-letters/discard", { ids: [letter.id] }, "Discard permanently?"),
          this.editor(overview, view, letter, redraw),
        ]);
    });
    const ids = view.letters.map((letter) => letter.id);
    return [
      make("h2", {}, "Dead letters"),
      ...(rows.length
        ? [...rows, make("div", { class: "bar" }, make("button", { type: "button", id: "replay-all", "data-key": `${view.store} all`, disabled: !overview.allowsWrites, onclick: () => act("dead-letters/replay", { ids }) }, `Replay ${ids.length === 1 ? "it" : `these ${ids.length}`}`))]
        : [make("p", { class: "hint" }, "No dead letters.")]),
    ];
  },
};
