// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DispatchSubjects
import HeadraceCommands
import HeadraceResolution
import Measuring

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Compares the wall time of eight concurrent tasks with one task: the cost of contention on shared objects.
///
/// The scaling of the machine is measured in the same rounds, with arithmetic that shares nothing, because two cores
/// that other processes use as well do not double the throughput. A single object that all tasks retain limits the
/// scaling too: its reference count is one contended memory location, with or without a container.
struct Contention: Sendable {
    private static let taskCount = 8

    /// Minimum share of the floor's scaling.
    ///
    /// The goal is 0.85, that is 1.7 of 2. On cores that other processes use as well, a run may be a fifth lower. One
    /// reference count that all tasks share lowers the share to 0.55.
    private static let bound: Swift.Double = 0.65

    /// The bound if all tasks share the reference count of a route to a handler, or of a registration.
    private static let boundOfOneCount: Swift.Double = 0.4

    private let name: String
    private let bound: Swift.Double
    private let floor: @Sendable (_ iterations: Int, _ task: Int) async throws -> Void
    private let operation: @Sendable (_ iterations: Int, _ task: Int) async throws -> Void

    /// Measures, prints a table, and ends the process.
    ///
    /// If `isChecked` is true, it fails if a case scales less than its bound.
    static func run(isChecked: Bool) -> Never {
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                exit(try await measure() || !isChecked ? EXIT_SUCCESS : EXIT_FAILURE)
            } catch {
                print("error: \(error)")
                exit(EXIT_FAILURE)
            }
        }
        ended.wait()
        exit(EXIT_FAILURE)
    }

    private static func measure() async throws -> Bool {
        var isWithinBounds = true
        print("case, throughput of eight tasks against one, the same against that of the floor")
        for contention in [dispatch, dispatchThroughMiddleware, resolveOwn, resolveInScopes, resolveSame] {
            var ratios: [Swift.Double] = []
            var shares: [Swift.Double] = []
            for _ in 0..<21 {
                let floor = try await scaling(of: contention.floor)
                let ratio = try await scaling(of: contention.operation)
                ratios.append(ratio)
                shares.append(ratio / floor)
            }
            let share = shares.sorted()[shares.count / 2]
            isWithinBounds = isWithinBounds && share >= contention.bound
            print(contention.name, ratios.sorted()[ratios.count / 2], share, share < contention.bound ? "BEYOND" : "")
        }
        return isWithinBounds
    }

    /// Returns the throughput of eight tasks divided by the throughput of one task.
    private static func scaling(
        of operation: @escaping @Sendable (_ iterations: Int, _ task: Int) async throws -> Void
    ) async throws -> Swift.Double {
        let iterations = 50_000
        let clock = ContinuousClock()
        let one = try await clock.measure { try await operation(iterations * taskCount, 0) }
        let eight = try await clock.measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<taskCount {
                    group.addTask { try await operation(iterations, task) }
                }
                try await group.waitForAll()
            }
        }
        return one / eight
    }

    private init(
        name: String,
        bound: Swift.Double = bound,
        floor: @escaping @Sendable (_ iterations: Int, _ task: Int) async throws -> Void = { iterations, _ in
            var state: UInt64 = 1
            for _ in 0..<iterations * 100 { state = state &* 6_364_136_223_846_793_005 &+ 1 }
            consume(Int(truncatingIfNeeded: state))
        },
        operation: @escaping @Sendable (_ iterations: Int, _ task: Int) async throws -> Void
    ) {
        self.name = name
        self.bound = bound
        self.floor = floor
        self.operation = operation
    }

    private static let dispatch = Contention(
        name: "dispatch",
        bound: boundOfOneCount,
        operation: dispatching(through: 0)
    )

    private static let dispatchThroughMiddleware = Contention(
        name: "dispatch-through-1-middleware",
        bound: boundOfOneCount,
        operation: dispatching(through: 1)
    )

    private static let resolveOwn: Contention = {
        let builder = ContainerBuilder()
        let resolutions = Numbered.registerSingletons(taskCount, in: builder)
        let container = builder.build()
        return Contention(name: "resolve-a-singleton-each") { iterations, task in
            resolutions[task](container, iterations)
        }
    }()

    private static let resolveSame: Contention = {
        let builder = ContainerBuilder()
        builder.singleton { Settings() }
        let container = builder.build()
        let registry = HandWrittenRegistry([ObjectIdentifier(Settings.self): Settings()])
        return Contention(name: "resolve-the-same-singleton") { iterations, _ in
            for _ in 0..<iterations {
                if let object = registry.find(Settings.self) { consume(object) }
            }
        } operation: { iterations, _ in
            for _ in 0..<iterations { consume(container.resolve(Settings.self)) }
        }
    }()

    private static let resolveInScopes: Contention = {
        let builder = ContainerBuilder()
        builder.scoped { Settings() }
        let container = builder.build()
        return Contention(name: "resolve-in-a-scope-each", bound: boundOfOneCount) { iterations, _ in
            let scope = container.scope()
            for _ in 0..<iterations { consume(scope.resolve(Settings.self)) }
        }
    }()

    private static func dispatching(through count: Int) -> @Sendable (Int, Int) async throws -> Void {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddHandler.self],
            middleware: passThroughMiddleware(count)
        )
        let container = builder.build()
        return { iterations, _ in
            let dispatcher: any CommandQueryDispatcher = container.resolve()
            for number in 0..<iterations { try await dispatcher.dispatch(Add(amount: number)) }
        }
    }
}
