// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

extension Container {
    /// The container or scope that ``Inject`` resolves from: the current one of the task, or else the installed one.
    ///
    /// - Precondition: A container is current or installed. Otherwise the program stops; the message has the line to add.
    public static var current: any DependencyResolutionScope {
        if let scope = CurrentScope.ofTask { return scope }
        guard let installed = CurrentScope.installed.withLock(\.self) else {
            ResolutionFailure.noContainer.stop()
        }
        return installed
    }

    /// Makes this the current container of the process, for every task without its own.
    ///
    /// An application calls it once, at its start. Tests use `withCurrent(_:)` instead, so that they can run in parallel.
    public func install() {
        CurrentScope.installed.withLock { $0 = self }
    }
}

extension DependencyResolutionScope {
    /// Runs `body` with this container or scope as ``Container/current``, for its task and child tasks.
    ///
    /// The body runs on the caller's actor. A detached task doesn't inherit the current container.
    public nonisolated(nonsending) func withCurrent<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        CurrentScope.isCarried
        return try await CurrentScope.$ofTask.binding(self, body)
    }

    /// The synchronous version of `withCurrent(_:)`.
    public func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        CurrentScope.isCarried
        return try CurrentScope.$ofTask.withValue(self) { try body() }
    }
}

/// The storage of the current container.
private enum CurrentScope {
    @TaskLocal static var ofTask: (any DependencyResolutionScope)?

    /// Makes queued actions inherit the container of their task, from the first time that a task has one.
    static let isCarried: Void = CarriedValues.register(.ifPresent($ofTask))

    static let installed = Mutex<Container?>(nil)
}

/// Reads a property of the current container.
///
/// Name the property once, for containers and scopes, and use it anywhere:
///
/// ```swift
/// extension DependencyResolver {
///     var counterStore: CounterStore { resolve() }
/// }
///
/// struct CounterModel {
///     @Inject(\.counterStore) var store: CounterStore
/// }
/// ```
///
/// Each access resolves the property from ``Container/current``: the container of `withCurrent(_:)` for the task, or else
/// the container of ``Container/install()`` for the process. A singleton is the same object each time, a transient object
/// is a new one.
///
/// If a file imports `HeadraceMacros` as well, the macro of the same name replaces this wrapper. The macro works everywhere.
/// A wrapper stores its key path, so it doesn't work in a protocol extension, nor in a final class that is `Sendable` (the
/// compiler assumes that the storage of a wrapper is mutable). There, use the macro, or a line that resolves the same:
///
/// ```swift
/// extension CounterStoreAction {
///     var store: CounterStore { Container.current.counterStore }
/// }
/// ```
@propertyWrapper
public struct Inject<Value>: Sendable {
    private let keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable

    /// Injects the property that `keyPath` names.
    public init(_ keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable) {
        self.keyPath = keyPath
    }

    /// The property of the current container, resolved now.
    ///
    /// - Precondition: A container is current, see ``Container/current``.
    public var wrappedValue: Value {
        Container.current[keyPath: keyPath]
    }
}
