// Elements and texts, which all parts of the page use. Values are inserted as text, never as markup.

/** For each kind of hidden content, the reason why it is hidden, and how to show it. The overview has them. */
export const hints = {};

/** Creates an element. Children are elements or text. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/** Makes an element for a date in milliseconds. */
export function when(milliseconds) {
  return make("time", { datetime: new Date(milliseconds).toISOString() }, time(milliseconds));
}

/** Makes the text for a hidden value, with the reason why it is hidden and how to show it. */
export function hidden(kind) {
  return make("span", { class: "hidden-value" }, "hidden ", make("small", {}, hints[kind] ?? ""));
}

/** Formats a date in milliseconds as the local date and time of day. All panes use this style. */
export function time(milliseconds) {
  const date = new Date(milliseconds);
  const digits = (number, count = 2) => String(number).padStart(count, "0");
  const day = [date.getFullYear(), digits(date.getMonth() + 1), digits(date.getDate())].join("-");
  const clock = [digits(date.getHours()), digits(date.getMinutes()), digits(date.getSeconds())].join(":");
  return `${day} ${clock}.${digits(date.getMilliseconds(), 3)}`;
}

/** Formats a duration in milliseconds with a suitable unit. */
export function took(milliseconds) {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`;
  if (milliseconds < 120000) return `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds < 7200000) return `${Math.round(milliseconds / 60000)} min`;
  return milliseconds < 172800000 ? `${Math.round(milliseconds / 3600000)} h` : `${Math.round(milliseconds / 86400000)} days`;
}

/** Removes the modules from the name of a type and of its generic parameters. */
export function short(type) {
  // The name of an HTTP request is its method and route, without modules.
  if (type.includes("/")) return type;
  const plain = type.replace(/\(unknown context at \$[0-9a-f]+\)\./g, "");
  return plain.replace(/[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)+/gu, (path) => path.slice(path.indexOf(".") + 1));
}
