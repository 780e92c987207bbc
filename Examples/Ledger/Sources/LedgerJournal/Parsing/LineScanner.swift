// SPDX-License-Identifier: Apache-2.0

/// Splits a journal into lines and checks that each line is text.
struct LineScanner {
    private let bytes: [UInt8]
    let maximumLineLength: Int
    private var position: Int

    /// The number of the last returned line, counting from 1; 0 before the first line.
    private(set) var lineNumber = 0

    /// The reason why a line is unreadable, with the offset of the byte.
    enum Defect: Error {
        case notUTF8(lineStart: Int, offset: Int)
        case controlCharacter(lineStart: Int, offset: Int)
        case lineTooLong(lineStart: Int)
    }

    /// Creates a scanner at the start of `bytes`, after a byte order mark if there is one.
    init(bytes: [UInt8], maximumLineLength: Int) {
        self.bytes = bytes
        self.maximumLineLength = maximumLineLength
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Returns the offsets of the next line without its line end; `nil` after the last line.
    mutating func nextLine() throws(Defect) -> Range<Int>? {
        guard position < bytes.count else { return nil }
        lineNumber += 1
        let start = position
        let limit = min(bytes.count - start, maximumLineLength) + start
        var offset = start
        var combined: UInt8 = 0
        while offset < limit {
            let byte = bytes[offset]
            if byte < 0x20 {
                if byte == .lineFeed || byte == .carriageReturn { break }
                guard byte.isASCIISpace else { throw .controlCharacter(lineStart: start, offset: offset) }
            }
            combined |= byte
            offset += 1
        }
        if combined >= 0x80, let invalid = UTF8Validation.firstInvalidOffset(in: bytes, from: start, to: offset) {
            throw .notUTF8(lineStart: start, offset: invalid)
        }
        position = offset
        if position < bytes.count {
            switch bytes[position] {
            case .lineFeed: position += 1
            case .carriageReturn:
                position += 1
                if position < bytes.count, bytes[position] == .lineFeed { position += 1 }
            default: throw .lineTooLong(lineStart: start)
            }
        }
        return start..<offset
    }
}
