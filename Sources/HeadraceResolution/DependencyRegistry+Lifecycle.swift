// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// Objects that are replaced, created at the start, or wrapped.
///
/// Weak and time-limited objects are shared by all users of the container, as singletons are, until they are replaced.
extension DependencyRegistry {
    /// Registers the type that `make` returns, with each parameter resolved: one object, as long as another object keeps it.
    ///
    /// After the last reference to the object is gone, the next resolution creates another object. To register a contract,
    /// add `builder.transient((any Cache).self, assigned(DiskCache.self))`.
    public func weak<Object: AnyObject & Sendable, each Parameter>(
        _ make: @escaping @Sendable (repeat each Parameter) -> Object
    ) {
        register(Registration(.weak, Object.self, storage: { WeakStorage<Object>() }, calling: make))
    }

    /// Registers `contract`, by default the type that `make` returns, with each parameter resolved: one object for `limit`, then
    /// another one.
    ///
    /// ```swift
    /// builder.timeLimited(.seconds(300), Certificate.init(file:))
    /// ```
    ///
    /// The time begins when the object has been created. Users keep an object that has expired as long as they want. The
    /// container releases it when the next one is created. A singleton that depends on the object would keep it forever, and
    /// an object with a longer limit too long: `validate()` reports that. Let such an object depend on a ``Factory`` instead,
    /// see ``factory(of:)``.
    ///
    /// - Parameters:
    ///   - limit: The time after which another object is created, greater than zero.
    ///   - contract: The type that is resolved.
    ///   - clock: The clock that measures the time.
    ///   - make: Creates an object.
    public func timeLimited<Contract: Sendable, each Parameter>(
        _ limit: Duration,
        as contract: Contract.Type = Contract.self,
        clock: any TimeSource = CurrentClock(),
        _ make: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        precondition(
            limit > .zero, "The time limit of '\(contract)' isn't positive. To fix, pass a duration greater than zero.")
        var registration = Registration(
            .timeLimited, contract, storage: { TimeLimitedStorage(limit, clock) }, calling: make)
        registration.timeLimit = limit
        registration.remarks = ["for \(limit)"]
        register(registration)
    }

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
                let parameters = (repeat scope.argument((each Parameter).self))
                return { try await make(repeat each parameters) }
            }
        )
    }

    /// Replaces each object of `contract` with the result of `decorator`.
    ///
    /// ```swift
    /// builder.singleton((any Mailer).self) { SmtpMailer() }
    /// builder.decorate((any Mailer).self, with: LoggingMailer.init)
    /// ```
    ///
    /// The first parameter of `decorator` is the object, and the other parameters are resolved. It applies to the registration of
    /// `contract` that is used, and to each member of a set, in any order of registration. The decorated registration sets
    /// the lifetime: a shared object is decorated once. Of several decorators, the first one is innermost. A decorator without a
    /// registration of its contract is a `missing` problem of `validate()`. In a main-actor registration, decorators run on the
    /// main actor.
    public func decorate<Contract, each Parameter>(
        _ contract: Contract.Type,
        with decorator: @escaping @Sendable (Contract, repeat each Parameter) -> Contract
    ) {
        let dependencies = Dependencies(on: repeat (each Parameter).self)
        register(
            Registration(decorating: contract, dependencies) { object, scope in
                decorator(object, repeat scope.argument((each Parameter).self))
            }
        )
    }
}
