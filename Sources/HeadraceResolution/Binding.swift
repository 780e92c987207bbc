// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HeadraceCore
import Synchronization

/// A registration as its container knows it: the types, the dependencies, and the lifetime.
struct BindingDescription: Sendable {
    /// The type that the binding resolves.
    let contract: Any.Type

    /// How long an object is kept.
    var lifetime = Lifetime.transient

    /// The type that the factory makes, if it is known and not the contract.
    var implementation: Any.Type?

    /// Position of the binding in the set of its contract, counting from 1; `nil` if it isn't in a set.
    var member: Int?

    /// The dependencies of the factory.
    var dependencies = Dependencies.unknown

    /// The dependencies of the factories that use the scope of the object.
    var dependenciesOfFactories: [Dependency] = []

    /// Whether the factory runs on the main actor.
    var isOnMainActor = false

    /// The construction by `Container.bootstrap(clock:progress:)`; `nil` if the object is created when it is resolved.
    var bootstrap: BootstrapRecipe?

    /// The contract, with the details that distinguish this registration from others of the same contract.
    var name: String {
        TypeSpelling.name(of: contract, madeAs: implementation, member: member)
    }
}

/// A ``Binding`` of any type.
protocol AnyBinding: AnyObject, Sendable {
    /// The registration.
    var description: BindingDescription { get }

    /// Whether the object that the binding would return in `scope` exists already, and isn't replaced.
    func hasMade(in scope: ResolutionScope) -> Bool

    /// Keeps the object of `other`, a binding of the same registration in another container.
    ///
    /// - Returns: Whether this binding has a new object.
    func adopt(_ other: any AnyBinding) -> Bool

    /// Makes `instance` the singleton of this binding, unless it has a singleton.
    func keep(_ instance: Instance)
}

extension AnyBinding {
    /// The type that the binding resolves.
    var contract: Any.Type { description.contract }
}

/// A registration inside a container: the factory and, for an object that all scopes share, the object.
///
/// Its methods aren't specialized, because the caller resolves through a protocol. A `T?` there makes the runtime look up
/// a type, which takes longer than several resolutions. So shared objects are passed as ``Instance``, and only the last
/// step knows `T`. The lifetimes are cases and not subclasses, because the runtime makes the metadata of each generic class.
final class Binding<T>: AnyBinding {
    let description: BindingDescription
    private let factory: @Sendable (any DependencyResolutionScope) -> T

    /// The object of a singleton; not set for another lifetime.
    private let singleton = InstanceReference()

    /// The storage of a weak or time-limited object; `nil` for another lifetime.
    private let renewable: (any RenewableStorage)?

    init(
        _ description: BindingDescription,
        storage: (any RenewableStorage)? = nil,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> T
    ) {
        self.description = description
        self.factory = factory
        renewable = storage
    }

    /// Returns the object for a caller in `scope`.
    ///
    /// `given` is the scope that the factory of a transient object receives: `scope`, or a ``BorrowedScope`` of it if a
    /// shared object needs the transient object.
    func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        if description.isOnMainActor, !MainActorCheck.isCurrent {
            ResolutionFailure.notOnMainActor(T.self, neededBy: ResolutionPath.names).stop()
        }
        return singleton.value { otherInstance(for: scope, given: given) }
    }

    /// Returns an object that isn't an existing singleton.
    @inline(never)
    private func otherInstance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        switch description.lifetime.kind {
        case .transient: ResolutionPath.making(self) { factory(given) }
        case .scoped: sharedInstance(in: scope)
        case .singleton, .weak, .timeLimited: sharedInstance(in: scope.outermost)
        }
    }

    /// Returns the object that `home` shares, or creates it, once for all threads that ask.
    ///
    /// Its factory receives a scope that doesn't keep the container alive.
    private func sharedInstance(in home: ResolutionScope) -> T {
        if let instance = existing(in: home) { return instance.value(as: T.self) }
        let key = CreationState.Key(self, in: description.lifetime.kind == .scoped ? home : nil)
        let instance = CreationState.makeOnce(key, existing: { existing(in: home) }) {
            store(TypedInstance(ResolutionPath.making(self) { factory(BorrowedScope(home)) }), in: home)
        }
        return instance.value(as: T.self)
    }

    /// The object that `home` shares at this moment, if any.
    private func existing(in home: ResolutionScope) -> Instance? {
        switch description.lifetime.kind {
        case .transient: nil
        case .scoped: home.object(of: self)
        case .singleton: singleton.load()
        case .weak, .timeLimited: renewable?.load()
        }
    }

    /// Shares `instance` in `home`, and returns the instance that is shared now.
    private func store(_ instance: Instance, in home: ResolutionScope) -> Instance {
        switch description.lifetime.kind {
        case .transient: break
        case .scoped: home.keep(instance, of: self)
        case .singleton: return singleton.storeIfNil(instance)
        case .weak, .timeLimited: renewable?.store(instance)
        }
        return instance
    }

    func hasMade(in scope: ResolutionScope) -> Bool {
        renewable == nil && existing(in: scope) != nil
    }

    func adopt(_ other: any AnyBinding) -> Bool {
        guard let other = other as? Binding<T> else { return false }
        if let renewable, let storage = other.renewable { return renewable.adopt(storage) }
        guard singleton.load() == nil, let instance = other.singleton.load() else { return false }
        return singleton.storeIfNil(instance) === instance
    }

    func keep(_ instance: Instance) {
        _ = singleton.storeIfNil(instance)
    }
}

