// SPDX-License-Identifier: Apache-2.0

extension JournalReader {
    /// An error at the next byte of `line`, with the rest of the line as its excerpt.
    func failure(_ code: JournalError.Code, at line: LineCursor, _ message: String) -> JournalError {
        failure(code, at: line.position, lineStart: line.start, lineEnd: line.end, message)
    }

    /// An error for a line that isn't text or is too long.
    func unreadable(_ defect: LineScanner.Defect) -> JournalError {
        switch defect {
        case .notUTF8(let lineStart, let offset):
            failure(
                .notUTF8, at: offset, lineStart: lineStart, lineEnd: offset,
                "The journal isn't UTF-8: the byte \(bytes[offset].hexadecimal) is invalid here. "
                    + "To fix, save the file with the encoding UTF-8."
            )
        case .controlCharacter(let lineStart, let offset):
            failure(
                .controlCharacter, at: offset, lineStart: lineStart, lineEnd: offset,
                "The journal contains the control character \(bytes[offset].hexadecimal). "
                    + "To fix, remove it, or check that the file is a journal."
            )
        case .lineTooLong(let lineStart):
            failure(
                .lineTooLong, at: lineStart, lineStart: lineStart,
                lineEnd: min(bytes.count, lineStart + 4 * JournalError.maximumExcerptLength),
                "The line is too long. To fix, break it into several lines, or check that the file is a journal."
            )
        }
    }

    private func failure(
        _ code: JournalError.Code, at offset: Int, lineStart: Int, lineEnd: Int, _ message: String
    ) -> JournalError {
        // Continuation bytes of a character are not columns.
        let column = bytes[lineStart..<offset].lazy.filter { $0 & 0xC0 != 0x80 }.count + 1
        return JournalError(
            code: code,
            file: file,
            line: lineNumber,
            column: column,
            excerpt: excerpt(from: offset, to: lineEnd),
            message: message
        )
    }

    private func excerpt(from offset: Int, to end: Int) -> String {
        // A UTF-8 character has at most four bytes.
        let limit = JournalError.maximumExcerptLength
        let text = String(decoding: bytes[offset..<min(end, offset + 4 * (limit + 1))], as: UTF8.self)
        let scalars = text.unicodeScalars
        guard scalars.count > limit else { return text }
        return String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…"
    }
}

extension UInt8 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return digits.utf8.count < 2 ? "0x0\(digits)" : "0x\(digits)"
    }
}
