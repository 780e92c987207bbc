//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Quantity: LosslessStringConvertible {
    /// Creates the quantity that `text` spells, or nil where it spells none.
    ///
    /// The form is an optional `-`, one digit or more, and optionally a point with one digit or more;
    /// nothing else, and no more than ``maximumDigits`` digits without leading zeros.
    public init?(_ text: String) {
        var bytes = text.utf8[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { bytes.removeFirst() }

        var mantissa: Int128 = 0
        var scale: Int?
        var hasDigit = false
        for byte in bytes {
            if byte == UInt8(ascii: "."), scale == nil, hasDigit {
                scale = 0
                hasDigit = false
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            guard mantissa < PowerOfTen.power(Self.maximumDigits - 1) else { return nil }
            hasDigit = true
            mantissa = mantissa * 10 + Int128(byte - UInt8(ascii: "0"))
            scale = scale.map { $0 + 1 }
        }
        guard hasDigit else { return nil }
        self.init(ifFits: isNegative ? -mantissa : mantissa, scale: scale ?? 0)
    }

    /// The plain text, with as many digits after the point as the scale says.
    public var description: String {
        // Numbers of 128 bits are slow to write, and few amounts need them.
        let digits = UInt64(exactly: mantissa.magnitude).map { String($0) } ?? String(mantissa.magnitude)
        let sign = isNegative ? "-" : ""
        guard scale > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, scale + 1 - digits.utf8.count)) + digits
        return "\(sign)\(padded.dropLast(scale)).\(padded.suffix(scale))"
    }
}

extension Quantity: Codable {
    /// Decodes the plain text.
    ///
    /// - Throws: `DecodingError` when the value is not text or the text spells no quantity.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let quantity = Quantity(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text.prefix(60))' is not a quantity. Write it as in \"-1234.50\"."
            )
        }
        self = quantity
    }

    /// Encodes the plain text.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
