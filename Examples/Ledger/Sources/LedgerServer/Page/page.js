// SPDX-License-Identifier: Apache-2.0

import { accountTree } from "./accounts.js";
import { difference, parsed } from "./amounts.js";
import { history } from "./api.js";
import { chartView } from "./chart.js";
import { addressOf, byId, say } from "./dom.js";
import { transactionForm } from "./form.js";
import { importPanel } from "./imports.js";
import { overview } from "./overview.js";
import { registerView } from "./register.js";
import { follow } from "./stream.js";

const accounts = accountTree(choose);
const register = registerView(choose);
const chart = chartView({
  prefix: "chart",
  label: "Balance over time",
  fetchSeries: async (account) => (await history(account)).series,
  isCurrent: endsWithTheBalance,
});
const first = overview(choose);
const imports = importPanel();
transactionForm(accounts.names);

let chosen = null;
let isKnown = false; // whether the state has arrived

function endsWithTheBalance(account, series) {
  for (const [name, quantity] of accounts.total(account)) {
    const last = series.find(({ commodity }) => commodity === name)?.points.at(-1).quantity ?? parsed("0");
    if (difference(last, quantity) !== 0n) return false;
  }
  return true;
}

function open(name) {
  chosen = name;
  first.show(name === null);
  byId("account-balance").hidden = name === null;
  document.title = name === null ? "Ledger" : `${name} \u2013 Ledger`;
  accounts.mark(name);
  register.open(name);
  chart.open(name);
  refresh();
}

function choose(name) {
  window.history.pushState(null, "", addressOf(name));
  open(name);
  // In the layout with one column, the register is far from the clicked link.
  if (window.matchMedia("(max-width: 46rem)").matches) byId("account-title").focus();
}

function openWhatTheAddressNames() {
  open(new URLSearchParams(window.location.search).get("account"));
}

/// Reloads the selected account if it is in `moved`, or if all accounts may have changed.
function refresh(moved) {
  if (!isKnown) return;
  if (chosen === null) {
    first.refresh();
    register.refresh();
    return;
  }
  if (moved && !moved.some(({ account }) => account === chosen || account.startsWith(`${chosen}:`))) return;
  if (!accounts.has(chosen)) {
    register.miss();
    return;
  }
  register.refresh();
  chart.refresh();
}

function count(transactions) {
  say(byId("count"), `${transactions.toLocaleString("en-US")} transaction${transactions === 1 ? "" : "s"}`);
}

follow({
  connection(state) {
    const words = { live: "Live", lost: "Reconnecting" };
    byId("connection").dataset.state = state;
    say(byId("connection"), words[state]);
    byId("banner").hidden = state === "live";
    say(byId("banner"), state === "live" ? "" : "The server doesn't answer. The page may be outdated; trying again.");
  },
  state(state) {
    accounts.replace(state.balances);
    imports.replace(state.imports);
    count(state.transactions);
    isKnown = true;
    refresh();
  },
  balances(change) {
    accounts.change(change.balances);
    count(change.transactions);
    refresh(change.balances);
  },
  import: imports.change,
});

byId("home").addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose(null);
});
window.addEventListener("popstate", openWhatTheAddressNames);
openWhatTheAddressNames();
