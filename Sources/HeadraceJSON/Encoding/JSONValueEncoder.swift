// SPDX-License-Identifier: Apache-2.0

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
