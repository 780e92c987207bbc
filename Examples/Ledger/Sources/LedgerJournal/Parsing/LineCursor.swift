// SPDX-License-Identifier: Apache-2.0

/// A position within one line of a journal.
struct LineCursor {
    /// The bytes of the journal.
    let bytes: [UInt8]

    /// The offset of the first byte of the line.
    let start: Int

    /// The offset after the last byte of the line, without the line end.
    let end: Int

    /// The offset of the next byte to read.
    var position: Int

    /// Creates a cursor at the start of the line in `range`.
    init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        start = range.lowerBound
        end = range.upperBound
        position = range.lowerBound
    }

    /// The next byte, or nil at the end of the line.
    var next: UInt8? { position < end ? bytes[position] : nil }

    /// Whether the cursor is at the end of the line.
    var isAtEnd: Bool { position >= end }

    /// The byte after the next one, or nil.
    var afterNext: UInt8? { position + 1 < end ? bytes[position + 1] : nil }

    /// Skips `byte` if it is next, and returns whether it was.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Skips white space and returns the number of skipped characters.
    @discardableResult
    mutating func skipSpaces() -> Int {
        var count = 0
        while true {
            let length = spaceLength(at: position)
            guard length > 0 else { return count }
            position += length
            count += 1
        }
    }

    /// Number of bytes of the white-space character at `offset`; 0 if there is none.
    ///
    /// White space is ASCII white space and Unicode's space separators, as in hledger.
    func spaceLength(at offset: Int) -> Int {
        guard offset < end else { return 0 }
        let byte = bytes[offset]
        if byte < 0x80 { return byte.isASCIISpace ? 1 : 0 }
        guard byte >= 0xC2, byte <= 0xE3 else { return 0 }
        return unicodeSpaceLength(at: offset)
    }

    private func unicodeSpaceLength(at offset: Int) -> Int {
        guard offset + 1 < end else { return 0 }
        let second = bytes[offset + 1]
        if bytes[offset] == 0xC2 { return second == 0xA0 ? 2 : 0 }
        guard offset + 2 < end else { return 0 }
        let third = bytes[offset + 2]
        switch (bytes[offset], second) {
        case (0xE1, 0x9A): return third == 0x80 ? 3 : 0
        case (0xE2, 0x80): return third <= 0x8A || third == 0xAF ? 3 : 0
        case (0xE2, 0x81): return third == 0x9F ? 3 : 0
        case (0xE3, 0x80): return third == 0x80 ? 3 : 0
        default: return 0
        }
    }

    /// The text in `range`, which must be within the line.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// The text from the next byte to `limit`, without white space at the ends.
    func trimmedText(upTo limit: Int) -> String {
        var low = position
        while low < limit {
            let length = spaceLength(at: low)
            guard length > 0 else { break }
            low += length
        }
        return text(low..<trimmedEnd(from: low, to: limit))
    }

    /// The offset after the last character of `low..<limit` that isn't white space.
    func trimmedEnd(from low: Int, to limit: Int) -> Int {
        var high = limit
        while high > low {
            if bytes[high - 1].isASCIISpace {
                high -= 1
            } else if high - 2 >= low, spaceLength(at: high - 2) == 2 {
                high -= 2
            } else if high - 3 >= low, spaceLength(at: high - 3) == 3 {
                high -= 3
            } else {
                break
            }
        }
        return high
    }
}

extension UInt8 {
    /// Whether this is a space, a tab, or another ASCII white-space character.
    var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether this is an ASCII digit.
    var isASCIIDigit: Bool { self &- 0x30 < 10 }

    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let hash = UInt8(ascii: "#")
    static let asterisk = UInt8(ascii: "*")
    static let exclamationMark = UInt8(ascii: "!")
    static let equalsSign = UInt8(ascii: "=")
    static let tilde = UInt8(ascii: "~")
    static let quote = UInt8(ascii: "\"")
    static let minus = UInt8(ascii: "-")
    static let plus = UInt8(ascii: "+")
    static let comma = UInt8(ascii: ",")
    static let point = UInt8(ascii: ".")
    static let slash = UInt8(ascii: "/")
    static let at = UInt8(ascii: "@")
    static let openParenthesis = UInt8(ascii: "(")
    static let closeParenthesis = UInt8(ascii: ")")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
}
