//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The members of an object, each in a ``CanonicalValue``.
struct CanonicalKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>
    let parts: UnorderedParts

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        if CanonicalJSON.isOrdered(type(of: value)) {
            try base.encode(value, forKey: key)
        } else {
            try base.encode(CanonicalValue(value, parts), forKey: key)
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = base.nestedContainer(keyedBy: keyType, forKey: key)
        return KeyedEncodingContainer<NestedKey>(CanonicalKeyedContainer<NestedKey>(base: nested, parts: parts))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        CanonicalUnkeyedContainer(base: base.nestedUnkeyedContainer(forKey: key), parts: parts)
    }

    mutating func superEncoder() -> any Encoder {
        CanonicalEncoder(base: base.superEncoder(), parts: parts)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        CanonicalEncoder(base: base.superEncoder(forKey: key), parts: parts)
    }

    // MARK: Values without parts

    mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
    mutating func encode(_ value: Bool, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int128, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try base.encode(value, forKey: key) }
}
