// SPDX-License-Identifier: Apache-2.0

/// Checks bytes for well-formed UTF-8.
///
/// The table is number 3-7 of the Unicode Standard,
/// <https://www.unicode.org/versions/Unicode16.0.0/core-spec/chapter-3/>.
enum UTF8Validation {
    /// Returns the offset of the first byte in `low..<high` that doesn't start a well-formed character, or nil.
    static func firstInvalidOffset(in bytes: [UInt8], from low: Int, to high: Int) -> Int? {
        var offset = low
        while offset < high {
            guard let length = characterLength(in: bytes, at: offset, to: high) else { return offset }
            offset += length
        }
        return nil
    }

    private static func characterLength(in bytes: [UInt8], at offset: Int, to high: Int) -> Int? {
        let second: ClosedRange<UInt8>
        let length: Int
        switch bytes[offset] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
        case 0xE0: (second, length) = (0xA0...0xBF, 3)
        case 0xED: (second, length) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
        case 0xF0: (second, length) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
        case 0xF4: (second, length) = (0x80...0x8F, 4)
        default: return nil
        }
        guard high - offset >= length, second.contains(bytes[offset + 1]) else { return nil }
        for continuation in (offset + 2)..<(offset + max(length, 2)) {
            guard (0x80...0xBF).contains(bytes[continuation]) else { return nil }
        }
        return length
    }
}
