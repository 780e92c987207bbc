// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A buffer of bytes to which JSON is appended.
///
/// Why the unsafe code is right: `base` is memory of `capacity` bytes that this object allocates and deallocates, and that
/// it never hands out. `count` bytes are initialized, and `count` never exceeds `capacity - slack`. Each append reserves its
/// bytes first. Each method that takes a range or an offset checks that it is within `count`. No method calls code of
/// others, so the exclusivity of the properties needs no check.
@safe
final class JSONBuffer {
    /// Bytes beyond `count` that may be read, so that eight bytes at once can be loaded from any offset.
    private static let slack = 8

    @exclusivity(unchecked)
    private var base: UnsafeMutablePointer<UInt8>

    @safe @exclusivity(unchecked)
    private var capacity: Int

    /// Number of bytes in the buffer.
    @safe @exclusivity(unchecked)
    private(set) var count = 0

    init(capacity: Int = 1024) {
        unsafe base = .allocate(capacity: capacity)
        unsafe base.initialize(repeating: 0, count: capacity)
        self.capacity = capacity
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Number of bytes that are allocated.
    var allocated: Int { capacity }

    /// A copy of the bytes in `range`.
    func bytes(in range: Range<Int>) -> [UInt8] {
        check(range)
        return unsafe Array(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// A copy of the bytes.
    func data() -> Data {
        unsafe Data(bytes: base, count: count)
    }

    /// Whether the buffer has the same bytes as `data`.
    func isEqual(to data: Data) -> Bool {
        if data.count != count { return false }
        return unsafe data.withUnsafeBytes { other in
            guard let start = other.baseAddress else { return true }
            return unsafe memcmp(start, base, count) == 0
        }
    }

    /// The byte at `offset`.
    subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < count)
        return unsafe base[offset]
    }

    /// Compares the bytes in two ranges: negative if the first range precedes the second, 0 if they are equal.
    func compare(_ first: Range<Int>, _ second: Range<Int>) -> Int {
        check(first)
        check(second)
        let order = unsafe memcmp(base + first.lowerBound, base + second.lowerBound, min(first.count, second.count))
        return order == 0 ? first.count - second.count : Int(order)
    }

    /// The first eight bytes in `range` as a number that is ordered as the bytes are.
    func prefix(of range: Range<Int>) -> UInt64 {
        check(range)
        let word = unsafe UnsafeRawPointer(base + range.lowerBound).loadUnaligned(as: UInt64.self).bigEndian
        return range.count >= 8 ? word : word & ~(UInt64.max >> UInt64(8 * range.count))
    }

    private func check(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
    }

    // MARK: Changes

    /// Removes all bytes from `count` on.
    func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count)
        self.count = count
    }

    @inline(__always)
    private func reserve(_ more: Int) {
        if more > capacity &- count &- Self.slack { grow(more) }
    }

    @inline(never)
    private func grow(_ more: Int) {
        let size = max(capacity * 2, count + more + Self.slack)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        unsafe larger.initialize(repeating: 0, count: size)
        unsafe memcpy(larger, base, count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity = size
    }

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count &+= 1
    }

    @inline(__always)
    func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        unsafe memcpy(base + count, text.utf8Start, length)
        count &+= length
    }

    /// Appends the key and a colon, after a comma unless the member is the first of its object.
    ///
    /// The key must consist of ASCII characters that need no escape sequence.
    func append(key: StaticString) {
        let length = key.utf8CodeUnitCount
        reserve(length &+ 4)
        unsafe base[count] = UInt8(ascii: ",")
        if unsafe count > 0 && base[count &- 1] != UInt8(ascii: "{") { count &+= 1 }
        unsafe base[count] = UInt8(ascii: "\"")
        unsafe memcpy(base + count + 1, key.utf8Start, length)
        unsafe base[count &+ length &+ 1] = UInt8(ascii: "\"")
        unsafe base[count &+ length &+ 2] = UInt8(ascii: ":")
        count &+= length &+ 3
    }

    /// Appends a comma unless the next element is the first of its array.
    func appendElementSeparator() {
        reserve(1)
        unsafe base[count] = UInt8(ascii: ",")
        if unsafe count > 0 && base[count &- 1] != UInt8(ascii: "[") { count &+= 1 }
    }

    /// Appends the bytes in `range` of `other`, which must be another buffer.
    func append(_ other: JSONBuffer, in range: Range<Int>) {
        precondition(other !== self)
        other.check(range)
        reserve(range.count)
        unsafe memcpy(base + count, other.base + range.lowerBound, range.count)
        count &+= range.count
    }

    /// Appends the text as it is, without quotation marks.
    func append(unescaped text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            reserve(bytes.count)
            unsafe memcpy(base + count, start, bytes.count)
            count &+= bytes.count
        }
    }

    /// Appends the text between quotation marks, with escape sequences for the characters that need them.
    @inline(__always)
    @discardableResult
    func append(quoted text: String) -> TextTraits {
        var text = text
        return text.withUTF8 { bytes in
            let length = bytes.count
            reserve(length &+ 2)
            unsafe base[count] = UInt8(ascii: "\"")
            let traits = unsafe Self.traits(of: bytes)
            if traits.contains(.escaped) {
                count &+= 1
                for index in 0..<length { unsafe append(escaped: bytes[index]) }
                append(UInt8(ascii: "\""))
            } else {
                if let start = bytes.baseAddress { unsafe memcpy(base + count + 1, start, length) }
                unsafe base[count &+ length &+ 1] = UInt8(ascii: "\"")
                count &+= length &+ 2
            }
            return traits
        }
    }

    @inline(__always)
    private static func traits(of bytes: UnsafeBufferPointer<UInt8>) -> TextTraits {
        guard let start = bytes.baseAddress else { return [] }
        let length = bytes.count
        var escaped: UInt64 = 0
        var all: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= length {
            let word = unsafe UnsafeRawPointer(start).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            escaped |= JSONWord.special(word)
            all |= word
            offset &+= 8
        }
        while offset < length {
            let byte = unsafe start[offset]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { escaped = 1 }
            all |= UInt64(byte)
            offset &+= 1
        }
        var traits: TextTraits = []
        if escaped != 0 { traits.insert(.escaped) }
        if all & JSONWord.highBits != 0 { traits.insert(.nonASCII) }
        return traits
    }

    private func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case 0..<0x20:
            append("\\u00")
            append(Self.digit(byte >> 4, ten: UInt8(ascii: "a")))
            append(Self.digit(byte & 15, ten: UInt8(ascii: "a")))
        default: append(byte)
        }
    }

    @inline(__always)
    private static func digit(_ value: UInt8, ten: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : ten &+ value &- 10
    }

    /// Appends the decimal digits of `value`.
    @inline(__always)
    func append(_ value: Int64) {
        append(value.magnitude, isNegative: value < 0)
    }

    /// Appends the decimal digits of `magnitude`, after a minus sign if it stands for a negative number.
    func append(_ magnitude: UInt64, isNegative: Bool = false) {
        reserve(21)
        unsafe base[count] = UInt8(ascii: "-")
        if isNegative { count &+= 1 }
        var digits = 1
        var rest = magnitude
        while rest >= 10 {
            rest /= 10
            digits &+= 1
        }
        var offset = count &+ digits
        count = offset
        rest = magnitude
        repeat {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            offset &-= 1
            unsafe base[offset] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: remainder)
            rest = quotient
        } while rest != 0
    }

    /// Appends the shortest decimal number that reads as `value`, which must be finite.
    func append(_ value: Double) {
        // The same digits as in the description, without a text: all whole numbers below 2^53 are written without exponent.
        if value.magnitude < 0x1p53, let whole = Int64(exactly: value), whole != 0 {
            append(whole)
        } else {
            append(number: value.description)
        }
    }

    /// Appends the shortest decimal number that reads as `value`, which must be finite.
    func append(_ value: Float) {
        append(number: value.description)
    }

    /// Appends a number, without a fraction that is zero.
    private func append(number text: String) {
        append(unescaped: text)
        if unsafe count > 2 && base[count - 1] == UInt8(ascii: "0") && base[count - 2] == UInt8(ascii: ".") {
            count &-= 2
        }
    }

    /// Appends the text of `id` between quotation marks.
    func append(_ id: UUID) {
        reserve(38)
        unsafe base[count] = UInt8(ascii: "\"")
        var offset = count &+ 1
        unsafe withUnsafeBytes(of: id.uuid) { bytes in
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    unsafe base[offset] = UInt8(ascii: "-")
                    offset &+= 1
                }
                let byte = unsafe bytes[index]
                unsafe base[offset] = Self.digit(byte >> 4, ten: UInt8(ascii: "A"))
                unsafe base[offset &+ 1] = Self.digit(byte & 15, ten: UInt8(ascii: "A"))
                offset &+= 2
            }
        }
        unsafe base[offset] = UInt8(ascii: "\"")
        count = offset &+ 1
    }
}

/// Returns `value` as a `Target`, which must be its own type.
///
/// Why the unsafe code is right: the function compares the types first, and a value of a type can be read as that type.
@inline(__always)
func identityCast<Source, Target>(_ value: Source, to type: Target.Type) -> Target {
    precondition(Source.self == Target.self)
    return unsafe unsafeBitCast(value, to: Target.self)
}
