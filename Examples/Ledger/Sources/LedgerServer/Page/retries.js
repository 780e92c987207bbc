// SPDX-License-Identifier: Apache-2.0

import { NoAnswer } from "./api.js";

const pauses = [500, 1_000, 2_000, 4_000]; // before each retry, in milliseconds

/// Returns the result of `send`, which is called again while there is no response. `wait` is called before each retry.
export async function insist(send, wait) {
  for (const pause of [...pauses, null]) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof NoAnswer) || pause === null) throw error;
      wait();
      await new Promise((done) => setTimeout(done, pause));
    }
  }
}

/// Returns a unique key, even if `randomUUID` is missing because the page isn't served from this machine.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
