// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Encodes values as the JSON of documents: equal values become equal bytes.
///
/// The members of objects are sorted by the UTF-8 of their keys. The elements of a `Set`, and the pairs of a `Dictionary`
/// that encodes as an array, are sorted too: texts by their UTF-8, elements of type `Int` by value, and all others by
/// their JSON. For every other value, `JSONEncoder` writes the same bytes with sorted keys and without escaped slashes.
///
/// A type that writes the elements of a set itself, one after the other, must sort them: only a collection that is encoded
/// as a whole is recognized.
///
/// A program that uses an encoder in a wrong way gets an `EncodingError`, and `JSONEncoder` traps. Infinities and NaN are
/// errors as well. Not supported: `userInfo` and strategies.
package enum JSONDocumentEncoder {
    /// Returns the UTF-8 of the JSON of `value`.
    ///
    /// - Throws: `EncodingError`, with a ``JSONSyntaxError`` as its cause if `value` is nested too deeply; the errors of
    ///   `value`.
    /// - Complexity: O(*n* · *d*) in the size and the depth of the JSON.
    package static func encode(_ value: some Encodable) throws -> Data {
        try EncodingPool.withState { state in
            try state.encodeDocument(value)
            return state.buffer.data()
        }
    }

    /// Returns the UTF-8 of the JSON of `value`.
    ///
    /// - Throws: As ``encode(_:)``.
    package static func bytes(of value: some Encodable) throws -> [UInt8] {
        try EncodingPool.withState { state in
            try state.encodeDocument(value)
            return state.buffer.bytes(in: 0..<state.buffer.count)
        }
    }

    /// Returns the UTF-8 of the JSON of `value`; `nil` if it is `json`.
    ///
    /// - Throws: As ``encode(_:)``.
    package static func encode(_ value: some Encodable, unlessEqualTo json: Data) throws -> Data? {
        try EncodingPool.withState { state in
            try state.encodeDocument(value)
            return state.buffer.isEqual(to: json) ? nil : state.buffer.data()
        }
    }

    // MARK: Without containers

    /// Returns the UTF-8 of the JSON of `value`, as `write` writes it.
    ///
    /// If `write` fails, `value` is encoded by `Codable`, whose errors have coding paths. Debug builds compare the JSON with
    /// the JSON that `Codable` writes.
    ///
    /// - Throws: As ``encode(_:)``; `EncodingError` in a debug build if `write` writes another JSON than `Codable`.
    package static func encode(_ value: some Encodable, by write: (JSONWriter) throws -> Void) throws -> Data {
        try EncodingPool.withState { state in
            try state.encodeDocument(value, by: write)
            return state.buffer.data()
        }
    }

    /// Returns the UTF-8 of the JSON of `value`, as `write` writes it; `nil` if it is `json`.
    ///
    /// - Throws: As ``encode(_:by:)``.
    package static func encode(
        _ value: some Encodable,
        unlessEqualTo json: Data,
        by write: (JSONWriter) throws -> Void
    ) throws -> Data? {
        try EncodingPool.withState { state in
            try state.encodeDocument(value, by: write)
            return state.buffer.isEqual(to: json) ? nil : state.buffer.data()
        }
    }
}

extension EncodingState {
    @inline(__always)
    fileprivate func encodeDocument(_ value: some Encodable, by write: (JSONWriter) throws -> Void) throws {
        do {
            try write(JSONWriter(state: self))
        } catch {
            reset()
        }
        if buffer.count == 0 { return try encodeDocument(value) }
        #if DEBUG
        if !frames.isEmpty { try requireSameJSON(by: value) }
        #endif
    }

    #if DEBUG
    /// Throws unless `value` encodes by `Codable` as the bytes of the buffer.
    private func requireSameJSON(by value: some Encodable) throws {
        let expected = try JSONDocumentEncoder.bytes(of: value)
        let actual = buffer.bytes(in: 0..<buffer.count)
        if actual == expected { return }
        throw EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: [],
                debugDescription: """
                    'encode(to: inout DocumentEncoder)' of \(type(of: value)) writes \(String(decoding: actual, as: UTF8.self)), \
                    and Codable writes \(String(decoding: expected, as: UTF8.self)). To fix, declare 'CodingKeys', \
                    'encode(to:)', and 'init(from:)' in the type itself and not in an extension, so that the macro sees \
                    them; or write the same members in the order of their keys.
                    """
            )
        )
    }
    #endif
}

