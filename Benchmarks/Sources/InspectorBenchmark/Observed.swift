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

/// A command to a fresh handler, seen by one observer or by none.
extension Workload {
    /// Nobody is told: the direct path.
    static let unobserved = observed("command", by: [])

    /// The observer is asked whether it listens, and does not.
    static let observedByNobodyWhoListens = observed("command-with-a-deaf-observer", by: [NoOp(isListening: false)])

    /// The observer is told, and does nothing.
    static let observedByOneWhoListens = observed("command-with-an-observer", by: [NoOp(isListening: true)])

    /// Nobody looks at the inspector.
    static let observedByIdleInspector = observed("command-with-an-idle-inspector", by: [Inspector().observer])

    /// Somebody looks at the inspector.
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

    /// Nobody is told, and one middleware lets the command pass.
    static let throughMiddleware = observed("command-through-1-middleware", by: [], through: 1)

    /// The same, and nobody looks at the inspector.
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
