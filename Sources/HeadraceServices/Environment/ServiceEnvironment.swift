// SPDX-License-Identifier: Apache-2.0

/// Reads an environment value that the tree above a service sets.
///
/// Within a service, write `@Environment`.
///
/// ```swift
/// struct ArticlesService: Service {
///     @Environment(\.retries) private var retries
///     @Environment(\.archive) private var archive: Archive
///
///     var body: some Service {
///         Group {}
///             .pre(on: ArticlesAction.self) { _ in await archive.read(attempts: retries) }
///     }
/// }
/// ```
///
/// Read the property in `body`, in a handler written there, or in a task that such a handler starts. Elsewhere it has the
/// default value. A service that reads the property in a handler must be `Sendable`; a struct of `Sendable` properties is.
@propertyWrapper
public struct ServiceEnvironment<Value: Sendable>: Sendable {
    private let reader: EnvironmentReader
    private let read: @Sendable (ServiceEnvironmentValues) -> Value?

    /// Creates a property that reads the value of `key`.
    public init(_ key: any KeyPath<ServiceEnvironmentValues, Value> & Sendable) {
        reader = EnvironmentReader(name: String(shortNaming: Value.self))
        read = { $0[keyPath: key] }
    }

    /// Creates a property that reads the optional value of `key`.
    ///
    /// If the value is `nil`, ``Bootstrap`` throws.
    @_disfavoredOverload  // An optional property uses the other initializer, and may be `nil`.
    public init(_ key: any KeyPath<ServiceEnvironmentValues, Value?> & Sendable) {
        reader = EnvironmentReader(name: String(shortNaming: Value.self))
        read = { $0[keyPath: key] }
    }

    /// The value at the position of the service.
    public var wrappedValue: Value { reader.value(read) }
}

extension ServiceEnvironment: EnvironmentReading {
    func makeBinding(in values: ServiceEnvironmentValues) -> EnvironmentBinding {
        EnvironmentBinding(reader: reader, values: values, isMissing: read(values) == nil)
    }
}
