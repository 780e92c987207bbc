// SPDX-License-Identifier: Apache-2.0

extension DependencyRegistry {
    /// Registers a singleton that `make` creates asynchronously at the start of the program, with each parameter resolved.
    ///
    /// ```swift
    /// builder.bootstrapped(PostgresDatabase.self, timeout: .seconds(10)) { (settings: Settings) in
    ///     try await PostgresDatabase.open(settings.url)
    /// } shutdown: {
    ///     await $0.close()
    /// }
    /// ```
    ///
    /// `Container.bootstrap(clock:progress:)` creates all of these objects, each after its dependencies. After that, they are
    /// resolved as other singletons. Before that, ``DependencyResolver/require(_:)`` throws
    /// `ResolutionError.Code.notBootstrapped`, and all other resolutions stop the program with the same message, even those of
    /// an optional type or of a set: the type is registered. Each container needs its own call of `bootstrap`.
    ///
    /// - Parameters:
    ///   - contract: The type that is resolved.
    ///   - timeout: The time after which `make` is cancelled, greater than zero; unlimited by default.
    ///   - make: Creates the object, off the actor of the caller. Its parameters are the dependencies.
    ///   - shutdown: Ends the object, if a later object can't be created, or in `Container.shutdown()`.
    public func bootstrapped<Contract: Sendable, each Parameter: Sendable>(
        _ contract: Contract.Type = Contract.self,
        timeout: Duration? = nil,
        _ make: @escaping @concurrent @Sendable (repeat each Parameter) async throws -> Contract,
        shutdown: @escaping @Sendable (Contract) async -> Void = { _ in }
    ) {
        precondition(
            timeout.map { $0 > .zero } ?? true,
            "The time-out of '\(contract)' isn't positive. To fix, pass a duration greater than zero.")
        register(
            Registration(
                bootstrapped: contract, Dependencies(on: repeat (each Parameter).self), timeout: timeout,
                shutdown: shutdown
            ) { scope in
                let parameters = (repeat scope.resolve((each Parameter).self))
                return { try await make(repeat each parameters) }
            }
        )
    }
}
