//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Names one entity in a store: its kind and its key.
///
/// Two are equal only where their bytes are.
public struct EntityReference: Hashable, Sendable, CustomStringConvertible {
    /// The stored name of its type.
    public let kind: String

    /// The stored text of its identifier.
    public let key: String

    /// Creates a reference.
    public init(kind: String, key: String) {
        self.kind = kind
        self.key = key
    }

    /// Whether kind and key are the same bytes.
    public static func == (one: EntityReference, other: EntityReference) -> Bool {
        BytewiseString(one.key) == BytewiseString(other.key) && BytewiseString(one.kind) == BytewiseString(other.kind)
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(BytewiseString(kind))
        hasher.combine(BytewiseString(key))
    }

    /// The kind and the key, as messages show them: `customer 'c1'`.
    public var description: String { "\(kind) '\(key)'" }
}
