// SPDX-License-Identifier: Apache-2.0

package import Foundation

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
