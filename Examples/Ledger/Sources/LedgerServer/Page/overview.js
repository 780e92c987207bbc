// SPDX-License-Identifier: Apache-2.0

import { amountElements } from "./amounts.js";
import { incomeStatement, netWorth, NoAnswer } from "./api.js";
import { chartView } from "./chart.js";
import { addressOf, byId, element, followAccounts, oneAtATime, say, today } from "./dom.js";

const patience = 2_000; // before another attempt without a response, in milliseconds

/// The first view: the net worth over time, and the income statement of a period.
///
/// `choose` is called with the name of a clicked account.
export function overview(choose) {
  const section = byId("overview");
  const period = byId("period");
  const table = byId("income");
  const empty = byId("income-empty");
  const chart = chartView({ prefix: "worth", label: "Net worth over time", fetchSeries: worth });

  let rested = 0; // the time of the next reload after a change of the ledger
  let timer = null;

  const load = oneAtATime(async () => {
    if (section.hidden) return;
    const asked = period.value;
    const start = performance.now();
    let statement;
    try {
      statement = await incomeStatement({ ...bounds(asked), depth: "2" });
    } catch (error) {
      if (error instanceof NoAnswer) setTimeout(load, patience);
      else if (asked === period.value) showText(error.reason ?? error.message);
      return;
    } finally {
      // The report reads all transactions of its period, and an import changes the ledger all the time. So the server works on
      // reports of this page for at most a tenth of the time.
      rested = performance.now() + 9 * (performance.now() - start);
    }
    if (asked === period.value) show(statement);
  }, 1_000);

  function show({ income, expenses, net }) {
    if (income.lines.length + expenses.lines.length === 0) {
      showText("There is no income and there are no expenses in this period.");
      return;
    }
    table.hidden = false;
    empty.hidden = true;
    table.replaceChildren(
      ...group("Income", income),
      ...group("Expenses", expenses),
      element("tbody", {}, row("total", element("th", { scope: "row" }, "Net income"), net)),
    );
  }

  /// Shows a text in place of the table.
  function showText(text) {
    table.hidden = true;
    empty.hidden = false;
    say(empty, text);
  }

  function group(title, { lines, total }) {
    if (lines.length === 0) return [];
    return [element(
      "tbody",
      {},
      element("tr", {}, element("th", { scope: "rowgroup", colspan: 2, class: "group" }, title)),
      lines.map(({ account, amounts }) => row("", element(
        "th",
        { scope: "row", class: "account" },
        element("a", { href: addressOf(account), "data-account": account }, account),
      ), amounts)),
      row("sum", element("th", { scope: "row" }, `Total ${title.toLowerCase()}`), total),
    )];
  }

  function row(kind, name, amounts) {
    return element("tr", { class: kind }, name, element("td", { class: "number" }, amountElements(amounts)));
  }

  /// Reloads the view after a change of the ledger.
  function refresh() {
    nameDownload();
    timer ??= setTimeout(() => {
      timer = null;
      load();
    }, rested - performance.now());
    chart.refresh();
  }

  function nameDownload() {
    byId("csv-income").href = `/api/income-statement.csv?${new URLSearchParams(bounds(period.value))}`;
  }

  period.addEventListener("change", () => {
    // The amounts of the previous period must not stand under the name of the new period.
    showText("Loading\u2026");
    nameDownload();
    load();
  });
  followAccounts(section, choose);

  return {
    /// Shows or hides the view.
    show(isShown) {
      section.hidden = !isShown;
      if (isShown) chart.open("");
    },

    refresh,
  };
}

async function worth() {
  const series = new Map();
  for (const { month, commodity, net } of (await netWorth()).months) {
    if (!series.has(commodity)) series.set(commodity, []);
    const [year, number] = month.split("-").map(Number);
    const last = new Date(Date.UTC(year, number, 0)).getUTCDate();
    series.get(commodity).push({ date: `${month}-${String(last).padStart(2, "0")}`, quantity: net });
  }
  return [...series].map(([commodity, points]) => ({ commodity, points }));
}

/// The first day of a period and the first day after it, as parameters of a request.
function bounds(name) {
  const [year, month] = today().split("-").map(Number);
  const day = (years, months) => {
    const date = new Date(Date.UTC(years, months - 1, 1));
    return date.toISOString().slice(0, 10);
  };
  switch (name) {
    case "month": return { begin: day(year, month), end: day(year, month + 1) };
    case "last-month": return { begin: day(year, month - 1), end: day(year, month) };
    case "year": return { begin: day(year, 1), end: day(year + 1, 1) };
    case "last-year": return { begin: day(year - 1, 1), end: day(year, 1) };
    default: return {};
  }
}
