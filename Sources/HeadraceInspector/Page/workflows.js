// The pane of the durable workflows: the instances of a store, and the steps of the selected instance on a common axis of time.
import { hidden, make, time, took, when } from "./elements.js";
import { json } from "./json.js";
import { draw, ifChanged, query, table } from "./panes.js";
import { ask } from "./requests.js";

const states = ["queued", "running", "blocked", "completed", "failed", "cancelled", "terminated"];
const marks = { queued: "wait", blocked: "bad", completed: "good", failed: "bad", cancelled: "quiet", terminated: "quiet" };
const pageSize = 50;
const stepCount = 100;

const outcomes = {
  cancel: "The instance is cancelled, as soon as its code has compensated.",
  retry: "The instance goes on now.",
  terminate: "The instance is terminated.",
};

/** A text that the inspector may have hidden. */
const shown = (view, kind) => (view ? (view.text === undefined ? hidden(kind) : json(view.text)) : null);
const error = (view) => (view ? view.text ?? hidden("failure") : null);
const word = (state) => make("span", { class: marks[state] ?? "" }, state);
/** The end of an open instance's axis, in steps, so that the page changes only when a bar would. */
const coarse = (view) => {
  const step = 2 ** Math.ceil(Math.log2(Math.max(2000, (view.now - view.begun) / 50)));
  return view.summary.ended === undefined ? Math.ceil(view.now / step) : 0;
};

function facts(lines) {
  const list = make("dl", { class: "facts" });
  for (const [name, value] of lines) { if (value) list.append(make("dt", {}, name), make("dd", {}, value)); }
  return list;
}

