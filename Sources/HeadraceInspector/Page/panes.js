// All panes except the flow and the deliveries. While a pane is visible, its `refresh(element, overview)` is called every two seconds.
import { ask, make, short, time, took } from "./inspector.js";

const svgSpace = "http://www.w3.org/2000/svg";

function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Redraws an element only if its value has changed, so that a selection survives. */
export function ifChanged(element, value, body) {
  const text = JSON.stringify(value);
  if (element.dataset.shown === text) return;
  element.dataset.shown = text;
  body();
}

// MARK: Rates

const plot = { width: 480, height: 150, left: 44, bottom: 20, top: 8 };

function frame(label, top, unit) {
  const { width, height, left, bottom } = plot;
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    draw("line", { class: "axis", x1: left, x2: width, y1: height - bottom, y2: height - bottom }),
    draw("text", { x: left - 6, y: plot.top + 8, "text-anchor": "end" }, unit(top)),
    draw("text", { x: left - 6, y: height - bottom, "text-anchor": "end" }, "0"),
    draw("text", { x: left, y: height - 5 }, "2 minutes ago"),
    draw("text", { x: width, y: height - 5, "text-anchor": "end" }, "now"));
}

const horizontal = (index, count) => plot.left + (index * (plot.width - plot.left)) / count;
const vertical = (value, top) => plot.height - plot.bottom - (value / top) * (plot.height - plot.bottom - plot.top);

function bars(label, values, failures) {
  const top = Math.max(1, ...values);
  const svg = frame(`${label}, maximum ${top} per second`, top, (value) => `${value}/s`);
  const width = (plot.width - plot.left) / values.length;
  values.forEach((value, index) => {
    for (const [amount, name] of [[value, "bar-all"], [failures[index], "bar-bad"]]) {
      if (amount > 0) {
        const y = vertical(amount, top);
        svg.append(draw("rect", { class: name, x: horizontal(index, values.length), y, width: Math.max(1, width - 1), height: plot.height - plot.bottom - y }));
      }
    }
  });
  return svg;
}

function curves(label, lines) {
  const top = Math.max(0.01, ...lines.flatMap(([, values]) => values.filter((value) => value !== undefined)));
  const svg = frame(`${label}, maximum ${took(top)}`, top, took);
  for (const [name, values] of lines) {
    let path = "";
    values.forEach((value, index) => {
      if (value === undefined) return;
      const isBegun = values[index - 1] !== undefined;
      const x = horizontal(index + 0.5, values.length).toFixed(1);
      path += `${isBegun ? "L" : "M"}${x} ${vertical(value, top).toFixed(1)}${isBegun ? "" : "h0.5"}`;
    });
    if (path) svg.append(draw("path", { class: `curve ${name}`, d: path }));
  }
  return svg;
}

export const rates = {
  circuits: [],
  async refresh(element) {
    this.circuits = await ask("circuits");
    this.draw(element, await ask("rates"));
  },
  draw(element, view) {
    ifChanged(element, [view, this.circuits], () => {
      const points = view.points;
      const totals = points.map((point) => point.counts.reduce((sum, count) => sum + count, 0));
      const none = points.map(() => 0);
      const card = (title, svg, words) => make("div", { class: "card" }, make("h2", {}, title), svg, make("p", { class: "hint" }, words));
      const sum = totals.reduce((a, b) => a + b, 0);
      const failed = points.reduce((a, point) => a + point.failures, 0);
      const charts = [
        card("All messages", bars("All messages", totals, points.map((point) => point.failures)), `${sum} in two minutes, ${failed} failed.`),
        card("Latency", curves("Latency", [["median", points.map((point) => point.median)], ["high", points.map((point) => point.high)]]), "Median and 99th percentile of the durations."),
      ];
      view.kinds.forEach((kind, index) => {
        const values = points.map((point) => point.counts[index]);
        if (values.some((value) => value > 0)) charts.push(card(kind, bars(kind, values, none), `${values.reduce((a, b) => a + b, 0)} in two minutes.`));
      });
      const states = this.circuits.map((circuit) => `${circuit.name} ${circuit.state}`).join(", ");
      element.replaceChildren(
        states ? make("p", { class: "hint", id: "circuits" }, `Circuits: ${states}.`) : "",
        make("div", { class: "charts" }, ...charts));
    });
  },
};

