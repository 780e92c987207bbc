// SPDX-License-Identifier: Apache-2.0

/// The place where a ``SharedState`` is stored, such as a document of a store.
public protocol SharedStorage<Value>: Sendable {
    /// The stored value.
    associatedtype Value: Sendable

    /// Returns the stored value; `nil` if nothing is stored.
    ///
    /// - Throws: An error if the storage can't be read, or if its content isn't a value.
    func load() async throws -> Value?

    /// Replaces the stored value by the result of `change`, and returns that result.
    ///
    /// The storage must not change between the call of `change` and the replacement. If it can't guarantee this, the last
    /// of two concurrent writers wins.
    ///
    /// - Parameter change: Returns the new value for the stored value, which is `nil` if nothing is stored. It may be called
    ///   several times.
    /// - Returns: The new value.
    /// - Throws: An error if the value wasn't replaced. Content that can't be read must be kept.
    func replace(by change: @Sendable (_ stored: Value?) -> Value) async throws -> Value
}
