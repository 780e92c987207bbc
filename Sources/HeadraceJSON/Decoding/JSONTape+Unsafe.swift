// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A document that was read: a copy of its bytes and a token for each value and each key.
///
/// The tokens of an array or an object follow its own token. Each key stands before its value.
///
/// Why the unsafe code is right: `base` and `tokens` are memory that this object allocates and deallocates, and that it
/// never hands out. `byteCount + slack` bytes and `tokenCount` tokens are initialized. The subscripts check their index
/// against these counts, and each method that takes a range checks it. The slack is zero, which is no character of JSON and
/// ends each loop over bytes. No method calls code of others, so the exclusivity of the properties needs no check.
@safe
final class JSONTape {
    /// Bytes after the document that may be read.
    private static let slack = 8

    @exclusivity(unchecked)
    private var base: UnsafeMutablePointer<UInt8>

    @safe @exclusivity(unchecked)
    private var byteCapacity: Int

    /// Number of bytes of the document.
    @safe @exclusivity(unchecked)
    private(set) var byteCount = 0

    @exclusivity(unchecked)
    private var tokens: UnsafeMutablePointer<JSONToken>

    @safe @exclusivity(unchecked)
    private var tokenCapacity: Int

    /// Number of tokens.
    @safe @exclusivity(unchecked)
    private(set) var tokenCount = 0

    /// The objects and keys of the values that were asked for and don't exist.
    @safe @exclusivity(unchecked)
    var missing: [(object: Int, key: String)] = []

    /// Whether every byte is as an encoder would write it, as far as the scanner and the reads until now can tell.
    @safe @exclusivity(unchecked)
    var isCanonical = true

    /// Whether reads compare the bytes with those that an encoder would write.
    @safe @exclusivity(unchecked)
    var checksForm = false

    /// Number of values that were not read.
    @safe @exclusivity(unchecked)
    private(set) var unreadCount = 0

    /// How the types of values are decoded.
    @safe @exclusivity(unchecked)
    var types = TraitsTable<any DecodableCollection.Type>()

    init() {
        byteCapacity = 1024
        unsafe base = .allocate(capacity: 1024 + Self.slack)
        unsafe base.initialize(repeating: 0, count: 1024 + Self.slack)
        tokenCapacity = 128
        unsafe tokens = .allocate(capacity: 128)
    }

    deinit {
        unsafe base.deallocate()
        unsafe tokens.deallocate()
    }

    /// Number of bytes that are allocated.
    var allocated: Int { byteCapacity + tokenCapacity * MemoryLayout<JSONToken>.stride }

    /// Replaces the document by `bytes`, without tokens.
    ///
    /// - Throws: ``JSONSyntaxError`` if the document is too large.
    func load(_ bytes: some ContiguousBytes) throws {
        try unsafe bytes.withUnsafeBytes { source in
            guard UInt64(source.count) < UInt64(UInt32.max) else { throw JSONSyntaxError(.tooLarge, at: source.count) }
            if source.count > byteCapacity {
                unsafe base.deallocate()
                byteCapacity = source.count
                unsafe base = .allocate(capacity: byteCapacity + Self.slack)
            }
            if let start = source.baseAddress { unsafe memcpy(base, start, source.count) }
            unsafe (base + source.count).initialize(repeating: 0, count: Self.slack)
            byteCount = source.count
        }
        tokenCount = 0
        unreadCount = 0
        isCanonical = true
        checksForm = false
        if !missing.isEmpty { missing.removeAll() }
    }

    // MARK: Bytes

