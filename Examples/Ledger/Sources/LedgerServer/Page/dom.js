// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// Gives the element of the page with the identifier `id`.
export const byId = (id) => document.getElementById(id);

/// Makes an element. Children that are strings become text, never markup: nothing on this page is parsed as HTML.
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

const svgNamespace = "http://www.w3.org/2000/svg";

/// Makes an element of a drawing.
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

/// Gives the address at which the page shows an account.
export const addressOf = (account) => `/?${new URLSearchParams({ account })}`;

/// Has clicks on links to accounts within `area` call `choose`, but for those that ask for another window.
export function followAccounts(area, choose) {
  area.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-account]");
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    choose(link.dataset.account);
  });
}

/// Sets the text of `node`, if it is another: what has not changed is not announced again.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/// Gives a function that does `work` once with the next frame, however often it is called before.
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

/// Gives a function that runs `work`, one run at a time and at most one each `pause` milliseconds; calls meanwhile are
/// made up for by one more run.
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
