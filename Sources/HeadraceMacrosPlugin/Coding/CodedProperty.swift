// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property that `Codable` encodes.
struct CodedProperty {
    /// The name without backticks, which is the key.
    let key: String

    /// The name as it is written.
    let name: String

    /// The type, or `nil` if it follows from a value that isn't a literal.
    let type: String?
}

/// The stored properties of a type, or the reason for which only `Codable` can encode it.
enum CodedProperties {
    /// The properties in the order of their keys.
    case properties([CodedProperty])

    /// The reason as a clause: "it is generic".
    case unsupported(String)
}

extension [CodedProperty] {
    /// The methods of `DocumentCodable`.
    func coding(access: String) -> [DeclSyntax] {
        let writes = map { "try encoder.encode(self.\($0.name), forKey: \"\($0.key)\")\n    " }.joined()
        let reads = map { property in
            let type = property.type.map { "\($0).self, " } ?? ""
            return "self.\(property.name) = try decoder.decode(\(type)forKey: \"\(property.key)\")\n    "
        }
        .joined()
        return [
            """
            \(raw: access)func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                try encoder.beginObject()
                \(raw: writes)encoder.endObject()
            }
            """,
            """
            \(raw: access)init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                try decoder.beginObject()
                \(raw: reads)try decoder.endObject()
            }
            """,
        ]
    }

    /// The methods of `DocumentCodable` of a type that is encoded as its raw value.
    static func rawValueCoding(access: String) -> [DeclSyntax] {
        [
            """
            \(raw: access)func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                try self.rawValue.encode(to: &encoder)
            }
            """,
            """
            \(raw: access)init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                self = try decoder.decode(rawValueOf: Self.self)
            }
            """,
        ]
    }
}
#endif
