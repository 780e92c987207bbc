// SPDX-License-Identifier: Apache-2.0

/// Decodes the members of the object at one index of a tape.
struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: JSONTape
    let object: Int

    var codingPath: [any CodingKey] { tape.codingPath(to: object) }

    var allKeys: [Key] { tape.members(of: object).compactMap { Key(stringValue: tape.text(at: $0)) } }

    func contains(_ key: Key) -> Bool {
        if tape.value(of: key.stringValue, in: object) != nil { return true }
        tape.isCanonical = false
        return false
    }

    /// The index of the value of `key`.
    @inline(__always)
    private func index(of key: Key) throws -> Int {
        guard let index = tape.value(of: key.stringValue, in: object) else { throw tape.keyNotFound(key, in: object) }
        return index
    }

    /// The index of the value of `key`; `nil` if there is none or it is null.
    ///
    /// An encoder may write another value for both, so that the document doesn't count as canonical.
    @inline(__always)
    private func indexIfPresent(of key: Key) -> Int? {
        if let index = tape.value(of: key.stringValue, in: object), !tape.isNull(at: index) { return index }
        tape.isCanonical = false
        return nil
    }

    private func decoder(of key: some CodingKey) -> JSONValueDecoder {
        let index = tape.value(of: key.stringValue, in: object)
        return JSONValueDecoder(tape: tape, index: index ?? tape.appendMissing(key.stringValue, of: object))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try JSONValueDecoder(tape: tape, index: index(of: key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try JSONValueDecoder(tape: tape, index: index(of: key)).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder(of: JSONKey.superclass) }
    func superDecoder(forKey key: Key) -> any Decoder { decoder(of: key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try tape.decode(type, at: index(of: key))
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let index = indexIfPresent(of: key) else { return nil }
        return try tape.decode(type, at: index)
    }

    // MARK: Values without parts

    func decodeNil(forKey key: Key) throws -> Bool {
        let isNull = try tape.isNull(at: index(of: key))
        if isNull { tape.isCanonical = false }
        return isNull
    }

    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try tape.bool(at: index(of: key)) }
    func decode(_: String.Type, forKey key: Key) throws -> String { try tape.string(at: index(of: key)) }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try tape.float(at: index(of: key)) }

    func decode(_: Double.Type, forKey key: Key) throws -> Double {
        try tape.double(at: index(of: key), as: Double.self)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try tape.integer(type, at: index(of: key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try tape.integer(type, at: index(of: key)) }

    func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
        try indexIfPresent(of: key).map { try tape.bool(at: $0) }
    }

    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        try indexIfPresent(of: key).map { try tape.string(at: $0) }
    }

    func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
        try indexIfPresent(of: key).map { try tape.double(at: $0, as: Double.self) }
    }

    func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
        try indexIfPresent(of: key).map { try tape.float(at: $0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try indexIfPresent(of: key).map { try tape.integer(type, at: $0) }
    }
}

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
