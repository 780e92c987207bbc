// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Reads a document value by value, without the containers of `Codable`.
///
/// It reads the form in which ``JSONWriter`` writes: without white space, members in their order, and each text and number
/// as it is written. Every other form is an error, after which the document is decoded by `Codable`. So a document that
/// was read is in canonical form.
package struct JSONReader {
    /// The error for JSON that is malformed, or that has another form.
    package struct OtherForm: Error {
        package init() {}
    }

    let tape: JSONTape
    private var offset = 0
    private var depth = 0

    /// Whether a writer would write each byte that was read; `false` if that is unknown.
    private var isWrittenForm = true

    /// Whether the document was read as an object, and not by `Codable`.
    private(set) var isDirect = false

    init(_ tape: JSONTape) {
        self.tape = tape
    }

    /// Whether a writer would write the same bytes as those that were read; `false` if that is unknown.
    var isCanonical: Bool { isWrittenForm && tape.isCanonical }

    /// Throws unless the document ends here.
    func requireEnd() throws {
        if offset != tape.byteCount { throw OtherForm() }
    }

    @inline(__always)
    private mutating func expect(_ byte: UInt8) throws {
        if tape[byte: offset] != byte { throw OtherForm() }
        offset &+= 1
    }

    private mutating func enter() throws {
        if depth == JSONScanner.depthLimit { throw OtherForm() }
        depth &+= 1
    }

    // MARK: Objects and arrays

    /// Begins an object.
    package mutating func beginObject() throws {
        isDirect = true
        try expect(UInt8(ascii: "{"))
        try enter()
    }

    /// Reads the key `key`, if it is next, with the comma before it.
    ///
    /// - Returns: Whether it is next.
    package mutating func readKey(_ key: StaticString) -> Bool {
        // An object was begun, so there is a byte before the offset.
        var start = offset
        if tape[byte: start &- 1] != UInt8(ascii: "{") {
            if tape[byte: start] != UInt8(ascii: ",") { return false }
            start &+= 1
        }
        guard tape.hasKey(key, at: start) else { return false }
        offset = start &+ key.utf8CodeUnitCount &+ 3
        return true
    }

    /// Reads the key of a member that is left out for `nil`, if it is next.
    ///
    /// `null` is another form, because a writer leaves the member out.
    ///
    /// - Returns: Whether it is next.
    package mutating func readOptionalKey(_ key: StaticString) throws -> Bool {
        guard readKey(key) else { return false }
        if tape[byte: offset] == UInt8(ascii: "n") { throw OtherForm() }
        return true
    }

    /// Ends an object.
    package mutating func endObject() throws {
        try expect(UInt8(ascii: "}"))
        depth &-= 1
    }

    /// Begins an array.
    package mutating func beginArray() throws {
        try expect(UInt8(ascii: "["))
        try enter()
    }

    /// Reads the comma before an element, or the end of the array.
    ///
    /// - Returns: Whether an element follows.
    package mutating func beginElement() throws -> Bool {
        if tape[byte: offset] == UInt8(ascii: "]") {
            offset &+= 1
            depth &-= 1
            return false
        }
        if tape[byte: offset &- 1] != UInt8(ascii: "[") { try expect(UInt8(ascii: ",")) }
        return true
    }

    // MARK: Values

    /// Reads a Boolean.
    package mutating func readBool() throws -> Bool {
        let isTrue = tape[byte: offset] == UInt8(ascii: "t")
        if !isTrue {
            try expect(UInt8(ascii: "f"))
            try expect(UInt8(ascii: "a"))
            try expect(UInt8(ascii: "l"))
            try expect(UInt8(ascii: "s"))
        } else {
            try expect(UInt8(ascii: "t"))
            try expect(UInt8(ascii: "r"))
            try expect(UInt8(ascii: "u"))
        }
        try expect(UInt8(ascii: "e"))
        return isTrue
    }

    /// Reads a whole number whose magnitude an `Int64` can hold.
    package mutating func readInteger() throws -> Int64 {
        let isNegative = tape[byte: offset] == UInt8(ascii: "-")
        if isNegative { offset &+= 1 }
        let first = offset
        var magnitude: UInt64 = 0
        while true {
            let digit = tape[byte: offset] &- UInt8(ascii: "0")
            if digit > 9 { break }
            magnitude = magnitude &* 10 &+ UInt64(digit)
            offset &+= 1
        }
        let count = offset &- first
        // A fraction or an exponent is no end of a value, and the next read finds it.
        // All numbers of 19 digits fit into `magnitude`.
        guard count > 0, count <= 19, magnitude <= Int64.max, count == 1 || tape[byte: first] != UInt8(ascii: "0"),
            !isNegative || magnitude != 0
        else { throw OtherForm() }
        return isNegative ? -Int64(magnitude) : Int64(magnitude)
    }

    /// Reads a number.
    package mutating func readDouble() throws -> Double {
        let start = offset
        let isNegative = tape[byte: offset] == UInt8(ascii: "-")
        if isNegative { offset &+= 1 }
        let first = offset
        var digits: UInt64 = 0
        var point: Int?
        var byte = tape[byte: offset]
        while true {
            let digit = byte &- UInt8(ascii: "0")
            if digit <= 9 {
                digits = digits &* 10 &+ UInt64(digit)
            } else if byte == UInt8(ascii: "."), point == nil {
                point = offset
            } else {
                break
            }
            offset &+= 1
            byte = tape[byte: offset]
        }
        let whole = (point ?? offset) &- first
        let scale = point.map { offset &- $0 &- 1 } ?? 0
        // Numbers of few digits have one spelling: without zeros at the beginning and at the end of the fraction.
        if byte | 0x20 != UInt8(ascii: "e"), offset &- first <= 16, digits < 1_000_000_000_000_000,
            whole == 1 || (whole > 1 && tape[byte: first] != UInt8(ascii: "0")),
            point == nil || (scale > 0 && tape[byte: offset &- 1] != UInt8(ascii: "0"))
        {
            let value = JSONNumber.quotient(digits, scale: scale)
            if value >= 0.001 { return isNegative ? -value : value }
        }
        return try readSpelledDouble(from: start)
    }

    /// Reads a number of many digits, or with an exponent, which must be spelled as a writer spells it.
    @inline(never)
    private mutating func readSpelledDouble(from start: Int) throws -> Double {
        offset = start
        while true {
            switch tape[byte: offset] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"):
                offset &+= 1
                continue
            default: break
            }
            break
        }
        let text = tape.text(in: start..<offset)
        guard let value = Double(text), value.isFinite else { throw OtherForm() }
        let description = value.description
        if (description.hasSuffix(".0") ? String(description.dropLast(2)) : description) != text { throw OtherForm() }
        return value
    }

    /// Reads a text.
    package mutating func readString() throws -> String {
        let start = offset
        try expect(UInt8(ascii: "\""))
        let (end, hasNonASCII) = tape.endOfPlainText(from: offset)
        guard tape[byte: end] == UInt8(ascii: "\"") else {
            offset = start
            return tape.text(at: try scanValue(of: .string))
        }
        let range = offset..<end
        if hasNonASCII && !tape.isUTF8(range) { throw OtherForm() }
        offset = end &+ 1
        return tape.text(in: range)
    }

    /// Reads a UUID in upper case.
    package mutating func readUUID() throws -> UUID {
        let end = offset &+ 37
        guard end < tape.byteCount, tape[byte: offset] == UInt8(ascii: "\""), tape[byte: end] == UInt8(ascii: "\""),
            let (id, isUppercase) = tape.uuid(in: offset &+ 1..<end), isUppercase
        else { throw OtherForm() }
        offset = end &+ 1
        return id
    }

    // MARK: Codable

    /// Reads a value by `Codable`.
    package mutating func read<Value: Decodable>(codable type: Value.Type) throws -> Value {
        isWrittenForm = false
        return try tape.decode(type, at: try scanValue())
    }

    /// Returns a decoder of the next value, which counts as read.
    ///
    /// - Throws: ``JSONSyntaxError``.
    package mutating func readDecoder() throws -> any Decoder {
        isWrittenForm = false
        if offset > 0 { return JSONValueDecoder(tape: tape, index: try scanValue()) }
        try JSONScanner.scan(tape)
        offset = tape.byteCount
        return JSONValueDecoder(tape: tape, index: 0)
    }

    /// Scans the next value.
    ///
    /// - Returns: The index of its token.
    private mutating func scanValue(of kind: JSONToken.Kind? = nil) throws -> Int {
        let index = tape.tokenCount
        offset = try JSONScanner.scanValue(of: tape, from: offset, depth: depth)
        if let kind, tape[index].kind != kind { throw OtherForm() }
        return index
    }
}
