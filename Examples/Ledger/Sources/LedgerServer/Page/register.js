// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

import { amountElements } from "./amounts.js";
import { register as fetchRegister, transaction as fetchTransaction, NoAnswer } from "./api.js";
import { addressOf, byId, element, followAccounts, oneAtATime, say } from "./dom.js";

/// The transactions of the selected account, newest first, one page at a time. A click on a line shows the transaction.
///
/// `choose` is called with the name of a clicked account.
export function registerView(choose) {
  const table = byId("register");
  const lines = byId("lines");
  const empty = byId("register-empty");
  const pages = byId("pages");
  const [newest, newer, older] = [byId("newest"), byId("newer"), byId("older")];

  let account = null;
  let cursors = [null]; // the cursors of the pages so far; the last page is shown
  let next = null;
  const opened = new Map(); // transaction → the row with its details

  const load = oneAtATime(async () => {
    if (account === null) return;
    const [asked, cursor] = [account, cursors.at(-1)];
    let answer;
    try {
      answer = await fetchRegister(asked, cursor);
    } catch (error) {
      // Without a response, the shown lines stay. The event stream reports when the server is back.
      if (asked === account && !(error instanceof NoAnswer)) show([], error.reason ?? error.message);
      return;
    }
    if (asked !== account || cursor !== cursors.at(-1)) return;
    next = answer.next;
    show(answer.lines, "This account has no transactions.");
  }, 250);

  function show(entries, nothing) {
    const focused = document.activeElement?.closest("#lines tr")?.dataset.transaction;
    for (const id of opened.keys()) if (!entries.some(({ transaction }) => transaction === id)) opened.delete(id);
    lines.replaceChildren(...entries.flatMap((line) => [row(line), opened.get(line.transaction) ?? []].flat()));
    lines.querySelector(`tr[data-transaction="${CSS.escape(focused ?? "")}"] button`)?.focus();
    table.hidden = entries.length === 0;
    empty.hidden = entries.length > 0;
    say(empty, entries.length > 0 ? "" : nothing);
    pages.hidden = cursors.length === 1 && next === null;
    newest.disabled = newer.disabled = cursors.length === 1;
    older.disabled = next === null;
    say(byId("page-number"), pages.hidden ? "" : `Page ${cursors.length}`);
  }

  function row(line) {
    const id = line.transaction;
    const isBelow = line.account !== undefined && line.account !== account;
    const button = element(
      "button",
      { type: "button", class: "reveal", "aria-expanded": String(opened.has(id)) },
      line.description === "" ? element("span", { class: "soft" }, "No description") : line.description,
    );
    const shown = element(
      "tr",
      { role: "row", class: "line", "data-transaction": id },
      element("td", { role: "cell", class: "date" }, element("time", { datetime: line.date }, line.date)),
      element("td", { role: "cell", class: "what" }, button, isBelow ? element("span", { class: "soft below" }, line.account) : []),
      element("td", { role: "cell", class: "number" }, amountElements(line.amounts)),
      element("td", { role: "cell", class: "number total" }, amountElements(line.balance)),
    );
    button.addEventListener("click", async () => {
      if (opened.has(id)) {
        opened.get(id).remove();
        opened.delete(id);
      } else {
        const cell = element("td", { role: "cell", colspan: 4 }, element("p", { class: "soft" }, "Loading\u2026"));
        const details = element("tr", { role: "row", class: "details" }, cell);
        opened.set(id, details);
        shown.after(details);
        cell.replaceChildren(...(await postings(id)));
      }
      button.setAttribute("aria-expanded", opened.has(id));
    });
    return shown;
  }

  /// The details of a transaction.
  async function postings(id) {
    let all;
    try {
      all = await fetchTransaction(id);
    } catch (error) {
      return [element("p", { class: "refusal" }, error.reason ?? "The server doesn't answer.")];
    }
    const notes = [all.status === "unmarked" ? "" : all.status, all.code && `(${all.code})`, all.comment].filter(Boolean);
    const list = element("ul", { "aria-label": "Postings" }, all.postings.map((posting) => element(
      "li",
      {},
      element("a", { href: addressOf(posting.account), "data-account": posting.account }, posting.account),
      element(
        "span",
        { class: "number" },
        amountElements([posting.amount]),
        posting.cost ? element("span", { class: "soft" }, posting.cost) : [],
      ),
    )));
    return notes.length > 0 ? [element("p", { class: "soft" }, notes.join(" \u00b7 ")), list] : [list];
  }

  function turn(change) {
    change();
    load();
  }

  followAccounts(lines, choose);
  older.addEventListener("click", () => turn(() => { if (next !== null) cursors.push(next); }));
  newer.addEventListener("click", () => turn(() => { if (cursors.length > 1) cursors.pop(); }));
  newest.addEventListener("click", () => turn(() => { cursors = [null]; }));

  return {
    /// Selects another account.
    open(name) {
      account = name;
      cursors = [null];
      next = null;
      opened.clear();
      say(byId("account-title"), name ?? "Register");
      show([], name === null ? "Choose an account to see its transactions." : "Loading\u2026");
    },

    /// Reloads the shown page after a change of the account.
    refresh: load,

    /// Shows that the account doesn't exist. It may be created later.
    miss() {
      next = null;
      show([], `The ledger has no account '${account}'.`);
    },
  };
}
