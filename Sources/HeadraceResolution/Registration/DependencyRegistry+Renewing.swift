// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// Shared objects that the container doesn't keep forever.
///
/// The container is shared by all tasks, and so are these objects: all users receive the same object, until it is
/// replaced. Several tasks that ask at the same time create it once.
extension DependencyRegistry {
    /// Registers the type that `initializer` returns, with each parameter resolved: one object, as long as another object keeps
    /// it.
    ///
    /// After the last reference to the object is gone, the next resolution creates another object. To register a contract,
    /// add `builder.transient((any Cache).self, assigned(DiskCache.self))`.
    public func weak<Object: AnyObject & Sendable, each Parameter>(
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Object
    ) {
        register(
            Registration(weak: Object.self, Dependencies(on: repeat (each Parameter).self)) { scope in
                initializer(repeat scope.resolve((each Parameter).self))
            }
        )
    }

    /// Registers a type that creates itself from its scope: one object, as long as another object keeps it.
    public func weak<Object: Resolvable & AnyObject & Sendable>(_ implementation: Object.Type) {
        register(
            Registration(weak: Object.self, implementation.ownDependencies) { Object(scope: $0) }
        )
    }

    /// Registers the type that `initializer` returns, with each parameter resolved: one object for `limit`, then another one.
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
    ///   - clock: The clock that measures the time.
    ///   - initializer: Creates an object.
    public func timeLimited<Contract: Sendable, each Parameter>(
        _ limit: Duration,
        clock: any TimeSource = CurrentClock(),
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        timeLimited(Contract.self, limit, clock: clock, initializer)
    }

    /// Registers `contract` with an `initializer` of an implementation: one object for `limit`, then another one.
    ///
    /// - Parameters:
    ///   - contract: The type that is resolved.
    ///   - limit: The time after which another object is created, greater than zero.
    ///   - clock: The clock that measures the time.
    ///   - initializer: Creates an object.
    public func timeLimited<Contract: Sendable, each Parameter>(
        _ contract: Contract.Type,
        _ limit: Duration,
        clock: any TimeSource = CurrentClock(),
        _ initializer: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        precondition(
            limit > .zero, "The time limit of '\(contract)' isn't positive. To fix, pass a duration greater than zero.")
        register(
            Registration(
                timeLimited: contract, Dependencies(on: repeat (each Parameter).self), limit, clock
            ) { scope in
                initializer(repeat scope.resolve((each Parameter).self))
            }
        )
    }
}
