//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation

/// JSON in which equal values are equal bytes.
///
/// The members of objects are sorted, and so are the elements of a `Set` and the pairs of a `Dictionary` whose keys
/// aren't strings. `JSONEncoder` writes both in the order of their hash tables, which differs between equal values.
/// For all other values, the output is the same as the output of `JSONEncoder` with sorted keys.
///
/// A type that writes the elements of a set itself, one by one, must sort them. Only a collection that is encoded as
/// a whole is recognized.
package enum CanonicalJSON {
    /// The shared encoder.
    ///
    /// Its settings never change, and calls of `encode` are independent.
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Encodes `value`.
    ///
    /// - Throws: `EncodingError`; the errors of `value`.
    /// - Complexity: O(*n* · *d*) in the size of the JSON and the depth to which unordered collections contain one
    ///   another.
    package static func encode<Value: Encodable>(_ value: Value) throws -> Data {
        if isOrdered(Value.self) { return try encoder.encode(value) }
        let parts = UnorderedParts()
        do {
            return parts.fillIn(try encoder.encode(CanonicalValue(value, parts)))
        } catch EncodingError.invalidValue(is CanonicalValue, let context) where context.codingPath.isEmpty {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "Top-level \(Value.self) did not encode any values."
                )
            )
        }
    }

    /// Encodes `value`, which contains no unordered collection.
    ///
    /// - Throws: See ``encode(_:)``.
    package static func encode(ordered value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    /// Whether values of `type` are known to contain no unordered collection.
    ///
    /// `Date`, `Data`, `URL` and `Decimal` must be among them: `JSONEncoder` recognizes them by their types.
    static func isOrdered(_ type: any Encodable.Type) -> Bool {
        type == Date.self || type == UUID.self || type == Data.self || type == Decimal.self || type == URL.self
            || type == String.self || type == Int.self || type == Double.self || type == Bool.self
            || type == [String].self || type == [Int].self || type == [Double].self || type == [UInt8].self
            || type == [String: String].self
    }
}
