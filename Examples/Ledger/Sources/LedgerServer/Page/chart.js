// SPDX-License-Identifier: Apache-2.0

import { amountElement, noteScale, parsed } from "./amounts.js";
import { byId, element, oneAtATime, shape } from "./dom.js";

const height = 200;
const margin = { top: 12, right: 12, bottom: 24 };
const day = 86_400_000;
const patience = 20; // maximum number of reloads
const fewest = 5; // number of reloads after which unchanged series are current, because not each change of the ledger changes them
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Quantities over time, as a step chart.
///
/// `prefix` is the prefix of the identifiers of its elements. `fetchSeries` returns the series of the selected account:
/// `{ commodity, points: [{ date, quantity }] }`. The server computes them after the balances, so the chart is reloaded until
/// `isCurrent` returns true for an account and its series, or else until they have changed and no longer change.
export function chartView({ prefix, label, fetchSeries, isCurrent }) {
  const figure = byId(prefix);
  const plot = byId(`${prefix}-plot`);
  const choice = byId(`${prefix}-choice`);
  const select = byId(`${prefix}-commodity`);
  const reading = byId(`${prefix}-reading`);

  let account = null;
  let series = []; // { commodity, points: [{ time, date, quantity, value }] }
  let commodity = null; // the selected commodity; it is kept for other accounts
  let cursor = null; // the highlighted point, or null for the last point
  let missed = 0; // number of consecutive reloads without the current series
  let previous = ""; // the series of the previous reload
  let outdated = ""; // the series before the last change of the ledger
  let isWatched = false; // whether the pointer or the focus is in the chart

  const load = oneAtATime(async () => {
    if (account === null) return;
    const asked = account;
    let answer = [];
    let hasFailed = false;
    try {
      answer = await fetchSeries(asked);
    } catch {
      // Without a history there is no chart. The register shows the error.
      hasFailed = true;
    }
    if (asked !== account) return;
    series = answer.filter(({ points }) => points.length > 0).map(({ commodity, points }) => ({
      commodity,
      points: points.map(({ date, quantity }) => ({
        date,
        time: Date.parse(`${date}T00:00:00Z`),
        quantity: parsed(quantity),
        value: Number(quantity),
      })),
    }));
    for (const { commodity, points } of series) for (const { quantity } of points) noteScale(commodity, quantity);
    offerCommodities();
    draw();
    const now = JSON.stringify(answer);
    const isSettled = !hasFailed && now === previous && (now !== outdated || missed >= fewest);
    const isDone = isCurrent ? isCurrent(asked, series) : isSettled;
    previous = now;
    if (isDone) missed = 0;
    else if (missed < patience) {
      missed += 1;
      load();
    }
  }, 1_000);

  /// Lists the commodities. The commodity with the most days is shown until another is selected.
  function offerCommodities() {
    const names = series.map(({ commodity }) => commodity);
    const offered = Array.from(select.options, (option) => option.value);
    if (names.join("\n") !== offered.join("\n")) {
      select.replaceChildren(...names.map((name) => element("option", { value: name }, name || "no commodity")));
    }
    choice.hidden = names.length < 2;
    if (names.length > 0) select.value = current().commodity;
  }

  function current() {
    return series.find((one) => one.commodity === commodity)
      ?? series.reduce((left, right) => (right.points.length > left.points.length ? right : left));
  }

  function draw() {
    figure.hidden = series.length === 0;
    if (figure.hidden) return;
    const width = Math.max(Math.floor(plot.clientWidth), 200);
    const { commodity: name, points } = current();
    cursor = cursor === null ? null : Math.min(cursor, points.length - 1);

    const values = points.map(({ value }) => value);
    const levels = ticks(Math.min(0, ...values), Math.max(0, ...values), 4);
    const labels = shortened(levels);
    const left = 14 + 7 * Math.max(...labels.map((label) => label.length));
    const [low, high] = [levels[0], levels.at(-1)];
    const [first, last] = [points[0].time, points.at(-1).time];
    const x = (time) => first === last
      ? (left + width - margin.right) / 2
      : left + ((time - first) / (last - first)) * (width - margin.right - left);
    const y = (value) => margin.top + ((high - value) / (high - low)) * (height - margin.top - margin.bottom);

    const rows = levels.map((level, index) => shape(
      "g",
      { class: level === 0 ? "level zero" : "level" },
      shape("line", { x1: left, x2: width - margin.right, y1: y(level), y2: y(level) }),
      shape("text", { x: left - 8, y: y(level), dy: "0.32em", "text-anchor": "end" }, labels[index]),
    ));
    const columns = dayTicks(first, last, (width - left) / 76).map(({ time, label }) => shape(
      "g",
      { class: "day" },
      shape("line", { x1: x(time), x2: x(time), y1: y(low), y2: y(low) + 4 }),
      shape("text", { x: x(time), y: height - 5, "text-anchor": anchor(x(time), left, width) }, label),
    ));
    const line = points.map(({ time, value }, index) =>
      index === 0 ? `M${x(time)} ${y(value)}` : `H${x(time)}V${y(value)}`).join("");
    const area = `${line}V${y(0)}H${x(first)}Z`;
    const mark = shape("g", { class: "mark" }, shape("line", { y1: margin.top, y2: y(low) }), shape("circle", { r: 4.5 }));

    const svg = shape(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "slider",
        tabindex: 0,
        "aria-label": label,
        "aria-orientation": "horizontal",
        "aria-valuemin": 1,
        "aria-valuemax": points.length,
      },
      rows,
      columns,
      shape("path", { class: "area", d: area }),
      shape("path", { class: "line", d: line }),
      mark,
    );

    function read(index) {
      cursor = index;
      const point = points[index ?? points.length - 1];
      mark.setAttribute("transform", `translate(${x(point.time)} 0)`);
      mark.lastChild.setAttribute("cy", y(point.value));
      mark.classList.toggle("read", isWatched);
      const amount = amountElement(point.quantity, name);
      reading.replaceChildren(element("time", { datetime: point.date }, spelled(point.date)), " ", amount);
      svg.setAttribute("aria-valuenow", (index ?? points.length - 1) + 1);
      svg.setAttribute("aria-valuetext", `${spelled(point.date)}: ${amount.textContent}`);
    }

    svg.addEventListener("pointermove", (event) => {
      isWatched = true;
      const at = event.clientX - svg.getBoundingClientRect().left;
      read(lastIndex(points, (point) => x(point.time) <= at));
    });
    svg.addEventListener("pointerleave", () => {
      isWatched = document.activeElement === svg;
      read(isWatched ? cursor : null);
    });
    svg.addEventListener("focus", () => {
      isWatched = true;
      read(cursor ?? points.length - 1);
    });
    svg.addEventListener("blur", () => {
      if (!svg.isConnected) return; // replaced by a newer drawing
      isWatched = false;
      read(null);
    });
    svg.addEventListener("keydown", (event) => {
      const here = cursor ?? points.length - 1;
      const stride = Math.max(1, Math.round(points.length / 10));
      const index = {
        ArrowLeft: here - 1,
        ArrowDown: here - 1,
        ArrowRight: here + 1,
        ArrowUp: here + 1,
        PageDown: here - stride,
        PageUp: here + stride,
        Home: 0,
        End: points.length - 1,
      }[event.key];
      if (index === undefined) return;
      event.preventDefault();
      isWatched = true;
      read(Math.min(Math.max(index, 0), points.length - 1));
    });

    const hadFocus = plot.contains(document.activeElement);
    plot.replaceChildren(svg);
    if (hadFocus) svg.focus();
    read(cursor);
  }

  select.addEventListener("change", () => {
    commodity = select.value;
    cursor = null;
    draw();
  });
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (plot.clientWidth === drawnWidth) return;
    drawnWidth = plot.clientWidth;
    draw();
  }).observe(plot);

  return {
    /// Selects another account.
    open(name) {
      account = name;
      series = [];
      cursor = null;
      missed = 0;
      previous = "";
      outdated = "";
      draw();
    },

    /// Reloads the history after a change of the account.
    refresh() {
      missed = 0;
      outdated = previous;
      load();
    },
  };
}

