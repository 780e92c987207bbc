// SPDX-License-Identifier: Apache-2.0

/// Reads the bytes of a tape once, and appends a token for each value and each key.
///
/// All of the document is checked: the grammar of RFC 8259, the texts, and the depth. As `JSONDecoder` does, the scanner
/// accepts a byte order mark before the value and a comma after the last element or member, and takes the first of several
/// members with the same key.
struct JSONScanner {
    /// Number of levels to which arrays and objects may be nested, as in `JSONDecoder`.
    static let depthLimit = 512

    private let tape: JSONTape
    private var offset = 0
    private var depth = 0
    private var valueCount = 0
    private var isCanonical = true

    private init(_ tape: JSONTape) {
        self.tape = tape
    }

    /// Scans the document of `tape`.
    ///
    /// - Throws: ``JSONSyntaxError``.
    /// - Complexity: O(*n*) in the size of the document, if the members of objects are sorted.
    static func scan(_ tape: JSONTape) throws(JSONSyntaxError) {
        var scanner = JSONScanner(tape)
        scanner.skipByteOrderMark()
        try scanner.scanValue()
        scanner.skipSpace()
        if scanner.offset != tape.byteCount { throw JSONSyntaxError(.trailingBytes, at: scanner.offset) }
        tape.isCanonical = scanner.isCanonical
        tape.expectReads(of: scanner.valueCount)
    }

    /// Scans one value of the document of `tape`, from `offset` on, within `depth` arrays and objects, and appends its tokens.
    ///
    /// - Returns: The offset after the value.
    /// - Throws: ``JSONSyntaxError``.
    static func scanValue(of tape: JSONTape, from offset: Int, depth: Int) throws(JSONSyntaxError) -> Int {
        var scanner = JSONScanner(tape)
        scanner.offset = offset
        scanner.depth = depth
        try scanner.scanValue()
        if !scanner.isCanonical { tape.isCanonical = false }
        return scanner.offset
    }

    private mutating func skipByteOrderMark() {
        guard tape.byteCount >= 3, tape[byte: 0] == 0xEF, tape[byte: 1] == 0xBB, tape[byte: 2] == 0xBF else { return }
        offset = 3
        isCanonical = false
    }

    @inline(__always)
    private mutating func skipSpace() {
        while true {
            let byte = tape[byte: offset]
            if byte > 0x20 || (byte != 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09) { return }
            isCanonical = false
            offset &+= 1
        }
    }

    /// Returns the next byte that isn't white space, which is still to be read.
    @inline(__always)
    private mutating func nextByte() -> UInt8 {
        skipSpace()
        return tape[byte: offset]
    }

    private func unexpected(at offset: Int) -> JSONSyntaxError {
        offset >= tape.byteCount
            ? JSONSyntaxError(.unexpectedEnd, at: tape.byteCount)
            : JSONSyntaxError(.unexpectedByte(tape[byte: offset]), at: offset)
    }

    // MARK: Values

    private mutating func scanValue() throws(JSONSyntaxError) {
        valueCount &+= 1
        switch nextByte() {
        case UInt8(ascii: "\""): _ = try scanText(as: .string)
        case UInt8(ascii: "{"): try scanObject()
        case UInt8(ascii: "["): try scanArray()
        case UInt8(ascii: "t"): try scanLiteral(.true, "r", "u", "e")
        case UInt8(ascii: "f"): try scanFalse()
        case UInt8(ascii: "n"): try scanLiteral(.null, "u", "l", "l")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try scanNumber()
        default: throw unexpected(at: offset)
        }
    }

