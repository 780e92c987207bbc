//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// What a tree does with actions of one type: only what wants them is left of it.
@usableFromInline
final class Step<A: Action>: Sendable {
    @usableFromInline
    enum Work: Sendable {
        case handlers([TypedHandler<A>])
        case serial([Step])
        case concurrent([Step])
        case hook(HookMoment, HookRun<A>, Step?)
        case transform(ErrorTransform, Step)
    }

    @usableFromInline let work: Work

    /// The handlers where it is nothing but those, else none.
    @usableFromInline let handlers: [TypedHandler<A>]

    private init(_ work: Work) {
        self.work = work
        if case .handlers(let handlers) = work { self.handlers = handlers } else { handlers = [] }
    }

    /// What `root` does with such actions, or `nil` where nothing in it wants any.
    ///
    /// Nodes wait in a list instead of on the stack: a thread's stack may be small, and a tree deep.
    static func make(of root: Node) -> Step? {
        guard root.wants(A.self) else { return nil }
        var open = [(node: root, rest: root.children[...], steps: [Step]())]
        while true {
            let last = open.count - 1
            if let child = open[last].rest.popFirst() {
                if child.wants(A.self) { open.append((child, child.children[...], [])) }
            } else {
                let done = open.removeLast()
                let step = make(of: done.node, outOf: done.steps)
                if open.isEmpty { return step }
                if let step { open[last - 1].steps.append(step) }
            }
        }
    }

    /// What `node` does, given what the nodes under it do.
    private static func make(of node: Node, outOf steps: [Step]) -> Step? {
        switch node.content {
        case .store(let handlers):
            let wanting = handlers.compactMap { $0 as? TypedHandler<A> }
            return wanting.isEmpty ? nil : Step(.handlers(wanting))
        case .list(_, .serial): return serial(steps)
        case .list(_, .concurrent): return concurrent(steps)
        case .hook(let moment, let hook, _):
            return hook.run(for: A.self).map { Step(.hook(moment, $0, steps.first)) } ?? steps.first
        case .transform(let transform, _): return steps.first.map { Step(.transform(transform, $0)) }
        case .inner: return steps.first
        }
    }

    /// One after the other, those that are so themselves flattened: stores become one list of handlers.
    private static func serial(_ steps: [Step]) -> Step? {
        if steps.count < 2 { return steps.first }
        var parts: [Step] = []
        for step in steps.flatMap({ if case .serial(let inner) = $0.work { inner } else { [$0] } }) {
            if case .handlers(let handlers) = step.work, case .handlers(let previous)? = parts.last?.work {
                parts[parts.count - 1] = Step(.handlers(previous + handlers))
            } else {
                parts.append(step)
            }
        }
        return parts.count == 1 ? parts[0] : Step(.serial(parts))
    }

    /// At the same time, those that are so themselves flattened.
    private static func concurrent(_ steps: [Step]) -> Step? {
        if steps.count < 2 { return steps.first }
        return Step(.concurrent(steps.flatMap { if case .concurrent(let inner) = $0.work { inner } else { [$0] } }))
    }

    /// Does it.
    ///
    /// - Throws: What a handler throws, or ``Failures``.
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
        case .hook(let moment, let hook, let inner):
            try await Self.run(inner, within: hook, at: moment, action, frame)
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
        _ steps: [Step],
        _ action: A,
        _ frame: SendFrame
    ) async throws {
        let failures = FailureList()
        await withDiscardingTaskGroup { group in
            for (place, step) in steps.enumerated() {
                group.addTask {
                    do {
                        try await step.run(action, frame)
                    } catch {
                        failures.add(error, at: place)
                    }
                }
            }
        }
        try failures.rethrow()
    }

    @usableFromInline
    static nonisolated(nonsending) func run(
        _ inner: Step?,
        within hook: HookRun<A>,
        at moment: HookMoment,
        _ action: A,
        _ frame: SendFrame
    ) async throws {
        if moment == .pre {
            try await hook.run(action, frame, .success)
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
            let outcome = errors.first.map { MessageOutcome.failure(Failures.reported($0)) } ?? .success
            try await hook.run(action, frame, outcome)
        } catch {
            errors.append(error)
        }
        if !errors.isEmpty { throw errors.count == 1 ? errors[0] : Failures(errors) }
    }
}
