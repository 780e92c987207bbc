//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Service {
    /// Gives the actions of a sequence to the services under it, one after the other.
    ///
    /// The emitter asks for the next action when the services have handled the one before. Services elsewhere in the tree
    /// don't handle it; the services under the emitter may send actions to all. The modifiers around the emitter apply to its
    /// actions as to those that are sent: `pre` comes before the services, `post` and `observe` come after them, and
    /// `transformError` turns their errors into actions. An error that is left is logged, and the next action comes. A
    /// sequence that fails ends the emitter: its error is transformed above, or logged, and ``Bootstrap/run()`` throws it.
    ///
    /// - Parameters:
    ///   - source: The sequence. The services keep it until it ends, and cancel the task that waits for it when the cluster
    ///     is released.
    ///   - consumeAtBootstrap: Whether the whole sequence is consumed before the cluster is there; then ``Bootstrap`` throws
    ///     what goes wrong. Otherwise it begins as soon as the cluster is there.
    /// - Returns: The service with the modifier.
    public func emit<Source: AsyncSequence & Sendable>(
        using source: Source,
        consumeAtBootstrap: Bool = false
    ) -> ModifiedService<Self> where Source.Element: Action, Source.AsyncIterator: SendableMetatype {
        emit(consumeAtBootstrap: consumeAtBootstrap) { source }
    }

    /// As `emit(using:consumeAtBootstrap:)`, with actions of several types.
    @_disfavoredOverload
    public func emit<Source: AsyncSequence & Sendable>(
        using source: Source,
        consumeAtBootstrap: Bool = false
    ) -> ModifiedService<Self> where Source.Element == any Action, Source.AsyncIterator: SendableMetatype {
        emitting(nil, consumeAtBootstrap) { take in
            for try await action in source {
                guard try await take(action) else { return }
            }
        }
    }

    /// As `emit(using:consumeAtBootstrap:)`, with a sequence that is made when it is to be consumed.
    public func emit<Source: AsyncSequence & SendableMetatype>(
        consumeAtBootstrap: Bool = false,
        from makeSource: @escaping @Sendable () async throws -> Source
    ) -> ModifiedService<Self> where Source.Element: Action, Source.AsyncIterator: SendableMetatype {
        emitting(Source.Element.self, consumeAtBootstrap) { take in
            for try await action in try await makeSource() {
                guard try await take(action) else { return }
            }
        }
    }

    /// Gives an action to the services under it again and again, the first when one interval has passed.
    ///
    /// For the rest see `emit(using:consumeAtBootstrap:)`. Actions that take longer than the interval delay the
    /// next one; none are made up for.
    ///
    /// - Parameters:
    ///   - interval: How long it waits before each action.
    ///   - clock: What it waits on; a test has one that it moves itself.
    ///   - makeAction: Makes the action.
    /// - Returns: The service with the modifier.
    public func emit<A: Action>(
        every interval: Duration,
        on clock: any TimeSource = ContinuousClock(),
        _ makeAction: @escaping @Sendable () -> A
    ) -> ModifiedService<Self> {
        emitting(A.self, false) { take in
            while !Task.isCancelled {
                try await clock.sleep(until: clock.now.advanced(by: interval), tolerance: nil)
                guard try await take(makeAction()) else { return }
            }
        }
    }

    private func emitting(
        _ action: (any Action.Type)?,
        _ isConsumedFirst: Bool,
        _ pump: @escaping Emitter.Pump
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let (collector, path, surroundings) = (context.collector, context.path, context.surroundings)
            return { base in
                let node = surroundings.reversed().reduce(base) { $1.node(around: $0) }
                collector.emitters.append(
                    Emitter(
                        pump: pump,
                        isConsumedFirst: isConsumedFirst,
                        path: path,
                        index: PlanIndex(node),
                        transforms: surroundings.compactMap {
                            if case .transform(let transform) = $0 { transform } else { nil }
                        }
                    )
                )
                // A modifier for all actions, a logger for example, doesn't handle this one.
                let isNamed = surroundings.contains {
                    if case .hook(_, let hook) = $0, let type = hook.actionType { type == action } else { false }
                }
                if let action, !isNamed, !base.wants(action) {
                    collector.note(.unheard(action, at: path, from: "emit"))
                }
                let remark = action.map { "emits \(TypeNames.short($0))" } ?? "emits"
                return Node(.inner(base), label: .remark(remark))
            }
        }
    }
}
