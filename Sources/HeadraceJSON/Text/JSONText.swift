// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A key in a coding path: the name of a member or the index of an element.
struct JSONKey: CodingKey, Hashable {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    /// Creates the key of the element at `index`, counting from 0.
    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    /// The key under which a superclass is encoded unless the subclass names another key.
    static let superclass = JSONKey(stringValue: "super")
}

/// Numbers that are read exactly.
enum JSONNumber {
    /// The powers of ten that a `Double` holds exactly.
    static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The powers of ten that 64 bits hold.
    static let wholePowers: [UInt64] = (0..<20).map { exponent in (0..<exponent).reduce(1) { power, _ in power * 10 } }

    /// Returns the nearest `Double` to `digits` / 10^`scale`; ties go to the even number.
    ///
    /// `scale` must be at least 0 and at most 19.
    @inline(__always)
    static func quotient(_ digits: UInt64, scale: Int) -> Double {
        if digits <= 1 << 53 { return Double(digits) / powers[scale] }
        return longQuotient(digits, scale: scale)
    }

    /// Divides 127 bits by 64 bits, which leaves more bits than a `Double` has, and rounds once.
    @inline(never)
    private static func longQuotient(_ digits: UInt64, scale: Int) -> Double {
        let divisor = wholePowers[scale]
        let digitShift = digits.leadingZeroBitCount
        let divisorShift = divisor.leadingZeroBitCount
        let (dividend, normalized) = (digits << UInt64(digitShift), divisor << UInt64(divisorShift))
        // Both have their highest bit set, so the quotient is between 2^62 and 2^64.
        let (quotient, remainder) = normalized.dividingFullWidth((dividend >> 1, dividend << 63))
        let dropped = UInt64(64 - quotient.leadingZeroBitCount - 53)
        var significand = quotient >> dropped
        let rest = quotient & ((1 << dropped) - 1)
        let half: UInt64 = 1 << (dropped - 1)
        if rest > half || (rest == half && (remainder > 0 || !significand.isMultiple(of: 2))) { significand += 1 }
        let exponent = Int(dropped) - 63 + divisorShift - digitShift
        // A power of two between 2^-127 and 2^1, so the product is exact.
        return Double(significand) * Double(bitPattern: UInt64(1023 + exponent) << 52)
    }
}

/// Searches eight bytes at once.
enum JSONWord {
    static let lowBits: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Marks the bytes of `word` that end a run of plain characters: quotation marks, backslashes, and control characters.
    ///
    /// The lowest mark is exact. A mark above it can be wrong.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let control = (word &- 0x2020_2020_2020_2020) & ~word
        let quotation = word ^ 0x2222_2222_2222_2222
        let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (control | ((quotation &- lowBits) & ~quotation) | ((backslash &- lowBits) & ~backslash)) & highBits
    }
}

/// Digits of base 16.
enum HexDigit {
    /// The value of `digit`; `nil` if it isn't a digit.
    @inline(__always)
    static func value(of digit: UInt8) -> UInt8? {
        let decimal = digit &- UInt8(ascii: "0")
        if decimal < 10 { return decimal }
        let letter = (digit | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }
}

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

/// The types that are encoded and decoded without a container.
enum ValueKind {
    case string, bool, int, int32, int64, uint8, uint64, double, float
    case date, uuid, data, url, decimal

    /// A collection of the standard library.
    case collection

    /// A type that must encode and decode itself.
    case other

    /// The kind of `type`, without a look at collections.
    init(of type: Any.Type) {
        self = Self.known[ObjectIdentifier(type)] ?? .other
    }

    private static let known: [ObjectIdentifier: ValueKind] = [
        ObjectIdentifier(String.self): .string, ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(Int.self): .int,
        ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(Int64.self): .int64,
        ObjectIdentifier(UInt8.self): .uint8, ObjectIdentifier(UInt64.self): .uint64,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(Date.self): .date, ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(Data.self): .data,
        ObjectIdentifier(URL.self): .url, ObjectIdentifier(Decimal.self): .decimal,
    ]
}

/// Properties of a text that matter for comparing it with other texts.
struct TextTraits: OptionSet {
    let rawValue: UInt8

    /// The text contains characters that are escaped in JSON.
    static let escaped = TextTraits(rawValue: 1)

    /// The text contains characters beyond ASCII.
    static let nonASCII = TextTraits(rawValue: 2)
}

/// Remembers the kinds of types, because finding out whether a type is a collection is slow.
///
/// Each type has one slot. Two types with the same slot displace each other, which costs time only.
struct TraitsTable<Collection> {
    /// One type.
    struct Slot {
        var type: ObjectIdentifier?
        var kind: ValueKind = .other

        /// The type as a collection.
        var collection: Collection?
    }

    private var slots = [Slot](repeating: Slot(), count: 256)

    /// Returns the slot of `type`; `collection` returns the type as a collection, if it is one.
    @inline(__always)
    mutating func slot(for type: Any.Type, collection: () -> Collection?) -> Slot {
        let id = ObjectIdentifier(type)
        // The highest bits of the product depend on all bits of the address: Knuth's multiplicative hashing.
        let product = UInt64(truncatingIfNeeded: UInt(bitPattern: id)) &* 0x9E37_79B9_7F4A_7C15
        let index = Int(truncatingIfNeeded: product >> 56)
        let slot = slots[index]
        if slot.type == id { return slot }
        return fill(index, with: type, collection: collection())
    }

    @inline(never)
    private mutating func fill(_ index: Int, with type: Any.Type, collection: Collection?) -> Slot {
        let kind = ValueKind(of: type)
        slots[index] = Slot(
            type: ObjectIdentifier(type),
            kind: kind == .other && collection != nil ? .collection : kind,
            collection: collection
        )
        return slots[index]
    }
}
