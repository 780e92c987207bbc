//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a condition asks of one value in an index.
public enum IndexPredicate: Hashable, Sendable {
    /// The value is among these.
    case oneOf(Set<IndexValue>)

    /// The value is at least the first and less than the second, as far as they are given.
    case range(from: IndexValue?, below: IndexValue?)

    /// Whether `value` passes.
    public func accepts(_ value: IndexValue) -> Bool {
        switch self {
        case .oneOf(let values):
            values.contains(value)
        case .range(let lower, let upper):
            lower.map { value >= $0 } ?? true && upper.map { value < $0 } ?? true
        }
    }
}
