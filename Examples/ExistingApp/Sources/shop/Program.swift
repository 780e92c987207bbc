// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

@main
struct Program {
    static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("\((error as? Refusal)?.reason ?? "\(error)")\n".utf8))
            exit(1)
        }
    }

    private static func run() async throws {
        let mails = MailFile(path: "mails.txt")
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["mails"] { return await mails.lines.forEach { print($0) } }

        #if Postgres
        // Other programs write to this database: see order.sql.
        if let url = ProcessInfo.processInfo.environment["SHOP_DATABASE"] {
            let store = try await PostgresStore(url: url, entities: [])
            let container = try makeContainer(store: store, mailer: mails, sales: .postgres)
            return try await deliver(by: container.resolve(), arguments)
        }
        #endif
        let shop = try Shop(path: "shop.sqlite", mailer: mails)
        switch (arguments.first, arguments.count) {
        case ("order", 3): print("Order \(try await shop.order(arguments[2], for: arguments[1]))")
        case ("ship", 2): try await shop.ship(Int64(arguments[1]) ?? 0)
        default: try await deliver(by: shop.container.resolve(), arguments)
        }
    }

    private static func deliver(by relay: Relay, _ arguments: [String]) async throws {
        switch arguments {
        case ["work"]: try await relay.run()
        case ["deliver"]:
            async let running: Void = relay.run()
            try await relay.untilIdle()
            relay.shutDown()
            try await running
        default: print("Usage: shop order CUSTOMER ITEM | ship ORDER | work | deliver | mails")
        }
    }
}
