// SPDX-License-Identifier: Apache-2.0

/// Decodes the elements of the array at one index of a tape.
struct UnkeyedValueDecoder: UnkeyedDecodingContainer {
    let tape: JSONTape
    private let array: UInt32

    /// Index of the token of the next element.
    private var next: UInt32

    private(set) var currentIndex = 0

    init(tape: JSONTape, array: Int) {
        self.tape = tape
        self.array = UInt32(truncatingIfNeeded: array)
        next = UInt32(truncatingIfNeeded: array + 1)
    }

    var codingPath: [any CodingKey] { tape.codingPath(to: Int(array)) }
    var count: Int? { Int(tape[Int(array)].count) }
    var isAtEnd: Bool { next >= tape[Int(array)].next }

    /// Reads the next element by `body`, and advances unless `body` throws.
    @inline(__always)
    private mutating func element<Value>(as type: Any.Type, _ body: (Int) throws -> Value) throws -> Value {
        let index = Int(next)
        if isAtEnd { throw tape.endOfArray(Int(array), element: currentIndex, type) }
        let value = try body(index)
        next = tape[index].next
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd { throw tape.endOfArray(Int(array), element: currentIndex, Any?.self) }
        guard tape.isNull(at: Int(next)) else { return false }
        return try element(as: Any?.self) { _ in true }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try element(as: [String: Any].self) { [tape] in
            try JSONValueDecoder(tape: tape, index: $0).container(keyedBy: type)
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element(as: [Any].self) { [tape] in try JSONValueDecoder(tape: tape, index: $0).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try element(as: (any Decoder).self) { [tape] in JSONValueDecoder(tape: tape, index: $0) }
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try element(as: type) { [tape] in try tape.decode(type, at: $0) }
    }

    // MARK: Values without parts

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try element(as: type) { [tape] in try tape.bool(at: $0) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try element(as: type) { [tape] in try tape.string(at: $0) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        try element(as: type) { [tape] in try tape.double(at: $0, as: type) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        try element(as: type) { [tape] in try tape.float(at: $0) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try element(as: type) { [tape] in try tape.integer(type, at: $0) }
    }
}
