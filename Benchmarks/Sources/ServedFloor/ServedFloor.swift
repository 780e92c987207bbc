// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import Logging
import NIOCore

/// The floors of the served ledger.
///
/// They are a bare Hummingbird server that answers a constant, a server that writes the rows of a transfer with raw
/// GRDB and hand-written group commit, and the rows of an import, written with raw GRDB.
@main
struct ServedFloor {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 3, arguments[1] == "serve", let port = Int(arguments[3]) {
            try await serve(GroupWriter(path: arguments[2]), port: port)
        } else if arguments.count == 3, arguments[1] == "copy" {
            let rows = try RowCopy(of: arguments[2])
            let seconds = try rows.write(to: arguments[3])
            print("\(rows.count) rows \(rows.batchCount) commits \(seconds) seconds")
        } else {
            print("usage: served-floor serve DATABASE PORT\n       served-floor copy BOOKS NEW-DATABASE")
        }
    }

    private static func serve(_ writer: GroupWriter, port: Int) async throws {
        let router = Router()
        router.get("api/accounts") { _, _ in
            "{\"accounts\":[\"assets:bank\",\"assets:cash\",\"expenses:food\",\"income\"]}"
        }
        router.post("api/transactions") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let transfer = try JSONDecoder().decode(Transfer.self, from: Data(body.readableBytesView))
            try await writer.write(transfer)
            return HTTPResponse.Status.created
        }
        var logger = Logger(label: "floor")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger
        )
        try await application.runService()
    }
}
