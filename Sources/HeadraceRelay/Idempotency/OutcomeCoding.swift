// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceStorage

/// The JSON coding of a result, selected by its type: `Void` or a `Codable` type.
package struct OutcomeCoding<Output> {
    private struct Nothing: Codable {}

    /// Encodes a result.
    package let encode: (Output) throws -> Data

    /// Decodes a result.
    package let decode: (Data) throws -> Output

    /// Creates a coding; `nil` if the type is neither `Void` nor `Codable`.
    package init?(_ type: Output.Type) {
        if let nothing = () as? Output {
            encode = { _ in try DocumentCoding.encode(Nothing()) }
            decode = { _ in nothing }
        } else if let type = type as? any Codable.Type {
            (encode, decode) = Self.coding(of: type)
        } else {
            return nil
        }
    }

    /// Decodes the stored value.
    ///
    /// If the command returned nothing when it took effect, an empty object is stored, which may decode as the present
    /// type.
    private static func storedValue<Value: Codable>(in json: Data) throws -> Value? {
        if json == Data("{}".utf8) { return try DocumentCoding.decode(Value.self, from: json) }
        return try DocumentCoding.decode([Value].self, from: json).first
    }

    private static func coding<Value: Codable>(
        of type: Value.Type
    ) -> (encode: (Output) throws -> Data, decode: (Data) throws -> Output) {
        (
            { output in
                // Encoded in an array, because not every decoder accepts a bare `nil` as JSON.
                try DocumentCoding.encode([output as? Value])
            },
            { json in
                guard let value: Value = try storedValue(in: json), let output = value as? Output else {
                    throw DecodingError.valueNotFound(
                        Value.self,
                        DecodingError.Context(codingPath: [], debugDescription: "The stored outcome is empty.")
                    )
                }
                return output
            }
        )
    }
}
