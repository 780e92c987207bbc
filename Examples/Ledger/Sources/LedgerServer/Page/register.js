// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

import { amountElements } from "./amounts.js";
import { register as fetchRegister, NoAnswer } from "./api.js";
import { byId, element, oneAtATime, say } from "./dom.js";

/// What was posted to the chosen account, newest first, a page at a time.
export function registerView() {
  const table = byId("register");
  const lines = byId("lines");
  const empty = byId("register-empty");
  const pages = byId("pages");
  const [newest, newer, older] = [byId("newest"), byId("newer"), byId("older")];

  let account = null;
  let cursors = [null]; // where each page so far begins; the last is the one shown
  let next = null;

  const load = oneAtATime(async () => {
    if (account === null) return;
    const [asked, cursor] = [account, cursors.at(-1)];
    let answer;
    try {
      answer = await fetchRegister(asked, cursor);
    } catch (error) {
      // Without an answer what is shown stays; the stream says when the server is back.
      if (asked === account && !(error instanceof NoAnswer)) show([], error.reason ?? error.message);
      return;
    }
    if (asked !== account || cursor !== cursors.at(-1)) return;
    next = answer.next;
    show(answer.lines, "Nothing was posted to this account.");
  }, 250);

  function show(entries, nothing) {
    lines.replaceChildren(...entries.map(row));
    table.hidden = entries.length === 0;
    empty.hidden = entries.length > 0;
    say(empty, entries.length > 0 ? "" : nothing);
    pages.hidden = cursors.length === 1 && next === null;
    newest.disabled = newer.disabled = cursors.length === 1;
    older.disabled = next === null;
    say(byId("page-number"), pages.hidden ? "" : `Page ${cursors.length}`);
  }

  function row(line) {
    const isBelow = line.account !== undefined && line.account !== account;
    return element(
      "tr",
      { role: "row", "data-transaction": line.transaction },
      element("td", { role: "cell", class: "date" }, element("time", { datetime: line.date }, line.date)),
      element(
        "td",
        { role: "cell", class: "what" },
        line.description === "" ? element("span", { class: "soft" }, "No description") : line.description,
        isBelow ? element("span", { class: "soft below" }, line.account) : [],
      ),
      element("td", { role: "cell", class: "number" }, amountElements(line.amounts)),
      element("td", { role: "cell", class: "number total" }, amountElements(line.balance)),
    );
  }

  function turn(change) {
    change();
    load();
  }

  older.addEventListener("click", () => turn(() => { if (next !== null) cursors.push(next); }));
  newer.addEventListener("click", () => turn(() => { if (cursors.length > 1) cursors.pop(); }));
  newest.addEventListener("click", () => turn(() => { cursors = [null]; }));

  return {
    /// Shows another account, of which nothing is known yet.
    open(name) {
      account = name;
      cursors = [null];
      next = null;
      say(byId("account-title"), name ?? "Register");
      show([], name === null ? "Choose an account to see what was posted to it." : "Loading\u2026");
    },

    /// Reads the page that is shown again, as something was posted to the account.
    refresh: load,

    /// Says that there is no such account in the books; it may come.
    miss() {
      next = null;
      show([], `The books have no account '${account}'.`);
    },
  };
}
