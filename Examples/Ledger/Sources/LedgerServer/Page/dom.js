// SPDX-License-Identifier: Apache-2.0

/// Returns the element with the identifier `id`.
export const byId = (id) => document.getElementById(id);

/// Creates an element. Strings become text, never markup: the page parses nothing as HTML.
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const svgNamespace = "http://www.w3.org/2000/svg";

/// Creates an SVG element.
export function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(svgNamespace, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat());
  return node;
}

/// Returns the address of the page for an account, or of the first view for null.
export const addressOf = (account) => (account === null ? "/" : `/?${new URLSearchParams({ account })}`);

/// Returns the day of today, such as 2026-01-31.
export function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, "0")).join("-");
}

/// Calls `choose` for clicks on account links in `area`, except clicks that open another window.
export function followAccounts(area, choose) {
  area.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-account]");
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    choose(link.dataset.account);
  });
}

/// Sets the text of `node` if it differs, so that screen readers don't announce it again.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/// Keeps the modal `dialog` open while `isNeeded` returns true.
export function keepOpen(dialog, isNeeded) {
  dialog.addEventListener("cancel", (event) => {
    if (isNeeded()) event.preventDefault();
  });
  // A browser closes the dialog anyway if the user presses Escape twice.
  dialog.addEventListener("close", () => {
    if (isNeeded() && !dialog.open) dialog.showModal();
  });
}

/// Returns a function that runs `work` once in the next frame, however often it is called before.
export function eachFrame(work) {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      work();
    });
  };
}

/// Returns a function that runs `work`, one run at a time and at most one run in `pause` milliseconds. Calls in between
/// cause one more run.
export function oneAtATime(work, pause) {
  let isRunning = false;
  let isDue = false;
  return async function run() {
    if (isRunning) {
      isDue = true;
      return;
    }
    isRunning = true;
    try {
      await work();
    } finally {
      setTimeout(() => {
        isRunning = false;
        if (isDue) {
          isDue = false;
          run();
        }
      }, pause);
    }
  };
}
