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
