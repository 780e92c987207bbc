// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

/// An answer of the server that says no, with its reason.
export class Refusal extends Error {
  constructor(status, { code = "unknown", message = `The server answered ${status}.`, line = null, field = null }) {
    super(message);
    this.status = status;
    this.code = code;
    this.line = line;
    this.field = field;
  }

  /// The reason, with the line of the file where it has one.
  get reason() {
    return this.line === null ? this.message : `Line ${this.line}: ${this.message}`;
  }
}

/// There was no answer, so nobody knows what the server did.
export class NoAnswer extends Error {}

/// Asks the server and gives its answer.
///
/// It throws a `Refusal` where the server says no, and a `NoAnswer` where it says nothing, or only that it cannot now.
export async function ask(path, { timeout = 15_000, ...options } = {}) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(timeout), ...options });
  } catch (error) {
    throw new NoAnswer(error.message);
  }
  let body;
  try {
    body = await response.json();
  } catch (error) {
    if (response.ok) throw new NoAnswer(error.message);
    body = {};
  }
  if (response.ok) return body;
  if ([502, 503, 504].includes(response.status)) throw new NoAnswer(body.error?.message ?? "");
  throw new Refusal(response.status, body.error ?? {});
}

/// Posts a transaction under a key, so that it is posted once however often this is tried.
export const postTransaction = (body, key) =>
  ask("/api/transactions", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body,
  });

/// Hands a file over to be imported.
export const startImport = (file) =>
  ask(`/api/imports?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "Content-Type": "text/plain; charset=utf-8" },
    body: file,
    timeout: 300_000,
  });

/// Has an import pause, or go on.
export const steerImport = (id, verb) => ask(`/api/imports/${encodeURIComponent(id)}/${verb}`, { method: "POST" });

/// Gives a page of a register, newest first.
export function register(account, after) {
  const query = new URLSearchParams({ account, limit: "50" });
  if (after !== null) query.set("after", after);
  return ask(`/api/register?${query}`);
}

/// Gives a transaction with all its postings.
export const transaction = (id) => ask(`/api/transactions/${encodeURIComponent(id)}`);

/// Gives the balance of an account at the end of each day on which it moved, by commodity.
export const history = (account) => ask(`/api/history?${new URLSearchParams({ account })}`);

/// Makes a key that nobody has used before, also where the page is not served from this machine and `randomUUID` is
/// missing.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
