// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The number of the latest container.
private let lastContainerNumber = Atomic<UInt>(0)

/// The immutable part of a container, which all of its scopes share.
final class Blueprint: Sendable {
    /// The last binding of each type.
    let bindings: [ObjectIdentifier: any AnyBinding]

    /// The bindings of each type that has a set.
    let sets: [ObjectIdentifier: [any AnyBinding]]

    /// The results of checks without creating objects.
    let proof = ResolutionProof()

    /// The number of the container, counting from 1.
    ///
    /// No other container of the process has it. An address would be used again.
    let number = lastContainerNumber.wrappingAdd(1, ordering: .relaxed).newValue

    /// The registrations of the container.
    let registrations: [Registration]

    /// The outermost scope of the container whose objects this container shares, if any.
    private let lender: ResolutionScope?

    /// All bindings, in the order of registration.
    ///
    /// Properties are released in the order of declaration. This is the last one, so the shared objects are released in the order of
    /// registration, and not in that of a hash table.
    let all: [any AnyBinding]

    /// Creates a blueprint of `registrations`, with separate storage for shared objects.
    init(_ registrations: [Registration], keeping lender: ResolutionScope? = nil) {
        self.registrations = registrations
        self.lender = lender
        all = registrations.makeBindings()
        bindings = Dictionary(all.map { (ObjectIdentifier($0.contract), $0) }) { _, last in last }
        sets = Dictionary(grouping: all.filter { $0.description.member != nil }) { ObjectIdentifier($0.contract) }
    }

    /// The bindings that `dependency` resolves to, or `nil` if it is missing and not optional.
    func targets(of dependency: Dependency) -> [any AnyBinding]? {
        dependency.targets(single: { bindings[ObjectIdentifier($0)] }, members: { sets[ObjectIdentifier($0)] })
    }
}

/// The scope behind ``Container`` and behind every scope that it opens.
///
/// It refers to the blueprint of the container and starts without objects, so opening a scope costs the same for any
/// number of registrations.
final class ResolutionScope: DependencyResolutionScope, ProvingResolver {
    /// The blueprint of the container.
    let blueprint: Blueprint

    /// The outermost scope of the container; `nil` if it is this scope.
    private let outer: ResolutionScope?

    /// The scoped objects, which are few: those of one request or one window.
    private let objects = Mutex<[(binding: ObjectIdentifier, instance: Instance)]>([])

    /// The outermost scope of the container, in which singletons are created; it may be this scope.
    var outermost: ResolutionScope { outer ?? self }

    var base: ResolutionScope? { self }

    var containerNumber: UInt { blueprint.number }

    /// Creates a scope within `outer`, or the outermost scope of a container.
    init(_ blueprint: Blueprint, in outer: ResolutionScope? = nil) {
        self.blueprint = blueprint
        self.outer = outer
    }

    func scope() -> any DependencyResolutionScope {
        ResolutionScope(blueprint, in: outermost)
    }

    /// The scoped object of `binding`, or `nil` if it hasn't been created.
    ///
    /// - Complexity: O(*n*) in the number of objects that the scope has created.
    func object(of binding: any AnyBinding) -> Instance? {
        let binding = ObjectIdentifier(binding)
        return objects.withLock { objects in objects.first { $0.binding == binding }?.instance }
    }

    /// Keeps `instance`, the only object of `binding` in this scope.
    func keep(_ instance: Instance, of binding: any AnyBinding) {
        let binding = ObjectIdentifier(binding)
        objects.withLock { $0.append((binding, instance)) }
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        tryResolve(type, given: self)
    }

    func resolve<T>(_ type: T.Type) -> T {
        resolve(type, given: self)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        resolveAll(type, given: self)
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        try require(type, given: self)
    }
}

/// The look-ups, with the scope that factories of transient objects receive.
extension ResolutionScope {
    /// Returns an object of `type`, or `nil` if nothing is registered for it.
    func tryResolve<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T? {
        if let binding = blueprint.bindings[ObjectIdentifier(type)] {
            return binding.instance(of: type, for: self, given: given)
        }
        if let optional = type as? any OptionalDependency.Type {
            return optional.resolveWrapped(by: given) as? T
        }
        if let array = type as? any SetDependency.Type, blueprint.sets[ObjectIdentifier(array.element)] != nil {
            return array.resolveMembers(by: given) as? T
        }
        return nil
    }

    /// Returns an object of `type`, or stops the program.
    func resolve<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        if let binding = blueprint.bindings[ObjectIdentifier(type)] {
            return binding.instance(of: type, for: self, given: given)
        }
        return resolveDerived(type, given: given)
    }

    /// Returns an object of an optional or array type, or stops the program.
    ///
    /// It is separate, because the runtime looks up the type `T?` in each call of a function that has one: see Binding.
    @inline(never)
    private func resolveDerived<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        guard let instance = tryResolve(type, given: given) else {
            ResolutionFailure.missing(type, neededBy: ResolutionPath.names).stop()
        }
        return instance
    }

    /// Returns the members of the set of `type`, or else its one object.
    func resolveAll<T>(_ type: T.Type, given: any DependencyResolutionScope) -> [T] {
        if let members = blueprint.sets[ObjectIdentifier(type)] {
            return members.map { $0.instance(of: type, for: self, given: given) }
        }
        return tryResolve(type, given: given).map { [$0] } ?? []
    }

    /// Returns an object of `type`, or throws the reason why it can't be resolved.
    func require<T>(_ type: T.Type, given: any DependencyResolutionScope) throws(ResolutionError) -> T {
        _ = try check([Dependency(type)], of: ProofSubject(type: ObjectIdentifier(type), given: nil), named: nil)
        return resolve(type, given: given)
    }
}

/// The scope that the factory of a shared object receives.
///
/// It doesn't keep the container alive.
///
/// A singleton may keep the scope that created it, or a dispatcher that was created in that scope. If that were the scope
/// itself, the container would keep the singleton and the singleton the container: a reference cycle.
final class BorrowedScope: DependencyResolutionScope, ProvingResolver {
    weak let base: ResolutionScope?

    let containerNumber: UInt

    init(_ scope: ResolutionScope) {
        base = scope
        containerNumber = scope.containerNumber
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        base?.tryResolve(type, given: self)
    }

    func resolve<T>(_ type: T.Type) -> T {
        baseOrStop.resolve(type, given: self)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        baseOrStop.resolveAll(type, given: self)
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        guard let base else { throw ResolutionFailure.released.error }
        return try base.require(type, given: self)
    }

    func scope() -> any DependencyResolutionScope {
        baseOrStop.scope()
    }

    private var baseOrStop: ResolutionScope {
        guard let base else { ResolutionFailure.released.stop() }
        return base
    }
}
