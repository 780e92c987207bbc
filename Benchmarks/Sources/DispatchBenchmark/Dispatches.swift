//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DispatchSubjects
import HeadraceCommands
import HeadraceResolution
import Measuring

/// What the dispatcher does.
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
}
