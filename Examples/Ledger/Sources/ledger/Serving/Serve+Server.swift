// SPDX-License-Identifier: Apache-2.0

#if Server
import ArgumentParser
import Configuration
import Foundation
import Headrace
import HeadraceInspector
import LedgerApplication
import LedgerServer
import Logging

extension Serve {
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
                Self.say("The ledger is served at \($0)", on: .standardOutput)
            } onInspecting: {
                // It has a token, and the standard output is for the users of the ledger.
                Self.say("Its inspector is at \($0)", on: .standardError)
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
    private static func say(_ line: String, on output: FileHandle) {
        output.write(Data("\(line)\n".utf8))
    }
}
#endif
