// SPDX-License-Identifier: Apache-2.0

/// The construction of an object at the start of the program, and its end.
struct BootstrapRecipe<Contract>: Sendable {
    /// The time after which the construction is cancelled; `nil` if it is unlimited.
    let timeout: Duration?

    /// Ends an object.
    let shutdown: @Sendable (Contract) async -> Void

    /// Resolves the dependencies, and returns the construction.
    let prepare: @Sendable (any DependencyResolutionScope) -> @Sendable () async throws -> Contract

    init(
        timeout: Duration?,
        shutdown: @escaping @Sendable (Contract) async -> Void,
        prepare: @escaping @Sendable (any DependencyResolutionScope) -> @Sendable () async throws -> Contract
    ) {
        self.timeout = timeout
        self.shutdown = shutdown
        self.prepare = prepare
    }
}

/// A binding whose object is created at the start of the program.
protocol BootstrappedBinding: Binding {
    /// The time after which the construction is cancelled; `nil` if it is unlimited.
    var timeout: Duration? { get }

    /// Resolves the dependencies from `scope`, and returns the construction.
    func prepare(in scope: ResolutionScope) -> @Sendable () async throws -> BootstrappedObject
}

/// An object that was created at the start of the program.
struct BootstrappedObject: Sendable {
    /// Makes the object the singleton of its binding.
    let keep: @Sendable () -> Void

    /// Ends the object.
    let shutdown: @Sendable () async -> Void
}
