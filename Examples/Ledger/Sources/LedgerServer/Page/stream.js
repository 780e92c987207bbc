// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

const firstPause = 500;
const longestPause = 5_000;

/// Follows the server's event stream, and begins again whenever it breaks off.
///
/// `handlers` has a function for each event (`state`, `balances`, `import`), and `connection`, which is told "live" when
/// the whole state has arrived and "lost" when the server is gone.
export function follow(handlers) {
  let pause = firstPause;

  function begin() {
    const source = new EventSource("/api/events");
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
      // The browser would begin again by itself, but not where the server answers with an error.
      source.close();
      handlers.connection("lost");
      setTimeout(begin, pause);
      pause = Math.min(pause * 2, longestPause);
    });
  }

  begin();
}
