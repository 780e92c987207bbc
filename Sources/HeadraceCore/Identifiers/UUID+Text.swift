// SPDX-License-Identifier: Apache-2.0

package import Foundation

// Faster than `uuidString` and `init(uuidString:)`, which use the formatted input and output of C. A store writes and
// reads several UUIDs for each event.
extension UUID {
    /// Returns the standard form of 36 characters with the given digits.
    package func text(_ digits: TextDigits = .lowercase) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(Self.textLength)
        for byte in [
            uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7,
            uuid.8, uuid.9, uuid.10, uuid.11, uuid.12, uuid.13, uuid.14, uuid.15,
        ] {
            if Self.isPlaceOfHyphen(text.count) { text.append(UInt8(ascii: "-")) }
            text.append(digits.digit(byte >> 4))
            text.append(digits.digit(byte & 0xF))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses the standard form, in lowercase or uppercase; `nil` for any other text.
    package init?(text: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var upper: UInt8?
        var place = 0
        for byte in text {
            defer { place += 1 }
            if Self.isPlaceOfHyphen(place) {
                if byte != UInt8(ascii: "-") { return nil }
                continue
            }
            guard place < Self.textLength, let digit = TextDigits.value(byte) else { return nil }
            if let high = upper {
                bytes.append(high << 4 | digit)
                upper = nil
            } else {
                upper = digit
            }
        }
        guard place == Self.textLength else { return nil }
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }

    private static let textLength = 36

    private static func isPlaceOfHyphen(_ place: Int) -> Bool {
        place == 8 || place == 13 || place == 18 || place == 23
    }

    /// The letters of the hexadecimal digits.
    package enum TextDigits {
        case lowercase, capital

        fileprivate func digit(_ value: UInt8) -> UInt8 {
            if value < 10 { return UInt8(ascii: "0") + value }
            return (self == .capital ? UInt8(ascii: "A") : UInt8(ascii: "a")) + value - 10
        }

        fileprivate static func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
}
