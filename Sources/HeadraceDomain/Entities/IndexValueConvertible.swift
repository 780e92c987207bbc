//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceCore
public import HeadraceStorage

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
