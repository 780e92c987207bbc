// SPDX-License-Identifier: Apache-2.0

import { byId, keepOpen, say } from "./dom.js";

const dialog = byId("sign-in");
const form = byId("sign-in-form");
const token = byId("token");
const refusal = byId("sign-in-refusal");

let asked = null; // the check that runs
let isAsking = false; // whether the dialog must stay

/// Resolves when the user is signed in, or when the server has no users. Until then, a dialog asks for the token.
///
/// It throws if the server doesn't answer.
export function signedIn() {
  asked ??= check().finally(() => { asked = null; });
  return asked;
}

async function check() {
  let session = await fetchSession();
  if (session.required && session.user === null) {
    await ask();
    session = await fetchSession();
  }
  byId("user").hidden = session.user === null;
  say(byId("user-name"), session.user ?? "");
}

async function fetchSession() {
  const response = await fetch("/api/session", { cache: "no-store" });
  if (!response.ok) throw new Error(`The server responded with the status ${response.status}.`);
  return response.json();
}

/// Shows the dialog until a token is right.
function ask() {
  say(refusal, "");
  isAsking = true;
  if (!dialog.open) dialog.showModal();
  return new Promise((done) => {
    async function send(event) {
      event.preventDefault();
      const problem = await signIn(token.value.trim());
      say(refusal, problem ?? "");
      if (problem !== null) {
        token.select();
        return;
      }
      form.removeEventListener("submit", send);
      token.value = "";
      isAsking = false;
      dialog.close();
      done();
    }
    form.addEventListener("submit", send);
  });
}

/// Returns the reason of a refusal, or null after a sign-in.
async function signIn(text) {
  if (text === "") return "Enter the token first.";
  try {
    const response = await fetch("/api/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: text }),
    });
    if (response.ok) return null;
    return (await response.json()).detail ?? `The server responded with the status ${response.status}.`;
  } catch {
    return "The server doesn't answer. Try again.";
  }
}

// The page shows nothing without the token.
keepOpen(dialog, () => isAsking);

// A sign-out doesn't end the open event streams of the session, so the other tabs load again.
const tabs = new BroadcastChannel("session");
tabs.addEventListener("message", () => window.location.reload());

byId("sign-out").addEventListener("click", async () => {
  try {
    await fetch("/api/session", { method: "DELETE" });
  } finally {
    tabs.postMessage("signed out");
    window.location.reload();
  }
});
