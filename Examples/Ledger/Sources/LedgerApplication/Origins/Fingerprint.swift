// SPDX-License-Identifier: Apache-2.0

public import Headrace
import HeadraceDomain

/// A hash of a text, 128 bits long.
///
/// Equal texts have equal fingerprints; collisions of other texts are improbable.
///
/// The hash function is FNV-1a. It isn't cryptographic: a user who constructs a collision harms only their own ledger.
/// Source: RFC 9923, <https://www.rfc-editor.org/rfc/rfc9923>.
public struct Fingerprint: RawRepresentable, Hashable, Codable, Sendable, IndexValueConvertible {
    /// The bits as 32 hexadecimal digits.
    public let rawValue: String

    /// Creates a fingerprint from its digits.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates the fingerprint of `fields`.
    ///
    /// The borders between the fields are part of it.
    public init(_ fields: some Sequence<String>) {
        var hash = Hash()
        for field in fields { hash.combine(field) }
        rawValue = hash.text
    }

    /// Creates the fingerprint of the bytes of a file.
    public init(bytes: [UInt8]) {
        var hash = Hash()
        for byte in bytes { hash.combine(byte) }
        rawValue = hash.text
    }
}

extension Fingerprint: EntityIdentifier {}

private struct Hash {
    private static let prime: UInt128 = (1 << 88) + 0x13B

    private var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    mutating func combine(_ field: String) {
        for byte in field.utf8 { combine(byte) }
        // This byte is never part of UTF-8, so no field can contain the separator.
        combine(0xFF)
    }

    mutating func combine(_ byte: UInt8) {
        state = (state ^ UInt128(byte)) &* Self.prime
    }

    var text: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: stride(from: 124, through: 0, by: -4).map { digits[Int(truncatingIfNeeded: state >> $0) & 0xF] },
            as: UTF8.self
        )
    }
}
