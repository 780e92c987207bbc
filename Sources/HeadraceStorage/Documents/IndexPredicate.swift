// SPDX-License-Identifier: Apache-2.0

/// A predicate on one value in an index.
public enum IndexPredicate: Hashable, Sendable {
    /// The value is in the set.
    case oneOf(Set<IndexValue>)

    /// The value is at least `from` and less than `below`; a bound that is `nil` is ignored.
    case range(from: IndexValue?, below: IndexValue?)

    /// Whether `value` matches.
    public func accepts(_ value: IndexValue) -> Bool {
        switch self {
        case .oneOf(let values):
            values.contains(value)
        case .range(let lower, let upper):
            lower.map { value >= $0 } ?? true && upper.map { value < $0 } ?? true
        }
    }
}
