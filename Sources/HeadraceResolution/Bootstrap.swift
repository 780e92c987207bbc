// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

extension Container {
    /// Creates the objects of all `bootstrapped` registrations, one after the other, each after its stated dependencies.
    ///
    /// ```swift
    /// try await container.bootstrap { step in
    ///     if let duration = step.duration { print("\(step.number) of \(step.count): \(step.service), \(duration)") }
    /// }
    /// ```
    ///
    /// Types without a dependency on each other are created in the order of registration. Dependencies are resolved on the
    /// actor of the caller. A construction that exceeds its time-out is cancelled, and the method waits until it has ended.
    ///
    /// If a construction fails, the task is cancelled, or the container is shut down, the objects that exist are shut down in the
    /// reverse order, and the container can't be started again. After a success, another call does nothing.
    ///
    /// - Parameters:
    ///   - clock: The clock for time-outs and durations.
    ///   - progress: Is called before and after each construction.
    /// - Throws: ``BootstrapError`` with the name of the type that failed, with the code `BootstrapError.Code.running` if another
    ///   task has called the method, or with the code `BootstrapError.Code.closed` if the container failed to start before
    ///   or was shut down; `CancellationError` if the task is cancelled.
    public nonisolated(nonsending) func bootstrap(
        clock: any TimeSource = CurrentClock(),
        progress: @Sendable (BootstrapProgress) -> Void = { _ in }
    ) async throws {
        let hasEnded = OneShot<Void>()
        let mustRun = try bootstrapState.withLock { state in
            switch state {
            case .pending:
                state = .running(hasEnded: hasEnded)
                return true
            case .running: throw BootstrapError.running
            case .ended: return false
            case .closing, .closed: throw BootstrapError.closed
            }
        }
        guard mustRun else { return }

        defer { hasEnded.set(()) }
        let bindings = bootstrapOrder.filter { !$0.binding.hasMade(in: root) }
        var shutdowns: [@Sendable () async -> Void] = []
        do {
            for (index, (binding, recipe)) in bindings.enumerated() {
                try Task.checkCancellation()
                if isClosing { throw BootstrapError.closed }
                let service = binding.description.name
                let start = clock.now
                progress(
                    BootstrapProgress(service: service, number: index + 1, count: bindings.count, duration: nil))
                let starting = StartingContainers.numbers.union([containerNumber])
                let object = try await StartingContainers.$numbers.binding(starting) {
                    try await self.object(of: binding, by: recipe, named: service, clock: clock)
                }
                shutdowns.append(object.shutdown)
                binding.keep(object.instance())
                progress(
                    BootstrapProgress(
                        service: service, number: index + 1, count: bindings.count,
                        duration: start.duration(to: clock.now)
                    )
                )
            }
            try bootstrapState.withLock { [shutdowns] state in
                if case .closing = state { throw BootstrapError.closed }
                state = .ended(shutdowns: shutdowns)
            }
        } catch {
            bootstrapState.withLock { $0 = .closed }
            await Self.end(shutdowns)
            throw error
        }
    }

    /// Ends the objects that `bootstrap(clock:progress:)` has created, in the reverse order.
    ///
    /// They can still be resolved. If `bootstrap` is creating objects, it ends the construction that it has begun, then shuts
    /// down all objects, and throws; this method waits for that. A container that was shut down can't be started. Another call
    /// does nothing. The objects are shut down even if the task is cancelled. A construction may call it, too, and doesn't wait.
    public nonisolated(nonsending) func shutdown() async {
        var shutdowns: [@Sendable () async -> Void] = []
        var running: OneShot<Void>?
        bootstrapState.withLock { state in
            switch state {
            case .pending: state = .closed
            case .running(let hasEnded):
                state = .closing(hasEnded: hasEnded)
                running = hasEnded
            case .closing(let hasEnded): running = hasEnded
            case .ended(let ended):
                state = .closed
                shutdowns = ended
            case .closed: break
            }
        }
        // A construction would wait for itself.
        let isCreating = StartingContainers.numbers.contains(containerNumber)
        if let running, !isCreating { await Task { try? await running.wait() }.value }
        await Self.end(shutdowns)
    }

    private var isClosing: Bool {
        bootstrapState.withLock { if case .closing = $0 { true } else { false } }
    }

