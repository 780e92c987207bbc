// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Identifies one entity in a store by its kind and its key.
///
/// Two references are equal if and only if their bytes are equal.
public struct EntityReference: Hashable, Sendable, CustomStringConvertible {
    /// The stored name of the entity's type.
    public let kind: String

    /// The stored text of the entity's identifier.
    public let key: String

    /// Creates a reference.
    public init(kind: String, key: String) {
        self.kind = kind
        self.key = key
    }

    /// Whether kind and key have the same bytes.
    public static func == (one: EntityReference, other: EntityReference) -> Bool {
        one.key.hasSameBytes(as: other.key) && one.kind.hasSameBytes(as: other.kind)
    }

    /// Hashes the bytes of kind and key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(BytewiseString(kind))
        hasher.combine(BytewiseString(key))
    }

    /// The kind and the key, in the form in which messages show them: `customer 'c1'`.
    public var description: String { "\(kind) '\(key)'" }
}

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

/// A string that is compared and ordered by its UTF-8 bytes, as databases do.
///
/// Strings that are canonically equivalent in Unicode can differ in their bytes: "é" is one scalar or two.
package struct BytewiseString: Hashable, Comparable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: BytewiseString, other: BytewiseString) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    package static func < (one: BytewiseString, other: BytewiseString) -> Bool {
        one.compare(other) < 0
    }

    package func hash(into hasher: inout Hasher) {
        // Equal bytes imply equal strings, so the hash of the string is valid.
        hasher.combine(text)
    }
}
