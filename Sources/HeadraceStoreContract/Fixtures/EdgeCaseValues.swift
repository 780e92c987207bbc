// SPDX-License-Identifier: Apache-2.0

/// Texts that a store may confuse with something else, all different in their bytes.
let edgeCaseTexts: [String] = [
    "", " ", "a", "A", "ab", "a b", "a\n", "\t",
    // NUL, and texts that an escape for NUL may look like.
    "\0", "a\0", "a\0b", "\u{1}", "\u{1}\u{1}", "\u{1}\u{2}", "\u{2}", "\\0", "\\u0000",
    // Canonically equal, different in bytes.
    "\u{E9}", "e\u{301}", "\u{AC00}", "\u{1100}\u{1161}", "\u{212B}", "\u{C5}", "A\u{30A}",
    // Different unless case or width is folded.
    "ss", "ß", "ﬀ", "ff", "İ", "i",
    // SQL, patterns and quotes.
    "'", "''", "\"", "`", "\\", "%", "_", "*", "?1", ":a", "'; DROP TABLE entity; --", "NULL", "true",
    // Numbers as text.
    "0", "1", "-1", "1.0", "1e3", "0x1", "9223372036854775807", "9223372036854775808", "１",
    // Several scalars in one character, the ends of the planes, right to left.
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{FEFF}", "אב",
    // With a short prefix, the longest key that each store must accept.
    String(repeating: "long ", count: 198),
]

/// Whole numbers at which something may overflow or lose precision.
let edgeCaseNumbers: [Int64] = [
    .min, .min + 1, -9_007_199_254_740_993, -4_294_967_297, -256, -1, 0, 1, 127, 128, 255, 256, 65_536,
    4_294_967_295, 4_294_967_296, 9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
]

/// All edge cases in ascending order.
let edgeCaseValues: [EntryValue] = (edgeCaseNumbers.map(EntryValue.number) + edgeCaseTexts.map(EntryValue.text)).sorted
{
    $0.precedes($1)
}
