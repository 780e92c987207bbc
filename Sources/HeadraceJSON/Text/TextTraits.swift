// SPDX-License-Identifier: Apache-2.0

/// Properties of a text that matter for comparing it with other texts.
struct TextTraits: OptionSet {
    let rawValue: UInt8

    /// The text contains characters that are escaped in JSON.
    static let escaped = TextTraits(rawValue: 1)

    /// The text contains characters beyond ASCII.
    static let nonASCII = TextTraits(rawValue: 2)
}
