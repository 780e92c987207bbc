//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import Headrace
import LedgerApplication
import LedgerServer

/// Serves the ledger by an HTTP API and a live web page.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the ledger to browsers and other programs.",
        discussion: """
            Prints the address when the server is ready. On an interrupt (Control-C) or a termination signal, it ends \
            within two seconds. The next start continues the imports.

            With a PostgreSQL database, several processes on several machines can serve the same ledger.
            """
    )

    @OptionGroup var database: DatabaseOption

    @Option(help: "The port; 0 for any free port.")
    var port: UInt16 = 8080

    @Option(
        help: "The address to listen on. If it isn't a local address, other machines can reach the server.")
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("An additional host name of the server; may be repeated.", valueName: "name"))
    var allowHost: [String] = []

    @Option(help: ArgumentHelp("The URL that receives each posted transaction by a POST request.", valueName: "url"))
    var webhook: String?

    @Flag(help: "Serve the inspector, too. Its address, with a token, is printed.")
    var inspect = false

    @Flag(help: "Allow the inspector to replay and discard dead letters.")
    var inspectWrites = false

    func validate() throws {
        if let webhook, Self.url(webhook) == nil {
            throw ValidationError(
                "'\(Report.printable(webhook))' isn't the URL of a web server. To fix, use an 'http' or 'https' URL.")
        }
    }

    func run() async throws {
        var configuration = LedgerServerConfiguration(database: database.location)
        configuration.host = host
        configuration.port = Int(port)
        configuration.allowedHosts = allowHost
        configuration.webhook = webhook.flatMap(Self.url)
        configuration.inspectorAllowsWrites = inspectWrites
        let inspector = inspect || inspectWrites ? Inspector(configuration: Self.inspection) : nil
        let server = try await CommandFailure.telling { [configuration] in
            try await LedgerServer(configuration, inspector: inspector)
        }
        try await CommandFailure.telling {
            try await server.run {
                Self.say("The ledger is served at \($0)")
            } onInspecting: {
                Self.say("Its inspector is at \($0)")
            }
        }
    }

    /// The configuration of the inspector.
    ///
    /// In addition to types, it shows transactions, imports, standing orders, and the reasons of failures. Its address
    /// contains a token.
    private static var inspection: InspectorConfiguration {
        var configuration = InspectorConfiguration(
            showing: PostTransaction.self, TransactionPosted.self, ImportChanged.self, JournalImported.self,
            PlaceStandingOrder.self, StandingOrderPlaced.self, StandingOrderPaid.self, StandingOrderRefused.self
        )
        configuration.redaction.failure = { $0 }
        return configuration
    }

    /// Writes a line without buffering, because output to a file or a pipe is buffered otherwise.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else { return nil }
        return url
    }
}
