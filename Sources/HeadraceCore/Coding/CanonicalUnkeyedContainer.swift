//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The elements of an array, each in a ``CanonicalValue``.
struct CanonicalUnkeyedContainer: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer
    let parts: UnorderedParts

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encode(_ value: some Encodable) throws {
        if CanonicalJSON.isOrdered(type(of: value)) {
            try base.encode(value)
        } else {
            try base.encode(CanonicalValue(value, parts))
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(CanonicalKeyedContainer(base: base.nestedContainer(keyedBy: keyType), parts: parts))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        CanonicalUnkeyedContainer(base: base.nestedUnkeyedContainer(), parts: parts)
    }

    mutating func superEncoder() -> any Encoder {
        CanonicalEncoder(base: base.superEncoder(), parts: parts)
    }

    // MARK: Values without parts

    mutating func encodeNil() throws { try base.encodeNil() }
    mutating func encode(_ value: Bool) throws { try base.encode(value) }
    mutating func encode(_ value: String) throws { try base.encode(value) }
    mutating func encode(_ value: Double) throws { try base.encode(value) }
    mutating func encode(_ value: Float) throws { try base.encode(value) }
    mutating func encode(_ value: Int) throws { try base.encode(value) }
    mutating func encode(_ value: Int8) throws { try base.encode(value) }
    mutating func encode(_ value: Int16) throws { try base.encode(value) }
    mutating func encode(_ value: Int32) throws { try base.encode(value) }
    mutating func encode(_ value: Int64) throws { try base.encode(value) }
    mutating func encode(_ value: Int128) throws { try base.encode(value) }
    mutating func encode(_ value: UInt) throws { try base.encode(value) }
    mutating func encode(_ value: UInt8) throws { try base.encode(value) }
    mutating func encode(_ value: UInt16) throws { try base.encode(value) }
    mutating func encode(_ value: UInt32) throws { try base.encode(value) }
    mutating func encode(_ value: UInt64) throws { try base.encode(value) }
    mutating func encode(_ value: UInt128) throws { try base.encode(value) }
}
