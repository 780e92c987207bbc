// SPDX-License-Identifier: Apache-2.0

/// One value or one key of a document, with its place in the bytes.
struct JSONToken {
    enum Kind: UInt8 {
        case null, `true`, `false`, integer, fraction, string, key, object, array

        /// Stands for a value that an object doesn't have.
        case missing
    }

    var kind: Kind

    /// Properties of a string or a key.
    var traits: TextTraits = []

    /// Whether the value was read.
    var isRead = false

    /// Offset of the first byte.
    ///
    /// For strings and keys, it is the first byte after the quotation mark.
    var start: UInt32

    /// Offset after the last byte.
    ///
    /// For strings and keys, it is the offset of the closing quotation mark.
    var end: UInt32 = 0

    /// Index of the first token after this value and everything in it.
    var next: UInt32 = 0

    /// Number of members or elements; for a missing value, its number among the missing values.
    var count: UInt32 = 0

    /// Index of the key of an object at which the next look-up begins.
    var hint: UInt32 = 0

    /// Offsets of the text of a string, a key, or a number.
    var range: Range<Int> { Int(start)..<Int(end) }
}