    /// Calls `shutdowns` in the reverse order, in a task that isn't cancelled: a connection may have to wait until it is closed.
    private static nonisolated(nonsending) func end(_ shutdowns: [@Sendable () async -> Void]) async {
        if shutdowns.isEmpty { return }
        await Task { for shutdown in shutdowns.reversed() { await shutdown() } }.value
    }

    /// Creates the object of `binding`, in its time.
    private nonisolated(nonsending) func object(
        of binding: any AnyBinding,
        by recipe: BootstrapRecipe,
        named service: String,
        clock: any TimeSource
    ) async throws -> BootstrappedObject {
        let subject = ProofSubject(type: ObjectIdentifier(binding), given: nil)
        do {
            _ = try root.check(binding.description.dependencies.stated, of: subject, named: service)
        } catch {
            throw BootstrapError.failed(service, error)
        }
        let make = recipe.prepare(BorrowedScope(root))
        let outcome: InterruptibleOutcome<BootstrappedObject>
        if let timeout = recipe.timeout {
            outcome = await withInterruptibleChild(until: clock.now.advanced(by: timeout), on: clock) {
                try await make()
            }
        } else {
            do { outcome = .ended(.success(try await make())) } catch { outcome = .ended(.failure(error)) }
        }
        switch outcome {
        case .ended(.success(let object)):
            return object
        case .ended(.failure(let error)):
            if Task.isCancelled { throw CancellationError() }
            throw BootstrapError.failed(service, error)
        case .interrupted(.success(let object)):
            // It was created too late.
            await Self.end([object.shutdown])
            throw BootstrapError.timedOut(service, recipe.timeout ?? .zero, nil)
        case .interrupted(.failure(let error)):
            throw BootstrapError.timedOut(service, recipe.timeout ?? .zero, error)
        }
    }

    /// The bindings to start, each after the bindings that its dependencies lead to.
    ///
    /// The objects that a factory needs come first, too, because an object may call its factory while it is created. That isn't possible if
    /// it needs the object itself.
    private var bootstrapOrder: [(binding: any AnyBinding, recipe: BootstrapRecipe)] {
        let blueprint = root.blueprint
        var visited: Set<ObjectIdentifier> = []
        var order: [(binding: any AnyBinding, recipe: BootstrapRecipe)] = []
        for start in blueprint.all where start.description.bootstrap != nil {
            // A registration that was replaced is never resolved.
            guard start.description.member != nil || blueprint.bindings[ObjectIdentifier(start.contract)] === start
            else { continue }
            // An explicit stack, because a chain of dependencies may be longer than the stack of a thread. A cycle ends at a
            // binding that was visited, and is an error when its object is created.
            var stack: [(binding: any AnyBinding, needed: [any AnyBinding], neededByFactories: [any AnyBinding])] = []
            func push(_ binding: any AnyBinding) {
                guard visited.insert(ObjectIdentifier(binding)).inserted else { return }
                stack.append((binding, blueprint.needed(by: binding), blueprint.neededByFactories(of: binding)))
            }
            push(start)
            while let top = stack.last {
                if let target = top.needed.last {
                    stack[stack.endIndex - 1].needed.removeLast()
                    push(target)
                } else if let target = top.neededByFactories.last {
                    stack[stack.endIndex - 1].neededByFactories.removeLast()
                    let waiting = Set(stack.map { ObjectIdentifier($0.binding) })
                    if !blueprint.leads(from: target, toAnyOf: waiting) { push(target) }
                } else {
                    stack.removeLast()
                    if let recipe = top.binding.description.bootstrap { order.append((top.binding, recipe)) }
                }
            }
        }
        return order
    }
}

extension Blueprint {
    /// The bindings that `binding` resolves while it creates its object, the last first.
    fileprivate func needed(by binding: any AnyBinding) -> [any AnyBinding] {
        binding.description.dependencies.stated.flatMap { targets(of: $0) ?? [] }.reversed()
    }

    /// The bindings that the factories of `binding` resolve, the last first.
    fileprivate func neededByFactories(of binding: any AnyBinding) -> [any AnyBinding] {
        binding.description.dependenciesOfFactories.flatMap { targets(of: $0) ?? [] }.reversed()
    }

