// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
public import HeadraceStorage

/// A value that can be stored in an index.
public protocol IndexValueConvertible: SendableMetatype {
    /// The value in the index, which determines the order.
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
    /// Microseconds since 1970, rounded down and clamped to the range of `Int64`.
    public var indexValue: IndexValue {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded(.down)
        return .integer(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }
}

extension IndexValueConvertible where Self: RawRepresentable, RawValue: IndexValueConvertible {
    /// The index value of the raw value.
    public var indexValue: IndexValue { rawValue.indexValue }
}
