// SPDX-License-Identifier: Apache-2.0

import { signedIn } from "./session.js";

/// An error response of the server.
export class Refusal extends Error {
  constructor(status, { code = "unknown", message = `The server responded with the status ${status}.`, line = null, field = null }) {
    super(message);
    this.status = status;
    this.code = code;
    this.line = line;
    this.field = field;
  }

  /// The reason, with the line of the file if there is one.
  get reason() {
    return this.line === null ? this.message : `Line ${this.line}: ${this.message}`;
  }
}

/// There was no response, so the result is unknown.
export class NoAnswer extends Error {}

/// Sends a request and returns the response.
///
/// It throws a `Refusal` for an error response, and a `NoAnswer` without a response or if the server is unavailable.
export async function ask(path, { timeout = 15_000, isRepeated = false, ...options } = {}) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(timeout), ...options });
  } catch (error) {
    throw new NoAnswer(error.message);
  }
  if (response.status === 401 && !isRepeated) {
    // The session has ended. The dialog of the sign-in asks for the token. If the server refuses its own session, another attempt
    // would not help.
    await response.body?.cancel();
    await signedIn().catch((error) => { throw new NoAnswer(error.message); });
    return ask(path, { timeout, isRepeated: true, ...options });
  }
  let body;
  try {
    body = await response.json();
  } catch (error) {
    if (response.ok) throw new NoAnswer(error.message);
    body = {};
  }
  if (response.ok) return body;
  const { code, detail: message, failures: [{ line, path: field } = {}] = [] } = body;
  if ([502, 503, 504].includes(response.status)) throw new NoAnswer(message ?? "");
  throw new Refusal(response.status, { code, message, line, field });
}

/// Posts a transaction with an idempotency key, so that repeated attempts post it once.
export const postTransaction = (body, key) =>
  ask("/api/transactions", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body,
  });

/// Posts a transaction that reverses another transaction.
export const reverseTransaction = (id, body, key) =>
  ask(`/api/transactions/${encodeURIComponent(id)}/reversal`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body,
  });

/// Uploads a file for an import. `missing` says what happens to transactions of the last import that the file no longer
/// contains: "refuse", "keep", or "replace".
export const startImport = (file, missing) =>
  ask(`/api/imports?${new URLSearchParams({ name: file.name, missing })}`, {
    method: "POST",
    headers: { "Content-Type": "text/plain; charset=utf-8" },
    body: file,
    timeout: 300_000,
  });

/// Pauses or resumes an import.
export const steerImport = (id, verb) => ask(`/api/imports/${encodeURIComponent(id)}/${verb}`, { method: "POST" });

/// Returns a page of a register, newest first.
export function register(account, after) {
  const query = new URLSearchParams({ account, limit: "50" });
  if (after !== null) query.set("after", after);
  return ask(`/api/register?${query}`);
}

/// Returns a transaction with its postings.
export const transaction = (id) => ask(`/api/transactions/${encodeURIComponent(id)}`);

/// Returns the balance of an account at the end of each day with transactions, by commodity.
export const history = (account) => ask(`/api/history?${new URLSearchParams({ account })}`);

/// Returns a page of the transactions, newest first. `parameters` are `text`, `begin`, `end`, and `account`.
export function transactions(parameters, after) {
  const query = new URLSearchParams({ ...parameters, limit: "50" });
  if (after !== null) query.set("after", after);
  return ask(`/api/transactions?${query}`);
}

/// Returns the net worth at the end of each month, by commodity.
export const netWorth = () => ask("/api/net-worth");

/// Returns the income and the expenses of a period. `parameters` are `begin`, `end`, and `depth`.
export const incomeStatement = (parameters) => ask(`/api/income-statement?${new URLSearchParams(parameters)}`);
