// JSON as lists that fold by level. Numbers and texts stay as they are written.
import { make } from "./elements.js";

const depthLimit = 100;
/** A list with more members than this, or below this level, is folded at first. */
const [longest, deepest] = [12, 3];

/** Reads the text of an object or an array. Throws if the text isn't JSON. */
function read(text) {
  const token = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|([-\w.+]+))/y;
  const next = () => {
    const found = token.exec(text);
    if (!found) throw new SyntaxError("There is no value here.");
    return found[0].trim();
  };
  const value = (first, depth) => {
    const close = { "{": "}", "[": "]" }[first];
    if (!close) {
      JSON.parse(first);
      return { text: first };
    }
    if (depth === depthLimit) throw new SyntaxError("The value is too deep.");
    const members = [];
    for (let one = next(); one !== close; one = next()) {
      if (members.length) {
        if (one !== ",") throw new SyntaxError("A comma is missing.");
        one = next();
      }
      const name = first === "{" ? JSON.parse(one) : members.length;
      if (first === "{" && next() !== ":") throw new SyntaxError("A colon is missing.");
      members.push([String(name), value(first === "{" ? next() : one, depth + 1)]);
    }
    return { members, isList: first === "[" };
  };
  const root = value(next(), 0);
  if (text.slice(token.lastIndex).trim() || !root.members) throw new SyntaxError("The text isn't one object or array.");
  return root;
}

function list({ members }, level) {
  return make("ul", {}, ...members.map(([name, node]) => {
    const label = make("span", { class: "quiet" }, name, ": ");
    if (!node.members?.length) return make("li", {}, label, node.text ?? (node.isList ? "[]" : "{}"));
    const count = `${node.isList ? "[" : "{"}${node.members.length}${node.isList ? "]" : "}"}`;
    return make("li", {}, make("details", { open: level < deepest && node.members.length <= longest },
      make("summary", {}, label, count), list(node, level + 1)));
  }));
}

/** Makes a list of the members of an object or an array in JSON. Any other text stays as it is. */
export function json(text) {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const root = read(text);
    return root.members.length ? make("div", { class: "json" }, list(root, 1)) : text;
  } catch {
    return text;
  }
}
