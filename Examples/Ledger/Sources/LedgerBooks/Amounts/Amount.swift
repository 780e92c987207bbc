// SPDX-License-Identifier: Apache-2.0

/// A quantity of one commodity, such as 12.50 EUR.
public struct Amount: Sendable, Hashable {
    /// The quantity.
    public var quantity: Quantity

    /// The symbol of the commodity, without quotes; empty for none.
    public var commodity: String

    /// Creates an amount.
    public init(_ quantity: Quantity, _ commodity: String = "") {
        self.quantity = quantity
        self.commodity = commodity
    }

    /// The same amount with the opposite sign.
    public var negated: Amount { Amount(quantity.negated, commodity) }
}

extension Amount: CustomStringConvertible {
    /// The quantity and the symbol, as in `-1.50 EUR`.
    ///
    /// The symbol is in quotes if a journal requires them.
    public var description: String {
        guard !commodity.isEmpty else { return quantity.description }
        let isPlain = !commodity.utf8.contains(where: Self.needsQuotes)
        return isPlain ? "\(quantity) \(commodity)" : "\(quantity) \"\(commodity)\""
    }

    private static let quote = UInt8(ascii: "\"")

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, quote, UInt8(ascii: "(")...UInt8(ascii: "."),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "@"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default:
            false
        }
    }
}

extension Amount: Codable {
    /// Decodes the text of ``description``.
    ///
    /// - Throws: `DecodingError` if the value isn't text, or the text isn't an amount.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let end = text.utf8.firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex
        guard let quantity = Quantity(String(text[..<end])) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text.prefix(60))' isn't an amount. To fix, write it as in \"-1234.50 EUR\"."
            )
        }
        var symbol = text.utf8[end...].dropFirst()
        if symbol.count > 1, symbol.first == Self.quote, symbol.last == Self.quote {
            symbol = symbol.dropFirst().dropLast()
        }
        self.init(quantity, String(Substring(symbol)))
    }

    /// Encodes the text of ``description``.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
