// SPDX-License-Identifier: Apache-2.0

/// An ordered collection of the states of children, with access by id in constant time.
///
/// ```swift
/// struct State {
///     var rows: Children<Row.State> = []
/// }
///
/// state.rows.append(Row.State(id: 7))
/// state.rows[id: 7]?.title = "seven"
/// ```
///
/// Ids are unique: appending a child replaces the child with the same id. A child keeps the id under which it was added.
public struct Children<Child: Identifiable>: RandomAccessCollection where Child.ID: Sendable {
    @usableFromInline var elements: [Child] = []
    @usableFromInline var positions: [Child.ID: Int] = [:]
    private var removals = 0

    /// Creates a collection without children.
    public init() {}

    /// Creates a collection of `children`, in their order.
    public init(_ children: some Swift.Sequence<Child>) {
        for child in children { append(child) }
    }

    /// The first position.
    public var startIndex: Int { elements.startIndex }

    /// The position after the last child.
    public var endIndex: Int { elements.endIndex }

    /// The ids, in the order of the children.
    public var ids: [Child.ID] { elements.map(\.id) }

    /// The child at `position`.
    public subscript(position: Int) -> Child { elements[position] }

    /// The child with an id; `nil` if no such child exists.
    ///
    /// Setting it to `nil` removes the child.
    public subscript(id id: Child.ID) -> Child? {
        get { positions[id].map { elements[$0] } }
        set {
            guard let newValue else {
                remove(id: id)
                return
            }
            if let position = positions[id] {
                elements[position] = newValue
            } else {
                append(newValue)
            }
        }
    }

    /// Adds `child` at the end, or replaces the child with the same id.
    public mutating func append(_ child: Child) {
        if let position = positions[child.id] {
            elements[position] = child
        } else {
            positions[child.id] = elements.count
            elements.append(child)
        }
    }

    /// Removes the child with `id` and returns it; `nil` if no such child exists.
    ///
    /// - Complexity: O(*n*) in the number of children after the removed child.
    @discardableResult
    public mutating func remove(id: Child.ID) -> Child? {
        guard let position = positions.removeValue(forKey: id) else { return nil }
        removals += 1
        let child = elements.remove(at: position)
        for later in position..<elements.count { positions[elements[later].id] = later }
        return child
    }

    /// Removes all children, whose effects are then cancelled.
    public mutating func removeAll() {
        removals += elements.count
        elements = []
        positions = [:]
    }
}

extension Children: ChildCollection {
    /// Number of children that were removed from this value so far.
    public var removalCount: Int? { removals }

    /// Returns whether a child with `id` exists.
    public func contains(id: Child.ID) -> Bool { positions[id] != nil }

    /// Calls `body` with the id and the state of each child, in their order.
    public func forEachChild(_ body: (Child.ID, Child) -> Void) {
        for (id, position) in positions.sorted(by: { $0.value < $1.value }) { body(id, elements[position]) }
    }

    /// Changes the child with `id` in place, and returns the result of `body`; `nil` if no such child exists.
    @inlinable
    public mutating func modify<Result>(id: Child.ID, _ body: (inout Child) -> Result) -> Result? {
        guard let position = positions[id] else { return nil }
        return body(&elements[position])
    }
}

extension Children: ExpressibleByArrayLiteral {
    /// Creates a collection of `children`, in their order.
    public init(arrayLiteral children: Child...) {
        self.init(children)
    }
}

extension Children: CustomReflectable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The children as elements of a collection.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: elements, displayStyle: .collection) }

    /// The descriptions of the children, as those of an array.
    public var description: String { elements.description }

    /// The descriptions of the children for debugging, as those of an array.
    public var debugDescription: String { elements.debugDescription }
}

extension Children: Sendable where Child: Sendable {}

extension Children: Equatable where Child: Equatable {
    /// Whether both collections have equal children in the same order.
    public static func == (left: Children, right: Children) -> Bool { left.elements == right.elements }
}

extension Children: Codable where Child: Codable {
    /// Decodes an array of children.
    public init(from decoder: any Decoder) throws {
        self.init(try [Child](from: decoder))
    }

    /// Encodes the children as an array.
    public func encode(to encoder: any Encoder) throws {
        try elements.encode(to: encoder)
    }
}

/// A collection of the states of children, with access by id in constant time.
///
/// ``Children`` and `Dictionary` conform to it.
public protocol ChildCollection<ID, Child> {
    /// The id of a child, by which actions and effects find it.
    associatedtype ID: Hashable

    /// The state of a child, which the child's drippers change in place.
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
