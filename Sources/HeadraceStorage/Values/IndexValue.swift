// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value in an index.
///
/// Numbers come before text; text is ordered by its UTF-8 bytes.
public enum IndexValue: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)

    /// Text.
    case text(String)
}

extension IndexValue: Comparable {
    /// Whether `one` precedes `other` in an index.
    public static func < (one: IndexValue, other: IndexValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.integer, .text): true
        case (.text, .integer): false
        case (.text(let one), .text(let other)): BytewiseString(one) < BytewiseString(other)
        }
    }

    /// Whether two values are equal; texts are equal only if their bytes are, even if Unicode calls them equivalent.
    public static func == (one: IndexValue, other: IndexValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one == other
        case (.text(let one), .text(let other)): BytewiseString(one) == BytewiseString(other)
        default: false
        }
    }

    /// Hashes the number, or the bytes of the text.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let number):
            hasher.combine(number)
        case .text(let text):
            hasher.combine(BytewiseString(text))
        }
    }
}
