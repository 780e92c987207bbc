// SPDX-License-Identifier: Apache-2.0

import DispatchSubjects
import HeadraceCommands
import HeadraceCore
import HeadraceInspector
import HeadraceResolution
import Measuring

/// Workloads that dispatch a command to a fresh handler, with one observer or none.
extension Workload {
    /// The direct path, without an observer.
    static let unobserved = observed("command", by: [])

    /// An observer that does not listen.
    static let observedByNobodyWhoListens = observed("command-with-a-deaf-observer", by: [NoOp(isListening: false)])

    /// An observer that listens and does nothing.
    static let observedByOneWhoListens = observed("command-with-an-observer", by: [NoOp(isListening: true)])

    /// An inspector without an open page and without a history.
    static let observedByIdleInspector = observed("command-with-an-idle-inspector", by: [idleInspector.observer])

    /// An inspector with an open page.
    static let observedByWatchedInspector = Workload("command-with-a-watched-inspector") {
        let inspector = Inspector()
        let routes = InspectorRoutes(inspector)
        let dispatcher = makeDispatcher([inspector.observer])
        return { iterations in
            let look = InspectorRequest(
                method: "GET",
                target: "/api/overview",
                headers: [("Host", "localhost"), ("Authorization", "Bearer \(routes.bearerToken)")]
            )
            _ = await routes.respond(to: look)
            for number in 0..<iterations { try await dispatcher.dispatch(Add(amount: number)) }
        }
    }

    /// One pass-through middleware, without an observer.
    static let throughMiddleware = observed("command-through-1-middleware", by: [], through: 1)

    /// One pass-through middleware, and an inspector without an open page and without a history.
    static let observedByIdleInspectorBehindMiddleware = observed(
        "the-same-with-an-idle-inspector",
        by: [idleInspector.observer],
        through: 1
    )

    /// One pass-through middleware, and an inspector without an open page that keeps a history, at more messages each second
    /// than it records.
    ///
    /// The clock of the inspector stands still, because the number of recorded messages would depend on the speed of the machine.
    static let keptByInspectorBehindMiddleware = Workload("the-same-with-a-history-under-load") {
        let inspector = Inspector(clock: StoppedClock())
        let dispatcher = makeDispatcher([inspector.observer], through: 1)
        return { iterations in
            while inspector.observer.isListening { try await dispatcher.dispatch(Add(amount: 0)) }
            for number in 0..<iterations { try await dispatcher.dispatch(Add(amount: number)) }
        }
    }

    /// The same at fewer messages each second: each message is recorded.
    static let recordedByInspectorBehindMiddleware = observed(
        "the-same-with-every-message-kept",
        by: [generousInspector.observer],
        through: 1
    )

    private static let idleInspector = inspector { $0.retention = .zero }

    private static let generousInspector = inspector { $0.retention = .nanoseconds(1) }

    private static func inspector(_ change: (inout InspectorConfiguration) -> Void) -> Inspector {
        var configuration = InspectorConfiguration()
        change(&configuration)
        return Inspector(configuration: configuration)
    }

    private static func observed(
        _ name: String,
        by observers: [any MessageObserver],
        through middleware: Int = 0
    ) -> Workload {
        Workload(name) {
            let dispatcher = makeDispatcher(observers, through: middleware)
            return { iterations in
                for number in 0..<iterations { try await dispatcher.dispatch(Add(amount: number)) }
            }
        }
    }

    private static func makeDispatcher(
        _ observers: [any MessageObserver],
        through middleware: Int = 0
    ) -> any CommandQueryDispatcher {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddHandler.self],
            middleware: passThroughMiddleware(middleware),
            observers: observers
        )
        return builder.build().resolve()
    }
}

/// A clock that stands still, and takes as long to read as the real clock.
private struct StoppedClock: TimeSource {
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant { min(start, ContinuousClock.now) }

    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
    }
}

private struct NoOp: MessageObserver {
    let isListening: Bool

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}
}
