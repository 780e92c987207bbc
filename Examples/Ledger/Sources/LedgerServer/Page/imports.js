// SPDX-License-Identifier: Apache-2.0

import { NoAnswer, Refusal, startImport, steerImport } from "./api.js";
import { byId, element, say } from "./dom.js";

const states = { queued: "Waiting", running: "Running", paused: "Paused", finished: "Finished", failed: "Failed" };

/// The panel that imports journals and shows their progress.
export function importPanel() {
  const form = byId("import");
  const file = byId("file");
  const missing = byId("missing");
  const list = byId("imports");
  const refusal = byId("import-refusal");
  const outcome = byId("import-outcome");
  const start = byId("start-import");
  const items = new Map(); // identifier → its elements
  let isSending = false;

  async function send() {
    const [chosen] = file.files;
    say(refusal, "");
    say(outcome, "");
    if (isSending) return;
    if (chosen === undefined) {
      say(refusal, "Choose a journal first.");
      file.focus();
      return;
    }
    isSending = true;
    start.setAttribute("aria-disabled", "true");
    say(outcome, "Sending\u2026");
    try {
      await startImport(chosen, missing.value);
      say(outcome, "");
      form.reset();
    } catch (error) {
      say(outcome, "");
      say(refusal, reason(error, "The journal was not sent, because the server doesn't answer. Try again: no transaction is posted twice."));
    } finally {
      isSending = false;
      start.removeAttribute("aria-disabled");
    }
  }

  function reason(error, otherwise) {
    if (error instanceof Refusal) return error.reason;
    return error instanceof NoAnswer && error.message !== "" && !/fetch/i.test(error.message) ? error.message : otherwise;
  }

  function make(id, name) {
    const progress = element("progress", { max: 1, value: 0, "aria-label": `Import of ${name}` });
    const percent = element("span", { class: "percent" });
    const state = element("span", { class: "state", role: "status" });
    const counts = element("span", { class: "counts" });
    const error = element("p", { class: "refusal" });
    const button = element("button", { type: "button", class: "quiet" });
    button.addEventListener("click", async () => {
      button.setAttribute("aria-disabled", "true");
      try {
        change(await steerImport(id, button.dataset.verb));
      } catch (failure) {
        say(refusal, reason(failure, "The server doesn't answer."));
      } finally {
        button.removeAttribute("aria-disabled");
      }
    });
    const item = element(
      "li",
      { "data-import": id },
      element("p", { class: "file" }, element("strong", { title: name }, name), button),
      element("p", { class: "bar" }, progress, percent),
      element("p", { class: "soft" }, state, " ", counts),
      error,
    );
    list.prepend(item);
    const shown = { item, progress, percent, state, counts, error, button, name, done: 0 };
    items.set(id, shown);
    return shown;
  }

  function change(one) {
    const shown = items.get(one.id) ?? make(one.id, one.name);
    // An event that was sent before the response to a click can arrive after it.
    if (one.done < shown.done) return;
    shown.done = one.done;
    const isFinished = one.state === "finished";
    const part = isFinished ? 1 : one.total > 0 ? Math.min(one.done / one.total, 1) : 0;
    shown.item.dataset.state = one.state;
    shown.progress.value = part;
    // 100% is shown only after the end.
    say(shown.percent, `${isFinished ? 100 : Math.min(Math.floor(part * 100), 99)}%`);
    say(shown.state, states[one.state] ?? one.state);
    say(shown.counts, `\u00b7 ${sentence(one)}`);
    say(shown.error, one.error ? new Refusal(0, one.error).reason : "");
    const verb = { running: "pause", queued: "pause", paused: "resume" }[one.state];
    if (verb === undefined && document.activeElement === shown.button) byId("imports-title").focus();
    shown.button.hidden = verb === undefined;
    if (verb !== undefined) {
      shown.button.dataset.verb = verb;
      say(shown.button, verb === "pause" ? "Pause" : "Resume");
      shown.button.setAttribute("aria-label", `${shown.button.textContent} the import of ${one.name}`);
    }
  }

  /// Says in one sentence what the import has done and what it hasn't.
  function sentence({ state, done, total, atomic, posted, known }) {
    const count = (number) => `${number.toLocaleString("en-US")} transaction${number === 1 ? "" : "s"}`;
    const before = known > 0 ? `, ${known.toLocaleString("en-US")} ${known === 1 ? "was" : "were"} posted before` : "";
    const rest = count(Math.max(total - done, 0));
    switch (state) {
      case "finished":
        return `${count(posted)} posted${before}, and the whole journal is in the ledger.`;
      case "failed":
        if (posted + known === 0) return "Nothing was posted.";
        return `${count(posted)} posted${before}, and ${rest} not; import the corrected journal again, and none is posted twice.`;
      case "paused":
        return `${count(posted)} posted${before}, and ${rest} not until you resume the import.`;
      default:
        if (atomic) return `${count(total)} to post, all of them or none.`;
        return `${count(posted)} posted so far${before}.`;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  return {
    /// Shows exactly these imports, in the order of their starts.
    replace(all) {
      const ids = new Set(all.map(({ id }) => id));
      for (const [id, { item }] of items) {
        if (ids.has(id)) continue;
        item.remove();
        items.delete(id);
      }
      // A server that was restarted with an older database has the truth, too.
      for (const shown of items.values()) shown.done = 0;
      for (const one of all) change(one);
    },

    change,
  };
}
