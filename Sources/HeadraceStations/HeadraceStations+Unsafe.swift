// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The task that runs the code of one effect.
///
/// `@unchecked Sendable` is correct although the core, the context, and the end handler aren't `Sendable`. They belong
/// to one actor: the actor that ``launch(on:)`` receives, and on which it is called, as `assumeIsolated` checks. The
/// task that it starts is isolated to the same actor, and so is `perform(on:)`, which runs on its caller's actor. The
/// operation receives a `Pour`, which isn't `Sendable` and stays on the actor, or takes a `RemotePour` from it, which
/// hops to the actor before it calls `deliver(_:)`. So only the thread that runs the actor reaches the values that
/// aren't `Sendable`. The reference to the core is weak; weak references can be read, and their objects freed, on
/// different threads.
final class EffectTask<State, Action: Sendable>: @unchecked Sendable {
    private weak let core: StationCore<State, Action>?
    private let operation: EffectTree<Action>.Operation
    private let node: EffectNode
    private let context: EffectContext
    private let onEnd: StationCore<State, Action>.EndHandler?

    init(
        core: StationCore<State, Action>,
        operation: @escaping EffectTree<Action>.Operation,
        context: EffectContext,
        onEnd: StationCore<State, Action>.EndHandler?
    ) {
        self.core = core
        self.operation = operation
        self.context = context
        self.onEnd = onEnd
        node = EffectNode(within: context.node)
    }

    /// Starts the task.
    ///
    /// It runs when the actor is free, after the tasks that were started before it.
    func launch(on actor: some Actor) {
        actor.assumeIsolated { actor in
            node.attach(Self.start(self, on: core?.taskExecutor, isolation: actor))
        }
    }

    private static func start(
        _ task: EffectTask,
        on taskExecutor: (any TaskExecutor)?,
        isolation: isolated some Actor
    ) -> Task<Void, Never> {
        guard let taskExecutor else {
            return Task {
                _ = isolation
                await task.perform(on: isolation)
            }
        }
        return Task(executorPreference: taskExecutor) {
            _ = isolation
            await task.perform(on: isolation)
        }
    }

    private nonisolated(nonsending) func perform(on actor: any Actor) async {
        var failure: (any Error)?
        // If the core was released, so was the station, and all of its effects are cancelled.
        if !node.isCancelled, let (chain, clock) = surroundings {
            let pour = Pour<Action>(node: node, actor: actor, clock: clock) { self.deliver($0) }
            do {
                if let chain, let action = context.action as? Action {
                    let operation = operation
                    try await chain.run(EffectMessage(action: action), kind: .effect) { _ in
                        try await operation(pour)
                    }
                } else {
                    try await MessageContext.handlingNew(.effect, type: EffectMessage<Action>.self) {
                        try await operation(pour)
                    }
                }
            } catch {
                if !node.isCancelled { failure = error }
            }
            node.makeFinalDeliveries()
        }
        node.end()
        if let failure { context.completion.fail(failure) }
        if let core {
            let isDone = failure == nil && !node.isCancelled
            core.effectEnded(context, isDone: isDone, failure: failure, onEnd: onEnd)
        } else {
            // The effects that should follow can't start any more, but their completions must end.
            onEnd?(false)
        }
        context.completion.end()
    }

    /// The chain of the station, if it isn't empty, and the clock; `nil` if the core was released.
    private var surroundings: (chain: MiddlewareChain?, clock: any TimeSource)? {
        guard let core else { return nil }
        return (core.chain.isEmpty ? nil : core.chain, core.clock)
    }

    private func deliver(_ action: Action) {
        if node.isActive { core?.deliver(action, countingTo: context.completion) }
    }
}

/// The offset of a stored property in a value.
///
/// Access by the offset takes a tenth of the time of access by the key path.
@usableFromInline
struct PropertyOffset<Root, Value> {
    @usableFromInline let offset: Int

    /// Finds the offset of the property; `nil` if the property is computed, observed, or in an object.
    @usableFromInline
    init?(_ path: WritableKeyPath<Root, Value>) {
        guard let offset = MemoryLayout<Root>.offset(of: path) else { return nil }
        self.offset = offset
    }

    /// Changes the property of `root` in place.
    ///
    /// This is safe because `MemoryLayout.offset(of:)` guarantees that each `Root` in memory has a value of the type
    /// `Value` at this offset, and that the value can be read and written directly. The pointer doesn't leave the
    /// closure, during which `root` is accessed exclusively.
    @inlinable
    func modify(_ root: inout Root, _ body: (inout Value) -> Void) {
        unsafe withUnsafeMutablePointer(to: &root) { pointer in
            let property = unsafe UnsafeMutableRawPointer(pointer).advanced(by: offset)
            unsafe body(&property.assumingMemoryBound(to: Value.self).pointee)
        }
    }
}
