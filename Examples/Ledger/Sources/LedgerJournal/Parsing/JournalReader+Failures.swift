//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension JournalReader {
    /// An error at the next byte of `line`, quoting the line from there on.
    func failure(_ code: JournalError.Code, at line: LineCursor, _ message: String) -> JournalError {
        failure(code, at: line.position, lineStart: line.start, lineEnd: line.end, message)
    }

    /// An error for a line that is no text, or too long to be read.
    func unreadable(_ defect: LineScanner.Defect) -> JournalError {
        switch defect {
        case .notUTF8(let lineStart, let offset):
            failure(
                .notUTF8, at: offset, lineStart: lineStart, lineEnd: offset,
                "The journal is not UTF-8: the byte \(bytes[offset].hexadecimal) starts no character here. "
                    + "Save the file with the encoding UTF-8."
            )
        case .controlCharacter(let lineStart, let offset):
            failure(
                .controlCharacter, at: offset, lineStart: lineStart, lineEnd: offset,
                "The journal contains the control character \(bytes[offset].hexadecimal). "
                    + "Remove it, or check that the file is a journal."
            )
        case .lineTooLong(let lineStart):
            failure(
                .lineTooLong, at: lineStart, lineStart: lineStart,
                lineEnd: min(bytes.count, lineStart + 4 * JournalError.maximumExcerptLength),
                "The line is longer than the parser reads. Break it into several, or check that the file is a journal."
            )
        }
    }

    private func failure(
        _ code: JournalError.Code, at offset: Int, lineStart: Int, lineEnd: Int, _ message: String
    ) -> JournalError {
        // Bytes that continue a character do not count as columns.
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
        // Four bytes are the most that a character of UTF-8 takes.
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
