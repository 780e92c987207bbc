//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Headrace
import Hummingbird
import LedgerApplication

/// The routes for standing orders.
struct StandingOrderRoutes: Sendable {
    let dispatcher: any CommandQueryDispatcher
    let limits: LedgerServerLimits

    var routes: [LedgerRoute] {
        [
            .put("/api/standing-orders/{id}") { reader in
                let id = try reader.id("standing order")
                let request = try await reader.json(StandingOrderRequest.self, limits: limits)
                try await dispatcher.dispatch(try request.command(id: id))
                return Response(status: .noContent)
            }
        ]
    }
}
