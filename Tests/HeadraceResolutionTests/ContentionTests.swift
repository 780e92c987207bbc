// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HeadraceResolution
import Synchronization
import Testing

/// Many threads ask for a shared object at the same time, and it is created once.
///
/// Each round is short, so there are many rounds: a race appears by chance, and ThreadSanitizer needs repetitions.
@Suite struct ContentionTests {
    private static let rounds = 1_000
    private static let askers = 16

    @Test(.timeLimit(.minutes(2)))
    func sixteenTasksCreateANewSingletonGraphOnce() async {
        for _ in 0..<Self.rounds {
            let made = Made()
            let contracts = container { made.registerSingletons(in: $0) }

            let graphs = await withTaskGroup(of: [ObjectIdentifier].self) { group in
                for asker in 0..<Self.askers {
                    group.addTask { Self.identities(from: contracts.scope(), startingAt: asker) }
                }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }

            guard graphs.count == 1, made.counts == [1, 1, 1] else {
                Issue.record("\(graphs.count) graphs, made \(made.counts) times")
                return
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func threadsCreateANewSingletonGraphOnce() {
        for _ in 0..<Self.rounds {
            let made = Made()
            let contracts = container { made.registerSingletons(in: $0) }
            let graphs = Mutex<Set<[ObjectIdentifier]>>([])

            DispatchQueue.concurrentPerform(iterations: Self.askers) { asker in
                let graph = Self.identities(from: contracts, startingAt: asker)
                graphs.withLock { _ = $0.insert(graph) }
            }

            guard graphs.withLock({ $0.count }) == 1, made.counts == [1, 1, 1] else {
                Issue.record("made \(made.counts) times")
                return
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func sixteenTasksCreateAScopedGraphOncePerScope() async {
        let made = Made()
        let contracts = container { made.registerScoped(in: $0) }
        for round in 1...Self.rounds {
            let scope = contracts.scope()

            let graphs = await withTaskGroup(of: [ObjectIdentifier].self) { group in
                for asker in 0..<Self.askers {
                    group.addTask { Self.identities(from: scope, startingAt: asker) }
                }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }

            guard graphs.count == 1, made.counts == [round, round, round] else {
                Issue.record("\(graphs.count) graphs, made \(made.counts) times in \(round) scopes")
                return
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func concurrentScopesHaveTheirOwnObjectsAndShareTheSingleton() {
        let made = Made()
        let contracts = container { builder in
            made.registerScoped(in: builder)
            builder.singleton { Settings() }
        }
        let scopes = Self.rounds * Self.askers
        let settings: Settings = contracts.resolve()
        let mistakes = Counter()

        DispatchQueue.concurrentPerform(iterations: scopes) { asker in
            let scope = contracts.scope()
            let isKept =
                Self.identities(from: scope, startingAt: asker) == Self.identities(from: scope, startingAt: asker + 1)
            if !isKept || scope.resolve(Settings.self) !== settings { mistakes.increment() }
        }

        #expect(mistakes.value == 0)
        #expect(made.counts == [scopes, scopes, scopes])
    }

    /// The first thread waits in its factory until the other threads have asked.
    @Test(.timeLimit(.minutes(2)))
    func threadsThatAskDuringTheCreationReceiveTheSameObject() {
        let began = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let made = Counter()
        let contracts = container { builder in
            builder.singleton {
                made.increment()
                began.signal()
                mayEnd.wait()
                return Settings()
            }
        }
        let seen = Mutex<[Settings]>([])
        let ended = DispatchGroup()
        let ask: @Sendable () -> Void = {
            let settings: Settings = contracts.resolve()
            seen.withLock { $0.append(settings) }
        }

        DispatchQueue.global().async(group: ended, execute: ask)
        began.wait()
        for _ in 0..<4 { DispatchQueue.global().async(group: ended, execute: ask) }
        mayEnd.signal()
        ended.wait()

        #expect(made.value == 1)
        #expect(seen.withLock { $0.count } == 5)
        #expect(seen.withLock { $0.allSatisfy { $0 === contracts.resolve(Settings.self) } })
    }

    /// While a factory runs, no other object waits for it: not an existing singleton, not a new one, and not those of a scope.
    ///
    /// The factory waits until another thread has resolved all of them. With one lock for the container, that would never end.
    @Test(.timeLimit(.minutes(2)))
    func aSlowFactoryDelaysNoOtherObject() {
        let began = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let contracts = container { builder in
            builder.singleton { Settings() }
            builder.singleton { Bottom() }
            builder.scoped { Middle(bottom: $0.resolve()) }
            builder.singleton { scope in
                began.signal()
                mayEnd.wait()
                return Top(middle: Middle(bottom: scope.resolve()), bottom: scope.resolve())
            }
        }
        let existing: Settings = contracts.resolve()
        let ended = DispatchGroup()

        DispatchQueue.global().async(group: ended) { _ = contracts.resolve(Top.self) }
        began.wait()
        let found: Settings = contracts.resolve()
        let new: Bottom = contracts.resolve()
        let scoped: Middle = contracts.scope().resolve()
        mayEnd.signal()
        ended.wait()

        #expect(found === existing)
        #expect(scoped.bottom === new)
        #expect(contracts.resolve(Top.self).bottom === new)
    }

    /// Resolves the three objects of a graph, in an order that depends on the caller.
    private static func identities(from resolver: any DependencyResolver, startingAt asker: Int) -> [ObjectIdentifier] {
        var top: Top?
        var middle: Middle?
        var bottom: Bottom?
        for step in 0..<3 {
            switch (asker + step) % 3 {
            case 0: top = resolver.resolve()
            case 1: middle = resolver.resolve()
            default: bottom = resolver.resolve()
            }
        }
        let objects: [AnyObject?] = [
            top, top?.middle, top?.bottom, middle, middle?.bottom, bottom,
        ]
        return objects.compactMap { $0.map { ObjectIdentifier($0) } }
    }
}

// MARK: - Fixtures

private final class Bottom: Sendable {}

private final class Middle: Sendable {
    let bottom: Bottom

    init(bottom: Bottom) {
        self.bottom = bottom
    }
}

private final class Top: Sendable {
    let middle: Middle
    let bottom: Bottom

    init(middle: Middle, bottom: Bottom) {
        self.middle = middle
        self.bottom = bottom
    }
}

/// The numbers of times that the three objects of a graph are created.
private struct Made: Sendable {
    private let tops = Counter()
    private let middles = Counter()
    private let bottoms = Counter()

    var counts: [Int] { [tops.value, middles.value, bottoms.value] }

    func registerSingletons(in builder: ContainerBuilder) {
        builder.singleton { top(from: $0) }
        builder.singleton { middle(from: $0) }
        builder.singleton { bottom() }
    }

    func registerScoped(in builder: ContainerBuilder) {
        builder.scoped { top(from: $0) }
        builder.scoped { middle(from: $0) }
        builder.scoped { bottom() }
    }

    private func top(from scope: any DependencyResolutionScope) -> Top {
        tops.increment()
        return Top(middle: scope.resolve(), bottom: scope.resolve())
    }

    private func middle(from scope: any DependencyResolutionScope) -> Middle {
        middles.increment()
        return Middle(bottom: scope.resolve())
    }

    private func bottom() -> Bottom {
        bottoms.increment()
        return Bottom()
    }
}
