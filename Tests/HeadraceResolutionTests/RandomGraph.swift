// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import HeadraceTesting
import Synchronization

/// A type for each number, whose binary digits are the generic arguments.
protocol Tag: SendableMetatype {}
enum End: Tag {}
enum Zero<Rest: Tag>: Tag {}
enum One<Rest: Tag>: Tag {}

/// The type of a registration in a random graph.
final class NumberedNode<Number: Tag>: Sendable {}

/// A random graph of numbered types, which records the events of resolution.
final class RandomGraph: Sendable {
    struct Need {
        let number: Int
        let isOptional: Bool
    }

    struct PlannedNode {
        let isRegistered: Bool
        let lifetime: Lifetime
        let needs: [Need]
    }

    /// The events while objects were created.
    struct ResolutionEvents {
        /// The objects that are being created, outermost first.
        var path: [Int] = []
        var misses: Set<[Int]> = []
        var captives: Set<[Int]> = []
    }

    let plans: [PlannedNode]
    let seen = Mutex(ResolutionEvents())

    /// Creates a graph of `count` types.
    ///
    /// Without `cycles`, each needs only types of lower numbers.
    init(seed: UInt64, count: Int = 200, cycles: Bool) {
        var generator = SeededGenerator(seed: seed)
        plans = (0..<count).map { number in
            let reachable = cycles ? count : number
            let needs = reachable == 0 ? 0 : Int.random(in: 0...(cycles ? 2 : 3), using: &generator)
            return PlannedNode(
                isRegistered: Int.random(in: 0..<10, using: &generator) > 0,
                lifetime: [.transient, .scoped, .singleton].randomElement(using: &generator) ?? .transient,
                needs: (0..<needs).map { _ in
                    Need(
                        number: Int.random(in: 0..<reachable, using: &generator),
                        isOptional: Bool.random(using: &generator)
                    )
                }
            )
        }
    }

    /// Creates a graph of `count` types without missing, cyclic, or captive dependencies.
    ///
    /// Each type needs only types of lower numbers, and only types that live at least as long.
    init(soundSeed seed: UInt64, count: Int = 200) {
        var generator = SeededGenerator(seed: seed)
        let lifetimes = (0..<count).map { _ in
            [Lifetime.transient, .scoped, .singleton].randomElement(using: &generator) ?? .transient
        }
        var plans: [PlannedNode] = []
        // A singleton must not need a type that holds a scoped object, directly or through transient objects.
        var isScoped: [Bool] = []
        for number in 0..<count {
            let reachable = plans.indices.filter { lifetimes[number] != .singleton || !isScoped[$0] }
            let needs = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
                reachable.randomElement(using: &generator).map {
                    Need(number: $0, isOptional: Bool.random(using: &generator))
                }
            }
            plans.append(PlannedNode(isRegistered: true, lifetime: lifetimes[number], needs: needs))
            isScoped.append(lifetimes[number] == .scoped || needs.contains { isScoped[$0.number] })
        }
        self.plans = plans
    }

    /// Creates a graph of `chain` types, each of which needs the next one.
    ///
    /// The last type is missing.
    init(chain: Int) {
        plans = (0..<chain).map { number in
            PlannedNode(
                isRegistered: number < chain - 1,
                lifetime: .transient,
                needs: number < chain - 1 ? [Need(number: number + 1, isOptional: false)] : []
            )
        }
    }

    private init(plans: [PlannedNode]) {
        self.plans = plans
    }

    /// Returns the same graph without the registration of `number`.
    func without(_ number: Int) -> RandomGraph {
        var plans = plans
        plans[number] = PlannedNode(isRegistered: false, lifetime: plans[number].lifetime, needs: plans[number].needs)
        return RandomGraph(plans: plans)
    }

    /// Returns a builder with the registrations of the graph.
    func builder() -> ContainerBuilder {
        let builder = ContainerBuilder()
        for number in plans.indices where plans[number].isRegistered {
            builder.register(registration(of: number, Self.tag(number)))
        }
        return builder
    }

    /// Resolves the type of `number`, and returns whether it is registered.
    func tryResolve(_ number: Int, from resolver: any DependencyResolver) -> Bool {
        Self.tryResolve(Self.tag(number), from: resolver)
    }

    /// Returns the number of `type`, or `nil` if it isn't a node.
    static func number(of type: Any.Type) -> Int? {
        (type as? any Numbered.Type)?.number
    }

    private func registration<T: Tag>(of number: Int, _ tag: T.Type) -> Registration {
        var dependencies = Dependencies()
        for need in plans[number].needs {
            dependencies = Self.stating(Self.tag(need.number), isOptional: need.isOptional, in: dependencies)
        }
        let factory: @Sendable (any DependencyResolutionScope) -> NumberedNode<T> = { scope in
            self.make(number, from: scope)
            return NumberedNode()
        }
        return switch plans[number].lifetime {
        case .transient: Registration(transient: NumberedNode<T>.self, dependencies: dependencies, factory: factory)
        case .scoped: Registration(scoped: NumberedNode<T>.self, dependencies: dependencies, factory: factory)
        default: Registration(singleton: NumberedNode<T>.self, dependencies: dependencies, factory: factory)
        }
    }

    private func make(_ number: Int, from scope: any DependencyResolutionScope) {
        seen.withLock { $0.path.append(number) }
        for need in plans[number].needs {
            if plans[need.number].isRegistered, plans[need.number].lifetime == .scoped { noteHolder(of: need.number) }
            if !tryResolve(need.number, from: scope), !need.isOptional {
                seen.withLock { _ = $0.misses.insert([number, need.number]) }
            }
        }
        seen.withLock { _ = $0.path.removeLast() }
    }

    /// Records the singleton that holds `scoped`, directly or through the transient objects that are being created for it.
    private func noteHolder(of scoped: Int) {
        seen.withLock { seen in
            let holder = seen.path.last { plans[$0].lifetime != .transient }
            if let holder, plans[holder].lifetime == .singleton { seen.captives.insert([holder, scoped]) }
        }
    }

    private static func tag(_ number: Int) -> any Tag.Type {
        func prepending<T: Tag>(_ digit: Int, _ rest: T.Type) -> any Tag.Type {
            digit == 0 ? Zero<T>.self : One<T>.self
        }
        return number == 0 ? End.self : prepending(number % 2, tag(number / 2))
    }

    private static func tryResolve<T: Tag>(_ tag: T.Type, from resolver: any DependencyResolver) -> Bool {
        resolver.tryResolve(NumberedNode<T>.self) != nil
    }

    private static func stating<T: Tag>(
        _ tag: T.Type,
        isOptional: Bool,
        in dependencies: Dependencies
    ) -> Dependencies {
        isOptional ? dependencies.on(NumberedNode<T>?.self) : dependencies.on(NumberedNode<T>.self)
    }
}

/// A type that knows its number.
private protocol Numbered {
    static var number: Int { get }
}

extension End: Numbered { static var number: Int { 0 } }
extension Zero: Numbered { static var number: Int { 2 * ((Rest.self as? any Numbered.Type)?.number ?? 0) } }
extension One: Numbered { static var number: Int { 2 * ((Rest.self as? any Numbered.Type)?.number ?? 0) + 1 } }
extension NumberedNode: Numbered { static var number: Int { (Number.self as? any Numbered.Type)?.number ?? -1 } }
