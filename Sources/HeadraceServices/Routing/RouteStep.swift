// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The work of a tree for actions of one type.
///
/// It contains only the parts of the tree that handle the type.
@usableFromInline
final class RouteStep<A: Action>: Sendable {
    @usableFromInline
    enum Work: Sendable {
        case handlers([TypedHandler<A>])
        case serial([RouteStep])
        case concurrent([RouteStep])
        case interception(InterceptionPhase, Interception<A>, RouteStep?)
        case transform(ErrorTransform, RouteStep)
    }

    @usableFromInline let work: Work

    /// The handlers if the step consists of handlers only, otherwise empty.
    @usableFromInline let handlers: [TypedHandler<A>]

    private init(_ work: Work) {
        self.work = work
        if case .handlers(let handlers) = work { self.handlers = handlers } else { handlers = [] }
    }

    /// Makes the step for the tree under `root`, or returns `nil` if nothing in it handles the type.
    ///
    /// It keeps a list of open nodes instead of recursing: a thread's stack may be small, and a tree deep.
    static func make(of root: TreeNode) -> RouteStep? {
        guard root.wants(A.self) else { return nil }
        var open = [(node: root, rest: root.children(wanting: A.self)[...], steps: [RouteStep]())]
        while true {
            let last = open.count - 1
            if let child = open[last].rest.popFirst() {
                open.append((child, child.children(wanting: A.self)[...], []))
            } else {
                let done = open.removeLast()
                let step = make(of: done.node, outOf: done.steps)
                if open.isEmpty { return step }
                if let step { open[last - 1].steps.append(step) }
            }
        }
    }

    /// Makes the step of `node` from the steps of its children.
    private static func make(of node: TreeNode, outOf steps: [RouteStep]) -> RouteStep? {
        switch node.content {
        case .store(let handlers):
            let wanting = handlers.compactMap { $0 as? TypedHandler<A> }
            return wanting.isEmpty ? nil : RouteStep(.handlers(wanting))
        case .list(_, .serial): return serial(steps)
        case .list(_, .concurrent): return concurrent(steps)
        case .modified(_, .interceptor(let phase, let interceptor)):
            let step = interceptor.interception(for: A.self).map {
                RouteStep(.interception(phase, $0, steps.first))
            }
            return step ?? steps.first
        case .modified(_, .transform(let transform)):
            return steps.first.map { RouteStep(.transform(transform, $0)) }
        case .inner: return steps.first
        }
    }

    /// Makes one step of serial steps.
    ///
    /// Nested serial steps are flattened, and neighbouring stores become one list of handlers.
    private static func serial(_ steps: [RouteStep]) -> RouteStep? {
        if steps.count < 2 { return steps.first }
        var parts: [RouteStep] = []
        for step in steps.flatMap({ if case .serial(let inner) = $0.work { inner } else { [$0] } }) {
            if case .handlers(let handlers) = step.work, case .handlers(let previous)? = parts.last?.work {
                parts[parts.count - 1] = RouteStep(.handlers(previous + handlers))
            } else {
                parts.append(step)
            }
        }
        return parts.count == 1 ? parts[0] : RouteStep(.serial(parts))
    }

    /// Makes one step of concurrent steps.
    ///
    /// Nested concurrent steps are flattened.
    private static func concurrent(_ steps: [RouteStep]) -> RouteStep? {
        if steps.count < 2 { return steps.first }
        return RouteStep(
            .concurrent(steps.flatMap { if case .concurrent(let inner) = $0.work { inner } else { [$0] } })
        )
    }

    /// Runs the step.
    ///
    /// - Throws: The error of a handler, or ``CollectedFailures``.
    @inlinable
    nonisolated(nonsending) func run(_ action: A, _ frame: SendFrame) async throws {
        switch work {
        case .handlers(let handlers):
            try await Self.run(handlers, action, frame)
        case .serial(let steps):
            for index in steps.indices {
                if index > 0, Task.isCancelled { throw CancellationError() }
                try await steps[index].run(action, frame)
            }
        case .concurrent(let steps):
            try await Self.runConcurrently(steps, action, frame)
        case .interception(let phase, let interception, let inner):
            try await Self.run(inner, within: interception, at: phase, action, frame)
        case .transform(let transform, let inner):
            do {
                try await inner.run(action, frame)
            } catch {
                try await transform.apply(to: error, frame)
            }
        }
    }

    @inlinable @inline(__always)
    static nonisolated(nonsending) func run(
        _ handlers: [TypedHandler<A>],
        _ action: A,
        _ frame: SendFrame
    ) async throws {
        for index in handlers.indices {
            if index > 0, Task.isCancelled { throw CancellationError() }
            try await handlers[index].run(action, frame)
        }
    }

    @inlinable
    static nonisolated(nonsending) func runConcurrently(
        _ steps: [RouteStep],
        _ action: A,
        _ frame: SendFrame
    ) async throws {
        let failures = FailureCollector()
        await withDiscardingTaskGroup { group in
            for (index, step) in steps.enumerated() {
                group.addTask {
                    do {
                        try await step.run(action, frame)
                    } catch {
                        failures.add(error, at: index)
                    }
                }
            }
        }
        try failures.rethrow()
    }

    @usableFromInline
    static nonisolated(nonsending) func run(
        _ inner: RouteStep?,
        within interception: Interception<A>,
        at phase: InterceptionPhase,
        _ action: A,
        _ frame: SendFrame
    ) async throws {
        if phase == .pre {
            try await interception.run(action, frame, .success)
            try await inner?.run(action, frame)
            return
        }

        var errors: [any Error] = []
        do {
            try await inner?.run(action, frame)
        } catch {
            errors = [error]
        }
        do {
            let outcome = errors.first.map { MessageOutcome.failure(CollectedFailures.reported($0)) } ?? .success
            try await interception.run(action, frame, outcome)
        } catch {
            errors.append(error)
        }
        if !errors.isEmpty { throw errors.count == 1 ? errors[0] : CollectedFailures(errors) }
    }
}
