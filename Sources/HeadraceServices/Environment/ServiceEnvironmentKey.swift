// SPDX-License-Identifier: Apache-2.0

/// A key of an environment value, which a tree sets and services read.
///
/// ```swift
/// enum RetriesKey: ServiceEnvironmentKey {
///     static let defaultValue = 3
/// }
///
/// extension ServiceEnvironmentValues {
///     var retries: Int {
///         get { self[RetriesKey.self] }
///         set { self[RetriesKey.self] = newValue }
///     }
/// }
/// ```
///
/// Use an optional type if there is no sensible default. A service that requires the value reads it as a non-optional property.
public protocol ServiceEnvironmentKey {
    /// The type of the value.
    associatedtype Value: Sendable

    /// The value if the tree sets none.
    static var defaultValue: Value { get }
}