    /// The byte at `offset`; 0 at the end of the document.
    @inline(__always)
    subscript(byte offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset <= byteCount)
        return unsafe base[offset]
    }

    @inline(__always)
    private func check(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    }

    /// Returns the offset of the first byte from `offset` on that ends a run of plain characters of a text, and whether
    /// there are bytes beyond ASCII before it.
    @inline(__always)
    func endOfPlainText(from offset: Int) -> (end: Int, hasNonASCII: Bool) {
        precondition(offset >= 0 && offset <= byteCount)
        var offset = offset
        var all: UInt64 = 0
        // The slack makes the last load valid, and its zeros end the loop.
        while offset <= byteCount {
            let word = unsafe UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
            let special = JSONWord.special(word)
            if special == 0 {
                all |= word
                offset &+= 8
            } else {
                let plain = special.trailingZeroBitCount & ~7
                all |= word & ~(UInt64.max << UInt64(plain))
                return (min(offset &+ plain >> 3, byteCount), all & JSONWord.highBits != 0)
            }
        }
        return (byteCount, all & JSONWord.highBits != 0)
    }

    /// Whether the bytes in `range` are valid UTF-8.
    func isUTF8(_ range: Range<Int>) -> Bool {
        check(range)
        var offset = range.lowerBound
        let end = range.upperBound
        while offset < end {
            let first = unsafe base[offset]
            if first < 0x80 {
                offset &+= 1
                continue
            }
            let length: Int
            // The second byte has narrower bounds after some first bytes: RFC 3629, section 4.
            var lower: UInt8 = 0x80
            var upper: UInt8 = 0xBF
            switch first {
            case 0xC2...0xDF: length = 2
            case 0xE0: (length, lower) = (3, 0xA0)
            case 0xED: (length, upper) = (3, 0x9F)
            case 0xE1...0xEF: length = 3
            case 0xF0: (length, lower) = (4, 0x90)
            case 0xF4: (length, upper) = (4, 0x8F)
            case 0xF1...0xF3: length = 4
            default: return false
            }
            guard offset + length <= end else { return false }
            let second = unsafe base[offset + 1]
            guard second >= lower && second <= upper else { return false }
            for index in 2..<max(length, 2) where unsafe base[offset + index] & 0xC0 != 0x80 { return false }
            offset += length
        }
        return true
    }

    /// The text of the bytes in `range`, without a look at escape sequences.
    @inline(__always)
    func text(in range: Range<Int>) -> String {
        check(range)
        return unsafe String(
            decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count), as: UTF8.self)
    }

    /// Whether the bytes from `offset` on are `key` between quotation marks, and a colon.
    func hasKey(_ key: StaticString, at offset: Int) -> Bool {
        let length = key.utf8CodeUnitCount
        guard offset >= 0, offset &+ length &+ 3 <= byteCount else { return false }
        return unsafe base[offset] == UInt8(ascii: "\"") && memcmp(base + offset + 1, key.utf8Start, length) == 0
            && base[offset &+ length &+ 1] == UInt8(ascii: "\"") && base[offset &+ length &+ 2] == UInt8(ascii: ":")
    }

    /// Compares the bytes in two ranges: negative if the first range precedes the second, 0 if they are equal.
    func compare(_ first: Range<Int>, _ second: Range<Int>) -> Int {
        check(first)
        check(second)
        let order = unsafe memcmp(base + first.lowerBound, base + second.lowerBound, min(first.count, second.count))
        return order == 0 ? first.count - second.count : Int(order)
    }

    /// Reads a UUID from the bytes in `range`, and whether its letters are upper case.
    func uuid(in range: Range<Int>) -> (id: UUID, isUppercase: Bool)? {
        check(range)
        guard range.count == 36 else { return nil }
        var id: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var isUppercase = true
        let isRead = unsafe withUnsafeMutableBytes(of: &id) { bytes in
            var offset = range.lowerBound
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    if unsafe base[offset] != UInt8(ascii: "-") { return false }
                    offset &+= 1
                }
                let (high, low) = unsafe (base[offset], base[offset &+ 1])
                guard let first = HexDigit.value(of: high), let second = HexDigit.value(of: low) else { return false }
                if high >= UInt8(ascii: "a") || low >= UInt8(ascii: "a") { isUppercase = false }
                unsafe bytes[index] = first << 4 | second
                offset &+= 2
            }
            return true
        }
        return isRead ? (UUID(uuid: id), isUppercase) : nil
    }

    // MARK: Tokens

    @inline(__always)
    subscript(index: Int) -> JSONToken {
        get {
            precondition(index >= 0 && index < tokenCount)
            return unsafe tokens[index]
        }
        set {
            precondition(index >= 0 && index < tokenCount)
            unsafe tokens[index] = newValue
        }
    }

    /// Appends `token` and returns its index.
    @inline(__always)
    func append(_ token: JSONToken) -> Int {
        if tokenCount == tokenCapacity { growTokens() }
        unsafe (tokens + tokenCount).initialize(to: token)
        tokenCount &+= 1
        return tokenCount &- 1
    }

    @inline(never)
    private func growTokens() {
        let larger = UnsafeMutablePointer<JSONToken>.allocate(capacity: tokenCapacity * 2)
        unsafe larger.initialize(from: tokens, count: tokenCount)
        unsafe tokens.deallocate()
        unsafe tokens = larger
        tokenCapacity *= 2
    }

    /// Ends the array or object at `index` before `end`, with `count` elements or members.
    @inline(__always)
    func close(_ index: Int, end: Int, count: UInt32) {
        precondition(index >= 0 && index < tokenCount)
        unsafe tokens[index].end = UInt32(truncatingIfNeeded: end)
        unsafe tokens[index].next = UInt32(truncatingIfNeeded: tokenCount)
        unsafe tokens[index].count = count
    }

    /// Returns the index of the value whose key has the bytes of `key`; `nil` if no key has them.
    ///
    /// The search begins after the member that was found last, because members are mostly read in their order.
    @inline(__always)
    func find(_ key: String, in object: Int) -> Int? {
        precondition(object >= 0 && object < tokenCount)
        let hint = unsafe Int(tokens[object].hint)
        let end = unsafe Int(tokens[object].next)
        var key = key
        return key.withUTF8 { bytes in
            unsafe find(bytes, from: hint, to: end, in: object) ?? find(bytes, from: object + 1, to: hint, in: object)
        }
    }

    /// Searches the keys at the indices from `first` to `end`, both of which are borders of members of `object`.
    @inline(__always)
    private func find(_ key: UnsafeBufferPointer<UInt8>, from first: Int, to end: Int, in object: Int) -> Int? {
        guard let start = key.baseAddress else { return nil }
        var index = first
        while index < end {
            let token = self[index]
            let range = token.range
            if range.count == key.count, token.kind == .key, !token.traits.contains(.escaped) {
                check(range)
                if unsafe memcmp(base + range.lowerBound, start, range.count) == 0 {
                    unsafe tokens[object].hint = self[index &+ 1].next
                    return index &+ 1
                }
            }
            index = Int(self[index &+ 1].next)
        }
        return nil
    }

    /// Counts the values of the document that are still to be read.
    func expectReads(of count: Int) {
        unreadCount = count
    }

    /// Notes that the value at `index` was read.
    @inline(__always)
    func markAsRead(_ index: Int) {
        precondition(index >= 0 && index < tokenCount)
        if unsafe !tokens[index].isRead {
            unsafe tokens[index].isRead = true
            unreadCount &-= 1
        }
    }
}

/// Keeps tapes between documents, so that their memory is allocated once.
///
/// Why `@unchecked Sendable` is right for a tape: the pool owns it while no document is read. ``withTape(_:)`` removes it
/// from the pool under the lock and puts it back only if it has the last reference. A decoder that was kept by a value holds
/// a reference, and such a tape never returns to the pool. So at each time one task uses a tape.
enum DecodingPool {
    /// Number of tapes that are kept.
    private static let limit = 8

    /// Number of bytes above which a tape isn't kept.
    private static let sizeLimit = 1 << 20

    private static let tapes = Mutex<[JSONTape]>([])

    /// Performs `body` with a tape that nothing else uses.
    @inline(__always)
    static func withTape<Result>(_ body: (JSONTape) throws -> Result) throws -> Result {
        var tape = tapes.withLock { $0.popLast() } ?? JSONTape()
        defer {
            if isKnownUniquelyReferenced(&tape), tape.allocated <= sizeLimit {
                tapes.withLock { tapes in
                    if tapes.count < limit { tapes.append(tape) }
                }
            }
        }
        return try body(tape)
    }
}

extension JSONTape: @unchecked Sendable {}
