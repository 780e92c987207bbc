// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Passes the actions of a sequence to the services under the modifier, one at a time.
    ///
    /// The emitter requests the next action after the services have handled the previous action. Services elsewhere in the tree
    /// don't receive emitted actions, but the services under the emitter can send actions to the whole cluster. The modifiers
    /// around the emitter apply to its actions in the usual way: `pre` runs before the services, `post` and `observe` run after
    /// them, and `transformError` turns their errors into actions. A remaining error is logged, and the emitter continues. An
    /// error of the sequence ends the emitter: the error is transformed by a `transformError` around the emitter, or it is
    /// logged and ``Bootstrap/run()`` throws it.
    ///
    /// - Parameters:
    ///   - source: The sequence. The cluster retains it until it ends. When the cluster is released, the task that waits for
    ///     the sequence is cancelled.
    ///   - consumeAtBootstrap: Whether ``Bootstrap`` consumes the whole sequence before its initializer returns, and throws
    ///     the first error. Otherwise the emitter starts when the initializer returns.
    /// - Returns: The service with the modifier.
    public func emit<Source: AsyncSequence & Sendable>(
        using source: Source,
        consumeAtBootstrap: Bool = false
    ) -> ModifiedService<Self> where Source.Element: Action, Source.AsyncIterator: SendableMetatype {
        emit(consumeAtBootstrap: consumeAtBootstrap) { source }
    }

    /// Passes the actions of a sequence to the services, as `emit(using:consumeAtBootstrap:)`, with actions of several types.
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

    /// Passes the actions of a sequence to the services, as `emit(using:consumeAtBootstrap:)`, and creates the sequence on demand.
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

    /// Passes an action to the services under the modifier repeatedly; the first after one interval.
    ///
    /// An action that takes longer than the interval delays the next action. Missed actions aren't repeated. For errors and
    /// modifiers see `emit(using:consumeAtBootstrap:)`.
    ///
    /// - Parameters:
    ///   - interval: The time before each action.
    ///   - clock: The clock that measures the interval. A test can pass a clock that it advances itself.
    ///   - makeAction: Returns the action.
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
            let (findings, path, modifiers) = (context.findings, context.path, context.modifiers)
            return { base in
                let node = modifiers.reversed().reduce(base) { TreeNode(.modified($0, $1)) }
                findings.emitters.append(
                    Emitter(
                        pump: pump,
                        isConsumedFirst: isConsumedFirst,
                        path: path,
                        table: RoutingTable(node),
                        transforms: modifiers.compactMap {
                            if case .transform(let transform) = $0 { transform } else { nil }
                        }
                    )
                )
                // A modifier for all action types, for example a logger, doesn't count as a handler of this type.
                let isNamed = modifiers.contains {
                    if case .interceptor(_, let interceptor) = $0, let type = interceptor.actionType {
                        type == action
                    } else {
                        false
                    }
                }
                if let action, !isNamed, !base.wants(action) {
                    findings.note(.unheard(action, at: path, from: "emit"))
                }
                let remark = action.map { "emits \(String(shortNaming: $0))" } ?? "emits"
                return TreeNode(.inner(base), label: .remark(remark))
            }
        }
    }
}
