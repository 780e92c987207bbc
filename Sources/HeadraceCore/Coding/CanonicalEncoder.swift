//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Passes everything on to `base`, with each value in a ``CanonicalValue``.
struct CanonicalEncoder: Encoder {
    let base: any Encoder
    let parts: UnorderedParts

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(CanonicalKeyedContainer(base: base.container(keyedBy: type), parts: parts))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        CanonicalUnkeyedContainer(base: base.unkeyedContainer(), parts: parts)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        CanonicalSingleValueContainer(base: base.singleValueContainer(), parts: parts)
    }
}
