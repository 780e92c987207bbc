//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads what the tree above a service states; within a service its name is `Environment`.
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
/// It can be read in `body` and in the handlers that stand there, also in tasks that they start; elsewhere it has the
/// default value. A service that reads it in a handler must be `Sendable`, as a structure of such values is.
@propertyWrapper
public struct ServiceEnvironment<Value: Sendable>: Sendable {
    private let reader: EnvironmentReader
    private let read: @Sendable (ServiceEnvironmentValues) -> Value?

    /// Reads the value of `key`.
    public init(_ key: any KeyPath<ServiceEnvironmentValues, Value> & Sendable) {
        reader = EnvironmentReader(name: TypeNames.short(Value.self))
        read = { $0[keyPath: key] }
    }

    /// Reads the value of `key`, which must be stated: without it, there is no cluster.
    @_disfavoredOverload  // A property that is optional may be missing.
    public init(_ key: any KeyPath<ServiceEnvironmentValues, Value?> & Sendable) {
        reader = EnvironmentReader(name: TypeNames.short(Value.self))
        read = { $0[keyPath: key] }
    }

    /// The value that holds where the service stands.
    public var wrappedValue: Value { reader.value(read) }
}

extension ServiceEnvironment: EnvironmentReading {
    func makeBinding(in values: ServiceEnvironmentValues) -> EnvironmentBinding {
        EnvironmentBinding(reader: reader, values: values, isMissing: read(values) == nil)
    }
}