/// Encodes one value into a state.
///
/// The value is recognized by a serial number: an encoder that is used after its value has ended has no effect but an error.
struct JSONValueEncoder: Encoder {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath(of: serial) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Whether the value encodes itself now.
    @inline(__always)
    var isCurrent: Bool { serial == state.frame.serial && serial != 0 }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let isOpen = isCurrent && state.begin(.object)
        return KeyedEncodingContainer(KeyedValueEncoder(state: state, serial: isOpen ? serial : 0))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let isOpen = isCurrent && state.begin(.array)
        return UnkeyedValueEncoder(state: state, serial: isOpen ? serial : 0)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
    /// Encodes the value by `body`.
    @inline(__always)
    private func single(_ value: @autoclosure () -> Any, _ body: () throws -> Void) throws {
        guard isCurrent, state.frame.form == .nothing else { throw state.misuse(value(), path: codingPath) }
        try body()
        state.frame.form = .single
    }

    func encodeNil() throws { try single("null") { state.buffer.append("null") } }
    func encode(_ value: Bool) throws { try single(value) { state.encode(value) } }
    func encode(_ value: String) throws { try single(value) { state.buffer.append(quoted: value) } }
    func encode(_ value: Double) throws { try single(value) { try state.encode(value) } }
    func encode(_ value: Float) throws { try single(value) { try state.encode(value) } }
    func encode(_ value: Int) throws { try single(value) { state.buffer.append(Int64(value)) } }
    func encode(_ value: Int8) throws { try single(value) { state.buffer.append(Int64(value)) } }
    func encode(_ value: Int16) throws { try single(value) { state.buffer.append(Int64(value)) } }
    func encode(_ value: Int32) throws { try single(value) { state.buffer.append(Int64(value)) } }
    func encode(_ value: Int64) throws { try single(value) { state.buffer.append(value) } }
    func encode(_ value: Int128) throws { try single(value) { state.buffer.append(unescaped: value.description) } }
    func encode(_ value: UInt) throws { try single(value) { state.buffer.append(UInt64(value)) } }
    func encode(_ value: UInt8) throws { try single(value) { state.buffer.append(UInt64(value)) } }
    func encode(_ value: UInt16) throws { try single(value) { state.buffer.append(UInt64(value)) } }
    func encode(_ value: UInt32) throws { try single(value) { state.buffer.append(UInt64(value)) } }
    func encode(_ value: UInt64) throws { try single(value) { state.buffer.append(value) } }
    func encode(_ value: UInt128) throws { try single(value) { state.buffer.append(unescaped: value.description) } }
    func encode<Value: Encodable>(_ value: Value) throws { try single(value) { try state.encode(value) } }
}

/// Writes the JSON of a document value by value, without the containers of `Codable`.
///
/// The caller writes the members of an object in the order of the UTF-8 of their keys.
package struct JSONWriter {
    let state: EncodingState

    // MARK: Objects and arrays

    /// Begins an object.
    ///
    /// - Throws: `EncodingError` if arrays and objects are nested too deeply.
    package func beginObject() throws {
        // The frame stands for the document, so that a property that is encoded by `Codable` is no document.
        if state.frames.isEmpty { state.frames.append(EncodingState.Frame()) }
        try deepen()
        state.buffer.append(UInt8(ascii: "{"))
    }

    /// Begins a member with a key of ASCII characters that need no escape sequence.
    package func beginMember(_ key: StaticString) {
        state.buffer.append(key: key)
    }

    /// Ends an object.
    package func endObject() {
        state.buffer.append(UInt8(ascii: "}"))
        state.depth &-= 1
    }

    /// Begins an array.
    ///
    /// - Throws: `EncodingError` if arrays and objects are nested too deeply.
    package func beginArray() throws {
        try deepen()
        state.buffer.append(UInt8(ascii: "["))
    }

    /// Begins an element.
    package func beginElement() {
        state.buffer.appendElementSeparator()
    }

    /// Ends an array.
    package func endArray() {
        state.buffer.append(UInt8(ascii: "]"))
        state.depth &-= 1
    }

    private func deepen() throws {
        if state.depth == EncodingState.depthLimit { throw state.tooDeep() }
        state.depth &+= 1
    }

    // MARK: Values

    /// Writes a Boolean.
    package func write(_ value: Bool) { state.encode(value) }

    /// Writes a whole number.
    package func write(_ value: Int64) { state.buffer.append(value) }

    /// Writes a whole number.
    package func write(_ value: UInt64) { state.buffer.append(value) }

    /// Writes a number.
    ///
    /// - Throws: `EncodingError` if the number is infinite or NaN.
    package func write(_ value: Double) throws { try state.encode(value) }

    /// Writes a text.
    package func write(_ value: String) { state.buffer.append(quoted: value) }

    /// Writes a UUID in upper case.
    package func write(_ value: UUID) { state.buffer.append(value) }

    /// Writes a value by `Codable`.
    ///
    /// - Throws: `EncodingError`; the errors of `value`.
    package func write(codable value: some Encodable) throws { try state.encode(value) }
}
