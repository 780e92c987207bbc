// SPDX-License-Identifier: Apache-2.0

/// The reason why bytes aren't a JSON document, and where.
///
/// Encoders and decoders report it as the underlying error of a `DecodingError` or an `EncodingError`.
package struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of syntax errors.
    package enum Reason: Hashable, Sendable {
        /// The document ends within a value.
        case unexpectedEnd

        /// A byte can't stand at its place.
        case unexpectedByte(UInt8)

        /// Bytes follow the value of the document.
        case trailingBytes

        /// A number doesn't follow the grammar of JSON.
        case malformedNumber

        /// A backslash begins no escape sequence of JSON.
        case malformedEscape

        /// An escape sequence is one half of a surrogate pair.
        case unpairedSurrogate

        /// A text contains a control character, which must be escaped.
        case controlCharacter(UInt8)

        /// A text isn't valid UTF-8.
        case malformedUTF8

        /// The arrays and objects are nested more deeply than allowed.
        case tooDeep(limit: Int)

        /// The document has 4 GiB or more.
        case tooLarge
    }

    /// The kind of the error.
    package let reason: Reason

    /// Offset of the error in bytes, counting from 0.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        switch reason {
        case .unexpectedEnd: "The document ends at byte \(offset), within a value."
        case .unexpectedByte(let byte): "Byte \(offset) is 0x\(String(byte, radix: 16)), which can't stand there."
        case .trailingBytes: "The value ends before byte \(offset), and more bytes follow."
        case .malformedNumber: "The number at byte \(offset) is malformed."
        case .malformedEscape: "The escape sequence at byte \(offset) is malformed."
        case .unpairedSurrogate: "The escape sequence at byte \(offset) is half of a surrogate pair."
        case .controlCharacter(let byte):
            "The text contains the control character 0x\(String(byte, radix: 16)) at byte \(offset). Escape it."
        case .malformedUTF8: "The text at byte \(offset) isn't valid UTF-8."
        case .tooDeep(let limit): "At byte \(offset), arrays and objects are nested more than \(limit) levels deep."
        case .tooLarge: "The document has 4 GiB or more."
        }
    }
}
