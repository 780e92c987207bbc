//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceResolution

extension Container {
    /// Runs `operation` with a container in which what `register` registers wins, and all else is as here.
    ///
    /// ```swift
    /// try await appContainer.withDependencies { builder in
    ///     builder.singleton((any Api).self) { FakeApi() }
    /// } operation: { container in
    ///     try await container.resolve(ExampleModel.self).refresh()
    /// }
    /// ```
    ///
    /// That container is also ``HeadraceResolution/Container/current``, for the task and the tasks within, as long as
    /// `operation` runs; nothing outside of it changes. Tests that run side by side share nothing but what their
    /// factories capture: as with `overriding(_:)`, each has singletons of its own.
    ///
    /// - Parameters:
    ///   - register: Registers what is another in this test; a set is replaced as a whole.
    ///   - operation: Runs on the actor of the caller.
    /// - Returns: What `operation` returns.
    /// - Throws: What `register` and `operation` throw.
    public nonisolated(nonsending) func withDependencies<Result>(
        _ register: (ContainerBuilder) throws -> Void,
        operation: nonisolated(nonsending) (Container) async throws -> Result
    ) async rethrows -> Result {
        let container = try overriding(register)
        return try await container.withCurrent { try await operation(container) }
    }

    /// The twin of `withDependencies(_:operation:)` for what is synchronous.
    public func withDependencies<Result>(
        _ register: (ContainerBuilder) throws -> Void,
        operation: (Container) throws -> Result
    ) rethrows -> Result {
        let container = try overriding(register)
        return try container.withCurrent { try operation(container) }
    }
}
