// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore

/// An identifier of the entities of one type, which can be written as text.
///
/// `UUID`, `String`, `Int`, and enumerations or wrappers of them are identifiers. For stored entities, create UUIDs
/// with `UUID.version7()`, which sort by time.
public protocol EntityIdentifier: Hashable, Sendable, Codable {
    /// The identifier as text, which must never change: identifiers are equal if and only if the UTF-8 bytes of their
    /// texts are.
    var storageKey: String { get }
}

extension String: EntityIdentifier {
    /// The text in composed form (Unicode's normalization form C), so that equal texts have the same key.
    public var storageKey: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}

extension Int: EntityIdentifier {
    /// The number in base 10.
    public var storageKey: String { description }
}

extension UUID: EntityIdentifier {
    /// The usual form in lower case, as RFC 9562 writes it.
    public var storageKey: String { text() }
}

extension EntityIdentifier where Self: RawRepresentable, RawValue: EntityIdentifier {
    /// The key of the raw value.
    public var storageKey: String { rawValue.storageKey }
}
