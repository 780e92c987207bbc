// The pane of the graphs: dependencies, event handlers, subscriptions, and services.
import { make } from "./elements.js";
import { draw, ifChanged, table } from "./panes.js";
import { ask, copy } from "./requests.js";

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
  return make("div", { class: "wide drawing", tabindex: 0, role: "region", "aria-label": `Drawing of ${graph.name}` }, svg);
}

/** The same graph as a table, for a phone and for screen readers. */
function listed(graph) {
  const rows = graph.nodes.map((node) => [node.title, node.remarks.join(", "), node.edges.map((edge) =>
    edge.kind === "required" ? graph.nodes[edge.target].title : `${graph.nodes[edge.target].title} (${edge.kind})`).join(", ")]);
  const isNarrow = matchMedia("(max-width: 560px)").matches;
  return make("details", { open: isNarrow }, make("summary", {}, "As a table"), table(["type", "kind", "leads to"], rows));
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
    const button = make("button", { type: "button" }, "Copy as Mermaid");
    button.onclick = async () => { button.textContent = (await copy(graph.mermaid)) ? "Copied" : "The browser refused to copy"; };
    return make("div", { class: "card" }, make("h2", {}, graph.name),
      ...(graph.kind === "services" ? [tree(graph)] : [layered(graph), listed(graph)]),
      make("div", { class: "bar" }, button), make("details", {}, make("summary", {}, "Mermaid"), make("pre", {}, graph.mermaid)));
  },
};
