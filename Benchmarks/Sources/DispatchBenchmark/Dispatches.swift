// SPDX-License-Identifier: Apache-2.0

import DispatchSubjects
import HeadraceCommands
import HeadraceCore
import HeadraceResilience
import HeadraceResolution
import Measuring

/// Workloads of the dispatcher.
extension Workload {
    /// Dispatches a command to a fresh handler.
    static func dispatchCommand(among count: Int) -> Workload {
        Workload("command-among-\(count)") {
            let builder = ContainerBuilder()
            builder.commandQueryDispatch().standard(
                commandHandlers: Numbered.handlers(count - 1) + [AddHandler.self]
            )
            let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
            return { iterations in
                for number in 0..<iterations {
                    try await dispatcher.dispatch(Add(amount: number))
                }
            }
        }
    }

    /// Dispatches a query to a fresh handler.
    static let dispatchQuery = Workload("query") {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(queryHandlers: [DoubleHandler.self])
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        return { iterations in
            for number in 0..<iterations {
                consume(try await dispatcher.dispatch(Double(number: number)))
            }
        }
    }

    /// Dispatches a command with a result to a fresh handler.
    static let dispatchCommandWithResult = Workload("command-with-a-result") {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(commandHandlers: [IncrementHandler.self])
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        return { iterations in
            for number in 0..<iterations {
                consume(try await dispatcher.dispatch(Increment(number: number)))
            }
        }
    }

    /// Dispatches a command to a fresh handler in a separate scope.
    static let dispatchInItsOwnScope = Workload("command-in-its-own-scope") {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(commandHandlers: [AddHandler.self], scoping: .perDispatch)
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        return { iterations in
            for number in 0..<iterations {
                try await dispatcher.dispatch(Add(amount: number))
            }
        }
    }

    /// Dispatches a command to a fresh handler through `count` pass-through middleware.
    static func dispatchCommand(through count: Int) -> Workload {
        Workload("command-through-\(count)-middleware") {
            let dispatcher = makeDispatcher(passThroughMiddleware(count))
            return { iterations in
                for number in 0..<iterations {
                    try await dispatcher.dispatch(Add(amount: number))
                }
            }
        }
    }

    /// Dispatches as through one middleware, and calls a handler four times for each of nine more.
    static let dispatchThroughOneAndCall36 = Workload("floor-command-through-1-middleware-and-36-calls") {
        let dispatcher = makeDispatcher(passThroughMiddleware(1))
        return { iterations in
            let handler = AddHandler()
            for number in 0..<iterations {
                try await dispatcher.dispatch(Add(amount: number))
                for _ in 0..<36 { try await handler.handle(Add(amount: number)) }
            }
        }
    }

    /// Dispatches a command to a fresh handler through a closed circuit.
    static let dispatchThroughCircuitBreaker = Workload("command-through-a-circuit-breaker") {
        let dispatcher = makeDispatcher([CircuitBreakerMiddleware(failures: 5, pause: .seconds(30))])
        return { iterations in
            for number in 0..<iterations {
                try await dispatcher.dispatch(Add(amount: number))
            }
        }
    }

    /// Dispatches a command to a fresh handler through an empty bulkhead.
    static let dispatchThroughBulkhead = Workload("command-through-a-bulkhead") {
        let dispatcher = makeDispatcher([BulkheadMiddleware(10)])
        return { iterations in
            for number in 0..<iterations {
                try await dispatcher.dispatch(Add(amount: number))
            }
        }
    }

    private static func makeDispatcher(_ middleware: [any Middleware]) -> any CommandQueryDispatcher {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(commandHandlers: [AddHandler.self], middleware: middleware)
        return builder.build().resolve()
    }
}
