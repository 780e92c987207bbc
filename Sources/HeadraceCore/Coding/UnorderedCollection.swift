//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// A collection whose order differs between equal collections.
protocol UnorderedCollection {
    /// The elements to encode; `nil` if the collection encodes as an object, because the members of objects are
    /// sorted anyway.
    var elements: UnorderedElements? { get }
}

/// The elements of an unordered collection.
enum UnorderedElements {
    /// Elements in an order that depends only on the elements.
    case sorted(any Encodable)

    /// Elements without an order, which must be sorted by their JSON. An element of a dictionary is a key and its
    /// value.
    case unsorted([[any Encodable]])
}

extension Set: UnorderedCollection where Element: Encodable {
    var elements: UnorderedElements? {
        switch self {
        // Compares the elements without encoding them.
        case let texts as Set<String>: .sorted(texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        case let numbers as Set<Int>: .sorted(numbers.sorted())
        case let ids as Set<UUID>: .sorted(ids.map(\.uuidString).sorted())
        default: .unsorted(map { [$0] })
        }
    }
}

extension Dictionary: UnorderedCollection where Key: Encodable, Value: Encodable {
    var elements: UnorderedElements? {
        // The standard library writes these as objects, and all other dictionaries as arrays of alternating keys and
        // values.
        if Key.self is String.Type || Key.self is Int.Type || Key.self is any CodingKeyRepresentable.Type { return nil }
        return .unsorted(map { [$0.key, $0.value] })
    }
}
