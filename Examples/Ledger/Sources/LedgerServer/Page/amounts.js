// SPDX-License-Identifier: Apache-2.0

import { element } from "./dom.js";

const minus = "\u2212";

/// Parses a quantity such as "-12.30" exactly: an integer and the number of digits after the point.
export function parsed(quantity) {
  const [whole, fraction = ""] = quantity.split(".");
  return { mantissa: BigInt(whole + fraction), scale: fraction.length };
}

function scaled(value, scale) {
  return value.mantissa * 10n ** BigInt(scale - value.scale);
}

/// Adds two quantities exactly.
export function sum(left, right) {
  const scale = Math.max(left.scale, right.scale);
  return { mantissa: scaled(left, scale) + scaled(right, scale), scale };
}

/// Returns the difference of `left` and `right` as an integer, in the smaller of their units.
export function difference(left, right) {
  const scale = Math.max(left.scale, right.scale);
  return scaled(left, scale) - scaled(right, scale);
}

/// Number of digits after the point that a quantity needs.
function neededScale({ mantissa, scale }) {
  while (scale > 0 && mantissa % 10n === 0n) {
    mantissa /= 10n;
    scale -= 1;
  }
  return scale;
}

// Number of digits after the point for the amounts of a commodity, so that they are aligned: the maximum, up to two. An
// amount that needs more digits is longer than the others.
const scales = new Map();
const usualScale = 2;

/// Records the number of digits of `quantity`. Returns whether the format of the commodity has changed.
export function noteScale(commodity, { scale }) {
  const [before, now] = [scales.get(commodity) ?? 0, Math.min(scale, usualScale)];
  if (now > before) scales.set(commodity, now);
  return now > before;
}

/// Formats a quantity with groups of three digits and a minus sign (U+2212).
export function written(quantity, commodity) {
  const scale = Math.max(scales.get(commodity) ?? 0, neededScale(quantity));
  const isNegative = quantity.mantissa < 0n;
  // Only zeros are removed.
  const mantissa = quantity.scale > scale
    ? quantity.mantissa / 10n ** BigInt(quantity.scale - scale)
    : scaled(quantity, scale);
  const digits = (isNegative ? -mantissa : mantissa).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = scale > 0 ? "." + digits.slice(-scale) : "";
  return (isNegative ? minus : "") + whole + fraction;
}

/// Creates the element of an amount. A negative amount has a sign and a colour.
export function amountElement(quantity, commodity) {
  return element(
    "span",
    { class: quantity.mantissa < 0n ? "amount negative" : "amount" },
    element("span", { class: "quantity" }, written(quantity, commodity)),
    commodity === "" ? [] : [" ", element("span", { class: "commodity", title: commodity }, commodity)],
  );
}

/// Creates the elements of amounts from a response, one in each line.
export function amountElements(amounts) {
  return shown(amounts.map(({ commodity, quantity }) => [commodity, parsed(quantity)]));
}

/// Creates the elements of pairs of a commodity and a quantity, one in each line. Zeros are shown only if there is nothing
/// else.
export function shown(pairs) {
  if (pairs.length === 0) return [amountElement(parsed("0"), "")];
  for (const [commodity, quantity] of pairs) noteScale(commodity, quantity);
  const ordered = [...pairs].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  const some = ordered.filter(([, quantity]) => quantity.mantissa !== 0n);
  const chosen = some.length > 0 ? some : ordered.slice(0, 1);
  return chosen.map(([commodity, quantity]) => amountElement(quantity, commodity));
}

/// Converts the input of an amount to the format of the API; null for empty input.
export function typed(text) {
  const trimmed = text.trim().replaceAll(minus, "-");
  return trimmed === "" ? null : trimmed;
}
