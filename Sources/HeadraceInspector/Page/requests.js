// Requests to the inspector, and the ways out of the page: the clipboard and files.
import { make } from "./elements.js";

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
