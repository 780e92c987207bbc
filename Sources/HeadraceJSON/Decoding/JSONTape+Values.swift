// SPDX-License-Identifier: Apache-2.0

import Foundation

extension JSONTape {
    /// Decodes a value of `type` from the value at `index`.
    func decode<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
        let slot = types.slot(for: Value.self) { Value.self as? any DecodableCollection.Type }
        switch slot.kind {
        case .string: return identityCast(try string(at: index), to: Value.self)
        case .bool: return identityCast(try bool(at: index), to: Value.self)
        case .int: return identityCast(try integer(Int.self, at: index), to: Value.self)
        case .int32: return identityCast(try integer(Int32.self, at: index), to: Value.self)
        case .int64: return identityCast(try integer(Int64.self, at: index), to: Value.self)
        case .uint8: return identityCast(try integer(UInt8.self, at: index), to: Value.self)
        case .uint64: return identityCast(try integer(UInt64.self, at: index), to: Value.self)
        case .double: return identityCast(try double(at: index, as: Double.self), to: Value.self)
        case .float: return identityCast(try float(at: index), to: Value.self)
        case .date:
            let interval = try double(at: index, as: Date.self)
            return identityCast(Date(timeIntervalSinceReferenceDate: interval), to: Value.self)
        case .uuid: return identityCast(try uuid(at: index), to: Value.self)
        case .data: return identityCast(try data(at: index), to: Value.self)
        case .url: return identityCast(try url(at: index), to: Value.self)
        case .decimal: return identityCast(try decimal(at: index), to: Value.self)
        case .collection:
            guard let collection = slot.collection else { break }
            return try decode(collection, as: type, at: index)
        case .other: break
        }
        return try Value(from: JSONValueDecoder(tape: self, index: index))
    }

    @inline(__always)
    private func decode<Collection: DecodableCollection, Value>(
        _ collection: Collection.Type,
        as type: Value.Type,
        at index: Int
    ) throws -> Value {
        identityCast(try Collection.decode(from: self, at: index), to: type)
    }

    // MARK: Values without parts

    @inline(__always)
    func isNull(at index: Int) -> Bool {
        let kind = self[index].kind
        if kind == .null || kind == .missing {
            markAsRead(index)
            return true
        }
        return false
    }

    @inline(__always)
    func string(at index: Int) throws -> String {
        guard self[index].kind == .string else { throw mismatch(String.self, at: index) }
        markAsRead(index)
        return text(at: index)
    }

    @inline(__always)
    func bool(at index: Int) throws -> Bool {
        let kind = self[index].kind
        guard kind == .true || kind == .false else { throw mismatch(Bool.self, at: index) }
        markAsRead(index)
        return kind == .true
    }

    func uuid(at index: Int) throws -> UUID {
        let token = self[index]
        guard token.kind == .string else { throw mismatch(UUID.self, at: index) }
        markAsRead(index)
        if let (id, isUppercase) = uuid(in: token.range) {
            if !isUppercase { isCanonical = false }
            return id
        }
        isCanonical = false
        guard let id = UUID(uuidString: text(at: index)) else {
            throw corrupted("The text isn't a UUID.", at: index)
        }
        return id
    }

    private func data(at index: Int) throws -> Data {
        let text = try string(at: index)
        guard let data = Data(base64Encoded: text) else {
            throw corrupted("The text isn't Base64.", at: index)
        }
        if checksForm && data.base64EncodedString() != text { isCanonical = false }
        return data
    }

    private func url(at index: Int) throws -> URL {
        let text = try string(at: index)
        guard let url = URL(string: text) else {
            throw corrupted("The text isn't a URL.", at: index)
        }
        if checksForm && url.absoluteString != text { isCanonical = false }
        return url
    }

    // MARK: Numbers

    private func decimal(at index: Int) throws -> Decimal {
        let token = self[index]
        guard token.kind == .integer || token.kind == .fraction else { throw mismatch(Decimal.self, at: index) }
        markAsRead(index)
        let text = text(in: token.range)
        guard let decimal = Decimal(string: text, locale: nil), !decimal.isNaN else {
            throw corrupted("The number doesn't fit in a Decimal.", at: index)
        }
        if checksForm && decimal.description != text { isCanonical = false }
        return decimal
    }

    /// Reads a whole number, in any spelling.
    @inline(__always)
    func integer<Value: FixedWidthInteger>(_ type: Value.Type, at index: Int) throws -> Value {
        let token = self[index]
        guard token.kind == .integer else { return try spelledInteger(type, at: index) }
        markAsRead(index)
        var offset = Int(token.start)
        let end = Int(token.end)
        let isNegative = self[byte: offset] == UInt8(ascii: "-")
        if isNegative { offset &+= 1 }
        guard end &- offset <= 18 else { return try longInteger(type, at: index) }
        var magnitude: Int64 = 0
        while offset < end {
            magnitude = magnitude &* 10 &+ Int64(self[byte: offset] &- UInt8(ascii: "0"))
            offset &+= 1
        }
        if isNegative && magnitude == 0 { isCanonical = false }
        guard let value = Value(exactly: isNegative ? -magnitude : magnitude) else {
            throw unrepresentable(type, at: index)
        }
        return value
    }

    @inline(never)
    private func longInteger<Value: FixedWidthInteger>(_ type: Value.Type, at index: Int) throws -> Value {
        guard let value = Value(text(in: self[index].range)) else { throw unrepresentable(type, at: index) }
        return value
    }

    /// Reads a whole number that is spelled with a fraction or an exponent, as `JSONDecoder` does.
    @inline(never)
    private func spelledInteger<Value: FixedWidthInteger>(_ type: Value.Type, at index: Int) throws -> Value {
        guard self[index].kind == .fraction else { throw mismatch(type, at: index) }
        markAsRead(index)
        let text = text(in: self[index].range)
        if let double = Double(text), double.magnitude < 0x1p53 {
            guard let value = Value(exactly: double) else { throw unrepresentable(type, at: index) }
            isCanonical = false
            return value
        }
        // Beyond the range in which a Double holds each whole number, the digits are counted.
        let parts = text.lowercased().split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        let shift = parts.count > 1 ? Int(parts[1]) : 0
        var digits = mantissa[0] + fraction
        while digits.last == "0" { digits.removeLast() }
        let zeros = shift.map { $0 - digits.count + mantissa[0].count } ?? 1_000
        guard (0..<40).contains(zeros), let value = Value(digits + String(repeating: "0", count: zeros)) else {
            throw unrepresentable(type, at: index)
        }
        isCanonical = false
        return value
    }

    /// Reads a number as a `Double`; `type` is the type that is asked for.
    @inline(__always)
    func double(at index: Int, as type: Any.Type) throws -> Double {
        let token = self[index]
        guard token.kind == .fraction || token.kind == .integer else { throw mismatch(type, at: index) }
        markAsRead(index)
        var offset = Int(token.start)
        let end = Int(token.end)
        let isNegative = self[byte: offset] == UInt8(ascii: "-")
        if isNegative { offset &+= 1 }
        var digits: UInt64 = 0
        var point = end
        guard end &- offset <= 20 else { return try longDouble(type, at: index) }
        while offset < end {
            let digit = self[byte: offset] &- UInt8(ascii: "0")
            if digit <= 9 {
                digits = digits &* 10 &+ UInt64(digit)
            } else if self[byte: offset] == UInt8(ascii: ".") {
                point = offset &+ 1
            } else {
                return try longDouble(type, at: index)
            }
            offset &+= 1
        }
        let scale = end &- point
        // Twenty digits without a point may overflow.
        guard scale <= 19, scale > 0 || end &- Int(token.start) <= 19 else { return try longDouble(type, at: index) }
        let value = JSONNumber.quotient(digits, scale: scale)
        if checksForm { checkForm(of: token, digits: digits, scale: scale, value: isNegative ? -value : value) }
        return isNegative ? -value : value
    }

    @inline(never)
    private func longDouble(_ type: Any.Type, at index: Int) throws -> Double {
        let text = text(in: self[index].range)
        guard let value = Double(text), value.isFinite, value != 0 || Self.isZero(text) else {
            throw unrepresentable(type, at: index)
        }
        if checksForm { checkForm(of: text, as: value.description) }
        return value
    }

    func float(at index: Int) throws -> Float {
        let token = self[index]
        guard token.kind == .fraction || token.kind == .integer else { throw mismatch(Float.self, at: index) }
        markAsRead(index)
        let text = text(in: token.range)
        guard let value = Float(text), value.isFinite, value != 0 || Self.isZero(text) else {
            throw unrepresentable(Float.self, at: index)
        }
        if checksForm { checkForm(of: text, as: value.description) }
        return value
    }

    /// Whether all digits before the exponent are 0.
    private static func isZero(_ text: String) -> Bool {
        text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { $0 <= UInt8(ascii: "0") }
    }

    /// Compares a number of few digits with the form in which it is written: without zeros at the end of its fraction.
    ///
    /// Two decimal numbers of up to 15 digits are never the same `Double`, so no shorter number reads as this value.
    @inline(never)
    private func checkForm(of token: JSONToken, digits: UInt64, scale: Int, value: Double) {
        let isShort = digits < 1_000_000_000_000_000 && value.magnitude >= 0.001
        if isShort && (scale == 0 || !digits.isMultiple(of: 10)) { return }
        checkForm(of: text(in: token.range), as: value.description)
    }

    private func checkForm(of text: String, as description: String) {
        let written = description.hasSuffix(".0") ? String(description.dropLast(2)) : description
        if text != written { isCanonical = false }
    }
}
