// SPDX-License-Identifier: Apache-2.0

import { signedIn } from "./session.js";

const firstPause = 500;
const longestPause = 5_000;

/// Reads the server's event stream, and reconnects if it ends.
///
/// `handlers` has a function for each event (`state`, `balances`, `import`), and `connection`, which is called with "live"
/// when the whole state has arrived, and with "lost" when the connection is lost.
export function follow(handlers) {
  let pause = firstPause;
  let source = null;
  let timer = null;

  function begin() {
    source = new EventSource("/api/events");
    for (const name of ["state", "balances", "import"]) {
      source.addEventListener(name, (event) => {
        const value = JSON.parse(event.data);
        if (name === "state") {
          pause = firstPause;
          handlers.connection("live");
        }
        handlers[name](value);
      });
    }
    source.addEventListener("error", () => {
      // The browser reconnects after a lost connection, but not after an error response.
      source.close();
      startLater();
    });
  }

  function startLater() {
    handlers.connection("lost");
    timer = setTimeout(start, pause);
    pause = Math.min(pause * 2, longestPause);
  }

  /// The reason of an error is unknown, so the session is checked first.
  async function start() {
    try {
      await signedIn();
    } catch {
      startLater();
      return;
    }
    begin();
  }

  // The browser may keep a page for the button "Back". Its open stream would take one of the few connections to the server.
  window.addEventListener("pagehide", () => {
    clearTimeout(timer);
    source?.close();
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) start(); });

  start();
}
