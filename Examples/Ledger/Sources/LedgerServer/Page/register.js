// SPDX-License-Identifier: Apache-2.0

import { amountElements, parsed, shown, sum } from "./amounts.js";
import { register as fetchRegister, transaction as fetchTransaction, transactions as fetchTransactions, NoAnswer } from "./api.js";
import { addressOf, byId, element, followAccounts, oneAtATime, say } from "./dom.js";
import { filterForm } from "./filter.js";
import { reversalDialog } from "./reversal.js";

const patience = 2_000; // before another attempt without a response, in milliseconds

/// The transactions of the selected account, or of all accounts, newest first, one page at a time. A click on a line shows the
/// transaction, which can be reversed.
///
/// Without an account or with a filter, the lines have no balance. `choose` is called with the name of a clicked account.
export function registerView(choose) {
  const table = byId("register");
  const lines = byId("lines");
  const empty = byId("register-empty");
  const pages = byId("pages");
  const [newest, newer, older] = [byId("newest"), byId("newer"), byId("older")];

  let account = null;
  let cursors = [null]; // the cursors of the pages so far; the last page is shown
  let next = null; // the cursor of the page after the shown page; null if it is unknown
  const opened = new Map(); // transaction → the row with its details
  const filter = filterForm({
    changing() {
      // The cursors belong to the previous filter.
      [cursors, next] = [[null], null];
      newest.disabled = newer.disabled = older.disabled = true;
    },
    changed: () => load(),
  });
  const reversal = reversalDialog(async (id) => {
    say(byId("register-outcome"), "Reversed.");
    const cell = opened.get(id)?.firstElementChild;
    cell?.replaceChildren(...(await details(id)));
    lines.querySelector(`tr[data-transaction="${CSS.escape(id)}"] button`)?.focus();
    load();
  });

  const load = oneAtATime(async () => {
    const [asked, cursor, parameters] = [account, cursors.at(-1), filter.parameters()];
    const question = currentQuery();
    let answer;
    try {
      answer = await fetchLines(asked, parameters, cursor);
    } catch (error) {
      // Without a response, the shown lines stay until another attempt succeeds.
      if (error instanceof NoAnswer) setTimeout(load, patience);
      else if (question === currentQuery()) show([], error.reason ?? error.message);
      return;
    }
    if (question !== currentQuery() || cursor !== cursors.at(-1)) return;
    next = answer.next;
    const nothing = asked === null ? "There are no transactions yet." : "This account has no transactions.";
    show(answer.lines, isFiltered(parameters) ? "No transaction matches the filter." : nothing);
  }, 250);

  /// The selected account and the filter, as text.
  const currentQuery = () => JSON.stringify([account, filter.parameters()]);

  const isFiltered = (parameters) => Object.keys(parameters).length > 0;

  async function fetchLines(asked, parameters, cursor) {
    const hasBalances = asked !== null && !isFiltered(parameters);
    table.classList.toggle("without-balances", !hasBalances);
    const query = asked === null ? parameters : { ...parameters, account: asked };
    byId("csv-lines").href = hasBalances
      ? `/api/register.csv?${new URLSearchParams(query)}` : `/api/transactions.csv?${new URLSearchParams(query)}`;
    if (hasBalances) return fetchRegister(asked, cursor);
    const question = currentQuery();
    let page = await fetchTransactions(query, cursor);
    // A page of a search ends after a number of transactions, even if none of them matches.
    while (page.transactions.length === 0 && page.next !== null && question === currentQuery()) {
      page = await fetchTransactions(query, page.next);
    }
    return { next: page.next, lines: page.transactions.map((one) => lineOf(one, asked)) };
  }

  /// The line of a transaction: its change of an account, or the sum of its positive amounts.
  function lineOf(one, asked) {
    const counts = ({ account: name, amount }) =>
      asked === null ? !amount.quantity.startsWith("-") : name === asked || name.startsWith(`${asked}:`);
    const sums = new Map();
    for (const { amount: { commodity, quantity } } of one.postings.filter(counts)) {
      const before = sums.get(commodity);
      sums.set(commodity, before === undefined ? parsed(quantity) : sum(before, parsed(quantity)));
    }
    return { ...one, sums: [...sums], accounts: [...new Set(one.postings.map((posting) => posting.account))].join(", ") };
  }

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
    const button = element(
      "button",
      { type: "button", class: "reveal", "aria-expanded": String(opened.has(id)) },
      line.description === "" ? element("span", { class: "soft" }, "No description") : line.description,
    );
    const shownLine = element(
      "tr",
      { role: "row", class: "line", "data-transaction": id },
      element("td", { role: "cell", class: "date" }, element("time", { datetime: line.date }, line.date)),
      element("td", { role: "cell", class: "what" }, button, line.accounts ? element("span", { class: "soft below" }, line.accounts) : []),
      element("td", { role: "cell", class: "number" }, line.sums ? shown(line.sums) : amountElements(line.amounts)),
      element("td", { role: "cell", class: "number total" }, line.balance ? amountElements(line.balance) : []),
    );
    button.addEventListener("click", async () => {
      if (opened.has(id)) {
        opened.get(id).remove();
        opened.delete(id);
      } else {
        const cell = element("td", { role: "cell", colspan: 4 }, element("p", { class: "soft" }, "Loading\u2026"));
        const row = element("tr", { role: "row", class: "details" }, cell);
        opened.set(id, row);
        shownLine.after(row);
        cell.replaceChildren(...(await details(id)));
      }
      button.setAttribute("aria-expanded", opened.has(id));
    });
    return shownLine;
  }

  /// The details of a transaction.
  async function details(id) {
    let all;
    try {
      all = await fetchTransaction(id);
    } catch (error) {
      return [element("p", { class: "refusal" }, error.reason ?? "The server doesn't answer.")];
    }
    const notes = [
      all.status === "unmarked" ? "" : all.status,
      all.code && `(${all.code})`,
      all.comment,
      all.reverses && "This transaction reverses another transaction.",
      all.reversedBy && "This transaction was reversed.",
    ].filter(Boolean);
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
    const reverse = element("button", { type: "button", class: "quiet reverse" }, "Reverse\u2026");
    reverse.addEventListener("click", () => {
      say(byId("register-outcome"), "");
      reversal.open(all);
    });
    return [
      notes.length > 0 ? element("p", { class: "soft" }, notes.join(" \u00b7 ")) : [],
      list,
      all.reversedBy ? [] : element("p", {}, reverse),
    ].flat();
  }

  function turn(change) {
    change();
    // The cursor belongs to the page that was shown, so another click waits for the new page.
    next = null;
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
      say(byId("account-title"), name ?? "Latest transactions");
      say(byId("csv-lines"), name === null ? "These transactions" : "This register");
      say(byId("register-outcome"), "");
      show([], "Loading\u2026");
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
