// SPDX-License-Identifier: Apache-2.0

import { noteScale, parsed, shown, sum } from "./amounts.js";
import { addressOf, byId, eachFrame, element, followAccounts, say } from "./dom.js";

const mostMarked = 200; // if more accounts change at once, none is highlighted

/// The tree of accounts, each with its balance including subaccounts.
///
/// `choose` is called with the name of a clicked account.
export function accountTree(choose) {
  const list = byId("accounts");
  const find = byId("find");
  const empty = byId("accounts-empty");

  const balances = new Map(); // account → its own amounts, commodity → quantity
  const rows = new Map(); // account or parent of accounts → { link, amounts, text }
  let chosen = null;
  let marked; // the link of the selected account
  let hasNewNames = true;
  let isFirst = true;
  const touched = new Set();

  /// The name and the names of its parents, the longest first.
  function* upwards(name) {
    yield name;
    for (let end = name.lastIndexOf(":"); end > 0; end = name.lastIndexOf(":", end - 1)) yield name.slice(0, end);
  }

  function totals() {
    const sums = new Map();
    for (const [account, amounts] of balances) {
      for (const name of upwards(account)) {
        const total = sums.get(name) ?? sums.set(name, new Map()).get(name);
        for (const [commodity, quantity] of amounts) {
          const before = total.get(commodity);
          total.set(commodity, before === undefined ? quantity : sum(before, quantity));
        }
      }
    }
    return sums;
  }

  const draw = eachFrame(() => {
    const sums = totals();
    if (hasNewNames) layOut(sums);
    const moved = [];
    for (const name of touched) {
      const row = rows.get(name);
      if (row === undefined) continue;
      const amounts = shown([...sums.get(name)]);
      const text = amounts.map((amount) => amount.textContent).join("\n");
      if (text === row.text) continue;
      row.text = text;
      row.amounts.replaceChildren(...amounts);
      moved.push(row.link);
    }
    if (!isFirst && moved.length <= mostMarked) mark(moved);
    touched.clear();
    isFirst = false;
    drawChosen();
  });

  /// Updates the rows for the current names. Existing rows stay, so they keep the focus.
  function layOut(sums) {
    for (const [name, { link }] of rows) {
      if (sums.has(name)) continue;
      link.parentElement.remove();
      rows.delete(name);
    }
    const ordered = [...sums.keys()].map((name) => [name.replaceAll(":", "\0"), name]).sort(([left], [right]) => (left < right ? -1 : 1));
    let next = list.firstElementChild;
    for (const [, name] of ordered) {
      const known = rows.get(name)?.link.parentElement;
      if (known === undefined) list.insertBefore(made(name), next);
      else next = known.nextElementSibling;
    }
    hasNewNames = false;
    filter();
  }

  function made(name) {
    const levels = name.split(":");
    const amounts = element("span", { class: "amounts" });
    const link = element(
      "a",
      { href: addressOf(name), "data-account": name, title: name },
      element("span", { class: "name" }, levels.at(-1)),
      amounts,
    );
    rows.set(name, { link, amounts, text: "" });
    return element("li", { class: `level-${Math.min(levels.length, 6)}` }, link);
  }

  function mark(links) {
    for (const link of links) link.classList.remove("moved");
    list.getBoundingClientRect(); // restarts the animation
    for (const link of links) link.classList.add("moved");
  }

  function filter() {
    const wanted = find.value.trim().toLowerCase();
    const kept = new Set();
    for (const name of rows.keys()) {
      if (name.toLowerCase().includes(wanted)) for (const parent of upwards(name)) kept.add(parent);
    }
    for (const [name, { link }] of rows) link.parentElement.hidden = !kept.has(name);
    const nothing = rows.size === 0
      ? "There are no accounts yet. Post a transaction or import a journal."
      : "No account has such a name.";
    empty.hidden = kept.size > 0;
    say(empty, kept.size > 0 ? "" : nothing);
  }

  function drawChosen() {
    const row = rows.get(chosen);
    if (marked !== row?.link) {
      marked?.removeAttribute("aria-current");
      marked = row?.link;
      marked?.setAttribute("aria-current", "page");
    }
    const balance = byId("account-balance");
    if (balance.textContent !== (row?.amounts.textContent ?? "")) {
      balance.replaceChildren(...(row ? Array.from(row.amounts.children, (amount) => amount.cloneNode(true)) : []));
    }
  }

  function take(changes) {
    for (const { account, amounts } of changes) {
      if (!balances.has(account)) hasNewNames = true;
      const quantities = amounts.map(({ commodity, quantity }) => [commodity, parsed(quantity)]);
      for (const [commodity, quantity] of quantities) {
        if (noteScale(commodity, quantity)) for (const name of rows.keys()) touched.add(name);
      }
      balances.set(account, new Map(quantities));
      for (const name of upwards(account)) touched.add(name);
    }
    draw();
  }

  find.addEventListener("input", filter);
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const first = [...rows.values()].find(({ link }) => !link.parentElement.hidden);
    first?.link.focus();
  });
  followAccounts(list, choose);
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const links = [...list.querySelectorAll("li:not([hidden]) a")];
    links[links.indexOf(document.activeElement) + step]?.focus();
  });

  return {
    /// Sets the balances of all accounts.
    replace(all) {
      const names = new Set(all.map(({ account }) => account));
      for (const account of balances.keys()) {
        if (!names.has(account)) {
          balances.delete(account);
          hasNewNames = true;
        }
      }
      take(all);
    },

    /// Updates the balances of the changed accounts.
    change: take,

    /// Whether there is an account of this name, or a subaccount.
    has: (name) => rows.has(name) || [...balances.keys()].some((one) => one === name || one.startsWith(`${name}:`)),

    /// The names of the accounts with transactions, in order.
    names: () => [...balances.keys()].sort(),

    /// The balance of an account including subaccounts: a map from commodity to quantity.
    total: (name) => totals().get(name) ?? new Map(),

    /// Highlights the account of the register.
    mark(account) {
      chosen = account;
      drawChosen();
    },
  };
}
