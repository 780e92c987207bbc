// SPDX-License-Identifier: Apache-2.0

/// Encodes the members of the object of one frame.
struct KeyedValueEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath(of: serial) }

    /// Begins the member `key`; `value` is the value that will be encoded.
    @inline(__always)
    private func begin(_ key: Key, _ value: @autoclosure () -> Any) throws {
        guard serial == state.frame.serial, serial != 0 else { throw state.misuse(value(), path: codingPath + [key]) }
        state.beginMember(key.stringValue)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try begin(key, value)
        do {
            try state.encode(value)
        } catch {
            state.cancelMember()
            throw error
        }
    }

    // MARK: Containers

    /// The encoder of a container within the member `key`.
    private func child(of key: some CodingKey, form: EncodingState.Form) -> JSONValueEncoder {
        guard serial == state.frame.serial, serial != 0 else { return JSONValueEncoder(state: state, serial: 0) }
        return state.child(of: key, form: form)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        child(of: key, form: .object).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        child(of: key, form: .array).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { superEncoder(of: JSONKey.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(of: key) }

    private func superEncoder(of key: some CodingKey) -> JSONValueEncoder {
        guard serial == state.frame.serial, serial != 0 else { return JSONValueEncoder(state: state, serial: 0) }
        state.beginMember(key.stringValue)
        return state.appendChild(JSONKey(stringValue: key.stringValue), form: .nothing)
    }

    // MARK: Values without parts

    func encodeNil(forKey key: Key) throws {
        try begin(key, "null")
        state.buffer.append("null")
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        try begin(key, value)
        state.encode(value)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(quoted: value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try begin(key, value)
        do {
            try state.encode(value)
        } catch {
            state.cancelMember()
            throw error
        }
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try begin(key, value)
        do {
            try state.encode(value)
        } catch {
            state.cancelMember()
            throw error
        }
    }

    func encode(_ value: Int, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(value)
    }

    func encode(_ value: Int128, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(unescaped: value.description)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(value)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try begin(key, value)
        state.buffer.append(unescaped: value.description)
    }
}

/// Encodes the elements of the array of one frame.
struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
    let state: EncodingState
    let serial: Int

    var codingPath: [any CodingKey] { state.codingPath(of: serial) }

    var count: Int { isCurrent ? state.frame.count : 0 }

    /// Whether the array is the value that encodes itself now.
    @inline(__always)
    private var isCurrent: Bool { serial == state.frame.serial && serial != 0 }

    /// Begins an element; `value` is the value that will be encoded.
    @inline(__always)
    private func begin(_ value: @autoclosure () -> Any) throws {
        guard isCurrent else { throw state.misuse(value(), path: codingPath) }
        state.beginElement()
    }

    /// Encodes an element by `body`, which may fail.
    @inline(__always)
    private func element(_ value: @autoclosure () -> Any, _ body: () throws -> Void) throws {
        let start = state.buffer.count
        try begin(value())
        do {
            try body()
        } catch {
            state.cancelElement(from: start)
            throw error
        }
    }

    func encode<Value: Encodable>(_ value: Value) throws { try element(value) { try state.encode(value) } }

    // MARK: Containers

    /// The encoder of a container that is the next element.
    private func child(form: EncodingState.Form) -> JSONValueEncoder {
        guard isCurrent else { return JSONValueEncoder(state: state, serial: 0) }
        state.beginElement()
        return state.appendChild(JSONKey(index: state.frame.count - 1), form: form)
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        child(form: .object).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        child(form: .array).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { child(form: .nothing) }

    // MARK: Values without parts

    func encodeNil() throws {
        try begin("null")
        state.buffer.append("null")
    }

    func encode(_ value: Bool) throws {
        try begin(value)
        state.encode(value)
    }

    func encode(_ value: String) throws {
        try begin(value)
        state.buffer.append(quoted: value)
    }

    func encode(_ value: Double) throws { try element(value) { try state.encode(value) } }
    func encode(_ value: Float) throws { try element(value) { try state.encode(value) } }

    func encode(_ value: Int) throws {
        try begin(value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int8) throws {
        try begin(value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int16) throws {
        try begin(value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int32) throws {
        try begin(value)
        state.buffer.append(Int64(value))
    }

    func encode(_ value: Int64) throws {
        try begin(value)
        state.buffer.append(value)
    }

    func encode(_ value: Int128) throws {
        try begin(value)
        state.buffer.append(unescaped: value.description)
    }

    func encode(_ value: UInt) throws {
        try begin(value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt8) throws {
        try begin(value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt16) throws {
        try begin(value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt32) throws {
        try begin(value)
        state.buffer.append(UInt64(value))
    }

    func encode(_ value: UInt64) throws {
        try begin(value)
        state.buffer.append(value)
    }

    func encode(_ value: UInt128) throws {
        try begin(value)
        state.buffer.append(unescaped: value.description)
    }
}
