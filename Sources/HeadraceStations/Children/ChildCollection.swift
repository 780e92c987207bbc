//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The states of children that are told apart by an id, found in constant time.
///
/// ``Children`` is one, and so is `Dictionary`.
public protocol ChildCollection<ID, Child> {
    /// Tells the children apart.
    associatedtype ID: Hashable

    /// The state of a child.
    associatedtype Child

    /// Tells whether there is a child with `id`.
    func contains(id: ID) -> Bool

    /// Changes the child with `id` in place, and returns what `body` returns; `nil` where there is none.
    mutating func modify<Result>(id: ID, _ body: (inout Child) -> Result) -> Result?

    /// A number that is another one after children have been removed; `nil` where nobody counts.
    ///
    /// With it, a station looks for children that are gone only when some are.
    var removalCount: Int? { get }
}

extension ChildCollection {
    /// Nobody counts.
    public var removalCount: Int? { nil }
}

extension Dictionary: ChildCollection {
    /// Tells whether there is a value for the key.
    public func contains(id: Key) -> Bool { index(forKey: id) != nil }

    /// Changes the value for the key in place.
    public mutating func modify<Result>(id: Key, _ body: (inout Value) -> Result) -> Result? {
        guard let index = index(forKey: id) else { return nil }
        return body(&values[index])
    }
}
