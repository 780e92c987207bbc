//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import HeadraceInspector
import Hummingbird
import Logging
import ServiceLifecycle

@main
struct Program {
    static func main() async throws {
        let logger = Logger(label: "seats")
        let store = try SQLiteStore(path: "seats.sqlite", entities: [Seat.self])
        let inspector = Inspector()
        let container = try makeContainer(
            store: store,
            mailer: Mailer { logger.info("Mail: \($0)") },
            inspector: inspector
        )
        inspector.show(container.graph)
        inspector.show(store)

        let routes = InspectorRoutes(inspector, basePath: "/inspector")
        let server = Application(
            router: makeRouter(dispatcher: container.resolve(), inspector: routes),
            configuration: .init(address: .hostname("127.0.0.1", port: 8080)),
            logger: logger
        )
        print("Inspector: http://127.0.0.1:8080\(routes.signInPath)")

        // A service group stops its services in reverse order: the server first.
        let relay: Relay = container.resolve()
        let group = ServiceGroup(
            services: [relay, server],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await group.run()
        try store.close()
    }
}