    @discardableResult
    private func append(_ kind: JSONToken.Kind, _ start: Int, _ end: Int, _ traits: TextTraits = []) -> Int {
        tape.append(
            JSONToken(
                kind: kind,
                traits: traits,
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: tape.tokenCount &+ 1)
            )
        )
    }

    private mutating func scanLiteral(
        _ kind: JSONToken.Kind,
        _ second: Unicode.Scalar,
        _ third: Unicode.Scalar,
        _ fourth: Unicode.Scalar
    ) throws(JSONSyntaxError) {
        let start = offset
        offset &+= 1
        try expect(second)
        try expect(third)
        try expect(fourth)
        append(kind, start, offset)
    }

    private mutating func scanFalse() throws(JSONSyntaxError) {
        let start = offset
        offset &+= 1
        try expect("a")
        try expect("l")
        try expect("s")
        try expect("e")
        append(.false, start, offset)
    }

    @inline(__always)
    private mutating func expect(_ character: Unicode.Scalar) throws(JSONSyntaxError) {
        if tape[byte: offset] != UInt8(ascii: character) { throw unexpected(at: offset) }
        offset &+= 1
    }

    private mutating func scanNumber() throws(JSONSyntaxError) {
        let start = offset
        if tape[byte: offset] == UInt8(ascii: "-") { offset &+= 1 }
        let first = offset
        try scanDigits(of: start)
        if tape[byte: first] == UInt8(ascii: "0") && offset > first &+ 1 {
            throw JSONSyntaxError(.malformedNumber, at: start)
        }
        var kind = JSONToken.Kind.integer
        if tape[byte: offset] == UInt8(ascii: ".") {
            kind = .fraction
            offset &+= 1
            try scanDigits(of: start)
        }
        if tape[byte: offset] | 0x20 == UInt8(ascii: "e") {
            kind = .fraction
            offset &+= 1
            let sign = tape[byte: offset]
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset &+= 1 }
            try scanDigits(of: start)
        }
        append(kind, start, offset)
    }

    @inline(__always)
    private mutating func scanDigits(of number: Int) throws(JSONSyntaxError) {
        let start = offset
        while tape[byte: offset] &- UInt8(ascii: "0") <= 9 { offset &+= 1 }
        if offset == start { throw JSONSyntaxError(.malformedNumber, at: number) }
    }

    // MARK: Arrays and objects

    private mutating func enter() throws(JSONSyntaxError) {
        if depth == Self.depthLimit { throw JSONSyntaxError(.tooDeep(limit: Self.depthLimit), at: offset) }
        depth &+= 1
        offset &+= 1
    }

    /// Reads a comma, or the bracket or brace `end`.
    ///
    /// - Returns: Whether another element or member follows.
    @inline(__always)
    private mutating func continues(until end: UInt8) throws(JSONSyntaxError) -> Bool {
        let byte = nextByte()
        if byte == UInt8(ascii: ",") {
            offset &+= 1
            if nextByte() != end { return true }
            isCanonical = false
        } else if byte != end {
            throw unexpected(at: offset)
        }
        offset &+= 1
        return false
    }

    private mutating func scanArray() throws(JSONSyntaxError) {
        let array = append(.array, offset, 0)
        try enter()
        var count: UInt32 = 0
        if nextByte() == UInt8(ascii: "]") {
            offset &+= 1
        } else {
            repeat {
                try scanValue()
                count &+= 1
            } while try continues(until: UInt8(ascii: "]"))
        }
        depth &-= 1
        tape.close(array, end: offset, count: count)
    }

    private mutating func scanObject() throws(JSONSyntaxError) {
        let object = append(.object, offset, 0)
        tape[object].hint = UInt32(truncatingIfNeeded: object &+ 1)
        try enter()
        var count: UInt32 = 0
        var isSorted = true
        if nextByte() == UInt8(ascii: "}") {
            offset &+= 1
        } else {
            var previous = object
            repeat {
                if nextByte() != UInt8(ascii: "\"") { throw unexpected(at: offset) }
                let key = try scanText(as: .key)
                if count > 0 && isSorted { isSorted = precedes(previous, key) }
                previous = key
                if !tape[key].traits.isEmpty { tape[object].traits.formUnion(tape[key].traits) }
                if nextByte() != UInt8(ascii: ":") { throw unexpected(at: offset) }
                offset &+= 1
                try scanValue()
                count &+= 1
            } while try continues(until: UInt8(ascii: "}"))
        }
        depth &-= 1
        tape.close(object, end: offset, count: count)
        if !isSorted {
            isCanonical = false
            tape.removeDuplicates(of: object)
        }
    }

    /// Whether the key at `first` is less than the key at `second`, by the UTF-8 of both.
    @inline(__always)
    private func precedes(_ first: Int, _ second: Int) -> Bool {
        let (left, right) = (tape[first], tape[second])
        if left.traits.union(right.traits).contains(.escaped) {
            return tape.text(at: first).utf8.lexicographicallyPrecedes(tape.text(at: second).utf8)
        }
        return tape.compare(left.range, right.range) < 0
    }

    // MARK: Texts

    @inline(__always)
    private mutating func scanText(as kind: JSONToken.Kind) throws(JSONSyntaxError) -> Int {
        let start = offset &+ 1
        var traits: TextTraits = []
        offset = start
        while true {
            let (end, hasNonASCII) = tape.endOfPlainText(from: offset)
            if hasNonASCII { traits.insert(.nonASCII) }
            let byte = tape[byte: end]
            if byte == UInt8(ascii: "\"") {
                offset = end &+ 1
                break
            }
            guard byte == UInt8(ascii: "\\") else {
                if end >= tape.byteCount { throw JSONSyntaxError(.unexpectedEnd, at: end) }
                throw JSONSyntaxError(.controlCharacter(byte), at: end)
            }
            traits.insert(.escaped)
            offset = end
            try scanEscape()
        }
        let end = offset &- 1
        if traits.contains(.nonASCII) && !tape.isUTF8(start..<end) { throw JSONSyntaxError(.malformedUTF8, at: start) }
        return append(kind, start, end, traits)
    }

    private mutating func scanEscape() throws(JSONSyntaxError) {
        let start = offset
        let byte = tape[byte: offset &+ 1 > tape.byteCount ? offset : offset &+ 1]
        offset &+= 2
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "/"):
            isCanonical = false
        case UInt8(ascii: "u"):
            let unit = try scanUnit(of: start)
            if unit >> 10 == 0xDC00 >> 10 { throw JSONSyntaxError(.unpairedSurrogate, at: start) }
            if unit >> 10 == 0xD800 >> 10 {
                guard offset &+ 2 <= tape.byteCount, tape[byte: offset] == UInt8(ascii: "\\"),
                    tape[byte: offset &+ 1] == UInt8(ascii: "u")
                else { throw JSONSyntaxError(.unpairedSurrogate, at: start) }
                offset &+= 2
                if try scanUnit(of: start) >> 10 != 0xDC00 >> 10 {
                    throw JSONSyntaxError(.unpairedSurrogate, at: start)
                }
            }
            if isCanonical { isCanonical = isShortest(unit, at: start) }
        default:
            throw start &+ 1 >= tape.byteCount
                ? JSONSyntaxError(.unexpectedEnd, at: tape.byteCount) : JSONSyntaxError(.malformedEscape, at: start)
        }
    }

    /// Reads four digits of base 16.
    private mutating func scanUnit(of escape: Int) throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = HexDigit.value(of: tape[byte: offset]) else {
                if offset >= tape.byteCount { throw JSONSyntaxError(.unexpectedEnd, at: offset) }
                throw JSONSyntaxError(.malformedEscape, at: escape)
            }
            unit = unit << 4 | UInt16(digit)
            offset &+= 1
        }
        return unit
    }

    /// Whether an encoder writes the character with the escape sequence at `offset`, in lower case.
    private func isShortest(_ unit: UInt16, at offset: Int) -> Bool {
        let hasShorter = unit >= 0x20 || unit == 8 || unit == 9 || unit == 10 || unit == 12 || unit == 13
        return !hasShorter && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(tape[byte: offset + 5])
    }
}

/// One value or one key of a document, with its place in the bytes.
struct JSONToken {
    enum Kind: UInt8 {
        case null, `true`, `false`, integer, fraction, string, key, object, array

        /// Stands for a value that an object doesn't have.
        case missing
    }

    var kind: Kind

    /// Properties of a string or a key.
    var traits: TextTraits = []

    /// Whether the value was read.
    var isRead = false

    /// Offset of the first byte.
    ///
    /// For strings and keys, it is the first byte after the quotation mark.
    var start: UInt32

    /// Offset after the last byte.
    ///
    /// For strings and keys, it is the offset of the closing quotation mark.
    var end: UInt32 = 0

    /// Index of the first token after this value and everything in it.
    var next: UInt32 = 0

    /// Number of members or elements; for a missing value, its number among the missing values.
    var count: UInt32 = 0

    /// Index of the key of an object at which the next look-up begins.
    var hint: UInt32 = 0

    /// Offsets of the text of a string, a key, or a number.
    var range: Range<Int> { Int(start)..<Int(end) }
}
