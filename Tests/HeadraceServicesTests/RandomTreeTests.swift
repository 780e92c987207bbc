// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

private struct PongOf: Action { let sender: Int }

/// Compares random trees with a small interpreter: the same visits in an allowed order, and the same errors, each once.
@Suite(.timeLimit(.minutes(5))) struct RandomTreeTests {
    @Test func aClusterBehavesAsTheInterpreterPredicts() async throws {
        var (visitCount, errorCount) = (0, 0)
        for seed in UInt64(0)..<1_500 {
            var generator = SeededGenerator(seed: seed)
            let tree = RandomTree.make(depth: 6, using: &generator)
            let journal = Journal()
            let cluster = try await Bootstrap { Self.service(tree, journal) }
            var error: String?
            do {
                try await cluster.send(action: Ping())
            } catch let caught {
                error = Self.name(caught)
            }

            let expected = TreeInterpreter(root: tree).send(.ping)
            let order = Dictionary(
                journal.entries.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            #expect(order.count == journal.entries.count, "seed \(seed): something was visited twice")
            #expect(journal.entries.sorted() == expected.trace.visits.sorted(), "seed \(seed)")
            let contradiction = expected.trace.contradiction(to: order)
            #expect(contradiction == nil, "seed \(seed): \(String(describing: contradiction))")
            #expect(error == (expected.errors.isEmpty ? nil : TreeInterpreter.name(expected.errors)), "seed \(seed)")
            #expect(Set(expected.errors).count == expected.errors.count, "seed \(seed): an error was seen twice")
            visitCount += journal.entries.count
            errorCount += expected.errors.count
        }

        // Not all trees are empty.
        #expect(visitCount > 10_000 && errorCount > 1_000)
    }

    /// The interpreter's name of an error.
    private static func name(_ error: any Error) -> String {
        guard let failures = error as? ServiceFailures else { return "\(error)" }
        return TreeInterpreter.name(failures.errors.map { name($0) })
    }

    private static func name(_ action: any Action) -> String {
        switch action {
        case let pong as PongOf: TreeInterpreter.Message.pong(sender: pong.sender).name
        case let recovery as Recovery: TreeInterpreter.Message.recovery(from: recovery.name).name
        default: TreeInterpreter.Message.ping.name
        }
    }

    @MainActor
    private static func service(_ tree: RandomTree, _ journal: Journal) -> any Service {
        switch tree {
        case .leaf(let leaf):
            switch leaf.kind {
            case .ping: return store(leaf, for: Ping.self, journal)
            case .pong: return store(leaf, for: PongOf.self, journal)
            case .recovery: return store(leaf, for: Recovery.self, journal)
            }
        case .group(let children, let isSerial):
            let group = Group { children.map { service($0, journal) } }
            guard let isSerial else { return group }
            return isSerial ? group.serial() : group.concurrent()
        case .hook(let around, let id, let isForPingsOnly, let fails, let inner):
            return hooked(service(inner, journal), around, isForPingsOnly) { action in
                let name = "\(around) \(id) at \(name(action))"
                journal.note(name)
                if fails { throw TestFailure(name) }
            }
        case .transform(let id, let transformation, let inner):
            return transformed(service(inner, journal)) { error in
                switch transformation {
                case .recovery: return Recovery(name: name(error))
                case .nothing: return nil
                case .failure: throw TestFailure("\(id) made of <\(name(error))>")
                }
            }
        }
    }

    private static func store<A: Action>(_ leaf: RandomTree.LeafPart, for type: A.Type, _ journal: Journal)
        -> any Service
    {
        Store(model: Journal.self)
            .mutate(on: type) { journal, action, send in
                let name = "\(leaf.id) at \(name(action))"
                for _ in 0..<leaf.suspensions { await Task.yield() }
                journal.note(name)
                if leaf.sends { try await send(PongOf(sender: leaf.id)) }
                if leaf.fails { throw TestFailure(name) }
            }
            .with(model: journal)
    }

    private static func hooked(
        _ service: some Service,
        _ around: RandomTree.Around,
        _ isForPingsOnly: Bool,
        _ hook: @escaping @Sendable (any Action) throws -> Void
    ) -> any Service {
        switch (around, isForPingsOnly) {
        case (.pre, true): service.pre(on: Ping.self) { try hook($0) }
        case (.pre, false): service.pre { try hook($0) }
        case (.post, true): service.post(on: Ping.self) { (action: Ping) in try hook(action) }
        case (.post, false): service.post { (action: any Action) in try hook(action) }
        case (.observe, true): service.observe(on: Ping.self) { (action: Ping) in try? hook(action) }
        case (.observe, false): service.observe { try? hook($0) }
        }
    }

    private static func transformed(
        _ service: some Service,
        _ transform: @escaping @Sendable (any Error) throws -> (any Action)?
    ) -> any Service {
        service.transformError(transform)
    }
}
