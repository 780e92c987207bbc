//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceCore

/// What tells the entities of one type apart, and can be written as text.
///
/// `UUID`, `String`, `Int` and enumerations or wrappers of them are identifiers; make those of stored things
/// with `UUID.version7()`, which sort by time.
public protocol EntityIdentifier: Hashable, Sendable, Codable {
    /// The identifier as text: two are equal exactly where the UTF-8 bytes of their texts are. It never changes.
    var storageKey: String { get }
}

extension String: EntityIdentifier {
    /// The text, composed (Unicode's normalization form C): texts that are equal have one key.
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
