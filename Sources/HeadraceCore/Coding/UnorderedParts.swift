//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// The JSON of the unordered collections within one value.
///
/// `JSONEncoder` can't embed JSON that is already written. Therefore it writes a placeholder for each collection, and
/// the JSON of the collection replaces the placeholder at the end. Each element is encoded once, however deep the
/// collections are nested.
final class UnorderedParts {
    private var parts: [Data] = []

    /// Prefix of each placeholder.
    ///
    /// It is random, so no other text of the value starts with it.
    private lazy var mark = UUID().uuidString + ":"

    /// Encodes and sorts `elements`.
    ///
    /// - Returns: The placeholder of the collection.
    func add(_ elements: [[any Encodable]], at codingPath: [any CodingKey]) throws -> String {
        var encoded: [Data] = []
        encoded.reserveCapacity(elements.count)
        for element in elements {
            do {
                // Without the brackets.
                encoded.append(try CanonicalJSON.encode(Values(values: element)).dropFirst().dropLast())
            } catch EncodingError.invalidValue(let value, let context) {
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(
                        codingPath: codingPath + context.codingPath,
                        debugDescription: context.debugDescription,
                        underlyingError: context.underlyingError
                    )
                )
            }
        }
        encoded.sort { $0.lexicographicallyPrecedes($1) }
        var json = Data("[".utf8)
        for (index, element) in encoded.enumerated() {
            if index > 0 { json.append(contentsOf: ",".utf8) }
            json.append(element)
        }
        json.append(contentsOf: "]".utf8)
        parts.append(json)
        return mark + "\(parts.count - 1)"
    }

    /// Replaces the placeholders by the JSON of their collections.
    func fillIn(_ json: Data) -> Data {
        if parts.isEmpty { return json }
        let quote = UInt8(ascii: "\"")
        let opening = Data("\"\(mark)".utf8)
        var filled = Data()
        var rest = json[...]
        while let match = rest.range(of: opening) {
            let number = rest[match.upperBound...].prefix { $0 != quote }
            filled.append(rest[..<match.lowerBound])
            if let index = Int(String(decoding: number, as: UTF8.self)), parts.indices.contains(index) {
                filled.append(parts[index])
            }
            rest = rest[number.endIndex...].dropFirst()
        }
        filled.append(rest)
        return filled
    }

    /// The values of one element, as an array.
    private struct Values: Encodable {
        let values: [any Encodable]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        }
    }
}
