// SPDX-License-Identifier: Apache-2.0

import { NoAnswer, reverseTransaction } from "./api.js";
import { byId, keepOpen, say, today } from "./dom.js";
import { insist, newKey } from "./retries.js";

/// The dialog that reverses a transaction after a confirmation.
///
/// `reversed` is called with the identifier of the reversed transaction.
export function reversalDialog(reversed) {
  const dialog = byId("reversal");
  const form = byId("reversal-form");
  const date = byId("reversal-date");
  const refusal = byId("reversal-refusal");
  const submit = byId("reverse");
  const keep = byId("keep");
  let transaction = null;
  let unanswered = null; // the last request without a response, with its key
  let isSending = false;

  async function send() {
    if (isSending) return;
    isSending = true;
    submit.setAttribute("aria-disabled", "true");
    keep.disabled = true;
    say(refusal, "");
    const { transaction: id } = transaction;
    const body = JSON.stringify({ date: date.value });
    if (unanswered?.id !== id || unanswered.body !== body) unanswered = { id, body, key: newKey() };
    try {
      await insist(() => reverseTransaction(id, body, unanswered.key), () => say(refusal, "The server doesn't answer. Trying again\u2026"));
      unanswered = null;
      dialog.close();
      reversed(id);
    } catch (error) {
      if (!(error instanceof NoAnswer)) unanswered = null;
      say(refusal, error instanceof NoAnswer
        ? "The server didn't answer, so the transaction may be reversed or not. Try again: it is reversed only once."
        : error.reason ?? error.message);
    } finally {
      isSending = false;
      submit.removeAttribute("aria-disabled");
      keep.disabled = false;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  keep.addEventListener("click", () => dialog.close());
  // A request that was sent can't be taken back.
  keepOpen(dialog, () => isSending);

  return {
    /// Asks whether `chosen` is to be reversed.
    open(chosen) {
      transaction = chosen;
      say(byId("reversal-what"), `${chosen.date} ${chosen.description}`.trim());
      say(refusal, "");
      date.min = chosen.date;
      date.value = today() > chosen.date ? today() : chosen.date;
      dialog.showModal();
    },
  };
}
