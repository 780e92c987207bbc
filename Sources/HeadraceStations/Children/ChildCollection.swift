// SPDX-License-Identifier: Apache-2.0

/// A collection of the states of children, with access by id in constant time.
///
/// ``Children`` and `Dictionary` conform to it.
public protocol ChildCollection<ID, Child> {
    /// The id of a child.
    associatedtype ID: Hashable

    /// The state of a child.
    associatedtype Child

    /// Returns whether a child with `id` exists.
    func contains(id: ID) -> Bool

    /// Changes the child with `id` in place, and returns the result of `body`; `nil` if no such child exists.
    mutating func modify<Result>(id: ID, _ body: (inout Child) -> Result) -> Result?

    /// Calls `body` with the id and the state of each child.
    ///
    /// A station calls it after each action if the drippers of the children declare ``StateSubscriptions``.
    func forEachChild(_ body: (ID, Child) -> Void)

    /// Number that changes whenever children are removed; `nil` if the collection doesn't count removals.
    ///
    /// With this number, a station searches for removed children only after a removal.
    var removalCount: Int? { get }
}

extension ChildCollection {
    /// `nil`: the collection doesn't count removals.
    public var removalCount: Int? { nil }
}

extension Dictionary: ChildCollection {
    /// Returns whether the dictionary has a value for the key.
    public func contains(id: Key) -> Bool { index(forKey: id) != nil }

    /// Changes the value for the key in place.
    public mutating func modify<Result>(id: Key, _ body: (inout Value) -> Result) -> Result? {
        guard let index = index(forKey: id) else { return nil }
        return body(&values[index])
    }

    /// Calls `body` with each key and its value.
    public func forEachChild(_ body: (Key, Value) -> Void) {
        for (key, value) in self { body(key, value) }
    }
}
