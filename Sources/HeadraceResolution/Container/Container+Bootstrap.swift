//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    /// If a construction fails or the task is cancelled, the objects that exist are shut down in the reverse order, and the
    /// container can't be started again. After a success, another call does nothing.
    ///
    /// - Parameters:
    ///   - clock: The clock for time-outs and durations.
    ///   - progress: Is called before and after each construction.
    /// - Throws: ``BootstrapError`` with the name of the type that failed; `CancellationError` if the task is cancelled.
    public nonisolated(nonsending) func bootstrap(
        clock: any TimeSource = CurrentClock(),
        progress: @Sendable (BootstrapProgress) -> Void = { _ in }
    ) async throws {
        let mustRun = try bootstrapState.withLock { state in
            switch state {
            case .pending:
                state = .running
                return true
            case .running: throw BootstrapError.running
            case .ended: return false
            case .closed: throw BootstrapError.closed
            }
        }
        guard mustRun else { return }

        let bindings = bootstrapOrder.filter { !$0.hasMade(in: root) }
        var shutdowns: [@Sendable () async -> Void] = []
        do {
            for (index, binding) in bindings.enumerated() {
                try Task.checkCancellation()
                let service = binding.description.name
                let start = clock.now
                progress(
                    BootstrapProgress(service: service, number: index + 1, count: bindings.count, duration: nil))
                let object = try await object(of: binding, named: service, clock: clock)
                shutdowns.append(object.shutdown)
                object.keep()
                progress(
                    BootstrapProgress(
                        service: service, number: index + 1, count: bindings.count,
                        duration: start.duration(to: clock.now)
                    )
                )
            }
        } catch {
            bootstrapState.withLock { $0 = .closed }
            for shutdown in shutdowns.reversed() { await shutdown() }
            throw error
        }
        bootstrapState.withLock { $0 = .ended(shutdowns: shutdowns) }
    }

    /// Ends the objects that `bootstrap(clock:progress:)` has created, in the reverse order.
    ///
    /// They can still be resolved. Another call does nothing.
    public nonisolated(nonsending) func shutdown() async {
        let shutdowns = bootstrapState.withLock { state -> [@Sendable () async -> Void] in
            guard case .ended(let shutdowns) = state else { return [] }
            state = .closed
            return shutdowns
        }
        for shutdown in shutdowns.reversed() { await shutdown() }
    }

    /// Creates the object of `binding`, in its time.
    private nonisolated(nonsending) func object(
        of binding: any BootstrappedBinding,
        named service: String,
        clock: any TimeSource
    ) async throws -> BootstrappedObject {
        let subject = ProofSubject(type: ObjectIdentifier(binding), given: nil)
        do {
            _ = try root.check(binding.description.dependencies.stated, of: subject, named: service)
        } catch {
            throw BootstrapError.failed(service, error)
        }
        let make = binding.prepare(in: root)
        let outcome: InterruptibleOutcome<BootstrappedObject>
        if let timeout = binding.timeout {
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
            if error is CancellationError, Task.isCancelled { throw error }
            throw BootstrapError.failed(service, error)
        case .interrupted(.success(let object)):
            // It was created too late.
            await object.shutdown()
            throw BootstrapError.timedOut(service, binding.timeout ?? .zero, nil)
        case .interrupted(.failure(let error)):
            throw BootstrapError.timedOut(service, binding.timeout ?? .zero, error)
        }
    }

    /// The bindings to start, each after the bindings that its dependencies lead to.
    private var bootstrapOrder: [any BootstrappedBinding] {
        let blueprint = root.blueprint
        var visited: Set<ObjectIdentifier> = []
        var order: [any BootstrappedBinding] = []
        for start in blueprint.all where start.isBootstrapped {
            // A registration that was replaced is never resolved.
            guard start.description.member != nil || blueprint.bindings[start.contract] === start else { continue }
            // An explicit stack, because a chain of dependencies may be longer than the stack of a thread. A cycle ends at a
            // binding that was visited, and is an error when its object is created.
            var stack: [(binding: Binding, targets: [Binding])] = []
            func push(_ binding: Binding) {
                guard visited.insert(ObjectIdentifier(binding)).inserted else { return }
                let targets = binding.description.dependencies.stated.flatMap { blueprint.targets(of: $0) ?? [] }
                stack.append((binding, targets.reversed()))
            }
            push(start)
            while let top = stack.last {
                if let target = top.targets.last {
                    stack[stack.endIndex - 1].targets.removeLast()
                    push(target)
                } else {
                    stack.removeLast()
                    if let binding = top.binding as? any BootstrappedBinding { order.append(binding) }
                }
            }
        }
        return order
    }
}