// MARK: Graphs

/** Arranges the nodes in columns by their longest path from a root, and within a column in the order of discovery. */
function layered(graph) {
  const depths = graph.nodes.map(() => 0);
  const visit = (index, depth, path) => {
    if (path.has(index) || (depth <= depths[index] && depth > 0)) return;
    depths[index] = depth;
    path.add(index);
    for (const edge of graph.nodes[index].edges) visit(edge.target, depth + 1, path);
    path.delete(index);
  };
  for (const root of graph.roots) visit(root, 0, new Set());
  const rows = new Map();
  const row = (depth) => { const next = rows.get(depth) ?? 0; rows.set(depth, next + 1); return next; };
  const shortened = (text) => (text.length > 34 ? `${text.slice(0, 33)}…` : text);
  const places = graph.nodes.map((node, index) => ({ x: depths[index] * 300 + 10, y: row(depths[index]) * 58 + 10 }));
  const width = Math.max(...depths) * 300 + 270;
  const height = Math.max(...rows.values()) * 58 + 10;
  const svg = draw("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${graph.name}: ${graph.nodes.length} types` });
  for (const [index, node] of graph.nodes.entries()) {
    for (const edge of node.edges) {
      const [from, to] = [places[index], places[edge.target]];
      const [x1, y1, x2, y2] = [from.x + 250, from.y + 22, to.x, to.y + 22];
      svg.append(draw("path", { class: edge.kind, d: `M${x1} ${y1} C${x1 + 30} ${y1} ${x2 - 30} ${y2} ${x2} ${y2}` }));
    }
  }
  for (const [index, node] of graph.nodes.entries()) {
    const { x, y } = places[index];
    svg.append(draw("g", {},
      draw("title", {}, [node.title, ...node.remarks].join("\n")),
      draw("rect", { class: node.shape, x, y, width: 250, height: 44, rx: node.shape === "transient" ? 2 : 10 }),
      draw("text", { class: "title", x: x + 10, y: y + 18 }, shortened(node.title)),
      draw("text", { x: x + 10, y: y + 35 }, shortened(node.remarks.join(", ")))));
  }
  return make("div", { class: "wide", tabindex: 0 }, svg);
}

function tree(graph) {
  const list = (indices) => make("ul", { class: "tree" }, ...indices.map((index) => {
    const node = graph.nodes[index];
    return make("li", {}, make("strong", {}, node.title), " ", make("span", { class: "quiet" }, node.remarks.join(", ")),
      node.edges.length ? list(node.edges.map((edge) => edge.target)) : null);
  }));
  return list(graph.roots);
}

export const graphs = {
  async refresh(element) {
    const shown = await ask("graphs");
    ifChanged(element, shown, () => {
      element.replaceChildren(...(shown.length ? shown.map(this.card) : [make("p", { class: "hint" }, "No graphs. To show one, call 'inspector.show(container.graph)'.")]));
    });
  },
  card(graph) {
    const copy = make("button", { type: "button" }, "Copy as Mermaid");
    copy.onclick = async () => {
      await navigator.clipboard.writeText(graph.mermaid);
      copy.textContent = "Copied";
    };
    return make("div", { class: "card" }, make("h2", {}, graph.name),
      graph.kind === "services" ? tree(graph) : layered(graph),
      make("div", { class: "bar" }, copy), make("details", {}, make("summary", {}, "Mermaid"), make("pre", {}, graph.mermaid)));
  },
};

// MARK: Stations

export const stations = {
  chosen: new Map(),
  async refresh(element) {
    const shown = await ask("stations");
    ifChanged(element, shown, () => this.draw(element, shown));
  },
  draw(element, shown) {
    const focused = document.activeElement?.id;
    element.replaceChildren(...(shown.length
      ? shown.map((station, index) => this.card(element, shown, station, index))
      : [make("p", { class: "hint" }, "No stations. To show one, call 'inspector.show(station, named: …)'.")]));
    if (focused) document.getElementById(focused)?.focus();
  },
  card(element, shown, station, index) {
    const count = station.steps.length;
    const first = count ? station.steps[0].number : 1;
    // A selected step stays selected when new steps arrive. Without a selection, the last step is shown.
    const chosen = this.chosen.get(station.name);
    const position = chosen === undefined ? count : Math.min(count, Math.max(0, chosen - first + 1));
    const go = (next) => {
      if (next >= count) this.chosen.delete(station.name);
      else this.chosen.set(station.name, first + next - 1);
      this.draw(element, shown);
    };
    const values = new Map(station.base.map((property) => [property.name, property.value]));
    for (const step of station.steps.slice(0, position)) {
      for (const change of step.changes) {
        if (change.isGone) values.delete(change.property);
        else values.set(change.property, change.new);
      }
    }
    const step = position > 0 ? station.steps[position - 1] : null;
    const changed = new Map((step?.changes ?? []).map((change) => [change.property, change]));
    const id = `station-${index}`;
    const range = make("input", { type: "range", id, min: 0, max: count, value: position, "aria-label": `Step of ${station.name}`, oninput: () => go(Number(range.value)) });
    const cell = (value) => value ?? "hidden";
    const rows = [...new Set([...values.keys(), ...changed.keys()])].map((name) => {
      const change = changed.get(name);
      return make("tr", { class: change ? "changed" : null },
        make("td", { "data-name": "property" }, name),
        make("td", { "data-name": "before" }, change ? cell(change.old) : ""),
        make("td", { "data-name": "value" }, change?.isGone ? "removed" : cell(values.get(name))));
    });
    return make("div", { class: "card" }, make("h2", {}, station.name),
      make("p", { class: "hint" }, `${count} ${count === 1 ? "action" : "actions"} since the recording began.${station.isGone ? " The station has been released." : ""}`),
      station.subscriptions.length ? make("p", { class: "hint" }, `Running subscriptions: ${station.subscriptions.join(", ")}`) : null,
      make("div", { class: "bar stepper" },
        make("button", { type: "button", id: `${id}-first`, disabled: position === 0, onclick: () => go(0) }, "First"),
        make("button", { type: "button", id: `${id}-back`, disabled: position === 0, onclick: () => go(position - 1) }, "Step back"),
        range,
        make("button", { type: "button", id: `${id}-on`, disabled: position >= count, onclick: () => go(position + 1) }, "Step forward"),
        make("button", { type: "button", id: `${id}-last`, disabled: position >= count, onclick: () => go(count) }, "Latest")),
      make("p", { class: "station-step" }, step
        ? `${step.number}. ${time(step.date)} ${step.action ?? short(step.type)}`
        : "Before the first recorded action."),
      make("div", { class: "wide" }, make("table", { class: "stacked" },
        make("thead", {}, make("tr", {}, make("th", {}, "property"), make("th", {}, "before"), make("th", {}, "value"))),
        make("tbody", {}, ...rows))));
  },
};

// MARK: Stores

/** Makes a table with these column names. */
export function table(names, rows) {
  return make("div", { class: "wide" }, make("table", { class: "stacked" },
    make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, index) => make("td", { "data-name": names[index] }, cell)))))));
}

/** Returns the query of a request to a store. */
export const query = (store, rest = "") => `?store=${encodeURIComponent(store)}${rest}`;

// MARK: The log

export const log = {
  async refresh(element, overview) {
    const shown = [];
    for (const store of overview.stores) shown.push({ store, ...(await ask(`log${query(store, "&limit=100")}`)) });
    ifChanged(element, shown, () => {
      element.replaceChildren(...(shown.length ? shown.map((view) => make("div", { class: "card" }, make("h2", {}, view.store),
        make("p", { class: "hint" }, view.last ? `The last event has the position ${view.last}. The latest ${view.events.length} are shown.` : "The log is empty."),
        table(["position", "when", "event", "stream", "payload", "chain"], view.events.slice().reverse().map((event) => [
          String(event.position), new Date(event.date).toLocaleString(), event.version > 1 ? `${event.name} v${event.version}` : event.name, event.stream ?? "", event.payload ?? "", event.correlation ?? ""])))) : [make("p", { class: "hint" }, "No stores.")]));
    });
  },
};
