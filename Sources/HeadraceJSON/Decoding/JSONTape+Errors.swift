// SPDX-License-Identifier: Apache-2.0

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
