// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";

const pause = 200; // after the last key before the list is loaded, in milliseconds

/// The fields that filter the transactions by days and text.
///
/// `changing` is called with each input, and `changed` after the last input.
export function filterForm({ changing, changed }) {
  const form = byId("filter");
  const [text, from, to] = [byId("filter-text"), byId("filter-from"), byId("filter-to")];
  const clear = byId("filter-clear");
  let timer = null;

  function filter() {
    const parameters = {};
    if (text.value.trim() !== "") parameters.text = text.value.trim();
    if (from.value !== "") parameters.begin = from.value;
    // The last day of the calendar has no next day and is no limit.
    // A browser accepts later years from the keyboard.
    if (to.value.length === 10 && to.value < "9999-12-31") parameters.end = dayAfter(to.value);
    return parameters;
  }

  function change() {
    clear.disabled = Object.keys(filter()).length === 0;
    changing();
    clearTimeout(timer);
    timer = setTimeout(changed, pause);
  }

  form.addEventListener("input", change);
  form.addEventListener("submit", (event) => event.preventDefault());
  clear.addEventListener("click", () => {
    form.reset();
    change();
    text.focus();
  });

  return {
    /// The parameters of a request; empty without a filter. `end` is the first day after the period.
    parameters: filter,
  };
}

function dayAfter(date) {
  const next = new Date(`${date}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}