export const workflows = {
  message: "",
  store: null,
  filter: { workflow: "", state: "", pages: 1 },
  /** The handle of the selected instance, and the number of its last steps that are shown. */
  selected: null,
  steps: stepCount,
  open: new Set(),
  confirming: null,
  name: null,
  async refresh(element, overview) {
    const stores = overview.workflowStores ?? [];
    if (!stores.includes(this.store)) [this.store, this.selected] = [stores[0] ?? null, null];
    if (this.store === null) return;
    const { selected } = this;
    const redraw = () => this.refresh(element, overview);
    if (selected) {
      try {
        const view = await ask(`workflows/instance${query(this.store, `&instance=${selected}&limit=${this.steps}`)}`);
        if (this.selected !== selected) return;
        return this.draw(element, [view.now && { ...view, now: coarse(view) }, overview.allowsWrites], () => this.details(overview, view, redraw));
      } catch (failure) {
        if (failure.status !== 404) throw failure;
        [this.selected, this.message] = [null, failure.message];
      }
    }
    const page = await this.page();
    if (!this.selected) this.draw(element, [page, stores, this.filter], () => this.list(stores, page, redraw));
  },
  draw(element, value, body) {
    ifChanged(element, [value, this.store, this.message, this.confirming], () => {
      const key = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      element.replaceChildren(
        make("p", { class: "hint", role: "status", id: "workflows-message" }, this.message),
        make("div", { class: "card" }, ...body()));
      if (key) this.focus(element, key);
    });
  },
  focus(element, key) {
    [...element.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus({ preventScroll: true });
  },
  /** Reads as many pages of instances as are shown. */
  async page() {
    const { workflow, state, pages } = this.filter;
    const found = { instances: [], next: undefined, hints: {} };
    for (let page = 0; page < pages && (page === 0 || found.next); page += 1) {
      const parameters = { workflow, state, limit: pageSize, after: found.next ?? "" };
      const rest = Object.entries(parameters).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
      const answer = await ask(`workflows${query(this.store, rest)}`);
      found.instances.push(...answer.instances);
      found.next = answer.next;
      Object.assign(found.hints, answer.hints);
    }
    return found;
  },
  async select(instance, redraw) {
    Object.assign(this, { selected: instance, steps: stepCount, message: "", confirming: null });
    await redraw();
  },
  // MARK: The list
  list(stores, page, redraw) {
    const { filter } = this;
    const change = (values) => { Object.assign(filter, values, { pages: 1 }); return redraw(); };
    const choose = (label, key, values, selected, act) => {
      const select = make("select", { "data-key": `filter ${key}`, onchange: () => act(select.value) },
        ...values.map(([value, words]) => make("option", { value, selected: value === selected }, words)));
      return make("label", {}, `${label} `, select);
    };
    // The field stays the same, so that a text that is being typed survives.
    this.name ??= make("input", { type: "text", maxlength: "200", spellcheck: "false", "data-key": "filter workflow" });
    this.name.onchange = () => change({ workflow: this.name.value.trim() });
    const isFiltered = filter.workflow || filter.state;
    const rows = page.instances.map((one) => [
      make("button", {
        type: "button", "data-key": one.instance, "aria-label": `Show ${one.workflow} ${one.id ?? ""}`.trim(),
        onclick: async (event) => {
          const pane = event.currentTarget.closest("[role=tabpanel]");
          await this.select(one.instance, redraw);
          this.focus(pane, "back");
        },
      }, one.workflow),
      one.id ?? make("span", { class: "hidden-value" }, "hidden"), word(one.state), String(one.steps), one.waits.join("\n"), when(one.started),
      one.ended === undefined ? "" : when(one.ended),
    ]);
    return [
      make("h2", {}, "Workflows"),
      make("div", { class: "bar" },
        stores.length > 1 ? choose("Store", "store", stores.map((store) => [store, store]), this.store, (store) => { this.store = store; return change({}); }) : null,
        make("label", { class: "grow" }, "Workflow ", this.name),
        choose("State", "state", [["", "all"], ...states.map((state) => [state, state])], filter.state, (state) => change({ state }))),
      page.hints.identifier ? make("p", { class: "hint" }, page.hints.identifier) : "",
      rows.length ? table(["workflow", "id", "state", "steps", "waits for", "started", "ended"], rows)
        : make("p", { class: "hint" }, isFiltered ? "No such instances." : "No instances."),
      page.next ? make("div", { class: "bar" }, make("button", { type: "button", "data-key": "more", onclick: () => { filter.pages += 1; return redraw(); } }, "Show more")) : "",
    ];
  },
  // MARK: The selected instance
  details(overview, view, redraw) {
    const { summary } = view;
    const name = `${summary.workflow} ${summary.id ?? ""}`.trim();
    const end = summary.ended ?? view.now;
    const axis = { begun: view.begun, span: Math.max(1, end - view.begun), now: end };
    const back = async (event) => {
      const pane = event.currentTarget.closest("[role=tabpanel]");
      await this.select(null, redraw);
      this.focus(pane, summary.instance);
    };
    const isOpen = summary.ended === undefined;
    return [
      make("div", { class: "bar" }, make("button", { type: "button", "data-key": "back", onclick: back }, "All workflows")),
      make("h2", {}, name),
      facts([
        ["id", summary.id ?? hidden("identifier")],
        ["state", word(summary.state)], ["blocked because", shown(view.mistake, "failure")],
        ["error", view.failure?.type], ["message", error(view.failure)],
        ["waits for", summary.state === "queued" ? summary.waits.join("\n") : null],
        ["started", when(summary.started)], ["ended", isOpen ? null : when(summary.ended)],
        ["round", view.round > 1 ? `${view.round}, since ${time(view.begun)}` : null],
        ["input", shown(view.input, "storedMessage")], ["result", shown(view.output, "storedMessage")],
      ]),
      make("div", { class: "bar" }, ...this.operations(overview, view, name, redraw)),
      make("h2", {}, "Steps"),
      view.steps.length + view.waits.length
        ? make("p", { class: "hint" }, `The bars run from ${time(view.begun)} to ${isOpen ? "now" : time(end)}: ${took(axis.span)}. A bar begins at the earliest time at which the code can have asked for the step.`)
        : make("p", { class: "hint" }, "No steps."),
      view.omitted ? make("div", { class: "bar" },
        make("span", { class: "hint" }, `${view.omitted} earlier steps aren't shown.`),
        this.steps < 500 ? make("button", { type: "button", "data-key": "earlier", onclick: () => { this.steps = Math.min(500, this.steps + stepCount); return redraw(); } }, "Show earlier steps") : null) : "",
      make("ol", { class: "timeline" },
        ...view.steps.map((step) => this.step(summary.instance, step, axis, false)),
        ...view.waits.map((step) => this.step(summary.instance, step, axis, true))),
    ];
  },
  step(instance, step, axis, isWait) {
    const place = `${instance} ${isWait ? "wait" : "step"} ${step.step} ${step.done ?? ""}`;
    const share = (date) => Math.min(100, Math.max(0, ((date - axis.begun) / axis.span) * 100));
    const isBad = Boolean(step.failure);
    const x = Math.min(share(step.asked), 99.4);
    const width = Math.max(0.6, share(isWait ? axis.now : step.done) - x);
    const bar = draw("svg", { class: "time", height: 10, width: "100%", "aria-hidden": "true" },
      draw("rect", { class: "track", y: 4, height: 2, width: "100%" }),
      draw("rect", { class: isWait ? "span wait" : isBad ? "span bad" : "span", x: `${x}%`, width: `${width}%`, height: 10, rx: 2 }));
    const mark = isWait ? ["wait", isBad ? `waits, ${step.attempts} failed` : "waits"] : isBad ? ["bad", "failed"] : step.attempts > 1 ? ["quiet", `${step.attempts} attempts`] : null;
    return make("li", {}, make("details", {
      class: "step", open: this.open.has(place),
      ontoggle: (event) => (event.currentTarget.open ? this.open.add(place) : this.open.delete(place)),
    },
    make("summary", { "data-key": place },
      make("span", { class: "number" }, step.step ? String(step.step) : ""),
      make("span", { class: "title" }, step.title, mark ? make("span", { class: mark[0] }, ` ${mark[1]}`) : null),
      bar,
      make("span", { class: "took" }, isWait ? (step.due ? `until ${time(step.due).slice(0, 16)}` : "") : took(step.done - step.asked))),
    facts([
      ["asked", when(step.asked)], ["done", step.done === undefined ? null : when(step.done)],
      [step.attempts && isWait ? "next attempt" : "until", step.due === undefined ? null : when(step.due)],
      [isWait ? "failed attempts" : "attempts", step.attempts ? String(step.attempts) : null],
      ["input", shown(step.input, "storedMessage")],
      ["result", shown(step.result, step.kind === "workflow" ? "identifier" : "storedMessage")],
      ["ended as", step.childState], ["error", step.failure?.type], ["message", error(step.failure)],
    ])));
  },
  /** Makes the buttons. An operation that loses or repeats something needs a second click. */
  operations(overview, view, name, redraw) {
    const { instance, state, ended } = view.summary;
    const button = (verb, words, question) => {
      const key = `${instance} ${verb}`;
      const asks = question !== null && this.confirming === key;
      const act = async () => {
        this.confirming = null;
        try {
          await ask(`workflows/${verb}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ store: this.store, instance }) });
          this.message = outcomes[verb];
        } catch (failure) {
          this.message = failure.message;
        }
        await redraw();
      };
      return make("button", {
        type: "button", disabled: !overview.allowsWrites, "data-verb": verb, "data-key": key,
        "aria-label": asks ? `${question} ${name}` : `${words} ${name}`,
        title: overview.allowsWrites ? null : "The inspector is read-only.",
        onclick: () => {
          if (question === null || asks) return act();
          this.confirming = key;
          return redraw();
        },
      }, asks ? question : words);
    };
    const isOpen = ended === undefined;
    const isStuck = state === "blocked" || view.waits.some((step) => step.attempts > 0);
    return [
      isOpen && isStuck ? button("retry", "Retry now", null) : null,
      state === "failed" ? button("retry", "Retry", "Repeat the failed step?") : null,
      isOpen ? button("cancel", "Cancel", "Cancel, and let it compensate?") : null,
      isOpen ? button("terminate", "Terminate", "End it without compensation?") : null,
    ];
  },
};
