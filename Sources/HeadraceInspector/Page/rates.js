// The pane of the rates: charts of the last two minutes.
import { make, took } from "./elements.js";
import { draw, ifChanged } from "./panes.js";
import { ask } from "./requests.js";

const plot = { height: 180, left: 58, right: 8, bottom: 26, top: 12 };
const marks = [[0, "−2 min"], [0.25, "−90 s"], [0.5, "−1 min"], [0.75, "−30 s"], [1, "now"]];

/** The smallest number of the form 1, 2, 5 times a power of ten that isn't below `value`. */
function rounded(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * 0.9999);
}

/** A chart of one second in each column, drawn in pixels of the page, so that its text has the same size at each width. */
class Chart {
  constructor(label, top, unit, width, count) {
    Object.assign(this, { top, width, count });
    const { height, bottom, left, right } = plot;
    this.svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    for (const share of [0, 0.5, 1]) {
      const y = this.y(share * top);
      this.svg.append(
        draw("line", { class: share ? "grid" : "axis", x1: left, x2: width - right, y1: y, y2: y }),
        draw("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, unit(share * top)));
    }
    for (const [share, words] of marks) {
      // Five marks don't fit on a phone.
      if (width < 420 && share % 0.5) continue;
      const x = left + share * (width - left - right);
      this.svg.append(
        draw("line", { class: "axis", x1: x, x2: x, y1: height - bottom, y2: height - bottom + 5 }),
        draw("text", { x, y: height - 6, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, words));
    }
  }

  x(index) { return plot.left + (index * (this.width - plot.left - plot.right)) / this.count; }

  y(value) { return plot.height - plot.bottom - (value / this.top) * (plot.height - plot.bottom - plot.top); }

  bars(values, name) {
    const width = Math.max(1, this.x(1) - this.x(0) - 1);
    values.forEach((value, index) => {
      if (value > 0) this.svg.append(draw("rect", { class: name, x: this.x(index), y: this.y(value), width, height: this.y(0) - this.y(value) }));
    });
  }

  curve(values, name) {
    let path = "";
    values.forEach((value, index) => {
      if (value === undefined) return;
      const [x, y] = [this.x(index + 0.5).toFixed(1), this.y(value).toFixed(1)];
      const isBegun = values[index - 1] !== undefined;
      path += `${isBegun ? "L" : "M"}${x} ${y}`;
      // A line needs two points.
      if (!isBegun && values[index + 1] === undefined) this.svg.append(draw("circle", { class: `dot ${name}`, cx: x, cy: y, r: 2.5 }));
    });
    if (path) this.svg.append(draw("path", { class: `curve ${name}`, d: path }));
  }
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const perSecond = (value) => `${value}/s`;

function bars(label, width, values, failures) {
  const highest = Math.max(...values);
  const chart = new Chart(`${label}, at most ${highest} per second`, Math.max(2, rounded(highest || 1)), perSecond, width, values.length);
  chart.bars(values, "bar-all");
  chart.bars(failures, "bar-bad");
  return chart.svg;
}

function curves(label, width, lines) {
  const values = lines.flatMap(([, values]) => values.filter((value) => value !== undefined));
  const highest = Math.max(0.01, ...values);
  const chart = new Chart(`${label}, at most ${took(highest)}`, rounded(highest), took, width, lines[0][1].length);
  for (const [name, values] of lines) chart.curve(values, name);
  return chart.svg;
}

const key = (name, words) => make("span", { class: "key" }, make("span", { class: `swatch ${name}` }), words);

export const rates = {
  circuits: [],
  async refresh(element) {
    this.circuits = await ask("circuits");
    this.draw(element, await ask("rates"));
  },
  draw(element, view) {
    // The width of a column of `.charts`, less the padding of a card.
    const available = element.clientWidth;
    const columns = Math.max(1, Math.floor((available + 12) / 332));
    const width = Math.max(240, Math.floor((available - (columns - 1) * 12) / columns) - 28);
    ifChanged(element, [view, this.circuits, width], () => {
      const points = view.points;
      const totals = points.map((point) => sum(point.counts));
      const failures = points.map((point) => point.failures);
      const card = (title, svg, ...words) => make("div", { class: "card" }, make("h2", {}, title), svg, make("p", { class: "hint" }, ...words));
      const charts = [
        card("All messages", bars("All messages", width, totals, failures),
          key("all", "messages"), key("bad", "failures"), `${sum(totals)} in two minutes, ${sum(failures)} failed.`),
        card("Latency", curves("Latency", width, [["median", points.map((point) => point.median)], ["high", points.map((point) => point.high)]]),
          key("median", "median"), key("high", "99th percentile")),
      ];
      view.kinds.forEach((kind, index) => {
        const values = points.map((point) => point.counts[index]);
        if (sum(values)) charts.push(card(kind, bars(kind, width, values, []), `${sum(values)} in two minutes.`));
      });
      const states = this.circuits.map((circuit) => `${circuit.name} ${circuit.state}`).join(", ");
      element.replaceChildren(
        states ? make("p", { class: "hint", id: "circuits" }, `Circuits: ${states}.`) : "",
        view.skipped ? make("p", { class: "hint" }, `About ${view.skipped} messages and stages were not counted, because too many came while no page was open.`) : "",
        make("div", { class: "charts" }, ...charts));
    });
  },
};
