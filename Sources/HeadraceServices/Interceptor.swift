// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Runs `handler` before the services under the modifier handle an action, for every action type.
    ///
    /// If `handler` throws, the services don't receive the action, and the error counts as theirs.
    public func pre(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.pre) { action, _ in try await handler(action) }
    }

    /// Runs `handler` before the services handle an action of exactly this type; see ``pre(_:)``.
    public func pre<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.pre, on: type) { action, _ in try await handler(action) }
    }

    /// Runs `handler` after the services under the modifier have handled an action, for every action type.
    ///
    /// It also runs if the services failed or the sender was cancelled. An error of `handler` is reported in addition to theirs.
    public func post(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post) { action, _ in try await handler(action) }
    }

    /// Runs `handler` with the outcome after the services have handled an action; see `post(_:)`.
    public func post(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post) { action, outcome in try await handler(action, outcome) }
    }

    /// Runs `handler` after the services have handled an action of exactly this type; see `post(_:)`.
    public func post<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post, on: type) { action, _ in try await handler(action) }
    }

    /// Runs `handler` with the outcome after the services have handled an action of exactly this type; see `post(_:)`.
    public func post<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting(.post, on: type) { action, outcome in try await handler(action, outcome) }
    }

    /// Observes every action after the services under the modifier have handled it, whether or not they failed.
    ///
    /// Use it for logs and for state shown elsewhere. The observer runs in the task of the services, before `send` returns, and
    /// can't affect the result; use ``pre(_:)`` and `post(_:)` for that. Actions of emitters under the modifier are included.
    public func observe(
        _ observer: nonisolated(nonsending) @escaping @Sendable (any Action) async -> Void
    ) -> ModifiedService<Self> {
        intercepting(.observe) { action, _ in await observer(action) }
    }

    /// Observes the actions of exactly this type; see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable (A) async -> Void
    ) -> ModifiedService<Self> {
        intercepting(.observe, on: type) { action, _ in await observer(action) }
    }

    /// Observes that an action of exactly this type was handled, without receiving the action; see `observe(_:)`.
    public func observe<A: Action>(
        on type: A.Type,
        _ observer: nonisolated(nonsending) @escaping @Sendable () async -> Void
    ) -> ModifiedService<Self> {
        intercepting(.observe, on: type) { _, _ in await observer() }
    }

    /// Dispatches a message, for example a command, after the services under the modifier have handled an action of this type.
    ///
    /// ```swift
    /// CartService()
    ///     .dispatch(on: CheckOut.self) { action in
    ///         PlaceOrder(id: action.orderID)
    ///     } with: { command in
    ///         try await dispatcher.dispatch(command)
    ///     }
    /// ```
    ///
    /// If a service fails, nothing is dispatched. An error of `dispatch` counts as an error of the services.
    ///
    /// - Parameters:
    ///   - type: The exact type of the actions.
    ///   - makeMessage: Returns the message, or `nil` to dispatch nothing.
    ///   - dispatch: Dispatches the message.
    /// - Returns: The service with the modifier.
    public func dispatch<A: Action, Message: Sendable>(
        on type: A.Type,
        _ makeMessage: @escaping @Sendable (A) -> Message?,
        with dispatch: nonisolated(nonsending) @escaping @Sendable (Message) async throws -> Void
    ) -> ModifiedService<Self> {
        post(on: type) { action, outcome in
            guard case .success = outcome, let message = makeMessage(action) else { return }
            try await dispatch(message)
        }
    }

    /// Returns the service with an interceptor of all actions around it.
    private func intercepting(
        _ phase: Interceptor.Phase,
        _ operation: nonisolated(nonsending) @escaping @Sendable (any Action, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting { Interceptor(phase, ofType: nil, at: $0, operation) }
    }

    /// Returns the service with an interceptor of the actions of exactly this type around it.
    private func intercepting<A: Action>(
        _ phase: Interceptor.Phase,
        on type: A.Type,
        _ operation: nonisolated(nonsending) @escaping @Sendable (A, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        intercepting { Interceptor(phase, on: type, at: $0, operation) }
    }

    private func intercepting(
        _ makeInterceptor: @escaping @MainActor (ServiceSite) -> Interceptor
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let modifier = ServiceNode.Modifier.interceptor(makeInterceptor(context.site))
            context.modifiers.append(modifier)
            return { ServiceNode(.modified($0, modifier)) }
        }
    }
}

/// A `pre`, `post`, or `observe` modifier.
struct Interceptor: Sendable {
    /// When an interceptor runs: before the services under it, or after them.
    ///
    /// An observer can't affect the result.
    enum Phase: Sendable { case pre, observe, post }

    let phase: Phase

    /// The action type that the interceptor handles, or `nil` for all.
    let actionType: (any Action.Type)?

    private let operation:
        nonisolated(nonsending) @Sendable (any Action, SendFrame, MessageOutcome) async throws -> Void

    init(
        _ phase: Phase,
        ofType actionType: (any Action.Type)?,
        at site: ServiceSite,
        _ operation: nonisolated(nonsending) @escaping @Sendable (any Action, MessageOutcome) async throws -> Void
    ) {
        self.phase = phase
        self.actionType = actionType
        self.operation = { action, frame, outcome in
            try await site.scoped(frame) { try await operation(action, outcome) }
        }
    }

    init<A: Action>(
        _ phase: Phase,
        on type: A.Type,
        at site: ServiceSite,
        _ operation: nonisolated(nonsending) @escaping @Sendable (A, MessageOutcome) async throws -> Void
    ) {
        self.init(phase, ofType: type, at: site) { action, outcome in
            if let action = action as? A { try await operation(action, outcome) }
        }
    }

    /// Passes an action to the services under the modifier, and runs the operation if it handles the type.
    nonisolated(nonsending) func run<A: Action>(
        _ action: A,
        _ frame: SendFrame,
        around inner: ServiceNode
    ) async throws {
        if let actionType, actionType != A.self { return try await inner.run(action, frame) }
        if phase == .pre {
            try await operation(action, frame, .success)
            return try await inner.run(action, frame)
        }

        var errors: [any Error] = []
        do {
            try await inner.run(action, frame)
        } catch {
            errors = [error]
        }
        do {
            let outcome = errors.first.map { MessageOutcome.failure(CollectedFailures.reported($0)) } ?? .success
            try await operation(action, frame, outcome)
        } catch {
            errors.append(error)
        }
        if !errors.isEmpty { throw errors.count == 1 ? errors[0] : CollectedFailures(errors) }
    }
}
