// SPDX-License-Identifier: Apache-2.0

/// A registered type: how its objects are created, from which dependencies, and how long they are kept.
///
/// The registration forms of ``DependencyRegistry`` create registrations; your own registry stores them.
public struct Registration: Sendable {
    typealias MakeObject<Contract> = @Sendable (any DependencyResolutionScope) -> Contract

    /// The type that is resolved.
    public let contract: Any.Type

    /// How long an object is kept and returned again.
    public let lifetime: Lifetime

    /// The types that the factory resolves from its scope.
    public private(set) var dependencies: Dependencies

    /// Whether this registration joins a set, and doesn't replace an earlier registration of the same type.
    public private(set) var joinsSet = false

    /// The type that is created, if it is known and not ``contract``.
    package var implementation: Any.Type?

    /// Types that the object creates in its scope later, while it is used, without a registration.
    package var parts: [RegistrationPart] = []

    /// Facts that the registering module checks with the graph.
    package var notes: [any RegistrationNote] = []

    /// The time after which another object is created; `nil` if there is none.
    var timeLimit: Duration?

    /// Details for drawings, such as a time limit.
    package var remarks: [String] = []

    /// Whether this registration decorates the other registrations of its contract, and makes no objects.
    private(set) var isDecorator = false

    /// Whether the factory runs on the main actor.
    private var isOnMainActor = false

    /// The decorations that apply to the objects, the innermost first; of a decorator, its own.
    private var decorations: [any Sendable] = []

    /// Makes the binding of a container, with separate storage for shared objects and with decorations.
    private var makeBinding: @Sendable (BindingDescription, [any Sendable]) -> any AnyBinding

    /// Replaces dependencies and binding in a container in which the assigned implementation is registered.
    private var delegation: Delegation?

    private struct Delegation: Sendable {
        let implementation: Any.Type
        let dependencies: Dependencies
        let makeBinding: @Sendable (BindingDescription, [any Sendable]) -> any AnyBinding
    }

