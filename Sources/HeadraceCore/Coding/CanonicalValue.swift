//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A value on its way to `JSONEncoder`, which sees the parts of the value in the same wrapper.
struct CanonicalValue: Encodable {
    private let value: any Encodable
    private let parts: UnorderedParts

    init(_ value: any Encodable, _ parts: UnorderedParts) {
        self.value = value
        self.parts = parts
    }

    func encode(to encoder: any Encoder) throws {
        if CanonicalJSON.isOrdered(type(of: value)) {
            // Not 'value.encode(to:)', which would hide the type from 'JSONEncoder'.
            try Self.encode(value, as: encoder)
        } else if let elements = (value as? any UnorderedCollection)?.elements {
            switch elements {
            case .sorted(let elements): try Self.encode(elements, as: encoder)
            case .unsorted(let elements): try Self.encode(parts.add(elements, at: encoder.codingPath), as: encoder)
            }
        } else {
            try value.encode(to: CanonicalEncoder(base: encoder, parts: parts))
        }
    }

    private static func encode(_ value: some Encodable, as encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
