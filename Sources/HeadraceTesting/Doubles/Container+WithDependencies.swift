// SPDX-License-Identifier: Apache-2.0

public import HeadraceResolution

extension Container {
    /// Runs `operation` with a copy of this container in which `register` replaces registrations.
    ///
    /// ```swift
    /// try await appContainer.withDependencies { builder in
    ///     builder.singleton((any Api).self) { FakeApi() }
    /// } operation: { container in
    ///     try await container.resolve(ExampleModel.self).refresh()
    /// }
    /// ```
    ///
    /// During `operation`, the new container is also ``HeadraceResolution/Container/current`` for the task and its child
    /// tasks. This container doesn't change. The new container has its own singletons, as with `overriding(_:)`, so parallel
    /// tests share only the objects that their factories capture.
    ///
    /// - Parameters:
    ///   - register: Registers the replacements. A set of registrations is replaced as a whole.
    ///   - operation: Runs on the actor of the caller.
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `register` and `operation`.
    public nonisolated(nonsending) func withDependencies<Result>(
        _ register: (ContainerBuilder) throws -> Void,
        operation: nonisolated(nonsending) (Container) async throws -> Result
    ) async rethrows -> Result {
        let container = try overriding(register)
        return try await container.withCurrent { try await operation(container) }
    }

    /// The synchronous variant of `withDependencies(_:operation:)`.
    public func withDependencies<Result>(
        _ register: (ContainerBuilder) throws -> Void,
        operation: (Container) throws -> Result
    ) rethrows -> Result {
        let container = try overriding(register)
        return try container.withCurrent { try operation(container) }
    }
}