    /// Records that `factory` makes a `Contract` from `dependencies` each time it is resolved.
    public init<Contract>(
        transient contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.transient, contract, dependencies, factory: factory)
    }

    /// Records that `factory` makes a `Contract` from `dependencies` once for each scope.
    public init<Contract: Sendable>(
        scoped contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.scoped, contract, dependencies, factory: factory)
    }

    /// Records that `factory` makes a `Contract` from `dependencies` once, in the outermost scope.
    public init<Contract: Sendable>(
        singleton contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) {
        self.init(.singleton, contract, dependencies, factory: factory)
    }

    /// Records that `factory` makes a `Contract` on the main actor, and that only the main actor uses it.
    ///
    /// The `Contract` doesn't have to be `Sendable`: see `transient(_:on:_:)`.
    ///
    /// - Precondition: `lifetime` is transient, scoped, or singleton.
    public init<Contract>(
        _ lifetime: Lifetime,
        _ contract: Contract.Type,
        dependencies: Dependencies = .unknown,
        on actor: MainActor.Type,
        factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        precondition(
            lifetime != .weak && lifetime != .timeLimited,
            "An object of the main actor can't be \(lifetime). To fix, pass another lifetime for '\(contract)'.")
        self.init(lifetime, contract, dependencies) { scope in
            // The box is `Sendable`, which `assumeIsolated` demands of its result. It isn't used on another thread.
            MainActor.assumeIsolated { TypedInstance(factory(scope)) }.value
        }
        isOnMainActor = true
    }

    /// Records that `factory` makes a `Contract` with any lifetime.
    ///
    /// The caller ensures that a shared `Contract` is `Sendable`. `storage` makes the storage of an object that is replaced.
    init<Contract>(
        _ lifetime: Lifetime,
        _ contract: Contract.Type,
        _ dependencies: Dependencies = .unknown,
        storage: @escaping @Sendable () -> (any RenewableStorage)? = { nil },
        factory: @escaping MakeObject<Contract>
    ) {
        self.lifetime = lifetime
        self.contract = contract
        self.dependencies = dependencies
        makeBinding = { Binding($0, storage: storage(), $1.decorating(factory)) }
    }

    /// Records that `make` makes a `Contract` from its parameters, which are the dependencies.
    init<Contract, each Parameter>(
        _ lifetime: Lifetime,
        _ contract: Contract.Type,
        storage: @escaping @Sendable () -> (any RenewableStorage)? = { nil },
        calling make: @escaping @Sendable (repeat each Parameter) -> Contract
    ) {
        self.init(lifetime, contract, Dependencies(on: repeat (each Parameter).self), storage: storage) { scope in
            make(repeat scope.argument((each Parameter).self))
        }
    }

    /// Records that `assigned` makes a `Contract`, or resolves its implementation if the container has a registration of it.
    init<Contract>(_ lifetime: Lifetime, _ contract: Contract.Type, assigned: Assigned<Contract>) {
        var assignment = Assignment()
        let factory = assigned(&assignment)
        self.init(lifetime, contract, assignment.dependencies, factory: factory)
        guard let implementation = assignment.implementation, implementation != contract else { return }

        self.implementation = implementation
        var resolving = Assignment(isRegistered: true)
        let resolve = assigned(&resolving)
        delegation = Delegation(
            implementation: implementation,
            dependencies: resolving.dependencies,
            makeBinding: { Binding($0, $1.decorating(resolve)) }
        )
    }

    /// Records that the result of `prepare` makes the singleton at the start of the program.
    init<Contract: Sendable>(
        bootstrapped contract: Contract.Type,
        _ dependencies: Dependencies,
        timeout: Duration?,
        shutdown: @escaping @Sendable (Contract) async -> Void,
        prepare: @escaping @Sendable (any DependencyResolutionScope) -> @Sendable () async throws -> Contract
    ) {
        self.init(.singleton, contract, dependencies) { _ in
            ResolutionFailure.notBootstrapped(contract, neededBy: Array(ResolutionPath.names.dropLast())).stop()
        }
        remarks = ["made at the start"]
        makeBinding = { [makeBinding] description, decorations in
            var description = description
            description.bootstrap = BootstrapRecipe(timeout: timeout) { scope in
                let make = prepare(scope)
                return {
                    let object = try await make()
                    return BootstrappedObject(
                        instance: { TypedInstance(decorations.decorating { _ in object }(scope)) },
                        shutdown: { await shutdown(object) }
                    )
                }
            }
            return makeBinding(description, [])
        }
    }

    /// Records that `decorator` replaces the objects of the other registrations of `contract`.
    init<Contract>(
        decorating contract: Contract.Type,
        _ dependencies: Dependencies,
        _ decorator: @escaping @Sendable (Contract, any DependencyResolutionScope) -> Contract
    ) {
        self.init(.transient, contract, dependencies) { $0.resolve(contract) }
        isDecorator = true
        decorations = [Decoration(apply: decorator)]
    }

    /// Returns the same registration as a member of the set that ``DependencyResolver/resolveAll(_:)`` returns.
    ///
    /// A decorator stays as it is, because it decorates the members, too.
    public func joiningSet() -> Registration {
        var copy = self
        copy.joinsSet = !isDecorator
        return copy
    }

    /// The registration as it is in a container in which `types` are registered.
    fileprivate func settled(among types: Set<ObjectIdentifier>) -> Registration {
        guard let delegation, types.contains(ObjectIdentifier(delegation.implementation)) else { return self }
        var copy = self
        copy.dependencies = delegation.dependencies
        copy.makeBinding = delegation.makeBinding
        copy.implementation = nil
        return copy
    }

    /// The registration with `decorators` around its objects.
    fileprivate func decorated(by decorators: [Registration]) -> Registration {
        var copy = self
        for decorator in decorators {
            copy.decorations += decorator.decorations
            copy.dependencies = copy.dependencies.adding(decorator.dependencies)
        }
        copy.remarks.append(decorators.count == 1 ? "decorated" : "decorated \(decorators.count) times")
        return copy
    }

    fileprivate func binding(member: Int?) -> any AnyBinding {
        makeBinding(
            BindingDescription(
                contract: contract,
                lifetime: lifetime,
                implementation: implementation,
                member: member,
                dependencies: dependencies,
                dependenciesOfFactories: parts.filter(\.isInSameScope).flatMap(\.dependencies.stated),
                isOnMainActor: isOnMainActor
            ),
            decorations
        )
    }
}

