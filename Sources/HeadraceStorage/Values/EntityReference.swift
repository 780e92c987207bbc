// SPDX-License-Identifier: Apache-2.0

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
