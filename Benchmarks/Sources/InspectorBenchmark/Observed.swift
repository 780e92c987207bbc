//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

    /// An inspector without an open page.
    static let observedByIdleInspector = observed("command-with-an-idle-inspector", by: [Inspector().observer])

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

    /// One pass-through middleware, and an inspector without an open page.
    static let observedByIdleInspectorBehindMiddleware = observed(
        "the-same-with-an-idle-inspector",
        by: [Inspector().observer],
        through: 1
    )

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

private struct NoOp: MessageObserver {
    let isListening: Bool

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}
}
