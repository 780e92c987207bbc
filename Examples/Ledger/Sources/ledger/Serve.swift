//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import Headrace
import LedgerServer

/// Serves the books: an HTTP API and a page that is live.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the books to browsers and other programs.",
        discussion: """
            Prints its address when it is ready. Ends within two seconds on an interrupt (Control-C) or a termination \
            signal; what is being imported is gone on with when it is started again.
            """
    )

    @OptionGroup var database: DatabaseOption

    @Option(help: "The port; 0 for one that is free.")
    var port: UInt16 = 8080

    @Option(
        help: "The address to listen on. Others than this machine can reach the server where it is not a local one.")
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("A name by which browsers may call the server; may be repeated.", valueName: "name"))
    var allowHost: [String] = []

    @Option(help: ArgumentHelp("Where each posted transaction is told by a POST request.", valueName: "url"))
    var webhook: String?

    @Flag(help: "Serve an inspector of what goes on, too; its address is printed, with a token in it.")
    var inspect = false

    @Flag(help: "Let the inspector deliver dead letters again, and discard them.")
    var inspectWrites = false

    func validate() throws {
        if let webhook, Self.url(webhook) == nil {
            throw ValidationError("'\(Report.printable(webhook))' is not the URL of a web server.")
        }
    }

    func run() async throws {
        var configuration = LedgerServer.Configuration(database: database.path)
        configuration.host = host
        configuration.port = Int(port)
        configuration.allowedHosts = allowHost
        configuration.webhook = webhook.flatMap(Self.url)
        let inspector = inspect || inspectWrites ? Inspector(configuration: Self.inspection) : nil
        let server = try Failure.telling { [configuration] in try LedgerServer(configuration, inspector: inspector) }
        let beside = inspector.map { inspector in
            InspectorServer(inspector, allowsWrites: inspectWrites) { Self.say("Its inspector is at \($0)") }
        }
        try await Failure.telling {
            try await server.run(beside: beside.map { [$0] } ?? []) { Self.say("The ledger is served at \($0)") }
        }
    }

    /// What an inspector shows besides types and names: the routes that are called, and why something failed.
    private static var inspection: InspectorConfiguration {
        var configuration = InspectorConfiguration()
        configuration.redaction.message = { ($0 as? WebRequest)?.description }
        configuration.redaction.failure = { $0 }
        return configuration
    }

    /// Writes a line at once; printed, it would wait in a buffer where it goes into a file or a pipe.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else { return nil }
        return url
    }
}