/// The last index whose element fulfils `holds`, or 0. The balance of a day is valid until the next change.
function lastIndex(elements, holds) {
  let index = 0;
  while (index + 1 < elements.length && holds(elements[index + 1])) index += 1;
  return index;
}

/// Round numbers from at most `low` to at least `high`, about `count` steps apart.
function ticks(low, high, count) {
  if (low === high) return [0, 1];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const numbers = [];
  for (let index = Math.floor(low / step); index <= Math.ceil(high / step); index += 1) numbers.push(index * step);
  return numbers;
}

/// Formats the numbers of the axis, long numbers in thousands, millions, and so on.
function shortened(levels) {
  const largest = Math.max(...levels.map(Math.abs));
  const [unit, letter] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([size]) => largest >= 10 * size) ?? [1, ""];
  const step = (levels[1] - levels[0]) / unit;
  let digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) digits += 1; // a step of 2.5
  return levels.map((level) => {
    if (Math.abs(level) < unit * step / 2) return "0";
    const [whole, fraction] = (Math.abs(level) / unit).toFixed(digits).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return (level < 0 ? "\u2212" : "") + grouped + (fraction ? `.${fraction}` : "") + letter;
  });
}

/// The labelled days of an axis, at most `count`: the first days of years or months if possible.
function dayTicks(first, last, count) {
  const all = Math.max(2, Math.floor(count));
  for (const step of [1, 2, 7, 14]) {
    if ((last - first) / (step * day) <= all - 1) {
      const found = [];
      for (let time = first; time <= last; time += step * day) found.push({ time, label: dayLabel(time) });
      return found;
    }
  }
  for (const step of [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]) {
    const found = monthTicks(first, last, step);
    if (found.length <= all) return found.length > 0 ? found : [{ time: first, label: dayLabel(first) }];
  }
  return [{ time: first, label: dayLabel(first) }];
}

function monthTicks(first, last, step) {
  const start = new Date(first);
  const found = [];
  let month = Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step;
  for (; found.length < 64; month += step) {
    const [year, index] = [Math.floor(month / 12), month % 12];
    const time = Date.UTC(year, index, 1);
    if (time > last) break;
    if (time < first) continue;
    found.push({ time, label: index === 0 ? String(year) : step < 12 ? `${months[index]} ${String(year).slice(2)}` : String(year) });
  }
  return found;
}

function dayLabel(time) {
  const date = new Date(time);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
}

function spelled(date) {
  const [year, month, dayOfMonth] = date.split("-");
  return `${Number(dayOfMonth)} ${months[Number(month) - 1]} ${year}`;
}

/// Keeps a label at the edge within the chart.
function anchor(at, left, width) {
  if (at < left + 12) return "start";
  return at > width - margin.right - 18 ? "end" : "middle";
}
