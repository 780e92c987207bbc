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
            let end = clock.now.advanced(by: timeout)
            outcome = await withInterruptibleChild {
                try await make()
            } until: { [clock] in
                try await clock.sleep(until: end, tolerance: nil)
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
