// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

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

extension UUID {
    /// Returns a new UUID of version 7.
    ///
    /// Later UUIDs of a process sort after earlier ones, as bytes and as text.
    ///
    /// A UUID consists of 48 bits of Unix time in milliseconds, a counter of 12 bits, and 62 random bits. The counter
    /// restarts each millisecond. When it overflows, the time advances to the next millisecond.
    ///
    /// If a test has replaced the ``SystemValues``, they make the UUID.
    ///
    /// Source: RFC 9562, section 5.7 and method 1 of section 6.2,
    /// <https://www.rfc-editor.org/rfc/rfc9562>.
    public static func version7() -> UUID {
        SystemValues.bound?.uuid() ?? .systemVersion7()
    }

    /// Returns a new UUID of version 7 by the system clock.
    @usableFromInline
    static func systemVersion7() -> UUID {
        Version7Sequence.shared.next(now: UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
    }
}

/// A source of UUIDs of version 7, which ascend even if the system clock is set back.
package final class Version7Sequence: Sendable {
    package static let shared = Version7Sequence()

    /// The last timestamp, with milliseconds in the upper bits and the counter in the lower 12 bits.
    private let last = Mutex<UInt64>(0)

    package init() {}

    /// Returns the UUID that follows the last one, at `now` milliseconds since 1970 or at the next free timestamp.
    package func next(now: UInt64, random: UInt64 = .random(in: 0...UInt64.max)) -> UUID {
        let time = last.withLock { last in
            last = max(last + 1, now << 12)
            return last
        }

        let upper = (time >> 12) << 16 | 0x7000 | time & 0xFFF
        let lower = 0x8000_0000_0000_0000 | random >> 2
        return UUID(upper: upper, lower: lower)
    }
}

extension UUID {
    /// Returns a UUID of version 8 with random bits of `generator`.
    ///
    /// Source: RFC 9562, section 5.8, <https://www.rfc-editor.org/rfc/rfc9562>.
    package static func version8(using generator: inout some RandomNumberGenerator) -> UUID {
        let upper = generator.next() & ~0xF000 | 0x8000
        let lower = generator.next() >> 2 | 0x8000_0000_0000_0000
        return UUID(upper: upper, lower: lower)
    }

    /// Creates a UUID from its 128 bits.
    init(upper: UInt64, lower: UInt64) {
        func byte(_ word: UInt64, _ index: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))
        }
        self.init(
            uuid: (
                byte(upper, 0), byte(upper, 1), byte(upper, 2), byte(upper, 3),
                byte(upper, 4), byte(upper, 5), byte(upper, 6), byte(upper, 7),
                byte(lower, 0), byte(lower, 1), byte(lower, 2), byte(lower, 3),
                byte(lower, 4), byte(lower, 5), byte(lower, 6), byte(lower, 7)
            )
        )
    }
}
