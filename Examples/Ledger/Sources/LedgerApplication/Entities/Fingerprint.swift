//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Stands for a text in 128 bits: equal texts have equal fingerprints, and others never do in practice.
///
/// FNV-1a, which spreads well and resists nobody who means to collide; whoever does harms their own books.
/// Source: RFC 9923, <https://www.rfc-editor.org/rfc/rfc9923>.
public struct Fingerprint: RawRepresentable, Hashable, Codable, Sendable, IndexValueConvertible {
    /// The bits in base 16: 32 digits.
    public let rawValue: String

    /// Takes up a fingerprint that was written down.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes the fingerprint of `fields`; where one ends and the next begins counts.
    public init(_ fields: some Sequence<String>) {
        var hash = Hash()
        for field in fields { hash.combine(field) }
        rawValue = hash.text
    }

    /// Makes the fingerprint of the bytes of a file.
    public init(bytes: [UInt8]) {
        var hash = Hash()
        for byte in bytes { hash.combine(byte) }
        rawValue = hash.text
    }
}

private struct Hash {
    private static let prime: UInt128 = (1 << 88) + 0x13B

    private var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

    mutating func combine(_ field: String) {
        for byte in field.utf8 { combine(byte) }
        // Never part of UTF-8, so no text can stand for the border of two.
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
