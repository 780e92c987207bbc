// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The types that are encoded and decoded without a container.
enum ValueKind {
    case string, bool, int, int32, int64, uint8, uint64, double, float
    case date, uuid, data, url, decimal

    /// A collection of the standard library.
    case collection

    /// A type that must encode and decode itself.
    case other

    /// The kind of `type`, without a look at collections.
    init(of type: Any.Type) {
        self = Self.known[ObjectIdentifier(type)] ?? .other
    }

    private static let known: [ObjectIdentifier: ValueKind] = [
        ObjectIdentifier(String.self): .string, ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(Int.self): .int,
        ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(Int64.self): .int64,
        ObjectIdentifier(UInt8.self): .uint8, ObjectIdentifier(UInt64.self): .uint64,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(Date.self): .date, ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(Data.self): .data,
        ObjectIdentifier(URL.self): .url, ObjectIdentifier(Decimal.self): .decimal,
    ]
}
