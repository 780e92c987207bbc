// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceHummingbird
import HeadraceInspector
import Hummingbird
import Logging

@main
struct Program {
    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let logger = Logger(label: "seats")
        let store = try SQLiteStore(path: "seats.sqlite", entities: entities)
        let inspector = Inspector()
        let container = try makeContainer(
            store: store,
            mailer: Mailer { logger.info("Mail: \($0)") },
            inspector: inspector
        )
        inspector.show(container.graph)
        inspector.show(store)

        let router = makeRouter(container: container, inspector: inspector)
        let application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
        let server = HeadraceServer(services: [container.resolve(Relay.self)], application: application) {
            try store.close()
        }
        try await server.run()
    }
}