    /// Whether the creation of the object of `start` resolves one of `bindings`.
    fileprivate func leads(from start: any AnyBinding, toAnyOf bindings: Set<ObjectIdentifier>) -> Bool {
        var visited: Set<ObjectIdentifier> = []
        var rest = [start]
        while let binding = rest.popLast() {
            if bindings.contains(ObjectIdentifier(binding)) { return true }
            if visited.insert(ObjectIdentifier(binding)).inserted { rest += needed(by: binding) }
        }
        return false
    }
}

/// A step of `Container.bootstrap(clock:progress:)`.
public struct BootstrapProgress: Sendable {
    /// Name of the type that is being created, with its module.
    public let service: String

    /// Position of the type in the order of creation, counting from 1.
    public let number: Int

    /// Number of types to create.
    public let count: Int

    /// The time that the creation took; `nil` at its beginning.
    public let duration: Duration?
}

/// The containers whose objects the current task creates.
enum StartingContainers {
    @TaskLocal static var numbers: Set<UInt> = []
}

/// The progress of `Container.bootstrap(clock:progress:)`.
enum BootstrapState: Sendable {
    case pending

    /// Objects are being created; `hasEnded` is set after the last one, or when those that exist were shut down.
    case running(hasEnded: OneShot<Void>)

    /// The container is shut down while objects are being created.
    case closing(hasEnded: OneShot<Void>)

    /// All objects exist; `shutdowns` end them, in the order of their creation.
    case ended(shutdowns: [@Sendable () async -> Void])

    /// An object couldn't be created, or the container was shut down.
    case closed
}

/// The construction of an object by `Container.bootstrap(clock:progress:)`.
struct BootstrapRecipe: Sendable {
    /// The time after which the construction is cancelled; `nil` if it is unlimited.
    let timeout: Duration?

    /// Resolves the dependencies, and returns the construction.
    let prepare: @Sendable (any DependencyResolutionScope) -> @Sendable () async throws -> BootstrappedObject
}

/// An object that was created at the start of the program.
struct BootstrappedObject: Sendable {
    /// Returns the object with its decorations, for its binding.
    let instance: @Sendable () -> Instance

    /// Ends the object.
    let shutdown: @Sendable () async -> Void
}

/// An error for a container whose objects couldn't be created at the start of the program.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct BootstrapError: CodedError {
    /// A reason, stable enough to branch on.
    public typealias Code = ErrorCode<BootstrapError>

    /// The reason.
    public let code: Code

    /// Name of the type that couldn't be created, with its module; `nil` if no creation was tried.
    public let service: String?

    /// The error of the construction; `nil` if it was too slow without an error.
    public let cause: (any Error)?

    /// The reason and the fix.
    public let message: String

    private init(_ code: Code, service: String? = nil, cause: (any Error)? = nil, _ message: String) {
        self.code = code
        self.service = service
        self.cause = cause
        self.message = message
    }

    static func failed(_ service: String, _ cause: any Error) -> BootstrapError {
        BootstrapError(
            .failed,
            service: service,
            cause: cause,
            """
            '\(service)' couldn't be created, and the objects that were created before it were shut down: \(cause). \
            To fix, correct the cause, then start again with a new container.
            """
        )
    }

    static func timedOut(_ service: String, _ limit: Duration, _ cause: (any Error)?) -> BootstrapError {
        BootstrapError(
            .timedOut,
            service: service,
            cause: cause,
            """
            '\(service)' wasn't created in \(limit), and the objects that were created before it were shut down. \
            To fix, make its construction faster, or raise its time-out.
            """
        )
    }

    static var running: BootstrapError {
        BootstrapError(
            .running, "Another task is creating the objects of the container. To fix, call 'bootstrap()' once.")
    }

    static var closed: BootstrapError {
        BootstrapError(
            .closed,
            "The container has failed to start, or was shut down. To fix, build a new container, and start that.")
    }
}

extension ErrorCode<BootstrapError> {
    /// The construction of an object failed.
    public static var failed: Self { Self() }

    /// The construction of an object took longer than its time-out.
    public static var timedOut: Self { Self() }

    /// Another task is creating the objects.
    public static var running: Self { Self() }

    /// An earlier call failed, or the container was shut down.
    public static var closed: Self { Self() }
}
