// SPDX-License-Identifier: Apache-2.0

extension Quantity: LosslessStringConvertible {
    /// Creates a quantity from its text.
    ///
    /// Returns `nil` if `text` isn't a quantity.
    ///
    /// The format is an optional `-`, one digit or more, and optionally a point with one digit or more. There must be
    /// at most ``maximumDigits`` digits without leading zeros.
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

    /// The plain text, with `scale` digits after the point.
    public var description: String {
        // Formatting of 128-bit numbers is slow, and few amounts need it.
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
    /// - Throws: `DecodingError` if the value isn't text, or the text isn't a quantity.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let quantity = Quantity(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text.prefix(60))' isn't a quantity. To fix, write it as in \"-1234.50\"."
            )
        }
        self = quantity
    }

    /// Encodes the plain text.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
