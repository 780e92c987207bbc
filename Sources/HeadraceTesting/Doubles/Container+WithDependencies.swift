// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
public import HeadraceResolution
import IssueReporting

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

extension Container {
    /// Returns a container in which `type` is created again, and so is each singleton that may hold the old object.
    ///
    /// ```swift
    /// let fresh = container.resetting(Cache.self)
    /// #expect(fresh.resolve(Cache.self) !== container.resolve(Cache.self))
    /// ```
    ///
    /// `type` is a registered type, or the implementation of one. The new container shares the other singletons, weak objects,
    /// and time-limited objects that exist and are proved not to hold a `type`: they and their dependencies state all of their
    /// dependencies. An object of a closure that takes its scope is created again, and so are scoped objects. This container
    /// doesn't change, so parallel tests aren't affected.
    ///
    /// An object of a `bootstrapped` registration that is created again needs another call of `bootstrap`.
    public func resetting<T>(_ type: T.Type) -> Container {
        resetting(type as Any.Type)
    }
}

extension DependencyRegistry {
    /// Registers `contract` as a dependency that a test doesn't expect to be used: a test that resolves it fails.
    ///
    /// ```swift
    /// builder.unimplemented((any Mailer).self, placeholder: SilentMailer())
    /// ```
    ///
    /// The issue names the contract, at the line of this registration. The test continues with the placeholder, so the other
    /// checks of the test are reported as well. An object that receives the contract in its initializer resolves it when it is
    /// created, even if it never calls it.
    ///
    /// Graphs show the registration as unimplemented. `validate()` accepts it.
    public func unimplemented<Contract>(
        _ contract: Contract.Type,
        placeholder: @autoclosure @escaping @Sendable () -> Contract,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        var registration = Registration(transient: contract, dependencies: Dependencies()) { _ in
            reportIssue(
                """
                '\(String(naming: contract))' was resolved, and this test has no implementation of it. To fix, register \
                a double of it, or find the object that needs it by mistake.
                """,
                fileID: fileID,
                filePath: filePath,
                line: line,
                column: column
            )
            return placeholder()
        }
        registration.remarks = ["unimplemented"]
        register(registration)
    }
}
