// The frame of the page: the tabs, and the event stream.
import { deliveries } from "./deliveries.js";
import { hints } from "./elements.js";
import { Flow } from "./flow.js";
import { graphs } from "./graphs.js";
import { log } from "./log.js";
import { rates } from "./rates.js";
import { ask } from "./requests.js";
import { stations } from "./stations.js";
import { workflows } from "./workflows.js";

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
  if (name === "flow") flow.draw();
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
    Object.assign(hints, overview.hints);
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
