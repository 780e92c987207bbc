// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceJSON

/// Encodes entities and events as JSON, and decodes them.
///
/// Equal values have equal bytes.
package enum DocumentCoding {
    /// Encodes `value`.
    ///
    /// The order of sets and dictionaries depends only on their elements.
    ///
    /// - Throws: `EncodingError`.
    package static func encode(_ value: some Encodable) throws -> Data {
        try JSONDocumentEncoder.encode(value)
    }

    /// Encodes `value`, and returns `nil` if the result equals `json`.
    ///
    /// - Throws: `EncodingError`.
    package static func encode(_ value: some Encodable, unlessEqualTo json: Data) throws -> Data? {
        try JSONDocumentEncoder.encode(value, unlessEqualTo: json)
    }

    /// Decodes a value of `type`.
    ///
    /// - Throws: `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        try JSONDocumentDecoder.decode(type, from: json)
    }
}
