//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

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
    /// Whether `one` comes first in an index.
    public static func < (one: IndexValue, other: IndexValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.integer, .text): true
        case (.text, .integer): false
        case (.text(let one), .text(let other)): ByteText(one) < ByteText(other)
        }
    }

    /// Whether two values are one: texts that Unicode calls equal may differ in their bytes, and are two then.
    public static func == (one: IndexValue, other: IndexValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one == other
        case (.text(let one), .text(let other)): ByteText(one) == ByteText(other)
        default: false
        }
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let number):
            hasher.combine(number)
        case .text(let text):
            hasher.combine(ByteText(text))
        }
    }
}

/// What can be a value in an index.
public protocol IndexValueConvertible: SendableMetatype {
    /// The value as it stands in the index; its order is the order of the index.
    var indexValue: IndexValue { get }
}

extension String: IndexValueConvertible {
    /// The text.
    public var indexValue: IndexValue { .text(self) }
}

extension Int: IndexValueConvertible {
    /// The number.
    public var indexValue: IndexValue { .integer(Int64(self)) }
}

extension Int64: IndexValueConvertible {
    /// The number.
    public var indexValue: IndexValue { .integer(self) }
}

extension Bool: IndexValueConvertible {
    /// 0 or 1.
    public var indexValue: IndexValue { .integer(self ? 1 : 0) }
}

extension UUID: IndexValueConvertible {
    /// The usual form in lower case.
    public var indexValue: IndexValue { .text(storageKey) }
}

extension Date: IndexValueConvertible {
    /// Microseconds since 1970, rounded down; the far ends of the range stand for what lies beyond them.
    public var indexValue: IndexValue {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded(.down)
        return .integer(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }
}

extension IndexValueConvertible where Self: RawRepresentable, RawValue: IndexValueConvertible {
    /// The value of the raw value.
    public var indexValue: IndexValue { rawValue.indexValue }
}
