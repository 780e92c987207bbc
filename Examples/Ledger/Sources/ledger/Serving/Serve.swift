//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Configuration
import Foundation
import Headrace
import HeadraceInspector
import LedgerApplication
import LedgerServer
import Logging

/// Serves the ledger by an HTTP API and a live web page.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the ledger to browsers and other programs.",
        discussion: """
            Prints the address when the server is ready. On an interrupt (Control-C) or a termination signal, it ends \
            within two seconds. The next start continues the imports.

            On any address but a local one, the server needs users: 'ledger token NAME' prints a token, and a file of \
            such lines is the value of '--token-file', or the lines are in the environment variable LEDGER_SERVE_TOKENS, \
            separated by commas. The server has no TLS, so put a proxy with TLS in front of it.

            Each option can also be an environment variable, such as LEDGER_SERVE_ALLOW_HOST, or a member of the JSON file of \
            '--config', such as {"allow-host": ["books.example"], "limits": {"connections": 1000}}. A flag has precedence \
            over a variable, and a variable over the file. The file also has the limits 'connections', 'event-streams', \
            'body-bytes', 'journal-bytes', 'uploads', and 'open-imports'.

            With a PostgreSQL database, several processes on several machines can serve the same ledger.
            """
    )

    @OptionGroup var database: DatabaseOption

    @Option(help: "The port; 0 for any free port. (default: 8080)")
    var port: UInt16?

    @Option(
        help: """
            The address to listen on. If it isn't a local address, other machines can reach the server. (default: 127.0.0.1)
            """)
    var host: String?

    @Option(help: ArgumentHelp("An additional host name of the server; may be repeated.", valueName: "name"))
    var allowHost: [String] = []

    @Option(help: ArgumentHelp("The URL that receives each posted transaction by a POST request.", valueName: "url"))
    var webhook: String?

    @Option(
        help: ArgumentHelp("The file with the users, one 'name:token' in each line.", valueName: "path"),
        completion: .file())
    var tokenFile: String?

    @Flag(inversion: .prefixedNo, help: "Serve the inspector, too. Its address, with a token, is printed.")
    var inspect: Bool?

    @Flag(inversion: .prefixedNo, help: "Allow the inspector to change deliveries, dead letters, and subscriptions.")
    var inspectWrites: Bool?

    @Option(
        help: ArgumentHelp(
            "The folder in which the inspector keeps its messages of the last day. (default: none, in memory only)",
            valueName: "path"),
        completion: .directory)
    var inspectHistory: String?

    @Option(
        help: ArgumentHelp(
            """
            The minimum level of the log on the standard error: trace, debug, info (one line for each request), notice, \
            warning, error, or critical. (default: info)
            """,
            valueName: "level"
        ))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file. (default: the environment variable LEDGER_SERVE_CONFIG)", valueName: "path"),
        completion: .file(extensions: ["json"]))
    var config: String?

    func validate() throws {
        do {
            _ = try ServeSettings(flags: flags.filter { $0.key != .tokenFile }, environment: [:], file: nil)
        } catch let error as SettingError {
            throw ValidationError(Report.printable(error.message))
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let variable = environment[Setting.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
        let settings = try CommandFailure.telling {
            try ServeSettings(flags: flags, environment: environment, file: config ?? variable)
        }
        var logger = Logger(label: "ledger")
        logger.logLevel = settings.logLevel
        let history = Self.history(in: settings.inspectorHistory, logger)
        let inspector = settings.isInspected ? Inspector(configuration: Self.inspection, history: history) : nil
        let server = try await CommandFailure.telling { [logger] in
            try await LedgerServer(settings.server, inspector: inspector, inspectorHistory: history, logger: logger)
        }
        try await CommandFailure.telling {
            try await server.run {
                Self.say("The ledger is served at \($0)")
            } onInspecting: {
                Self.say("Its inspector is at \($0)")
            }
        }
    }

    /// The settings of the command line.
    private var flags: [Setting: ConfigContent] {
        var flags: [Setting: ConfigContent] = [:]
        flags[.database] = database.text.map { .string($0) }
        flags[.port] = port.map { .int(Int($0)) }
        flags[.host] = host.map { .string($0) }
        flags[.allowHost] = allowHost.isEmpty ? nil : .stringArray(allowHost)
        flags[.webhook] = webhook.map { .string($0) }
        flags[.tokenFile] = tokenFile.map { .string($0) }
        flags[.inspect] = inspect.map { .bool($0) }
        flags[.inspectWrites] = inspectWrites.map { .bool($0) }
        flags[.inspectHistory] = inspectHistory.map { .string($0) }
        flags[.logLevel] = logLevel.map { .string($0) }
        return flags
    }

    /// Opens the history of the inspector.
    ///
    /// A history that can't be opened is no reason to refuse requests, so it's logged, and the inspector has none.
    private static func history(in folder: String?, _ logger: Logger) -> InspectorHistory? {
        do {
            return try folder.map { try InspectorHistory(in: URL(filePath: $0, directoryHint: .isDirectory)) }
        } catch {
            logger.error("The history of the inspector is in memory only", metadata: ["error": "\(error)"])
            return nil
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
}
