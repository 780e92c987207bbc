// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

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

/// The environment values at a position in a tree of services.
///
/// Add your own values as computed properties in an extension; see ``ServiceEnvironmentKey``.
public struct ServiceEnvironmentValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]
    private var objects: [ObjectIdentifier: any AnyObject & Sendable] = [:]

    /// The `Send` that handlers receive.
    ///
    /// By default, it sends to the cluster. A test can replace it to record the actions instead of sending them.
    public var send: Send

    init(send: Send) {
        self.send = send
    }

    /// The value of `key`.
    public subscript<Key: ServiceEnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Returns the object of this type, or `nil` if the tree provides none.
    func object<Object: AnyObject & Sendable>(of type: Object.Type) -> Object? {
        objects[ObjectIdentifier(type)] as? Object
    }

    mutating func setObject<Object: AnyObject & Sendable>(_ object: Object) {
        objects[ObjectIdentifier(Object.self)] = object
    }
}

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
    let reader: EnvironmentReader
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
    func isSet(in values: ServiceEnvironmentValues) -> Bool { read(values) != nil }
}

/// Reads an object that the tree above a service provides with ``Service/environmentObject(_:)``.
///
/// Within a service, write `@EnvironmentObject`. If the object is missing, ``Bootstrap`` throws. Otherwise the property behaves
/// like ``ServiceEnvironment``.
@propertyWrapper
public struct ServiceEnvironmentObject<Object: AnyObject & Sendable>: Sendable {
    let reader = EnvironmentReader(name: String(shortNaming: Object.self))

    /// Creates a property that reads the object of its type.
    public init() {}

    /// The nearest object of this type above the service.
    public var wrappedValue: Object { reader.value { $0.object(of: Object.self) } }
}

extension ServiceEnvironmentObject: EnvironmentReading {
    func isSet(in values: ServiceEnvironmentValues) -> Bool { values.object(of: Object.self) != nil }
}

extension Service {
    /// Sets an environment value for the services under the modifier.
    ///
    /// A modifier nearer to a service takes precedence.
    public func environment<Value: Sendable>(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Value> & Sendable,
        _ value: Value
    ) -> ModifiedService<Self> {
        modified { $0.values[keyPath: key] = value }
    }

    /// Passes each action that the services under the modifier send to `send` instead of the cluster.
    ///
    /// A test can pass a closure that records the actions; see also `RecordingSend` in HeadraceTesting.
    ///
    /// - Parameters:
    ///   - key: `\.send`.
    ///   - send: Receives the actions. If it throws, the handler that sent the action receives the error.
    /// - Returns: The service with the modifier.
    public func environment(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Send> & Sendable,
        _ send: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        environment(key, Send(send))
    }

    /// Provides an object for the services under the modifier that read an object of this type.
    public func environmentObject<Object: AnyObject & Sendable>(_ object: Object) -> ModifiedService<Self> {
        modified { $0.values.setObject(object) }
    }

    /// Changes an environment value for the services under the modifier.
    public func transformEnvironment<Value>(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Value> & Sendable,
        _ transform: @escaping @MainActor (inout Value) -> Void
    ) -> ModifiedService<Self> {
        modified { transform(&$0.values[keyPath: key]) }
    }
}

/// A property of a service that reads its environment.
protocol EnvironmentReading: Sendable {
    /// The identity of the property.
    var reader: EnvironmentReader { get }

    /// Whether the tree sets the value that the property requires.
    func isSet(in values: ServiceEnvironmentValues) -> Bool
}

/// The identity of a property that reads the environment.
///
/// Copies of a service share it. Two values of the service that were created separately don't.
final class EnvironmentReader: Sendable {
    let name: String

    init(name: String) {
        self.name = name
    }

    /// Reads a value at the position of the service whose body is being read or whose handler is running.
    func value<Value>(_ read: (ServiceEnvironmentValues) -> Value?) -> Value {
        let environment = CurrentEnvironment.current
        var values =
            environment?.bindings[self]
            ?? ServiceEnvironmentValues(send: Send(to: SendTarget(), from: SendFrame()))
        if let frame = environment?.frame { values.send = values.send.within(frame) }
        guard let value = read(values) else {
            preconditionFailure(
                """
                The environment has no '\(name)', because it was read outside the body and the handlers of its service. \
                To fix, read it in 'body' or in a handler written there.
                """
            )
        }
        return value
    }
}

extension EnvironmentReader: Hashable {
    static func == (left: EnvironmentReader, right: EnvironmentReader) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The values that the properties of a service and of the services around it read.
///
/// A handler may read the properties of several services: a service can pass a block that it wrote to another service.
typealias EnvironmentBindings = [EnvironmentReader: ServiceEnvironmentValues]

/// The environment of the current task.
struct CurrentEnvironment: Sendable {
    @TaskLocal static var current: CurrentEnvironment?

    let bindings: EnvironmentBindings

    /// The frame of the running handler, or `nil` during bootstrap.
    let frame: SendFrame?
}
