//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// An effect and the core that it belongs to, on their way into the task that carries it out.
///
/// Why `@unchecked Sendable` is right here, though the core, the setting and the completion are not `Sendable`: they
/// belong to one actor, the one that `launch(on:)` is given and on which, as `assumeIsolated` checks, it is called.
/// The task that it starts is isolated to that same actor, and `perform(on:)` to its caller, hence too. What is handed out to
/// the operation is a `Pour`, which is not `Sendable` and stays on the actor, or a `RemotePour`, which hops to it before
/// it calls `deliver(_:)`. So only one thread at a time reaches what is not `Sendable`: the one on which the actor is.
/// The reference to the core is weak: a weak reference may be read, and the object freed, on different threads.
final class EffectTicket<State, Action: Sendable>: @unchecked Sendable {
    private weak let core: StationCore<State, Action>?
    private let operation: EffectTree<Action>.Operation
    private let run: EffectRun
    private let setting: Setting
    private let completion: StationCore<State, Action>.Completion?
    private let lifetime: Lifetime

    init(
        core: StationCore<State, Action>,
        operation: @escaping EffectTree<Action>.Operation,
        run: EffectRun,
        setting: Setting,
        completion: StationCore<State, Action>.Completion?
    ) {
        self.core = core
        self.operation = operation
        self.run = run
        self.setting = setting
        self.completion = completion
        lifetime = core.lifetime
    }

    /// Starts the task; it begins when the actor is free, after those that were started before it.
    func launch(on actor: some Actor) {
        actor.assumeIsolated { actor in
            run.attach(Self.start(self, on: core?.taskExecutor, isolation: actor))
        }
    }

    private static func start(
        _ ticket: EffectTicket,
        on taskExecutor: (any TaskExecutor)?,
        isolation: isolated some Actor
    ) -> Task<Void, Never> {
        guard let taskExecutor else {
            return Task {
                _ = isolation
                await ticket.perform(on: isolation)
            }
        }
        return Task(executorPreference: taskExecutor) {
            _ = isolation
            await ticket.perform(on: isolation)
        }
    }

    private nonisolated(nonsending) func perform(on actor: any Actor) async {
        var failure: (any Error)?
        // Where the core is gone, so is the station, and all of its effects are cancelled.
        if !run.isCancelled, let (chain, clock) = core.map({ ($0.chain.isEmpty ? nil : $0.chain, $0.clock) }) {
            let pour = Pour<Action>(run: run, actor: actor, clock: clock) { self.deliver($0) }
            do {
                if let chain, let action = setting.action as? Action {
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
                if !run.isCancelled { failure = error }
            }
            run.deliverTheRest()
        }
        run.end()
        lifetime.remove(run)
        if let failure { setting.activity.fail(failure) }
        if let core {
            core.ended(run, setting, failure: failure, completion: completion)
        } else {
            // Nobody is left but those who wait for what was to follow.
            completion?(false)
        }
        setting.activity.end(run)
    }

    private func deliver(_ action: Action) {
        if !run.mayPour { return }
        core?.deliver(action, activity: setting.activity)
    }
}
