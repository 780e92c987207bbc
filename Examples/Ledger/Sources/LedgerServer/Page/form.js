// SPDX-License-Identifier: Apache-2.0

import { noteScale, parsed, typed, written } from "./amounts.js";
import { postTransaction, Refusal, transaction } from "./api.js";
import { byId, element, say, today } from "./dom.js";
import { insist, newKey } from "./retries.js";

/// The form that posts a transaction.
///
/// `names` returns the account names for completion.
export function transactionForm(names) {
  const form = byId("post");
  const list = byId("postings");
  const refusal = byId("refusal");
  const outcome = byId("outcome");
  const understood = byId("understood");
  const submit = byId("submit");
  let made = 0;
  let isPosting = false;

  // The last request without a response, with its key. The same request is sent again with the same key.
  let unanswered = null;

  // The identifier of the transaction whose amounts are shown; null after another submission.
  let latest = null;

  function addPosting() {
    made += 1;
    const isFirst = list.childElementCount === 0;
    const account = element("input", {
      id: `account-${made}`, class: "account", list: "known-accounts", spellcheck: false, autocapitalize: "none",
      placeholder: isFirst ? "expenses:food" : "assets:cash", "aria-describedby": "postings-hint",
    });
    const amount = element("input", {
      id: `amount-${made}`, class: "number", inputmode: "text", placeholder: isFirst ? "12.30 EUR" : "filled in", "aria-describedby": "postings-hint",
    });
    const remove = element("button", { type: "button", class: "quiet remove" }, "\u00d7");
    const row = element(
      "div",
      { class: "posting", role: "group" },
      element("label", { class: "hidden", for: account.id }, "Account"),
      account,
      element("label", { class: "hidden", for: amount.id }, "Amount"),
      amount,
      remove,
    );
    remove.addEventListener("click", () => {
      const index = rows().indexOf(row);
      row.remove();
      while (rows().length < 2) addPosting();
      number();
      accountOf(rows()[Math.min(index, rows().length - 1)]).focus();
    });
    list.append(row);
    number();
    return row;
  }

  const rows = () => Array.from(list.children);
  const accountOf = (row) => row.querySelector("input.account");
  const amountOf = (row) => row.querySelector("input.number");

  function number() {
    for (const [index, row] of rows().entries()) {
      row.setAttribute("aria-label", `Posting ${index + 1}`);
      row.querySelector(".remove").setAttribute("aria-label", `Remove posting ${index + 1}`);
    }
  }

  /// The rows with input. Empty rows are ignored.
  function used() {
    return rows().filter((row) => accountOf(row).value.trim() !== "" || typed(amountOf(row).value) !== null);
  }

  function draft() {
    return {
      date: byId("date").value,
      description: byId("description").value.trim(),
      code: byId("code").value.trim(),
      comment: "",
      postings: used().map((row) => ({ account: accountOf(row).value.trim(), amount: typed(amountOf(row).value) })),
    };
  }

  async function post() {
    if (isPosting) return;
    isPosting = true;
    submit.setAttribute("aria-disabled", "true");
    clearRefusal();
    say(outcome, "");
    latest = null;
    say(understood, "");
    const body = JSON.stringify(draft());
    if (unanswered?.body !== body) unanswered = { body, key: newKey() };
    try {
      const { body: text, key } = unanswered;
      const posted = await insist(
        () => postTransaction(text, key),
        () => say(outcome, "The server doesn't answer. Trying again\u2026"),
      );
      unanswered = null;
      clear();
      say(outcome, "Posted.");
      showUnderstood(posted.transaction);
    } catch (error) {
      say(outcome, "");
      if (error instanceof Refusal) {
        unanswered = null;
        refuse(error.reason, fieldOf(error));
      } else {
        refuse(
          "The server didn't answer, so the transaction may be posted or not. Post it again, unchanged: it is posted only once.",
          submit,
        );
      }
    } finally {
      isPosting = false;
      submit.removeAttribute("aria-disabled");
    }
  }

  /// Shows the amounts of the posted transaction as the server has understood them.
  async function showUnderstood(id) {
    latest = id;
    let postings;
    try {
      ({ postings } = await transaction(id));
    } catch {
      // The transaction is posted. The register shows its amounts, too.
      return;
    }
    if (latest !== id) return;
    const texts = postings.map(({ account, amount: { commodity, quantity } }) => {
      const value = parsed(quantity);
      noteScale(commodity, value);
      return `${written(value, commodity)} ${commodity} to ${account}`.replace("  ", " ");
    });
    say(understood, `${texts.join("; ")}.`);
  }

  function clear() {
    for (const row of rows().slice(2)) row.remove();
    for (const row of rows()) for (const input of row.querySelectorAll("input")) input.value = "";
    byId("description").value = "";
    byId("code").value = "";
    byId("description").focus();
  }

  /// The input with the error, from the field in the response or else from its code.
  function fieldOf({ field, code, message }) {
    const sent = used();
    const [, index, part] = /^postings[.[](\d+)\]?(?:\.(\w+))?/.exec(field ?? "") ?? [];
    if (index !== undefined && sent[index]) return part === "amount" ? amountOf(sent[index]) : accountOf(sent[index]);
    if (field === "date" || field === "description" || field === "code") return byId(field);

    const all = rows();
    const [, numbered] = /^Posting (\d+)\b/.exec(message) ?? [];
    if (sent[numbered - 1]) return (/account/i.test(code) ? accountOf : amountOf)(sent[numbered - 1]);

    const named = sent.find((row) => accountOf(row).value.trim() !== "" && message.includes(`'${accountOf(row).value.trim()}'`));
    switch (code) {
      case "noPostings":
        return accountOf(all[0]);
      case "singlePosting":
        return accountOf(all.find((row) => accountOf(row).value.trim() === "") ?? all[0]);
      case "severalElidedAmounts":
        return amountOf(sent.find((row) => typed(amountOf(row).value) === null) ?? all[0]);
      case "unbalanced":
      case "overflow":
        return amountOf(sent.findLast((row) => typed(amountOf(row).value) !== null) ?? all[0]);
      default:
        if (/date|day\b/i.test(code)) return byId("date");
        return named ? amountOf(named) : accountOf(sent[0] ?? all[0]);
    }
  }

  function refuse(message, field) {
    say(refusal, message);
    if (field !== submit) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-errormessage", "refusal");
    }
    field.focus();
  }

  function clearRefusal() {
    say(refusal, "");
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-errormessage");
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    post();
  });
  form.addEventListener("input", (event) => {
    event.target.removeAttribute("aria-invalid");
    say(outcome, "");
  });
  // There may be thousands of names, so they are added only when the user starts to type an account.
  list.addEventListener("focusin", () => {
    const known = byId("known-accounts");
    const all = names();
    if (known.childElementCount === all.length) return;
    known.replaceChildren(...all.map((name) => element("option", { value: name })));
  });
  byId("add-posting").addEventListener("click", () => accountOf(addPosting()).focus());

  byId("date").value = today();
  addPosting();
  addPosting();
}
