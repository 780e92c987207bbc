// SPDX-License-Identifier: Apache-2.0

// Proof for the downcasts: the initializer is the only place that stores objects in the table, and each of them is a
// `Value`.
extension TypeTable {
    /// The value of `type`, unretained, for callers that keep the table alive; `nil` if the table doesn't contain the
    /// type.
    ///
    /// Reference counting takes longer than the lookup.
    package func unretained(_ type: Any.Type) -> Unmanaged<Value>? {
        guard let index = index(of: ObjectIdentifier(type)), let object = objects[index] else { return nil }
        return unsafe Unmanaged.passUnretained(unsafeDowncast(object, to: Value.self))
    }

    /// The value of the type with the identity `identifier`; `nil` if the table doesn't contain the type.
    package subscript(identifier: ObjectIdentifier) -> Value? {
        guard let index = index(of: identifier), let object = objects[index] else { return nil }
        return unsafe unsafeDowncast(object, to: Value.self)
    }
}
