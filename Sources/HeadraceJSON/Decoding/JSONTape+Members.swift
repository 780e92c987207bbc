// SPDX-License-Identifier: Apache-2.0

extension JSONTape {
    /// The text of the string or the key at `index`.
    @inline(__always)
    func text(at index: Int) -> String {
        let token = self[index]
        return token.traits.contains(.escaped) ? unescapedText(in: token.range) : text(in: token.range)
    }

    /// The text of `range`.
    ///
    /// The scanner has checked its escape sequences.
    @inline(never)
    private func unescapedText(in range: Range<Int>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let byte = self[byte: offset]
            if byte != UInt8(ascii: "\\") {
                bytes.append(byte)
                offset += 1
                continue
            }
            let escape = self[byte: offset + 1]
            offset += 2
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = unit(at: offset)
                offset += 4
                if scalar >> 10 == 0xD800 >> 10 {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(at: offset + 2) & 0x3FF
                    offset += 6
                }
                if let scalar = Unicode.Scalar(scalar) { bytes.append(contentsOf: String(scalar).utf8) }
            default: bytes.append(escape)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of four digits of base 16.
    private func unit(at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 4 | UInt32(HexDigit.value(of: self[byte: offset + $1]) ?? 0) }
    }

    // MARK: Objects

    /// Returns the index of the value of `key` in `object`; `nil` if it doesn't exist.
    ///
    /// - Complexity: O(1) if members are read in the order of their keys. O(*n*) in the number of members otherwise.
    @inline(__always)
    func value(of key: String, in object: Int) -> Int? {
        find(key, in: object) ?? equivalentValue(of: key, in: object)
    }

    /// Searches for a key that is equal to `key` in other bytes: with escape sequences, or composed in another way.
    @inline(never)
    private func equivalentValue(of key: String, in object: Int) -> Int? {
        if self[object].traits.isEmpty && !key.isEmpty && key.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        return members(of: object).first { text(at: $0) == key }.map { $0 + 1 }
    }

    /// The indices of the keys of `object`, without those that occurred before.
    func members(of object: Int) -> [Int] {
        var keys: [Int] = []
        keys.reserveCapacity(Int(self[object].count))
        var index = object + 1
        while index < Int(self[object].next) {
            if self[index].kind == .key { keys.append(index) }
            index = Int(self[index + 1].next)
        }
        return keys
    }

    /// Keeps the first of several members with the same key.
    func removeDuplicates(of object: Int) {
        let keys = members(of: object)
        if keys.count <= 16, self[object].traits.isEmpty {
            let isUnique = keys.indices.allSatisfy { index in
                keys[..<index].allSatisfy { compare(self[$0].range, self[keys[index]].range) != 0 }
            }
            if isUnique { return }
        }
        var texts: Set<String> = []
        for key in keys where !texts.insert(text(at: key)).inserted {
            self[key].kind = .missing
            self[object].count -= 1
        }
    }

    // MARK: Coding paths

    /// Appends a token for a value that `object` doesn't have, and returns the index of the token.
    func appendMissing(_ key: String, of object: Int) -> Int {
        isCanonical = false
        missing.append((object, key))
        return append(
            JSONToken(
                kind: .missing,
                start: 0,
                next: UInt32(truncatingIfNeeded: tokenCount + 1),
                count: UInt32(truncatingIfNeeded: missing.count - 1)
            )
        )
    }

    /// The keys of the arrays and objects around the value at `index`, from the outside to the inside.
    ///
    /// - Complexity: O(*n*) in the number of tokens before the value.
    func codingPath(to index: Int) -> [any CodingKey] {
        if self[index].kind == .missing, Int(self[index].count) < missing.count {
            let (object, key) = missing[Int(self[index].count)]
            return codingPath(to: object) + [JSONKey(stringValue: key)]
        }
        var path: [any CodingKey] = []
        var value = 0
        while value != index {
            let isObject = self[value].kind == .object
            let end = Int(self[value].next)
            var child = value + 1
            var number = 0
            while child < end {
                let content = isObject ? child + 1 : child
                let next = Int(self[content].next)
                if index < next {
                    path.append(isObject ? JSONKey(stringValue: text(at: child)) : JSONKey(index: number))
                    value = content
                    break
                }
                child = next
                number += 1
            }
            if child >= end { break }
        }
        return path
    }
}

extension JSONTape {
    /// Returns the error for a value at `index` that isn't of `type`.
    @inline(never)
    func mismatch(_ type: Any.Type, at index: Int) -> DecodingError {
        let path = codingPath(to: index)
        if isNull(at: index) {
            return .valueNotFound(
                type,
                DecodingError.Context(codingPath: path, debugDescription: "Expected a value for \(type), found null.")
            )
        }
        return .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: path,
                debugDescription: "Expected a value for \(type), found \(self[index].kind.name)."
            )
        )
    }

    /// Returns the error for a value at `index` that is of the right type but wrong.
    @inline(never)
    func corrupted(_ message: String, at index: Int) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath(to: index), debugDescription: message))
    }

    /// Returns the error for a number at `index` that `type` can't hold.
    @inline(never)
    func unrepresentable(_ type: Any.Type, at index: Int) -> DecodingError {
        corrupted("The number \(text(in: self[index].range)) doesn't fit in \(type).", at: index)
    }

    /// Returns the error for a key that the object at `object` doesn't have.
    @inline(never)
    func keyNotFound(_ key: some CodingKey, in object: Int) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath(to: object),
                debugDescription: "The object has no member \"\(key.stringValue)\"."
            )
        )
    }

    /// Returns the error for an array at `array` that has no more elements.
    @inline(never)
    func endOfArray(_ array: Int, element: Int, _ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath(to: array) + [JSONKey(index: element)],
                debugDescription: "The array has only \(element) elements."
            )
        )
    }
}

extension JSONToken.Kind {
    /// The name of the kind of value for error messages.
    fileprivate var name: String {
        switch self {
        case .null, .missing: "null"
        case .true, .false: "a Boolean"
        case .integer, .fraction: "a number"
        case .string, .key: "a string"
        case .object: "an object"
        case .array: "an array"
        }
    }
}
