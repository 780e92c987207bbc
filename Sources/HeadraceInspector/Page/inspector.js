// The frame of the page: tabs, the event stream, and helpers for the panes. Values are inserted as text, never as markup.
import { deliveries } from "./deliveries.js";
import { Flow } from "./flow.js";
import { graphs } from "./graphs.js";
import { log } from "./log.js";
import { rates } from "./rates.js";
import { stations } from "./stations.js";
import { workflows } from "./workflows.js";

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

/** Sends a request to the inspector. Throws the message of the inspector, or of the server before it, if the request is refused. */
export async function ask(path, options = {}) {
  const response = await fetch(`api/${path}`, options);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const message = answer.error ?? answer.detail ?? `The inspector responded with status ${response.status}.`;
    throw Object.assign(new Error(message), { status: response.status });
  }
  return answer;
}

/** Formats a duration in milliseconds with a suitable unit. */
export function took(milliseconds) {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`;
  if (milliseconds < 120000) return `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds < 7200000) return `${Math.round(milliseconds / 60000)} min`;
  return milliseconds < 172800000 ? `${Math.round(milliseconds / 3600000)} h` : `${Math.round(milliseconds / 86400000)} days`;
}

/** Formats a date in milliseconds as the local date and time of day. All panes use this style. */
export function time(milliseconds) {
  const date = new Date(milliseconds);
  const digits = (number, count = 2) => String(number).padStart(count, "0");
  const day = [date.getFullYear(), digits(date.getMonth() + 1), digits(date.getDate())].join("-");
  const clock = [digits(date.getHours()), digits(date.getMinutes()), digits(date.getSeconds())].join(":");
  return `${day} ${clock}.${digits(date.getMilliseconds(), 3)}`;
}

/** Makes an element for a date in milliseconds. */
export function when(milliseconds) {
  return make("time", { datetime: new Date(milliseconds).toISOString() }, time(milliseconds));
}

/** Makes the text for a hidden value, with the reason why it is hidden and how to show it. */
export function hidden(kind) {
  return make("span", { class: "hidden-value" }, "hidden ", make("small", {}, overview.hints?.[kind] ?? ""));
}

/** Downloads a JSON file with `text`, or with `value` as JSON. */
export function download(name, value, text = JSON.stringify(value, null, 2)) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  make("a", { href: address, download: `${name}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Puts a text on the clipboard, and returns whether the browser allowed it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Removes the modules from the name of a type and of its generic parameters. */
export function short(type) {
  // The name of an HTTP request is its method and route, without modules.
  if (type.includes("/")) return type;
  const plain = type.replace(/\(unknown context at \$[0-9a-f]+\)\./g, "");
  return plain.replace(/[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)+/gu, (path) => path.slice(path.indexOf(".") + 1));
}

const status = document.getElementById("status");
const panes = { rates, graphs, stations, deliveries, workflows, log };
const flow = new Flow();
let overview = { graphs: [], stations: [], stores: [], allowsWrites: false };
let current = "flow";
let timer;

function setStatus(text, isBad = false) {
  status.textContent = text;
  status.className = isBad ? "bad" : "";
}

// Tabs: the arrow keys move between them, as in the ARIA pattern for tabs.
const tabs = [...document.querySelectorAll("[role=tab]")];
function show(name) {
  current = name;
  for (const tab of tabs) {
    const isSelected = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !isSelected;
  }
  const fragment = name === "flow" ? flow.fragment : `#${name}`;
  if (location.hash !== fragment) history.replaceState(null, "", fragment);
  refresh();
}
for (const tab of tabs) {
  tab.onclick = () => show(tab.id.slice(4));
  tab.onkeydown = (event) => {
    const shown = tabs.filter((one) => !one.hidden);
    const [index, last] = [shown.indexOf(tab), shown.length - 1];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? last : step ? (index + step + last + 1) % (last + 1) : null;
    if (next === null) return;
    event.preventDefault();
    show(shown[next].id.slice(4));
    shown[next].focus();
  };
}

async function refresh() {
  clearTimeout(timer);
  const pane = panes[current];
  if (pane && !document.hidden) {
    const element = document.getElementById(`pane-${current}`);
    try {
      if (pane.refresh) await pane.refresh(element, overview);
    } catch (error) {
      setStatus(error.message, true);
    }
  }
  clearTimeout(timer);
  timer = setTimeout(refresh, 2000);
}
document.addEventListener("visibilitychange", refresh);

// The event stream. After an error, it starts again with a request that shows the reason if the inspector refuses it.
function listen() {
  const source = new EventSource(`api/events?after=${flow.revision}`);
  source.onopen = () => setStatus(overview.allowsWrites ? "live" : "live, read-only");
  source.addEventListener("flow", (event) => flow.take(JSON.parse(event.data)));
  source.addEventListener("rates", (event) => {
    // The first rates come after the flow that the inspector has kept.
    flow.caughtUp();
    const pane = document.getElementById("pane-rates");
    if (!pane.hidden) panes.rates.draw(pane, JSON.parse(event.data));
  });
  source.onerror = () => {
    source.close();
    setStatus("disconnected; reconnecting…", true);
    setTimeout(start, 1500);
  };
}

async function start() {
  try {
    overview = await ask("overview");
    const tab = document.getElementById("tab-workflows");
    tab.hidden = overview.workflowStores.length === 0;
    if (tab.hidden && current === "workflows") show("flow");
    flow.began(overview);
    listen();
    refresh();
  } catch (error) {
    setStatus(error.message, true);
    setTimeout(start, 3000);
  }
}

/** Decodes a part of the address, and returns it unchanged if it is malformed. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shows the pane of the address, and the message if the address names one. */
function follow() {
  const [name, id] = location.hash.slice(1).split("/");
  if (name === "flow" && id) flow.want(decoded(id));
  if (name === "flow" || panes[name]) show(name);
}
window.addEventListener("hashchange", follow);
follow();
start();