extension [Registration] {
    /// The registrations as one container uses them: an assigned type with a registration is resolved, not created.
    ///
    /// Decorators are applied, and aren't in the result.
    var settled: [Registration] {
        guard contains(where: \.isDecorator) else {
            let types = Set(map { ObjectIdentifier($0.contract) })
            return map { $0.settled(among: types) }
        }
        let decorators = Dictionary(grouping: filter(\.isDecorator)) { ObjectIdentifier($0.contract) }
        return withoutDecorators.settled.map { registration in
            decorators[ObjectIdentifier(registration.contract)].map { registration.decorated(by: $0) } ?? registration
        }
    }

    /// The registrations that make objects.
    var withoutDecorators: [Registration] {
        filter { !$0.isDecorator }
    }

    /// Makes the bindings of one container, with separate storage for shared objects.
    func makeBindings() -> [any AnyBinding] {
        var members: [ObjectIdentifier: Int] = [:]
        return settled.map { registration in
            guard registration.joinsSet else { return registration.binding(member: nil) }
            let member = members[ObjectIdentifier(registration.contract), default: 0] + 1
            members[ObjectIdentifier(registration.contract)] = member
            return registration.binding(member: member)
        }
    }
}

/// A function that replaces each object of a registration with another object of the same contract.
private struct Decoration<Contract>: Sendable {
    let apply: @Sendable (Contract, any DependencyResolutionScope) -> Contract
}

extension [any Sendable] {
    /// Returns `factory` with the decorations of `Contract` in this array, the first one innermost.
    fileprivate func decorating<Contract>(
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) -> @Sendable (any DependencyResolutionScope) -> Contract {
        if isEmpty { return factory }
        let decorations = compactMap { $0 as? Decoration<Contract> }
        return { scope in
            decorations.reduce(factory(scope)) { $1.apply($0, scope) }
        }
    }
}

extension DependencyResolutionScope {
    /// Returns an argument for a function whose parameters are the dependencies: the scope itself, or an object.
    func argument<Parameter>(_ type: Parameter.Type) -> Parameter {
        if type == (any DependencyResolutionScope).self, let scope = self as? Parameter { return scope }
        return resolve(type)
    }
}

/// How long a resolver keeps an object and returns it again.
public struct Lifetime: Hashable, Sendable, CustomStringConvertible {
    /// A lifetime, named as the registration forms spell it.
    enum Kind: String { case transient, scoped, singleton, weak, timeLimited }

    /// The lifetime as a case.
    let kind: Kind

    private init(kind: Kind) {
        self.kind = kind
    }

    /// A new object each time.
    public static let transient = Lifetime(kind: .transient)

    /// One object in each scope.
    ///
    /// The container is the outermost scope.
    public static let scoped = Lifetime(kind: .scoped)

    /// One object in the container, created in the outermost scope even if another scope asks first.
    public static let singleton = Lifetime(kind: .singleton)

    /// One object in the container, as long as another object keeps it; then another object.
    public static let weak = Lifetime(kind: .weak)

    /// One object in the container for a limited time, then another object.
    public static let timeLimited = Lifetime(kind: .timeLimited)

    /// Whether all scopes of a container share an object.
    package var isContainerWide: Bool { self == .singleton || self == .weak || self == .timeLimited }

    /// The name of the lifetime, as the registration forms spell it.
    public var description: String { kind.rawValue }
}
