// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0

import { element } from "./dom.js";

const minus = "\u2212";

/// Reads a quantity such as "-12.30" exactly, as an integer and the number of its digits after the point.
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

/// Gives by how much `left` is more than `right`, as an integer of the smaller of their units.
export function difference(left, right) {
  const scale = Math.max(left.scale, right.scale);
  return scaled(left, scale) - scaled(right, scale);
}

/// The digits after the point that a quantity needs so that nothing is lost.
function neededScale({ mantissa, scale }) {
  while (scale > 0 && mantissa % 10n === 0n) {
    mantissa /= 10n;
    scale -= 1;
  }
  return scale;
}

// The digits after the point that amounts of a commodity are written with, so that they line up wherever they stand:
// as many as any has, up to two. One that needs more is longer than its neighbours; they do not follow it.
const scales = new Map();
const usualScale = 2;

/// Takes note of how many digits `quantity` is written with; says whether others of the commodity look different now.
export function noteScale(commodity, { scale }) {
  const [before, now] = [scales.get(commodity) ?? 0, Math.min(scale, usualScale)];
  if (now > before) scales.set(commodity, now);
  return now > before;
}

/// Writes a quantity with groups of three digits and a real minus sign.
export function written(quantity, commodity) {
  const scale = Math.max(scales.get(commodity) ?? 0, neededScale(quantity));
  const isNegative = quantity.mantissa < 0n;
  // What is cut off is zeros.
  const mantissa = quantity.scale > scale
    ? quantity.mantissa / 10n ** BigInt(quantity.scale - scale)
    : scaled(quantity, scale);
  const digits = (isNegative ? -mantissa : mantissa).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = scale > 0 ? "." + digits.slice(-scale) : "";
  return (isNegative ? minus : "") + whole + fraction;
}

/// Shows an amount; one below zero has its sign and a colour.
export function amountElement(quantity, commodity) {
  return element(
    "span",
    { class: quantity.mantissa < 0n ? "amount negative" : "amount" },
    element("span", { class: "quantity" }, written(quantity, commodity)),
    commodity === "" ? [] : [" ", element("span", { class: "commodity", title: commodity }, commodity)],
  );
}

/// Shows amounts of an answer of the API, one a line.
export function amountElements(amounts) {
  return shown(amounts.map(({ commodity, quantity }) => [commodity, parsed(quantity)]));
}

/// Shows pairs of a commodity and a quantity, one a line: what is zero only where there is nothing else, and a zero where
/// there is nothing at all.
export function shown(pairs) {
  if (pairs.length === 0) return [amountElement(parsed("0"), "")];
  for (const [commodity, quantity] of pairs) noteScale(commodity, quantity);
  const ordered = [...pairs].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  const some = ordered.filter(([, quantity]) => quantity.mantissa !== 0n);
  const chosen = some.length > 0 ? some : ordered.slice(0, 1);
  return chosen.map(([commodity, quantity]) => amountElement(quantity, commodity));
}

/// Gives what a person typed as an amount in the form that the API reads, or null where nothing was typed.
export function typed(text) {
  const trimmed = text.trim().replaceAll(minus, "-");
  return trimmed === "" ? null : trimmed;
}