/// The storage of an object that all scopes share, and that is replaced.
protocol RenewableStorage: Sendable {
    /// Returns the object that can still be used, or `nil`.
    func load() -> Instance?

    /// Replaces the object.
    func store(_ instance: Instance)

    /// Takes the object of `other` if this storage has none, and returns whether it did.
    func adopt(_ other: any RenewableStorage) -> Bool
}

/// The object of a weak registration, as long as another object keeps it.
final class WeakStorage<Object: AnyObject & Sendable>: RenewableStorage {
    private struct Reference: Sendable {
        weak var object: Object?
    }

    private let current = Mutex(Reference())

    func load() -> Instance? {
        current.withLock { $0.object }.map { TypedInstance($0) }
    }

    func store(_ instance: Instance) {
        let object = instance.value(as: Object.self)
        current.withLock { $0.object = object }
    }

    func adopt(_ other: any RenewableStorage) -> Bool {
        guard load() == nil, let instance = (other as? Self)?.load() else { return false }
        store(instance)
        return true
    }
}

/// The object of a time-limited registration, and the end of its time.
final class TimeLimitedStorage: RenewableStorage {
    private struct Generation: Sendable {
        let instance: Instance
        let end: ContinuousClock.Instant
    }

    private let limit: Duration
    private let clock: any TimeSource
    private let current = Mutex<Generation?>(nil)

    init(_ limit: Duration, _ clock: any TimeSource) {
        self.limit = limit
        self.clock = clock
    }

    func load() -> Instance? {
        let now = clock.now
        return current.withLock { generation in
            guard let generation, now < generation.end else { return nil }
            return generation.instance
        }
    }

    func store(_ instance: Instance) {
        replace(with: Generation(instance: instance, end: clock.now.advanced(by: limit)))
    }

    func adopt(_ other: any RenewableStorage) -> Bool {
        guard
            current.withLock(\.self) == nil,
            let generation = (other as? TimeLimitedStorage)?.current.withLock(\.self)
        else { return false }
        replace(with: generation)
        return true
    }

    /// Releases the previous object outside the lock, because its `deinit` may resolve objects.
    private func replace(with generation: Generation) {
        let previous = current.withLock { current in
            defer { current = generation }
            return current
        }
        withExtendedLifetime(previous) {}
    }
}

/// Tells whether the current code is run by the main actor.
///
/// `MainActor.assumeIsolated` finds that out as well, but stops the program without our message (Swift 6.3). The queue of
/// the main actor's executor has a mark, which its work items can read. In a simulation, another executor runs the main actor.
package enum MainActorCheck {
    private static let simulation = Mutex<(@Sendable () -> Bool?)?>(nil)

    /// Asks `isCurrent` from now on, which tells whether a simulation runs the current code on the main actor.
    ///
    /// `isCurrent` returns `nil` outside of simulations.
    package static func askSimulation(_ isCurrent: @escaping @Sendable () -> Bool?) {
        simulation.withLock { $0 = isCurrent }
    }

    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    package static var isCurrent: Bool {
        simulation.withLock(\.self)?() ?? DispatchQueue.getSpecific(key: key) ?? false
    }
}
